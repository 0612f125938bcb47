"""Where blocks and phases begin, threads wait, and hazards lie in a playlist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.timeline import Marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.explore.build import Frame
    from kernels.trace import Hazard, Trace


def marks_of(trace: Trace, frames: Sequence[Frame]) -> Marks:
    """Read the marks of a playlist (blocks one after another) off its trace."""
    blocks: list[int] = []
    phases: list[int] = []
    barriers: list[int] = []
    before: tuple[int, int] | None = None
    for position, frame in enumerate(frames):
        phase = int(trace.step_phase[frame.step])
        if before is None or frame.block != before[0]:
            blocks.append(position)
        if phase >= 0 and (frame.block, phase) != before:
            phases.append(position)
        if trace.statement(frame.step).kind == "barrier":
            barriers.append(position)
        before = (frame.block, phase)
    grid = trace.launch.grid
    names = [grid.member(frames[position].block) for position in blocks]
    hazards = (hazard_position(trace, frames, hazard) for hazard in trace.hazards)
    return Marks(
        tuple(blocks),
        tuple(f"({i.x},{i.y})" if grid.z == 1 else f"({i.x},{i.y},{i.z})" for i in names),
        tuple(phases),
        tuple(barriers),
        tuple(sorted({position for position in hazards if position is not None})),
    )


def hazard_position(trace: Trace, frames: Sequence[Frame], hazard: Hazard) -> int | None:
    """Position of the frame that shows a hazard: its block at its step, or the first after it."""
    block = trace.launch.grid.linear(*hazard.accesses[-1].block) if hazard.accesses else None
    of_block = [n for n, frame in enumerate(frames) if block is None or frame.block == block]
    later = [n for n in of_block if frames[n].step >= hazard.step]
    candidates = later[:1] or of_block[-1:]
    return candidates[0] if candidates else None


def position_of(frames: Sequence[Frame], block: int, step: int) -> int | None:
    """Position at which a block is shown at a step, or at the next one that has a frame, or at its last."""
    of_block = [n for n, frame in enumerate(frames) if frame.block == block]
    later = [n for n in of_block if frames[n].step >= step]
    candidates = later[:1] or of_block[-1:]
    return candidates[0] if candidates else None
