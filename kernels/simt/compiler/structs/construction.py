"""Construction of structs: aggregate initialisation, constructors, and default values.

Example: `Pair p = {1};` with `struct Pair { int n; float x; }` is the tuple of leaves (1, 0.0f).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import AUTO, BOUND, VECTORS, Array, Named, Pointer, Reference, Scalar, Struct
from kernels.simt.compiler.calls.overload_resolution import NoneFits
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.expressions.load_store import zero_value
from kernels.simt.compiler.expressions.lvalues import locate, value_of
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.compiler.expressions.variables import assign_to, new_variable
from kernels.simt.compiler.hoisting import Mark, evaluate_in_order, mark
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.machine.steps import Step

if TYPE_CHECKING:
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def construct(c: Context, node: ast.Construct) -> Code:
    """Compile `Type{…}` or `Type(…)`."""
    kind = node.type
    if isinstance(kind, Named):
        raise c.refuse(node.span, "the type of these braces is unknown: write it before them")
    if isinstance(kind, Struct):
        if kind.constructor in c.functions and (node.values or has_default_constructor(c, kind)):
            if _is_member_copy(c, node, kind):
                return c.compile(node.values[0])
            try:
                return _by_constructor(c, _without_extra_braces(c, node, kind), kind)
            except NoneFits as error:
                result = _of_call(c, node, error)
                if result is None or result.type != kind:
                    raise
                return result
        if kind == BF16 and len(node.values) == 1:
            return convert(c, c.compile(node.values[0]), kind, node.span)
        return _aggregate(kind, _pieces(c, node, kind))
    if len(node.values) > 1:
        raise c.refuse(node.span, f"{len(node.values)} values for one {kind}")
    if not node.values:
        return constant(0, kind)
    return convert(c, c.compile_as(node.values[0], kind), kind, node.span)


def _of_union(c: Context, node: ast.Construct, kind: Struct) -> Code:
    """Compile a union from a value: another union, or the value of a member (the last of several values)."""
    (*_, value) = node.values
    member = kind.fields[len(node.values) - 1]
    if len(node.values) == 1 and isinstance(value, ast.Name | ast.Member | ast.Index):
        only = c.compile_as(value, kind)
        if only.type == kind:
            return only
    name = f"{kind.name}{{}}"
    with c.scope():
        variable = new_variable(c, name, kind, node.span)
        reset = assign_to(c, variable, _zero(kind), node.span)
        place = ast.Member(node.span, ast.Name(node.span, name), member.name)
        work = c.compile(ast.Assign(node.span, "=", place, value)).run
        found = value_of(c, variable, node.span).run

    def run(group: Group, mask: Active) -> Value:
        reset(group, mask)
        work(group, mask)
        return found(group, mask)

    return Code(run, kind, None, False)


def has_copy_constructor(c: Context, kind: CType) -> bool:
    """Return whether a struct has a copy constructor that does more than copy its members."""
    return isinstance(kind, Struct) and any(
        [p.type for p in f.parameters[1:]] == [Reference(kind, const)]
        for f in c.functions.get(kind.constructor, ())
        if isinstance(f, ast.Function)
        for const in (True, False)
    )


def _of_call(c: Context, node: ast.Construct, error: NoneFits) -> Code | None:
    """Compile `S(f())` as `f()` if no constructor takes the value: the function may return an S."""
    here = (error.line, error.column) == (node.span.line, node.span.column)
    call = here and len(node.values) == 1 and isinstance(node.values[0], ast.Call)
    return c.compile(node.values[0]) if call else None


def _is_member_copy(c: Context, node: ast.Construct, kind: Struct) -> bool:
    """Return whether `S(s)` copies member by member; a constructor template is no copy constructor."""
    if len(node.values) != 1 or has_copy_constructor(c, kind):
        return False
    (only,) = node.values
    named: ast.Expr = only.operand if isinstance(only, ast.Unary) and only.op == "*" else only
    while isinstance(named, ast.Member):
        named = named.base
    if not isinstance(named, ast.Name) or c.find(named.id) is None:
        return isinstance(only, ast.Construct) and only.type == kind
    place = locate(c, only)
    return (place.kind if isinstance(place, Element) else place.type) == kind


def has_default_constructor(c: Context, kind: Struct) -> bool:
    """Return whether a struct has a constructor without arguments; `S() = default` does not count."""
    return any(
        isinstance(f, ast.Template) or all(p.default is not None for p in f.parameters[1:])
        for f in c.functions.get(kind.constructor, ())
    )


def _without_extra_braces(c: Context, node: ast.Construct, kind: Struct) -> ast.Construct:
    """Return `S{1, 2}` for `S({1, 2})` if no constructor takes one value, so that it is a copy."""
    match node.values:
        case (ast.Construct() as listed,) if listed.type == AUTO and not _takes_one(c, kind):
            return listed
    return node


def _takes_one(c: Context, kind: Struct) -> bool:
    """Return whether a struct has a constructor with one argument that is no copy constructor."""
    return any(
        isinstance(f, ast.Template)
        or (
            len(f.parameters) > 1
            and all(p.default is not None for p in f.parameters[2:])
            and f.parameters[1].type not in (Reference(kind, True), Reference(kind, False))
        )
        for f in c.functions.get(kind.constructor, ())
    )


def _by_constructor(c: Context, node: ast.Construct, kind: Struct) -> Code:
    """Compile a constructor's call on a temporary variable, whose name no source can contain."""
    name = f"{kind.name}()"
    with c.scope():
        variable = new_variable(c, name, kind, node.span)
        reset = assign_to(c, variable, _zero(kind), node.span)
        call = ast.Call(node.span, kind.constructor, (ast.Name(node.span, name), *node.values))
        begin = mark(c)[0]
        work = c.compile(call).run
        # If the constructor itself waits, it runs before the statement, and the reset of the object before it.
        if c.hoisted is not None and c.hoisted.call is call:
            c.hoisted.insert(begin, _reset(c, reset))
            reset = work
        value = value_of(c, variable, node.span).run

    def run(group: Group, mask: Active) -> Value:
        reset(group, mask)
        work(group, mask)
        return value(group, mask)

    return Code(run, kind, None, False)


