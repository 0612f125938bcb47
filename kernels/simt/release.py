"""Which groups go on that wait for a part of their block, or for a phase to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt import parties, phases
from kernels.simt.code import Reconsider

if TYPE_CHECKING:
    from kernels.simt.context import Context
    from kernels.simt.lanes import Group
    from kernels.simt.steps import Barrier


def released(c: Context, groups: list[Group], waiting: dict[int, Barrier], *, by_warp: bool) -> list[int]:
    """Take out of `waiting` the groups that go on; none where only barriers of whole blocks are left to judge.

    Where nobody can go on, that is reported, and those at the earliest place go on all the same.

    Raises
    ------
    Reconsider
        Where they could if every warp went its own way.
    """
    ready = [n for n, barrier in waiting.items() if barrier.late is not None and not barrier.late().any()]
    whole = parties.whole(groups, waiting)
    stuck = not (ready or whole or any(barrier.of_block for barrier in waiting.values()))
    if stuck:
        if not by_warp and c.launch.warps_per_block > 1:
            c.findings.parted = True
            raise Reconsider
        here = min(waiting.values(), key=lambda barrier: (barrier.span.line, barrier.span.column))
        there = [n for n, barrier in waiting.items() if barrier.statement == here.statement]
        if here.late is None:
            whole = there
            parties.report(c, [groups[n] for n in there], [waiting[n] for n in there])
        else:
            ready = there
            for n in there:
                phases.report(c, groups[n], waiting[n])
    if whole:
        parties.meet(c, [groups[n] for n in whole], [waiting[n] for n in whole])
    for n in (*ready, *whole):
        del waiting[n]
    return [*ready, *whole]
