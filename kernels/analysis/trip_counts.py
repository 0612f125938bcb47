"""Trip counts: for each thread in a loop, the step that entered it, the current iteration and their total number.

Threads of a warp may leave a loop after different numbers of iterations. Those that always execute the loop together
are a *cohort*; iterations are counted per cohort, of which there are far fewer than threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.requests import warps
from kernels.analysis.syntax import step_span
from kernels.analysis.walk import children
from kernels.frontend.ast import Block, Break, For, Switch, While

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Span, Statement
    from kernels.trace import Trace

    Numbers = NDArray[np.int64]


class Iterations(NamedTuple):
    """Iterations of threads at steps inside a loop, as columns."""

    entered: Numbers
    """The step in which the loop was entered."""
    number: Numbers
    """The iteration, from 0."""
    total: Numbers
    """Number of iterations of the whole loop."""


@dataclass(frozen=True, eq=False)
class TripCounts:
    """Iterations of a loop: one row for each execution of its head by a cohort."""

    trace: Trace
    cohort: Numbers
    """The number of each lane's cohort."""
    key: Numbers
    """cohort × steps of the trace + step, ascending."""
    iterations: Iterations

    @classmethod
    def of(cls, trace: Trace, loop: Loop) -> TripCounts | None:
        """Count the iterations of a loop; None for a loop with `break`, or with its test at the end."""
        at_head, in_body = _steps(trace, loop.header), _steps(trace, *_spans(loop.body))
        if not at_head or (isinstance(loop, While) and loop.first) or _breaks(loop.body):
            return None
        # A key orders executions by cohort, then step, with heads and bodies of the loop in one sequence. For a cohort
        # that runs two iterations in steps 5–9 and enters the loop again in step 20:
        #     step      5     6     7     8     9     20    21    22
        #     at        head  body  head  body  head  head  body  head
        #     number    0           1           2     0           1
        # The last head of a run finds the condition false.
        cohort = _cohorts(trace, {*at_head, *in_body})
        head_keys = _keys(trace, cohort, at_head)
        keys = np.concatenate([head_keys, _keys(trace, cohort, in_body)])
        order = np.argsort(keys, kind="stable")
        is_head, key = order < len(head_keys), keys[order]
        # A head followed by a body of the same cohort begins an iteration; a head followed by a head ends the loop.
        same = np.diff(key // trace.steps) == 0
        continues = np.append(~is_head[1:] & same, False)[is_head]
        begins = ~np.append(False, ~is_head[:-1] & same)[is_head]
        run = np.cumsum(begins) - 1
        first = np.flatnonzero(begins)
        number = np.cumsum(continues) - continues
        entered = key[is_head][first] % trace.steps
        count = np.bincount(run, continues).astype(np.int64)
        iterations = Iterations(entered[run], number - number[first][run], count[run])
        return cls(trace, cohort, key[is_head], iterations)

    def at(self, cohort: Numbers, step: Numbers) -> Iterations:
        """Return the iterations of cohorts at steps inside the loop."""
        # The last execution of the head at or before the step: a body belongs to the iteration of the head before it.
        row = np.searchsorted(self.key, cohort * self.trace.steps + step, side="right") - 1
        return Iterations(*(column[row] for column in self.iterations))

    def executions(self, span: Span) -> tuple[Numbers, Numbers, Numbers]:
        """Return warp, cohort and step of every execution of a statement."""
        found = [np.zeros((3, 0), np.int64)]
        for mask, steps in _steps(self.trace, span).items():
            lane = self.trace.masks[mask].astype(np.int64)
            pairs = np.unique(np.stack([warps(self.trace, lane), self.cohort[lane]]), axis=1)
            found.append(np.vstack([np.repeat(pairs, len(steps), axis=1), np.tile(steps, pairs.shape[1])]))
        warp, cohort, step = np.concatenate(found, axis=1)
        return warp, cohort, step


def warp_executions(trace: Trace, span: Span) -> int:
    """Count how often warps execute a statement."""
    return sum(
        len(np.unique(warps(trace, trace.masks[mask]))) * len(steps) for mask, steps in _steps(trace, span).items()
    )


def _steps(trace: Trace, *spans: Span) -> dict[int, Numbers]:
    """Return the steps that execute some statements, by their masks."""
    numbers = [number for number, statement in enumerate(trace.statements) if statement.span in spans]
    steps = np.flatnonzero(np.isin(trace.step_statement, numbers))
    order = steps[np.argsort(trace.step_mask[steps], kind="stable")]
    masks, first = np.unique(trace.step_mask[order], return_index=True)
    return dict(zip(masks.tolist(), np.split(order, first[1:]), strict=True)) if len(steps) else {}


def _cohorts(trace: Trace, masks: set[int]) -> Numbers:
    """Return a number for each lane, the same for lanes in the same masks."""
    # Each mask has a random weight: lanes of the same masks have the same sum, modulo 2**64.
    sums = np.zeros(trace.launch.thread_count, np.int64)
    weights = np.random.default_rng(0).integers(1, 1 << 62, len(masks))
    for mask, weight in zip(sorted(masks), weights, strict=True):
        sums[trace.masks[mask]] += weight
    cohorts: Numbers = np.unique(sums, return_inverse=True)[1].astype(np.int64)
    return cohorts


def _keys(trace: Trace, cohort: Numbers, steps: dict[int, Numbers]) -> Numbers:
    found = [np.zeros(0, np.int64)]
    for mask, each in steps.items():
        found.append((np.unique(cohort[trace.masks[mask]])[:, None] * trace.steps + each).reshape(-1))
    return np.concatenate(found)


def _spans(node: Statement | None) -> Iterator[Span]:
    """Yield the spans of a body's statements."""
    if isinstance(node, Block):
        for part in node.body:
            yield from _spans(part)
    elif node is not None:
        yield step_span(node)


def _breaks(node: object) -> bool:
    """Return whether a `break` leaves this loop; those of nested loops and switches do not."""
    if isinstance(node, Break):
        return True
    return not isinstance(node, For | While | Switch) and any(_breaks(child) for child in children(node))
