from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gui.explore.page import ExplorePage
from gui.explore.stage import motion_switch
from gui.explore.stage.build import build_scene
from gui.explore.stage.motion import STILL, motion_between
from gui.explore.stage.paint_motion import MovingPicture
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.shell.settings import Settings
from gui.theming.theme import LIGHT
from kernels.analysis import playlist
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage
from tests.gui.explore.test_scene import READ, staged

OpenPage = Callable[..., ExplorePage]


TILED = ("matmul_tiled", "3", "2,2")


KERNELS = (TILED, ("matmul_naive", "3", "2,2"), ("matmul_tiled", "10", "8,8"), ("index_map", "", ""))


def scenes(found: Stage) -> list[Scene]:
    return [build_scene(found, frame) for frame in playlist(found.trace, "memory").frames]


def moving(found: Stage, at: int) -> dict[str, int]:
    """Count what moves to a frame of the playlist, by kind."""
    before, after = scenes(found)[at - 1 : at + 1]
    counts: dict[str, int] = {}
    for flights in motion_between(before, after).flights:
        counts[flights.kind] = counts.get(flights.kind, 0) + len(flights.threads)
    return counts


@pytest.mark.parametrize(
    ("at", "moves"),
    [
        (1, {"load": 4}),
        (2, {"arrive": 4}),
        (3, {"leave": 4, "read": 8}),  # an element of As and one of Bs for each thread
        (4, {"read": 8}),
        (6, {"leave": 4, "load": 2, "fill": 2}),  # two threads are outside: nothing is read, and zeros are stored
        (12, {"leave": 4, "store": 4}),
        (13, {"load": 4}),  # the next block
    ],
)
def test_what_moves_is_what_the_step_accesses(at: int, moves: dict[str, int]) -> None:
    assert moving(stage(*TILED), at) == moves


@pytest.mark.parametrize("name", KERNELS, ids=lambda name: " ".join(name))
def test_everything_starts_and_ends_at_cells_of_both_scenes(name: tuple[str, str, str]) -> None:
    found = scenes(stage(*name))
    for before, after in pairwise(found):
        for flights in motion_between(before, after).flights:
            assert ((flights.threads >= 0) & (flights.threads < after.block_dim.count)).all()
            for view, at in ((flights.source, flights.start), (flights.target, flights.end)):
                if view is None:
                    continue
                for scene in (before, after):
                    assert (at >= 0).all()
                    assert (at < (scene.cells[view].rows, scene.cells[view].columns)).all()
                marked = after.cells[view].read | after.cells[view].wrote
                assert marked[at[:, 0], at[:, 1]].all()  # the picture marks the same elements


def test_values_that_move_are_those_of_the_elements() -> None:
    before, after = scenes(stage(*TILED))[:2]
    (load,) = motion_between(before, after).flights
    assert load.source is not None
    assert load.target is not None
    assert load.known.all()
    target = after.cells[load.target]
    np.testing.assert_array_equal(load.values, target.values[load.end[:, 0], load.end[:, 1]])
    # What others wrote between two frames is not forgotten.
    # One warp at a time skips the steps of the others, and the scene before does not have what they stored.
    found = scenes(stage(*TILED))
    reads = [f for f in motion_between(found[0], found[3]).flights if f.kind == "read"]
    assert len(reads) == 2
    for read in reads:
        assert read.source is not None
        assert read.known.all()
        np.testing.assert_array_equal(
            read.values, found[3].cells[read.source].values[read.start[:, 0], read.start[:, 1]]
        )
    # Nothing moves backwards.
    found = scenes(stage(*TILED))
    assert motion_between(found[4], found[3]) is STILL


def test_copies_through_a_register_move_their_values(tmp_path: Path) -> None:
    found = scenes(staged(tmp_path, "", "As[ty][tx] = 1.0f;", "As[ty][tx] = As[ty][tx] + 2.0f;"))
    before, after = next((b, a) for b, a in pairwise(found) if "+ 2" in a.caption or "+ 2.0" in a.caption)
    read, store = (f for f in motion_between(before, after).flights if f.kind in ("read", "store"))
    assert (read.begin + read.travel <= store.begin).all()
    assert read.known.all()
    assert set(read.values.tolist()) == {1.0}
    assert set(store.values.tolist()) == {3.0}
    # A value in a register leaves its thread.
    # The store to As reads no global memory: the value arrived in the register one step before.
    load = READ.replace("TILE", "t")
    found = scenes(staged(tmp_path, "", f"float a = {load} As[ty][tx] = a;"))
    kinds = [{f.kind for f in motion_between(before, after).flights} for before, after in pairwise(found)]
    assert {"store"} in [kind for kind, scene in zip(kinds, found[1:], strict=True) if scene.flows]
    assert not any("load" in kind for kind in kinds)


def test_threads_arrive_one_by_one_leave_together_and_wait_for_the_late() -> None:
    found = scenes(stage(*TILED))
    (arrive,) = motion_between(*found[1:3]).flights
    assert (np.diff(arrive.begin) > 0).all()
    assert (arrive.begin + arrive.travel <= 1).all()
    leave = next(f for f in motion_between(*found[2:4]).flights if f.kind == "leave")
    assert (leave.begin == 0).all()
    # Threads wait for those that have not arrived.
    tiled = kernel("matmul_tiled")
    trace = trace_kernel(tiled, Size(8, 8, 8), Dim3(8, 8), options=Options(schedule="warps"))
    shown = scenes(Stage(trace, tiled.workload.panels))
    leaving = {
        before.arrived: any(flights.kind == "leave" for flights in motion_between(before, after).flights)
        for before, after in pairwise(shown)
        if before.barrier and not after.barrier and before.block == after.block
    }
    assert leaving == {32: False, 64: True}


