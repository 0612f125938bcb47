"""Captions of steps that only compute registers, above all indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kernels.analysis.evaluate import number_text, substitute
from kernels.analysis.syntax import text_at
from kernels.analysis.walk import qualified_name
from kernels.frontend.ast import Assign, Call, Declare, Do, Expr, Number, Update

if TYPE_CHECKING:
    from kernels.narration.step_view import StepView


def arithmetic(view: StepView) -> tuple[Literal["index arithmetic", "compute"], str]:
    """Say what each thread computes, with the numbers of the first one."""
    node = view.place.node
    threads = view.each_thread()
    if isinstance(node, Declare):
        assigned = [(v.name, v.value) for v in node.variables if isinstance(v.value, Expr)]
        if assigned:
            return _stage(view, assigned[0][0]), f"{threads} sets {_set(view, assigned)}"
        names = ", ".join(variable.name for variable in node.variables)
        return "compute", f"{threads} declares {names}, without a value yet"
    if isinstance(node, Do) and isinstance(node.expression, Assign | Update):
        name = qualified_name(node.expression.target)
        if isinstance(node.expression, Assign) and node.expression.op == "=" and name:
            return _stage(view, name), f"{threads} sets {_set(view, [(name, node.expression.value)])}"
        text = text_at(view.trace, node.expression.span)
        return _stage(view, name), f"{threads} computes {text}{_result(view, name)}"
    if isinstance(node, Do) and isinstance(node.expression, Call):
        return "compute", f"{threads} calls {node.expression.function}"
    return "compute", f"{threads} {view.executes()}"


def _set(view: StepView, assigned: list[tuple[str, Expr]]) -> str:
    """Return `row = blockIdx.y * TILE_WIDTH + ty; in thread (0,0): 0*2 + 0 = 0`."""
    text = ", ".join(
        f"{name} = {f'{value.value:g}' if isinstance(value, Number) else text_at(view.trace, value.span)}"
        for name, value in assigned
    )
    results = [(name, result) for name, value in assigned if (result := _arithmetic_text(view, name, value))]
    if not results:
        return text
    numbers = ", ".join(result if len(assigned) == 1 else f"{name} = {result}" for name, result in results)
    return f"{text}; in {view.first_thread()}: {numbers}"


def _arithmetic_text(view: StepView, name: str, value: Expr) -> str:
    """Return `0*2 + 0 = 0` for the first thread; "" for a plain number or an unknown value."""
    result = view.after.get(name)
    if result is None or isinstance(value, Number):
        return ""
    number, numbers = number_text(result[0].item()), substitute(value, view.before)
    return number if numbers in (number, text_at(view.trace, value.span)) else f"{numbers} = {number}"


def _result(view: StepView, name: str) -> str:
    result = view.after.get(name)
    if result is None:
        return ""
    return f"; in {view.first_thread()} {name} = {number_text(result[0].item())}"


def _stage(view: StepView, name: str) -> Literal["index arithmetic", "compute"]:
    for register in view.trace.registers:
        if register.name == name and register.function == view.place.function.name:
            return "index arithmetic" if register.dtype.kind in "iu" else "compute"
    return "compute"
