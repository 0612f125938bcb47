"""Entries of many threads put into one order: steps of warps, and what is done in a step."""

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
    """Steps that lanes make together.

    Columns
    -------
    number, order : int64[steps of threads]
        In which step each is; and all of them step by step, those of one in the order of their threads.
    first : int64[steps + 1]
        Where in `order` each step begins.
    epoch, phase : int32[steps]
        As in a trace.
    """

    number: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    epoch: NDArray[np.int32]
    phase: NDArray[np.int32]


def arranged(entries: Entries, paths: Paths, launch: Launch) -> Steps:
    """Put the steps of all threads into one order."""
    thread, note = entries.thread[paths.row], entries.note[paths.row]
    barrier = np.array([isinstance(one, StepNote) and one.kind == "barrier" for one in entries.notes], bool)[note]
    passed = np.cumsum(barrier) - barrier
    epoch = passed - passed[np.searchsorted(thread, thread)] if len(thread) else passed
    turn = _turns(thread, epoch, entries.time[paths.row], launch)
    keys: tuple[NDArray[np.integer], ...] = (*paths.path.T[::-1], turn)
    order = np.lexsort(keys)
    first = runs(*(key[order] for key in keys))
    again = np.arange(len(order)) - np.repeat(first[:-1], np.diff(first))
    lanes = thread[order]
    if (np.diff(lanes)[np.diff(again) > 0] == 0).any():
        # A thread comes by the same way twice in one statement, where C++ calls a conversion by itself.
        count = runs(*(key[order] for key in keys), lanes)
        again = np.empty(len(order), np.int64)
        again[order] = np.arange(len(order)) - np.repeat(count[:-1], np.diff(count))
        keys = (again, *keys)
        order = np.lexsort(keys)
        first = runs(*(key[order] for key in keys))
    number = np.empty(len(order), np.int64)
    number[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    head = order[first[:-1]]
    return Steps(number, order, first, epoch[head].astype(np.int32), _phases(paths, turn, head))


def runs(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where a new combination of keys begins, and the end."""
    count = len(keys[0])
    new = np.zeros(count, bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.append(np.flatnonzero(new), count)


def in_step(
    step: NDArray[np.int64], within: NDArray[np.int64], note: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two keys, the lesser first, that order what is done in a step and are equal for what is done together.

    Where all threads do the same it is the position; otherwise the place in the text, and how often the thread has
    been there.

    Parameters
    ----------
    step, within : arrays of integers
        The step, and the same for each thread on its own; ascending in `within`.
    note : array of integers
        What is done.
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


def _turns(
    thread: NDArray[np.int64], epoch: NDArray[np.int64], time: NDArray[np.uint64], launch: Launch
) -> NDArray[np.int64]:
    """Return for each step of a thread the turn of its warp: from one barrier to the next, the earliest first."""
    block, inside = np.divmod(thread, launch.block.count)
    warp = block * launch.warps_per_block + inside // WARP_SIZE
    epochs = int(epoch.max(initial=0)) + 1
    units, unit = np.unique(warp * epochs + epoch, return_inverse=True)
    began = np.full(len(units), np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(began, unit, time)
    warps, passed = np.divmod(units, epochs)
    # What comes behind a barrier comes later, however coarse the clock.
    latest = np.zeros((launch.grid.count, epochs + 1), np.uint64)
    np.maximum.at(latest, (warps // launch.warps_per_block, passed + 1), began)
    latest = np.maximum.accumulate(latest, axis=1)
    began = np.maximum(began, latest[warps // launch.warps_per_block, passed])
    turn = np.empty(len(units), np.int64)
    turn[np.lexsort((warps, passed, began))] = np.arange(len(units))
    return turn[unit]


def _phases(paths: Paths, turn: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return each step's phase: the round of the outermost loop that waits, -1 for the test that ends it."""
    phase, depth, path = paths.phase[head].copy(), paths.depth[head], paths.path[head]
    columns = np.arange(path.shape[1])
    shown = np.where(columns <= depth[:, None], path, 0)
    first = runs(turn[head], depth, *shown.T)
    empty = np.logical_and.reduceat(paths.head[head], first[:-1]) if len(head) else np.zeros(0, bool)
    last = first[1:] - 1
    phase[last[empty & (depth[last] >= 0)]] = -1
    return phase
