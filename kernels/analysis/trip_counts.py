"""Turns of a loop: when a thread entered it, which turn it is in, and how many it takes in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.analysis.requests import warps
from kernels.analysis.syntax import head_of
from kernels.analysis.walk import children
from kernels.frontend.ast import Block, Break, For, Switch, While

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Span, Statement
    from kernels.trace import Trace

    Numbers = NDArray[np.int64]


class Turn(NamedTuple):
    """For threads at steps: the step in which the loop was entered, the turn from 0 on, and how many there are."""

    entered: Numbers
    number: Numbers
    turns: Numbers


@dataclass(frozen=True, eq=False)
class Turns:
    """A row for every time that threads are at a loop's head, sorted by `moment`: fellowship × steps + step.

    Threads that always are at the head and in the body together are one fellowship: `fellows` has its number for each
    lane.
    """

    trace: Trace
    fellows: Numbers
    moment: Numbers
    turn: Turn

    @classmethod
    def of(cls, trace: Trace, loop: Loop) -> Turns | None:
        """Find a loop's turns; None where it can be left elsewhere than at its head, or the head comes last."""
        at_head, in_body = _steps(trace, loop.header), _steps(trace, *_parts(loop.body))
        if not at_head or (isinstance(loop, While) and loop.first) or _breaks(loop.body):
            return None
        fellows = _fellows(trace, {*at_head, *in_body})
        heads = _moments(trace, fellows, at_head)
        every = np.concatenate([heads, _moments(trace, fellows, in_body)])
        order = np.argsort(every, kind="stable")
        head, moment = order < len(heads), every[order]
        same = np.diff(moment // trace.steps) == 0  # the threads are those of the row before
        taken = np.append(~head[1:] & same, False)[head]
        begins = ~np.append(False, ~head[:-1] & same)[head]
        run = np.cumsum(begins) - 1
        first = np.flatnonzero(begins)
        number = np.cumsum(taken) - taken
        entered = moment[head][first] % trace.steps
        count = np.bincount(run, taken).astype(np.int64)
        turn = Turn(entered[run], number - number[first][run], count[run])
        return cls(trace, fellows, moment[head], turn)

    def at(self, fellows: Numbers, step: Numbers) -> Turn:
        """Tell the turns of fellowships at steps inside the loop."""
        row = np.searchsorted(self.moment, fellows * self.trace.steps + step, side="right") - 1
        return Turn(*(column[row] for column in self.turn))

    def executions(self, span: Span) -> tuple[Numbers, Numbers, Numbers]:
        """Warp, fellowship and step of every execution of a statement."""
        found = [np.zeros((3, 0), np.int64)]
        for mask, steps in _steps(self.trace, span).items():
            lane = self.trace.masks[mask].astype(np.int64)
            pairs = np.unique(np.stack([warps(self.trace, lane), self.fellows[lane]]), axis=1)
            found.append(np.vstack([np.repeat(pairs, len(steps), axis=1), np.tile(steps, pairs.shape[1])]))
        warp, fellows, step = np.concatenate(found, axis=1)
        return warp, fellows, step


def warps_at(trace: Trace, span: Span) -> int:
    """Count how often warps execute a statement."""
    return sum(
        len(np.unique(warps(trace, trace.masks[mask]))) * len(steps) for mask, steps in _steps(trace, span).items()
    )


def _steps(trace: Trace, *spans: Span) -> dict[int, Numbers]:
    """Collect the steps that execute some statements, by their masks."""
    numbers = [number for number, statement in enumerate(trace.statements) if statement.span in spans]
    steps = np.flatnonzero(np.isin(trace.step_statement, numbers))
    order = steps[np.argsort(trace.step_mask[steps], kind="stable")]
    masks, first = np.unique(trace.step_mask[order], return_index=True)
    return dict(zip(masks.tolist(), np.split(order, first[1:]), strict=True)) if len(steps) else {}


def _fellows(trace: Trace, masks: set[int]) -> Numbers:
    """Return a number for each lane, the same for those in the same masks."""
    sums = np.zeros(trace.launch.thread_count, np.int64)
    weights = np.random.default_rng(0).integers(1, 1 << 62, len(masks))
    for mask, weight in zip(sorted(masks), weights, strict=True):
        sums[trace.masks[mask]] += weight  # modulo 2**64
    fellows: Numbers = np.unique(sums, return_inverse=True)[1].astype(np.int64)
    return fellows


def _moments(trace: Trace, fellows: Numbers, steps: dict[int, Numbers]) -> Numbers:
    found = [np.zeros(0, np.int64)]
    for mask, each in steps.items():
        found.append((np.unique(fellows[trace.masks[mask]])[:, None] * trace.steps + each).reshape(-1))
    return np.concatenate(found)


def _parts(node: Statement | None) -> Iterator[Span]:
    if isinstance(node, Block):
        for part in node.body:
            yield from _parts(part)
    elif node is not None:
        yield head_of(node)


def _breaks(node: object) -> bool:
    """Whether a loop's body may leave it: nested loops and switches have breaks of their own."""
    if isinstance(node, Break):
        return True
    return not isinstance(node, For | While | Switch) and any(_breaks(child) for child in children(node))
