"""Finds data races in a finished trace: two threads, one element, a plain write, nothing that orders them.

Within a block only `__syncthreads()` orders two threads; between blocks nothing does, and atomics on both
sides are no race (CUDA C++ Programming Guide, "Memory Consistency Model"). What is judged is which accesses
could meet, not whether this schedule let them go wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.hazards import Hazards, Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace.model import Trace
    from kernels.trace.records import Access, Hazard

    _Part = tuple[int, NDArray[np.bool_] | None]
    """An access group, and which of its lanes are meant (None: all)."""

TABLE_LIMIT: Final = 1 << 22
"""Elements up to which a table of all of them is kept; beyond, the touched ones are numbered first."""


@dataclass(frozen=True, slots=True)
class _Accesses:
    """Accesses of one kind: the lane, where the element is (over all copies), and the row in the trace."""

    lane: NDArray[np.int32]
    at: NDArray[np.int64]
    row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lane)

    def chosen(self, keep: NDArray[Any]) -> _Accesses:
        return _Accesses(self.lane[keep], self.at[keep], self.row[keep])


def races(trace: Trace) -> tuple[Hazard, ...]:
    """Every race, one for each place of its later access, with both sides."""
    hazards = Hazards(trace.launch)
    epochs = _block_epochs(trace)
    for number, array in enumerate(trace.arrays):
        sites = [site for site in trace.sites if site.array == number]
        if array.space in ("shared", "global") and any(site.access != "read" for site in sites):
            finder = _Finder(trace, number, hazards)
            finder.within_blocks(epochs)
            if array.space == "global":
                finder.between_blocks()
    return hazards.all()


def _block_epochs(trace: Trace) -> NDArray[np.int32] | None:
    """Barriers that each block has passed, by block and step epoch; None where that is the epoch for all."""
    barriers = np.array([s.kind == "barrier" for s in trace.statements], bool)
    steps = np.flatnonzero(barriers[trace.step_statement]) if len(barriers) else np.zeros(0, np.intp)
    if not len(steps):
        return None
    takes_part = np.zeros((trace.launch.grid.count, int(trace.step_epoch.max()) + 1), bool)
    pairs = np.unique(np.stack([trace.step_mask[steps], trace.step_epoch[steps]]), axis=1)
    for mask, epoch in pairs.T:
        takes_part[trace.masks[int(mask)] // trace.launch.block.count, epoch] = True
    if takes_part[:, :-1].all():
        return None
    passed = np.zeros(takes_part.shape, np.int32)
    np.cumsum(takes_part[:, :-1], axis=1, out=passed[:, 1:])
    return passed


class _Finder:
    """Looks through the accesses to one array."""

    def __init__(self, trace: Trace, array: int, hazards: Hazards) -> None:
        self._trace = trace
        self._info = trace.arrays[array]
        self._hazards = hazards
        self._threads = trace.launch.block.count
        self._groups = np.flatnonzero(np.array([s.array == array for s in trace.sites])[trace.group_site])
        copies = trace.launch.grid.count if self._info.space == "shared" else 1
        self._elements = copies * self._info.size
        self._known: dict[tuple[int, int], list[tuple[int, NDArray[np.bool_] | None]]] = {}
        self._first = self._last = np.zeros(0, np.int32)

    def within_blocks(self, epochs: NDArray[np.int32] | None) -> None:
        """Judge threads of one block between two barriers."""
        by_epoch: dict[int, list[_Part]] = {}
        for group in self._groups.tolist():
            for epoch, keep in self._epochs_of(group, epochs):
                by_epoch.setdefault(epoch, []).append((group, keep))
        for parts in by_epoch.values():
            if any(self._access(group) != "read" for group, _ in parts):
                self._judge(self._collect(parts), self._threads)

    def between_blocks(self) -> None:
        """Threads of different blocks, at any time."""
        if self._trace.launch.grid.count > 1:
            self._judge(self._collect([(group, None) for group in self._groups.tolist()]), 0)

    def _access(self, group: int) -> Access:
        return self._trace.sites[int(self._trace.group_site[group])].access

    def _epochs_of(
        self, group: int, epochs: NDArray[np.int32] | None
    ) -> list[tuple[int, NDArray[np.bool_] | None]]:
        """Barriers that a group's blocks have passed; with the lanes meant, where its blocks differ."""
        trace = self._trace
        step, mask = int(trace.step_epoch[trace.group_step[group]]), int(trace.group_mask[group])
        if epochs is None:
            return [(step, None)]
        if (step, mask) not in self._known:
            passed = epochs[trace.masks[mask] // self._threads, step]
            distinct = [int(passed[0])] if (passed == passed[0]).all() else np.unique(passed).tolist()
            self._known[step, mask] = [(n, passed == n if len(distinct) > 1 else None) for n in distinct]
        return self._known[step, mask]

    def _collect(self, groups: list[_Part]) -> dict[str, _Accesses]:
        """Return the accesses inside the array, by kind."""
        trace, size = self._trace, self._info.size
        parts: dict[str, list[_Accesses]] = {"read": [], "write": [], "atomic": []}
        for group, keep in groups:
            first, last = int(trace.group_first[group]), int(trace.group_first[group + 1])
            lane, index = trace.masks[int(trace.group_mask[group])], trace.index[first:last]
            at = index.astype(np.int64)
            if self._info.space == "shared":
                at += lane // self._threads * np.int64(size)
            accesses = _Accesses(lane, at, np.arange(first, last))
            inside = (index >= 0) & (index < size)
            if keep is not None:
                inside &= keep
            parts[self._access(group)].append(accesses if inside.all() else accesses.chosen(inside))
        return {kind: _joined(list_of) for kind, list_of in parts.items()}

    def _judge(self, accesses: dict[str, _Accesses], same_block: int) -> None:
        """Report pairs; `same_block` is the block's size, or 0 to judge pairs of different blocks."""
        size = self._elements
        if size > TABLE_LIMIT:
            accesses, size = _renumbered(accesses)
        if len(self._first) < size:
            self._first, self._last = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
        write, atomic, read = accesses["write"], accesses["atomic"], accesses["read"]
        for writers, others in ((write, (write, read, atomic)), (atomic, (read,))):
            # Whoever is not alone among an element's writers differs from the first of them or from the last.
            self._last[writers.at] = writers.lane
            self._first[writers.at[::-1]] = writers.lane[::-1]
            for other in others:
                first, last = self._first[other.at], self._last[other.at]
                meets_first = self._apart(first, other.lane, same_block)
                found = np.flatnonzero(meets_first | self._apart(last, other.lane, same_block))
                if len(found):
                    at = found[0]
                    lane = int((first if meets_first[at] else last)[at])
                    rows = writers.row[(writers.at == other.at[at]) & (writers.lane == lane)]
                    pair = sorted([(int(rows[0]), lane), (int(other.row[at]), int(other.lane[at]))])
                    self._report(pair, len(found), same_block)
            self._first[writers.at] = self._last[writers.at] = -1

    def _apart(self, writer: NDArray[Any], lane: NDArray[Any], same_block: int) -> NDArray[np.bool_]:
        """Whether an access meets a write by another thread of its block, or by another block."""
        if not same_block:
            return np.asarray((writer >= 0) & (writer // self._threads != lane // self._threads))
        bad: NDArray[np.bool_] = (writer >= 0) & (writer != lane)
        if self._info.space == "global":
            bad &= writer // same_block == lane // same_block
        return bad

    def _report(self, pair: list[tuple[int, int]], count: int, same_block: int) -> None:
        trace = self._trace
        (first, one), (second, two) = pair
        groups = [int(np.searchsorted(trace.group_first, row, side="right")) - 1 for row in (first, second)]
        sites = [trace.sites[int(trace.group_site[group])] for group in groups]
        index = int(trace.index[first])
        lines = [site.span.line for site in sites]
        verbs = {"read": "reads", "write": "writes", "atomic": "changes atomically"}
        hazards = self._hazards
        why = (
            "with no __syncthreads() between the two"
            if same_block
            else "different blocks run in no order, and __syncthreads() does not reach across blocks"
        )
        if all(site.access == "write" for site in sites) and self._same_value(groups, (first, second)):
            why += "; both write the same value"
        hazards.report(
            "data-race", Place(sites[1].span, self._info.space, self._info.name),
            int(trace.group_step[groups[1]]), count,
            ((one, lines[0], sites[0].access), (two, lines[1], sites[1].access)),
            lambda: f"{hazards.name(one)} {verbs[sites[0].access]} {self._info.name}[{index}] in line "
            f"{lines[0]} and {hazards.name(two)} {verbs[sites[1].access]} it in line {lines[1]}: {why}",
            index,
        )  # fmt: skip

    def _same_value(self, groups: list[int], rows: tuple[int, int]) -> bool:
        size = self._info.dtype.itemsize
        values = []
        for group, row in zip(groups, rows, strict=True):
            start = int(self._trace.group_value[group]) + (row - int(self._trace.group_first[group])) * size
            values.append(self._trace.value_bytes[start : start + size].tobytes())
        return values[0] == values[1]


def _joined(parts: list[_Accesses]) -> _Accesses:
    if len(parts) == 1:
        return parts[0]
    return _Accesses(
        np.concatenate([np.zeros(0, np.int32), *(part.lane for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.at for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.row for part in parts)]),
    )


def _renumbered(accesses: dict[str, _Accesses]) -> tuple[dict[str, _Accesses], int]:
    """Count the touched elements from 0, and say how many there are."""
    kinds = list(accesses)
    distinct, numbers = np.unique(np.concatenate([accesses[kind].at for kind in kinds]), return_inverse=True)
    cuts = np.cumsum([len(accesses[kind]) for kind in kinds])[:-1]
    renumbered = {
        kind: _Accesses(accesses[kind].lane, part, accesses[kind].row)
        for kind, part in zip(kinds, np.split(numbers, cuts), strict=True)
    }
    return renumbered, len(distinct)
