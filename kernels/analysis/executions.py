"""Executions of a source line in a playlist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernels.analysis.playlist import Playlist
    from kernels.trace import Trace


def next_execution(trace: Trace, frames: Playlist, position: int, line: int) -> int | None:
    """Return the position of the next frame that executes a source line; after the last one, of the first.

    A statement belongs to every line that it is written on. Without a frame of the line, return None.
    """
    written = [s.span.line <= line <= s.span.end_line for s in trace.statements]
    at = np.flatnonzero(np.array([*written, False])[trace.step_statement[frames.frames.steps]])
    if not len(at):
        return None
    return int(at[int(np.searchsorted(at, position, "right")) % len(at)])
