"""Threads, blocks and elements as people name them: thread (1,0), Block (0,0), A[0..1][2]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.analysis.elements import Elements
    from kernels.launch import Dim3
    from kernels.trace import ArrayInfo, Trace

NAMED = 2
"""Threads or elements named one by one before the rest is counted."""

MOST_WORDS = 64
"""Words that are looked through for that many fields of structs."""


def block_name(trace: Trace, block: int) -> str:
    """Name a block by its blockIdx."""
    return f"Block {_point(trace, trace.launch.grid.member(block))}"


def thread_name(trace: Trace, lane: int) -> str:
    """Name a thread by its threadIdx."""
    return f"thread {_point(trace, trace.thread_of(lane))}"


def executes(trace: Trace, step: int) -> str:
    """Say that a step's statement is executed, as it is written."""
    return f"executes {trace.statement(step).text.rstrip(';')}"


def thread_names(trace: Trace, lanes: NDArray[np.int32]) -> str:
    """Name up to two threads and count the rest."""
    if len(lanes) == 1:
        return thread_name(trace, int(lanes[0]))
    points = [_point(trace, trace.thread_of(int(lane))) for lane in lanes[:NAMED]]
    rest = len(lanes) - NAMED
    return f"threads {', '.join(points)} and {rest} more" if rest else f"threads {' and '.join(points)}"


def crowd(trace: Trace, lanes: NDArray[np.int32]) -> str:
    """Return "all 4 threads" of the block, "3 threads", or the only one's name."""
    count, total = len(lanes), trace.launch.block.count
    if count == 1:
        return thread_name(trace, int(lanes[0]))
    if count == total:
        return "both threads" if count == 2 else f"all {count} threads"
    return f"{count} threads"


def each(trace: Trace, lanes: NDArray[np.int32]) -> str:
    """Return "each thread" for the whole block, "each of 3 threads", or the only one's name."""
    count = len(lanes)
    if count == 1:
        return thread_name(trace, int(lanes[0]))
    return "each thread" if count == trace.launch.block.count else f"each of {count} threads"


def plural(count: int, one: str, many: str) -> str:
    """Choose the form of a word."""
    return one if count == 1 else many


def listed(words: Sequence[str]) -> str:
    """Join as people do: a; a and b; a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def region(elements: Elements) -> str:
    """Return a rectangle of elements, `A[0..1][2]`, `p[0..7].y`; where they form none, how many they are."""
    array, columns = elements.array, elements.cells
    ranges = [(int(c.min()), int(c.max())) for c in columns]
    distinct = len(np.unique(np.stack(columns, axis=1), axis=0)) if len(elements.flat) else 0
    if distinct != np.prod([high - low + 1 for low, high in ranges]):
        return f"{distinct} {'elements' if array.struct is None else 'fields'} of {array.name}"
    path = ""
    if array.struct is not None:
        low, high = ranges.pop()
        path = array.struct.path(array.struct.fields[low].offset_bytes, array.struct.fields[high].end_bytes)
    return array.name + "".join(f"[{low}]" if low == high else f"[{low}..{high}]" for low, high in ranges) + path


def element_names(elements: Elements) -> str:
    """Name up to two elements and hint at the rest."""
    count = len(elements.flat)
    names = [elements.name(at) for at in range(min(count, NAMED))]
    if elements.array.struct is not None:  # a field may be several words
        names = list(dict.fromkeys(elements.name(at) for at in range(min(count, MOST_WORDS))))
        names, count = names[:NAMED], len(names)
    return f"{', '.join(names)}, …" if count > NAMED else listed(names)


def extent(array: ArrayInfo) -> str:
    """Return "the 3×3 matrix" or "the 9 elements of A"."""
    if len(array.objects) == 2:
        return f"the {array.objects[0]}×{array.objects[1]} matrix"
    return f"the {array.size // array.words:,} elements of {array.name}"


def _point(trace: Trace, at: Dim3) -> str:
    """Write an index with as many parts as the launch has dimensions."""
    grid, block = trace.launch.grid, trace.launch.block
    if grid.z > 1 or block.z > 1:
        return f"({at.x},{at.y},{at.z})"
    return f"({at.x},{at.y})" if grid.y > 1 or block.y > 1 else f"{at.x}"
