"""Playback of a story: its frames, the one that is shown, how it is shown, what is in focus, and the history. No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gui.explore.playback.same_place import corresponding_frame
from gui.explore.stage.build import applicable_options
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.scene import Options
from gui.explore.timeline.marks import Marks, marks_of
from gui.explore.values.value_card import Jump
from kernels.analysis.order.divergence import next_execution
from kernels.analysis.order.playlist import playlist_of_warp
from kernels.analysis.order.races import first_wrong_read, hazard_shown_at
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.explore.compare.comparison import Comparison
    from gui.explore.playback.story import Story
    from gui.explore.stage.scene import Scene
    from gui.selection.session import Selection
    from kernels.analysis import Frame, Playlist
    from kernels.trace import Hazard, Trace


class Playback:
    """What a player shows, and what follows from the inputs of its user; the player's widgets show it.

    Methods that find a position in the present playlist return None where there is no such frame.
    """

    def __init__(self) -> None:
        self.story: Story | None = None
        self.comparison: Comparison | None = None
        """Comparison that is shown beside the story."""
        self.position = 0
        """Number of the frame that is shown."""
        self.chosen = Options()
        """Options that were chosen, also those that the present kernel has not."""
        self.every_statement = False
        """True if statements that touch no array are shown too."""
        self.chooses_detail = False
        """True if the user chose the detail; else each launch proposes its own."""
        self.hovered, self.clicked = NOTHING, NOTHING
        self.pinned = False
        """True if the focus stays while the pointer moves."""
        self.before_edit: Story | None = None
        """Story of the same launch with the source before the last edit."""
        self.followed: list[Jump] = []
        """Places from which lines of the card were followed."""
        self._playlist: Playlist | None = None
        self._left: tuple[Selection, Frame] | None = None
        """Frame that was shown last of a selection."""
        self._traced: Story | None = None
        """Story that was traced last; it stays while an error is shown."""

    # --- story -----------------------------------------------------------------------------------------

    def start(self, story: Story, keep: Frame | None = None, *, edited: bool = False) -> None:
        """Play a story from a frame, by default from the beginning.

        Of an edited source, or after a change to it, it is played from the same place.
        """
        before, frame = self.story, self.frame
        self._leave()
        if keep is None and self._left is not None and story.edits(self._left[0]):
            keep = self._left[1]
        if edited and before is not None and frame is not None:
            keep = corresponding_frame(before.stage.trace, frame, story.stage.trace) or keep
        self._forget()
        self.story = story
        if keep is None and not self.chooses_detail:
            self.every_statement = story.is_short
        self.lay_out(keep)

    def clear(self) -> None:
        """Play nothing."""
        self._leave()
        self._forget()

    def lay_out(self, keep: Frame | None = None) -> None:
        """Choose the playlist of the present detail and warp, near a frame; there is none if no statement is run."""
        if self.story is None:
            return
        trace, frames = self.story.stage.trace, self.story.statements if self.every_statement else self.story.memory
        self.chosen = replace(self.chosen, warp=applicable_options(self.story.stage, self.chosen).warp)
        if self.chosen.warp is not None:
            frames = playlist_of_warp(trace, frames, self.chosen.warp)
        self._playlist = frames if len(frames) else None
        position = self._playlist.position(*keep) if self._playlist is not None and keep is not None else None
        self.position = position or 0

    def add_traced(self, story: Story, *, editing: bool) -> None:
        """Keep the story before this one for a comparison, if it is of the same launch before an edit."""
        before, self._traced = self._traced, story
        edits = before is not None and before.selection is not None and story.edits(before.selection)
        if not edits or editing:
            self.before_edit = None
        elif before is not None and before.stage.trace.text != story.stage.trace.text:
            self.before_edit = before

    def take_over(self, copy: Selection) -> None:
        """Play the story as that of a copy of its selection."""
        if self.story is not None:
            self.story = self._traced = replace(self.story, selection=copy)

    def _leave(self) -> None:
        """Store the frame, in case the same kernel is shown again."""
        if self.selection is not None and self.frame is not None:
            self._left = self.selection, self.frame

    def _forget(self) -> None:
        self.story, self._playlist, self.comparison, self.position = None, None, None, 0
        self.let_go()

    # --- picture ---------------------------------------------------------------------------------------

    @property
    def options(self) -> Options:
        """Options of the picture; while two runs are compared, their heat maps have one scale."""
        options = self.chosen if self.story is None else applicable_options(self.story.stage, self.chosen)
        return options if self.comparison is None else self.comparison.scaled(options)

    @property
    def chosen_detail(self) -> bool | None:
        """The detail that the user has chosen; None if a launch proposes its own."""
        return self.every_statement if self.chooses_detail else None

    @property
    def frames(self) -> Sequence[Frame]:
        """Frames of the present playlist."""
        return self._playlist.frames if self._playlist is not None else ()

    @property
    def frame(self) -> Frame | None:
        """Frame that is shown; None without a picture."""
        return self.frames[self.position] if self._playlist is not None else None

    @property
    def selection(self) -> Selection | None:
        """Selection that was traced; None without a picture, and for a recording or custom launch."""
        return self.story.selection if self.story is not None else None

    @property
    def warps(self) -> int:
        """Warps of a block; 0 without a picture, and for a kernel that has none."""
        return 0 if self.story is None or self.story.stage.on_cpu else self.story.stage.trace.launch.warps_per_block

    @property
    def marks(self) -> Marks:
        """Marks of the playlist for the timeline."""
        if self.story is None or self._playlist is None:
            return Marks()
        stage = self.story.stage
        return marks_of(stage.trace, self._playlist, stage.outside_frames, on_cpu=stage.on_cpu)

    # --- focus -----------------------------------------------------------------------------------------

    @property
    def focus(self) -> Focus:
        """Focus under the pointer, else the clicked one; a thread is followed into other blocks."""
        focus, frame = self.hovered if self.hovered != NOTHING else self.clicked, self.frame
        if focus.lane < 0 or self.story is None or frame is None:
            return focus
        threads = self.story.stage.trace.launch.block.count
        return replace(focus, lane=frame.block * threads + focus.lane % threads)

    def select(self, focus: Focus) -> None:
        """Keep a thing in focus."""
        self.hovered, self.clicked = NOTHING, focus

    def click(self, focus: Focus) -> None:
        """Keep a thing in focus, or let go of it at the second click."""
        self.clicked = NOTHING if focus == self.clicked else focus

    def pin(self, scene: Scene, *, on: bool) -> None:
        """Keep what is in focus, by default the first thread of the step, while the pointer moves; or let it go."""
        self.pinned = on
        self.select(self.focus_or_thread(scene) if on else NOTHING)

    def focus_or_thread(self, scene: Scene) -> Focus:
        """Return what is in focus, else the thread that is shown."""
        return self.focus if self.focus != NOTHING else Focus.on_thread(scene.lane)

    def let_go(self) -> None:
        """Forget what is in focus, and the lines of the card that were followed."""
        self.pinned = False
        self.followed.clear()
        self.select(NOTHING)

    def thread_of_warp(self, scene: Scene, direction: int) -> Focus:
        """Return the first thread of the next warp (1) or the one before (-1); after the last comes the first."""
        warp = (warp_of(scene) + direction) % self.warps
        return Focus.on_thread(scene.threads.first_lane + warp * WARP_SIZE)

    # --- places ----------------------------------------------------------------------------------------

    def position_of(self, block: int, step: int) -> int | None:
        """Return the position of a step of a block, or of the frame nearest to it."""
        return self._playlist.position(block, step) if self._playlist is not None and step >= 0 else None

    def leaves_out(self, block: int, step: int) -> bool:
        """Return whether the playlist of memory steps has another frame in place of a step."""
        position = self.position_of(block, step)
        return position is not None and self.frames[position] != (block, step)

    def position_of_block(self, block: int) -> int | None:
        """Return the position of the present step in another block (linear number)."""
        return self.position_of(block, self.frame.step) if self.frame is not None else None

    def block_at(self, number: int) -> int:
        """Return a block of the playlist by its place in the list of blocks."""
        return int(self._playlist.blocks[number]) if self._playlist is not None else 0

    def next_of_line(self, line: int) -> int | None:
        """Return the position of the next execution of a source line; after the last one comes the first."""
        if self.story is None or self._playlist is None:
            return None
        return next_execution(self.story.stage.trace, self._playlist, self.position, line)

    def find_hazard(self, hazard: Hazard) -> int | None:
        """Return the position of a hazard, and select the thread that makes the access."""
        if self.story is None or self._playlist is None:
            return None
        trace = self.story.stage.trace
        position = hazard_position(trace, self._playlist, hazard)
        if position is not None and hazard.accesses:
            self.select(Focus.on_thread(offender(trace, hazard)))
        return position

    def first_wrong(self) -> Jump | None:
        """Return the first write that leaves a wrong result, and its element."""
        results = self.story.stage.results if self.story is not None else None
        first = results.verdict(*self.frame).first if results is not None and self.frame is not None else None
        return None if first is None else Jump(first.block, first.step, Focus.on_element(first.array, first.index))

    def push_place(self) -> None:
        """Add the present place to the history: a line of the card is followed from there."""
        if self.frame is not None:
            self.followed.append(Jump(self.frame.block, self.frame.step, self.focus))

    def pop_place(self) -> Jump | None:
        """Return the place from which the last line was followed, and remove it from the history."""
        return self.followed.pop() if self.followed else None


def warp_of(scene: Scene) -> int:
    """Return the warp, by its number in the block, of the thread that is shown."""
    return (scene.lane - scene.threads.first_lane) // WARP_SIZE


def offender(trace: Trace, hazard: Hazard) -> int:
    """Return the lane of a hazard's first wrong read, which the picture marks; without one of its last access."""
    race = first_wrong_read(trace, hazard)
    if race is not None:
        return race.parties[0].lane
    access, launch = hazard.accesses[-1], trace.launch
    return launch.grid.linear(*access.block) * launch.block.count + launch.block.linear(*access.thread)


def hazard_position(trace: Trace, frames: Playlist, hazard: Hazard) -> int | None:
    """Return the position of the frame that shows a hazard."""
    block, step = hazard_shown_at(trace, hazard) or (0, hazard.step)
    return frames.position(block, step)
