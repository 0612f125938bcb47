"""Racecheck: collect accesses during a run, judge them at each barrier and at the end, discard them.

`__syncthreads()` orders the accesses of a block before and after it, so only the accesses since the last barrier can
race with each other. Accesses of different blocks are ordered by fences with atomics only, so those to global memory
are judged at the end. Whether two accesses race depends on these orders, not on whether the schedule of this run made
them go wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.checkers import initcheck
from kernels.simt.checkers.racecheck.access_log import Kind, Layout, Note, Threads
from kernels.simt.checkers.racecheck.array_state import ArrayState
from kernels.simt.checkers.racecheck.happens_before import Event
from kernels.simt.checkers.racecheck.in_flight_copies import InFlightCopies
from kernels.simt.checkers.racecheck.lost_updates import find_updates
from kernels.simt.checkers.racecheck.proxies import Proxies
from kernels.simt.checkers.racecheck.reports import report
from kernels.simt.checkers.racecheck.synchronisation_events import SynchronisationOrder
from kernels.simt.checkers.racecheck.unexplained_reads import PendingRead

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Sequence

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Launch
    from kernels.simt.checkers.racecheck.access_log import Atomics
    from kernels.simt.checkers.racecheck.happens_before import EventKind
    from kernels.simt.checkers.racecheck.lost_updates import Stores
    from kernels.simt.machine.affine import Coordinates
    from kernels.simt.machine.affine_index import Pattern
    from kernels.simt.machine.hazards import Hazards
    from kernels.simt.machine.observer import PartialBarrierKind, UninitialisedRead
    from kernels.trace.records import ArrayInfo, Site, Statement


_ACCESS_BYTES: Final = 16
"""Bytes of a pending access: an index and a value."""

_MOST_OBSERVED: Final = 1 << 16
"""Maximum number of atomics of a run that is repeated with the order of its atomics recorded."""

_EVENT_BYTES: Final = 200
"""Bytes of an event without its lanes."""


class Racecheck:
    """Observes the accesses to arrays that the kernel writes, and the events that order accesses."""

    def __init__(
        self,
        launch: Launch,
        sites: Sequence[Site],
        arrays: Sequence[ArrayInfo],
        statements: Sequence[Statement],
        block_fences: Collection[int],
        atomics: Atomics,
        *,
        atomics_order: bool = False,
        async_proxy: bool = False,
    ) -> None:
        """Observe a run.

        Parameters
        ----------
        block_fences : collection of int
            Statements that are fences for the threads of their block only.
        atomics : Atomics
            Sites of special atomics.
        atomics_order : bool
            Record the order of atomics even if the kernel has no fence (`Assumptions.atomics_order`).
        async_proxy : bool
            Whether the kernel has instructions that read shared memory by themselves.
        """
        self._threads = Threads.of(launch)
        self._clock = 0
        self._event_bytes = 0
        self._events: dict[int, EventKind] = {}
        for number, statement in enumerate(statements):
            if statement.kind == "fence":
                self._events[number] = "block-fence" if number in block_fences else "fence"
        # Without a fence, atomics order nothing but themselves: then their events are not recorded, which is most
        # kernels.
        self._fences = atomics_order or bool(self._events)
        self._atomic_count = 0
        orders = self._fences or any(statement.kind in ("warp-barrier", "group-barrier") for statement in statements)
        self._order = SynchronisationOrder(self._threads)
        self._copies = InFlightCopies(self._threads)
        self._copied: set[int] = set()
        """Sites of asynchronous copies."""
        self._tensor_core_reads: set[int] = set()
        """Sites of reads by the async proxy."""
        self._proxies = Proxies(self._threads, launch.thread_count) if async_proxy else None
        written = {site.array for site in sites if site.access != "read"}
        watched = {
            number: ArrayState(
                number,
                arrays[number],
                launch,
                self._order if orders else None,
                self._make_note,
                fences=self._fences,
            )
            for number in sorted(written)
            if arrays[number].space in ("shared", "global", "texture")
        }
        self._arrays = list(watched.values())
        self._by_site = [watched.get(site.array) for site in sites]
        self.observed_statements: Container[int] = self._events
        """Statements that order accesses."""
        self.observed_sites: Container[int] = {n for n, array in enumerate(self._by_site) if array is not None}
        """Sites of the arrays that the kernel writes."""
        self._sites = sites
        self._infos = arrays
        self._places = [
            array.place(
                site.span.where,
                Kind(
                    site.access,
                    number in atomics.compare_and_swap,
                    number in atomics.block_scope,
                    number in atomics.loads,
                ),
            )
            if array is not None
            else -1
            for number, (site, array) in enumerate(zip(sites, self._by_site, strict=True))
        ]
        self._atomics = atomics

    @property
    def stored_bytes(self) -> int:
        """Approximate bytes of the pending accesses and events."""
        return self._event_bytes + sum(array.pending_count * _ACCESS_BYTES for array in self._arrays)

    def access(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any] | None
    ) -> None:
        """Add the accesses of one site; vectors are stored, not copied."""
        array = self._by_site[site]
        if array is None:
            return
        self._clock += 1
        note = self._make_note(self._clock, step, site, lanes, index, values)
        array.add(note)
        self._copies.complete(note)
        if self._proxies is not None and note.access == "write":
            self._store(note)
        self._atomic_count += len(lanes) if note.access == "atomic" else 0
        # The event has the clock of the access: an atomic is ordered by itself (`Pairs.atomic`).
        if self._fences and note.access == "atomic":
            part = Layout(array.info, self._threads, (note,)).part(note)
            at = part.at.astype(np.int64)
            if array.info.space == "shared":  # the element in the copy of this block
                at = at + int(lanes[0]) // self._threads.block * array.info.size
            kinds, locks = self._atomics, site in self._atomics.locks
            event = Event(
                self._clock,
                "atomic",
                part.lanes,
                array.number,
                at,
                block_scope=site in kinds.block_scope,
                acquires_at_fence=locks or site in kinds.acquire_at_fence,
                locks=locks,
                loads=site in kinds.loads,
            )
            self._order.events.append(event)
            self._event_bytes += at.nbytes

    def issue_copy(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any]
    ) -> None:
        """Add writes that may happen at any time from now on, until `access` reports their completion."""
        array = self._by_site[site]
        if array is not None:
            self._clock += 1
            note = self._make_note(self._clock, step, site, lanes, index, values)
            array.add(note)
            self._copies.issue(note)
            self._copied.add(site)

    def issue_read(self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any]) -> None:
        """Add reads of the async proxy that last until `access` reports them again."""
        array = self._by_site[site]
        if array is not None and self._proxies is not None:
            self._clock += 1
            note = self._make_note(self._clock, step, site, lanes, index, None)
            self._copies.issue(note)
            self._tensor_core_reads.add(site)
            self._proxies.read(note, array.number, array.info)

    def proxy_fence(self, lanes: NDArray[np.int32]) -> None:
        """Add a fence between the proxies."""
        self._clock += 1
        if self._proxies is not None:
            self._proxies.fence(self._clock, lanes)

    def _store(self, note: Note) -> None:
        """Add a store of threads in shared memory, which the async proxy may read later."""
        array = self._by_site[note.site]
        if self._proxies is not None and array is not None and array.info.space == "shared":
            self._proxies.store(note, array.number, array.info, copied=note.site in self._copied)

    def affine_access(self, step: int, site: int, pattern: Pattern, shift: int, values: NDArray[Any] | None) -> None:
        """Add the reads or writes of one site at `pattern.index + shift`."""
        array = self._by_site[site]
        if array is not None:
            self._clock += 1
            array.add_affine((site, pattern, shift), (self._clock, step, values))
            if self._proxies is not None and self._sites[site].access == "write":
                lanes, start = pattern.lanes, pattern.index
                self._store(self._make_note(self._clock, step, site, lanes, start, None, shift))

    def _make_note(
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
        """Add a read of elements without a value; returns False, to report it now, if no site writes the array."""
        for array in self._arrays:
            if array.number == read.array:
                array.pending_reads.append(PendingRead(self._clock, read))
                return True
        return False

    def step(self, statement: int, lanes: NDArray[np.int32]) -> None:
        """Add a fence."""
        self._clock += 1
        self._order.events.append(Event(self._clock, self._events[statement], lanes))

    def sync_warp(self, lanes: NDArray[np.int32], lane_masks: NDArray[Any] | None) -> None:
        """Add a `__syncwarp` of lanes, each together with the lanes of its warp that have the same mask."""
        self._clock += 1
        party = None if lane_masks is None else lane_masks.astype(np.int64)
        self._order.events.append(Event(self._clock, "warp", lanes, at=party))
        self._event_bytes += _EVENT_BYTES

    def partial_barrier(self, kind: PartialBarrierKind, lanes: NDArray[np.int32], at: NDArray[np.int64]) -> None:
        """Add a barrier of parts of a block; `at` is the number of each lane's barrier or phase."""
        self._clock += 1
        self._order.events.append(Event(self._clock, kind, lanes, at=at))
        self._event_bytes += _EVENT_BYTES + at.nbytes

    def barrier(self, lanes: NDArray[np.int32] | None = None, whole: bool = False) -> None:
        """Judge the blocks of lanes (ascending) that pass a barrier; None: of all lanes, which have returned.

        `whole`: these are all lanes that run.
        """
        if lanes is None and self._proxies is not None:
            self._proxies.end_blocks()
        blocks = None
        if lanes is not None and not whole:
            of_lanes = self._threads.block_of(lanes)
            # Lanes are ascending, so each block begins where the number changes; np.unique would sort.
            blocks = of_lanes[np.flatnonzero(np.diff(of_lanes, prepend=-1))]
        waiting = [array.judge_blocks(blocks) for array in self._arrays]
        if self._fences and lanes is not None:
            self._clock += 1
            self._order.events.append(Event(self._clock, "block", lanes))
        # No access is pending, so no pair can have an event in between: the events of the past are not needed.
        elif not self._fences and not any(waiting):
            self._order.events.clear()
            self._event_bytes = 0
        # A copy in flight may write after the barrier as well: it is pending again, with a new clock.
        for note in self._copies.in_blocks_of(lanes):
            array = self._by_site[note.site]
            if array is not None:
                self._clock += 1
                array.add(note._replace(clock=self._clock, in_flight=True))

    def grid_barrier(self) -> None:
        """Judge the accesses of different blocks so far: a barrier of the grid orders them before all later ones."""
        for array in self._arrays:
            array.judge_between_blocks(self._order if self._fences else None)
        self._order.events.clear()
        self._event_bytes = 0

    def finish(self, hazards: Hazards, text: Callable[[Span], str], stores: Stores) -> bool:
        """Judge accesses of different blocks, and report all races; `text` returns the source of an expression.

        Writes that, by `stores`, update the value that they have read race even if they store equal values. Returns
        whether a run with `atomics_order` may find that atomics order some of the races.
        """
        mixed = False
        if self._proxies is not None:
            self._proxies.report(hazards, self._sites, self._infos)
        for array in self._arrays:
            array.judge_blocks(None)
            array.judge_between_blocks(self._order if self._fences else None)
            for one in array.final_reads:
                initcheck.report(hazards, one.read)
            alone = {one for one, two in array.races if one == two}  # places at which the threads race with each other
            candidates = alone or any(race.same for race in array.races.values())
            updates = self._find_updates(array, stores) if candidates else set()
            for places, race in array.races.items():
                if any(place in updates for place in places):
                    race = replace(race, same=False, update=any(place in updates & alone for place in places))
                # A race of an atomic with a plain access may be ordered through other atomics, as in a spin on a flag;
                # the engine repeats the run with their order recorded.
                mixed |= race.is_mixed
                report(hazards, race, self._sites, array.info, text, self._tensor_core_reads)
        return mixed and not self._fences and self._atomic_count <= _MOST_OBSERVED

    def _find_updates(self, array: ArrayState, stores: Stores) -> set[int]:
        """Return the places that update an element of the array concurrently with other threads."""
        sites = zip(self._by_site, self._places, self._sites, strict=True)
        own = [(place, site) for owner, place, site in sites if owner is array]
        return find_updates(array.races, own, stores)
