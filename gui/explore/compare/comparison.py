"""Comparison of two stories, with one clock for both, and the launches that can be compared with one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gui.explore.playback.eligibility import refusal
from gui.selection.shapes import Shape, is_legal
from kernels.analysis.metrics.comparison import Figure, align, compare
from kernels.narration.comparison import difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from gui.explore.playback.story import Story
    from gui.explore.stage.scene import Options
    from gui.selection.session import Selection
    from kernels.analysis import Frame, Playlist
    from kernels.catalog import Kernel


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


class Comparable(NamedTuple):
    """A launch to compare with."""

    group: str
    title: str
    selection: Selection


def comparables(selection: Selection, kernels: Iterable[Kernel]) -> tuple[Comparable, ...]:
    """List launches of the same size: variants, blocks, then kernels."""
    found: list[Comparable] = []
    kernel, size = selection.kernel, selection.size
    for variant in kernel.variants():
        if variant.id != kernel.id:
            found.append(Comparable("Options", _options_words(variant, kernel), replace(selection, kernel=variant)))
    for block in dict.fromkeys((kernel.block, *kernel.blocks)):
        if block != selection.block and is_legal(kernel, Shape(size, block)):
            found.append(Comparable("Blocks", f"Block {block}", replace(selection, block=block)))
    for other in kernels:
        if other.base == kernel.base or other.workload != kernel.workload or other.runs_on != "cuda":
            continue
        shapes = (Shape(size, selection.block), Shape(size, other.block))
        shape = next((shape for shape in shapes if is_legal(other, shape)), None)
        if shape is not None:
            chosen = replace(selection, kernel=other, block=shape.block, revision=0)
            found.append(Comparable("Kernels", other.title, chosen))
    return tuple(c for c in found if not refusal(c.selection))


def launch_title(selection: Selection, before: Selection) -> str:
    """Return what distinguishes a launch from another one: its kernel, its options or its block."""
    kernel = selection.kernel
    if kernel.base != before.kernel.base:
        return kernel.title
    if kernel.id != before.kernel.id:
        return f"{kernel.title}, {_options_words(kernel, before.kernel)}"
    if selection.block != before.block:
        return f"{kernel.title}, block {selection.block}"
    return f"{kernel.title}, before the edit" if selection.revision < before.revision else kernel.title


def _options_words(kernel: Kernel, before: Kernel) -> str:
    """Return the options of a variant in which it differs from another one, as the bar of options names them."""
    chosen = [{o.name: k.chosen.get(o.name, o.choices[0].word) for o in k.options} for k in (kernel, before)]
    differing = (o for o in kernel.options if chosen[0][o.name] != chosen[1].get(o.name))
    return ", ".join(f"{option.title} {chosen[0][option.name]}" for option in differing)
