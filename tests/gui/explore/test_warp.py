"""One warp: the table of its lanes, and its steps alone."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.packing.layout import arrange, hit
from gui.explore.packing.warp_layout import SPLIT_ROWS
from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.paint_motion import MovingPicture
from gui.explore.stage.scene import Options, Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.analysis.order.divergence import LANE_STATES
from kernels.analysis.values.roles import ACTIVE, IDLE
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.kernels.analysis.test_divergence import IF_ELSE, NESTED
from tests.kernels.analysis.traces import source

WARP = Options(zoom="warp")


def of_source(text: str, threads: int = 40, schedule: str = "lockstep") -> Stage:
    arguments = (f"A=f32[{threads}]:zeros", *(["n=36"] if "int n" in text else []))
    return Stage(source(text, "1", f"{threads}", *arguments, schedule=schedule), ())


def on(found: Stage, text: str, focus: Focus = NOTHING) -> Scene:
    return build_scene(found, Frame(0, step_on(found, text)), WARP, focus)


def test_lanes_have_the_value_that_the_step_is_about() -> None:
    found = of_source(IF_ELSE)
    scene = on(found, "A[x] = 2", Focus.on_thread(5))
    assert scene.warp is not None
    assert (scene.warp.value_name, scene.warp.stored) == ("A", True)
    assert scene.warp.values[scene.warp.has_value].tolist() == [2.0] * 30
    assert scene.warp.has_value.tolist() == [False] * 2 + [True] * 30
    test = on(found, "if (x < 2)")
    assert test.warp is not None
    assert (test.warp.value_name, test.warp.values.tolist()) == ("x", list(range(32)))
    # The accumulator is shown where the step has no value.
    found = stage("matmul_tiled")
    frame = Frame(0, step_on(found, "__syncthreads", phase=1))
    warp = build_scene(found, frame, WARP).warp
    assert warp is not None
    assert (warp.value_name, warp.count) == ("sum", 4)
    # The caption says which lanes run.
    found = of_source(IF_ELSE)
    assert on(found, "A[x] = 1").caption.endswith("warp 0: lanes 0–1 run this side, lanes 2–31 wait for theirs")
    assert "warp" not in build_scene(found, Frame(0, step_on(found, "A[x] = 1"))).caption


def test_the_warp_is_that_of_the_thread_in_focus() -> None:
    found = of_source(NESTED)
    second = on(found, "A[x] += 3", Focus.on_thread(33)).warp
    assert second is not None
    assert (second.state.warp, second.count) == (1, 8)
    assert [LANE_STATES[n] for n in second.state.state] == ["runs"] * 4 + ["returned"] * 4
    first = on(found, "A[x] += 3").warp
    assert first is not None
    assert first.state.warp == 0
    # A column is its thread.
    found = of_source(IF_ELSE)
    scene = on(found, "if (x < 2)", Focus.on_thread(33))
    layout = arrange(scene, 820, 375, 16)
    assert layout.warp is not None
    table = layout.warp.table
    assert table is not None
    for lane, row in itertools.product(range(8), range(table.rows)):
        cell = table.cell(lane, row)
        assert hit(scene, layout, cell.x + cell.width / 2, cell.y + cell.height / 2) == Focus.on_thread(32 + lane)
    beyond = table.cell(8, 0)  # the second warp has eight lanes
    assert hit(scene, layout, beyond.x + 2, beyond.y + 2) == NOTHING


@pytest.mark.parametrize(("width", "height", "line"), [(820, 375, 16), (820, 560, 18), (690, 320, 27), (1230, 640, 24)])
def test_the_table_fits_and_stays_where_it_is(width: float, height: float, line: float) -> None:
    found = of_source(NESTED)
    scenes = [build_scene(found, Frame(0, int(step)), WARP) for step in found.trace.block_steps(0)]
    layouts = [arrange(scene, width, height, line).warp for scene in scenes]
    tables = {layout.table for layout in layouts if layout is not None and layout.table is not None}
    assert len(tables) == 1  # of the steps that access no memory
    (layout,) = tables
    assert layout.text >= 9.5
    last = layout.cell(31, layout.rows + SPLIT_ROWS * layout.splits - 1)
    assert last.x + last.width <= width
    assert last.y + last.height <= arrange(scenes[0], width, height, line).legend.y
    cells = [layout.cell(lane, row) for lane, row in itertools.product(range(32), range(layout.rows))]
    assert len({(round(cell.x), round(cell.y)) for cell in cells}) == len(cells)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", [(820, 375), (1800, 1500)])
def test_nothing_moves_between_two_pictures_of_a_warp(size: tuple[int, int]) -> None:
    found = stage("matmul_tiled")
    text_painter = TextPainter("Sans")
    stills = [
        paint_still(build_scene(found, Frame(0, step_on(found, text)), WARP), Surface(*size, 18, LIGHT), text_painter)
        for text in ("As", "Bs")
    ]
    assert not MovingPicture(stills[0], stills[1], text_painter).moves


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


def test_kernels_with_fewer_or_no_warps_play_all_steps(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), size=SIZE, block=BLOCK)
    page.stage_bar.follow(1)
    page._session.select(block=Dim3(4, 4))
    qtbot.waitUntil(lambda: not page.busy)
    assert page.options.warp is None
    assert not page.stage_bar.one_warp.isChecked()
    # Workers of a CPU form no warps.
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
