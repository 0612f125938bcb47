from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSplitter
from pytestqt.qtbot import QtBot

from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.playback.stage_state import PANES
from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.selection.session import Selection, Session
from gui.theming.theme import LIGHT
from kernels import CUDA_FOLDER
from kernels.analysis import Frame
from kernels.catalog import Kernel, catalog, read_kernel
from kernels.device import devices, find_device
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size

PAGE_SIZE = (1256, 690)

OUT_OF_BOUNDS = """
extern "C" __global__ void wild(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    C[row * N + col] = A[row * K + col];
}

/* tilescope
title    = "Forgets the edge"
teaches  = "What a missing guard does."
workload = "matmul"
size     = [3, 3, 3]
block    = [2, 2]
blocks   = [[2, 2]]
grid     = ["2", "2"]
*/
"""


def choose_order(page: ExplorePage, schedule: str) -> None:
    """Choose an order of warps and blocks in the menu of layers."""
    next(action for action in page.stage_bar._orders.actions() if action.data() == schedule).trigger()


def kernel(name: str) -> Kernel:
    return read_kernel(CUDA_FOLDER / f"{name}.cu")


@cache
def stage(name: str, size: str = "", block: str = "") -> Stage:
    found = kernel(name)
    trace = trace_kernel(found, Size.parse(size) if size else found.size, Dim3.parse(block) if block else found.block)
    return Stage(trace, found.workload.panels)


def step_on(found: Stage, text: str, block: int = 0, phase: int | None = None, nth: int = 0) -> int:
    """Return the nth step in which a block executes a statement that starts with a text (in a phase)."""
    trace = found.trace
    steps = [
        int(s)
        for s in trace.block_steps(block)
        if trace.statement(int(s)).text.startswith(text) and phase in (None, int(trace.step_phase[s]))
    ]
    return steps[nth]


def scene_on(found: Stage, text: str, block: int = 0, phase: int | None = None, nth: int = 0) -> Scene:
    return build_scene(found, Frame(block, step_on(found, text, block, phase, nth)))


def cell_of(page: ExplorePage) -> float:
    """Return the side of a thread's cell in the picture that a page shows, in pixels."""
    canvas = page.canvas
    assert page.scene is not None
    return arrange(page.scene, canvas.width(), canvas.height(), canvas.text_line).thread_raster.cell


@pytest.fixture
def wild(tmp_path: Path) -> Kernel:
    file = tmp_path / "wild.cu"
    file.write_text(OUT_OF_BOUNDS, encoding="utf-8")
    return read_kernel(file)


def new_page(found: Kernel, **changes: object) -> ExplorePage:
    """Return a page on a kernel with all panes; who calls it closes and deletes it."""
    session = Session(Selection(found, found.size, found.block, find_device("a100")))
    session.select(**changes)
    page = ExplorePage(session)
    session.setParent(page)
    page.panes.show_only(PANES)
    page.resize(*PAGE_SIZE)
    page.show()
    return page


class SharedPage:
    """A page that one test after the other uses; each finds it as it was at its start."""

    def __init__(self) -> None:
        self.page = new_page(kernel("matmul_tiled"))
        while self.page.busy:
            QTest.qWait(5)
        self._view = self.page.set_aside()
        self._splits = {split: split.saveState() for split in self.page.findChildren(QSplitter)}

    def select(self, found: Kernel, **changes: object) -> ExplorePage:
        """Show a kernel at its own size and block, but for the changes."""
        own = {"kernel": found, "size": found.size, "block": found.block, "device": devices()[0]}
        self.page._session.select(**(own | changes))
        return self.page

    def put_back(self) -> None:
        """Let the page be as it was, by the means with which it is put back after a lesson."""
        page = self.page
        page.presentation.leave()
        page.editing.leave()
        page.timeline.pause()
        page.timeline.clear_loop()
        page._session.play(None)
        page.put_back(self._view)
        page.inspector.pin.setChecked(False)
        page.motion.set_on(True)
        page.timeline.go(0)
        page.canvas.end_motion()
        page.set_theme(LIGHT)
        page.resize(*PAGE_SIZE)
        for split, state in self._splits.items():
            split.restoreState(state)

    @property
    def calm(self) -> bool:
        """Whether nothing of the page is under way."""
        return not (self.page.busy or any(timer.isActive() for timer in self.page.findChildren(QTimer)))


@pytest.fixture(scope="package")  # a window that is shown takes the pointer from others
def shared_page(qapp: QApplication) -> Iterator[SharedPage]:
    shared = SharedPage()
    yield shared
    shared.page.close()
    shared.page.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def open_page(qtbot: QtBot, shared_page: SharedPage) -> Iterator[Callable[..., ExplorePage]]:
    """Open a page on a kernel with all panes, and wait until it shows something.

    The first page on a kernel of the catalogue is the one that tests share, unless a new one is asked for.
    """
    pages = []
    free = True

    def open_on(found: Kernel, wait: bool = True, new: bool = False, **changes: object) -> ExplorePage:
        nonlocal free
        if free and wait and not new and found in catalog():
            free = False
            page = shared_page.select(found, **changes)
            page.activateWindow()
            page.setFocus()
            qtbot.waitUntil(page.isActiveWindow)
        else:
            page = new_page(found, **changes)
            pages.append(page)
        if wait:
            qtbot.waitUntil(lambda: not page.busy)
        return page

    yield open_on
    for page in pages:
        page.close()
        page.deleteLater()
    if not free:
        shared_page.put_back()
        qtbot.waitUntil(lambda: shared_page.calm)
