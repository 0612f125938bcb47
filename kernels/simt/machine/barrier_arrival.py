"""Takes threads on from the barriers they have met at, and reports those that not all of a block have reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.machine.barrier_release import released
from kernels.simt.machine.hazards import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier


def go_on(
    machine: Machine,
    groups: list[Group],
    some: list[int],
    waiting: dict[int, Barrier],
    *,
    by_warp: bool,
    alone: bool,
) -> list[int]:
    """Take some groups, all of which wait or are done, on from where they wait; returns those that go on.

    `alone` says that no other groups run.
    """
    ready = released(machine, groups, waiting, by_warp=by_warp)
    if ready:
        return ready
    of_blocks = [barrier for barrier in waiting.values() if barrier.of_block]
    here = min(of_blocks, key=lambda barrier: (barrier.span.line, barrier.span.column))
    ready = [n for n in sorted(waiting) if waiting[n].statement == here.statement]
    arrived = [(groups[n], waiting[n].mask) for n in ready]
    whole = sum(group.active(mask) for group, mask in arrived) == sum(groups[n].size for n in some)
    if not whole:
        (_check_grid if here.grid else _check_complete)(machine, here, arrived)
    if here.vote is not None:
        _count_votes([(groups[n], waiting[n]) for n in ready])
    if machine.recorder.watch is not None:
        machine.recorder.watch.barrier(_lanes(arrived), whole and alone)
        if here.grid and whole:
            machine.recorder.watch.grid_barrier()
    passed = max(groups[n].epoch for n in some) + 1
    for number in ready:
        groups[number].epoch = passed
        del waiting[number]
    return ready


def _lanes(arrived: list[tuple[Group, Active]]) -> NDArray[np.int32]:
    """Return the lanes at a barrier, in order."""
    if len(arrived) == 1:
        group, mask = arrived[0]
        return group.lanes if mask is None else group.lanes[mask.where]
    return np.sort(np.concatenate([g.lanes if m is None else g.lanes[m.where] for g, m in arrived]))


def _check_grid(machine: Machine, barrier: Barrier, arrived: list[tuple[Group, Active]]) -> None:
    """Report that some threads of the grid, but not all, are at a barrier of the whole grid."""
    lanes, threads, hazards = _lanes(arrived), machine.launch.thread_count, machine.hazards
    there, missing = int(lanes[0]), int(np.setdiff1d(np.arange(threads), lanes)[0])
    hazards.report(
        "barrier-divergence",
        Place(barrier.span),
        machine.recorder.current,
        1,
        ((there, barrier.span, "read"), (missing, barrier.span, "read")),
        lambda: (
            f"{len(lanes)} of the grid's {threads} threads wait for the whole grid, the others do not: "
            f"{hazards.name(there)} waits, {hazards.name(missing)} does not; every thread of the grid must reach it"
        ),
    )


def _check_complete(machine: Machine, barrier: Barrier, arrived: list[tuple[Group, Active]]) -> None:
    """Report blocks of which some threads, but not all, are at a barrier."""
    threads = machine.launch.block.count
    lanes = _lanes(arrived)
    first, last = lanes[::threads], lanes[threads - 1 :: threads]
    if len(first) == len(last) and (first % threads == 0).all() and (last - first == threads - 1).all():
        return
    blocks, counts = np.unique(lanes // threads, return_counts=True)
    broken = np.flatnonzero(counts < threads)
    if not len(broken):
        return
    block = int(blocks[broken[0]])
    there = lanes[lanes // threads == block]
    missing = np.setdiff1d(np.arange(block * threads, (block + 1) * threads), there)
    hazards = machine.hazards
    hazards.report(
        "barrier-divergence",
        Place(barrier.span),
        machine.recorder.current,
        len(broken),
        ((int(there[0]), barrier.span, "read"), (int(missing[0]), barrier.span, "read")),
        lambda: (
            f"{len(there)} of the block's {threads} threads wait at __syncthreads(), the others do not: "
            f"{hazards.name(int(there[0]))} waits, {hazards.name(int(missing[0]))} does not; "
            "every thread of a block must reach the same barrier: move it out of the branch or loop, and let a thread "
            "without work skip the work, not the barrier"
        ),
    )


def _count_votes(arrived: Sequence[tuple[Group, Barrier]]) -> None:
    """Give every lane at a barrier the result of its block's vote."""
    blocks = max(int(group.block.max()) for group, _ in arrived) + 1
    holds, present = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
    for group, waiting in arrived:
        where = slice(None) if waiting.mask is None else waiting.mask.where
        block = group.block[where]
        assert waiting.vote is not None
        bits = np.broadcast_to(np.asarray(waiting.vote.bits, bool), group.size)[where]
        present += np.bincount(block, minlength=blocks).astype(np.int32)
        holds += np.bincount(block, weights=bits, minlength=blocks).astype(np.int32)
    for group, waiting in arrived:
        assert waiting.vote is not None
        results = {"count": holds, "and": holds == present, "or": holds > 0}[waiting.vote.kind]
        group.values[waiting.vote.slot] = results[group.block].astype(np.int32)
