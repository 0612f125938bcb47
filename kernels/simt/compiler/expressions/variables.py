"""Variables of functions: numbers and pointers in registers, structs as bundles of registers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.types import INT, Array, CType, Pointer, Scalar, Struct
from kernels.simt.compiler.compiled_values import (
    NO_INDEX_FACTS,
    Bundle,
    Code,
    Copy,
    Element,
    FmaFacts,
    IndexFacts,
    Variable,
    constant,
)
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.expressions.fma_contraction import record_product, use_product
from kernels.simt.compiler.expressions.load_store import saver
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.missing_values import missing_value, store_copy, stores_copies
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.machine.arithmetic import Value, poison, select
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Put = Callable[[Group, Active, Value], None]
    """Assigns a computed value to the active lanes."""


def new_variable(c: Context, name: str, kind: CType, span: Span, *, const: bool = False) -> Variable | Bundle | Element:
    """Declare a variable of a function; one whose address is taken is stored in memory."""
    symbol: Variable | Bundle | Element
    key = (name, span)
    in_memory = key in c.machine.assumptions.address_taken or isinstance(kind, Atomic)
    if isinstance(kind, Scalar | Pointer) and not in_memory:
        symbol = _variable(c, name, kind, span, "", const=const)
    elif isinstance(kind, Struct) and not in_memory and not _has_array(kind):
        made = tuple(_variable(c, name, leaf.type, span, leaf.path, const=const) for leaf in leaves(kind))
        symbol = Bundle(name, kind, made, key, const)
    elif isinstance(kind, Scalar | Pointer | Struct):
        memory = c.array(name, "local", kind, span, (1,))
        symbol = Element(memory, constant(0, INT), kind, span, const)
    else:
        raise c.refuse(span, f"'{name}' cannot be {kind}")
    c.declare(name, symbol)
    return symbol


def _variable(c: Context, name: str, kind: Scalar | Pointer, span: Span, path: str, *, const: bool) -> Variable:
    register = c.register(name + path, kind, span) if isinstance(kind, Scalar) else -1
    level = -1 if c.has_goto() else c.level  # with goto, lanes that wait at a label keep their values
    variable = Variable(name + path, kind, c.slot(), level, (name, span, path), register, const)
    variable.roaming = variable.key in c.machine.assumptions.roaming
    variable.block = c.blocks.current
    if variable.key in c.machine.assumptions.possibly_unset:
        variable.value_lanes = c.slot()
    return variable


def _has_array(kind: Struct) -> bool:
    return kind.union or any(
        isinstance(field.type, Array) or (isinstance(field.type, Struct) and _has_array(field.type))
        for field in kind.fields
    )


def declare_unset(c: Context, symbol: Variable | Bundle | Element) -> Run | None:
    """Compile a declaration without an initialiser: reading the variable before an assignment is a hazard."""
    if isinstance(symbol, Element):
        return None
    variables = (symbol,) if isinstance(symbol, Variable) else symbol.leaves
    resets: list[tuple[int, int, Value]] = []
    for variable in variables:
        variable.value_lanes = c.slot()
        nothing = poison(variable.type) if isinstance(variable.type, Scalar) else 0
        resets.append((variable.slot, variable.value_lanes, nothing))

    kept = c.has_goto()

    def run(group: Group, mask: Active) -> Value:
        for slot, value_lanes, nothing in resets:
            if kept and mask is not None and group.values[slot] is not None:
                group.values[value_lanes] = group.values[value_lanes] & ~mask.bits
                continue
            group.values[slot] = nothing
            group.values[value_lanes] = False

    return run


def assign_to(c: Context, symbol: Variable | Bundle | Element, value: Code, span: Span, *, copies: bool = False) -> Run:
    """Compile the assignment of a value to a variable, by the active lanes; the run yields the new value.

    With `copies`, copying a register without a value is no use of it: the variable has no value then, either.
    """
    if isinstance(symbol, Element) and isinstance(symbol.kind, Atomic):  # its first value: no other thread sees it
        symbol = replace(symbol, kind=symbol.kind.plain)
    kind = symbol.kind if isinstance(symbol, Element) else symbol.type
    value = convert(c, value, kind, span)
    if isinstance(symbol, Variable):
        return assign_variable(c, symbol, value, span, copies=copies)
    if isinstance(value.type, Pointer):
        value = as_address(value)
    compute = value.run
    if isinstance(symbol, Element):
        save, offset = saver(c, symbol), symbol.offset.run
        if copies and value.copy is not None and stores_copies(symbol):
            return store_copy(c, symbol, value.copy, offset, save, span)

        def store(group: Group, mask: Active) -> Value:
            new = compute(group, mask)
            save(group, mask, offset(group, mask), new)
            return new

        return store
    puts = [setter(c, variable, roams=True) for variable in symbol.leaves]
    if copies and value.copy is not None:
        compute = value.copy.run
        puts = [_copier(c, *one) for one in zip(symbol.leaves, value.copy.variables, puts, strict=True)]

    def spread(group: Group, mask: Active) -> Value:
        new = compute(group, mask)
        for put, part in zip(puts, new, strict=True):
            put(group, mask, part)
        return new

    return spread


def assign_variable(c: Context, variable: Variable, value: Code, span: Span, *, copies: bool = False) -> Run:
    """Compile the assignment of a value to a number or pointer; `copies` as for `assign_to`."""
    value = convert(c, value, variable.type, span)
    if isinstance(variable.type, Pointer):
        value = _point_variable(variable, value, c)
    value, product = record_product(c, variable, value, span)
    compute, put = value.run, setter(c, variable)
    if copies and value.copy is not None:
        compute, put = value.copy.run, _copier(c, variable, value.copy.variables[0], put)
    variable.product, variable.rank, variable.negated = product, reassociation_rank.rank(c, value), value.fma.negated

    def run(group: Group, mask: Active) -> Value:
        new = compute(group, mask)
        put(group, mask, new)
        return new

    return run


def _point_variable(variable: Variable, value: Code, c: Context) -> Code:
    """Return the value for a pointer variable: an offset into its array, or an address if it is roaming."""
    if variable.roaming:
        return as_address(value)
    if value.memory is None or variable.memory not in (None, value.memory):
        roam(c, variable)
    variable.memory = value.memory
    return value


def roam(c: Context, variable: Variable) -> None:
    """Compile the kernel again with a pointer that points into several arrays."""
    c.machine.assumptions.recompile_roaming(variable.key)


def setter(c: Context, variable: Variable, *, roams: bool = False) -> Put:
    """Compile the assignment of a computed value to the active lanes; with `roams` a pointer's value is an address."""
    if roams and isinstance(variable.type, Pointer) and not variable.roaming:
        roam(c, variable)
    if variable.bounds is not None:  # its interval was derived under the assumption that it is not assigned
        c.machine.assumptions.recompile_reassigned(variable.key)
    c.log.writes.append(variable.slot)
    variable.product, variable.rank, variable.negated, variable.scope = None, c.blocks.rank, False, c.blocks.innermost
    # At the level of the declaration every lane that can still read the variable is active, and the old value can be
    # replaced as a whole: a uniform value stays one number instead of a vector. Example: in
    # `int i = 0; if (p) { int j = 1; j = 2; i = 3; }`, j = 2 replaces j, which lanes without p never see; i = 3 has to
    # keep the value of i in those lanes.
    slot, whole, value_lanes = variable.slot, c.level == variable.level, variable.value_lanes
    kind = variable.type
    dtype = kind.dtype if isinstance(kind, Scalar) else np.dtype(np.int64)
    register, record = variable.register, c.machine.recorder.assign

    def put(group: Group, mask: Active, new: Value) -> None:
        if mask is None or whole or group.values[slot] is None:
            group.values[slot] = new
        else:
            group.values[slot] = select(mask.bits, new, group.values[slot], dtype)
        # `True` for all lanes is the usual case; a vector of bits as soon as lanes differ.
        if value_lanes >= 0:
            before = group.values[value_lanes]
            if mask is None or whole or before is True:
                group.values[value_lanes] = True
            else:
                group.values[value_lanes] = mask.bits if before is None else mask.bits | before
        if register >= 0:
            record(register, group, mask, new, dtype)

    return put


