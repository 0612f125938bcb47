"""Reference returns: calls as lvalues. The body runs, then the lvalue of its return statement is the result.

Example: `at(s, i) += 2;` with `int &at(int *p, int i) { return p[i]; }` binds p and i and modifies the element p[i],
whose index is evaluated once. A function with several returns yields the address of its result instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import LONG, Reference
from kernels.simt.compiler.calls.functions import inline_body, resolve_call
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.user_operators import operator_place
from kernels.simt.machine.steps import Step, flat, sequence

if TYPE_CHECKING:
    from kernels.simt.compiler.calls.indirect_calls import Arguments
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run


def locate_call(c: Context, node: ast.Expr) -> Place | None:
    """Return the lvalue that a call or a user operator returns; None if it returns a value.

    Raises
    ------
    SourceError
        For a function that returns a reference in a way that cannot be followed.
    """
    if not isinstance(node, ast.Call):
        return operator_place(c, node)
    found = resolve_call(c, node)
    if found is None or not isinstance(found[0].returns, Reference):
        return None
    function, arguments = found
    *before, last = function.body.body or (None,)
    returns = sum(isinstance(part, ast.Return) for part in below(function.body))
    if not isinstance(last, ast.Return) or returns != 1 or isinstance(last.value, ast.Conditional | None):
        return _by_returned_address(c, node, function, arguments)
    caller = c.statement
    with inline_body(c, node, function, arguments, used=True) as (_, binds):
        steps = [c.compile_step(child) for child in before]
        with c.hoisting() as hoisted:
            place = locate(c, last.value)
        steps += flat(hoisted)
    if isinstance(place, Code):
        _refuse_change(c, node, function, "to a value; return a variable or an element")
        return None
    if function.returns.const:  # type: ignore[union-attr]
        place = replace(place, const=True)
    body = sequence(steps) if steps else None
    _refuse_waiting(c, node, body)
    return _after(
        c, node, place, _preparation(c, caller, binds, body), needed=bool(steps), arguments=[x for _, x in arguments]
    )


def _by_returned_address(c: Context, node: ast.Call, function: ast.Function, arguments: Arguments) -> Element:
    """Return the lvalue of a function with several returns of references: by the address that it returns."""
    kind = function.returns
    assert isinstance(kind, Reference)
    caller = c.statement
    with inline_body(c, node, function, arguments, used=True) as (frame, binds):
        frame.returns_address = True
        body = c.compile_step(function.body)
    _refuse_waiting(c, node, body)
    prepare, result = _preparation(c, caller, binds, body), frame.result

    def address(group: Group, mask: Active) -> Value:
        group.values[result] = None
        prepare(group, mask)
        found = group.values[result]
        return 0 if found is None else found

    return Element(frame.memory, Code(address, LONG, None, False), kind.to, node.span, kind.const)


def _refuse_waiting(c: Context, node: ast.Call, body: Step | None) -> None:
    if body is not None and body.plain is None:
        raise c.unsupported(
            node.span,
            f"assignment to {node.function.removeprefix('.')}(…), which waits at a barrier; return a pointer",
        )


def _refuse_change(c: Context, node: ast.Call, function: ast.Function, how: str) -> None:
    """Refuse a reference through which the value may be changed; a const one is replaced by the value."""
    if isinstance(function.returns, Reference) and not function.returns.const:
        raise c.unsupported(node.span, f"{function.name}, which returns a reference {how}")


def _preparation(c: Context, caller: int, binds: list[Run], body: Step | None) -> Run:
    begin, run_body = c.machine.recorder.step, None if body is None else body.plain

    def prepare(group: Group, mask: Active) -> Value:
        for bind in binds:
            bind(group, mask)
        if run_body is not None:
            run_body(group, mask)
            begin(caller, group, mask)

    return prepare


def _after(c: Context, node: ast.Call, place: Place, prepare: Run, *, needed: bool, arguments: list[Code]) -> Place:
    """Return an lvalue after the function has run: with the offset of an element, otherwise before the statement."""
    if isinstance(place, Element):
        start = place.offset.run

        def offset(group: Group, mask: Active) -> Value:
            prepare(group, mask)
            return start(group, mask)

        return replace(place, offset=Code(offset, LONG, None, False), span=node.span)
    if needed or not all(code.pure for code in arguments):
        if c.hoisted is None:
            raise c.unsupported(
                node.span, f"{node.function} where some threads may skip it; call it in a statement before"
            )

        def run(group: Group, mask: Active) -> Active:
            prepare(group, mask)
            return mask

        c.hoisted.append(Step(run))
    return place
