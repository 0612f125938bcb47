"""Counts as compiled: what the compiler makes of the accesses that the source names.

A compiler reads four neighbouring elements by one wide instruction, reads once what the source reads twice, and keeps
arrays in registers. Its code says, line by line and region by region, how many instructions of which width are left.
The trace says which accesses they can stand for: those of one warp between two barriers (`kernels.insight.straight`),
in a loop those of one pass of its code (`kernels.insight.looped`). Where no way to merge gives exactly the
instructions, the line is counted as written, and that is said. Nothing is approximated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kernels.insight.conditions import idle, place_of, tested
from kernels.insight.counts import count_site, summed
from kernels.insight.ladder import around, rung_of, rungs
from kernels.insight.looped import looped
from kernels.insight.merging import digest, first_of_each, mixed
from kernels.insight.pools import Accesses, Pool, by_array, by_size
from kernels.insight.straight import straight
from kernels.insight.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.gpu.cubin import Instructions, MemoryCode
    from kernels.insight.counts import MemoryCount
    from kernels.insight.pools import Fate, Made
    from kernels.insight.walk import Loop
    from kernels.trace import Trace


@dataclass(frozen=True, eq=False)
class Compiled:
    """Counts by array and by line as compiled, and where each comes from."""

    arrays: tuple[MemoryCount, ...]
    lines: tuple[MemoryCount, ...]
    accesses: tuple[Accesses, ...]


def as_compiled(trace: Trace, code: MemoryCode) -> Compiled:
    """Count a trace as the instructions that its kernel was compiled to are counted on a GPU."""
    found: list[Accesses] = []
    for (space, access), places in _places(trace).items():
        there = [i for i in code.instructions if i.access == access and i.space in (space, "generic")]
        if access == "atomic" or space in ("constant", "texture"):
            found += _unchanged(trace, [site for sites in places.values() for site in sites], "merged")
        elif space == "local" and not any(i.space == "local" for i in there):
            found += [
                Accesses(tuple(sites), by_size(trace, sites), {}, "in registers")
                for group in places.values()
                for sites in by_array(trace, group)
            ]
        else:
            found += _matched(trace, places, there, code)
    found.sort(key=lambda a: a.sites)
    arrays, lines, _ = summed(_count(trace, accesses) for accesses in found)
    return Compiled(arrays, lines, tuple(found))


def _count(trace: Trace, accesses: Accesses) -> MemoryCount:
    count = count_site(trace, accesses.sites[0], [(1, asked) for asked in accesses.compiled.values()])
    return replace(count, requests=count.requests + accesses.idle)


def _places(trace: Trace) -> dict[tuple[str, str], dict[tuple[int, int], list[int]]]:
    """Sites that executed, by space and kind of access, then by the lines of their statements."""
    ranges: list[tuple[int, int]] = []
    for first, last in sorted({(s.span.line, s.span.end_line) for s in trace.statements}):
        if ranges and first <= ranges[-1][1]:  # statements that share a line go together
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    found: dict[tuple[str, str], dict[tuple[int, int], list[int]]] = {}
    for number in np.unique(trace.group_site).tolist():
        site = trace.sites[number]
        line = trace.statements[site.statement].span.line
        place = next(r for r in ranges if r[0] <= line <= r[1])
        kind = trace.arrays[site.array].space, site.access
        found.setdefault(kind, {}).setdefault(place, []).append(number)
    return found


def _matched(
    trace: Trace, places: dict[tuple[int, int], list[int]], there: list[Instructions], code: MemoryCode
) -> list[Accesses]:
    """Match line by line; what is left then, all together: the compiler may merge what several lines access."""
    found: list[Accesses] = []
    rest, unmatched = list(there), list[int]()
    # What stands on a line without accesses was moved there, out of some loop.
    moved = any(not any(first <= i.line <= last for first, last in places) for i in there)
    for (first, last), sites in places.items():
        here = [i for i in there if first <= i.line <= last]
        uncertain = moved and any(_rolled(code, i) for i in here)
        matched = None if uncertain else _match(trace, sites, here, code)
        if matched is None:
            unmatched += sites
        else:
            found += matched
            rest = [i for i in rest if i not in here]
    if not rest:
        left_out = _unchanged(trace, unmatched, "left out")
        return found + [Accesses(a.sites, a.written, {}, "left out") for a in left_out]
    together = _match(trace, unmatched, rest, code) if unmatched else []
    return found + (_unchanged(trace, unmatched, "unknown") if together is None else together)


def _match(
    trace: Trace, sites: list[int], there: list[Instructions], code: MemoryCode
) -> list[Accesses] | None:
    """Find how accesses were merged, given all instructions they became; None where that is not certain."""
    if not there or any(i.space == "generic" for i in there):
        return None
    loop = _loop(trace, sites, there, code)
    inside = [i for i in there if loop and rung_of(code, i, loop) >= 0]
    ahead = [i for i in there if i not in inside]
    if any(_rolled(code, i) for i in ahead):
        return None
    pools = [Pool(trace, tuple(group)) for group in by_array(trace, sites)]
    if loop is None or not inside:
        return _accesses(pools, _in_line(pools, there, code, kept=False))
    return _in_loop(pools, loop, inside, ahead, code)


def _in_line(
    pools: Sequence[Pool], there: Sequence[Instructions], code: MemoryCode, *, kept: bool
) -> list[Made] | None:
    """Match code that runs at most once between two barriers."""
    made = straight(pools, there, kept=kept)
    if made is None or not _counts_idle(there):
        return made
    trace, found = pools[0].trace, []
    for pool, one in zip(pools, made, strict=True):
        head = tested(trace, pool.sites, code, there)
        missing = idle(trace, pool, one, head) if head else None
        if missing is None:
            return None
        found.append(replace(one, idle=missing))
    return found


def _in_loop(
    pools: Sequence[Pool],
    loop: Loop,
    inside: Sequence[Instructions],
    ahead: Sequence[Instructions],
    code: MemoryCode,
) -> list[Accesses] | None:
    """Match code in a loop, and ahead of it what stays the same in all of its turns."""
    trace = pools[0].trace
    turns = Turns.of(trace, loop)
    sites = [site for pool in pools for site in pool.sites]
    head = tested(trace, sites, code, inside) if _counts_idle(inside) else None
    if turns is None or (_counts_idle(inside) and head is None):
        return None
    ladder = rungs(code, inside, loop)
    found = []
    for kept in product((False, True), repeat=len(pools)):
        first = [pool for pool, is_kept in zip(pools, kept, strict=True) if is_kept]
        in_turns = [pool for pool, is_kept in zip(pools, kept, strict=True) if not is_kept]
        if bool(first) != bool(ahead) or not in_turns or not all(_stays(pool) for pool in first):
            continue
        made = looped(in_turns, ladder, turns, head)
        before = _in_line(first, ahead, code, kept=True) if first else []
        if made is not None and before is not None:
            found.append(_accesses([*in_turns, *first], [*made, *before]))
    return found[0] if len(found) == 1 else None


def _counts_idle(there: Iterable[Instructions]) -> bool:
    """Whether Nsight Compute counts instructions that are executed for no lane: those to shared memory."""
    return any(i.guarded and i.space == "shared" for i in there)


def _loop(trace: Trace, sites: Sequence[int], there: Sequence[Instructions], code: MemoryCode) -> Loop | None:
    """Return the innermost loop around all accesses that the code has not taken apart."""
    places = [place_of(trace, site) for site in sites]
    common = [
        loop
        for loop in (places[0].loops if places and places[0] else ())
        if all(place is not None and loop in place.loops for place in places)
    ]
    return next((loop for loop in reversed(common) if any(rung_of(code, i, loop) >= 0 for i in there)), None)


def _rolled(code: MemoryCode, instructions: Instructions) -> bool:
    """Whether instructions stand in a loop without a barrier: they may run several times between two."""
    inside = (code.regions[region] for region in around(code, instructions.region))
    return any(region.loop and not region.waits for region in inside)


def _stays(pool: Pool) -> bool:
    """Whether every step accesses the same between two barriers."""
    for requests in pool.written.values():
        window, step = pool.windows(requests), requests.step.astype(np.int64)
        _, number = np.unique(window, return_inverse=True)
        distinct = np.bincount(number[first_of_each(digest(requests.address, window))])
        steps = np.bincount(number[first_of_each(mixed(window, step))])
        each = np.bincount(number[first_of_each(digest(requests.address, window, step))])
        if (distinct * steps != each).any():
            return False
    return True


def _accesses(pools: Sequence[Pool], made: Sequence[Made] | None) -> list[Accesses] | None:
    return None if made is None else [pool.became(one) for pool, one in zip(pools, made, strict=True)]


def _unchanged(trace: Trace, sites: list[int], fate: Fate) -> list[Accesses]:
    parts = [((number,), by_size(trace, [number])) for number in sites]
    return [Accesses(numbers, written, written, fate) for numbers, written in parts]
