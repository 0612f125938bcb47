"""Damaged trace files: those that open can be shown in full, the others are refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.selection.recording import read_recording
from kernels.errors import InputError, TilescopeError
from tests.gui.explore.recording_views import show_recording
from tests.kernels.trace.damaged_traces import Parts, mutants, mutated, sound
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.shell.main_window import MainWindow

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return sound(tmp_path_factory.mktemp("sound"))


def test_sound_recordings_are_shown(traces: dict[str, Path]) -> None:
    assert all(show_recording(read_recording(file)) > 10 for file in traces.values())


STRIDES = {"printing": 8, "structs": 12, "tiled": 80, "stopped": 40}
"""By trace: one in so many mutants is tried, and one in six of these in the plain command."""


@pytest.mark.parametrize(("name", "part"), in_turn(STRIDES, range(6), str))
def test_a_mutant_is_refused_or_shown(name: str, part: int, traces: dict[str, Path], tmp_path: Path) -> None:
    parts, file = Parts.of(traces[name]), tmp_path / "mutant.trace"
    wrong = []
    stride = STRIDES[name]
    for word, change in list(mutants(parts))[3 + part * stride :: 6 * stride]:
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
