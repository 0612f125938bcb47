"""Assignments, `++` and `--`; the index of an element is evaluated once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import HALF, INT, Pointer, Struct
from kernels.simt.compiler.compiled_values import Bundle, Code, Copy, Element, Place, Variable, constant, slot_reader
from kernels.simt.compiler.expressions.addresses import as_address
from kernels.simt.compiler.expressions.load_store import element_index, loader, saver
from kernels.simt.compiler.expressions.lvalues import locate_target, value_of
from kernels.simt.compiler.expressions.operators import apply_binary, convert
from kernels.simt.compiler.expressions.pointers import pointer_arithmetic
from kernels.simt.compiler.expressions.user_conversions import as_number
from kernels.simt.compiler.expressions.user_operators import assignment_call, operator_call
from kernels.simt.compiler.expressions.variables import assign_to
from kernels.simt.compiler.hoisting import attach, cut, evaluate_first, mark, waits
from kernels.simt.compiler.index.intervals import is_index, makes_index
from kernels.simt.compiler.missing_values import store_copy, stores_copies
from kernels.simt.compiler.structs.member_bounds import check_members

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.expressions.load_store import Save
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


CONST: Final = "this is const or a whole array: it cannot be assigned"


def assign(c: Context, node: ast.Assign) -> Code:
    """Compile `target op value`."""
    marks = [mark(c)]
    target = locate_target(c, node.target)
    kind = target.kind if isinstance(target, Element) else target.type
    rules = c.registry.rules(target)
    atomic = check_members(c, target, "atomic") if isinstance(target, Element) and rules is not None else None
    call = assignment_call(c, node, kind) if atomic is None else None
    if call is not None:
        return c.compile(call)
    marks.append(mark(c))
    if node.op == "=" and isinstance(target, Element) and atomic is None:
        c.racecheck.stores.add(target.span, node.value, c.frames[-1].nodes)
    with c.indexing(makes_index(c, node.target, node.value)):
        value = c.compile_as(node.value, kind) if node.op == "=" and atomic is None else c.compile(node.value)
    if waits(*marks):  # the right side is sequenced before the left side
        later, before = cut(c, marks)
        value = evaluate_first(c, before, [later], value, node.value)
        attach(c, before, later)
    if atomic is not None and rules is not None:
        return rules.assign(c, atomic, node.op[:-1], value, node.span)
    if node.op == "=":
        if value.copy is not None and not isinstance(target, Element | Code):
            return _copy(c, target, value, node)
        if value.copy is not None and isinstance(target, Element) and stores_copies(target):
            return _copy_to_element(c, target, value, node)
        return store(c, target, lambda _: value, node.target, node.span)
    first, value = _evaluate_early(c, value, node.span) if isinstance(target, Element) else (None, value)
    op = node.op[:-1]
    # Products alone: a sum, such as the step of a loop, would be checked in every round.
    with c.indexing(op == "*" and isinstance(node.target, ast.Name) and is_index(c, node.target.id)):
        return store(
            c,
            target,
            lambda old: _apply_operator(c, op, old, value, node.span),
            node.target,
            node.span,
            needs_old=True,
            first=first,
        )


def update(c: Context, node: ast.Update) -> Code:
    """Compile `++x`, `x++`, `--x`, `x--`."""
    one, target = constant(1, INT), locate_target(c, node.target)
    if isinstance(target, Element) and (rules := c.registry.rules(target)) is not None:
        target = check_members(c, target, "atomic")
        return rules.assign(c, target, node.op[0], one, node.span, gives_new=node.prefix)
    kind = target.kind if isinstance(target, Element) else target.type
    if isinstance(kind, Struct):
        return c.compile(operator_call(c, node, kind))
    return store(
        c,
        target,
        lambda old: _apply_operator(c, node.op[0], old, one, node.span),
        node.target,
        node.span,
        needs_old=True,
        gives_new=node.prefix,
    )


def _apply_operator(c: Context, op: str, old: Code, value: Code, span: Span) -> Code:
    if isinstance(old.type, Pointer):
        return pointer_arithmetic(c, op, old, value, span)
    if old.type == HALF:
        value = convert(c, value, HALF, span)
    value = as_number(c, value, span)
    return apply_binary(c, op, old, value, span)


def _evaluate_early(c: Context, value: Code, span: Span) -> tuple[Run | None, Code]:
    """Return the run that evaluates an operand before the old value is read, and the read of it."""
    if value.pure:
        return None, value
    early = value.fma.factors or (value,)
    slots = [(c.slot(), code.run) for code in early]
    later = [Code(slot_reader(slot), value.type) for slot, _ in slots]

    def hold(group: Group, mask: Active) -> Value:
        for slot, run in slots:
            group.values[slot] = run(group, mask)

    return hold, later[0] if len(later) == 1 else apply_binary(c, "*", later[0], later[1], span)


def store(
    c: Context,
    target: Place,
    compute: Callable[[Code], Code],
    node: Expr,
    span: Span,
    *,
    needs_old: bool = False,
    gives_new: bool = True,
    first: Run | None = None,
) -> Code:
    """Compile an assignment of `compute(old value)`; `first` runs before the old value is read."""
    if isinstance(target, Code) or target.const:
        raise c.refuse(span, CONST)
    if isinstance(target, Element):
        target = check_members(c, target, "write")
        if needs_old:
            return _modify_element(c, target, compute, span, gives_new, first)
        return _store_element(c, target, compute(constant(0, INT)), span)
    old = value_of(c, target, node.span) if needs_old else constant(0, INT)
    value = compute(old)
    put = assign_to(c, target, value, span)
    memory = target.memory if isinstance(target, Variable) else None
    return Code(put if gives_new else _old_value(old.run, put), target.type, None, False, memory)


def _copy(c: Context, target: Variable | Bundle, value: Code, node: ast.Assign) -> Code:
    """Compile `a = b` of registers: lanes without a value of b have none of a; using the expression's value reads b."""
    if target.const:
        raise c.refuse(node.span, CONST)
    put = assign_to(c, target, value, node.span, copies=True)
    memory = target.memory if isinstance(target, Variable) else None
    if (ast.Assign, node.span) in c.calls.unused_values:
        return Code(put, target.type, None, False, memory)
    again = value_of(c, target, node.span)
    copy = None if again.copy is None else Copy(_in_order(put, again.copy.run), again.copy.variables)
    return Code(_in_order(put, again.run), target.type, None, False, memory, copy=copy)


