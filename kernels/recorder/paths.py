"""Paths of steps: keys by which steps of different threads are aligned and ordered.

A thread's step has a *path* through the text: for every level of nesting a position, and for a loop also the number of
the iteration. In lexicographic order, paths are in the order in which a warp executes its steps if its threads
reconverge after every branch and loop; equal paths of different threads are one step. This is how the simulator
executes a warp. For example, a step at position 7 in iteration 2 of a loop at position 4 has the path (4, 2, 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.recorder.log import CallNote, LoopEntryNote, StepNote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.recorder.log import Note, TextLoop
    from kernels.recorder.log_entries import Entries


@dataclass(frozen=True, eq=False)
class Paths:
    """The steps among the entries of a log."""

    row: NDArray[np.int64]
    """The entry of each step."""
    path: NDArray[np.int32]
    """Positions and iterations: a row for each step, padded with zeros."""
    phase: NDArray[np.int32]
    """Iteration of the outermost loop with a barrier, -1 outside of one."""
    depth: NDArray[np.int32]
    """The column of the path with that iteration, or -1."""
    head: NDArray[np.bool_]
    """Whether the step is part of that loop's head."""


def paths_of(entries: Entries) -> Paths:
    """Return the path of every step."""
    notes = entries.notes
    # Only steps, calls and loop entries move a thread along its path; accesses belong to the step before them.
    flow = np.array([isinstance(note, StepNote | CallNote | LoopEntryNote) for note in notes], bool)
    rows = np.flatnonzero(flow[entries.note])
    note = entries.note[rows]
    starts = _starts(notes)
    width = max(
        (starts[n.position.function] + _length(n) for n in notes if isinstance(n, StepNote | CallNote)), default=1
    )
    path = np.zeros((len(rows), width), np.int32)
    phase, depth = np.full(len(rows), -1, np.int32), np.full(len(rows), -1, np.int32)
    head = np.zeros(len(rows), bool)
    iterations = [_iterations(notes, number, loop, note) for number, loop in enumerate(entries.loops)]
    for function, start in starts.items():
        calls = [n for n, one in enumerate(notes) if isinstance(one, CallNote) and one.function == function]
        inside = [
            n
            for n, one in enumerate(notes)
            if isinstance(one, StepNote | CallNote) and one.position.function == function
        ]
        if calls:
            caller = _latest(np.isin(note, calls))
            # Steps in a callee inherit the path of the call; their own positions follow in later columns.
            rows_inside = np.flatnonzero(np.isin(note, inside) & (caller >= 0))
            path[rows_inside], phase[rows_inside] = path[caller[rows_inside]], phase[caller[rows_inside]]
            depth[rows_inside], head[rows_inside] = depth[caller[rows_inside]], head[caller[rows_inside]]
        # The columns of a function: position and iteration for each loop around the step, then its position in the
        # innermost one.
        for number in inside:
            one, at_note = notes[number], np.flatnonzero(note == number)
            assert isinstance(one, StepNote | CallNote)
            for level, loop in enumerate(one.position.loops):
                at, around = start + 2 * level, entries.loops[loop]
                path[at_note, at] = around.at
                path[at_note, at + 1] = iterations[loop][at_note]
                if around.waits:  # the outermost loop with a barrier counts the phases
                    first = at_note[depth[at_note] < 0]
                    phase[first], depth[first] = iterations[loop][first], at + 1
                    head[first] = number < around.body
            path[at_note, start + 2 * len(one.position.loops)] = one.position.at
    steps = np.array([isinstance(one, StepNote) for one in notes], bool)[note]
    return Paths(rows[steps], path[steps], phase[steps], depth[steps], head[steps])


def _starts(notes: Sequence[Note]) -> dict[int, int]:
    """Return the column at which each function's part of a path begins: after those of all its callers."""
    starts = {0: 0}
    calls = [note for note in notes if isinstance(note, CallNote)]
    changed = True
    while changed:  # terminates: there is no recursion
        changed = False
        for call in calls:
            begin = starts.get(call.position.function, 0) + _length(call)
            if begin > starts.get(call.function, -1):
                starts[call.function], changed = begin, True
    return dict(sorted(starts.items(), key=lambda item: item[1]))


def _length(note: StepNote | CallNote) -> int:
    return 2 * len(note.position.loops) + 1


def _iterations(notes: Sequence[Note], number: int, loop: TextLoop, note: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the iteration of a loop at each entry; meaningless outside of the loop."""
    begins = [
        n
        for n, one in enumerate(notes)
        if (isinstance(one, LoopEntryNote) and one.loop == number)
        or (isinstance(one, StepNote) and one.enters == number)
    ]
    repeats = [n for n, one in enumerate(notes) if isinstance(one, StepNote) and one.repeats == number]
    count = np.cumsum(np.isin(note, repeats))
    entry = _latest(np.isin(note, begins))
    return (loop.first + count - count[entry]).astype(np.int32)


def _latest(is_marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each entry the latest marked one up to it, or -1."""
    found: NDArray[np.int64] = np.maximum.accumulate(np.where(is_marked, np.arange(len(is_marked)), -1))
    return found
