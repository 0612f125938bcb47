from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gui.selection.recording_bar import RecordingBar
from kernels.custom_launch.model import CustomLaunch

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

NAME = "bodies_that_rank_their_neighbours.cu"


def test_the_name_of_a_file_is_whole_where_there_is_room(qtbot: QtBot) -> None:
    bar = RecordingBar()
    qtbot.addWidget(bar)
    bar.show_recording(CustomLaunch(Path(NAME), "", "k", "1", "8", ()))
    bar.show()
    bar.resize(2000, 60)
    assert bar.file.text().endswith(NAME)
    bar.resize(bar.minimumSizeHint().width(), 60)
    assert "…" in bar.file.text()
    bar.resize(2000, 60)
    assert bar.file.text().endswith(NAME)
