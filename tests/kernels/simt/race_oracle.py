"""Random runs of a few threads, and what races in them, told the slow and obvious way: every pair is compared."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernels.launch import Dim3, Launch
from kernels.simt.hazards import Hazards
from kernels.simt.races import Watch
from kernels.source.nodes import Span
from kernels.trace.records import ArrayInfo, Site, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace.records import Access, Hazard, Space

THREADS = 40
"""Threads a block: a whole warp and a part of one."""

FENCES = {"warp": "__syncwarp()", "fence": "__threadfence()", "block-fence": "__threadfence_block()"}


class Use(NamedTuple):
    """Lanes touch elements at a site; or, with the site -1, take part in an event.

    At a warp's barrier `elements` are the parties of lanes that wait for each other; none where all do.
    """

    lanes: tuple[int, ...]
    event: str = ""
    site: int = -1
    elements: tuple[int, ...] = ()


class Run(NamedTuple):
    """A run: two blocks, one array, a site for each access in each of two lines."""

    space: Space
    width: int
    uses: list[Use]


def sites(width: int) -> list[Site]:
    """Reads, writes and atomics in lines 1 and 2; atomics take one element."""
    accesses: tuple[Access, ...] = ("read", "write", "atomic")
    return [
        Site(Span(line, 1, line, 2), -1, 0, access, 1 if access == "atomic" else width)
        for line in (1, 2)
        for access in accesses
    ]


def random_run(seed: int, events: tuple[str, ...]) -> Run:
    """Make a run up."""
    random = np.random.default_rng(seed)
    uses = []
    space: Space = "global" if random.random() < 0.6 else "shared"
    width = int(random.choice([1, 1, 2]))
    pool = random.choice(2 * THREADS, 6, replace=False)
    for _ in range(random.integers(4, 14)):
        lanes = tuple(sorted(int(n) for n in random.choice(pool, random.integers(1, 5), replace=False)))
        event = str(random.choice(["", "", *events]))
        if event == "block":
            block = int(random.integers(2))
            lanes = tuple(range(block * THREADS, (block + 1) * THREADS))
        if event:
            parties = (
                tuple(int(n) for n in random.integers(0, 2, len(lanes))) if random.random() < 0.3 else ()
            )
            uses.append(Use(lanes, event, -1, parties))
        else:
            elements = tuple(int(n) for n in random.integers(0, 4, len(lanes)))
            uses.append(Use(lanes, "", int(random.integers(6)), elements))
    return Run(space, width, uses)


def watched(run: Run) -> tuple[Hazard, ...]:
    """Races that the simulator reports."""
    launch = Launch(Dim3(2), Dim3(THREADS))
    kinds: dict[str, Any] = {"warp": "warp-barrier", "fence": "fence", "block-fence": "fence"}
    used = [event for event in FENCES if any(use.event == event for use in run.uses)]
    statements = [Statement(Span(9, 1, 9, 2), FENCES[event], kinds[event]) for event in used]
    statements.append(Statement(Span(1, 1, 1, 2), "atomicAdd(a, 1);", "do"))  # where all accesses stand
    info = ArrayInfo("x", run.space, np.dtype(np.int32), (8,), 0, True)
    blocks = [number for number, event in enumerate(used) if event == "block-fence"]
    watch, hazards = Watch(launch, sites(run.width), [info], statements, blocks), Hazards(launch)
    for step, use in enumerate(run.uses):
        lanes: NDArray[np.int32] = np.array(use.lanes, np.int32)
        if use.event == "block":
            watch.barrier(lanes)
        elif use.event == "warp":
            watch.sync_warp(lanes, np.array(use.elements) if use.elements else None)
        elif use.event:
            watch.step(used.index(use.event), lanes)
        else:
            values = None if use.site % 3 == 0 else np.zeros(len(lanes), np.int32)
            width = sites(run.width)[use.site].width
            values = values if values is None or width == 1 else np.repeat(values[:, None], width, axis=1)
            watch.access(step, use.site, lanes, np.array(use.elements, np.int32), values)
    watch.barrier()
    watch.finish(hazards, str)
    return hazards.all()


def expected(run: Run) -> dict[tuple[tuple[int, str], ...], int]:
    """Pairs of (line, access) that race, and on how many elements, counted in each interval of each block."""
    known = np.full((2 * THREADS, 2 * THREADS), -1)
    fenced = {"device": known.copy(), "block": known.copy()}
    given: dict[tuple[Any, ...], NDArray[Any]] = {}
    done: list[tuple[int, int, int, Site, list[Any], NDArray[Any]]] = []
    interval = [0, 0]
    for time, use in enumerate(run.uses):
        lanes = list(use.lanes)
        if use.event == "block":
            for table in (known, *fenced.values()):
                table[lanes] = table[lanes].max(axis=0)
            interval[lanes[0] // THREADS] += 1
        elif use.event == "warp":
            parties = use.elements or (0,) * len(lanes)
            own = [(n // THREADS, n % THREADS // 32, party) for n, party in zip(lanes, parties, strict=True)]
            for party in set(own):
                mates = [lane for lane, its in zip(lanes, own, strict=True) if its == party]
                known[mates] = known[mates].max(axis=0)
        elif use.event:
            for scope in ("device", "block") if use.event == "fence" else ("block",):
                fenced[scope][lanes] = np.maximum(fenced[scope][lanes], known[lanes])
        else:
            site = sites(run.width)[use.site]
            for lane, first in zip(lanes, use.elements, strict=True):
                block = lane // THREADS
                owner = block if run.space == "shared" else 0
                touched = [(owner, element) for element in range(first, first + site.width)]
                if site.access == "atomic":
                    for scope, key in (("device", (touched[0],)), ("block", (touched[0], block))):
                        before = given.get(key, np.full(2 * THREADS, -1))
                        known[lane] = np.maximum(known[lane], before)
                        given[key] = np.maximum(before, fenced[scope][lane])
                done.append((time, lane, interval[block], site, touched, known[lane].copy()))
            known[lanes, lanes] = time
    return _racing(done)


def _racing(done: list[Any]) -> dict[tuple[tuple[int, str], ...], int]:
    inside: dict[tuple[tuple[int, str], ...], set[Any]] = {}
    for (time, lane, since, site, touched, _), (_, other, then, place, also, knows) in combinations(done, 2):
        kinds = {site.access, place.access}
        if lane == other or kinds in ({"read"}, {"atomic"}) or knows[lane] >= time:
            continue
        pair = tuple(sorted(((site.span.line, site.access), (place.span.line, place.access))))
        for element in set(touched) & set(also):
            one_block = lane // THREADS == other // THREADS
            # Barriers of a block are ordered in `known`; the interval only says what is counted as one.
            where = (lane // THREADS, since) if one_block else "between blocks"
            assert not one_block or since == then
            inside.setdefault(pair, set()).add((element, where))
    return {pair: len(found) for pair, found in inside.items()}
