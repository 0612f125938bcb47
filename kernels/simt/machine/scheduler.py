"""Scheduler: runs blocks in batches, and each batch in groups of lanes that meet at barriers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.launch import WARP_SIZE
from kernels.simt.machine import interleaving
from kernels.simt.machine.barrier_release import release
from kernels.simt.machine.collectives import perform_collectives
from kernels.simt.machine.lanes import Group
from kernels.simt.machine.recorder import EarlyStop
from kernels.simt.machine.skipped_memory import SkippedMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from kernels.launch import Dim3, Launch
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.schedule import Schedule
    from kernels.simt.machine.steps import Barrier, Run, Step

BATCH_LANES: Final = 65_536
"""Lanes that run at once: enough to spread the cost of a NumPy call, few enough that temporaries take little memory."""

COUNTED_LANES: Final = 1 << 18
"""The same where no value is computed, and a step costs less than the calls that it makes."""

BATCH_BYTES: Final = 1 << 26
"""Shared and local memory of the blocks that run at once."""

_SIZES: Final = {interleaving.WARPS: WARP_SIZE, interleaving.THREADS: 1}

MOST_LANES: Final = 1 << 26
"""Threads of a grid: every one of them has a number in the trace's lane sets."""


def check_threads(launch: Launch) -> None:
    """Refuse a launch of more threads than are simulated.

    Raises
    ------
    InputError
        With both numbers.
    """
    if launch.thread_count > MOST_LANES:
        raise InputError(
            f"a grid of {launch.thread_count:,} threads is too large to trace: at most {MOST_LANES:,} are; "
            "choose a smaller size or grid"
        )


def execute(machine: Machine, body: Step, schedule: Schedule, starts: Sequence[Run]) -> None:
    """Run a compiled kernel for every thread of the grid.

    Parameters
    ----------
    body : Step
        The kernel's body.
    starts : sequence
        Functions that set the parameters of a group.
    """
    if machine.assumptions.by_warp:
        schedule = replace(schedule, by_warp=True)
    random = schedule.generator()
    for blocks in _batches(machine, schedule, random):
        for memory in machine.memories:
            if memory.info.space in ("shared", "local"):
                copies = len(blocks) * (machine.launch.block.count if memory.info.space == "local" else 1)
                memory.clear(copies)
        groups = _groups(machine, blocks, schedule, random)
        # Parameters have their values before the first statement: setting them is no step of the trace.
        machine.recorder.silent = True
        for group in groups:
            for start in starts:
                start(group, None)
        machine.recorder.silent = False
        # A kernel without any barrier is a plain function: each group runs to its end without a generator's cost.
        if body.plain is not None:
            for number in schedule.arrange(len(groups), random):
                body.plain(groups[number], None)
        else:
            _meet_at_barriers(machine, groups, body, schedule, random)
        machine.recorder.end_batch()


