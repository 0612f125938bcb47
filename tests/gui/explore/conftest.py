from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.playback.stage_state import PANES
from gui.explore.stage.build import build_scene
from gui.explore.stage.stage import Stage
from gui.selection.session import Selection, Session
from kernels import CUDA_FOLDER
from kernels.analysis import Frame
from kernels.catalog import Kernel, read_kernel
from kernels.device import find_device
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from gui.explore.stage.scene import Scene

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
    page.resize(1256, 690)
    page.show()
    return page


@pytest.fixture
def open_page(qtbot: QtBot) -> Iterator[Callable[..., ExplorePage]]:
    """Open a page on a kernel with all panes, and wait until it shows something."""
    pages = []

    def open_on(found: Kernel, wait: bool = True, **changes: object) -> ExplorePage:
        page = new_page(found, **changes)
        pages.append(page)
        if wait:
            qtbot.waitUntil(lambda: not page.busy)
        return page

    yield open_on
    for page in pages:
        page.close()
        page.deleteLater()
