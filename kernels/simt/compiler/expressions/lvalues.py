"""Lvalues: variables, array elements and struct members, reads of them, and their addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import MissingMember
from kernels.frontend import ast
from kernels.frontend.headers.wmma import Fragment
from kernels.frontend.types import (
    BOUND,
    INT,
    LONG,
    Array,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
)
from kernels.simt.compiler.calls.function_pointers import function_value
from kernels.simt.compiler.compiled_values import Bundle, Code, Element, IndexFacts, Place, Variable, constant
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.compiler.expressions.addresses import pointee, stride
from kernels.simt.compiler.expressions.load_store import load
from kernels.simt.compiler.expressions.operators import index_value
from kernels.simt.compiler.expressions.pointers import add_offset
from kernels.simt.compiler.expressions.user_conversions import as_pointer
from kernels.simt.compiler.expressions.variables import read_bundle, read_variable
from kernels.simt.compiler.hoisting import PLACE, attach, compile_once, cut, evaluate_first, mark, waits
from kernels.simt.compiler.structs.layout import leaf_range
from kernels.simt.compiler.structs.member_bounds import array_member, check_members, index_member
from kernels.simt.machine.arithmetic import uniform
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Member
    from kernels.simt.compiler.context import Context

WARP_SIZE_NAME = "warpSize"
_NULL_NAMES = ("nullptr", "NULL")


def read(c: Context, node: Expr) -> Code:
    """Compile the value of a name, an element, a member, a dereference, or an address."""
    if isinstance(node, ast.Unary) and node.op == "&":
        return _address(c, node)
    return value_of(c, locate(c, node), node.span)


def value_of(c: Context, place: Place, span: Span) -> Code:
    """Compile the value of an lvalue."""
    match place:
        case Code():
            return place
        case Variable():
            return read_variable(c, place, span)
        case Bundle():
            return read_bundle(c, place, span)
        case Element():
            here = place if place.span is span else replace(place, span=span)
            element = check_members(c, here, "read")
            rules = c.registry.rules(element)
            code = load(c, element) if rules is None else rules.load(c, element)
            code.fma = code.fma._replace(rank=reassociation_rank.next_rank(c))
            return code


def locate(c: Context, node: Expr) -> Place:
    """Return the lvalue of an expression; Code if it is a value or a whole array."""
    if not c.log.can_wait:
        return _locate(c, node)
    return compile_once(c, node, PLACE, _locate)


def _locate(c: Context, node: Expr) -> Place:
    match node:
        case ast.Name():
            symbol = c.find(node.id)
            if symbol is None:
                return _named_number(c, node)
            if not isinstance(symbol, Memory):
                return replace(symbol, span=node.span) if isinstance(symbol, Element) else symbol
            if isinstance(symbol.declared, Array):
                return Code(lambda group, mask: 0, symbol.declared, 0, True, symbol)
            return Element(symbol, constant(0, INT), symbol.declared, node.span, symbol.const)
        case ast.Index():
            # C++17 sequences the array before the subscript.
            marks = [mark(c)]
            base = c.compile(node.base)
            if c.member(base.type, "operator[]") is not None:
                return locate(c, ast.Call(node.span, ".operator[]", (node.base, node.index)))
            base = as_pointer(c, base, node.span)
            marks.append(mark(c))
            index = index_value(c, node.index)
            if waits(marks[1], mark(c)):
                before, later = cut(c, marks)
                base = evaluate_first(c, before, [later], base, node.base)
                attach(c, before, later)
            return _dereference(c, base, index, node.span)
        case ast.Unary(op="*"):
            base = c.compile(node.operand)
            if c.member(base.type, "operator*") is not None:
                return locate(c, ast.Call(node.span, ".operator*", (node.operand,)))
            return _dereference(c, as_pointer(c, base, node.span), constant(0, INT), node.span)
        case ast.Member():
            return _member(c, node)
        case ast.Cast(type=Reference(to=to)):
            return reference_place(c, locate(c, node.operand), to, node.span)
        case ast.Cast() | ast.Unary() | ast.Construct() | ast.Conditional():
            return c.compile(node)
        case ast.Call() | ast.Assign() | ast.Binary() | ast.Update():
            return c.dispatch.reference(c, node) or c.compile(node)
    raise c.refuse(node.span, "this cannot be assigned: the left side must be a variable or an array element")


def locate_target(c: Context, node: Expr) -> Place:
    """Return the lvalue of an expression that is changed; `c ? a : b` by the address of one of the two."""
    return locate(c, chosen_lvalue(node))


def chosen_lvalue(node: Expr) -> Expr:
    """Return `*&(c ? a : b)` for `c ? a : b`, which can be assigned if both are lvalues; others unchanged."""
    if isinstance(node, ast.Conditional):
        return ast.Unary(node.span, "*", ast.Unary(node.span, "&", node))
    return node


def _named_number(c: Context, node: ast.Name) -> Code:
    if node.id == WARP_SIZE_NAME:
        return constant(32, INT)
    if node.id in _NULL_NAMES:
        return constant(0, INT)
    function = function_value(c, node)
    if function is None:
        raise c.unknown(node.span, node.id)
    return function


def _dereference(c: Context, base: Code, index: Code, span: Span) -> Element | Code:
    target = pointee(base.type)
    if isinstance(base.type, FunctionPointer) and index.constant == 0:
        return base  # *f is f
    if target is None:
        raise c.refuse(span, f"[] and * need a pointer or an array, not {base.type}")
    if isinstance(target, Void):
        raise c.refuse(span, f"{base.type} has no element type: cast the pointer first")
    target = c.complete(target)
    if isinstance(target, Named):
        raise c.undefined(span, target)
    step = stride(c, base.memory, target)
    index, members = index_member(c, base, index, step, target)
    return _object_at(c, base, add_offset(base, index, step), target, span, members)


def _object_at(
    c: Context, base: Code, start: Code, target: object, span: Span, members: tuple[Member, ...]
) -> Element | Code:
    """Return the object at an offset in the array that `base` points into."""
    if isinstance(target, Array):
        return Code(
            start.run,
            target,
            start.constant,
            start.pure,
            base.memory,
            index=IndexFacts(affine=start.index.affine, members=members),
        )
    assert isinstance(target, Scalar | Pointer | Struct)
    read_only = base.memory is not None and base.memory.const
    const = read_only or (isinstance(base.type, Pointer) and base.type.const)
    return Element(base.memory, start, target, span, const, members)


def _member(c: Context, node: ast.Member) -> Place:
    base = locate(c, node.base)
    kind = base.kind if isinstance(base, Element) else base.type
    if not isinstance(kind, Struct):
        raise c.refuse(node.span, f"{kind} has no member .{node.field}", MissingMember(str(kind), node.field))
    field = kind.field(node.field)
    if field is None and kind.field(BOUND + node.field) is not None:
        return locate(c, ast.Unary(node.span, "*", replace(node, field=BOUND + node.field)))
    around = kind.unnamed_member_with(node.field) if field is None else None
    if around is not None:
        return _member(c, ast.Member(node.span, ast.Member(node.span, node.base, around.name), node.field))
    if isinstance(kind, Fragment) and node.field == "num_elements":
        return constant(kind.count, INT)
    static = c.template_instances.statics.get(f"{kind}::{node.field}")
    array = c.template_instances.constants.get(f"{kind}::{node.field}")
    if field is None and array is not None:
        return locate(c, ast.Name(node.span, array.name))
    if field is None and static is not None:
        return constant(uniform(static[1], static[0]), static[0])
    if field is None:
        known = ", ".join(f".{f.name}" for f in kind.fields)
        reason = f"{kind} has no member .{node.field}: its members are {known}"
        raise c.refuse(node.span, reason, MissingMember(str(kind), node.field))
    if isinstance(base, Element):
        size = 1 if base.memory is None else base.memory.kind.size_bytes
        if field.offset_bytes % size and base.memory is not None:
            c.recompile_elements(base.memory, field.offset_bytes)
        start = add_offset(base.offset, constant(field.offset_bytes // size, LONG), 1)
        if isinstance(field.type, Array):
            members = array_member(base, kind, field)
            return Code(
                start.run, field.type, start.constant, start.pure, base.memory, index=IndexFacts(members=members)
            )
        return Element(base.memory, start, field.type, node.span, base.const, base.members)
    first, last = leaf_range(kind, node.field)
    single = isinstance(field.type, Scalar | Pointer)
    if isinstance(base, Bundle):
        if single:
            return base.leaves[first]
        return Bundle(f"{base.name}.{node.field}", field.type, base.leaves[first:last], base.key, base.const)
    assert isinstance(base, Code)
    if isinstance(field.type, Array) or kind.union:
        raise c.unsupported(node.span, f"member .{node.field} of a value: give the struct or union a name first")
    run = base.run
    if single:
        return Code(lambda group, mask: run(group, mask)[first], field.type, None, base.pure)
    return Code(lambda group, mask: run(group, mask)[first:last], field.type, None, base.pure)


def _address(c: Context, node: ast.Unary) -> Code:
    if isinstance(node.operand, ast.Conditional):
        arms = (replace(node, operand=arm) for arm in (node.operand.then, node.operand.otherwise))
        return c.compile(ast.Conditional(node.span, node.operand.condition, *arms))
    found = locate(c, node.operand)
    match found:
        # A register has no address: the variable becomes an array of one element for each thread.
        case Variable() | Bundle():
            c.machine.assumptions.recompile_address_taken(found.key[:2])
        case Code():
            if isinstance(found.type, FunctionPointer) and isinstance(node.operand, ast.Name):
                return found
            if not isinstance(found.type, Array):
                raise c.refuse(node.span, "& needs a variable or an array element")
            return Code(found.run, Pointer(found.type), found.constant, found.pure, found.memory)
    start = found.offset
    return Code(
        start.run,
        Pointer(found.kind, found.const),
        start.constant,
        start.pure,
        found.memory,
        index=IndexFacts(affine=start.index.affine, members=found.members),
    )


def reference_place(c: Context, place: Place, kind: CType, span: Span) -> Place:
    """Return the lvalue that a reference of a type names when it is bound to a place."""
    rules = c.registry.objects.get(type(kind))
    return place if rules is None else rules.refer(c, place, kind, span)
