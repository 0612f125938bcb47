"""Recorded launches: which one is shown, how it is drawn, and what a machine without a GPU says."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from gui.occupancy import block_recorder
from gui.occupancy.achieved import AchievedPanel
from gui.occupancy.timeline_picture import prepare
from gui.selection.session import Selection, Session
from gui.theming.theme import DARK
from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.launch import Dim3
from kernels.occupancy.block_timeline import BlockTimeline, timeline_json, write_timeline_file
from tests.kernels.occupancy.hand_made_timeline import MEASURED, TIMELINE

Open = Callable[[], AchievedPanel]


H200 = replace(find_device("h200"), present=True)


def named(kernel: str) -> BlockTimeline:
    measured = replace(MEASURED, kernel=kernel, title=kernel)
    return BlockTimeline(measured, TIMELINE.sm, TIMELINE.start_ns, TIMELINE.end_ns)


@pytest.fixture
def open_panel(qtbot: QtBot, tmp_path: Path) -> Open:
    """Show the panel with two shipped recordings, in a folder of its own."""
    for kernel in ("matmul_naive", "matmul_tiled"):
        (tmp_path / "shipped").mkdir(exist_ok=True)
        write_timeline_file(named(kernel), tmp_path / "shipped" / f"{kernel}.json")

    def build() -> AchievedPanel:
        kernel = find_kernel("matmul_tiled")
        session = Session(Selection(kernel, kernel.size, Dim3(16, 16), find_device("h200")))
        panel = AchievedPanel(session, tmp_path / "own", tmp_path / "shipped")
        session.setParent(panel)
        qtbot.addWidget(panel)
        panel.resize(800, 600)
        with qtbot.waitSignal(panel.list_read):
            panel.show()
        return panel

    return build


def session_of(panel: AchievedPanel) -> Session:
    session = panel.findChild(Session)
    assert isinstance(session, Session)
    return session


def test_the_recording_of_the_selected_kernel_is_shown_or_said_to_be_missing(open_panel: Open, tmp_path: Path) -> None:
    panel = open_panel()
    assert panel.choice.currentText() == "matmul_tiled, size 16×16×24, block 8×8, Test GPU (shipped with tilescope)"
    panel.show_selection(replace(session_of(panel).selection, kernel=find_kernel("matmul_naive")))
    assert panel.choice.currentText().startswith("matmul_naive")
    assert "Achieved occupancy" in panel.words.toPlainText()
    # Without a GPU the panel says so and shows what is shipped.
    panel.show_selection(session_of(panel).selection)
    session_of(panel).set_devices((), "no NVIDIA driver is installed")
    assert not panel.record.isEnabled()
    assert panel.note.text() == "A recording needs an NVIDIA GPU. Here: no NVIDIA driver is installed."
    assert panel.picture.data is not None
    session_of(panel).set_devices((H200,), "")
    assert panel.record.isEnabled()
    assert panel.record.text() == "Record on H200"
    assert not panel.note.isVisible()
    # A kernel without a recording is named.
    session_of(panel).set_devices((H200,), "")
    session_of(panel).select(kernel=find_kernel("mmt_naive"))
    panel.show_selection(session_of(panel).selection)
    assert "is not recorded: another kernel is shown" in panel.note.text()
    empty = AchievedPanel(session_of(panel), tmp_path / "own", tmp_path / "nowhere", panel)
    assert empty.note.text().startswith("There is no recording yet. Record runs the selected launch")


def test_bars_and_strips_tell_what_is_below_the_pointer(open_panel: Open) -> None:
    panel = open_panel()
    picture = panel.picture
    assert picture.shows_bars
    rows = picture._rows
    middle = QPointF(rows.left() + 0.1 * rows.width(), rows.top() + 2)
    assert picture.words_at(middle).startswith("Block (0,0) on SM 0: from 0 µs to 0.32 µs")
    assert picture.words_at(QPointF(0, 0)) == ""
    panel.sms.setCurrentIndex(panel.sms.findData(1))
    panel.sms.activated.emit(panel.sms.currentIndex())
    panel.first_sm.setValue(2)
    assert picture.words_at(middle).startswith("Block (1,0) on SM 2")
    picture.set_sms(0, 3)
    picture.resize(800, 10 * picture.fontMetrics().height() // 2)
    assert not picture.shows_bars
    picture.set_theme(DARK)
    picture.grab()
    rows = picture._rows
    assert "SM 0 after 0.16 µs: 2 of 2 blocks" in picture.words_at(
        QPointF(rows.left() + 0.1 * rows.width(), rows.top())
    )
    # Places and turns of the bars.
    data = prepare(TIMELINE, "a test")
    assert data.slot.tolist() == [0, 0, 1, 1, 0, 0]
    assert data.turn.tolist() == [0, 0, 0, 0, 1, 1]


def child(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let the recorder start a Python script instead of the command that needs a GPU."""
    import sys

    monkeypatch.setattr(block_recorder, "child_command", lambda *arguments: [sys.executable, "-c", script])


def test_a_recording_is_shown_and_kept(
    open_panel: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel = open_panel()
    session_of(panel).set_devices((H200,), "")
    line = json.dumps({"event": "timeline", "timeline": timeline_json(named("recorded_here"))})
    progress = json.dumps({"event": "progress", "words": "Timing"})
    child(monkeypatch, f"print('from the kernel'); print({progress!r}); print({line!r})")
    stages: list[str] = []
    panel.recorder.progress_made.connect(stages.append)
    panel.record.click()
    assert session_of(panel).measuring == "Occupancy"
    assert panel.stop.isVisible()
    assert not panel.record.isEnabled()
    qtbot.waitUntil(lambda: panel.choice.currentText().startswith("recorded_here"))
    qtbot.waitUntil(lambda: not panel.recorder.running)
    assert stages == ["Timing"]
    assert session_of(panel).measuring == ""
    (file,) = (tmp_path / "own").iterdir()
    assert file.name == "20261120101500-recorded_here-16x16x24-8x8-test_gpu.json"


def test_stop_ends_the_recording_and_a_failure_says_why(
    open_panel: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = open_panel()
    session_of(panel).set_devices((H200,), "")
    child(monkeypatch, "import time; time.sleep(60)")
    panel.record.click()
    panel.stop.click()
    qtbot.waitUntil(lambda: not panel.recorder.running)
    assert session_of(panel).measuring == ""
    assert not panel.status.isVisible()
    child(monkeypatch, "import sys; sys.exit('tilescope: the result is wrong')")
    panel.record.click()
    qtbot.waitUntil(lambda: "Not recorded" in panel.status.text())
    assert panel.status.text() == "Not recorded: the result is wrong"
    session_of(panel).measuring = "Benchmark"
    panel.record.click()
    assert "Benchmark is measuring" in panel.status.text()
    session_of(panel).measuring = ""
    child(monkeypatch, "import time; time.sleep(60)")
    panel.record.click()
    assert panel.recorder.running
    panel.close()  # ends the process, and lets other pages measure
    assert not panel.recorder.running
    assert session_of(panel).measuring == ""