def _reset(c: Context, run: Run) -> Step:
    number, begin = c.statement, c.machine.recorder.step

    def reset(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        run(group, mask)
        return mask

    return Step(reset)


def _pieces(c: Context, node: ast.Construct, kind: Struct) -> list[Code]:
    """Compile the values of a struct's members in order; members without a value are 0."""
    values, pieces = list(node.values), list[Code]()
    marks, operands = list[Mark](), list[ast.Expr]()
    if kind.union:
        return [_of_union(c, node, kind) if values else _zero(kind)]
    whole = _ambiguous_value(values, kind)
    if whole is not None:
        only = c.compile_as(whole, kind.fields[0].type)
        if only.type == kind:
            return [only]
    for field in kind.fields:
        listed, first = values, values[0] if values else None
        if isinstance(first, ast.Construct) and isinstance(field.type, Array) and _lists(first.type):
            listed, values = list(first.values), values[1:]  # the braces of an array member
        for wanted in _items(field.type):
            if not listed:  # the constructor of dim3 gives ones
                pieces.append(constant(1, wanted) if kind == VECTORS["dim3"] else _zero(wanted))
                marks.append(mark(c))
                operands.append(node)
                continue
            value = listed.pop(0)
            if field.name.startswith(BOUND):
                value = ast.Unary(value.span, "&", value)
            marks.append(mark(c))
            code = convert(c, c.compile_as(value, wanted), wanted, value.span)
            operands.append(value)
            pieces.append(as_address(code) if isinstance(code.type, Pointer) else code)
    if values:
        raise c.refuse(node.span, f"{len(node.values)} values for the {len(kind.fields)} members of {kind}")
    return evaluate_in_order(c, marks, pieces, operands)


def _ambiguous_value(values: list[ast.Expr], kind: Struct) -> ast.Expr | None:
    """Return the only value in braces if its type decides whether it is the struct itself or its first member."""
    if len(values) != 1 or not kind.fields:
        return None
    (value,) = values
    if isinstance(kind.fields[0].type, Array) and isinstance(value, ast.Construct):
        if len(value.values) != 1:  # the braces of the array, or values without inner braces
            return None
        (value,) = value.values
    named = isinstance(value, ast.Name | ast.Member | ast.Index)
    return value if named or len(kind.fields) > 1 else None


def _lists(kind: CType) -> bool:
    """Return whether braces of this type initialise an array member; AUTO is the type of untyped braces."""
    return isinstance(kind, Array) or kind == AUTO


def _items(kind: CType) -> list[CType]:
    """Return the types of the values for a member: its own, or those of all elements of an array."""
    if not isinstance(kind, Array):
        return [kind]
    return [item for _ in range(kind.length) for item in _items(kind.of)]


def _zero(kind: CType) -> Code:
    if isinstance(kind, Scalar | Pointer):
        return constant(zero_value(kind), kind)
    value = zero_value(kind)
    return Code(lambda group, mask: value, kind, value)


def _aggregate(kind: Struct, pieces: list[Code]) -> Code:
    """Compile the flat tuple of a struct's leaves from its members."""
    if len(pieces) == 1 and pieces[0].type == kind:
        return pieces[0]
    parts = [(piece.run, isinstance(piece.type, Struct)) for piece in pieces]

    def run(group: Group, mask: Active) -> Value:
        values: list[Value] = []
        for give, several in parts:
            value = give(group, mask)
            if several:
                values += value
            else:
                values.append(value)
        return tuple(values)

    known = None
    if all(piece.constant is not None for piece in pieces):
        known = run(None, None)  # type: ignore[arg-type]  # constants ignore both
        assert len(known) == len(leaves(kind))
    return Code(run, kind, known, all(piece.pure for piece in pieces))
