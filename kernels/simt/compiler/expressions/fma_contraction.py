"""FMA contraction: a product and the sum around it are rounded once, as nvcc does by default (-fmad=true).

The rules follow the machine code of nvcc 13 for sm_90. A product is fused with a sum or difference in the same basic
block; of two products, the one that `compiler.reassociation_rank` selects. This includes products in variables if every
use is a term of a sum, and products that a function returns. Products in structs or in memory are not fused.

Example: `float p = a * b; s = p + c;` is fma(a, b, c), and p is never rounded. With another use, `t = p / 2;`, p is
needed rounded anyway, and s is p + c. The second use may be compiled after the sum: then `check_fused_products`
restarts the compilation with p in `Assumptions.separately_rounded`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.frontend.types import Scalar
from kernels.simt.compiler.compiled_values import Code, FmaFacts, Variable, VariableProduct, slot_reader
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.machine.arithmetic import is_float
from kernels.simt.machine.fused_multiply_add import FUSED
from kernels.simt.machine.skipped_values import skipping

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group


def contract(c: Context, op: str, left: Code, right: Code, kind: Scalar) -> Code | None:
    """Compile a sum or difference with a product as a term as an FMA; None if no term is a product."""
    # Both products count as read as terms, whichever is fused; `check_fused_products` compares with all reads.
    for term in (left, right):
        if term.fma.product is not None:
            term.fma.product.terms += 1
    if left.fma.factors is None or (
        right.fma.factors is not None and reassociation_rank.right_first(c, op, left, right, kind)
    ):
        source, addend = right, left
    else:
        source, addend = left, right
    factors = source.fma.factors
    if factors is None:
        return None
    if source.fma.product is not None:
        source.fma.product.fused = True
    # The operands are evaluated in the order of the source, so that reads are recorded in it: a·b first in a*b + c,
    # the addend first in c + a*b.
    first, second, third = factors[0].run, factors[1].run, addend.run
    fused = skipping(FUSED[kind]) if c.machine.recorder.skips_values else FUSED[kind]
    pure = factors[0].pure and factors[1].pure and addend.pure
    if source is left:
        if op == "+":
            return Code(lambda g, m: fused(first(g, m), second(g, m), third(g, m)), kind, None, pure)
        return Code(lambda g, m: fused(first(g, m), second(g, m), -third(g, m)), kind, None, pure)

    def from_right(group: Group, mask: Active) -> Value:
        value, factor = third(group, mask), first(group, mask)
        return fused(factor if op == "+" else -factor, second(group, mask), value)

    return Code(from_right, kind, None, pure)


def record_product(c: Context, variable: Variable, value: Code, span: Span) -> tuple[Code, VariableProduct | None]:
    """Return the assigned value, and the product that the variable then contains, if it can be fused later."""
    # An assignment in another basic block, or in divergent code, is not followed to the reads after it.
    if value.fma.product is None and (variable.block != c.blocks.current or variable.level != c.level):
        return value, None
    return _record(c, value, (variable.key, span))


def record_returned_product(c: Context, value: Code, span: Span) -> Code:
    """Return the value of a return statement; the caller can fuse its product if both are in one basic block."""
    frame = c.frames[-1]
    value, product = _record(c, value, ("return", span))
    frame.product = product if frame.returns == 0 and frame.block == c.blocks.current else None
    frame.returns += 1
    return value


def call_result(c: Context, code: Code, product: VariableProduct | None) -> Code:
    """Return the value of a call, as a product if the function returns one that can be fused."""
    if product is None or product.block != c.blocks.current:
        return code
    product.uses += 1
    run, (first, second) = code.run, product.factors
    factor = first.run

    def after_call(group: Group, mask: Active) -> Value:
        run(group, mask)
        return factor(group, mask)

    factors = Code(after_call, first.type, None, False), second
    return Code(run, code.type, None, False, fma=FmaFacts(product.rank, product.negated, factors, product))


def _record(c: Context, value: Code, key: tuple[Any, ...]) -> tuple[Code, VariableProduct | None]:
    if value.fma.product is not None:
        value.fma.product.terms += 1  # a copy is counted by its own uses
        return value, value.fma.product
    kind = value.type
    if (
        value.fma.factors is None
        or not isinstance(kind, Scalar)
        or not is_float(kind)
        or not c.contraction.enabled
        or key in c.machine.assumptions.separately_rounded
    ):
        return value, None
    # The factors are kept next to the rounded product; a later sum reads them and never the product.
    slots = c.slot(), c.slot()
    (first, one), (second, two) = zip(slots, (factor.run for factor in value.fma.factors), strict=True)

    def run(group: Group, mask: Active) -> Value:
        a = group.values[first] = one(group, mask)
        b = group.values[second] = two(group, mask)
        return a * b

    rank, negated = reassociation_rank.rank(c, value), value.fma.negated
    made = VariableProduct(
        key, c.blocks.current, (Code(slot_reader(first), kind), Code(slot_reader(second), kind)), rank, negated
    )
    c.contraction.products.append(made)
    return Code(run, kind, None, value.pure, fma=FmaFacts(rank, negated)), made


def use_product(c: Context, product: VariableProduct) -> VariableProduct | None:
    """Count a read of the variable that contains a product; returns the product, None if it cannot be fused."""
    product.uses += 1
    return product if product.block == c.blocks.current else None


def check_fused_products(c: Context) -> None:
    """Check the uses of all products after the kernel is compiled.

    Raises
    ------
    Recompile
        If a fused product has a use that is no term of a sum.
    """
    # uses == terms: every read was a term of a sum, and nvcc needs no rounded product. Only fused products matter: a
    # product that was never fused is already rounded, as nvcc does it.
    wrong = {product.key for product in c.contraction.products if product.fused and product.uses != product.terms}
    if wrong:
        c.machine.assumptions.recompile_separately_rounded(wrong)
