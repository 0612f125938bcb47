"""Independent thread scheduling: interleave warps or threads; one that spins yields to the others.

Needed for kernels in which a thread waits in a loop for another one (a lock, a flag): the waiting thread must not keep
the other from running (CUDA C++ Programming Guide, "Independent Thread Scheduling"). All blocks are resident then.
Other kernels run group by group (`kernels.simt.machine.schedule`), which is faster; that a kernel needs interleaving is
found while it runs, and then it is compiled and run again.

Example: `while (atomicCAS(lock, 0, 1));  n += 1;  atomicExch(lock, 0);` by the 32 lanes of a warp. In lockstep lane 0
takes the lock and waits at the end of the loop for the 31 others, which spin forever. After `SPIN_ROUNDS` rounds in
which nothing changes, the run is repeated with a group for each warp, and then with one for each thread: now a thread
that spins yields after each round, lane 0 reaches the release, and the others take the lock one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.deadlock import DeadlockDetector
from kernels.simt.machine.recorder import EarlyStop
from kernels.simt.machine.steps import Barrier

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kernels.frontend.ast import Span
    from kernels.simt.machine.assumptions import Assumptions
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Plain, Waiting

    Head = Callable[[Group, Active, bool], tuple[Active, Active]]
    Release = Callable[[list[int], dict[int, Barrier]], list[int]]

WARPS: Final = 1
THREADS: Final = 2
"""Granularities of interleaving (`Assumptions.interleaving`): a group for each warp, or for each thread."""

SPIN_ROUNDS: Final = 100
"""Rounds of a loop that only tests memory, after which it is taken for waiting; also idle rounds of all groups."""

MOST_GROUPS: Final = 1 << 14
"""Maximum number of groups that are interleaved."""

_MOST_SINGLE_THREADS: Final = 1 << 12
"""Maximum threads of a grid that are interleaved one by one if a warp function is reached in divergent code."""

_STEPS_OF_SINGLE_THREADS: Final = 400_000
"""Steps after which that attempt is abandoned."""

_ROUNDS_PER_TURN: Final = 16
"""Rounds of a loop that does other work in one turn; a loop that only tests memory yields after each."""


def can_interleave(machine: Machine, granularity: int) -> bool:
    """Return whether the grid is small enough to interleave its warps or threads."""
    per_block = machine.launch.warps_per_block if granularity == WARPS else machine.launch.block.count
    whole_warps = machine.assumptions.whole_warps_only and granularity == THREADS
    return not whole_warps and machine.launch.grid.count * per_block <= MOST_GROUPS


def refine(machine: Machine) -> None:
    """Interleave at the next finer granularity, if there is one: raises Recompile then."""
    # Warps before threads: a group for each thread makes 32 times as many steps, and is only needed if lanes of one
    # warp wait for each other.
    for granularity in range(machine.assumptions.interleaving + 1, THREADS + 1):
        if not machine.assumptions.no_interleaving and can_interleave(machine, granularity):
            machine.assumptions.recompile_interleaving(granularity)


def abandon(assumptions: Assumptions) -> bool:
    """Request a run without interleaving, since the kernel cannot be compiled for it; returns whether it was on."""
    if not assumptions.interleaving:
        return False
    if assumptions.single_threads:
        assumptions.single_threads = False
    else:
        assumptions.no_interleaving = True
    assumptions.interleaving = 0
    return True


def split_warps(machine: Machine) -> None:
    """Try single threads, since lanes may reach a warp function in divergent code: raises Recompile unless decided.

    Example: `if (lane < 16) a = __shfl_sync(~0u, x, 0); else a = __shfl_sync(~0u, y, 0);` is legal: the lanes of one
    call wait for those of the other (`kernels.simt.machine.collectives`).
    """
    assumptions = machine.assumptions
    decided = assumptions.single_threads is not None or assumptions.interleaving or assumptions.no_interleaving
    if decided or machine.launch.thread_count > _MOST_SINGLE_THREADS:
        return
    assumptions.recompile_single_threads(THREADS)


def step_limit(assumptions: Assumptions, most: int) -> int:
    """Return the step limit of the next run, given the limit `most` of the user: an attempt gets fewer steps."""
    return min(most, _STEPS_OF_SINGLE_THREADS) if assumptions.single_threads else most


def rejoin_warps(assumptions: Assumptions) -> None:
    """Run whole warps again, since single threads did not help: raises Recompile if threads are single."""
    if assumptions.single_threads:
        assumptions.recompile_rejoined_warps()


def reads_changed_memory(machine: Machine, statement: int) -> bool:
    """Return whether the head of a loop reads memory that the kernel changes elsewhere."""
    read = {site.array for site in machine.sites if site.statement == statement}
    return any(s.array in read and s.access != "read" and s.statement != statement for s in machine.sites)


def detect_spinning(machine: Machine, number: int, head: Head) -> Head:
    """Return the head of a loop with an empty body, extended by a test for spinning in vain (raises Recompile)."""
    tested = False

    def test(group: Group, mask: Active, first: bool) -> tuple[Active, Active]:
        nonlocal tested
        # Tested once: whether the loop reads memory that changes does not depend on the round.
        if not tested and group.loops[-1].rounds > SPIN_ROUNDS:
            tested = True
            if reads_changed_memory(machine, number):
                refine(machine)
        return head(group, mask, first)

    return test


def yielding_body(number: int, span: Span, body: Plain, *, idle: bool) -> Waiting:
    """Return the body of a loop that ends the group's turn from time to time; `idle`: it does nothing, so each time."""

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        mask = body(group, mask)
        # A turn costs a round of all groups, so a loop with work does several rounds in one turn.
        if idle or group.loops[-1].rounds % _ROUNDS_PER_TURN == 0:
            yield Barrier(number, span, mask, yields=True)
        return mask

    return wait


