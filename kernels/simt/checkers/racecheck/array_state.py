"""State of one array that the kernel writes: pending accesses and the races found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers.racecheck.access_log import Kind, Layout, Note, Part, Threads, gather
from kernels.simt.checkers.racecheck.affine_accesses import Later
from kernels.simt.checkers.racecheck.compaction import cut, thinned
from kernels.simt.checkers.racecheck.pairs import meetings
from kernels.simt.checkers.racecheck.pending_accesses import Pile, same_elements
from kernels.simt.checkers.racecheck.reports import Race, Side
from kernels.simt.checkers.racecheck.search import Search
from kernels.simt.checkers.racecheck.unexplained_reads import PendingRead, unexplained
from kernels.simt.machine.affine import is_injective

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.simt.checkers.racecheck.affine_accesses import Key, Rest
    from kernels.simt.checkers.racecheck.synchronisation_events import Order
    from kernels.simt.machine.affine import Coordinates
    from kernels.trace.records import ArrayInfo

CROWDED: Final = 1 << 22
"""Accesses that may wait to be judged; of more, those that repeat others are dropped."""

_LATER: Final = 1 << 12
"""Accesses that follow patterns and may wait to become notes."""

_PATTERNS: Final = 2
"""Ways of using an array between two barriers that are remembered as clean: a loop often repeats one or two."""


class ArrayWatch:
    """One array that the kernel writes: what waits to be judged, and what was found."""

    def __init__(
        self,
        number: int,
        info: ArrayInfo,
        launch: Launch,
        order: Order | None,
        note: Callable[..., Note],
        *,
        fences: bool,
    ) -> None:
        self.number = number
        self.info = info
        self.found: dict[tuple[int, int], Race] = {}
        self.unread: list[PendingRead] = []
        self.missed: list[PendingRead] = []
        self.settled: list[PendingRead] = []
        self.held = 0
        self._launch = launch
        self._threads = Threads.of(launch)
        self._order = order
        self._fences = fences
        self._note = note
        self._later = Later()
        self._own: dict[Coordinates, Coordinates | None] = {}
        self._pile = Pile()
        self._history = Pile()
        self._most = 0
        self._clean: list[list[Note]] = []
        self._places: dict[tuple[str, Kind], int] = {}
        self._kinds: list[Kind] = []
        self._search = Search()
        self._lasting = info.space != "shared" and launch.grid.count > 1

    def place(self, line: str, kind: Kind) -> int:
        """Return the number of a line that uses the array in this way."""
        if (line, kind) not in self._places:
            self._places[line, kind] = len(self._places)
            self._kinds.append(kind)
        return self._places[line, kind]

    def add(self, note: Note) -> None:
        """Let a note wait."""
        if self._later.keys:
            self._note_all()
        self.held += self._pile.add(note, self._last_event() if self._order is not None else -1)
        if self.held > max(CROWDED, 2 * self._most):
            if self._order is None:
                self._thin(self._pile, blocks=False)
            if not self._fences:
                self._thin(self._history, blocks=True)
            self.held = self._most = self._pile.size + self._history.size

    def later(self, key: Key, rest: Rest) -> None:
        """Let an access wait that follows a pattern; it becomes a note where that is needed."""
        self._later.add(key, rest)
        if self._order is not None or self._later.stored > CROWDED or len(self._later.keys) >= _LATER:
            self._note_all()

    def _note_all(self) -> None:
        """Make notes of what follows patterns."""
        for (site, pattern, shift), (clock, step, values) in self._later.take():
            if pattern.coordinates not in self._own:
                apart = is_injective(pattern.coordinates, self._launch, blocks=self.info.space != "shared")
                self._own[pattern.coordinates] = pattern.coordinates if apart else None
            own = self._own[pattern.coordinates]
            self.add(self._note(clock, step, site, pattern.lanes, pattern.index, values, shift, own))

    def _thin(self, pile: Pile, *, blocks: bool) -> None:
        notes = pile.take()
        if notes:
            everyone = any(kind.compares for kind in self._kinds)
            layout = self._layout(notes)
            pile.extend(thinned(notes, layout, self._threads, blocks=blocks, everyone=everyone))

    def _last_event(self) -> int:
        events = self._order.events if self._order is not None else []
        return events[-1].clock if events else -1

    def close(self, blocks: NDArray[Any] | None) -> bool:
        """Judge what these blocks (None: all) have done since their last barrier; says if others wait on."""
        later, keys = self._later, None
        if later.keys:
            if blocks is None and not (self._pile.notes or self.unread):
                if not self._lasting and later.is_clean():
                    later.forget()
                    return False
                keys = later.keys
            self._note_all()
        if not self._pile.notes and not self.unread:
            return False
        notes = self._pile.take()
        if blocks is not None and notes:
            notes, others = self._parted(notes, blocks)
            self._pile.extend(others)
        if any(note.access != "read" for note in notes):
            clean = self._judge(notes, blocks=False, order=self._order)
            if clean and keys is not None:
                later.remember(keys, _PATTERNS)
        if self.unread:
            self._explain(notes, blocks)
        if self._lasting:
            since = self._last_event() if self._fences else -1
            for note in notes:
                self._history.add(note, since)
        self.held = self._pile.size + self._history.size
        return bool(self._pile.notes)

    def between_blocks(self, order: Order | None) -> None:
        """Judge what different blocks did since they all met, or since the begin."""
        notes = self._history.take()
        if notes:
            self._judge(notes, blocks=True, order=order)
            layout, unordered = self._layout(notes), None if order is None else order.unordered
            self.missed = unexplained(self.missed, notes, layout, self._threads, unordered, blocks=True)
        self.settled, self.missed = self.settled + self.missed, []

    def _explain(self, notes: list[Note], blocks: NDArray[Any] | None) -> None:
        """Keep the reads of unwritten elements that no race in the block explains."""
        found, self.unread = self.unread, []
        if blocks is not None:
            here = [np.isin(self._threads.block_of(one.read.lanes), blocks) for one in found]
            self.unread = [one.chosen(~in_) for one, in_ in zip(found, here, strict=True) if not in_.all()]
            found = [one.chosen(in_) for one, in_ in zip(found, here, strict=True) if in_.any()]
        unordered = None if self._order is None else self._order.unordered
        self.missed += (
            unexplained(found, notes, self._layout(notes), self._threads, unordered, blocks=False) if notes else found
        )

    def _layout(self, notes: list[Note]) -> Layout:
        return Layout(self.info, self._threads, notes)

    def _judge(self, notes: list[Note], *, blocks: bool, order: Order | None) -> bool:
        """Look for races among accesses; returns whether there are none."""
        if _by_themselves(notes) or (not blocks and any(_alike(notes, known) for known in self._clean)):
            return True
        layout = self._layout(notes)
        parts = [layout.part(note) for note in notes]
        units = [self._threads.block_of(part.lanes) if blocks else part.lanes for part in parts]
        ats = [part.at for part in parts]
        kinds = ["write" if blocks and self._kinds[note.place].narrow else note.access for note in notes]
        bad = self._search.clashing(kinds, ats, units, layout.size)
        found = self._races(notes, parts, bad, blocks=blocks, order=order) if len(bad) else {}
        for places, race in found.items():
            known = self.found.get(places)
            self.found[places] = race if known is None else known.and_also(race)
        if not found and not blocks and (order is None or not len(bad)):
            self._clean = [notes, *self._clean[: _PATTERNS - 1]]
        return not found

    def _races(
        self,
        notes: list[Note],
        parts: list[Part],
        bad: NDArray[np.int64],
        *,
        blocks: bool,
        order: Order | None,
    ) -> dict[tuple[int, int], Race]:
        """Return the races on some elements, by the two places that meet."""
        ats, found = [part.at for part in parts], {}
        by_block = self._threads.block if self.info.space != "shared" and not blocks else 0
        rows = gather(parts, self._search.positions(ats, bad), by_block)
        unordered = None if order is None else order.unordered
        for met in meetings(rows, self._kinds, self._threads, blocks=blocks, unordered=unordered):
            sides = tuple(Side(notes[int(rows.note[row])], int(rows.lane[row])) for row in (met.earlier, met.later))
            index = int(rows.at[met.earlier]) % self.info.size
            found[met.places] = Race((sides[0], sides[1]), index, met.elements, blocks, met.across, met.same)
        return found

    def _parted(self, notes: list[Note], blocks: NDArray[Any]) -> tuple[list[Note], list[Note]]:
        """Split notes into those of some blocks and those of the others."""
        inside, outside = [], []
        keeps: dict[int, NDArray[np.bool_]] = {}
        for note in notes:
            if id(note.lanes) not in keeps:
                keeps[id(note.lanes)] = np.isin(self._threads.block_of(note.lanes), blocks)
            keep = keeps[id(note.lanes)]
            if keep.all():
                inside.append(note)
            elif not keep.any():
                outside.append(note)
            else:
                inside.append(cut(note, keep))
                outside.append(cut(note, ~keep))
        return inside, outside


def _by_themselves(notes: list[Note]) -> bool:
    """Whether every lane uses one element, and no other lane uses that."""
    first = notes[0]
    return first.own is not None and all(n.own == first.own and n.shift == first.shift for n in notes)


def _alike(notes: list[Note], known: list[Note]) -> bool:
    """Whether the same lanes use the same elements at the same places, in the same order."""
    return len(notes) == len(known) and all(
        one.site == two.site and same_elements(one, two) for one, two in zip(notes, known, strict=True)
    )
