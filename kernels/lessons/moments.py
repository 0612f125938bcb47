"""Moments of a lesson found in a trace: the frame that a description fits, and what is in focus there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis import Frame, play_order, playlist
from kernels.analysis.order.races import hazard_shown_at
from kernels.analysis.values.result_check import check_result
from kernels.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.lessons.model import Does, Lit, Moment
    from kernels.trace import Trace
    from kernels.workload import Workload

_ELEMENT: Final = re.compile(r"(?P<name>\w+)(?P<indices>(\[\d+\])+)")


@dataclass(frozen=True, slots=True)
class Target:
    """Thing in focus, by the numbers of the trace."""

    kind: Literal["none", "thread", "element", "line"] = "none"
    lane: int = -1
    """Thread, by its linear number in the grid."""
    array: int = -1
    index: int = -1
    """Flat index of an element."""
    line: int = -1


def find_frame(trace: Trace, moment: Moment, workload: Workload | None = None) -> Frame:
    """Return the frame that a moment describes; the workload is needed for a wrong result.

    Raises
    ------
    InputError
        When no frame fits, with the description.
    """
    if moment.does in ("hazard", "wrong"):
        return _reported(trace, moment, workload)
    frames = playlist(trace, "statement").frames
    fits = np.ones(len(frames), bool)
    if moment.block:
        fits &= frames.blocks == trace.launch.grid.linear(*moment.block)
    if moment.phase is not None:
        fits &= trace.step_phase[frames.steps] == moment.phase
    if moment.does or moment.line:
        fits &= _statements(trace, moment.does, moment.line)[trace.step_statement[frames.steps]]
    found = np.flatnonzero(fits)
    number = moment.number - 1 if moment.number > 0 else moment.number
    if not -len(found) <= number < len(found):
        raise InputError(f"no step of {trace.kernel} fits {moment_words(moment)}: {len(found)} steps do")
    return frames[int(found[number])]


def find_target(trace: Trace, frame: Frame, lit: Lit) -> Target:
    """Return what is in focus at a frame.

    Raises
    ------
    InputError
        For an element or a line that the run does not have.
    """
    if lit.thread:
        threads = trace.launch.block
        return Target("thread", lane=frame.block * threads.count + threads.linear(*lit.thread))
    if lit.element:
        array, index = find_element(trace, lit.element)
        return Target("element", array=array, index=index)
    if lit.line:
        return Target("line", line=find_line(trace, lit.line))
    return Target()


def find_element(trace: Trace, name: str) -> tuple[int, int]:
    """Return the array and the flat index of an element such as `As[1][0]`; raises InputError for an unknown one."""
    found = _ELEMENT.fullmatch(name)
    if found is None:
        raise InputError(f"'{name}' is not an element: write it as in C[1][2]")
    try:
        number = trace.array_number(found["name"])
    except KeyError:
        names = ", ".join(dict.fromkeys(array.name for array in trace.arrays))
        raise InputError(f"{trace.kernel} has no array {found['name']}: it has {names}") from None
    shape = trace.arrays[number].shape
    indices = tuple(int(text) for text in re.findall(r"\d+", found["indices"]))
    if len(indices) == 1 < len(shape):
        shape = (trace.arrays[number].size,)
    if len(indices) != len(shape) or any(i >= n for i, n in zip(indices, shape, strict=True)):
        raise InputError(f"{found['name']} has the shape {'×'.join(map(str, shape))}: it has no element {name}")
    return number, int(np.ravel_multi_index(indices, shape))


def find_line(trace: Trace, fragment: str) -> int:
    """Return the line of the first statement with a text in it; raises InputError where there is none."""
    for statement in trace.statements:
        if _squeezed(fragment) in _squeezed(statement.text):
            return statement.span.line
    raise InputError(f"{trace.kernel} has no statement with '{fragment}'")


def moment_words(moment: Moment) -> str:
    """Describe a moment for a message."""
    parts = [f"block {moment.block}"] if moment.block else []
    parts += [f"phase {moment.phase}"] if moment.phase is not None else []
    parts += [moment.does] if moment.does else []
    parts += [f"'{moment.line}'"] if moment.line else []
    return f"{', '.join(parts) or 'any step'}, number {moment.number}"


def _statements(trace: Trace, does: Does, line: str) -> NDArray[np.bool_]:
    """Mark the statements of a kind that contain a text."""
    if does == "load":
        chosen = {s.statement for s in trace.sites if _is_global(trace, s.array) and s.access == "read"}
    elif does == "store":
        chosen = {s.statement for s in trace.sites if _is_global(trace, s.array) and s.access != "read"}
    elif does == "barrier":
        chosen = {n for n, s in enumerate(trace.statements) if s.kind == "barrier"}
    else:
        chosen = set(range(len(trace.statements)))
    wanted = _squeezed(line)
    return np.array([n in chosen and wanted in _squeezed(s.text) for n, s in enumerate(trace.statements)])


def _is_global(trace: Trace, array: int) -> bool:
    return trace.arrays[array].space == "global"


def _reported(trace: Trace, moment: Moment, workload: Workload | None) -> Frame:
    """Return the frame of a hazard, or of the first result that stays wrong."""
    if moment.does == "hazard" and len(trace.hazards) >= moment.number > 0:
        hazard = trace.hazards[moment.number - 1]
        return Frame(*(hazard_shown_at(trace, hazard) or (0, hazard.step)))
    if moment.does == "wrong" and workload is not None:
        order = play_order(trace)
        check = check_result(order, workload)
        frames = playlist(trace, "statement", order).frames
        first = check.verdict(*frames[len(frames) - 1]).first if check is not None else None
        if first is not None and first.step >= 0:
            return Frame(first.block, first.step)
    raise InputError(f"no step of {trace.kernel} fits {moment_words(moment)}")


def _squeezed(text: str) -> str:
    return "".join(text.split())
