"""Divergence: what each lane of a warp does in a step, and the branches at which the lanes separated.

Everything follows from the lanes of the steps. A lane that takes no part in a step separated from those that do in the
last step that they executed together, in general the head of an `if` or of a loop:

    step  statement            lanes
    4     if (x < 16)          0 … 31
    5     a[x] = 1;            0 … 15     lanes 16 … 31 separated from these in step 4, and their turn comes
    6     a[x] = 2;            16 … 31    lanes 0 … 15 separated in step 4, and have had their turn
    7     b[x] = 3;            0 … 31     all together again

The value of the condition in a lane is that of the side to which its next step belongs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.analysis.order.barrier_arrivals import arrivals, misses_threads
from kernels.analysis.syntax.source import place_of, step_span, text_at
from kernels.frontend.ast import For, If, Return, While
from kernels.launch import WARP_SIZE
from kernels.trace.sorted_columns import count_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.order.playlist import Playlist
    from kernels.trace import Trace

    Steps = NDArray[np.int32]
    Bits = NDArray[np.uint32]


LaneState = Literal["runs", "masked", "waits", "returned", "elsewhere"]
LANE_STATES: Final[tuple[LaneState, ...]] = ("runs", "masked", "waits", "returned", "elsewhere")
RUNS, MASKED, WAITS, RETURNED, ELSEWHERE = range(5)

Turn = Literal["now", "later", "before", "none"]
"""When the lanes of one side of a branch run: in this step, after it, before it, or not at all (there is no `else`)."""

SplitKind = Literal["branch", "loop", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Lanes that took one side of a branch."""

    taken: bool | None
    """Value of the condition of an `if`, or of a loop, which the lanes continue or leave; None for others."""
    lanes: NDArray[np.int64]
    """Numbers of the lanes in the warp, ascending."""
    turn: Turn


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A statement at which lanes of a warp separated."""

    kind: SplitKind
    line: int
    """Source line, counted from 1."""
    text: str
    """The condition of an `if` or loop, as written, else the statement; "" for `for (;;)`."""
    has_else: bool
    """True for an `if` with an `else`."""
    sides: tuple[Side, Side]
    """The side on which the condition is true first."""


@dataclass(frozen=True, slots=True, eq=False)
class WarpState:
    """The lanes of one warp in one step."""

    warp: int
    """Number of the warp in its block."""
    first_lane: int
    """Lane of the launch that is lane 0 of the warp."""
    state: NDArray[np.int8]
    """Position in `LANE_STATES` of each lane; a warp at the end of a block can have fewer than 32.

    - runs: executes the step.
    - masked: separated from the running lanes at a branch, and does nothing in this step.
    - waits: has arrived at a barrier that other threads of the block have not reached.
    - returned: has returned from the kernel.
    - elsewhere: no lane of the warp executes the step, and this one does not wait and has not returned.
    """
    splits: tuple[Split, ...]
    """Branches at which lanes are separated now, outermost first; in the step of a branch, that branch is the last."""

    def lanes(self, state: int) -> NDArray[np.int64]:
        """Return the numbers of the lanes in a state."""
        return np.flatnonzero(self.state == state)

    @property
    def divergent(self) -> bool:
        """True if some lanes run and others are masked."""
        return bool((self.state == RUNS).any() and (self.state == MASKED).any())


def warp_state(trace: Trace, step: int, block: int, warp: int) -> WarpState:
    """Return the states of the lanes of a warp (number in its block) in a step of a block (linear number)."""
    size = trace.launch.block.count
    first = block * size + warp * WARP_SIZE
    count = min(WARP_SIZE, size - warp * WARP_SIZE)
    steps = trace.block_steps(block)
    numbers, rows = np.unique(trace.step_mask[steps], return_inverse=True)
    masks = np.array([_bits(trace.masks[number], first, count) for number in numbers.tolist()], np.uint32)[rows]
    now = count_below(steps, step)
    if now == len(steps) or steps[now] != step:
        return WarpState(warp, first, np.full(count, ELSEWHERE, np.int8), ())
    own = _latest(masks[: now + 1], count)
    state = np.full(count, ELSEWHERE, np.int8)
    running = masks[now]
    if running:
        state[:] = MASKED
    for last in np.unique(own[own >= 0]).tolist():
        mine = own == last
        if last == now:
            state[mine] = RUNS
            waiting = trace.statement(step).kind == "barrier" and not _complete(trace, step, block, step)
            if waiting:
                state[mine] = WAITS
        elif trace.statement(int(steps[last])).kind == "barrier":
            if not _complete(trace, int(steps[last]), block, step):
                state[mine] = WAITS
        elif _returns(trace, int(steps[last])):
            state[mine] = RETURNED
    splits = _splits(trace, steps, masks, now, own, state) if running else ()
    return WarpState(warp, first, state, splits)


def _bits(lanes: NDArray[np.int32], first: int, count: int) -> int:
    """Return the lanes of a warp as bits."""
    begin, end = np.searchsorted(lanes, [first, first + count])
    return int(np.bitwise_or.reduce(np.uint32(1) << (lanes[begin:end] - first).astype(np.uint32), initial=np.uint32(0)))


def _latest(masks: Bits, count: int) -> NDArray[np.int64]:
    """Return for each lane the position of the last mask that contains it; -1 for none."""
    found = np.full(count, -1, np.int64)
    seen = np.bitwise_or.accumulate(masks[::-1])
    new = np.flatnonzero(np.diff(seen, prepend=np.uint32(0)))
    for at in new[::-1].tolist():  # at most one for each lane
        found[_members(int(seen[at]), count)] = len(masks) - 1 - at
    return found


def _members(bits: int, count: int) -> NDArray[np.int64]:
    return np.flatnonzero((bits >> np.arange(count)) & 1)


def _complete(trace: Trace, barrier: int, block: int, step: int) -> bool:
    """Return whether all that a barrier waits for have arrived when a step is over."""
    now, ever = arrivals(trace, barrier, block, step)
    if len(now) < len(ever):
        return False
    return len(ever) == trace.launch.block.count or not misses_threads(trace, barrier)


def _returns(trace: Trace, step: int) -> bool:
    place = place_of(trace, step)
    return place is not None and isinstance(place.node, Return) and place.function.name == trace.kernel


def _splits(
    trace: Trace, steps: Steps, masks: Bits, now: int, own: NDArray[np.int64], state: NDArray[np.int8]
) -> tuple[Split, ...]:
    """Return the branches at which the masked lanes separated from the running ones, outermost first."""
    count, running = len(state), masks[now]
    # Only steps with a running lane can be the last that a masked lane has in common with them.
    together = np.where(masks[: now + 1] & running, masks[: now + 1], np.uint32(0))
    common = np.where(state == MASKED, _latest(together, count), -1)
    by_statement: dict[int, list[int]] = {}
    for at in np.unique(common[common >= 0]).tolist():
        # A loop that lanes leave in different rounds is one split.
        by_statement.setdefault(int(trace.step_statement[steps[at]]), []).append(at)
    inner = _members(int(running), count)
    found: list[Split] = []
    branch = int(trace.step_statement[steps[now]]) if _is_branch(trace, int(steps[now])) else -1
    coming = _coming(trace, steps, masks, now, inner) if branch >= 0 else []
    for positions in sorted(by_statement.values(), key=max, reverse=True):
        lanes = np.flatnonzero(np.isin(common, positions))
        if coming and int(trace.step_statement[steps[positions[0]]]) == branch:  # lanes that left the loop before
            coming = [_joined(coming[0], lanes)]
        else:
            others = Side(None, lanes, _turn(masks, now, positions, own, lanes))
            found.append(_split(trace, steps, masks, max(positions), Side(None, inner, "now"), others))
        inner = np.union1d(inner, lanes)
    return tuple([*coming, *found][::-1])


def _joined(split: Split, lanes: NDArray[np.int64]) -> Split:
    """Return a split of a loop with more lanes that have left it."""
    goes_on, leaves = split.sides
    return replace(split, sides=(goes_on, replace(leaves, lanes=np.union1d(leaves.lanes, lanes))))


def _turn(masks: Bits, now: int, since: list[int], own: NDArray[np.int64], lanes: NDArray[np.int64]) -> Turn:
    """Return when separated lanes run: since they separated, or until they meet the running ones again."""
    if (own[lanes] > max(since)).any():
        return "before"
    bits, running = _mask_of(lanes), masks[now]
    ahead = masks[now + 1 :]
    meets = np.flatnonzero(((ahead & running) != 0) & ((ahead & bits) != 0))
    alone = np.flatnonzero((ahead & bits) != 0)
    return "later" if len(alone) and (not len(meets) or alone[0] < meets[0]) else "none"


def _mask_of(lanes: NDArray[np.int64]) -> np.uint32:
    return np.uint32(sum(1 << lane for lane in lanes.tolist()))


def _is_branch(trace: Trace, step: int) -> bool:
    return trace.statement(step).kind in ("branch", "loop")


def _coming(trace: Trace, steps: Steps, masks: Bits, now: int, running: NDArray[np.int64]) -> list[Split]:
    """Return the split that the branch of this step makes, if its lanes separate."""
    ahead = masks[now + 1 :]
    if not len(ahead):
        return []
    first = len(ahead) - 1 - _latest(ahead[::-1], WARP_SIZE)  # first step ahead of each lane; len(ahead) for none
    lanes = running[first[running] < len(ahead)]
    values = {int(lane): _side_of(trace, int(steps[now]), int(steps[now + 1 + first[lane]])) for lane in lanes}
    sides = [np.array([lane for lane in running.tolist() if values.get(lane, False) is side]) for side in (True, False)]
    if not all(len(side) for side in sides):
        return []
    yes, no = (Side(value, side, "later") for value, side in zip((True, False), sides, strict=True))
    return [_split(trace, steps, masks, now, yes, no)]


def _split(trace: Trace, steps: Steps, masks: Bits, at: int, running: Side, others: Side) -> Split:
    """Return a split with the values of its condition; `at` is the last position at which all were together."""
    step = int(steps[at])
    place, statement = place_of(trace, step), trace.statement(step)
    node = place.node if place is not None else None
    kind: SplitKind = "branch" if isinstance(node, If) else "loop" if isinstance(node, For | While) else "other"
    if kind == "other" or not isinstance(node, If | For | While):
        return Split("other", statement.span.line, text_at(trace, statement.span).rstrip(";"), False, (running, others))
    if running.taken is None:
        ahead = np.flatnonzero(masks[at + 1 :] & _mask_of(running.lanes))
        taken = _side_of(trace, step, int(steps[at + 1 + ahead[0]])) if len(ahead) else None
        running = Side(taken, running.lanes, running.turn)
        others = Side(None if taken is None else not taken, others.lanes, others.turn)
    has_else = isinstance(node, If) and node.otherwise is not None
    if others.turn == "later" and others.taken is False and not has_else:  # what follows is not a side of its own
        others = Side(False, others.lanes, "none")
    sides = (others, running) if running.taken is False else (running, others)
    text = "" if node.condition is None else text_at(trace, node.condition.span)
    return Split(kind, statement.span.line, text, has_else, sides)


def _side_of(trace: Trace, head: int, following: int) -> bool | None:
    """Return the value that the condition of a head had in a lane, from the lane's next step; None if unknown."""
    place, branch = place_of(trace, following), place_of(trace, head)
    if branch is None or not isinstance(branch.node, If | For | While):
        return None
    if place is None:
        return None
    if isinstance(branch.node, If):
        for node, side in place.branches:
            if step_span(node) == step_span(branch.node):
                return side
        return False if branch.node.otherwise is None else None
    return any(step_span(loop) == step_span(branch.node) for loop in place.loops)


# --- Executions of a source line in a playlist


def next_execution(trace: Trace, frames: Playlist, position: int, line: int) -> int | None:
    """Return the position of the next frame that executes a source line; after the last one, of the first.

    A statement belongs to every line that it is written on. Without a frame of the line, return None.
    """
    written = [s.span.line <= line <= s.span.end_line for s in trace.statements]
    at = np.flatnonzero(np.array([*written, False])[trace.step_statement[frames.frames.steps]])
    if not len(at):
        return None
    return int(at[int(np.searchsorted(at, position, "right")) % len(at)])
