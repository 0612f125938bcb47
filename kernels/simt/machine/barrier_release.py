"""Release of groups that wait for a part of their block, or for the end of a barrier's phase.

The order of the tests: first the lanes whose phase has ended; then parts of a block that are complete; then nothing
as long as some group waits at a barrier of its whole block (`barrier_arrival` judges that). If none of these remains,
the barrier is incomplete: it is announced, and the groups at the earliest place go on. Example: a phase needs 64
arrivals, and 32 threads return without one. The others wait for its end; no thread is left that could arrive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.simt.machine import partial_barriers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.simt.machine.lanes import Group
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.steps import Barrier


def released(machine: Machine, groups: list[Group], waiting: dict[int, Barrier], *, by_warp: bool) -> list[int]:
    """Take out of `waiting` the groups that go on; none where only barriers of whole blocks are left to judge.

    Where no group can go on, the barrier is announced as incomplete, and the groups at the earliest place go on.

    Raises
    ------
    Recompile
        Where the warps of a block run as one group: run by warp, some of them may go on.
    """
    ready = [n for n, barrier in waiting.items() if barrier.late is not None and not barrier.late().any()]
    whole = partial_barriers.whole(groups, waiting)
    stuck = not (ready or whole or any(barrier.of_block for barrier in waiting.values()))
    if stuck:
        if not by_warp and machine.launch.warps_per_block > 1:
            machine.assumptions.recompile_by_warp()
        here = min(waiting.values(), key=lambda barrier: (barrier.span.line, barrier.span.column))
        there = [n for n, barrier in waiting.items() if barrier.statement == here.statement]
        if here.late is None:
            whole = there
            partial_barriers.announce_incomplete(machine, [groups[n] for n in there], [waiting[n] for n in there])
        else:
            ready = there
            for n in there:
                _announce_incomplete(machine, groups[n], waiting[n])
    if ready and not stuck and all(waiting[n].meeting is not None for n in ready):
        everyone = sum(group.size for group in groups)
        _join(machine, [groups[n] for n in ready], [waiting[n] for n in ready], everyone)
    if whole:
        partial_barriers.meet(machine, [groups[n] for n in whole], [waiting[n] for n in whole])
    for n in (*ready, *whole):
        del waiting[n]
    return [*ready, *whole]


def _join(machine: Machine, groups: Sequence[Group], together: Sequence[Barrier], everyone: int) -> None:
    """Take it for a barrier of whole blocks where all their threads have arrived in one phase, and go on now."""
    observer = machine.recorder.checkers.racecheck
    where = [slice(None) if barrier.mask is None else barrier.mask.where for barrier in together]
    lanes = np.concatenate([group.lanes[at] for group, at in zip(groups, where, strict=True)])
    keys = [barrier.meeting.keys[at] for barrier, at in zip(together, where, strict=True) if barrier.meeting]
    threads = machine.launch.block.count
    if observer is None or len(lanes) % threads or sum(map(len, keys)) != len(lanes) or machine.phases.in_flight:
        return
    order = np.argsort(lanes)
    lanes, phases = lanes[order], np.concatenate(keys)[order].reshape(-1, threads)
    if (phases != phases[:, :1]).any() or (
        lanes.reshape(-1, threads) // threads != lanes[::threads, None] // threads
    ).any():
        return
    observer.barrier(lanes, len(lanes) == everyone)
    for barrier in together:
        if barrier.meeting is not None:
            barrier.meeting.of_blocks = True


def _announce_incomplete(machine: Machine, group: Group, stuck: Barrier) -> None:
    """Announce the lanes of a group that wait for arrivals which never happen."""
    observer = machine.recorder.checkers.synccheck
    if observer is not None and stuck.late is not None:
        observer.incomplete_phase(machine.recorder.current, stuck.span, group.lanes[np.flatnonzero(stuck.late())])
