"""Matching of code in a loop: the accesses of a warp in each pass of a body copy, merged into its instructions.

The trip count of a lane determines its body copies (`kernels.sass.unroll_model`). Lanes of a warp that entered the loop
together execute the n-th pass of a copy together, whichever iterations that pass is for each of them, and accesses of
one pass may be merged. A strategy fits if every pass gives exactly the copy's instructions. The result counts only if
there is exactly one outcome for the whole loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.requests import NO_ADDRESS, Requests, lanes
from kernels.launch import WARP_SIZE
from kernels.sass.candidates import MergeOutcome, MergeStrategy, merge_windows, size_choices
from kernels.sass.merging import concatenate, first_occurrences, hash_columns, hash_rows, occurrence_numbers
from kernels.sass.unroll_model import assign_copies, unroll_factors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.analysis.trip_counts import Numbers, TripCounts
    from kernels.frontend.ast import Span
    from kernels.sass.candidates import CandidateGroup
    from kernels.sass.unroll_model import BodyCopy

_MOST_COMBINATIONS: Final = 20_000


def match_loop(
    groups: Sequence[CandidateGroup], copies: Sequence[BodyCopy], trip_counts: TripCounts, guard: Span | None
) -> list[MergeOutcome] | None:
    """Merge each group so that every body copy gets its instructions; None unless exactly one outcome does.

    `guard` is the statement that decides which warps reach predicated instructions; None where executions for no lane
    are not counted.
    """
    accesses = _LoopAccesses.of(groups, trip_counts)
    found: dict[tuple[int, ...], list[MergeOutcome]] = {}
    for once, iterations in accesses.bytes_per_iteration().items():
        factors = unroll_factors(copies, iterations)
        outcomes = _match_copies(accesses, copies, factors, trip_counts, guard, once=once) if factors else None
        if outcomes is not None:
            found.setdefault(_signature(outcomes), outcomes)
    return next(iter(found.values())) if len(found) == 1 else None


@dataclass(frozen=True, eq=False)
class _LoopAccesses:
    """Columns with a row for each access of the lanes of a warp that are in one iteration and one cohort."""

    groups: Sequence[CandidateGroup]
    group: Numbers
    """Position of the group in `groups`."""
    size: Numbers
    """Bytes of one lane."""
    warp: Numbers
    step: Numbers
    kind: Numbers
    """Distinguishes the accesses of one iteration."""
    entered: Numbers
    number: Numbers
    total: Numbers
    """The columns of `Iterations`."""
    address: Numbers
    """A table: one column per lane of the warp."""

    @classmethod
    def of(cls, groups: Sequence[CandidateGroup], trip_counts: TripCounts) -> _LoopAccesses:
        parts = []
        for position, group in enumerate(groups):
            for site, whole_warps in zip(group.sites, group.requests, strict=True):
                requests, cohort = _split_by_cohort(whole_warps, trip_counts)
                step = requests.step.astype(np.int64)
                iterations = trip_counts.at(cohort, step)
                again = occurrence_numbers(hash_columns(requests.warp, cohort, iterations.entered, iterations.number))
                same = [np.full(len(requests), number) for number in (position, requests.size, site)]
                kind = hash_columns(again, same.pop())
                parts.append((*same, requests.warp, step, kind, *iterations, requests.address))
        return cls(groups, *(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def rows(self, *within: Numbers) -> tuple[Numbers, Numbers]:
        """Join the cohorts of a warp that make one access: return the first row of each, and a table of addresses."""
        key = hash_columns(self.group, self.size, self.kind, self.warp, self.entered, *within)
        order = np.argsort(key, kind="stable")
        begins = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1))
        if len(begins) == len(order):
            return order, self.address[order]
        return order[begins], np.minimum.reduceat(self.address[order], begins, axis=0)

    def bytes_per_iteration(self) -> dict[bool, int]:
        """Return the bytes of a full iteration for a lane, with repetitions made once and, if any, each time."""
        # An iteration without repetitions and one with them give different unroll factors: both are tried.
        first, table = self.rows(self.number)
        iterations = hash_columns(self.warp[first], self.entered[first], self.number[first])
        distinct = first_occurrences(hash_rows(table, iterations, self.group[first]))
        every = np.arange(len(first))
        found = {True: distinct} if len(distinct) == len(every) else {True: distinct, False: every}
        return {once: self._most(first[rows], iterations[rows]) for once, rows in found.items()}

    def _most(self, rows: Numbers, iterations: Numbers) -> int:
        return int(np.bincount(np.unique(iterations, return_inverse=True)[1], self.size[rows]).max())


def _split_by_cohort(requests: Requests, trip_counts: TripCounts) -> tuple[Requests, Numbers]:
    """Split requests by the cohorts of their lanes; return the cohorts, too."""
    active = requests.address < NO_ADDRESS
    lane = lanes(trip_counts.trace, requests.warp[:, None], np.arange(WARP_SIZE))
    cohort = np.where(active, trip_counts.cohort[np.where(active, lane, 0)], NO_ADDRESS)
    parts = [(np.arange(len(requests)), cohort.min(axis=1, initial=NO_ADDRESS))]
    while len(parts[-1][0]):  # one cohort of every request at a time, in ascending order
        row, least = parts[-1]
        later = np.where(cohort[row] > least[:, None], cohort[row], NO_ADDRESS).min(axis=1)
        parts.append((row[later < NO_ADDRESS], later[later < NO_ADDRESS]))
    rows, own = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    found = requests.rows(rows[order])
    address = np.where(cohort[rows[order]] == own[order][:, None], found.address, NO_ADDRESS)
    return replace(found, address=address), own[order]


def _match_copies(
    accesses: _LoopAccesses,
    copies: Sequence[BodyCopy],
    factors: Sequence[int],
    trip_counts: TripCounts,
    guard: Span | None,
    *,
    once: bool,
) -> list[MergeOutcome] | None:
    assignment = assign_copies(copies, factors, accesses.number, accesses.total)
    pass_count = _count_passes(copies, factors, trip_counts, guard)
    if assignment is None or pass_count is None:
        return None
    # Lanes with different trip counts join where they execute the same copy, pass and offset.
    first, table = accesses.rows(assignment.copy, assignment.pass_number, assignment.offset)
    outcomes: list[list[MergeOutcome]] = []
    for number, copy in enumerate(copies):
        here = assignment.copy[first] == number
        row = first[here]
        _, part = np.unique(
            hash_columns(accesses.warp[row], accesses.entered[row], assignment.pass_number[row]), return_inverse=True
        )
        requests = _Passes(accesses, row, table[here], part, assignment.offset[row])
        found = requests.merge(copy, pass_count[number], once=once)
        if found is None:
            return None
        outcomes.append(found)
    return [_concatenate(parts) for parts in zip(*outcomes, strict=True)]


def _count_passes(
    copies: Sequence[BodyCopy], factors: Sequence[int], trip_counts: TripCounts, guard: Span | None
) -> list[int] | None:
    """Count the passes of warps through copies with predicated instructions, true in a lane or not."""
    if guard is None:
        return [0] * len(copies)
    warp, cohort, step = trip_counts.executions(guard)
    iterations = trip_counts.at(cohort, step)
    assignment = assign_copies(copies, factors, iterations.number, iterations.total)
    if assignment is None or any(copy.guarded and copy.branches for copy in copies):
        return None
    _, first = np.unique(
        hash_columns(assignment.copy, warp, iterations.entered, assignment.pass_number), return_index=True
    )
    count = np.bincount(assignment.copy[first], minlength=len(copies))
    return [int(n) if copy.guarded else 0 for n, copy in zip(count, copies, strict=True)]


@dataclass(frozen=True, eq=False)
class _Passes:
    """Columns about the accesses of warps in one body copy."""

    accesses: _LoopAccesses
    row: Numbers
    """The row in `accesses`."""
    table: Numbers
    """Addresses: one column per lane."""
    pass_number: Numbers
    offset: Numbers
    """The iteration within the pass."""

    def merge(self, copy: BodyCopy, pass_count: int, *, once: bool) -> list[MergeOutcome] | None:
        """Merge each group so that every pass gets the copy's instructions; None unless exactly one outcome does."""
        options = [self._strategies(group, copy, once=once) for group in range(len(self.accesses.groups))]
        if prod(len(found) for found in options) > _MOST_COMBINATIONS:
            return None
        found: dict[tuple[int, ...], list[MergeOutcome]] = {}
        for choice in product(*options):
            outcomes = self._check(choice, copy, pass_count)
            if outcomes is not None:
                found.setdefault(_signature(outcomes), outcomes)
        return next(iter(found.values())) if len(found) == 1 else None

    def _strategies(self, group: int, copy: BodyCopy, *, once: bool) -> list[dict[int, Requests]]:
        """Merge a group by every strategy; of equal results return the first. The `step` of a request is its pass."""
        rows_of_group = np.flatnonzero(self.accesses.group[self.row] == group)
        sizes = self.accesses.size[self.row[rows_of_group]]
        stores = self.accesses.groups[group].requests[0].stores
        parts = []
        for size in np.unique(sizes).tolist():
            rows = rows_of_group[sizes == size]
            step, warp = self.pass_number[rows].astype(np.int32), self.accesses.warp[self.row[rows]]
            requests = Requests(size, step, warp, self.table[rows], stores)
            parts.append((requests, self.pass_number[rows], hash_columns(self.pass_number[rows], self.offset[rows])))
        found: dict[tuple[tuple[int, int], ...], dict[int, Requests]] = {}
        for into in size_choices(copy.sizes):
            outcomes = merge_windows(
                parts, self.accesses.groups[group].origin, MergeStrategy(into, once, over=copy.last)
            )
            if outcomes.keys() <= copy.sizes.keys():
                found.setdefault(tuple((size, len(r)) for size, r in sorted(outcomes.items())), outcomes)
        return list(found.values())

    def _check(
        self, choice: Sequence[dict[int, Requests]], copy: BodyCopy, pass_count: int
    ) -> list[MergeOutcome] | None:
        """Return the outcomes if every pass fits the copy; predicated instructions may be false in all lanes."""
        sizes = list(copy.sizes)
        expected = np.array([copy.sizes[size] for size in sizes])
        passes = int(self.pass_number.max(initial=-1)) + 1
        counts = [
            np.array([np.bincount(outcomes[size].step if size in outcomes else [], minlength=passes) for size in sizes])
            for outcomes in choice
        ]
        total = np.sum(counts, axis=0)
        fullest = total.max(axis=1, initial=0)
        # Each pass has the instructions of the copy, or fewer where a branch or a predicate leaves some out. At least
        # one pass has all of them, unless this is the last copy, which may never execute all of its iterations.
        fits = total <= expected[:, None] if copy.varies else total == expected[:, None]
        if not fits.all() or (passes and not copy.last and (fullest != expected).any()):
            return None
        # The instructions of each group: its part of the copy's, in the proportion of the fullest passes.
        shares = [int(count.max(axis=1, initial=0).sum()) * int(expected.sum()) for count in counts]
        if pass_count and (not passes or any(share % int(fullest.sum()) for share in shares)):
            return None  # executions for no lane cannot be attributed to a group
        most = [share // max(1, int(fullest.sum())) for share in shares]
        # A merged request comes from several steps: it gets the first one of its pass.
        step = np.full(passes, np.iinfo(np.int32).max, np.int32)
        np.minimum.at(step, self.pass_number, self.accesses.step[self.row])
        return [
            MergeOutcome(
                {size: replace(requests, step=step[requests.step]) for size, requests in outcomes.items()},
                max(0, pass_count * all_ - int(count.sum())),
            )
            for outcomes, all_, count in zip(choice, most, counts, strict=True)
        ]


def _concatenate(parts: Sequence[MergeOutcome]) -> MergeOutcome:
    sizes = dict.fromkeys(size for outcomes in parts for size in outcomes.requests)
    return MergeOutcome(
        {
            size: concatenate([outcomes.requests[size] for outcomes in parts if size in outcomes.requests])
            for size in sizes
        },
        sum(outcomes.inactive for outcomes in parts),
    )


def _signature(outcomes: Iterable[MergeOutcome]) -> tuple[int, ...]:
    return tuple(n for m in outcomes for n in (m.inactive, *(len(r) for _, r in sorted(m.requests.items()))))
