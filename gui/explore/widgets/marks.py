"""Marks of a playlist, with labels for the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.widgets.scrubber import Marks

if TYPE_CHECKING:
    from kernels.analysis import Playlist
    from kernels.trace import Hazard, Trace


def marks_of(trace: Trace, frames: Playlist) -> Marks:
    """Return a playlist's marks for the timeline."""
    grid = trace.launch.grid
    indices = [grid.member(frames.frames[int(start)].block) for start in frames.block_starts]
    return Marks(
        tuple(frames.block_starts.tolist()),
        tuple(f"({i.x},{i.y})" if grid.z == 1 else f"({i.x},{i.y},{i.z})" for i in indices),
        tuple(frames.phase_starts.tolist()),
        tuple(frames.barriers.tolist()),
        tuple(frames.hazards.tolist()),
    )


def hazard_position(trace: Trace, frames: Playlist, hazard: Hazard) -> int | None:
    """Return the position of the frame of a hazard: the block of its access, at its step."""
    if not hazard.accesses:
        return frames.position(0, hazard.step)
    return frames.position(trace.launch.grid.linear(*hazard.accesses[-1].block), hazard.step)
