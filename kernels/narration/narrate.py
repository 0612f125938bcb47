"""Captions: one plain sentence for each step of a block, the same for every kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.order.races import race_at
from kernels.analysis.syntax.bounds import outside_accesses
from kernels.analysis.syntax.evaluate import number_text, substitute
from kernels.analysis.syntax.source import text_at
from kernels.analysis.syntax.walk import has_print, qualified_name
from kernels.analysis.values.elements import elements_at
from kernels.frontend.ast import (
    Assign,
    Break,
    Call,
    Continue,
    Declare,
    Do,
    Expr,
    For,
    If,
    Number,
    Return,
    Update,
    While,
)
from kernels.narration.control import (
    barrier,
    branch,
    fence,
    group_barrier,
    leave,
    loop,
    printing,
    reason_of_branch,
    returns_at_once,
    warp_barrier,
)
from kernels.narration.hazards import race_clause
from kernels.narration.memory import access
from kernels.narration.shuffles import shuffle
from kernels.narration.step_view import StepView
from kernels.narration.words import (
    ON_GPU,
    block_name,
    each_thread,
    element_names,
    extent,
    statement_text,
    threads_named,
)
from kernels.words import agree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.syntax.bounds import Outside
    from kernels.analysis.values.elements import Elements
    from kernels.launch import Dim3
    from kernels.narration.words import Vocabulary
    from kernels.trace import Trace


Stage = Literal["load", "compute", "store", "barrier", "branch", "index arithmetic", "loop", "print", "return", "idle"]
_STAGES_IN_CAPTION: Final = ("load", "store", "barrier", "print")
"""Stages that the caption names; the sentence itself identifies the others."""


@dataclass(frozen=True, slots=True)
class Caption:
    """The caption of one step of one block."""

    text: str
    """One sentence."""
    stage: Stage
    block: Dim3
    phase: int = -1
    """-1 outside the loop over phases."""
    counters: tuple[tuple[str, int], ...] = ()
    """Variables of the other loops around the statement, with their values."""


def describe(
    trace: Trace, step: int, block: int, vocabulary: Vocabulary = ON_GPU, outside: Sequence[Outside] | None = None
) -> Caption:
    """Write the caption of a step for a block (linear number); `outside`, where known, are its `outside_accesses`."""
    index = trace.launch.grid.member(block)
    name = block_name(trace, block) if vocabulary.has_blocks else ""
    lanes = trace.lanes(step, block)
    if not len(lanes):
        return Caption(_sentence([name], "has no part in this step", " "), "idle", index)
    careful = warning(trace, outside_accesses(trace, step, block) if outside is None else outside, vocabulary)
    view = StepView.of(trace, step, block, vocabulary)
    if view is None:
        text = f"{each_thread(trace, lanes, vocabulary)} executes {statement_text(trace, step)}{careful}"
        return Caption(_sentence([name], text), "compute", index)
    if name and returns_at_once(view):
        return Caption(f"{name} returns at once{reason_of_branch(view)}{careful}", "return", index)
    shuffled = shuffle(view)
    stage, text = _stage_and_text(view) if shuffled is None else ("compute", shuffled.text)
    counters = view.inner_counters
    places = [name]
    if view.phase >= 0:
        places.append(f"phase {view.phase}")
    places += [f"{variable} = {value}" for variable, value in counters.items()]
    if stage in _STAGES_IN_CAPTION:
        places.append(stage)
    if shuffled is not None:
        places.append(shuffled.warps)
    race = race_at(trace, step, block)
    text = _sentence(places, text + careful) + (f"; {race_clause(trace, race, vocabulary)}" if race is not None else "")
    return Caption(text, stage, index, view.phase, tuple(counters.items()))


def _sentence(places: list[str], text: str, separator: str = ": ") -> str:
    """Put the known places before a text."""
    start = ", ".join(place for place in places if place)
    return f"{start}{separator}{text}" if start else text


def _stage_and_text(view: StepView) -> tuple[Stage, str]:
    node = view.place.node
    statement = view.trace.statement(view.step)
    if statement.kind == "barrier":
        return "barrier", barrier(view)
    if statement.kind == "warp-barrier":
        return "barrier", warp_barrier(view)
    if statement.kind == "group-barrier":
        return "barrier", group_barrier(view)
    if statement.kind == "fence":
        return "barrier", fence(view)
    if isinstance(node, If):
        return "branch", branch(view, node)
    if isinstance(node, For | While):
        return "loop", loop(view, node)
    if isinstance(node, Return | Break | Continue):
        return "return" if isinstance(node, Return) else "branch", leave(view, node)
    if has_print(node):
        return "print", printing(view)
    return access(view) or arithmetic(view)


# --- Warnings in captions: threads that access elements outside an array, and where their addresses lead


def warning(trace: Trace, outside: Iterable[Outside], vocabulary: Vocabulary) -> str:
    """Warn of accesses outside, `; careful: thread (1,0) writes C[0][3], …`; "" for none."""
    actions: dict[str, list[str]] = {}
    for found in outside:
        elements, lanes = found.elements, np.unique(found.lanes)
        one, many = ("reads", "read") if found.group.site.access == "read" else ("writes", "write")
        verb = agree(len(lanes), one, many)
        if len(lanes) > 1 and all((cell == cell[0]).all() for cell in elements.cells):
            verb, elements = f"{'both' if len(lanes) == 2 else 'all'} {verb}", elements.only(np.array([0]))
        what = f"{verb} {element_names(elements)}, outside {extent(found.group.array)}{_address(elements)}"
        actions.setdefault(threads_named(trace, lanes, vocabulary), []).append(what)
    return "".join(f"; careful: {threads} {' and '.join(several)}" for threads, several in actions.items())


def _address(outside: Elements) -> str:
    """Name the elements that have the addresses of elements outside; "" where the source has only flat indices."""
    array, flat = outside.array, outside.flat
    if len(outside.coordinates) < 2 or array.struct is not None:
        return ""
    lands = (flat >= 0) & (flat < array.size)
    where = []
    if lands.any():
        real = elements_at(array, np.unique(flat[lands]))
        where.append(f"at the {agree(len(real.flat), 'address', 'addresses')} of {element_names(real)}")
    if (flat < 0).any():
        where.append(f"before the start of {array.name}")
    if (flat >= array.size).any():
        where.append(f"past the end of {array.name}")
    return f", {' or '.join(where)}"


# --- Captions of steps that only compute registers, above all indices


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
