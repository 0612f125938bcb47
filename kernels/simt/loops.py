"""How loops run: until no lane is left, those that leave early collected on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.lanes import EMPTY, Active, Group

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kernels.simt.code import Loop
    from kernels.simt.recorder import Tally
    from kernels.simt.steps import Barrier, Plain, Waiting

    Head = Callable[[Group, Active, bool], tuple[Active, Active]]
    """Makes the test, told whether it is the first; returns who goes round again, and who leaves."""


def plain_loop(loop: Loop, body: Plain, head: Head, test_first: bool) -> Plain:
    """Return a loop whose body holds no barrier."""
    broken, continued, jumps, returns = loop.broken, loop.continued, loop.jumps, loop.returns

    def run(group: Group, mask: Active) -> Active:
        values, entered = group.values, mask
        left: Active = EMPTY
        values[broken] = EMPTY
        first, rounds = True, [loop.statement, 0]
        group.loops.append(rounds)
        while True:
            if test_first or not first:
                mask, out = head(group, mask, first)
                if returns:
                    left = group.union(left, out)
                if mask is EMPTY:
                    break
            first = False
            rounds[1] += 1
            values[continued] = EMPTY
            mask = body(group, mask)
            if jumps:
                mask = group.union(mask, values[continued])
            if mask is EMPTY:
                break
        group.loops.pop()
        # Without a return every lane that came in goes on behind the loop.
        return group.union(left, values[broken]) if returns else entered

    return run


def waiting_loop(
    recorder: Tally, loop: Loop, body: Waiting, head: Head, test_first: bool, *, phases: bool = True
) -> Waiting:
    """Return the same loop as a generator; the outermost one numbers the `phases` between barriers."""
    broken, continued, jumps, returns = loop.broken, loop.continued, loop.jumps, loop.returns

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        values, entered = group.values, mask
        left: Active = EMPTY
        values[broken] = EMPTY
        first, outermost, rounds = True, phases and group.phase < 0, [loop.statement, 0]
        group.loops.append(rounds)
        while True:
            if outermost:
                group.phase += 1
            if test_first or not first:
                mask, out = head(group, mask, first)
                if returns:
                    left = group.union(left, out)
                if mask is EMPTY:
                    if outermost:
                        recorder.leave_phase()
                    break
            first = False
            rounds[1] += 1
            values[continued] = EMPTY
            mask = yield from body(group, mask)
            if jumps:
                mask = group.union(mask, values[continued])
            if mask is EMPTY:
                break
        group.loops.pop()
        if outermost:
            group.phase = -1
        return group.union(left, values[broken]) if returns else entered

    return wait
