"""Independent thread scheduling: interleave warps or threads; one that spins yields to the others.

Needed for kernels in which a thread waits in a loop for another one (a lock, a flag): the waiting thread must not keep
the other from running (CUDA C++ Programming Guide, "Independent Thread Scheduling"). All blocks run at once. Other
kernels run group by group (`kernels.simt.machine.schedule`), which is faster; that a kernel needs interleaving is found
while it runs, and then it is compiled and run again.

Example: `while (atomicCAS(lock, 0, 1));  n += 1;  atomicExch(lock, 0);` by the 32 lanes of a warp. In lockstep lane 0
takes the lock and waits at the end of the loop for the 31 others, which spin for ever. After `PATIENCE` rounds in which
nothing changes, the run is repeated with a group for each warp, and then with one for each thread: now a thread that
spins yields after each round, lane 0 goes on to the release, and the others take the lock one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.assumptions import Recompile
from kernels.simt.machine.deadlock import Circle
from kernels.simt.machine.recorder import Stopped
from kernels.simt.machine.steps import Barrier

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kernels.frontend.ast import Span
    from kernels.simt.machine.assumptions import Assumptions
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Plain, Waiting

    Head = Callable[[Group, Active, bool], tuple[Active, Active]]
    GoOn = Callable[[list[int], dict[int, Barrier]], list[int]]

WARPS: Final = 1
THREADS: Final = 2
"""How finely threads take turns."""

PATIENCE: Final = 100
"""Rounds that a loop which only waits makes in vain before that is taken for waiting."""

MOST_GROUPS: Final = 1 << 14
"""Warps, or threads, that can take turns."""

_MOST_APART: Final = 1 << 12
"""Threads of a grid whose warps are taken apart for functions that their lanes reach from different places."""

_STEPS_APART: Final = 400_000
"""Steps after which that is given up."""

_ROUNDS: Final = 16
"""Rounds of a loop that does something itself, until others have their turn."""


def allowed(machine: Machine, finely: int) -> bool:
    """Whether threads can take turns so finely."""
    per_block = machine.launch.warps_per_block if finely == WARPS else machine.launch.block.count
    together = machine.assumptions.together and finely == THREADS
    return not together and machine.launch.grid.count * per_block <= MOST_GROUPS


def finer(machine: Machine) -> bool:
    """Note that threads have to take turns, or more finely than they do; returns whether they can."""
    for finely in range(machine.assumptions.turns + 1, THREADS + 1):
        if not machine.assumptions.in_step and allowed(machine, finely):
            machine.assumptions.turns = finely
            return True
    return False


def give_up(assumptions: Assumptions) -> bool:
    """Note that code which cannot be compiled for turns has to run in step; returns whether turns were taken at all."""
    if join(assumptions):
        return True
    if not assumptions.turns:
        return False
    assumptions.turns, assumptions.in_step = 0, True
    return True


def part(machine: Machine) -> bool:
    """Note that lanes of a warp may come to one of its functions from different places; whether that can be tried."""
    assumptions = machine.assumptions
    known = assumptions.apart is not None or assumptions.turns or assumptions.in_step
    if known or machine.launch.thread_count > _MOST_APART:
        return False
    assumptions.apart, assumptions.turns = True, THREADS
    return True


def most_steps(assumptions: Assumptions, most: int) -> int:
    """Return how many steps a run may have, given how many it may have otherwise: trying something ends earlier."""
    return min(most, _STEPS_APART) if assumptions.apart else most


def join(assumptions: Assumptions) -> bool:
    """Note that lanes were taken apart in vain: the kernel is run as if not; returns whether they were."""
    if not assumptions.apart:
        return False
    assumptions.apart, assumptions.turns = False, 0
    return True


def waits(machine: Machine, statement: int) -> bool:
    """Whether the head of a loop reads memory that the kernel changes elsewhere."""
    read = {site.array for site in machine.sites if site.statement == statement}
    return any(s.array in read and s.access != "read" and s.statement != statement for s in machine.sites)


def impatient(machine: Machine, number: int, head: Head) -> Head:
    """Return the head of a loop that only waits, which finds out when it waits in vain."""
    asked = False

    def ask(group: Group, mask: Active, first: bool) -> tuple[Active, Active]:
        nonlocal asked
        if not asked and group.loops[-1].made > PATIENCE:
            asked = True
            if waits(machine, number) and finer(machine):
                raise Recompile
        return head(group, mask, first)

    return ask


def giving_way(number: int, span: Span, body: Plain, *, idle: bool) -> Waiting:
    """Return the body of a loop, after which others have their turn; `idle` where the loop does nothing else."""

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        mask = body(group, mask)
        if idle or group.loops[-1].made % _ROUNDS == 0:
            yield Barrier(number, span, mask, gives_way=True)
        return mask

    return wait


def take_turns(
    machine: Machine,
    groups: Sequence[Group],
    runs: Sequence[Generator[Barrier, None, Active]],
    owners: Sequence[int],
    arrange: Callable[[int], list[int]],
    gather: GoOn,
    go_on: GoOn,
) -> None:
    """Run every group until it waits, again and again; those at a barrier go on when all of their owner's are there.

    Parameters
    ----------
    groups, runs : sequences
        The groups, and a run of each.
    owners : sequence of int
        Whose barriers each group meets: its block's, or the grid's.
    arrange : callable
        Order in which so many groups take their turn.
    gather, go_on : callable
        Take the groups of one owner and where they wait; return those that go on, and take them out: those of warps
        all of whose lanes have come that a function names, and when all wait, those at barriers.

    Raises
    ------
    Recompile
        Where all wait in vain, and might not if every thread went its own way; or where they do and wait in vain, too.
    Stopped
        Where all wait for ever.
    """
    left: dict[int, set[int]] = {}
    for number, owner in enumerate(owners):
        left.setdefault(owner, set()).add(number)
    everyone = {owner: sorted(numbers) for owner, numbers in left.items()}
    waiting: dict[int, dict[int, Barrier]] = {owner: {} for owner in left}
    ready, vain = list(range(len(runs))), 0
    circle = Circle(machine, groups)
    while ready:
        again, moved = dict[int, Barrier](), set()
        for number in [ready[at] for at in arrange(len(ready))]:
            barrier = next(runs[number], None)
            owner = owners[number]
            if barrier is not None and barrier.gives_way:
                again[number] = barrier
                continue
            moved.add(owner)
            if barrier is None:
                left[owner].discard(number)
            else:
                waiting[owner][number] = barrier
        ready = sorted(again)
        for owner in sorted(moved):
            here = waiting[owner]
            ready += gather(everyone[owner], here)
            if here and len(here) == len(left[owner]):
                if any(barrier.gathering for barrier in here.values()) and join(machine.assumptions):
                    raise Recompile
                ready += go_on(everyone[owner], here)
        vain = 0 if moved else vain + 1
        still = circle.closes(vain, again)
        if (still or vain == PATIENCE) and finer(machine):
            raise Recompile
        if still and join(machine.assumptions):
            raise Recompile
        if still:
            raise Stopped("stopped where no thread goes on any more", "standstill")
