"""Comparison of two stories: one clock, a frame of each, and their figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kernels.analysis.alignment import align
from kernels.analysis.comparison import Figure, compare
from kernels.narration.comparison import difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.scene.story import Story
    from kernels.analysis import Frame, Playlist


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two stories of which the first gives the time."""

    own: Story
    other: Story
    own_title: str
    other_title: str
    every_statement: bool
    """True for the playlists of all statements, else those of the memory steps."""

    @cached_property
    def _positions(self) -> NDArray[np.int64]:
        return align(self._playlist(self.own), self._playlist(self.other))

    @cached_property
    def sentence(self) -> str:
        """Difference of the whole runs, in words."""
        own, other = (story.stage.memory_history for story in (self.own, self.other))
        return difference(compare(own, own.end, other, other.end), self.own_title, self.other_title)

    def other_frame(self, position: int) -> Frame:
        """Return the other story's frame at a position of the first story's playlist."""
        return self._playlist(self.other).frames[int(self._positions[position])]

    def other_follows(self, position: int) -> bool:
        """Return whether the other story goes on by one frame when the first one arrives at a position."""
        return position > 0 and int(self._positions[position] - self._positions[position - 1]) == 1

    def figures(self, position: int) -> tuple[Figure, ...]:
        """Return the figures of both runs so far."""
        own, other = (story.stage.memory_history for story in (self.own, self.other))
        return compare(own, self._playlist(self.own).frames[position], other, self.other_frame(position))

    def _playlist(self, story: Story) -> Playlist:
        return story.statements if self.every_statement else story.memory
