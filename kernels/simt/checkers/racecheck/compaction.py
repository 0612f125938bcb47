"""Compaction: drop accesses that repeat others, so that a long run without a barrier takes little memory.

Kept are, for each place in the source and each element, the first user and the first one that differs from it. Whoever
accesses the element later from another place differs from one of the two, so no race is lost. Example: threads 0 to 99
read `x[0]` in line 5: kept are thread 0 and thread 1 (and thread 32, the first of another warp: it decides whether
`__syncwarp()` would be enough). A write by thread 0 races with the read of thread 1, a write by thread 7 with both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.checkers.racecheck.access_log import Layout, Note, Threads


def cut(note: Note, keep: NDArray[np.bool_]) -> Note:
    """Return a note of some of its lanes only."""
    if keep.all():
        return note
    values = None if note.values is None else note.values[keep]
    return note._replace(lanes=note.lanes[keep], start=note.start[keep], values=values)


def thinned(notes: list[Note], layout: Layout, threads: Threads, *, blocks: bool, everyone: bool) -> list[Note]:
    """Keep, of each place and element, the first user and the first that differs from it.

    Two users that differ are enough to tell whether anybody else meets somebody there. With `blocks` users are
    blocks; otherwise they are the threads of each block, and the first of another warp is kept as well. With
    `everyone` each thread is kept, once: who compares and swaps an element must be known of all its readers.
    """
    lanes = np.concatenate([np.repeat(note.lanes, note.width) for note in notes]).astype(np.int64)
    at = np.concatenate([layout.elements(note) for note in notes])
    place = np.repeat([note.place for note in notes], [len(n.start) * n.width for n in notes])
    key = place * (layout.size + 1) + at
    block = threads.block_of(lanes)
    if blocks:
        units: tuple[NDArray[Any], ...] = (block,)
    else:
        key = key * (int(block.max()) + 1) + block
        units = (lanes, threads.warp_of(lanes))
    if everyone:
        units = ()
        order = np.lexsort((lanes, key))
        begins = np.r_[True, (np.diff(key[order]) != 0) | (np.diff(lanes[order]) != 0)]
    else:
        order = np.argsort(key, kind="stable")
        begins = np.r_[True, np.diff(key[order]) != 0]
    number = np.cumsum(begins) - 1
    firsts = order[begins]
    keep = np.zeros(len(key), bool)
    keep[firsts] = True
    for unit in units:
        differs = np.flatnonzero(unit[order] != unit[firsts][number])
        keep[order[differs[np.unique(number[differs], return_index=True)[1]]]] = True
    keep &= at < layout.size
    found, start = [], 0
    for note in notes:
        end = start + len(note.start) * note.width
        kept = np.logical_or.reduce(keep[start:end].reshape(-1, note.width), axis=1)
        start = end
        if kept.all():
            found.append(note)
        elif kept.any():
            found.append(cut(note, kept))
    return found
