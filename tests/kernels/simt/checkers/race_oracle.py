"""Random runs of a few threads, and their races by the slow and obvious way: every pair is compared."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernels.frontend.ast import Span
from kernels.launch import Dim3, Launch
from kernels.simt.checkers.racecheck import Racecheck
from kernels.simt.checkers.racecheck.access_log import Atomics
from kernels.simt.checkers.racecheck.lost_updates import Stores
from kernels.simt.machine.hazards import Hazards
from kernels.trace.records import ArrayInfo, Site, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.simt.machine.observer import PartialBarrierKind
    from kernels.trace.records import Access, Hazard, Space

THREADS = 40
"""Threads a block: a whole warp and a part of one."""

FENCES = {"warp": "__syncwarp()", "fence": "__threadfence()", "block-fence": "__threadfence_block()"}

PARTIAL = ("party", "arrive", "wait")
"""Events that tell by their elements who meets whom."""

ALWAYS = {"tile": "party", "warps": "warp"}
"""Barriers at which always the same lanes meet."""

PLAIN, NARROW, LOCK, LOAD, LATE = range(5)
"""Kinds of atomics: for all, for the threads of a block, compare and swap, one that changes nothing, relaxed."""


class Use(NamedTuple):
    """Lanes touch elements at a site; or, with the site -1, take part in an event.

    At a warp's barrier `elements` are the parties of lanes that wait for each other; none where all do. At the barrier
    of a part of a block they are its parties; where lanes arrive, or have waited, the phases of their block's barrier.
    """

    lanes: tuple[int, ...]
    event: str = ""
    site: int = -1
    elements: tuple[int, ...] = ()


class Run(NamedTuple):
    """A run: two blocks, one array, a site for each access in each of two lines, and one for each kind of atomic."""

    space: Space
    width: int
    uses: list[Use]


def sites(width: int) -> list[Site]:
    """Reads, writes and atomics in lines 1 and 2, other atomics in 3 to 6; atomics take one element."""
    accesses: tuple[Access, ...] = ("read", "write", "atomic")
    return [
        Site(Span(line, 1, line, 2), -1, 0, access, 1 if access == "atomic" else width)
        for line in (1, 2)
        for access in accesses
    ] + [Site(Span(line, 1, line, 2), -1, 0, "atomic", 1) for line in (3, 4, 5, 6)]


def kind_of(number: int) -> int:
    """Return what kind of atomic a site is."""
    return max(number - 5, PLAIN)


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
        if event in ALWAYS:
            everyone = tuple(sorted(int(n) for n in pool))
            uses.append(Use(everyone, ALWAYS[event], -1, tuple(n % 2 for n in everyone) if event == "tile" else ()))
        elif event in PARTIAL:
            uses.append(Use(lanes, event, -1, tuple(int(n) for n in random.integers(0, 2, len(lanes)))))
        elif event:
            parties = tuple(int(n) for n in random.integers(0, 2, len(lanes))) if random.random() < 0.3 else ()
            uses.append(Use(lanes, event, -1, parties))
        else:
            elements = tuple(int(n) for n in random.integers(0, 4, len(lanes)))
            uses.append(Use(lanes, "", int(random.integers(10)), elements))
    return Run(space, width, uses)


def watched(run: Run) -> tuple[Hazard, ...]:
    """Races that the simulator reports."""
    launch = Launch(Dim3(2), Dim3(THREADS))
    kinds: dict[str, Any] = {"warp": "warp-barrier", "fence": "fence", "block-fence": "fence"}
    used = [event for event in FENCES if any(use.event == event for use in run.uses)]
    statements = [Statement(Span(9, 1, 9, 2), FENCES[event], kinds[event]) for event in used]
    if any(use.event in PARTIAL for use in run.uses):
        statements.insert(len(used), Statement(Span(9, 1, 9, 2), "tile.sync()", "group-barrier"))
    statements.append(Statement(Span(1, 1, 1, 2), "atomicAdd(a, 1);", "do"))  # where all accesses stand
    info = ArrayInfo("x", run.space, np.dtype(np.int32), (8,), 0, True)
    blocks = [number for number, event in enumerate(used) if event == "block-fence"]
    locks = {5 + LOCK}
    atomics = Atomics(
        block_scope={5 + NARROW}, loads={5 + LOAD}, acquire_at_fence={5 + LATE}, compare_and_swap=locks, locks=locks
    )
    watch = Racecheck(launch, sites(run.width), [info], statements, blocks, atomics, atomics_order=True)
    hazards = Hazards(launch)
    for step, use in enumerate(run.uses):
        lanes: NDArray[np.int32] = np.array(use.lanes, np.int32)
        if use.event == "block":
            watch.barrier(lanes)
        elif use.event == "warp":
            watch.sync_warp(lanes, np.array(use.elements) if use.elements else None)
        elif use.event in PARTIAL:
            kind: PartialBarrierKind = use.event  # type: ignore[assignment]
            watch.partial_barrier(kind, lanes, lanes.astype(np.int64) // THREADS * 2 + np.array(use.elements))
        elif use.event:
            watch.step(used.index(use.event), lanes)
        else:
            values = None if use.site in (0, 3) else np.zeros(len(lanes), np.int32)
            width = sites(run.width)[use.site].width
            values = values if values is None or width == 1 else np.repeat(values[:, None], width, axis=1)
            watch.access(step, use.site, lanes, np.array(use.elements, np.int32), values)
    watch.barrier()
    watch.finish(hazards, str, Stores())
    return hazards.all()


class Made(NamedTuple):
    """One access of one lane, and the accesses that came before it."""

    lane: int
    since: int
    site: int
    touched: frozenset[tuple[int, int]]
    knows: frozenset[int]


def expected(run: Run) -> dict[tuple[tuple[int, str], ...], int]:
    """Pairs of (line, access) that race, and on how many elements, counted in each interval of each block."""
    lanes_of_all = range(2 * THREADS)
    known: list[set[int]] = [set() for _ in lanes_of_all]
    fenced, taken = ({s: [set[int]() for _ in lanes_of_all] for s in ("device", "block")} for _ in range(2))
    open_: dict[str, list[set[Any]]] = {s: [set() for _ in lanes_of_all] for s in ("device", "block")}
    bare: dict[tuple[str, Any], set[int]] = {}
    given: dict[tuple[Any, ...], set[int]] = {}
    left: dict[tuple[int, ...], set[int]] = {}
    done: list[Made] = []
    atomics: dict[tuple[Any, ...], set[int]] = {}  # that were made at each element, by those whom they reach
    interval = [0, 0]
    for use in run.uses:
        lanes = list(use.lanes)
        if use.event == "block":
            for table in (known, *fenced.values(), *open_.values()):
                _share(table, lanes)
            interval[lanes[0] // THREADS] += 1
        elif use.event == "warp":
            parties = use.elements or (0,) * len(lanes)
            own = [(n // THREADS, n % THREADS // 32, party) for n, party in zip(lanes, parties, strict=True)]
            for party in set(own):
                _share(known, [lane for lane, its in zip(lanes, own, strict=True) if its == party])
        elif use.event == "party":
            mine = [(n // THREADS, party) for n, party in zip(lanes, use.elements, strict=True)]
            for meeting in set(mine):
                for table in (known, *fenced.values(), *open_.values()):
                    _share(table, [lane for lane, its in zip(lanes, mine, strict=True) if its == meeting])
        elif use.event in PARTIAL:
            for number, table in enumerate((known, *fenced.values())):
                for lane, phase in zip(lanes, use.elements, strict=True):
                    place = left.setdefault((number, lane // THREADS, phase), set())
                    if use.event == "arrive":
                        place |= table[lane]
                    else:
                        table[lane] |= place
        elif use.event:
            for scope in ("device", "block") if use.event == "fence" else ("block",):
                for lane in lanes:
                    known[lane] |= taken[scope][lane]
                    open_[scope][lane] = set()
            for scope in ("device", "block") if use.event == "fence" else ("block",):
                for lane in lanes:
                    fenced[scope][lane] |= known[lane]
        else:
            site, kind, made = sites(run.width)[use.site], kind_of(use.site), []
            for lane, first in zip(lanes, use.elements, strict=True):
                block = lane // THREADS
                owner = block if run.space == "shared" else 0
                touched = [(owner, element) for element in range(first, first + site.width)]
                at = touched[0]
                if site.access == "atomic":
                    keys = [(at, block)] if kind == NARROW else [(at,), (at, block)]
                    earlier = set[int]().union(*(atomics.get(key, set()) for key in keys))
                    known[lane] |= earlier
                    atomics |= dict.fromkeys(keys, earlier if kind == LOAD else earlier | {len(done)})
                    for scope, key in (("device", (at,)), ("block", (at, block))):
                        if scope == "device" and kind == NARROW:
                            continue
                        learns = taken[scope][lane] if kind in (LOCK, LATE) else known[lane]
                        learns |= given.get(key, set())
                        gives = fenced[scope][lane] - bare.get((scope, at), set())
                        given[key] = given.get(key, set()) | gives
                made.append((lane, touched))
                done.append(Made(lane, interval[block], use.site, frozenset(touched), frozenset(known[lane])))
            for number, (lane, touched) in enumerate(made, len(done) - len(made)):
                known[lane].add(number)
                for scope, opened in open_.items():
                    for element in opened[lane]:
                        bare.setdefault((scope, element), set()).add(number)
                    if kind == LOCK:
                        opened[lane] = opened[lane] | {touched[0]}
    return _racing(done, sites(run.width))


def _share(table: list[set[Any]], lanes: list[int]) -> None:
    everything = set().union(*(table[lane] for lane in lanes))
    for lane in lanes:
        table[lane] = set(everything)


def _racing(done: list[Made], of: list[Site]) -> dict[tuple[tuple[int, str], ...], int]:
    inside: dict[tuple[tuple[int, str], ...], set[Any]] = {}
    near, far = set(), set()  # who compares and swaps what, in which interval or ever
    for one in done:
        if kind_of(one.site) == LOCK:
            near |= {(one.lane, element, one.since) for element in one.touched}
            far |= {(one.lane, element) for element in one.touched}
    for (number, one), (_, two) in combinations(enumerate(done), 2):
        if one.lane == two.lane or number in two.knows:
            continue
        accesses = {of[one.site].access, of[two.site].access}
        kinds = {kind_of(one.site), kind_of(two.site)}
        one_block = one.lane // THREADS == two.lane // THREADS
        if all(of[it.site].access == "read" or kind_of(it.site) == LOAD for it in (one, two)):
            continue
        if accesses == {"atomic"} and (one_block or NARROW not in kinds):
            continue
        pair = tuple(sorted((of[it.site].span.line, of[it.site].access) for it in (one, two)))
        for element in one.touched & two.touched:
            if accesses == {"read", "atomic"} and any(
                kind_of(it.site) != LOCK
                and ((it.lane, element, it.since) in near if one_block else (it.lane, element) in far)
                for it in (one, two)
            ):
                continue
            # Barriers of a block are ordered in `knows`; the interval only says what is counted as one.
            where = (one.lane // THREADS, one.since) if one_block else "between blocks"
            assert not one_block or one.since == two.since
            inside.setdefault(pair, set()).add((element, where))
    return {pair: len(found) for pair, found in inside.items()}
