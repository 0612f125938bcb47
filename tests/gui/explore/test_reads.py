"""The heat map of reads, and the words about waves in the picture of the whole grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.stage.build import build_scene
from gui.explore.stage.scene import Options
from kernels.analysis import Frame
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]


def reads_at_end(name: str, size: str, block: str) -> dict[str, np.ndarray]:
    found = stage(name, size, block)
    last = found.memory_history.end
    scene = build_scene(found, last, Options(reads=True))
    return {cells.view.title: cells.reads for cells in scene.cells if cells.reads is not None}


def test_naive_reads_each_element_once_for_each_row_or_column_of_c() -> None:
    reads = reads_at_end("matmul_naive", "4,6,5", "2,2")
    assert (reads["A"] == 6).all()
    assert (reads["B"] == 4).all()


def test_tiles_divide_the_reads_by_their_width() -> None:
    reads = reads_at_end("matmul_tiled", "4,6,5", "2,2")
    assert (reads["A"] == 3).all()
    assert (reads["B"] == 2).all()


def test_nothing_was_read_at_the_first_step_of_a_block_but_what_it_reads() -> None:
    found = stage("matmul_naive", "4,4,4", "2,2")
    for position in (0, 3, 9):
        frame = Frame(0, position)
        scene = build_scene(found, frame, Options(reads=True))
        for cells in scene.cells:
            if cells.reads is not None:
                rows, columns = cells.reads.shape
                assert (cells.reads[cells.read[:rows, :columns]] > 0).all()
                assert cells.reads.max() <= cells.most_reads


def test_without_the_option_values_are_shown() -> None:
    found = stage("matmul_naive", "4,4,4", "2,2")
    assert all(cells.reads is None for cells in build_scene(found, Frame(0, 3)).cells)


def test_the_picture_changes_with_the_button(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"), size=Size(4, 4, 4), block=Dim3(2, 2))
    page.timeline.last()
    values = page.canvas.grab().toImage()
    page.stage_bar.reads.trigger()
    assert page.canvas.grab().toImage() != values
    page.stage_bar.reads.trigger()
    assert page.canvas.grab().toImage() == values


def test_waves_are_those_of_the_selected_device(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"), size=Size(4, 4, 4), block=Dim3(2, 2))
    assert not page.waves.isVisible()
    page.stage_bar.set_zoom("grid")
    assert page.waves.text().startswith("1 wave on ")
    assert page._session.selection.device.name in page.waves.text()
    page.stage_bar.set_zoom("block")
    assert not page.waves.isVisible()