def _copier(c: Context, variable: Variable, source: Variable, put: Put) -> Put:
    """Compile the copy of another register to the active lanes; lanes without a value of it have none afterwards.

    For a variable with an initialiser the lanes that have a value are not tracked. If such a variable is assigned a
    copy without a value, the kernel is compiled again, and they are.
    """
    value_lanes, source_lanes, whole = variable.value_lanes, source.value_lanes, c.level == variable.level
    if source_lanes < 0:
        return put
    if source.name not in variable.sources:
        variable.sources.append(source.name)

    def copy(group: Group, mask: Active, new: Value) -> None:
        known = group.values[source_lanes]
        if known is True:
            put(group, mask, new)
            return
        if value_lanes < 0:
            if (mask if known is False else group.narrow(mask, ~known)) is not EMPTY:
                c.machine.assumptions.recompile_possibly_unset(variable.key)
            put(group, mask, new)
            return
        before = group.values[value_lanes]
        put(group, mask, new)
        if mask is None or whole:
            group.values[value_lanes] = known
        else:
            group.values[value_lanes] = np.where(mask.bits, known, False if before is None else before)

    return copy


def read_variable(c: Context, variable: Variable, span: Span, *, checked: bool = True) -> Code:
    """Compile the read of a number or pointer; `checked` reports lanes without a value."""
    slot, value_lanes = variable.slot, variable.value_lanes
    if isinstance(variable.type, Pointer) and variable.memory is None and not variable.roaming:
        roam(c, variable)  # never assigned: only its value can select an array
    # Every read counts as a use of a product that the variable contains: only products without other uses are fused.
    c.log.reads.append(variable.slot)
    memory, product = variable.memory, None if variable.product is None else use_product(c, variable.product)
    factors = product.factors if product is not None else None
    fma = FmaFacts(reassociation_rank.variable_rank(c, variable), variable.negated, factors, product)
    known = variable.bounds is not None or variable.affine is not None
    index = IndexFacts(variable.bounds, variable.affine) if known else NO_INDEX_FACTS
    if value_lanes < 0:
        return Code(
            lambda group, mask: group.values[slot],
            variable.type,
            None,
            True,
            memory,
            index=index,
            fma=fma,
        )
    check = missing_value(c, variable, span)

    def run(group: Group, mask: Active) -> Value:
        known = group.values[value_lanes]
        if known is not True:
            check(group, mask if known is False else group.narrow(mask, ~known))
        return group.values[slot]

    def plain(group: Group, mask: Active) -> Value:
        return group.values[slot]

    return Code(
        run if checked else plain,
        variable.type,
        None,
        False,
        memory,
        fma=fma,
        copy=Copy(plain, (variable,)),
    )


def read_bundle(c: Context, bundle: Bundle, span: Span) -> Code:
    """Compile the value of a struct: the tuple of its leaves, pointers among them as addresses."""
    codes = [read_variable(c, variable, span) for variable in bundle.leaves]
    codes = [as_address(code) if isinstance(code.type, Pointer) else code for code in codes]
    runs: list[Any] = [code.run for code in codes]
    copy = None
    if any(variable.value_lanes >= 0 for variable in bundle.leaves):
        plain = [code.run if code.copy is None else code.copy.run for code in codes]
        copy = Copy(lambda group, mask: tuple(run(group, mask) for run in plain), bundle.leaves)
    return Code(
        lambda group, mask: tuple(run(group, mask) for run in runs),
        bundle.type,
        None,
        all(code.pure for code in codes),
        copy=copy,
    )
