"""Event order: log entries of many threads aligned to steps of warps, and ordered within each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.launch import WARP_SIZE
from kernels.recorder.log import StepNote

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.recorder.log_entries import Entries
    from kernels.recorder.paths import Paths


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps that lanes make together."""

    number: NDArray[np.int64]
    """By step of a thread: the number of its step of the warp."""
    order: NDArray[np.int64]
    """All steps of threads by step, those of one step in the order of their threads."""
    first: NDArray[np.int64]
    """The position in `order` at which each step begins, and the end."""
    epoch: NDArray[np.int32]
    phase: NDArray[np.int32]
    """Epoch and phase of each step, as in a trace."""


def align(entries: Entries, paths: Paths, launch: Launch) -> Steps:
    """Align the steps of all threads and put them into one order."""
    thread, note = entries.thread[paths.row], entries.note[paths.row]
    barrier = np.array([isinstance(one, StepNote) and one.kind == "barrier" for one in entries.notes], bool)[note]
    before = np.cumsum(barrier) - barrier
    epoch = before - before[np.searchsorted(thread, thread)] if len(thread) else before
    rank = _ranks(thread, epoch, entries.time[paths.row], launch)
    keys: tuple[NDArray[np.integer], ...] = (*paths.path.T[::-1], rank)
    order = np.lexsort(keys)
    first = runs(*(key[order] for key in keys))
    again = np.arange(len(order)) - np.repeat(first[:-1], np.diff(first))
    lanes = thread[order]
    if (np.diff(lanes)[np.diff(again) > 0] == 0).any():
        # A thread can have one path twice in a statement, when C++ calls a conversion implicitly. The n-th steps of all
        # threads with that path are then one step.
        count = runs(*(key[order] for key in keys), lanes)
        again = np.empty(len(order), np.int64)
        again[order] = np.arange(len(order)) - np.repeat(count[:-1], np.diff(count))
        keys = (again, *keys)
        order = np.lexsort(keys)
        first = runs(*(key[order] for key in keys))
    number = np.empty(len(order), np.int64)
    number[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    head = order[first[:-1]]
    return Steps(number, order, first, epoch[head].astype(np.int32), _phases(paths, rank, head))


def runs(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the positions at which the combination of keys changes, and the end."""
    count = len(keys[0])
    new = np.zeros(count, bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.append(np.flatnonzero(new), count)


def in_step(
    step: NDArray[np.int64], within: NDArray[np.int64], note: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two sort keys, the minor first, for entries in a step; entries made together have equal keys.

    If all threads of a step have the same notes in the same order, the key is the position of the entry. Otherwise it
    is the note, and the number of earlier entries of the thread with this note. Example: two threads log the notes
    7, 9 and 7, 9: their keys are the positions 0, 1. If the second thread logs 8, 7, 9 instead, the keys are the notes
    themselves, so that the 7s and the 9s still coincide.

    Parameters
    ----------
    step, within : arrays of integers
        The step of each entry, and the step of its thread; ascending in `within`.
    note : array of integers
        The note of each entry.
    """
    count = np.arange(len(note))
    begins = runs(within)
    position = count - np.repeat(begins[:-1], np.diff(begins))
    order = np.lexsort((note, position, step))
    mixed = (np.diff(step[order]) == 0) & (np.diff(position[order]) == 0) & (np.diff(note[order]) != 0)
    differs = np.isin(step, step[order][1:][mixed])
    order = np.lexsort((note, within))
    begins = runs(within[order], note[order])
    times = np.empty(len(note), np.int64)
    times[order] = count - np.repeat(begins[:-1], np.diff(begins))
    return np.where(differs, times, 0), np.where(differs, note, position)


def _ranks(
    thread: NDArray[np.int64], epoch: NDArray[np.int64], time: NDArray[np.uint64], launch: Launch
) -> NDArray[np.int64]:
    """Rank the pieces of warps between barriers by their first time stamps; return the rank of each step."""
    block, inside = np.divmod(thread, launch.block.count)
    warp = block * launch.warps_per_block + inside // WARP_SIZE
    epochs = int(epoch.max(initial=0)) + 1
    units, unit = np.unique(warp * epochs + epoch, return_inverse=True)
    began = np.full(len(units), np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(began, unit, time)
    warps, unit_epoch = np.divmod(units, epochs)
    # A piece after a barrier comes after all pieces of its block before it, even if the clock is too coarse to show it.
    latest = np.zeros((launch.grid.count, epochs + 1), np.uint64)
    np.maximum.at(latest, (warps // launch.warps_per_block, unit_epoch + 1), began)
    latest = np.maximum.accumulate(latest, axis=1)
    began = np.maximum(began, latest[warps // launch.warps_per_block, unit_epoch])
    rank = np.empty(len(units), np.int64)
    rank[np.lexsort((warps, unit_epoch, began))] = np.arange(len(units))
    return rank[unit]


def _phases(paths: Paths, rank: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return each step's phase: the iteration of the outermost loop with a barrier, -1 for its final test."""
    phase, depth, path = paths.phase[head].copy(), paths.depth[head], paths.path[head]
    columns = np.arange(path.shape[1])
    shown = np.where(columns <= depth[:, None], path, 0)
    first = runs(rank[head], depth, *shown.T)
    empty = np.logical_and.reduceat(paths.head[head], first[:-1]) if len(head) else np.zeros(0, bool)
    last = first[1:] - 1
    phase[last[empty & (depth[last] >= 0)]] = -1
    return phase
