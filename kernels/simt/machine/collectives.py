"""Divergent collectives: warp functions whose lanes arrive one by one, performed when all named lanes have arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier, Gathering


def gather(machine: Machine, groups: Sequence[Group], some: Iterable[int], waiting: dict[int, Barrier]) -> list[int]:
    """Make the functions for which all lanes of a mask have come; returns, and takes out, the groups that go on.

    `some` are the groups, of one thread each, among which those are that wait. Who has come to the kernel's end will
    not come any more, and is not waited for only after a `return`.
    """
    if not any(barrier.gathering for barrier in waiting.values()):
        return []
    threads = machine.launch.block.count
    alive: dict[int, NDArray[np.bool_]] = {}
    for number in some:
        warp, lane = place_in_warp(groups[number], threads)
        alive.setdefault(warp, np.zeros(WARP_SIZE, bool))[lane] = groups[number].exited is None
    there: dict[tuple[int, tuple[object, ...], int], dict[int, Gathering]] = {}
    for number, barrier in sorted(waiting.items()):
        asked = barrier.gathering
        if asked is not None:
            warp, _ = place_in_warp(groups[number], threads)
            there.setdefault((warp, asked.function, asked.names), {})[number] = asked
    ready: list[int] = []
    for (warp, _, names), come in there.items():
        members = [groups[number] for number in come]
        bits = sum(1 << place_in_warp(group, threads)[1] for group in members)
        wanted = int(np.packbits(alive[warp], bitorder="little").view(np.uint32)[0]) & names
        if wanted & ~bits:
            continue
        first = next(iter(come.values()))
        results = first.perform(members, [one.given for one in come.values()], alive[warp])
        for group, one, result in zip(members, come.values(), results, strict=True):
            group.values[one.result] = result
        for number in come:
            del waiting[number]
        ready += come
    return ready


def place_in_warp(member: Group, threads: int) -> tuple[int, int]:
    """Return the number of a thread's warp in the grid, and its own in that."""
    block, thread = divmod(int(member.lanes[0]), threads)
    return block * -(-threads // WARP_SIZE) + thread // WARP_SIZE, thread % WARP_SIZE
