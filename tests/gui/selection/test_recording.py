"""Saved runs, opened in the window again: nothing is run, and nothing of them can be changed.

The exhaustive command opens a run of every kernel of the catalogue, the plain one a run of each kind.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from gui.explore.page import ExplorePage
from gui.selection.recording_bar import RecordingBar
from gui.shell import command
from gui.shell.main_window import MainWindow
from kernels.catalog import Kernel, catalog, find_kernel
from kernels.custom_launch.model import CustomLaunch
from kernels.launch import Dim3, Launch
from kernels.simt import Argument
from kernels.trace import Trace
from kernels.trace.file import load, save
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Size
from tests.gui.windows import explore
from tests.sweeps import handful

GPU = "NVIDIA H200, driver for CUDA 13.0, NVRTC 13.0"


STRANGER = """
__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
"""


@pytest.fixture
def tiled(tmp_path: Path) -> Path:
    file, kernel = tmp_path / "tiled.trace", find_kernel("matmul_tiled")
    save(trace_kernel(kernel, Size(5, 4, 3), Dim3(2, 2)), file)
    return file


@pytest.fixture
def show(qtbot: QtBot, window: MainWindow) -> Callable[[Path], ExplorePage]:
    """Open a recording and wait until its first step, or the reason why there is none, is shown."""

    def show_file(file: Path) -> ExplorePage:
        window.show()
        window.show_page(0)
        page = explore(window)
        qtbot.waitUntil(lambda: not page.busy)
        with qtbot.waitSignals([window.opening.recording_opened, page.ready]):
            window.open_file(file)
        return page

    return show_file


def stranger(n: int = 100, block: int = 32) -> Trace:
    x = np.arange(n, dtype=np.float32)
    arguments = dict[str, Argument](x=x, y=np.zeros(n, np.float32), factor=2.0, n=n)
    return trace_source(STRANGER, "scale.cu", None, Launch(Dim3(-(-n // block)), Dim3(block)), arguments)


def test_a_saved_run_is_shown_as_it_was_and_cannot_be_changed(
    window: MainWindow, show: Callable[[Path], ExplorePage], tiled: Path
) -> None:
    page = show(tiled)
    assert page.story is not None
    assert page.scene is not None
    assert page.story.selection is None
    assert page.story.stage.trace.outputs["C"].shape == (5, 4)
    assert page.code.toPlainText().startswith(find_kernel("matmul_tiled").text[:40])
    assert [cells.view.name for cells in page.scene.cells[:3]] == ["A", "B", "C"]
    assert page.caption.whole == page.scene.caption != ""
    assert "tiled.trace" in window.windowTitle()
    # Its kernel size and block are told and cannot be changed.
    assert window.bar.isHidden()
    assert not window.recording_bar.isHidden()
    assert "tiled.trace" in window.recording_bar.file.text()
    for words in (
        "matmul_tiled of matmul_tiled.cu",
        "M = 5, N = 4, K = 3",
        "block 2×2",
        "simulated (lockstep)",
    ):
        assert words in window.recording_bar.words.whole
    assert not any(action.isVisible() for action in page.stage_bar._orders.actions())
    # Another device leaves it open.
    page.timeline.go(3)
    window.session.select(device=window.session.devices[-1])
    assert window.session.recording is not None
    assert not page.busy
    assert page.position == 3
    # The other pages keep the selection.
    show(tiled)
    window.show_page(2)
    assert not window.bar.isHidden()
    assert window.recording_bar.isHidden()
    window.show_page(0)
    assert not window.recording_bar.isHidden()


def test_there_is_a_way_back_to_live_kernels(
    qtbot: QtBot, window: MainWindow, show: Callable[[Path], ExplorePage], tiled: Path, own_kernel: Path
) -> None:
    for way in ["button", "kernel", "file"]:
        page = show(tiled)
        with qtbot.waitSignal(page.ready):
            if way == "button":
                window.recording_bar.back.click()
            elif way == "kernel":
                window.session.select(kernel=find_kernel("index_map"))
            else:
                window.open_file(own_kernel)
        assert window.session.recording is None
        assert page.story is not None
        assert page.story.selection == window.session.selection
        assert window.windowTitle() == "tilescope"
        assert not window.bar.isHidden()
        assert window.recording_bar.isHidden()


def test_a_dropped_recording_is_shown(qtbot: QtBot, window: MainWindow, tiled: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tiled))])
    action, keys = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    with qtbot.waitSignal(window.opening.recording_opened):
        window.dropEvent(QDropEvent(QPointF(5, 5), action, data, Qt.MouseButton.NoButton, keys))
    assert window.session.recording is not None
    assert window.header.page == 0


def test_a_trace_written_by_the_command_line_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def remember(file: Path | None, theme: str | None) -> int:
        opened.append(file)
        return 0

    monkeypatch.setattr(command, "_run", remember)
    file = str(tmp_path / "tiled.trace")
    assert CliRunner().invoke(command.program, ["trace", "matmul_tiled", "--out", file]).exit_code == 0
    assert CliRunner().invoke(command.program, [file]).exit_code == 0
    assert opened == [tmp_path / "tiled.trace"]


def test_a_recording_of_a_gpu_says_so(
    window: MainWindow, show: Callable[[Path], ExplorePage], tiled: Path, tmp_path: Path
) -> None:
    file = tmp_path / "gpu.trace"
    save(replace(load(tiled), schedule=GPU), file)
    page = show(file)
    assert window.recording_bar.words.whole.endswith("recorded on NVIDIA H200, without hazard checks")
    assert page.caption.whole.startswith("Recorded on the GPU, NVIDIA H200. ")
    assert page.scene is not None
    assert page.scene.caption == page.caption.whole  # so pictures and films say it, too


def test_a_strangers_kernel_is_drawn_or_too_large_for_it(show: Callable[[Path], ExplorePage], tmp_path: Path) -> None:
    save(stranger(), tmp_path / "scale.trace")
    page = show(tmp_path / "scale.trace")
    assert page.scene is not None
    places = {cells.view.name: (cells.view.place, cells.view.rows, cells.view.columns) for cells in page.scene.cells}
    assert places == {"x": ("left", 4, 32), "y": ("result", 4, 32)}
    assert "scale" in page.code.toPlainText()
    # A recording too large for a picture still shows its source.
    save(stranger(20_000, 250), tmp_path / "large.trace")
    page = show(tmp_path / "large.trace")
    assert page.scene is None
    assert "20,000 threads; the picture shows up to 16,384" in page.canvas.accessibleDescription()
    assert "scale" in page.code.toPlainText()


def test_arrays_are_drawn_as_far_as_they_can_be_seen(show: Callable[[Path], ExplorePage], tmp_path: Path) -> None:
    for n, block, shapes in [
        (16_384, 256, [(64, 256), (64, 256)]),
        (16_383, 256, [(64, 256), (64, 256)]),
        (131, 64, [(5, 32), (6, 32)]),  # the last block has threads beyond the end
    ]:
        save(stranger(n, block), tmp_path / "scale.trace")
        page = show(tmp_path / "scale.trace")
        assert page.scene is not None
        assert [(cells.rows, cells.columns) for cells in page.scene.cells] == shapes
        assert not page.canvas.grab().isNull()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[: len(data) // 2], "is damaged or not a trace"),
        (lambda data: b"", "is damaged or not a trace"),
        (lambda data: b"PK\x03\x04" + b"x" * 400, "is damaged or not a trace"),
        (lambda data: b"__global__ void f() {}", "is damaged or not a trace"),
    ],
)
def test_a_file_that_is_no_recording_is_one_line_and_changes_nothing(
    qtbot: QtBot, window: MainWindow, tiled: Path, damage: Callable[[bytes], bytes], words: str
) -> None:
    tiled.write_bytes(damage(tiled.read_bytes()))
    with qtbot.waitSignal(window.opening.file_refused):
        window.open_file(tiled)
    assert words in window.notice.text
    assert "\n" not in window.notice.text
    assert window.session.recording is None


@pytest.mark.parametrize("name", ["missing.trace", "notes.txt"])
def test_files_that_cannot_be_opened_are_named(qtbot: QtBot, window: MainWindow, tmp_path: Path, name: str) -> None:
    with qtbot.waitSignal(window.opening.file_refused):
        window.open_file(tmp_path / name)
    assert name in window.notice.text


def test_a_recording_saved_by_the_page_opens_again(
    qtbot: QtBot, window: MainWindow, show: Callable[[Path], ExplorePage], tmp_path: Path
) -> None:
    window.show()
    window.show_page(0)
    page = explore(window)
    qtbot.waitUntil(lambda: not page.busy)
    caption = page.caption.whole
    with qtbot.waitSignal(page.export.work.finished):
        page.export.write_trace(tmp_path / "mine.trace")
    assert "mine.trace" in page.caption.whole
    assert show(tmp_path / "mine.trace").caption.whole == caption


def test_closing_while_one_is_read_leaves_nothing(window: MainWindow, tiled: Path) -> None:
    window.open_file(tiled)
    window.close()
    assert not window.opening.busy


@pytest.mark.parametrize("kernel", handful(k for k in catalog() if k.runs_on == "cuda"))
def test_the_run_of_every_kernel_can_be_shown_again(
    show: Callable[[Path], ExplorePage], tmp_path: Path, kernel: Kernel
) -> None:
    save(trace_kernel(kernel, kernel.size, kernel.block), tmp_path / "run.trace")
    page = show(tmp_path / "run.trace")
    assert page.story is not None
    assert [p.array for p in page.story.stage.panels] == [p.array for p in kernel.workload.panels]
    assert page.lesson.isVisibleTo(page) == bool(kernel.flaw)


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