def interleave(
    machine: Machine,
    groups: Sequence[Group],
    runs: Sequence[Generator[Barrier, None, Active]],
    owners: Sequence[int],
    arrange: Callable[[int], list[int]],
    perform_collectives: Release,
    release: Release,
) -> None:
    """Give every group that can run a turn, round after round, until all have returned.

    A turn ends where the group waits, yields or returns. Groups of one owner that all wait are released together.

    Parameters
    ----------
    groups, runs : sequences
        The groups, and the kernel's generator of each.
    owners : sequence of int
        The set of groups that each one's barriers wait for: its block's number, or 0 for the whole grid.
    arrange : callable
        Returns the order in which a number of groups have their turns.
    perform_collectives, release : callable
        Given all groups of one owner and where they wait: remove the groups that continue, and return them. The first
        performs complete warp functions, the second releases barriers when all groups of the owner wait.

    Raises
    ------
    Recompile
        If all groups wait in vain, and a finer granularity, or none, may change that.
    EarlyStop
        If all groups wait forever: a deadlock.
    """
    running: dict[int, set[int]] = {}
    for number, owner in enumerate(owners):
        running.setdefault(owner, set()).add(number)
    members = {owner: sorted(numbers) for owner, numbers in running.items()}
    waiting: dict[int, dict[int, Barrier]] = {owner: {} for owner in running}
    ready, idle_rounds = list(range(len(runs))), 0
    detector = DeadlockDetector(machine, groups)
    while ready:
        yielded, changed = dict[int, Barrier](), set()
        for number in [ready[at] for at in arrange(len(ready))]:
            barrier = next(runs[number], None)
            owner = owners[number]
            if barrier is not None and barrier.yields:
                yielded[number] = barrier
                continue
            changed.add(owner)
            if barrier is None:
                # Not waited for any more: a barrier is then released, and reported as incomplete.
                running[owner].discard(number)
            else:
                waiting[owner][number] = barrier
        ready = sorted(yielded)
        for owner in sorted(changed):
            here = waiting[owner]
            ready += perform_collectives(members[owner], here)
            # All groups of the owner that have not returned wait: none of them can change what another waits for.
            if here and len(here) == len(running[owner]):
                # A warp function still waits for a lane that has no way to reach it: single threads were no help.
                if any(barrier.collective for barrier in here.values()):
                    rejoin_warps(machine.assumptions)
                ready += release(members[owner], here)
        # In an idle round every group only yielded. That alone is no deadlock: a loop may count down while it yields,
        # so `detector` compares registers and memory of idle rounds.
        idle_rounds = 0 if changed else idle_rounds + 1
        deadlocked = detector.detects(idle_rounds, yielded)
        if deadlocked or idle_rounds == SPIN_ROUNDS:
            refine(machine)
        if deadlocked:
            rejoin_warps(machine.assumptions)
            raise EarlyStop("stopped where no thread goes on any more", "deadlock")
