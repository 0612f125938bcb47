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
    """A condition that a barrier counts or combines over the block, and the slot of the result."""

    kind: str
    bits: Value
    slot: int


@dataclass(slots=True)
class Meeting:
    """Lanes that arrive and wait at once: the phase of each, and whether they turn out to be whole blocks."""

    keys: NDArray[np.int64]
    of_blocks: bool = False


class Gathering(NamedTuple):
    """A function of a warp that a thread waits for.

    `function` are its name and the types of what it is given, `names` the lanes that the mask names, `given` the
    thread's own operands. `perform` takes those of all who make it, and which lanes of their warp have not returned;
    what it returns for each of them goes into the slot `result`.
    """

    function: tuple[object, ...]
    names: int
    given: tuple[Value, ...]
    result: int
    perform: Callable[[Sequence[Group], Sequence[tuple[Value, ...]], NDArray[np.bool_]], list[Value]]


class Party(NamedTuple):
    """The threads that wait for each other at a barrier of a part of a block, for each lane of a group.

    No two parties of the grid have the same key.
    """

    key: NDArray[np.int64]
    """The party that each lane belongs to."""
    size: NDArray[np.int64]
    """The threads that it consists of."""


class Barrier(NamedTuple):
    """What a group says when it stops: at a barrier of its block, of the whole grid, or of a `party` of threads.

    `late` are the lanes that wait for the end of a phase. One that only `gives_way` waits for nothing: others have
    their turn.
    """

    statement: int
    span: Span
    mask: Active
    vote: Vote | None = None
    grid: bool = False
    party: Party | None = None
    late: Callable[[], NDArray[np.bool_]] | None = None
    meeting: Meeting | None = None
    gives_way: bool = False
    gathering: Gathering | None = None

    @property
    def of_block(self) -> bool:
        """Whether whole blocks wait here."""
        return self.party is None and self.late is None and self.gathering is None


if TYPE_CHECKING:
    Run = Callable[[Group, Active], Value]
    Plain = Callable[[Group, Active], Active]
    Waiting = Callable[[Group, Active], Generator[Barrier, None, Active]]


@dataclass(slots=True)
class Step:
    """A compiled statement: `plain`, or `waiting` where it holds a barrier; `jumps` where lanes can leave."""

    plain: Plain | None = None
    waiting: Waiting | None = None
    jumps: bool = False

    def generator(self) -> Waiting:
        """As a generator, also where it never waits."""
        if self.waiting is not None:
            return self.waiting
        assert self.plain is not None
        plain = self.plain

        def run(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            return plain(group, mask)
            yield

        return run


def nothing(group: Group, mask: Active) -> Active:
    """Do nothing."""
    return mask


def sequence(steps: list[Step]) -> Step:
    """One after another, as long as a lane is left."""
    jumps = any(step.jumps for step in steps)
    if any(step.waiting for step in steps):
        parts = [(step.plain, step.waiting) for step in steps]

        def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
            for plain, waiting in parts:
                if plain is not None:
                    mask = plain(group, mask)
                elif waiting is not None:
                    mask = yield from waiting(group, mask)
                if mask is EMPTY:
                    return mask
            return mask

        return Step(None, wait, jumps)
    runs = [step.plain for step in steps if step.plain is not None]
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
    """Return the steps of lists that hold steps and lists."""
    found: list[Step] = []
    for each in before:
        found += [each] if isinstance(each, Step) else flat(each)
    return found


def after(before: Iterable[Any], step: Step) -> Step:
    """Put what was hoisted out of a statement in front of it."""
    steps = flat(before)
    return sequence([*steps, step]) if steps else step
