"""Asynchronous copies in a log: their writes are moved to the wait that completes them, as in the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.recorder.log import EVERYTHING, AccessNote, PipelineNote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from kernels.recorder.log import Note


def apply_waits(
    log: NDArray[np.void], counts: NDArray[np.integer[Any]], notes: Sequence[Note]
) -> tuple[NDArray[np.void], NDArray[np.integer[Any]]]:
    """Return the log in the order in which accesses take effect, and the number of each thread's entries.

    A copy belongs to the group that its thread commits next. A wait for N leaves the latest N groups in flight (PTX
    ISA, "cp.async.wait_group"). Copies without a wait are dropped: they may never be written.
    """
    if not any(isinstance(note, PipelineNote) for note in notes):
        return log, counts
    order: list[int] = []
    lengths = np.zeros_like(counts)
    row = 0
    for thread, count in enumerate(counts.tolist()):
        before = len(order)
        order += _of_thread(log[row : row + count], notes, row)
        lengths[thread] = len(order) - before
        row += count
    return log[order], lengths


def _of_thread(entries: NDArray[np.void], notes: Sequence[Note], first: int) -> list[int]:
    order: list[int] = []
    in_flight: list[tuple[int, int]] = []  # row, and number of groups committed before
    committed = 0
    for row, (number, size) in enumerate(zip(entries["note"].tolist(), entries["bytes"].tolist(), strict=True), first):
        note = notes[number]
        if isinstance(note, PipelineNote):
            if note.waits:
                last = committed + 1 if size == EVERYTHING else committed - size
                order += [copy for copy, group in in_flight if group < last]
                in_flight = [(copy, group) for copy, group in in_flight if group >= last]
            else:
                committed += 1
        elif isinstance(note, AccessNote) and note.deferred:
            in_flight.append((row, committed))
        else:
            order.append(row)
    return order
