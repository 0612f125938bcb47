"""All views of a recording, without events of widgets: scenes, facts, pictures, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from gui.explore.code.code import CodeView
from gui.explore.code.hazard_list import HazardList
from gui.explore.export.film import picture
from gui.explore.playback.playback import hazard_position
from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import facts
from gui.theming.theme import LIGHT
from kernels.analysis.syntax.source import listing

if TYPE_CHECKING:
    from gui.explore.stage.scene import Scene
    from gui.selection.recording import Recording
    from kernels.trace import Trace

_SIZE = QSize(480, 300)


def show_recording(recording: Recording) -> int:
    """Show every frame of a recording, and return how many there are; raises what the window would meet."""
    trace = recording.trace
    story = story_of_recording(recording, lambda: False)
    parent = QWidget()
    code, hazards = CodeView(LIGHT, parent), HazardList(parent)
    code.show_listing(listing(trace))
    code._colour_some()
    hazards.show_hazards(trace.hazards, trace)
    assert recording.words
    for frames in (story.memory, story.statements):
        marks_of(trace, frames)
        for hazard in trace.hazards:
            hazard_position(trace, frames, hazard)
    for number, frame in enumerate(story.statements.frames):
        scene = build_scene(story.stage, frame)
        code.show_step(scene.span, scene.focus_lines)
        for focus in _focuses(trace, scene) if number % 7 == 0 else (NOTHING,):
            pointed = build_scene(story.stage, frame, focus=focus)
            facts(story.stage, pointed)
            code.show_step(pointed.span, pointed.focus_lines)
        if number % 5 == 0:
            assert not picture(scene, _SIZE, LIGHT).isNull()
    parent.deleteLater()
    return len(story.statements)


def _focuses(trace: Trace, scene: Scene) -> list[Focus]:
    """A line, a thread of the block, and the first and the last element of every view."""
    elements = [
        Focus.on_element(cells.view.array, element)
        for cells in scene.cells
        for row, column in ((0, 0), (cells.view.rows - 1, cells.view.columns - 1))
        if (element := cells.view.element(row, column)) is not None
    ]
    return [Focus.on_line(scene.line), Focus.on_thread(scene.threads.first_lane), *elements]