def _copy_to_element(c: Context, target: Element, value: Code, node: ast.Assign) -> Code:
    """Compile `array[i] = b` of a register: lanes without a value of b leave the element without one (`store_copy`)."""
    if target.const:
        raise c.refuse(node.span, CONST)
    target = check_members(c, target, "write")
    new, offset, save = _storable(c, value, target, node.span), element_index(c, target), saver(c, target)
    if new.copy is None:  # converted: a use
        return Code(_storing(new.run, offset, save), target.kind, None, False)
    put = store_copy(c, target, new.copy, offset, save, node.value.span)
    if (ast.Assign, node.span) in c.calls.unused_values:
        return Code(put, target.kind, None, False)
    copy = Copy(put, new.copy.variables)
    return Code(_storing(new.run, offset, save), target.kind, None, False, copy=copy)


def _in_order(first: Run, second: Run) -> Run:
    def run(group: Group, mask: Active) -> Value:
        first(group, mask)
        return second(group, mask)

    return run


def _old_value(old: Run, put: Run) -> Run:
    def run(group: Group, mask: Active) -> Value:
        value = old(group, mask)
        put(group, mask)
        return value

    return run


def _store_element(c: Context, element: Element, new: Code, span: Span) -> Code:
    """Compile a store; as in C++17 the value is evaluated before the index."""
    value, offset, put = _storable(c, new, element, span).run, element_index(c, element), saver(c, element)
    return Code(_storing(value, offset, put), element.kind, None, False)


def _storing(value: Run, offset: Run, put: Save) -> Run:
    def run(group: Group, mask: Active) -> Value:
        new = value(group, mask)
        put(group, mask, offset(group, mask), new)
        return new

    return run


def _modify_element(
    c: Context,
    element: Element,
    compute: Callable[[Code], Code],
    span: Span,
    gives_new: bool,
    first: Run | None,
) -> Code:
    """Compile a change: evaluates `first`, the index, the old value and the new one, in this order."""
    kept, offset = c.slot(), element_index(c, element)
    old = Code(lambda group, mask: group.values[kept], element.kind, None, False)
    value = _storable(c, compute(old), element, span).run
    fetch, put = loader(c, element), saver(c, element)

    def run(group: Group, mask: Active) -> Value:
        if first is not None:
            first(group, mask)
        index = offset(group, mask)
        before = group.values[kept] = fetch(group, mask, index)
        new = value(group, mask)
        put(group, mask, index, new)
        return new if gives_new else before

    return Code(run, element.kind, None, False)


def _storable(c: Context, value: Code, element: Element, span: Span) -> Code:
    value = convert(c, value, element.kind, span)
    return as_address(value) if isinstance(value.type, Pointer) else value
