from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.explore.painting.paint_flows import thread_place
from gui.explore.scene.build import build_scene
from gui.explore.scene.focus import NOTHING, Focus
from gui.explore.scene.layout import arrange, hit
from gui.explore.scene.lens import magnified_cells
from kernels.analysis import Frame
from kernels.launch import Dim3
from tests.gui.explore.conftest import stage, step_on

if TYPE_CHECKING:
    from gui.explore.scene.layout import Layout
    from gui.explore.scene.scene import Scene

SIZE = (820, 375, 18)


def shown(name: str, size: str, block: str, focus: Focus = NOTHING) -> tuple[Scene, Layout]:
    found = stage(name, size, block)
    scene = build_scene(found, Frame(0, step_on(found, "sum +=")), focus=focus)
    return scene, arrange(scene, *SIZE)


@pytest.mark.parametrize(
    ("name", "size", "block"), [("matmul_naive", "32,32,32", "32,32"), ("matmul_tiled", "16", "8,8")]
)
def test_a_large_block_has_a_lens_with_labels(name: str, size: str, block: str) -> None:
    _, layout = shown(name, size, block)
    assert layout.lens is not None
    assert layout.zoom is not None
    assert layout.zoom.cell >= 24
    assert (layout.zoom.rows, layout.zoom.columns) == (layout.lens.rows, layout.lens.columns)
    box = layout.below or layout.corner
    assert box is not None
    assert layout.zoom.box.x >= box.x
    assert layout.zoom.box.x + layout.zoom.box.width <= box.x + box.width
    assert layout.zoom.box.y + layout.zoom.box.height <= box.y + box.height


def test_a_small_block_is_shown_as_a_whole() -> None:
    assert shown("matmul_tiled", "3", "2,2")[1].lens is None


@pytest.mark.parametrize("thread", [0, 1023, 400, 31, 992])
def test_the_lens_shows_the_thread_in_focus_and_stays_while_its_threads_are_pointed_at(thread: int) -> None:
    scene, layout = shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(thread))
    assert layout.lens is not None
    row, column, inside = magnified_cells(scene.block_dim, layout.lens)
    assert inside[thread]
    assert inside.sum() == layout.lens.rows * layout.lens.columns
    for number in inside.nonzero()[0].tolist():
        raster, at = thread_place(scene, layout, number)
        assert raster is layout.zoom
        assert at == (row[number], column[number])
        cell = raster.rect(*at)
        found = hit(scene, layout, cell.x + cell.width / 2, cell.y + cell.height / 2)
        assert found == Focus.on_thread(number)
    for number in inside.nonzero()[0][[0, -1]].tolist():
        assert shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(number))[1].lens == layout.lens


def test_threads_outside_of_the_lens_are_on_the_result() -> None:
    scene, layout = shown("matmul_naive", "32,32,32", "32,32", Focus.on_thread(0))
    raster, at = thread_place(scene, layout, 1023)
    assert raster is layout.thread_raster
    assert at == (31, 31)


def test_without_a_lens_every_thread_is_shown() -> None:
    *_, inside = magnified_cells(Dim3(4, 4), None)
    assert inside.all()
