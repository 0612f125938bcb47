from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.scene import Options
from kernels.analysis import Frame
from kernels.analysis.values.roles import ACTIVE, IDLE
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage, step_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]

SIZE, BLOCK = Size(12, 12, 12), Dim3(6, 6)  # 36 threads: warp 1 has the last four


@pytest.mark.parametrize(("warp", "threads", "elements"), [(0, 32, 32), (1, 4, 4)])
def test_only_the_warp_takes_part_in_the_picture(warp: int, threads: int, elements: int) -> None:
    found = stage("matmul_tiled", "12,12,12", "6,6")
    frame = Frame(0, step_on(found, "As"))
    alone, all_warps = build_scene(found, frame, Options(warp=warp)), build_scene(found, frame)
    assert np.count_nonzero(alone.threads.role == ACTIVE) == threads
    assert set(alone.threads.role.tolist()) == {ACTIVE, IDLE}
    assert [int(cells.wrote.sum()) for cells in alone.cells if cells.view.name == "As"] == [elements]
    assert [len(flow.lanes) for flow in alone.flows] == [elements]
    assert [len(flow.lanes) for flow in all_warps.flows] == [36]
    for one, other in zip(alone.cells, all_warps.cells, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
    assert alone.caption.startswith(f"One warp at a time, warp {warp}. ")


def test_one_warp_at_a_time(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), size=SIZE, block=BLOCK)
    page.stage_bar.set_schedule("warps")
    page._run_again()
    qtbot.waitUntil(lambda: not page.busy)
    whole = [tuple(frame) for frame in page.frames]
    page._click(Focus.on_thread(34))
    with qtbot.waitActive(page):
        page.activateWindow()
    QTest.keyClick(page, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    assert page.options.warp == 1
    assert page.story is not None
    trace = page.story.stage.trace
    own = [frame for frame in whole if np.isin(trace.lanes(frame[1], frame[0]) % 36, range(32, 36)).any()]
    assert 0 < len(own) < len(whole)
    assert [tuple(frame) for frame in page.frames] == own
    assert page.caption.whole.startswith("One warp at a time, warp 1. ")
    page._click(Focus.on_thread(2))  # a thread of another warp
    assert page.options.warp == 0
    assert page.caption.whole.startswith("One warp at a time, warp 0. ")
    page.stage_bar.one_warp.trigger()
    assert [tuple(frame) for frame in page.frames] == whole


def test_a_kernel_with_fewer_warps_plays_all_steps(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), size=SIZE, block=BLOCK)
    page.stage_bar.follow(1)
    page._session.select(block=Dim3(4, 4))
    qtbot.waitUntil(lambda: not page.busy)
    assert page.options.warp is None
    assert not page.stage_bar.one_warp.isChecked()


def test_workers_of_a_cpu_form_no_warps(open_page: OpenPage) -> None:
    page = open_page(find_kernel("cpu_parallel"))
    page.stage_bar.set_zoom("warp")
    assert not page.stage_bar.one_warp.isEnabled()
    assert page.scene is not None
    assert page.scene.warp is None
    assert page.scene.zoom == "block"


def test_keys_select_the_next_warp(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), size=SIZE, block=BLOCK)
    page.stage_bar.set_zoom("warp")
    with qtbot.waitActive(page):
        page.activateWindow()
    found = []
    for key in (Qt.Key.Key_BracketRight, Qt.Key.Key_BracketRight, Qt.Key.Key_BracketLeft):
        QTest.keyClick(page, key)
        assert page.scene is not None
        assert page.scene.warp is not None
        found.append((page.scene.warp.state.warp, page.scene.focus.lane))
    assert found == [(1, 32), (0, 0), (1, 32)]
    page.stage_bar.one_warp.trigger()
    QTest.keyClick(page, Qt.Key.Key_BracketRight)
    assert page.options.warp == 0


@pytest.mark.parametrize("options", [Options(warp=3), Options(zoom="warp", warp=1)])
def test_a_launch_without_that_warp_shows_all(options: Options) -> None:
    found = stage("matmul_tiled")  # blocks of one warp, as the second launch of a comparison can have
    scene = build_scene(found, Frame(0, step_on(found, "As")), options)
    assert np.count_nonzero(scene.threads.role == ACTIVE) == 4
    assert "One warp" not in scene.caption
