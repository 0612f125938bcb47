"""Release of groups at barriers that a part of a block waits at, or that end with a phase.

Called when every group waits or has returned. The order of the tests decides what a student sees, and the trace:

1. Lanes whose phase has ended continue (`Barrier.pending` returns no lane).
2. Parts of a block that are complete continue: tiles of cooperative groups, numbered barriers (PTX `barrier.sync`).
   Each lane waits under the key of its part, with the number of lanes that complete it.
3. If some group waits at a barrier of whole blocks, nothing is decided here: `kernels.simt.machine.barrier_release`
   releases those.
4. Otherwise no group can continue, so the barrier is incomplete. It is announced, and the groups at the earliest place
   in the source continue, so that one run reports every mistake.

Example of 4: a phase needs 64 arrivals (`bar.sync 1, 64`), and 32 threads return without one. The other 32 wait for
its end, and no thread is left that could arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier


def release_parts(machine: Machine, groups: list[Group], waiting: dict[int, Barrier], *, by_warp: bool) -> list[int]:
    """Remove from `waiting` the groups that continue, and return them; none if only barriers of whole blocks are left.

    Raises
    ------
    Recompile
        If no group can continue while the warps of a block run as one group: run by warp, some of them might.
    """
    ready = [n for n, barrier in waiting.items() if barrier.pending is not None and not barrier.pending().any()]
    complete = _complete_parts(groups, waiting)
    # Every group waits or has returned, so if none of these can continue, no later event can release one.
    stuck = not (ready or complete or any(barrier.of_block for barrier in waiting.values()))
    if stuck:
        # In lockstep, a block's warps are one group: a lane that waits keeps the others from arriving, although they
        # could.
        if not by_warp and machine.launch.warps_per_block > 1:
            machine.assumptions.recompile_by_warp()
        # So do the blocks of a group: one whose phase has ended waits with those whose phase has not.
        if not machine.assumptions.blocks_apart and any(
            _differs(groups[n], barrier) for n, barrier in waiting.items() if barrier.pending is not None
        ):
            machine.assumptions.recompile_blocks_apart()
        earliest = min(waiting.values(), key=lambda barrier: (barrier.span.line, barrier.span.column))
        there = [n for n, barrier in waiting.items() if barrier.statement == earliest.statement]
        if earliest.pending is None:
            complete = there
            _announce_incomplete_parts(machine, [groups[n] for n in there], [waiting[n] for n in there])
        else:
            ready = there
            for n in there:
                _announce_incomplete_phase(machine, groups[n], waiting[n])
    # Every waiting lane of the phase is in `ready`; lanes that only arrived are not, and then the blocks are not whole.
    if ready and not stuck and all(waiting[n].arrive_wait is not None for n in ready):
        running = sum(group.size for group in groups)
        _announce_whole_blocks(machine, [groups[n] for n in ready], [waiting[n] for n in ready], running)
    if complete and machine.recorder.checkers.racecheck is not None:
        lanes, keys, _ = _waiting_lanes([groups[n] for n in complete], [waiting[n] for n in complete])
        machine.recorder.partial_barrier("party", lanes, keys)
    for n in (*ready, *complete):
        del waiting[n]
    return [*ready, *complete]


def _complete_parts(groups: Sequence[Group], waiting: Mapping[int, Barrier]) -> list[int]:
    """Return the groups all of whose lanes wait under keys that as many lanes wait under as complete the part."""
    at_parts = {n: barrier for n, barrier in waiting.items() if barrier.party is not None}
    if not at_parts:
        return []
    keys = {n: _of_active_lanes(groups[n], barrier, "key") for n, barrier in at_parts.items()}
    # A group continues as a whole: if its lanes belong to several parts (tiles of 16 in a warp), all of them must be
    # complete.
    distinct, counts = np.unique(np.concatenate(list(keys.values())), return_counts=True)
    return [
        n
        for n, barrier in at_parts.items()
        if (counts[np.searchsorted(distinct, keys[n])] >= _of_active_lanes(groups[n], barrier, "size")).all()
    ]


def _announce_whole_blocks(
    machine: Machine, groups: Sequence[Group], barriers: Sequence[Barrier], running: int
) -> None:
    """Announce `arrive_and_wait` as a barrier of whole blocks if all threads of the blocks are in one phase.

    Racecheck judges, and forgets, all accesses before a barrier of a block, which is much cheaper than to order them by
    arrivals and waits. `running` is the number of threads of all groups.
    """
    observer = machine.recorder.checkers.racecheck
    where = [slice(None) if barrier.mask is None else barrier.mask.where for barrier in barriers]
    lanes = np.concatenate([group.lanes[at] for group, at in zip(groups, where, strict=True)])
    keys = [barrier.arrive_wait.keys[at] for barrier, at in zip(barriers, where, strict=True) if barrier.arrive_wait]
    threads = machine.launch.block.count
    # A copy in flight completes with the phase: its write has to be ordered by the phase, not by the barrier.
    if observer is None or len(lanes) % threads or sum(map(len, keys)) != len(lanes) or machine.phases.in_flight:
        return
    order = np.argsort(lanes)
    lanes, phases = lanes[order], np.concatenate(keys)[order].reshape(-1, threads)
    if (phases != phases[:, :1]).any() or (
        lanes.reshape(-1, threads) // threads != lanes[::threads, None] // threads
    ).any():
        return
    observer.barrier(lanes, len(lanes) == running)
    for barrier in barriers:
        if barrier.arrive_wait is not None:
            barrier.arrive_wait.whole_blocks = True


def _announce_incomplete_phase(machine: Machine, group: Group, stuck: Barrier) -> None:
    """Announce the lanes of a group that wait for arrivals which never happen."""
    observer = machine.recorder.checkers.synccheck
    if observer is not None and stuck.pending is not None:
        lanes = group.lanes[np.flatnonzero(stuck.pending())]
        observer.incomplete_phase(machine.recorder.current, stuck.span, lanes, machine.phases.bytes_missing)


def _announce_incomplete_parts(machine: Machine, groups: Sequence[Group], stuck: Sequence[Barrier]) -> None:
    """Announce a barrier of a part of a block that the rest of that part does not reach."""
    observer = machine.recorder.checkers.synccheck
    if observer is not None:
        observer.incomplete_groups(machine.recorder.current, stuck[0].span, *_waiting_lanes(groups, stuck))


def _waiting_lanes(
    groups: Sequence[Group], barriers: Sequence[Barrier]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the lanes at barriers, ascending, with key and size of the part of each."""
    pairs = list(zip(groups, barriers, strict=True))
    lanes = np.concatenate([g.lanes if b.mask is None else g.lanes[b.mask.where] for g, b in pairs])
    keys, sizes = (np.concatenate([_of_active_lanes(g, b, field) for g, b in pairs]) for field in ("key", "size"))
    order = np.argsort(lanes)
    return lanes[order], keys[order], sizes[order]


def _differs(group: Group, barrier: Barrier) -> bool:
    """Return whether the phase of some of the waiting lanes has ended."""
    assert barrier.pending is not None
    pending = barrier.pending()
    return not (pending if barrier.mask is None else pending[barrier.mask.where]).all()


def _of_active_lanes(group: Group, barrier: Barrier, field: str) -> NDArray[Any]:
    values: NDArray[Any] = getattr(barrier.party, field)
    return values if barrier.mask is None else values[barrier.mask.where]


# --- Barriers of whole blocks and of the grid: release of the groups that wait there, and votes
# Called when every group waits or has returned. The groups at the earliest barrier in the source continue. If some
# threads of their blocks are not among them, the machine announces an incomplete barrier and continues all the same, so
# that one run reports every mistake. (On a GPU the kernel may hang: CUDA C++ Programming Guide, "Synchronization
# Functions", allows `__syncthreads()` in a condition only if it is the same for all threads of the block.)
#
# Example: `if (t < 40) __syncthreads(); C[t] = 1;` in a block of 64. Warp 0 waits with 32 lanes, warp 1 with 8, and 24
# lanes return. 40 of 64 lanes have arrived: the barrier is incomplete, and the 40 continue.


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
