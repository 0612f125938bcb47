"""Code in a loop: what a warp accesses each time that it steps on a rung of it, merged by what stands there.

The turns that a lane takes tell its rungs (`kernels.sass.unroll_model`). Lanes of a warp that entered the loop together
pass a rung together for the n-th time, whichever turns these are for them; what they access in a pass may be merged. A
way to merge is right where every pass makes the very instructions that stand on the rung. Nothing but certainty will
do: exactly one outcome for the whole loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.requests import NONE, Requests, lanes
from kernels.launch import WARP_SIZE
from kernels.sass.candidates import Made, Way, merged_in, ways
from kernels.sass.merging import digest, first_of_each, joined, mixed, repetition
from kernels.sass.unroll_model import climb, widths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.trip_counts import Numbers, Turns
    from kernels.frontend.ast import Span
    from kernels.sass.candidates import Pool
    from kernels.sass.unroll_model import Rung

_MOST_WAYS: Final = 20_000


def looped(pools: Sequence[Pool], ladder: Sequence[Rung], turns: Turns, tested: Span | None) -> list[Made] | None:
    """Merge each pool so that the instructions of every rung come out; None where not exactly one way does that.

    `tested` is the statement at which warps come by instructions with a condition of their own; None where it does not
    matter whether these are executed for no lane.
    """
    accesses = _Accesses.of(pools, turns)
    found: dict[tuple[int, ...], list[Made]] = {}
    for once, turn in accesses.turn_bytes().items():
        each = widths(ladder, turn)
        made = _climbed(accesses, ladder, each, turns, tested, once=once) if each else None
        if made is not None:
            found.setdefault(_outcome(made), made)
    return next(iter(found.values())) if len(found) == 1 else None


@dataclass(frozen=True, eq=False)
class _Accesses:
    """Accesses of a warp's lanes that are in one turn, a row for each: by which pool, of how many bytes, and where.

    `kind` tells those of one turn apart.
    """

    pools: Sequence[Pool]
    pool: Numbers
    size: Numbers
    warp: Numbers
    step: Numbers
    kind: Numbers
    entered: Numbers
    number: Numbers
    turns: Numbers
    address: Numbers

    @classmethod
    def of(cls, pools: Sequence[Pool], turns: Turns) -> _Accesses:
        parts = []
        for position, pool in enumerate(pools):
            for site, whole_warps in zip(pool.sites, pool.asked, strict=True):
                asked, fellows = _parted(whole_warps, turns)
                step = asked.step.astype(np.int64)
                turn = turns.at(fellows, step)
                again = repetition(mixed(asked.warp, fellows, turn.entered, turn.number))
                same = [np.full(len(asked), number) for number in (position, asked.size, site)]
                kind = mixed(again, same.pop())
                parts.append((*same, asked.warp, step, kind, *turn, asked.address))
        return cls(pools, *(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def rows(self, *within: Numbers) -> tuple[Numbers, Numbers]:
        """Put the lanes of a warp that make one access together: the first row of each, and a table of addresses."""
        key = mixed(self.pool, self.size, self.kind, self.warp, self.entered, *within)
        order = np.argsort(key, kind="stable")
        begins = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1))
        if len(begins) == len(order):
            return order, self.address[order]
        return order[begins], np.minimum.reduceat(self.address[order], begins, axis=0)

    def turn_bytes(self) -> dict[bool, int]:
        """Bytes that one turn moves for a lane where it leaves nothing out: made once, and made again if some are."""
        first, table = self.rows(self.number)
        turn = mixed(self.warp[first], self.entered[first], self.number[first])
        distinct = first_of_each(digest(table, turn, self.pool[first]))
        every = np.arange(len(first))
        found = {True: distinct} if len(distinct) == len(every) else {True: distinct, False: every}
        return {once: self._most(first[rows], turn[rows]) for once, rows in found.items()}

    def _most(self, rows: Numbers, turn: Numbers) -> int:
        return int(np.bincount(np.unique(turn, return_inverse=True)[1], self.size[rows]).max())


def _parted(asked: Requests, turns: Turns) -> tuple[Requests, Numbers]:
    """Part requests by the fellowships that make them, and tell which do."""
    active = asked.address < NONE
    lane = lanes(turns.trace, asked.warp[:, None], np.arange(WARP_SIZE))
    fellows = np.where(active, turns.fellows[np.where(active, lane, 0)], NONE)
    parts = [(np.arange(len(asked)), fellows.min(axis=1, initial=NONE))]
    while len(parts[-1][0]):  # from the fellowship of the smallest number on
        row, least = parts[-1]
        later = np.where(fellows[row] > least[:, None], fellows[row], NONE).min(axis=1)
        parts.append((row[later < NONE], later[later < NONE]))
    rows, own = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    found = asked.rows(rows[order])
    address = np.where(fellows[rows[order]] == own[order][:, None], found.address, NONE)
    return replace(found, address=address), own[order]


def _climbed(
    accesses: _Accesses,
    ladder: Sequence[Rung],
    each: Sequence[int],
    turns: Turns,
    tested: Span | None,
    *,
    once: bool,
) -> list[Made] | None:
    climbed = climb(ladder, each, accesses.number, accesses.turns)
    passed = _passed(ladder, each, turns, tested)
    if climbed is None or passed is None:
        return None
    first, table = accesses.rows(climbed.rung, climbed.part, climbed.place)
    made: list[list[Made]] = []
    for number, rung in enumerate(ladder):
        here = climbed.rung[first] == number
        at = first[here]
        _, part = np.unique(mixed(accesses.warp[at], accesses.entered[at], climbed.part[at]), return_inverse=True)
        asked = _Passes(accesses, at, table[here], part, climbed.place[at])
        found = asked.merged(rung, passed[number], once=once)
        if found is None:
            return None
        made.append(found)
    return [_added(parts) for parts in zip(*made, strict=True)]


def _passed(ladder: Sequence[Rung], each: Sequence[int], turns: Turns, tested: Span | None) -> list[int] | None:
    """Count how often warps pass the rungs whose instructions have conditions of their own, for lanes or for none."""
    if tested is None:
        return [0] * len(ladder)
    warp, fellows, step = turns.executions(tested)
    turn = turns.at(fellows, step)
    climbed = climb(ladder, each, turn.number, turn.turns)
    if climbed is None or any(rung.guarded and rung.branches for rung in ladder):
        return None
    _, first = np.unique(mixed(climbed.rung, warp, turn.entered, climbed.part), return_index=True)
    count = np.bincount(climbed.rung[first], minlength=len(ladder))
    return [int(n) if rung.guarded else 0 for n, rung in zip(count, ladder, strict=True)]


@dataclass(frozen=True, eq=False)
class _Passes:
    """What warps access on a rung: rows of the accesses, the addresses of each row's lanes, its pass and turn in it."""

    accesses: _Accesses
    at: Numbers
    table: Numbers
    part: Numbers
    place: Numbers

    def merged(self, rung: Rung, passed: int, *, once: bool) -> list[Made] | None:
        """Merge each pool so that every pass makes the rung's instructions; None where not exactly one way does."""
        tried = [self._tried(pool, rung, once=once) for pool in range(len(self.accesses.pools))]
        if prod(len(found) for found in tried) > _MOST_WAYS:
            return None
        found: dict[tuple[int, ...], list[Made]] = {}
        for choice in product(*tried):
            made = self._checked(choice, rung, passed)
            if made is not None:
                found.setdefault(_outcome(made), made)
        return next(iter(found.values())) if len(found) == 1 else None

    def _tried(self, pool: int, rung: Rung, *, once: bool) -> list[dict[int, Requests]]:
        """Merge a pool in every way that leads to something else; `step` is the pass."""
        mine = np.flatnonzero(self.accesses.pool[self.at] == pool)
        sizes = self.accesses.size[self.at[mine]]
        parts = []
        for size in np.unique(sizes).tolist():
            rows = mine[sizes == size]
            asked = Requests(
                size, self.part[rows].astype(np.int32), self.accesses.warp[self.at[rows]], self.table[rows]
            )
            parts.append((asked, self.part[rows], mixed(self.part[rows], self.place[rows])))
        found: dict[tuple[tuple[int, int], ...], dict[int, Requests]] = {}
        for into in ways(rung.sizes):
            made = merged_in(parts, self.accesses.pools[pool].origin, Way(into, once, over=rung.last))
            if made.keys() <= rung.sizes.keys():
                found.setdefault(tuple((size, len(r)) for size, r in sorted(made.items())), made)
        return list(found.values())

    def _checked(self, choice: Sequence[dict[int, Requests]], rung: Rung, passed: int) -> list[Made] | None:
        """Compare every pass with the rung; instructions with a condition of their own may be for no lane."""
        sizes = list(rung.sizes)
        wanted = np.array([rung.sizes[size] for size in sizes])
        passes = int(self.part.max(initial=-1)) + 1
        counts = [
            np.array([np.bincount(made[size].step if size in made else [], minlength=passes) for size in sizes])
            for made in choice
        ]
        total = np.sum(counts, axis=0)
        fullest = total.max(axis=1, initial=0)
        fits = total <= wanted[:, None] if rung.varies else total == wanted[:, None]
        if not fits.all() or (passes and not rung.last and (fullest != wanted).any()):
            return None
        shares = [int(count.max(axis=1, initial=0).sum()) * int(wanted.sum()) for count in counts]
        if passed and (not passes or any(share % int(fullest.sum()) for share in shares)):
            return None  # for no lane: it cannot be told for which pool
        most = [share // max(1, int(fullest.sum())) for share in shares]
        step = np.full(passes, np.iinfo(np.int32).max, np.int32)
        np.minimum.at(step, self.part, self.accesses.step[self.at])
        return [
            Made(
                {size: replace(requests, step=step[requests.step]) for size, requests in made.items()},
                max(0, passed * all_ - int(count.sum())),
            )
            for made, all_, count in zip(choice, most, counts, strict=True)
        ]


def _added(parts: Sequence[Made]) -> Made:
    sizes = dict.fromkeys(size for made in parts for size in made.compiled)
    return Made(
        {size: joined([made.compiled[size] for made in parts if size in made.compiled]) for size in sizes},
        sum(made.idle for made in parts),
    )


def _outcome(made: Iterable[Made]) -> tuple[int, ...]:
    return tuple(n for m in made for n in (m.idle, *(len(r) for _, r in sorted(m.compiled.items()))))
