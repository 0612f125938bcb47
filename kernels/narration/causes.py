"""Causes of a value and its next uses, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.evaluate import number_text
from kernels.analysis.syntax.layouts import holds_pointers
from kernels.analysis.values.elements import elements_at
from kernels.analysis.values.value_history import REGISTER
from kernels.narration.words import block_name, region, thread_name
from kernels.trace import element_name
from kernels.words import join

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.analysis.values.causes import Cause, Use
    from kernels.analysis.values.value_history import Location
    from kernels.narration.words import Vocabulary
    from kernels.trace import Trace
    from kernels.trace.records import Value


_MOST_PIECES: Final = 3
"""Rectangles that are named; the elements of more are counted."""


def location_name(trace: Trace, location: Location) -> str:
    """Return `As[0][1]` or the name of a register."""
    if location.array == REGISTER:
        return trace.registers[location.number].title
    return element_name(trace.arrays[location.array], location.number)


def equation(trace: Trace, cause: Cause) -> str:
    """Return `sum = 4 + 2 · 7 = 18`, or `C[0][1] = sum = 18` for a copy; without arithmetic name and value."""
    location = cause.definition.location
    name, value = location_name(trace, location), value_text(cause.definition.value)
    if cause.definition.value and location.array != REGISTER and holds_pointers(trace, location.array):
        return f"{name} = a pointer"
    between = cause.arithmetic
    if not between and len(cause.sources) == 1 and not cause.unknown:
        between = location_name(trace, cause.sources[0].definition.location)
    parts = [name, between, value]
    return " = ".join(dict.fromkeys(part for part in parts if part))


def origin(trace: Trace, cause: Cause, block: int, vocabulary: Vocabulary, *, thread: bool = True) -> str:
    """Return where a value was assigned: "thread (1,0), line 28", with the block if that is another one.

    Without `thread` only the line: the reader knows which thread it is.
    """
    definition = cause.definition
    if definition.row < 0:
        return "not written yet" if definition.value is None else "before the launch"
    line = trace.statement(definition.step).span.line
    return _place(trace, definition.lane, line, block, vocabulary) if thread else f"line {line}"


def _place(trace: Trace, lane: int, line: int, block: int, vocabulary: Vocabulary) -> str:
    """Return "thread (1,0), line 28"; with its block if that is not the shown one."""
    own = lane // trace.launch.block.count
    parts = [block_name(trace, own).lower()] if own != block and vocabulary.has_blocks else []
    return ", ".join([*parts, thread_name(trace, lane, vocabulary), f"line {line}"])


def use_place(trace: Trace, use: Use, block: int, vocabulary: Vocabulary) -> str:
    """Return where an element is read: "thread (1,0), line 28"."""
    return _place(trace, use.lane, use.line, block, vocabulary)


def unknown_sentence(cause: Cause) -> str:
    """Say which function or instruction the causes end at; "" if they are complete."""
    names = list(dict.fromkeys(name for node in cause.walk() for name in node.unknown))
    if not names:
        return ""
    more = f" and {len(names) - _MOST_PIECES} more" if len(names) > _MOST_PIECES else ""
    return f"The trace does not hold all values that {join(names[:_MOST_PIECES])}{more} combined."


def inputs_text(trace: Trace, locations: Iterable[Location]) -> str:
    """Return the inputs of a value by array: "A[0][0..2] and B[0..2][1]"."""
    by_array: dict[int, list[int]] = {}
    for location in locations:
        by_array.setdefault(location.array, []).append(location.number)
    pieces = [piece for array, index in by_array.items() for piece in _pieces(trace, array, index)]
    return join(pieces) if pieces else ""


def _pieces(trace: Trace, array: int, index: list[int]) -> list[str]:
    """Return up to three rectangles of elements, `B[0..4][2]` and `B[6..11][2]`; else their number."""
    info, flat = trace.arrays[array], np.array(sorted(index), np.int64)
    pieces = _rectangles(np.stack(elements_at(info, flat).cells, axis=1))
    if len(pieces) > _MOST_PIECES:
        return [region(elements_at(info, flat))]
    return [region(elements_at(info, flat[piece])) for piece in pieces]


def _rectangles(cells: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divide cells, one a row, into lines without gaps along the axis that gives the fewest; keep a rectangle whole."""
    extents = cells.max(axis=0) - cells.min(axis=0) + 1
    if np.prod(extents) == len(cells):
        return [np.arange(len(cells))]
    best: list[NDArray[np.int64]] = []
    for axis in range(cells.shape[1]):
        others = np.delete(cells, axis, axis=1)
        order = np.lexsort((cells[:, axis], *others.T))
        same = (np.diff(others[order], axis=0) == 0).all(axis=1) & (np.diff(cells[order, axis]) == 1)
        lines = np.split(order, np.flatnonzero(~same) + 1)
        if not best or len(lines) < len(best):
            best = lines
    return sorted(best, key=lambda line: cells[line[0]].tolist())


def value_text(value: Value | None) -> str:
    """Return a value with all digits of its type; "?" for none, as in the picture."""
    if value is None:
        return "?"
    return str(value).lower() if isinstance(value, bool) else number_text(value)