def _batches(machine: Machine, schedule: Schedule, random: np.random.Generator | None) -> list[range]:
    """Divide the grid into ranges of blocks that run together.

    Raises
    ------
    EarlyStop
        If the arrays of one block, or of all blocks that must be resident together, exceed the memory limit.
    """
    threads, blocks, most = (
        machine.launch.block.count,
        machine.launch.grid.count,
        machine.recorder.budget.bytes,
    )
    per_block = sum(
        memory.size * memory.info.dtype.itemsize * (threads if memory.info.space == "local" else 1)
        for memory in machine.memories
        if memory.info.space in ("shared", "local")
    )
    if per_block > most:
        raise EarlyStop(
            "stopped before the first step: a block's shared and local arrays take "
            f"{per_block / 2**20:,.0f} MiB, the limit is {most / 2**20:,.0f} MiB",
            "memory",
        )
    if (machine.waits_for_grid or machine.assumptions.interleaving) and per_block * blocks > most:
        raise EarlyStop(
            "stopped before the first step: the shared and local arrays of all blocks, which wait for each other, take "
            f"{per_block * blocks / 2**20:,.0f} MiB, the limit is {most / 2**20:,.0f} MiB",
            "memory",
        )
    # In one group, a block that has left a waiting loop would wait behind it for the blocks that still spin.
    alone = machine.spins or machine.assumptions.blocks_apart
    size = 1 if alone else max(1, min(_batch_lanes(machine) // threads, BATCH_BYTES // max(1, per_block)))
    # Blocks that wait for each other must all be resident (CUDA C++ Programming Guide, "Grid Synchronization").
    size = blocks if machine.waits_for_grid or machine.assumptions.interleaving else size
    batches = [range(first, min(first + size, blocks)) for first in range(0, blocks, size)]
    return [batches[number] for number in schedule.arrange(len(batches), random)]


def _batch_lanes(machine: Machine) -> int:
    """Return the lanes that run at once."""
    if not machine.recorder.skips_values:
        return BATCH_LANES
    # Blocks can only influence each other by values in arrays of the grid. Where no array is written whose values are
    # computed, the size of a batch changes no count.
    written = (machine.memories[site.array] for site in machine.sites if site.access != "read")
    shares = any(not isinstance(m, SkippedMemory) and m.info.space not in ("shared", "local") for m in written)
    return BATCH_LANES if shares else COUNTED_LANES


def _groups(machine: Machine, blocks: range, schedule: Schedule, random: np.random.Generator | None) -> list[Group]:
    """Build the groups of a batch.

    Lockstep: one group of all lanes. By warp: group w has warp w of every block, so that vectors stay long.
    Interleaved: a group for each warp, or thread, of each block. Example, 2 blocks of 64 threads: 1, 2, 4 (128) groups.
    """
    launch, count = machine.launch, len(blocks)
    threads = launch.block.count
    # printf shows blocks in the order in which the schedule runs them, although one group executes all of them.
    rank = np.empty(count, np.intp)
    rank[schedule.arrange(count, random)] = np.arange(count)
    groups = []
    size = _SIZES.get(machine.assumptions.interleaving, WARP_SIZE if schedule.by_warp else threads)
    apart = [[at] for at in range(count)] if machine.assumptions.interleaving else [list(range(count))]
    for some in apart:
        for first in range(0, threads, size):
            inside = np.arange(first, min(first + size, threads))
            block = np.repeat(np.array(some), len(inside))
            place = np.add.outer(np.array(some) * threads, inside).reshape(-1)
            built_in = {
                **_built_in("threadIdx", inside, launch.block, partial(np.tile, reps=len(some))),
                **_built_in("blockIdx", np.array(blocks)[some], launch.grid, partial(np.repeat, repeats=len(inside))),
            }
            group = Group((place + blocks.start * threads).astype(np.int32), block, built_in, machine.slots)
            group.block_order = rank[block]
            group.bases = [_base(memory, place, block) for memory in machine.memories]
            groups.append(group)
    return groups


def _base(memory: Memory, lane: NDArray[np.intp], block: NDArray[np.intp]) -> NDArray[np.intp] | None:
    if memory.info.space == "shared":
        return block * memory.size
    return lane * memory.size if memory.info.space == "local" else None


def _built_in(
    name: str, linear: NDArray[np.intp], dims: Dim3, spread: Callable[[NDArray[Any]], NDArray[Any]]
) -> dict[str, Value]:
    """Return the members of threadIdx or blockIdx.

    `linear` are the numbers of threads in a block, or of blocks; `spread` repeats them for all lanes of the group.
    Members that are the same in all lanes are plain integers, which keeps expressions of them uniform.
    """
    values: dict[str, Value] = {}
    stride = 1
    for axis, length in zip("xyz", dims, strict=True):
        part = linear // stride % length
        # In a group of one warp, threadIdx.y is often the same in all lanes: as an integer it keeps indices affine.
        same = length == 1 or bool((part == part[0]).all())
        values[f"{name}.{axis}"] = int(part[0]) if same else spread(part.astype(np.uint32))
        stride *= length
    return values


def _meet_at_barriers(
    machine: Machine, groups: list[Group], body: Step, schedule: Schedule, random: np.random.Generator | None
) -> None:
    """Run every group to its next barrier, one after another, until all have returned.

    If groups wait at different barriers, those at the earliest one in the source continue first.
    """
    start = body.generator()
    runs = [start(group, None) for group in groups]
    if machine.assumptions.interleaving:
        together = machine.waits_for_grid or len(groups) == 1
        owners = [0 if together else int(group.block[0]) for group in groups]
        interleaving.interleave(
            machine,
            groups,
            runs,
            owners,
            lambda count: schedule.arrange(count, random),
            partial(perform_collectives, machine, groups),
            partial(release, machine, groups, by_warp=True, only_groups=False),
        )
        return
    every, waiting = list(range(len(groups))), dict[int, "Barrier"]()
    ready = every
    while ready:
        for number in (ready[n] for n in schedule.arrange(len(ready), random)):
            barrier = _advance(runs[number])
            if barrier is not None:
                waiting[number] = barrier
        if not waiting:
            return
        ready = release(machine, groups, every, waiting, by_warp=schedule.by_warp, only_groups=True)


def _advance(run: Generator[Barrier, None, Active]) -> Barrier | None:
    try:
        return next(run)
    except StopIteration:
        return None
