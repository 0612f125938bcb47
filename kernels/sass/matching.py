"""How the accesses of some sites were merged, given all instructions that they became."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.trip_counts import Turns
from kernels.sass.attribution import attributed
from kernels.sass.candidates import Pool, by_array
from kernels.sass.control_dependence import stands
from kernels.sass.merging import digest, first_of_each, mixed
from kernels.sass.predicates import idle, of_the_source, place_of, tested
from kernels.sass.straight_line_code import straight
from kernels.sass.unroll_model import around, rung_of, rungs
from kernels.sass.unrolled_loops import looped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.walk import Loop
    from kernels.sass.candidates import Accesses, Made
    from kernels.sass.cubin import Instructions, MemoryCode
    from kernels.trace import Trace


def match(
    trace: Trace,
    sites: list[int],
    there: list[Instructions],
    code: MemoryCode,
    places: Iterable[tuple[int, int]] = (),
) -> list[Accesses] | None:
    """Find how accesses were merged, given all instructions they became; None where that is not certain.

    Those of several `places`, given as first and last lines, have to fit the lines of the instructions, too.
    """
    if not there or any(i.space == "generic" or not i.size for i in there):
        return None
    for i in there:
        here = [n for n in sites if _on(trace, n, i.line)] or sites
        if not stands(trace, here, code, i, sites):
            return None
        if i.guarded and i.space != "shared" and not of_the_source(trace, here, code, i):
            return None
    loop = _loop(trace, sites, there, code)
    inside = [i for i in there if loop and rung_of(code, i, loop) >= 0]
    ahead = [i for i in there if i not in inside]
    if any(rolled(code, i) for i in ahead):
        return None
    pools = [Pool(trace, tuple(group)) for group in by_array(trace, sites)]
    turned = loop is not None and bool(inside)
    made = _in_loop(pools, loop, inside, ahead, code) if loop and inside else _in_line(pools, there, code, kept=False)
    if made is None or not _attributed(pools, made, there, list(places), turns=turned):
        return None
    return [pool.became(one) for pool, one in zip(pools, made, strict=True)]


def _on(trace: Trace, site: int, line: int) -> bool:
    span = trace.statements[trace.sites[site].statement].span
    return span.line <= line <= span.end_line


def _attributed(
    pools: Sequence[Pool],
    made: Sequence[Made],
    there: Sequence[Instructions],
    places: Sequence[tuple[int, int]],
    *,
    turns: bool,
) -> bool:
    """Whether accesses of several lines may have become the instructions of these lines."""
    if len(places) < 2:
        return True

    def place(line: int) -> int:
        return next((n for n, (first, last) in enumerate(places) if first <= line <= last), len(places))

    trace, count = pools[0].trace, [0] * (len(places) + 1)
    for i in there:
        count[place(i.line)] += i.count
    lines = [[place(trace.statements[trace.sites[site].statement].span.line) for site in pool.sites] for pool in pools]
    return attributed(pools, made, lines, count, turns=turns)


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
        missing = idle(trace, pool, one, head, there) if head else None
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
) -> list[Made] | None:
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
            each = {id(pool): one for pool, one in zip([*in_turns, *first], [*made, *before], strict=True)}
            found.append([each[id(pool)] for pool in pools])
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


def rolled(code: MemoryCode, instructions: Instructions) -> bool:
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
