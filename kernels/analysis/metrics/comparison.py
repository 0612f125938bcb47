"""Comparison of the memory traffic of two runs, up to a frame of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.metrics.memory_history import MemoryHistory
    from kernels.analysis.order.playlist import Frame, Playlist


Kind = Literal["loads", "sectors", "wavefronts", "intensity", "reads"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of both runs; None where a run has no such number."""

    kind: Kind
    own: float | None
    other: float | None
    array: str = ""
    """Name of the array whose elements are read, for reads."""

    @property
    def ratio(self) -> float | None:
        """The other number divided by the own one; None if one of them is missing or zero."""
        return self.other / self.own if self.own and self.other else None


def compare(own: MemoryHistory, frame: Frame, other: MemoryHistory, other_frame: Frame) -> tuple[Figure, ...]:
    """Compare two runs: requests, sectors, wavefronts, reads of each element of the arrays of both, and intensity."""
    a, b = own.totals(frame), other.totals(other_frame)
    mine, theirs = _reads(own, frame), _reads(other, other_frame)
    return (
        Figure("loads", a.global_loads, b.global_loads),
        Figure("sectors", a.sectors, b.sectors),
        *(Figure("reads", mine[name], theirs[name], name) for name in mine if name in theirs),
        *((Figure("wavefronts", a.wavefronts, b.wavefronts),) if a.wavefronts or b.wavefronts else ()),
        Figure("intensity", a.intensity, b.intensity),
    )


def _reads(history: MemoryHistory, frame: Frame) -> dict[str, float]:
    """Return how often each element of an array of global memory was read on average, by the array's name."""
    return {history.trace.arrays[n].name: history.reads(n, frame).average for n in history.global_inputs}


# --- Alignment of two playlists: the frame of one that is shown with each frame of the other


def align(one: Playlist, other: Playlist) -> NDArray[np.int64]:
    """Return for each frame of one playlist the position in the other that is shown with it, ascending.

    Two runs with equally many phases are aligned phase by phase, else with equally many turns of blocks turn by turn,
    else from beginning to end. Between two aligned frames the shorter part is stretched.
    """
    pairs = ((one.phase_starts, other.phase_starts), (one.turn_starts, other.turn_starts))
    starts = next(((a, b) for a, b in pairs if len(a) == len(b) and len(a)), (np.zeros(1), np.zeros(1)))
    # Example: phases start at 0 and 4 of 8 frames, and at 0 and 2 of 6: frame 5 is a quarter into the second phase,
    # whose 4 frames in the other run begin at 2, so it is shown with frame 3.
    known, wanted = (
        np.concatenate([[0], start, [len(frames)]]) for start, frames in zip(starts, (one, other), strict=True)
    )
    positions = np.floor(np.interp(np.arange(len(one)), known, wanted) + 1e-9).astype(np.int64)
    last: NDArray[np.int64] = np.minimum(positions, len(other) - 1)
    if len(last):
        last[-1] = len(other) - 1  # both ends are shown together, with both results
    return last
