"""Race detection during a run: collect accesses, judge them at each barrier and at the end, discard them.

Within a block `__syncthreads()` orders what lies on either side of it, so only the accesses since the last one
can race. Different blocks are ordered by nothing but fences with atomics, so what they do to global memory is
judged at the end. What is judged is who could meet whom, not whether this schedule let them go wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers import initcheck
from kernels.simt.checkers.racecheck.access_log import Kind, Layout, Note, Threads
from kernels.simt.checkers.racecheck.array_state import ArrayWatch
from kernels.simt.checkers.racecheck.happens_before import Event
from kernels.simt.checkers.racecheck.in_flight_copies import Flights
from kernels.simt.checkers.racecheck.reports import report
from kernels.simt.checkers.racecheck.synchronisation_events import Order
from kernels.simt.checkers.racecheck.unexplained_reads import PendingRead
from kernels.simt.checkers.racecheck.updates import updating

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Launch
    from kernels.simt.checkers.racecheck.atomic_kinds import Atomics
    from kernels.simt.checkers.racecheck.happens_before import EventKind
    from kernels.simt.checkers.racecheck.updates import Stores
    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.affine_index import Pattern
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.observer import PartialBarrierKind, UninitialisedRead
    from kernels.trace.records import ArrayInfo, Site, Statement


_ACCESS_BYTES: Final = 16
"""What an access takes while it waits: an index and a value."""

_MOST_OBSERVED: Final = 1 << 16
"""Atomics of a run that is made again to know which came before which."""

_EVENT_BYTES: Final = 200
"""What an event takes besides its lanes."""


class Racecheck:
    """Sees every access to an array that the kernel writes, and everything that orders accesses."""

    def __init__(
        self,
        launch: Launch,
        sites: Sequence[Site],
        arrays: Sequence[ArrayInfo],
        statements: Sequence[Statement],
        block_fences: Collection[int],
        atomics: Atomics,
        *,
        observes: bool = False,
    ) -> None:
        """Watch a run; `observes` says that atomics order accesses also where there is no fence."""
        self._threads = Threads.of(launch)
        self._clock = 0
        self._noted = 0
        self._events: dict[int, EventKind] = {}
        for number, statement in enumerate(statements):
            if statement.kind == "fence":
                self._events[number] = "block-fence" if number in block_fences else "fence"
        self._fences = observes or bool(self._events)
        self._made = 0
        orders = self._fences or any(statement.kind in ("warp-barrier", "group-barrier") for statement in statements)
        self._order = Order(self._threads)
        self._flights = Flights(self._threads)
        written = {site.array for site in sites if site.access != "read"}
        watched = {
            number: ArrayWatch(
                number,
                arrays[number],
                launch,
                self._order if orders else None,
                self._note,
                fences=self._fences,
            )
            for number in sorted(written)
            if arrays[number].space in ("shared", "global", "texture")
        }
        self._arrays = list(watched.values())
        self._by_site = [watched.get(site.array) for site in sites]
        self._sites = sites
        self._places = [
            array.place(
                site.span.where,
                Kind(site.access, number in atomics.swaps, number in atomics.narrow, number in atomics.loads),
            )
            if array is not None
            else -1
            for number, (site, array) in enumerate(zip(sites, self._by_site, strict=True))
        ]
        self._atomics = atomics

    @property
    def stored_bytes(self) -> int:
        """Bytes of what waits to be judged, nearly."""
        return self._noted + sum(array.held * _ACCESS_BYTES for array in self._arrays)

    def observes_statement(self, statement: int) -> bool:
        """Whether a statement orders accesses, so that its steps are wanted."""
        return statement in self._events

    def observes_site(self, site: int) -> bool:
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
        note = self._note(self._clock, step, site, lanes, index, values)
        array.add(note)
        self._flights.land(note)
        self._made += len(lanes) if note.access == "atomic" else 0
        if self._fences and note.access == "atomic":
            part = Layout(array.info, self._threads, (note,)).part(note)
            at = part.at.astype(np.int64)
            if array.info.space == "shared":  # an element of each block's copy
                at = at + int(lanes[0]) // self._threads.block * array.info.size
            sorts, locks = self._atomics, site in self._atomics.locks
            event = Event(
                self._clock,
                "atomic",
                part.lanes,
                array.number,
                at,
                narrow=site in sorts.narrow,
                late=locks or site in sorts.late,
                locks=locks,
                loads=site in sorts.loads,
            )
            self._order.events.append(event)
            self._noted += at.nbytes

    def issue_copy(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any]
    ) -> None:
        """Note writes that may come at any time from now on, until `access` tells that they have."""
        array = self._by_site[site]
        if array is not None:
            self._clock += 1
            note = self._note(self._clock, step, site, lanes, index, values)
            array.add(note)
            self._flights.begin(note)

    def affine_access(self, step: int, site: int, pattern: Pattern, shift: int, values: NDArray[Any] | None) -> None:
        """Note what one site read or wrote at `pattern.index + shift`."""
        array = self._by_site[site]
        if array is not None:
            self._clock += 1
            array.later((site, pattern, shift), (self._clock, step, values))

    def _note(
        self,
        clock: int,
        step: int,
        site: int,
        lanes: NDArray[np.int32],
        index: NDArray[Any],
        values: NDArray[Any] | None,
        shift: int = 0,
        own: Coordinates | None = None,
    ) -> Note:
        seen = self._sites[site]
        values = None if values is None or seen.access != "write" else values.reshape(len(index), seen.width)
        return Note(clock, step, site, self._places[site], seen.access, seen.width, lanes, index, values, shift, own)

    def postpone(self, read: UninitialisedRead) -> bool:
        """Judge a read of elements without a value later, if the kernel writes the array; returns whether it does."""
        for array in self._arrays:
            if array.number == read.array:
                array.unread.append(PendingRead(self._clock, read))
                return True
        return False

    def step(self, statement: int, lanes: NDArray[np.int32]) -> None:
        """Note a step of a statement that orders accesses."""
        self._clock += 1
        self._order.events.append(Event(self._clock, self._events[statement], lanes))

    def sync_warp(self, lanes: NDArray[np.int32], named: NDArray[Any] | None) -> None:
        """Note lanes that pass a `__syncwarp`, together with those of their warp that name the same lanes."""
        self._clock += 1
        party = None if named is None else named.astype(np.int64)
        self._order.events.append(Event(self._clock, "warp", lanes, at=party))
        self._noted += _EVENT_BYTES

    def partial_barrier(self, kind: PartialBarrierKind, lanes: NDArray[np.int32], at: NDArray[np.int64]) -> None:
        """Note lanes that meet at something of which a block has several; `at` says at which."""
        self._clock += 1
        self._order.events.append(Event(self._clock, kind, lanes, at=at))
        self._noted += _EVENT_BYTES + at.nbytes

    def barrier(self, lanes: NDArray[np.int32] | None = None, whole: bool = False) -> None:
        """Judge the blocks of these lanes, in order, which go on behind a barrier; None: of all lanes, that are done.

        `whole` says that these are all the lanes that run.
        """
        blocks = None
        if lanes is not None and not whole:
            of_lanes = self._threads.block_of(lanes)
            blocks = of_lanes[np.flatnonzero(np.diff(of_lanes, prepend=-1))]
        waiting = [array.close(blocks) for array in self._arrays]
        if self._fences and lanes is not None:
            self._clock += 1
            self._order.events.append(Event(self._clock, "block", lanes))
        elif not self._fences and not any(waiting):
            self._order.events.clear()
            self._noted = 0
        for note in self._flights.of(lanes):
            array = self._by_site[note.site]
            if array is not None:
                self._clock += 1
                array.add(note._replace(clock=self._clock, flying=True))

    def grid_barrier(self) -> None:
        """Judge the blocks so far: what they do behind a barrier of the whole grid meets nothing before it."""
        for array in self._arrays:
            array.between_blocks(self._order if self._fences else None)
        self._order.events.clear()
        self._noted = 0

    def finish(self, hazards: Hazards, text: Callable[[Span], str], stores: Stores) -> bool:
        """Judge different blocks, and report every race found; `text` gives the source of an expression.

        `stores` tells which writes update what they have read: those race even where they store equal values.
        Returns whether another run, one that `observes`, may find that atomics order what races here.
        """
        mixed = False
        for array in self._arrays:
            array.close(None)
            array.between_blocks(self._order if self._fences else None)
            for one in array.settled:
                initcheck.report(hazards, one.read)
            alone = {one for one, two in array.found if one == two}  # places that race with themselves
            ask = alone or any(race.same for race in array.found.values())
            updates = self._updating(array, stores) if ask else set()
            for places, race in array.found.items():
                if any(place in updates for place in places):
                    race = replace(race, same=False, update=any(place in updates & alone for place in places))
                mixed |= race.mixed
                report(hazards, race, self._sites, array.info, text)
        return mixed and not self._fences and self._made <= _MOST_OBSERVED

    def _updating(self, array: ArrayWatch, stores: Stores) -> set[int]:
        """Return the places that update an element of the array while other threads do."""
        sites = zip(self._by_site, self._places, self._sites, strict=True)
        own = [(place, site) for owner, place, site in sites if owner is array]
        return updating(array.found, own, stores)
