"""Scheduler: runs blocks in batches, and each batch in groups of lanes that meet at barriers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import InputError
from kernels.launch import WARP_SIZE
from kernels.simt.machine import interleaving
from kernels.simt.machine.barrier_arrival import go_on
from kernels.simt.machine.collectives import gather
from kernels.simt.machine.lanes import Group
from kernels.simt.machine.recorder import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from kernels.launch import Dim3, Launch
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Barrier, Run, Step

BATCH_LANES: Final = 65_536
"""Lanes that run at once: long enough vectors, little enough memory."""

BATCH_BYTES: Final = 1 << 26
"""Shared and local memory of the blocks that run at once."""


_SIZES: Final = {interleaving.WARPS: WARP_SIZE, interleaving.THREADS: 1}

MOST_LANES: Final = 1 << 26
"""Threads of a grid: every one of them has a number in the trace's lane sets."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """An order of execution: whole blocks in lockstep, or warp by warp from barrier to barrier.

    `order` is "forward", "reversed" or "shuffle" and holds for blocks and for warps.
    """

    by_warp: bool
    order: str
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read ``lockstep``, ``warps``, ``reversed`` or ``shuffle:SEED``.

        Raises
        ------
        InputError
            For any other text.
        """
        if text in ("lockstep", "warps"):
            return cls(text == "warps", "forward")
        if text == "reversed":
            return cls(True, "reversed")
        match = re.fullmatch(r"shuffle:(\d+)", text)
        if match:
            return cls(True, "shuffle", int(match[1]))
        raise InputError(f"'{text}' is not a schedule: use lockstep, warps, reversed or shuffle:SEED")

    def generator(self) -> np.random.Generator:
        """Random numbers that depend on the seed only."""
        return np.random.default_rng(self.seed)

    def arrange(self, count: int, random: np.random.Generator) -> list[int]:
        """Order in which `count` things take their turn."""
        if self.order == "shuffle":
            return [int(n) for n in random.permutation(count)]
        return list(range(count))[:: -1 if self.order == "reversed" else 1]


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
    """Run a compiled kernel for every thread of the grid; `starts` set each group's parameters."""
    if machine.assumptions.parted:
        schedule = replace(schedule, by_warp=True)
    random = schedule.generator()
    for blocks in _batches(machine, schedule, random):
        for memory in machine.memories:
            if memory.info.space in ("shared", "local"):
                copies = len(blocks) * (machine.launch.block.count if memory.info.space == "local" else 1)
                memory.clear(copies)
        groups = _groups(machine, blocks, schedule, random)
        machine.recorder.silent = True
        for group in groups:
            for start in starts:
                start(group, None)
        machine.recorder.silent = False
        if body.plain is not None:
            for number in schedule.arrange(len(groups), random):
                body.plain(groups[number], None)
        else:
            _meet_at_barriers(machine, groups, body, schedule, random)
        if machine.recorder.checkers.racecheck is not None:
            machine.recorder.checkers.racecheck.barrier()


def _batches(machine: Machine, schedule: Schedule, random: np.random.Generator) -> list[range]:
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
        raise Stopped(
            "stopped before the first step: a block's shared and local arrays take "
            f"{per_block / 2**20:,.0f} MiB, the limit is {most / 2**20:,.0f} MiB",
            "memory",
        )
    if (machine.waits_for_grid or machine.assumptions.turns) and per_block * blocks > most:
        raise Stopped(
            "stopped before the first step: the shared and local arrays of all blocks, which wait for each other, take "
            f"{per_block * blocks / 2**20:,.0f} MiB, the limit is {most / 2**20:,.0f} MiB",
            "memory",
        )
    size = 1 if machine.spins else max(1, min(BATCH_LANES // threads, BATCH_BYTES // max(1, per_block)))
    size = blocks if machine.waits_for_grid or machine.assumptions.turns else size
    batches = [range(first, min(first + size, blocks)) for first in range(0, blocks, size)]
    return [batches[number] for number in schedule.arrange(len(batches), random)]


def _groups(machine: Machine, blocks: range, schedule: Schedule, random: np.random.Generator) -> list[Group]:
    """Build the groups of a batch: one, or one for each warp of a block (that warp of every block).

    Where threads take turns, one for each warp, or thread, of each block.
    """
    launch, count = machine.launch, len(blocks)
    threads = launch.block.count
    rank = np.empty(count, np.intp)
    rank[schedule.arrange(count, random)] = np.arange(count)
    groups = []
    size = _SIZES.get(machine.assumptions.turns, WARP_SIZE if schedule.by_warp else threads)
    apart = [[at] for at in range(count)] if machine.assumptions.turns else [list(range(count))]
    for some in apart:
        for first in range(0, threads, size):
            inside = np.arange(first, min(first + size, threads))
            block = np.repeat(np.array(some), len(inside))
            place = block * threads + np.tile(inside, len(some))
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
    """Return the members of threadIdx or blockIdx: `linear` are threads of a block, or blocks; `spread` makes lanes."""
    values: dict[str, Value] = {}
    stride = 1
    for axis, length in zip("xyz", dims, strict=True):
        part = linear // stride % length
        same = length == 1 or bool((part == part[0]).all())
        values[f"{name}.{axis}"] = int(part[0]) if same else spread(part.astype(np.uint32))
        stride *= length
    return values


def _meet_at_barriers(
    machine: Machine, groups: list[Group], body: Step, schedule: Schedule, random: np.random.Generator
) -> None:
    """Run every group to its next barrier, one after another, until none is left.

    Where groups wait at different barriers, those at the earliest one in the source go on first.
    """
    start = body.generator()
    runs = [start(group, None) for group in groups]
    if machine.assumptions.turns:
        together = machine.waits_for_grid or len(groups) == 1
        owners = [0 if together else int(group.block[0]) for group in groups]
        interleaving.take_turns(
            machine,
            groups,
            runs,
            owners,
            lambda count: schedule.arrange(count, random),
            partial(gather, machine, groups),
            partial(go_on, machine, groups, by_warp=True, alone=False),
        )
        return
    everyone, waiting = list(range(len(groups))), dict[int, "Barrier"]()
    ready = everyone
    while ready:
        for number in (ready[n] for n in schedule.arrange(len(ready), random)):
            barrier = _advance(runs[number])
            if barrier is not None:
                waiting[number] = barrier
        if not waiting:
            return
        ready = go_on(machine, groups, everyone, waiting, by_warp=schedule.by_warp, alone=True)


def _advance(run: Generator[Barrier, None, Active]) -> Barrier | None:
    try:
        return next(run)
    except StopIteration:
        return None
