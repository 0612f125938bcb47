"""Alignment of two playlists: the frame of one that is shown with each frame of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.playlist import Playlist


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
