"""Barriers of whole blocks and of the grid: release of the groups that wait there, and votes.

Called when every group waits or has returned. The groups at the earliest barrier in the source continue. If some
threads of their blocks are not among them, the machine announces an incomplete barrier and continues all the same, so
that one run reports every mistake. (On a GPU the kernel may hang: CUDA C++ Programming Guide, "Synchronization
Functions", allows `__syncthreads()` in a condition only if it is the same for all threads of the block.)

Example: `if (t < 40) __syncthreads(); C[t] = 1;` in a block of 64. Warp 0 waits with 32 lanes, warp 1 with 8, and 24
lanes return. 40 of 64 lanes have arrived: the barrier is incomplete, and the 40 continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.machine.barrier_release import release_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier


def release(
    machine: Machine,
    groups: list[Group],
    candidates: list[int],
    waiting: dict[int, Barrier],
    *,
    by_warp: bool,
    only_groups: bool,
) -> list[int]:
    """Remove from `waiting` the groups that continue, and return them.

    Parameters
    ----------
    candidates : list of int
        Numbers of groups, all of which wait or have returned.
    by_warp : bool
        Whether the warps of a block are separate groups.
    only_groups : bool
        Whether the candidates are all groups that run.
    """
    ready = release_parts(machine, groups, waiting, by_warp=by_warp)
    if ready:
        return ready
    at_blocks = [barrier for barrier in waiting.values() if barrier.of_block]
    earliest = min(at_blocks, key=lambda barrier: (barrier.span.line, barrier.span.column))
    # Groups at later barriers keep waiting: a warp that skipped this barrier usually waits at the next one, and
    # releasing both together would hide that.
    ready = [n for n in sorted(waiting) if waiting[n].statement == earliest.statement]
    arrived = [(groups[n], waiting[n].mask) for n in ready]
    # Counting lanes is enough for the common case that all threads of all blocks arrive; synccheck finds the incomplete
    # blocks otherwise.
    whole = sum(group.active(mask) for group, mask in arrived) == sum(groups[n].size for n in candidates)
    lanes, checkers, step = _lanes(arrived), machine.recorder.checkers, machine.recorder.current
    if not whole and checkers.synccheck is not None:
        if earliest.grid:
            checkers.synccheck.incomplete_grid(step, earliest.span, lanes)
        else:
            checkers.synccheck.incomplete_blocks(step, earliest.span, lanes)
    # The result must be stored before a group continues: the statement after the barrier reads it.
    if earliest.vote is not None:
        _count_votes([(groups[n], waiting[n]) for n in ready])
    if checkers.racecheck is not None:
        checkers.racecheck.barrier(lanes, whole and only_groups)
        # An incomplete barrier of the grid orders nothing between blocks.
        if earliest.grid and whole:
            checkers.racecheck.grid_barrier()
    passed = max(groups[n].epoch for n in candidates) + 1
    for number in ready:
        groups[number].epoch = passed
        del waiting[number]
    return ready


def _lanes(arrived: list[tuple[Group, Active]]) -> NDArray[np.int32]:
    """Return the lanes at a barrier, ascending."""
    if len(arrived) == 1:
        group, mask = arrived[0]
        return group.lanes if mask is None else group.lanes[mask.where]
    return np.sort(np.concatenate([g.lanes if m is None else g.lanes[m.where] for g, m in arrived]))


def _count_votes(arrived: Sequence[tuple[Group, Barrier]]) -> None:
    """Store the result of each block's vote for the lanes that wait (`__syncthreads_count`, `_and`, `_or`)."""
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
