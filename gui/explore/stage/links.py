"""Linked highlighting: threads, elements and lines related to the focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.values.value_history import REGISTER
from kernels.trace.sorted_columns import count_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.stage.focus import Focus
    from gui.explore.stage.stage import Stage
    from kernels.trace import AccessGroup, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Threads, elements and lines related to a focus."""

    lanes: NDArray[np.int32]
    elements: tuple[tuple[int, NDArray[np.int64]], ...]
    """Arrays, each with the flat indices of its elements."""
    lines: tuple[int, ...]
    """Source lines, counted from 1."""
    causes: tuple[tuple[int, NDArray[np.int64]], ...] = ()
    """Elements that still hold the values from which the one in focus was computed."""


_NO_LANES = np.zeros(0, np.int32)


def find_links(stage: Stage, step: int, block: int, focus: Focus) -> Links:
    """Resolve a focus in one step of one block.

    A thread is linked to the elements that it accesses in this step, an element to the threads that access it in
    this step, both to the line of the step. A line is linked to the threads that execute it and the elements that
    they access: in this step if it executes the line, else in the block's next execution of the line, else in the
    last one before.
    """
    trace = stage.trace
    if focus.kind == "thread":
        return _of_thread(trace, step, block, focus.lane)
    if focus.kind == "element":
        return _of_element(stage, step, block, focus)
    if focus.kind == "line":
        return _of_line(trace, step, block, focus.line)
    return Links(_NO_LANES, (), ())


def execution_of_line(trace: Trace, step: int, block: int, line: int) -> int | None:
    """Return the step in which the block executes a line: this one, the next, or else the last before."""
    on_line = [n for n, s in enumerate(trace.statements) if s.span.line <= line <= s.span.end_line]
    steps = trace.block_steps(block)
    steps = steps[np.isin(trace.step_statement[steps], on_line)]
    if not len(steps):
        return None
    return int(steps[min(count_below(steps, step), len(steps) - 1)])


def _of_thread(trace: Trace, step: int, block: int, lane: int) -> Links:
    takes_part = bool(np.isin(lane, trace.lanes(step, block)))
    touched = _elements(trace.accesses(step, block), lane) if takes_part else ()
    return Links(np.array([lane], np.int32), touched, _lines(trace, step) if takes_part else ())


def _of_element(stage: Stage, step: int, block: int, focus: Focus) -> Links:
    trace = stage.trace
    groups = [g for g in trace.accesses(step, block) if g.site.array == focus.array]
    lanes = [g.element_lanes[g.elements == focus.index] for g in groups]
    found = np.unique(np.concatenate([_NO_LANES, *lanes]))
    if trace.arrays[focus.array].space == "local":
        found = found[found == focus.lane]
    element = ((focus.array, np.array([focus.index], np.int64)),)
    return Links(found, element, _lines(trace, step) if len(found) else (), _causes(stage, step, block, focus))


def _causes(stage: Stage, step: int, block: int, focus: Focus) -> tuple[tuple[int, NDArray[np.int64]], ...]:
    """Return the elements in the causes of one, of the shown copies, whose values are not overwritten."""
    trace, first = stage.trace, block * stage.trace.launch.block.count
    lane = focus.lane if focus.lane >= 0 else first
    if not 0 <= focus.index < trace.arrays[focus.array].size:
        return ()
    shown = {"shared": block, "local": lane}
    found: dict[int, set[int]] = {}
    top = stage.causes.of_element(focus.array, focus.index, block, step, lane)
    for node in top.walk():
        definition, location = node.definition, node.definition.location
        if node is top or location.array == REGISTER:
            continue
        copy = shown.get(trace.arrays[location.array].space, 0)
        if location.owner == copy and stage.causes.still_holds(definition, block, step):
            found.setdefault(location.array, set()).add(location.number)
    found.get(focus.array, set()).discard(focus.index)
    return tuple((array, np.array(sorted(index), np.int64)) for array, index in found.items())


def _of_line(trace: Trace, step: int, block: int, line: int) -> Links:
    at = execution_of_line(trace, step, block, line)
    if at is None:
        return Links(_NO_LANES, (), ())
    # A line does not determine the thread whose copy of a local array is accessed.
    groups = tuple(g for g in trace.accesses(at, block) if g.array.space != "local")
    return Links(trace.lanes(at, block), _elements(groups, None), (line,))


def _elements(groups: tuple[AccessGroup, ...], lane: int | None) -> tuple[tuple[int, NDArray[np.int64]], ...]:
    picked = ((g.site.array, g.elements if lane is None else g.elements[g.element_lanes == lane]) for g in groups)
    return tuple((array, index) for array, index in picked if len(index))


def _lines(trace: Trace, step: int) -> tuple[int, ...]:
    return (trace.statement(step).span.line,)
