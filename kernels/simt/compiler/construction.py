"""Compiles structs made of values: braces, constructors, and what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import AUTO, BOUND, VECTORS, Array, Named, Pointer, Reference, Scalar, Struct
from kernels.simt.compiler.addresses import as_address
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.hoisting import Mark, evaluate_in_turn, mark
from kernels.simt.compiler.load_store import zero_value
from kernels.simt.compiler.lvalues import locate, value_of
from kernels.simt.compiler.operators import convert
from kernels.simt.compiler.overload_resolution import NoneFits
from kernels.simt.compiler.structs import leaves
from kernels.simt.compiler.variables import assign_to, new_variable
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
        raise c.refuse(node.span, "nothing says what type these braces make: write the type in front of them")
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
    """Compile a union made of a value: a union itself, or that of a member; the last is meant of several."""
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
    """Whether a struct has a copy constructor that does more than copy its members."""
    return isinstance(kind, Struct) and any(
        [p.type for p in f.parameters[1:]] == [Reference(kind, const)]
        for f in c.functions.get(kind.constructor, ())
        if isinstance(f, ast.Function)
        for const in (True, False)
    )


def _of_call(c: Context, node: ast.Construct, error: NoneFits) -> Code | None:
    """Compile what a function returns, where no constructor takes it: it may be the struct itself."""
    here = (error.line, error.column) == (node.span.line, node.span.column)
    call = here and len(node.values) == 1 and isinstance(node.values[0], ast.Call)
    return c.compile(node.values[0]) if call else None


def _is_member_copy(c: Context, node: ast.Construct, kind: Struct) -> bool:
    """Whether `S(s)` copies the members of another one, which no constructor that is a template does instead."""
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
    """Whether a struct has a constructor that can be called without values; `S() = default` is none."""
    return any(
        isinstance(f, ast.Template) or all(p.default is not None for p in f.parameters[1:])
        for f in c.functions.get(kind.constructor, ())
    )


def _without_extra_braces(c: Context, node: ast.Construct, kind: Struct) -> ast.Construct:
    """Return `S({1, 2})`, where no constructor takes one value, as the `S{1, 2}` that it copies."""
    match node.values:
        case (ast.Construct() as listed,) if listed.type == AUTO and not _takes_one(c, kind):
            return listed
    return node


def _takes_one(c: Context, kind: Struct) -> bool:
    """Whether a struct has a constructor, other than one that copies, that can be called with one value."""
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
    """Compile a constructor's call: it works on a variable without a name that anybody could write."""
    name = f"{kind.name}()"
    with c.scope():
        variable = new_variable(c, name, kind, node.span)
        reset = assign_to(c, variable, _zero(kind), node.span)
        call = ast.Call(node.span, kind.constructor, (ast.Name(node.span, name), *node.values))
        begin = mark(c)[0]
        work = c.compile(call).run
        if c.hoisted is not None and c.hoisted.call is call:  # the constructor itself waits
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
    """Compile the values for a struct's members in order; members without one become 0."""
    values, pieces = list(node.values), list[Code]()
    marks, operands = list[Mark](), list[ast.Expr]()
    if kind.union:
        return [_of_union(c, node, kind) if values else _zero(kind)]
    whole = _perhaps_whole(values, kind)
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
    return evaluate_in_turn(c, marks, pieces, operands)


def _perhaps_whole(values: list[ast.Expr], kind: Struct) -> ast.Expr | None:
    """Return the only value in braces where it may be such a struct itself, which the text alone does not tell."""
    if len(values) != 1 or not kind.fields:
        return None
    (value,) = values
    if isinstance(kind.fields[0].type, Array) and isinstance(value, ast.Construct):
        if len(value.values) != 1:  # the braces of the array, or values without braces of their own
            return None
        (value,) = value.values
    named = isinstance(value, ast.Name | ast.Member | ast.Index)
    return value if named or len(kind.fields) > 1 else None


def _lists(kind: CType) -> bool:
    """Whether braces of this type are those of an array; AUTO is what the place decides."""
    return isinstance(kind, Array) or kind == AUTO


def _items(kind: CType) -> list[CType]:
    """Return what a member takes values for: itself, or each element of an array."""
    if not isinstance(kind, Array):
        return [kind]
    return [item for _ in range(kind.length) for item in _items(kind.of)]


def _zero(kind: CType) -> Code:
    if isinstance(kind, Scalar | Pointer):
        return constant(zero_value(kind), kind)
    value = zero_value(kind)
    return Code(lambda group, mask: value, kind, value)


def _aggregate(kind: Struct, pieces: list[Code]) -> Code:
    """Put members together into the flat tuple of a struct's leaves."""
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
        known = run(None, None)  # type: ignore[arg-type]  # constants look at neither
        assert len(known) == len(leaves(kind))
    return Code(run, kind, known, all(piece.pure for piece in pieces))
