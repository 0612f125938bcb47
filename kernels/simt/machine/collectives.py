"""Divergent collectives: warp functions whose lanes arrive one by one, performed when all named lanes have arrived.

Since compute capability 7.0 the lanes of a warp may reach a `_sync` function at different times; each waits until every
lane that its mask names has reached the same function with the same mask (CUDA C++ Programming Guide, "Warp Shuffle
Functions", "Warp Vote Functions"). Lanes that have returned from the kernel are not waited for.

Example: `v = __shfl_sync(0x3, x, 1)` by lane 0 in an `if` and by lane 1 in the `else`. Lane 0 waits; when lane 1 waits
under the same mask, both operands are there, and one call of `Collective.perform` computes both results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier, Collective


def perform_collectives(
    machine: Machine, groups: Sequence[Group], candidates: Iterable[int], waiting: dict[int, Barrier]
) -> list[int]:
    """Perform the warp functions all of whose named lanes have arrived.

    Parameters
    ----------
    candidates : iterable of int
        Groups of one thread each: all of some blocks, whether they wait, run or have returned.
    waiting : dict
        The groups among them that wait; those that continue are removed.

    Returns
    -------
    list of int
        The groups that continue.
    """
    # Called after every round of turns, in which mostly no group has reached a warp function.
    if not any(barrier.collective for barrier in waiting.values()):
        return []
    threads = machine.launch.block.count
    alive: dict[int, NDArray[np.bool_]] = {}
    for number in candidates:
        warp, lane = place_in_warp(groups[number], threads)
        alive.setdefault(warp, np.zeros(WARP_SIZE, bool))[lane] = groups[number].exited is None
    arrived: dict[tuple[int, tuple[object, ...], int], dict[int, Collective]] = {}
    # Sorted, so that the result does not depend on the order in which the groups began to wait.
    for number, barrier in sorted(waiting.items()):
        collective = barrier.collective
        if collective is not None:
            warp, _ = place_in_warp(groups[number], threads)
            arrived.setdefault((warp, collective.function, collective.mask), {})[number] = collective
    ready: list[int] = []
    for (warp, _, mask), together in arrived.items():
        members = [groups[number] for number in together]
        present = sum(1 << place_in_warp(group, threads)[1] for group in members)
        # A mask may name lanes that have returned: only those alive are waited for.
        needed = int(np.packbits(alive[warp], bitorder="little").view(np.uint32)[0]) & mask
        if needed & ~present:
            continue
        first = next(iter(together.values()))
        results = first.perform(members, [each.operands for each in together.values()], alive[warp])
        for group, each, result in zip(members, together.values(), results, strict=True):
            group.values[each.result] = result
        for number in together:
            del waiting[number]
        ready += together
    return ready


def place_in_warp(member: Group, threads: int) -> tuple[int, int]:
    """Return (warp in the grid, lane in the warp) of a group of one thread; `threads` is the size of a block."""
    block, thread = divmod(int(member.lanes[0]), threads)
    return block * -(-threads // WARP_SIZE) + thread // WARP_SIZE, thread % WARP_SIZE
