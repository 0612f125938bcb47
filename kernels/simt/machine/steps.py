"""Compiled statements: closures from active lanes to continuing lanes, or generators that yield barriers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kernels.simt.machine.lanes import EMPTY, Active, Group

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.machine.arithmetic import Value


class Vote(NamedTuple):
    """A condition that `__syncthreads_count`, `_and` or `_or` combines over the block."""

    kind: str
    """count, and, or."""
    bits: Value
    """The condition of each lane, or of all."""
    slot: int
    """The register that gets the result."""


@dataclass(slots=True)
class ArriveWait:
    """Lanes that arrive at a phase of a barrier object and wait for its end in one call."""

    keys: NDArray[np.int64]
    """Number of each lane's phase (`kernels.simt.machine.barrier_phases.Phases.keys`)."""
    whole_blocks: bool = False
    """Set on release: all threads of the blocks were in it, so it was announced as a barrier of whole blocks."""


class Collective(NamedTuple):
    """A warp function that one thread, a group by itself, has reached and waits in."""

    function: tuple[object, ...]
    """Name and argument types; lanes perform it together only if these are equal."""
    mask: int
    """The lanes that take part, one bit a lane."""
    operands: tuple[Value, ...]
    result: int
    """The register that gets the thread's result."""
    perform: Callable[[Sequence[Group], Sequence[tuple[Value, ...]], NDArray[np.bool_]], list[Value]]
    """Returns the result of each participant, given the participants, their operands, and the lanes of the warp that
    have not returned from the kernel."""


class Party(NamedTuple):
    """The threads that wait for each other at a barrier of a part of a block, for each lane of a group."""

    key: NDArray[np.int64]
    """The party of each lane; unique in the grid."""
    size: NDArray[np.int64]
    """Threads of that party."""


class Barrier(NamedTuple):
    """The reason why a group has paused; a generator of `Step.waiting` yields it to the scheduler.

    Without `grid`, `party`, `pending`, `yields` or `collective` it is a barrier of whole blocks.
    """

    statement: int
    span: Span
    mask: Active
    """The lanes that wait."""
    vote: Vote | None = None
    grid: bool = False
    """All blocks wait for each other."""
    party: Party | None = None
    """Parts of the block wait."""
    pending: Callable[[], NDArray[np.bool_]] | None = None
    """Returns the lanes whose phase has not ended yet."""
    arrive_wait: ArriveWait | None = None
    yields: bool = False
    """Waits for nothing: an interleaved group ends its turn."""
    collective: Collective | None = None

    @property
    def of_block(self) -> bool:
        """True if whole blocks wait here."""
        return self.party is None and self.pending is None and self.collective is None


if TYPE_CHECKING:
    Run = Callable[[Group, Active], Value]
    Plain = Callable[[Group, Active], Active]
    Waiting = Callable[[Group, Active], Generator[Barrier, None, Active]]


@dataclass(slots=True)
class Step:
    """A compiled statement: a function, or a generator where it contains a barrier.

    Both return the lanes that continue after the statement; lanes that left by break, continue or return are missing.
    """

    plain: Plain | None = None
    waiting: Waiting | None = None
    jumps: bool = False
    """True if lanes can leave by break, continue, goto or return."""

    def generator(self) -> Waiting:
        """Return the statement as a generator, even if it never waits."""
        if self.waiting is not None:
            return self.waiting
        assert self.plain is not None
        plain = self.plain

        def run(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            return plain(group, mask)
            yield  # unreachable; makes `run` a generator function

        return run


def nothing(group: Group, mask: Active) -> Active:
    """Do nothing."""
    return mask


def sequence(steps: list[Step]) -> Step:
    """Return the steps as one: executed in order, until no lane is left."""
    jumps = any(step.jumps for step in steps)
    if any(step.waiting for step in steps):
        parts = [(step.plain, step.waiting) for step in steps]

        def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            for plain, waiting in parts:
                if plain is not None:
                    mask = plain(group, mask)
                # Only statements that can wait pay for a generator; all others of the sequence are called directly.
                elif waiting is not None:
                    mask = yield from waiting(group, mask)
                if mask is EMPTY:
                    return mask
            return mask

        return Step(None, wait, jumps)
    runs = [step.plain for step in steps if step.plain is not None]
    # A block with one statement is that statement: no loop, one call less in every execution.
    if len(runs) == 1:
        return Step(runs[0], None, jumps)

    def run(group: Group, mask: Active) -> Active:
        for plain in runs:
            mask = plain(group, mask)
            if mask is EMPTY:
                return mask
        return mask

    return Step(run, None, jumps)


def flat(before: Iterable[Any]) -> list[Step]:
    """Flatten nested lists of steps."""
    found: list[Step] = []
    for each in before:
        found += [each] if isinstance(each, Step) else flat(each)
    return found


def after(before: Iterable[Any], step: Step) -> Step:
    """Return a statement with the steps that were hoisted out of it in front of it."""
    steps = flat(before)
    return sequence([*steps, step]) if steps else step
