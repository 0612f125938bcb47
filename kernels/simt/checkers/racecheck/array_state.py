"""State of one array that the kernel writes: pending accesses and the races found.

Accesses are judged when their block passes a barrier, since accesses before and after it are ordered. They are judged a
second time against other blocks, at the end or at a barrier of the grid, if the array outlives the block. Example: the
notes of `s[t] = A[t]; __syncthreads(); x = s[63 - t];` are judged one by one, and neither finds another thread at its
elements. Without the barrier both notes are pending at the end of the block, and every element has two users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers.racecheck.access_log import Kind, Layout, Note, Part, Threads, gather
from kernels.simt.checkers.racecheck.conflict_search import ConflictSearch
from kernels.simt.checkers.racecheck.pairs import find_races
from kernels.simt.checkers.racecheck.pending_accesses import (
    PendingAccesses,
    PendingAffineAccesses,
    compact,
    same_elements,
)
from kernels.simt.checkers.racecheck.reports import Race, Side
from kernels.simt.checkers.racecheck.unexplained_reads import PendingRead, select_unexplained
from kernels.simt.machine.affine import is_injective

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.simt.checkers.racecheck.pending_accesses import Key, Rest
    from kernels.simt.checkers.racecheck.synchronisation_events import SynchronisationOrder
    from kernels.simt.machine.affine import Coordinates
    from kernels.trace.records import ArrayInfo

MOST_PENDING: Final = 1 << 22
"""Number of pending accesses above which those that cannot change the result are dropped (`compact`)."""

_MOST_AFFINE: Final = 1 << 12
"""Number of pending accesses at affine indices above which they are converted to notes."""

_MOST_CLEAN: Final = 2
"""Lists of accesses that are stored as free of races: a loop, or one with two buffers, repeats one or two."""


class ArrayState:
    """One array that the kernel writes."""

    def __init__(
        self,
        number: int,
        info: ArrayInfo,
        launch: Launch,
        order: SynchronisationOrder | None,
        note: Callable[..., Note],
        *,
        fences: bool,
    ) -> None:
        self.number = number
        self.info = info
        self.races: dict[tuple[int, int], Race] = {}
        """Races by their two places."""
        self.pending_reads: list[PendingRead] = []
        """Reads of elements without a value since the last barrier."""
        self.unexplained_reads: list[PendingRead] = []
        """Uninitialised reads that no race in their block explains."""
        self.final_reads: list[PendingRead] = []
        """Uninitialised reads that no race explains: they are reported."""
        self.pending_count = 0
        """Accesses held in memory."""
        self._launch = launch
        self._threads = Threads.of(launch)
        self._order = order
        self._fences = fences
        self._note = note
        self._affine = PendingAffineAccesses()
        self._own: dict[Coordinates, Coordinates | None] = {}
        self._pending = PendingAccesses()
        self._history = PendingAccesses()
        self._most = 0
        self._clean: list[list[Note]] = []
        self._places: dict[tuple[str, Kind], int] = {}
        self._kinds: list[Kind] = []
        self._search = ConflictSearch()
        self._outlives_blocks = info.space != "shared" and launch.grid.count > 1

    def place(self, line: str, kind: Kind) -> int:
        """Return the number of a line that accesses the array in this way."""
        if (line, kind) not in self._places:
            self._places[line, kind] = len(self._places)
            self._kinds.append(kind)
        return self._places[line, kind]

    def add(self, note: Note) -> None:
        """Add a note to the pending accesses."""
        if self._affine.keys:
            self._log_affine()
        self.pending_count += self._pending.add(note, self._last_event() if self._order is not None else -1)
        # Compacting may not help (all accesses differ): the next attempt is made at twice the size.
        if self.pending_count > max(MOST_PENDING, 2 * self._most):
            # With events that order accesses, two users of an element are not interchangeable (one may be ordered, the
            # other not), so nothing may be dropped.
            if self._order is None:
                self._compact(self._pending, blocks=False)
            if not self._fences:
                self._compact(self._history, blocks=True)
            self.pending_count = self._most = self._pending.size + self._history.size

    def add_affine(self, key: Key, rest: Rest) -> None:
        """Add an access at an affine index to the pending ones; it is converted to a note when that is necessary."""
        self._affine.add(key, rest)
        if (
            self._order is not None
            or self._affine.stored_values > MOST_PENDING
            or len(self._affine.keys) >= _MOST_AFFINE
        ):
            self._log_affine()

    def _log_affine(self) -> None:
        """Convert the pending accesses at affine indices to notes."""
        for (site, pattern, shift), (clock, step, values) in self._affine.take():
            if pattern.coordinates not in self._own:
                apart = is_injective(pattern.coordinates, self._launch, blocks=self.info.space != "shared")
                self._own[pattern.coordinates] = pattern.coordinates if apart else None
            own = self._own[pattern.coordinates]
            self.add(self._note(clock, step, site, pattern.lanes, pattern.index, values, shift, own))

    def _compact(self, pile: PendingAccesses, *, blocks: bool) -> None:
        notes = pile.take()
        if notes:
            all_threads = any(kind.compare_and_swap for kind in self._kinds)
            layout = self._layout(notes)
            pile.extend(compact(notes, layout, self._threads, blocks=blocks, all_threads=all_threads))

    def _last_event(self) -> int:
        events = self._order.events if self._order is not None else []
        return events[-1].clock if events else -1

    def judge_blocks(self, blocks: NDArray[Any] | None) -> bool:
        """Judge the accesses of blocks (None: all) since their last barrier; returns whether others are pending."""
        later, keys = self._affine, None
        if later.keys:
            if blocks is None and not (self._pending.notes or self.pending_reads):
                # The common case, a loop over tiles in shared memory: the same patterns as one round before, which had
                # no race.
                if not self._outlives_blocks and later.is_clean():
                    later.clear()
                    return False
                keys = later.keys
            self._log_affine()
        if not self._pending.notes and not self.pending_reads:
            return False
        # Notes of other blocks remain pending: their barrier comes later.
        notes = self._pending.take()
        if blocks is not None and notes:
            notes, others = self._split_by_block(notes, blocks)
            self._pending.extend(others)
        # Reads alone never race.
        if any(note.access != "read" for note in notes):
            clean = self._judge(notes, blocks=False, order=self._order)
            if clean and keys is not None:
                later.remember(keys, _MOST_CLEAN)
        if self.pending_reads:
            self._explain(notes, blocks)
        if self._outlives_blocks:
            # Without fences nothing orders blocks, so repetitions of a note add nothing, however far apart. With fences
            # those after an event may be ordered differently, and are kept.
            since = self._last_event() if self._fences else -1
            for note in notes:
                self._history.add(note, since)
        self.pending_count = self._pending.size + self._history.size
        return bool(self._pending.notes)

    def judge_between_blocks(self, order: SynchronisationOrder | None) -> None:
        """Judge accesses of different blocks since the last barrier of the grid, or since the start."""
        notes = self._history.take()
        if notes:
            self._judge(notes, blocks=True, order=order)
            layout, unordered = self._layout(notes), None if order is None else order.are_unordered
            self.unexplained_reads = select_unexplained(
                self.unexplained_reads, notes, layout, self._threads, unordered, blocks=True
            )
        self.final_reads, self.unexplained_reads = self.final_reads + self.unexplained_reads, []

    def _explain(self, notes: list[Note], blocks: NDArray[Any] | None) -> None:
        """Select the pending reads of these blocks that no race in the block explains."""
        found, self.pending_reads = self.pending_reads, []
        if blocks is not None:
            here = [np.isin(self._threads.block_of(one.read.lanes), blocks) for one in found]
            self.pending_reads = [one.select(~in_) for one, in_ in zip(found, here, strict=True) if not in_.all()]
            found = [one.select(in_) for one, in_ in zip(found, here, strict=True) if in_.any()]
        unordered = None if self._order is None else self._order.are_unordered
        self.unexplained_reads += (
            select_unexplained(found, notes, self._layout(notes), self._threads, unordered, blocks=False)
            if notes
            else found
        )

    def _layout(self, notes: list[Note]) -> Layout:
        return Layout(self.info, self._threads, notes)

    def _judge(self, notes: list[Note], *, blocks: bool, order: SynchronisationOrder | None) -> bool:
        """Search races among accesses; returns whether there are none."""
        # The common case, `A[i] = f(A[i])` with i different in all threads, is decided by coefficients alone.
        if _are_private(notes) or (not blocks and any(_are_equal(notes, known) for known in self._clean)):
            return True
        layout = self._layout(notes)
        parts = [layout.part(note) for note in notes]
        units = [self._threads.block_of(part.lanes) if blocks else part.lanes for part in parts]
        ats = [part.at for part in parts]
        # For another block, an atomic of block scope is an ordinary write (CUDA C++ Programming Guide, "Atomic
        # Functions").
        kinds = ["write" if blocks and self._kinds[note.place].block_scope else note.access for note in notes]
        bad = self._search.conflicts(kinds, ats, units, layout.size)
        found = self._races(notes, parts, bad, blocks=blocks, order=order) if len(bad) else {}
        for places, race in found.items():
            known = self.races.get(places)
            self.races[places] = race if known is None else known.merge(race)
        # Free of races for any order of events only if no element was a candidate; otherwise events decided, and they
        # differ next time.
        if not found and not blocks and (order is None or not len(bad)):
            self._clean = [notes, *self._clean[: _MOST_CLEAN - 1]]
        return not found

    def _races(
        self,
        notes: list[Note],
        parts: list[Part],
        bad: NDArray[np.int64],
        *,
        blocks: bool,
        order: SynchronisationOrder | None,
    ) -> dict[tuple[int, int], Race]:
        """Return the races on some elements, by the two places."""
        ats, found = [part.at for part in parts], {}
        # Elements of global memory are the same for all blocks, so the judgement within blocks needs the block in the
        # key; copies of shared memory have different numbers anyway.
        by_block = self._threads.block if self.info.space != "shared" and not blocks else 0
        rows = gather(parts, self._search.positions(ats, bad), by_block)
        unordered = None if order is None else order.are_unordered
        for pair in find_races(rows, self._kinds, self._threads, blocks=blocks, unordered=unordered):
            sides = tuple(Side(notes[int(rows.note[row])], int(rows.lane[row])) for row in (pair.earlier, pair.later))
            index = int(rows.at[pair.earlier]) % self.info.size
            found[pair.places] = Race((sides[0], sides[1]), index, pair.elements, blocks, pair.across, pair.same)
        return found

    def _split_by_block(self, notes: list[Note], blocks: NDArray[Any]) -> tuple[list[Note], list[Note]]:
        """Split notes into those of some blocks and those of the others."""
        inside, outside = [], []
        keeps: dict[int, NDArray[np.bool_]] = {}
        for note in notes:
            if id(note.lanes) not in keeps:
                keeps[id(note.lanes)] = np.isin(self._threads.block_of(note.lanes), blocks)
            keep = keeps[id(note.lanes)]
            if keep.any():
                inside.append(note.select(keep))
            if not keep.all():
                outside.append(note.select(~keep))
        return inside, outside


def _are_private(notes: list[Note]) -> bool:
    """Return whether every lane accesses one element in all notes, and no other lane accesses that."""
    first = notes[0]
    return first.own is not None and all(n.own == first.own and n.shift == first.shift for n in notes)


def _are_equal(notes: list[Note], previous: list[Note]) -> bool:
    """Return whether the same lanes access the same elements at the same sites, in the same order."""
    return len(notes) == len(previous) and all(
        one.site == two.site and same_elements(one, two) for one, two in zip(notes, previous, strict=True)
    )