# Pictures


def painted(picture: MovingPicture, time: float) -> QImage:
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    picture.paint(painter, time)
    painter.end()
    return image


@pytest.mark.parametrize("name", KERNELS, ids=lambda name: " ".join(name))
def test_the_end_is_the_still(qapp: QApplication, name: tuple[str, str, str]) -> None:
    found, text = scenes(stage(*name)), TextPainter(qapp.font().family())
    surface = Surface(600, 400, 18.0, LIGHT)
    moved = 0
    for before, after in pairwise(found[:15]):
        stills = [paint_still(scene, surface, text) for scene in (before, after)]
        picture = MovingPicture(stills[0], stills[1], text)
        moved += picture.moves and painted(picture, 0.5) != stills[1].image
        assert painted(picture, 1.0) == stills[1].image
    assert moved


def test_a_target_shows_the_earlier_contents_until_something_arrives(qapp: QApplication) -> None:
    before, after = scenes(stage(*TILED))[:2]
    surface, text = Surface(600, 400, 18.0, LIGHT), TextPainter(qapp.font().family())
    stills = [paint_still(scene, surface, text) for scene in (before, after)]
    raster = stills[1].layout.rasters[after.flows[0].target_view]
    x, y = round(raster.x + raster.across * 0.5), round(raster.y + raster.cell * 0.2)
    colours = [still.image.pixelColor(x, y) for still in stills]
    assert colours[0] != colours[1]
    picture = MovingPicture(stills[0], stills[1], text)
    assert [painted(picture, time).pixelColor(x, y) for time in (0.2, 1.0)] == colours


def test_threads_that_are_drawn_nowhere_move_nothing(qapp: QApplication) -> None:
    # Without the magnified block, threads outside of C are not drawn; with it, all are.
    before, after = scenes(stage(*TILED))[-2:]
    text = TextPainter(qapp.font().family())
    for width, height, magnified in ((2200, 1600, False), (600, 300, True)):
        stills = [paint_still(scene, Surface(width, height, 18.0, LIGHT), text) for scene in (before, after)]
        picture = MovingPicture(stills[0], stills[1], text)
        leave = next(track for track in picture.tracks if track.flights.kind == "leave")
        assert (stills[1].layout.zoom is not None) == magnified
        assert len(leave.flights.threads) == (4 if magnified else int(after.threads.visible.sum()))


def test_a_step_moves_until_it_is_interrupted_and_a_jump_does_not(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.timeline.step(1)
    assert page.canvas.moving
    page.timeline.go(7)
    assert not page.canvas.moving
    page.timeline.step(-1)
    assert not page.canvas.moving
    # A resize ends the motion.
    page.timeline.go(0)
    page.timeline.step(1)
    page.resize(page.width() - 60, page.height())
    assert not page.canvas.moving
    # A motion ends by itself.
    page.timeline.go(0)
    page.timeline.step(1)
    page.canvas.clock.setCurrentTime(page.canvas.clock.duration())
    assert not page.canvas.moving
    # An interruption leaves the still.
    page.timeline.go(0)
    page.timeline.go(1)
    assert page.canvas.moving
    page.canvas.end_motion()
    interrupted = page.canvas.grab().toImage()
    page.timeline.go(5)
    page.timeline.go(1)
    assert page.canvas.grab().toImage() == interrupted


def test_off_means_none_and_the_choice_is_kept(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), new=True)
    settings = Settings()
    page.remember_choices(settings)
    page.activateWindow()
    page.timeline.step(1)
    QTest.keyClick(page, Qt.Key.Key_M)
    settings.flush()
    assert not page.motion.on
    assert not page.canvas.moving
    page.timeline.step(1)
    assert not page.canvas.moving
    other = open_page(kernel("matmul_tiled"))
    other.remember_choices(Settings())
    assert not other.motion.on


def test_motion_is_off_where_the_system_asks_for_no_animations(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.explore.stage.motion_switch.reduces_motion", lambda widget: True)
    page = open_page(kernel("matmul_tiled"), new=True)
    page.timeline.step(1)
    assert not page.motion.on
    assert not page.canvas.moving


@pytest.mark.parametrize(("preference", "reduced"), [("NoPreference", False), ("ReducedMotion", True)])
def test_the_preference_of_the_system_is_followed(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, preference: str, reduced: bool
) -> None:
    accessibility = SimpleNamespace(motionPreference=lambda: SimpleNamespace(name=preference))
    hints = SimpleNamespace(accessibility=lambda: accessibility)
    monkeypatch.setattr(motion_switch, "QGuiApplication", SimpleNamespace(styleHints=lambda: hints))
    assert motion_switch.reduces_motion(QWidget()) == reduced


def test_fast_playing_shortens_the_motion(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    for step_ms, lasts in [(0, 250), (1000, 250), (250, 200), (125, 100), (62, 0)]:
        assert page.motion.duration_ms(page.scene, page.frames, 1, step_ms) == lasts
