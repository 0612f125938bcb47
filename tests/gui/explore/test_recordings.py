"""Recordings that are shown in full, from the host and from damaged files, which are refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.explore.code.code import CodeView
from gui.explore.code.hazard_list import HazardList
from gui.explore.export.film import picture
from gui.explore.page import ExplorePage
from gui.explore.playback.playback import hazard_position
from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.scene import Scene
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import facts
from gui.selection.recording import Recording, read_recording
from gui.shell.main_window import MainWindow
from gui.theming.theme import LIGHT
from kernels.analysis.syntax.source import listing
from kernels.errors import InputError, TilescopeError
from kernels.recorder.traced import to_trace
from kernels.simt import run
from kernels.trace import Trace
from kernels.tracing import prepare
from tests.gui.explore.conftest import kernel
from tests.kernels.recorder.host_runner import COMPILER, record_all
from tests.kernels.trace.damaged_traces import Parts, mutants, mutated, sound
from tests.sweeps import in_turn

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


pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return sound(tmp_path_factory.mktemp("sound"))


def test_sound_recordings_are_shown(traces: dict[str, Path]) -> None:
    assert all(show_recording(read_recording(file)) > 10 for file in traces.values())


STRIDES = {"printing": 8, "structs": 12, "tiled": 80, "stopped": 40}
"""By trace: one in so many mutants is tried, and one in twelve of these in the plain command."""


@pytest.mark.parametrize(("name", "part"), in_turn(STRIDES, range(12), str))
def test_a_mutant_is_refused_or_shown(name: str, part: int, traces: dict[str, Path], tmp_path: Path) -> None:
    parts, file = Parts.of(traces[name]), tmp_path / "mutant.trace"
    wrong = []
    stride = STRIDES[name]
    for word, change in list(mutants(parts))[3 + part * stride :: 12 * stride]:
        mutated(parts, change).write(file)
        try:
            recording = read_recording(file)
        except InputError:
            continue
        try:
            show_recording(recording)
        except TilescopeError as error:  # too large for a picture
            if "\n" in str(error):
                wrong.append(f"{word}: {error}")
        except Exception as error:
            wrong.append(f"{word}: {type(error).__name__}: {error}")
    assert wrong == []


@pytest.mark.parametrize(
    "path", [("registers", 0, 0), ("arrays", 0, 0), ("statements", 0, 0, 0), ("sites", 0, 4), ("scalars",)]
)
def test_a_file_that_would_raise_later_is_one_line_in_the_window(
    qtbot: QtBot, window: MainWindow, traces: dict[str, Path], tmp_path: Path, path: tuple[object, ...]
) -> None:
    file, parts = tmp_path / "bad.trace", Parts.of(traces["tiled"])
    inner = parts.header
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = None
    parts.write(file)
    with qtbot.waitSignal(window.opening.file_refused):
        window.open_file(file)
    assert f"{file}: is damaged or not a trace: {path[0]}" in window.notice.text
    assert "\n" not in window.notice.text
    assert window.session.recording is None


@pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to run instrumented kernels")
def test_a_recording_is_stepped_through_warp_by_warp(
    qtbot: QtBot, open_page: Callable[..., ExplorePage], tmp_path: Path
) -> None:
    tiled = kernel("matmul_tiled")
    job = prepare(tiled, tiled.size, tiled.block)
    expected = run(job.program, job.launch, job.arguments, kernel=job.function.name)
    trace = to_trace(record_all({"tiled": job}, tmp_path)["tiled"], expected, "the host")
    page = open_page(tiled)
    captions = [caption_at(page, 0), caption_at(page, len(page.frames) - 1)]
    with qtbot.waitSignal(page.ready):
        page._session.play(Recording(tmp_path / "tiled.trace", trace, tiled))
    assert page.story is not None
    assert page.story.stage.trace.schedule == "the host"
    told = [caption_at(page, position) for position in range(len(page.frames))]
    assert all(told)
    assert [told[0], told[-1]] == [f"Recorded on the GPU, the host. {caption}" for caption in captions]


def caption_at(page: ExplorePage, position: int) -> str:
    page.timeline.go(position)
    return page.caption.whole
