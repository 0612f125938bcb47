"""Marks on the timeline, and the positions at which a stride along it stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.analysis import Playlist
    from kernels.trace import Trace

Stride = Literal["step", "phase", "barrier"]
"""Unit of a move in time."""

STRIDES: Final[dict[Stride, str]] = {"step": "by step", "phase": "by phase", "barrier": "at barriers"}


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks on the timeline, as positions in the playlist."""

    turns: tuple[int, ...] = ()
    """First frame of each turn: of a block, and again where it continues after another one."""
    turn_blocks: tuple[int, ...] = ()
    """Position of each turn's block in `block_names`."""
    block_names: tuple[str, ...] = ()
    """Index of each block, such as `(1,0)`."""
    phases: tuple[int, ...] = ()
    """First frame of each phase."""
    barriers: tuple[int, ...] = ()
    """Frames in which threads wait at a barrier."""
    hazards: tuple[int, ...] = ()
    """Frames in which hazards were found."""

    def stops(self, stride: Stride, last: int) -> NDArray[np.int64]:
        """Return where a stride stops in a playlist with positions 0 to `last`: also at both ends of it.

        Strides by phase also stop where another block begins.
        """
        if stride == "step":
            return np.arange(last + 1)
        inner = self.barriers if stride == "barrier" else (*self.phases, *self.turns)
        return np.unique(np.array((0, last, *inner), np.int64))

    def stop(self, stride: Stride, position: int, last: int, direction: int) -> int:
        """Return the next stop of a stride from a position in a direction (1 or -1)."""
        if stride == "barrier" and not self.barriers:
            return position
        stops = self.stops(stride, last)
        if direction > 0:
            return int(stops[min(int(np.searchsorted(stops, position, "right")), len(stops) - 1)])
        return int(stops[max(int(np.searchsorted(stops, position, "left")) - 1, 0)])


@dataclass(frozen=True, slots=True)
class Loop:
    """Range of positions that is played again and again; None where it is the run's own end."""

    start: int | None = None
    end: int | None = None

    def __bool__(self) -> bool:
        return self.start is not None or self.end is not None

    def limits(self, last: int) -> tuple[int, int]:
        """Return the first and last position of the range, in a playlist with positions 0 to `last`."""
        return 0 if self.start is None else self.start, last if self.end is None else self.end

    def starting(self, position: int) -> Loop:
        """Return the range with another start; an end that is not after it is dropped."""
        return Loop(position, self.end if self.end is not None and self.end > position else None)

    def ending(self, position: int) -> Loop:
        """Return the range with another end; a start that is not before it is dropped."""
        return Loop(self.start if self.start is not None and self.start < position else None, position)


def marks_of(trace: Trace, frames: Playlist, outside: Iterable[tuple[int, int]] = (), *, on_cpu: bool = False) -> Marks:
    """Return a playlist's marks for the timeline; `outside` are (block, step) of accesses outside an array.

    A kernel for the CPU has no blocks: its only one is named by its workers. A report gives the first step of a
    hazard: accesses outside are marked in all steps.
    """
    launch = trace.launch
    again = {
        at for frame in outside if (at := frames.position(*frame)) is not None and tuple(frames.frames[at]) == frame
    }
    names = [launch.index_text(launch.grid.member(block)) for block in frames.blocks]
    if on_cpu:
        count = launch.block.count
        names = [f"{count} workers" if count > 1 else "1 worker"]
    return Marks(
        tuple(frames.turn_starts.tolist()),
        tuple(np.searchsorted(frames.blocks, frames.frames.blocks[frames.turn_starts]).tolist()),
        tuple(names),
        tuple(frames.phase_starts.tolist()),
        tuple(frames.barriers.tolist()),
        tuple(sorted({*frames.hazards.tolist(), *again})),
    )
