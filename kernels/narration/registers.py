"""Words for steps that only compute registers: index arithmetic above all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kernels.analysis.evaluate import number_text, substituted
from kernels.analysis.syntax import text_at
from kernels.analysis.walk import spelled
from kernels.frontend.ast import Assign, Call, Declare, Do, Expr, Number, Update
from kernels.narration.words import each, executes, thread_name

if TYPE_CHECKING:
    from kernels.analysis.step_view import Moment


def arithmetic(m: Moment) -> tuple[Literal["index arithmetic", "compute"], str]:
    """Say what each thread computes, and show the numbers of the first one."""
    node = m.place.node
    who = each(m.trace, m.lanes)
    if isinstance(node, Declare):
        given = [(v.name, v.value) for v in node.variables if isinstance(v.value, Expr)]
        if given:
            return _stage(m, given[0][0]), f"{who} sets {_set(m, given)}"
        names = ", ".join(variable.name for variable in node.variables)
        return "compute", f"{who} declares {names}, without a value yet"
    if isinstance(node, Do) and isinstance(node.expression, Assign):
        target, value = node.expression.target, node.expression.value
        text = text_at(m.trace, node.expression.span)
        if node.expression.op == "=" and spelled(target):
            return _stage(m, spelled(target)), f"{who} sets {_set(m, [(spelled(target), value)])}"
        return _stage(m, spelled(target)), f"{who} computes {text}{_result(m, spelled(target))}"
    if isinstance(node, Do) and isinstance(node.expression, Update):
        name = spelled(node.expression.target)
        return _stage(m, name), f"{who} computes {text_at(m.trace, node.expression.span)}{_result(m, name)}"
    if isinstance(node, Do) and isinstance(node.expression, Call):
        return "compute", f"{who} calls {node.expression.function}"
    return "compute", f"{who} {executes(m.trace, m.step)}"


def _set(m: Moment, given: list[tuple[str, Expr]]) -> str:
    """Return `row = blockIdx.y * TILE_WIDTH + ty; in thread (0,0): 0*2 + 0 = 0`."""
    said = ", ".join(
        f"{name} = {f'{value.value:g}' if isinstance(value, Number) else text_at(m.trace, value.span)}"
        for name, value in given
    )
    worked = [(name, text) for name, value in given if (text := _worked(m, name, value))]
    if not worked:
        return said
    numbers = ", ".join(text if len(given) == 1 else f"{name} = {text}" for name, text in worked)
    return f"{said}; in {thread_name(m.trace, int(m.lanes[0]))}: {numbers}"


def _worked(m: Moment, name: str, value: Expr) -> str:
    """Return `0*2 + 0 = 0` for the first thread; empty for a plain number and where nothing tells."""
    result = m.after.get(name)
    if result is None or isinstance(value, Number):
        return ""
    number, numbers = number_text(result[0].item()), substituted(value, m.before)
    return number if numbers in (number, text_at(m.trace, value.span)) else f"{numbers} = {number}"


def _result(m: Moment, name: str) -> str:
    result = m.after.get(name)
    if result is None:
        return ""
    return f"; in {thread_name(m.trace, int(m.lanes[0]))} {name} = {number_text(result[0].item())}"


def _stage(m: Moment, name: str) -> Literal["index arithmetic", "compute"]:
    for register in m.trace.registers:
        if register.name == name and register.function == m.place.function.name:
            return "index arithmetic" if register.dtype.kind in "iu" else "compute"
    return "compute"
