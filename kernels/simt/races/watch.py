"""Watches the accesses of a run, judges them when a barrier or the end comes, and forgets them.

Within a block `__syncthreads()` orders what lies on either side of it, so only the accesses since the last one
can race. Different blocks are ordered by nothing but fences with atomics, so what they do to global memory is
judged at the end. What is judged is who could meet whom, not whether this schedule let them go wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.races.notes import Layout, Note, Threads, gather
from kernels.simt.races.order import Event, EventKind, Order
from kernels.simt.races.pairs import meetings
from kernels.simt.races.search import Search
from kernels.simt.races.thin import cut, thinned
from kernels.simt.races.unread import Unread, uncovered
from kernels.simt.races.words import Race, Side, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.launch import Launch
    from kernels.simt.hazards import Hazards
    from kernels.source.nodes import Span
    from kernels.trace.records import Access, ArrayInfo, Site, Statement

CROWDED: Final = 1 << 22
"""Accesses that may wait to be judged; of more, those that repeat others are dropped."""

_ACCESS_BYTES: Final = 16
"""What an access takes while it waits: an index and a value."""


class Watch:
    """Sees every access to an array that the kernel writes, and everything that orders accesses."""

    def __init__(
        self, launch: Launch, sites: Sequence[Site], arrays: Sequence[ArrayInfo],
        statements: Sequence[Statement],
    ) -> None:  # fmt: skip
        self._threads = Threads.of(launch)
        self._clock = 0
        self._noted = 0
        self._events: dict[int, EventKind] = {}
        for number, statement in enumerate(statements):
            if statement.kind == "warp-barrier":
                self._events[number] = "warp"
            elif statement.kind == "fence":
                self._events[number] = "block-fence" if "_block" in statement.text else "fence"
        self._fences = not {"fence", "block-fence"}.isdisjoint(self._events.values())
        self._order = Order(self._threads)
        written = {site.array for site in sites if site.access != "read"}
        watched = {
            number: _Array(number, arrays[number], launch, self._order if self._events else None)
            for number in sorted(written)
            if arrays[number].space in ("shared", "global")
        }
        self._arrays = list(watched.values())
        self._by_site = [watched.get(site.array) for site in sites]
        self._sites = sites
        self._barriers = [s.span.line for s in statements if s.kind == "barrier"]
        self._places = [
            array.place(site) if array is not None else -1
            for site, array in zip(sites, self._by_site, strict=True)
        ]

    @property
    def held_bytes(self) -> int:
        """Bytes of what waits to be judged, nearly."""
        return self._noted + sum(array.held * _ACCESS_BYTES for array in self._arrays)

    def orders(self, statement: int) -> bool:
        """Whether a statement orders accesses, so that its steps are wanted."""
        return statement in self._events

    def sees(self, site: int) -> bool:
        """Whether accesses of a site are wanted."""
        return self._by_site[site] is not None

    def access(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any] | None
    ) -> None:
        """Note what one site did; vectors are kept, not copied."""
        array = self._by_site[site]
        if array is None:
            return
        self._clock += 1
        seen = self._sites[site]
        values = None if values is None or seen.access != "write" else values.reshape(len(index), seen.width)
        note = Note(
            self._clock, step, site, self._places[site], seen.access, seen.width, lanes, index, values
        )
        array.add(note)
        if self._fences and seen.access == "atomic":
            part = Layout(array.info, self._threads, (note,)).part(note)
            at = part.at.astype(np.int64)
            if array.info.space == "shared":  # an element of each block's copy
                at = at + int(lanes[0]) // self._threads.block * array.info.size
            self._order.events.append(Event(self._clock, "atomic", part.lanes, seen.array, at))
            self._noted += at.nbytes

    def unwritten(
        self,
        step: int,
        number: int,
        span: Span,
        access: Access,
        lanes: NDArray[np.int32],
        index: NDArray[Any],
    ) -> bool:
        """Note lanes that meet elements which nothing has written; returns whether the array is watched."""
        for array in self._arrays:
            if array.number == number:
                array.unread.append(Unread(self._clock, step, span, access, lanes, index))
                return True
        return False

    def step(self, statement: int, lanes: NDArray[np.int32]) -> None:
        """Note a step of a statement that orders accesses."""
        self._clock += 1
        self._order.events.append(Event(self._clock, self._events[statement], lanes))

    def barrier(self, lanes: NDArray[np.int32] | None = None) -> None:
        """Judge the blocks of these lanes, which go on behind a barrier; None: of all lanes, that are done."""
        blocks = None if lanes is None else self._blocks(lanes)
        waiting = [array.close(blocks) for array in self._arrays]
        if self._fences and lanes is not None:
            self._clock += 1
            self._order.events.append(Event(self._clock, "block", lanes))
        elif not self._fences and not any(waiting):
            self._order.events.clear()

    def _blocks(self, lanes: NDArray[np.int32]) -> NDArray[Any]:
        first, last = int(lanes[0]), int(lanes[-1])
        if last - first + 1 == len(lanes):  # as nearly always: all lanes of all blocks that run
            return np.arange(first // self._threads.block, last // self._threads.block + 1)
        return np.unique(self._threads.block_of(lanes))

    def finish(self, hazards: Hazards) -> None:
        """Judge different blocks, and report every race found."""
        for array in self._arrays:
            array.close(None)
            array.between_blocks(self._order if self._fences else None)
            for one in array.missed:
                hazards.unwritten(array.info, one.span, one.access, one.step, one.lanes, one.element)
            for race in array.found.values():
                tell(hazards, race, self._sites, array.info, self._barriers)


class _Array:
    """One array that the kernel writes: what waits to be judged, and what was found."""

    def __init__(self, number: int, info: ArrayInfo, launch: Launch, order: Order | None) -> None:
        self.number = number
        self.info = info
        self.found: dict[tuple[int, int], Race] = {}
        self.unread: list[Unread] = []
        self.missed: list[Unread] = []
        self.held = 0
        self._launch = launch
        self._threads = Threads.of(launch)
        self._order = order
        self._notes: list[Note] = []
        self._history: list[Note] = []
        self._most = 0
        self._places: dict[tuple[int, Access], int] = {}
        self._accesses: list[Access] = []
        self._search = Search()
        self._lasting = info.space == "global" and launch.grid.count > 1

    def place(self, site: Site) -> int:
        """Return the number of (line, access)."""
        key = (site.span.line, site.access)
        if key not in self._places:
            self._places[key] = len(self._places)
            self._accesses.append(site.access)
        return self._places[key]

    def add(self, note: Note) -> None:
        """Let a note wait."""
        self._notes.append(note)
        self.held += len(note.start) * note.width
        if self.held > max(CROWDED, 2 * self._most) and self._order is None:
            self._notes = self._thinned(self._notes, blocks=False)
            self._history = self._thinned(self._history, blocks=True)
            self.held = self._most = _size(self._notes) + _size(self._history)

    def _thinned(self, notes: list[Note], *, blocks: bool) -> list[Note]:
        if not notes:
            return notes
        return thinned(notes, self._layout(notes), self._threads, blocks=blocks)

    def close(self, blocks: NDArray[Any] | None) -> bool:
        """Judge what these blocks (None: all) have done since their last barrier; says if others wait on."""
        notes, self._notes = self._notes, []
        if blocks is not None and notes:
            notes, self._notes = self._parted(notes, blocks)
        if any(note.access != "read" for note in notes):
            self._judge(notes, blocks=False, order=self._order)
        if self.unread:
            self._explain(notes, blocks)
        if self._lasting:
            self._history += notes
        else:
            self.held = _size(self._notes)
        return bool(self._notes)

    def between_blocks(self, order: Order | None) -> None:
        """Judge what different blocks did over the whole run."""
        if self._lasting and self._history:
            self._judge(self._history, blocks=True, order=order)
            layout, unordered = self._layout(self._history), None if order is None else order.unordered
            self.missed = uncovered(self.missed, self._history, layout, self._threads, unordered, blocks=True)

    def _explain(self, notes: list[Note], blocks: NDArray[Any] | None) -> None:
        """Keep the reads of unwritten elements that no race in the block explains."""
        found, self.unread = self.unread, []
        if blocks is not None:
            here = [np.isin(self._threads.block_of(one.lanes), blocks) for one in found]
            self.unread = [one.chosen(~in_) for one, in_ in zip(found, here, strict=True) if not in_.all()]
            found = [one.chosen(in_) for one, in_ in zip(found, here, strict=True) if in_.any()]
        unordered = None if self._order is None else self._order.unordered
        self.missed += (
            uncovered(found, notes, self._layout(notes), self._threads, unordered, blocks=False)
            if notes
            else found
        )

    def _layout(self, notes: list[Note]) -> Layout:
        return Layout(self.info, self._threads, notes)

    def _judge(self, notes: list[Note], *, blocks: bool, order: Order | None) -> None:
        layout = self._layout(notes)
        parts = [layout.part(note) for note in notes]
        units = [self._threads.block_of(part.lanes) if blocks else part.lanes for part in parts]
        ats = [part.at for part in parts]
        bad = self._search.clashing([note.access for note in notes], ats, units, layout.size)
        if not len(bad):
            return
        by_block = self._threads.block if self.info.space == "global" and not blocks else 0
        rows = gather(parts, self._search.positions(ats, bad), by_block)
        unordered = None if order is None else order.unordered
        for met in meetings(rows, self._accesses, self._threads, blocks=blocks, unordered=unordered):
            sides = tuple(
                Side(notes[int(rows.note[row])], int(rows.lane[row])) for row in (met.earlier, met.later)
            )
            index = int(rows.at[met.earlier]) % self.info.size
            race = Race((sides[0], sides[1]), index, met.elements, blocks, met.across, met.same)
            known = self.found.get(met.places)
            self.found[met.places] = race if known is None else known.and_also(race)

    def _parted(self, notes: list[Note], blocks: NDArray[Any]) -> tuple[list[Note], list[Note]]:
        """Split notes into those of some blocks and those of the others."""
        inside, outside = [], []
        keeps: dict[int, NDArray[np.bool_]] = {}
        first, end = int(blocks[0]) * self._threads.block, (int(blocks[-1]) + 1) * self._threads.block
        gaps = len(blocks) < blocks[-1] - blocks[0] + 1
        for note in notes:
            if not gaps and note.lanes[0] >= first and note.lanes[-1] < end:
                inside.append(note)
                continue
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


def _size(notes: list[Note]) -> int:
    return sum(len(note.start) * note.width for note in notes)
