"""Reads of what nothing has written: a mistake of their own, or only the wrong turn that a race has taken.

Where another thread writes the element and nothing orders the two, whether the read comes too early is up to the
schedule; the race says it all. Only what no order of execution would have written is reported as unwritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.checkers.racecheck.access_log import Layout, Note, Threads
    from kernels.simt.checkers.racecheck.pairs import Unordered
    from kernels.trace.records import Access


class Unread(NamedTuple):
    """Lanes that met elements without a value at one place in one step; `cause` says which store gave them none."""

    clock: int
    step: int
    span: Span
    access: Access
    lanes: NDArray[np.int32]
    element: NDArray[Any]
    cause: Callable[[], str] | None

    def chosen(self, keep: NDArray[np.bool_]) -> Unread:
        """Return some of the lanes."""
        return self._replace(lanes=self.lanes[keep], element=self.element[keep])


def uncovered(
    found: list[Unread],
    notes: list[Note],
    layout: Layout,
    threads: Threads,
    unordered: Unordered | None,
    *,
    blocks: bool,
) -> list[Unread]:
    """Return what no race explains: no unordered write by another thread (`blocks`: by another block)."""
    writes = [note for note in notes if note.access != "read"]
    if not writes or not found:
        return found
    parts = [layout.part(note) for note in writes]
    at = np.concatenate([part.at for part in parts])
    lane = np.concatenate([part.lanes for part in parts])
    clock = np.repeat([part.note.clock for part in parts], [len(part.at) for part in parts])
    order = np.argsort(at, kind="stable")
    plain = np.repeat([part.note.access == "write" for part in parts], [len(part.at) for part in parts])
    at, lane, clock, plain = at[order], lane[order], clock[order], plain[order]
    left = []
    for one in found:
        wanted = layout.located(one.lanes, one.element)
        first, last = np.searchsorted(at, wanted), np.searchsorted(at, wanted, side="right")
        reader = np.repeat(np.arange(len(wanted)), last - first)
        writer = np.arange(len(reader)) - np.repeat(np.cumsum(last - first) - last, last - first)
        mine, theirs = one.lanes[reader], lane[writer]
        same_block = threads.block_of(mine) == threads.block_of(theirs)
        racy = ~same_block if blocks else same_block & (mine != theirs)
        if one.access == "atomic":
            racy &= plain[writer]
        if unordered is not None:
            asked = np.flatnonzero(racy)
            mine, theirs = mine[asked], theirs[asked]
            here, there = np.full(len(asked), one.clock), clock[writer][asked]
            begun = there < here  # the write of a copy that is under way
            racy[asked] = unordered(
                np.where(begun, theirs, mine),
                np.minimum(here, there),
                np.where(begun, mine, theirs),
                np.maximum(here, there),
            )
        keep = np.ones(len(wanted), bool)
        keep[reader[racy]] = False
        if keep.any():
            left.append(one.chosen(keep))
    return left
