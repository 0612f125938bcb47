"""Comparison of two stories: one clock, a frame of each, and their figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kernels.analysis.alignment import align
from kernels.analysis.comparison import Figure, compare
from kernels.narration.comparison import difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.playback.story import Story
    from gui.explore.stage.scene import Options
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
        """Difference of the whole runs, in words: of their accesses, and of their hazards if there are any."""
        own, other = (story.stage.memory_history for story in (self.own, self.other))
        accesses = difference(compare(own, own.end, other, other.end), self.own_title, self.other_title)
        stages = ((self.own_title, self.own.stage), (self.other_title, self.other.stage))
        counts = [(title, len(stage.trace.hazards)) for title, stage in stages]
        if not any(count for _, count in counts):
            return accesses
        hazards = " and ".join(f"{title} has {count or 'no'} hazard{'s' * (count != 1)}" for title, count in counts)
        return f"{accesses} ⚠ {hazards}."

    @property
    def other_flaw(self) -> str:
        """The intended mistake of the other story's kernel; empty if it is no lesson."""
        selection = self.other.selection
        return selection.kernel.flaw if selection is not None else ""

    @cached_property
    def _most_reads(self) -> int:
        stages = (self.own.stage, self.other.stage)
        counted = ((s.memory_history, array) for s in stages for array in s.global_inputs if array != s.result)
        return max((history.reads(array, history.end).most for history, array in counted), default=0)

    def scaled(self, options: Options) -> Options:
        """Return options with which the heat maps of both pictures have one scale."""
        return replace(options, most_reads=self._most_reads) if options.reads else options

    def own_position(self, block: int, step: int) -> int | None:
        """Return the first position at which the other story shows a step of a block; None if it does not."""
        position = self._playlist(self.other).position(block, step)
        return None if position is None else int(self._positions.searchsorted(position))

    def position(self, frame: Frame) -> int:
        """Return the position of a frame of the first story, whose playlist may be that of one warp."""
        return self._playlist(self.own).position(*frame) or 0

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
