"""Compiles what can be read and assigned: variables, array elements, and the pointers that lead to them.

A pointer or array is compiled to an offset, in elements, into an array that is known at compile time. A
pointer that could point into either of two arrays is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.context import Code, Variable, constant
from kernels.simt.hazards import Place
from kernels.simt.lanes import EMPTY
from kernels.simt.memory import Memory
from kernels.simt.operators import apply_binary, convert, index_value
from kernels.simt.pointers import extent, moved, pointee, pointer_arithmetic
from kernels.simt.values import Value, select
from kernels.source import nodes
from kernels.source.types import INT, Array, CType, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.context import Context, Run
    from kernels.simt.lanes import Active, Group
    from kernels.source.nodes import Expr, Span

WARP_SIZE_NAME = "warpSize"


@dataclass(slots=True)
class Element:
    """One element of an array: `offset` yields its flat index."""

    memory: Memory
    offset: Code
    kind: CType
    span: Span
    const: bool


def read(c: Context, node: Expr) -> Code:
    """Compile the value of a name, an element, a dereference, or an address."""
    if isinstance(node, nodes.Unary) and node.op == "&":
        return _address(c, node)
    if isinstance(node, nodes.Name) and c.find(node.id) is None:
        if node.id == WARP_SIZE_NAME:
            return constant(32, INT)
        raise c.refuse(node.span, f"unknown name '{node.id}'")
    found = locate(c, node)
    if isinstance(found, Code):
        return found
    if isinstance(found, Variable):
        return _read_variable(c, found, node.span)
    return read_element(c, found)


def locate(c: Context, node: Expr) -> Variable | Element | Code:
    """Find what an expression designates; Code where it is a value or a whole array."""
    match node:
        case nodes.Name():
            symbol = c.find(node.id)
            if symbol is None:
                raise c.refuse(node.span, f"unknown name '{node.id}'")
            if not isinstance(symbol, Memory):
                return symbol
            if isinstance(symbol.declared, Array):
                return Code(lambda group, mask: 0, symbol.declared, 0, True, symbol)
            return Element(symbol, constant(0, INT), symbol.declared, node.span, symbol.const)
        case nodes.Index():
            return _designate(c, c.compile(node.base), index_value(c, node.index), node.span)
        case nodes.Unary(op="*"):
            return _designate(c, c.compile(node.operand), constant(0, INT), node.span)
    raise c.refuse(node.span, "this cannot be assigned: give a variable or an array element")


def _designate(c: Context, base: Code, index: Code, span: Span) -> Element | Code:
    if isinstance(base.type, Scalar) or base.memory is None:
        raise c.refuse(span, f"[] and * need a pointer or an array, not {base.type}")
    target = pointee(base.type)
    start = moved(base, index, extent(target), 1)
    if isinstance(target, Array):
        return Code(start.run, target, start.constant, start.pure, base.memory)
    const = base.memory.const or (isinstance(base.type, Pointer) and base.type.const)
    return Element(base.memory, start, target, span, const)


def read_element(c: Context, element: Element) -> Code:
    """Compile the read of an element."""
    memory, offset, span = element.memory, element.offset.run, element.span
    site = c.site(span, memory, "read")
    fetch = memory.read
    return Code(
        lambda group, mask: fetch(group, mask, offset(group, mask), site, span), element.kind, None, False
    )


def assign(c: Context, node: nodes.Assign) -> Code:
    """Compile `target op value`."""
    value = c.compile(node.value)
    if node.op == "=":
        return store(c, locate(c, node.target), lambda _: value, node.target, node.span)
    op = node.op[:-1]
    target = locate(c, node.target)
    return store(c, target, lambda old: _combined(c, op, old, value, node.span), node.target, node.span, True)


def update(c: Context, node: nodes.Update) -> Code:
    """Compile `++x`, `x++`, `--x`, `x--`."""
    one = constant(1, INT)
    return store(
        c, locate(c, node.target), lambda old: _combined(c, node.op[0], old, one, node.span), node.target,
        node.span, True, node.prefix,
    )  # fmt: skip


def store(
    c: Context, target: Variable | Element | Code, compute: Callable[[Code], Code], node: Expr, span: Span,
    needs_old: bool = False, gives_new: bool = True,
) -> Code:  # fmt: skip
    """Compile an assignment of `compute(old value)`."""
    if isinstance(target, Code) or target.const:
        raise c.refuse(span, "this is const or a whole array: it cannot be assigned")
    if isinstance(target, Variable):
        old = _read_variable(c, target, node.span) if needs_old else constant(0, INT)
        value = compute(old)
        put = assign_variable(c, target, value, span)
        return Code(put if gives_new else _after(old.run, put), target.type, None, False, target.memory)
    return _store_element(c, target, compute, span, needs_old, gives_new)


def _after(old: Run, put: Run) -> Run:
    def run(group: Group, mask: Active) -> Value:
        value = old(group, mask)
        put(group, mask)
        return value

    return run


def _store_element(
    c: Context,
    element: Element,
    compute: Callable[[Code], Code],
    span: Span,
    needs_old: bool,
    gives_new: bool,
) -> Code:
    kept = c.slot()
    old = Code(lambda group, mask: group.values[kept], element.kind, None, False)
    memory, offset = element.memory, element.offset.run
    value = convert(c, compute(old), element.kind, span).run
    source = c.site(element.span, memory, "read") if needs_old else -1
    site = c.site(element.span, memory, "write")
    fetch, put, place = memory.read, memory.write, element.span

    def plain(group: Group, mask: Active) -> Value:
        new = value(group, mask)
        put(group, mask, offset(group, mask), new, site, place)
        return new

    def modify(group: Group, mask: Active) -> Value:
        index = offset(group, mask)
        before = group.values[kept] = fetch(group, mask, index, source, place)
        new = value(group, mask)
        put(group, mask, index, new, site, place)
        return new if gives_new else before

    return Code(modify if needs_old else plain, element.kind, None, False)


def assign_variable(c: Context, variable: Variable, value: Code, span: Span) -> Run:
    """Compile the assignment of a value to a variable, by the active lanes."""
    value = convert(c, value, variable.type, span)
    if isinstance(variable.type, Pointer):
        if variable.memory is not None and variable.memory is not value.memory:
            raise c.unsupported(span, f"pointer '{variable.name}' into more than one array")
        variable.memory = value.memory
    compute, slot, whole, written = value.run, variable.slot, c.level == variable.level, variable.written
    kind = variable.type
    dtype = kind.dtype if isinstance(kind, Scalar) else np.dtype(np.int64)
    register, record = variable.register, c.recorder.assign

    def run(group: Group, mask: Active) -> Value:
        new = compute(group, mask)
        if mask is None or whole:
            group.values[slot] = new
        else:
            group.values[slot] = select(mask.bits, new, group.values[slot], dtype)
        if written >= 0:
            before = group.values[written]
            group.values[written] = True if mask is None or whole or before is True else mask.bits | before
        if register >= 0:
            record(register, group, mask, new, dtype)
        return new

    return run


def _read_variable(c: Context, variable: Variable, span: Span) -> Code:
    slot, written = variable.slot, variable.written
    if isinstance(variable.type, Pointer) and variable.memory is None:
        raise c.refuse(span, f"pointer '{variable.name}' is used before it points to an array")
    if written < 0:
        return Code(lambda group, mask: group.values[slot], variable.type, None, True, variable.memory)
    hazards, recorder, place = c.hazards, c.recorder, Place(span, "register", variable.name)

    def run(group: Group, mask: Active) -> Value:
        known = group.values[written]
        if known is not True:
            bad = mask if known is False else group.narrow(mask, ~known)
            if bad is not EMPTY:
                lane = int(group.lanes[0 if bad is None else bad.where[0]])
                hazards.report(
                    "uninitialised-read", place, recorder.current, group.active(bad),
                    ((lane, span.line, "read"),),
                    lambda: f"{hazards.name(lane)} uses {variable.name}, which has no value yet",
                )  # fmt: skip
        return group.values[slot]

    return Code(run, variable.type, None, False, variable.memory)


def _address(c: Context, node: nodes.Unary) -> Code:
    found = locate(c, node.operand)
    if isinstance(found, Variable):
        raise c.unsupported(node.span, f"address of the variable '{found.name}', which lives in a register")
    if isinstance(found, Code):
        if found.memory is None:
            raise c.refuse(node.span, "& needs something that has an address")
        return Code(found.run, Pointer(found.type), found.constant, found.pure, found.memory)
    return Code(
        found.offset.run,
        Pointer(found.kind, found.const),
        found.offset.constant,
        found.offset.pure,
        found.memory,
    )


def _combined(c: Context, op: str, old: Code, value: Code, span: Span) -> Code:
    if isinstance(old.type, Pointer):
        return pointer_arithmetic(c, op, old, value, span)
    return apply_binary(c, op, old, value, span)
