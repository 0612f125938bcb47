"""Names of threads, blocks and elements in captions: thread (1,0), Block (0,0), A[0..1][2]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.source import text_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.values.elements import Elements
    from kernels.launch import Dim3
    from kernels.trace import ArrayInfo, Trace
from kernels.words import join

NAMED: Final = 2
"""Threads or elements named one by one before the rest is counted."""

_MOST_WORDS: Final = 64
"""Words of memory that are searched for `NAMED` different fields of structs."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Nouns for what executes a kernel."""

    thread: str
    threads: str
    has_blocks: bool
    """Whether captions name the block."""


ON_GPU: Final = Vocabulary("thread", "threads", has_blocks=True)
ON_CPU: Final = Vocabulary("worker", "workers", has_blocks=False)
"""A kernel for the CPU has one block, which its captions leave out."""


def vocabulary_of(*, on_cpu: bool) -> Vocabulary:
    """Return the nouns for a kernel on the CPU or on a GPU."""
    return ON_CPU if on_cpu else ON_GPU


def block_name(trace: Trace, block: int) -> str:
    """Return "Block (1,0)", by its blockIdx."""
    return f"Block {point(trace, trace.launch.grid.member(block))}"


def point(trace: Trace, at: Dim3) -> str:
    """Write an index with as many coordinates as the launch has dimensions: 3, (1,0) or (1,0,0)."""
    return trace.launch.index_text(at)


def thread_name(trace: Trace, lane: int, vocabulary: Vocabulary) -> str:
    """Return "thread (1,0)", by its threadIdx."""
    return f"{vocabulary.thread} {point(trace, trace.thread_of(lane))}"


def threads_named(trace: Trace, lanes: NDArray[np.int32], vocabulary: Vocabulary) -> str:
    """Name up to two threads and count the rest: "threads (0,0), (1,0) and 3 more"."""
    if len(lanes) == 1:
        return thread_name(trace, int(lanes[0]), vocabulary)
    points = [point(trace, trace.thread_of(int(lane))) for lane in lanes[:NAMED]]
    rest = len(lanes) - NAMED
    listed = f"{', '.join(points)} and {rest} more" if rest else " and ".join(points)
    return f"{vocabulary.threads} {listed}"


def each_thread(trace: Trace, lanes: NDArray[np.int32], vocabulary: Vocabulary) -> str:
    """Return "each thread" for a whole block, "each of 3 threads", or the only one's name."""
    if len(lanes) == 1:
        return thread_name(trace, int(lanes[0]), vocabulary)
    if len(lanes) == trace.launch.block.count:
        return f"each {vocabulary.thread}"
    return f"each of {len(lanes)} {vocabulary.threads}"


def statement_text(trace: Trace, step: int) -> str:
    """Return a step's statement as it was compiled, without its semicolon."""
    return text_at(trace, trace.statement(step).span).rstrip(";")


def region(elements: Elements) -> str:
    """Return a rectangle of elements, `A[0..1][2]` or `p[0..7].y`; "5 elements of A" where they form none."""
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
    """Name up to two different elements; an ellipsis for more."""
    first = np.sort(np.unique(np.stack(elements.cells, axis=1), axis=0, return_index=True)[1]).tolist()
    names, count = [elements.name(at) for at in first[:NAMED]], len(first)
    if elements.array.struct is not None:  # several words of memory may be one field
        names = list(dict.fromkeys(elements.name(at) for at in range(min(count, _MOST_WORDS))))
        names, count = names[:NAMED], len(names)
    return f"{', '.join(names)}, …" if count > NAMED else join(names)


def extent(array: ArrayInfo) -> str:
    """Return "the 3×3 matrix" or "the 9 elements of A"."""
    if len(array.objects) == 2:
        return f"the {array.objects[0]}×{array.objects[1]} matrix"
    return f"the {array.size // array.words:,} elements of {array.name}"
