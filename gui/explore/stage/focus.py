"""Focus of the picture: a thread, an element or a source line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["none", "thread", "element", "line"]


@dataclass(frozen=True, slots=True)
class Focus:
    """Thing that the user points at."""

    kind: Kind = "none"
    lane: int = -1
    """Thread, by its linear number in the grid; of an element of a local array, the thread that owns the copy."""
    array: int = -1
    """Array of an element, by its position in the trace."""
    index: int = -1
    """Flat index of an element; of a thread the number of an element that it holds of a matrix instruction, or -1."""
    line: int = -1
    """Source line, counted from 1."""

    @classmethod
    def on_thread(cls, lane: int, element: int = -1) -> Focus:
        """Return the focus on a thread, by its linear number in the grid, and on an element of a matrix in it."""
        return cls("thread", lane=lane, index=element)

    @classmethod
    def on_element(cls, array: int, index: int, lane: int = -1) -> Focus:
        """Return the focus on an element: of the shown block's copy if shared, of a lane's copy if local."""
        return cls("element", lane=lane, array=array, index=index)

    @classmethod
    def on_line(cls, line: int) -> Focus:
        """Return the focus on a source line, counted from 1."""
        return cls("line", line=line)


NOTHING = Focus()
