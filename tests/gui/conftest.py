import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.selection.session import Session
from gui.shell import garbage
from gui.shell.main_window import MainWindow
from gui.shell.settings import default_selection
from tests.gui.windows import new_window

OWN_KERNEL = """
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M) C[row * N] = 0.0f;
}
/* tilescope
title    = "Mine"
teaches  = "Nothing."
workload = "matmul"
size     = [5, 6, 7]
block    = [4, 4]
blocks   = [[8, 8]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
"""


WITH_OPTIONS = OWN_KERNEL.replace('title    = "Mine"', 'title    = "Turned"').replace(
    "*/",
    """
[option.x]
title   = "x runs along"
choices = { row = {}, column = { X_ON_COLUMN = "1" } }

[option.unroll]
title   = "unrolled"
choices = { no = {}, four = { UNROLL = "4" } }
*/""",
)


LESSON = OWN_KERNEL.replace("*/", 'flaw = "Only the first column is written."\n*/')


@pytest.fixture
def session(qapp: QApplication) -> Session:
    return Session(default_selection())


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    """The window as it is before its first paint: no page is built, no process started."""
    return new_window(qtbot)


@pytest.fixture
def own_kernel(tmp_path: Path) -> Path:
    file = tmp_path / "mine.cu"
    file.write_text(OWN_KERNEL, encoding="utf-8")
    return file


@pytest.fixture
def kernel_with_options(tmp_path: Path) -> Path:
    file = tmp_path / "turned.cu"
    file.write_text(WITH_OPTIONS, encoding="utf-8")
    return file


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    file = tmp_path / "lesson.cu"
    file.write_text(LESSON.replace("mine(", "lesson("), encoding="utf-8")
    return file


@pytest.fixture
def started(qapp: QApplication) -> Iterator[None]:
    """The state after the application's start, in which garbage collection leaves things out."""
    garbage.begin(qapp)
    yield
    qapp.setProperty(garbage._STARTED, None)
    gc.unfreeze()
