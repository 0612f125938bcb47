"""Objects and centres as points: labels so far, the comparisons of one thread, trails, and atomics that collide."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.explore.packing.layout import arrange, hit
from gui.explore.page import ExplorePage
from gui.explore.points.paint_points import SHAPES
from gui.explore.points.points import UNLABELLED, PlanePoints
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.hues import HUES
from gui.explore.stage.scene import Options, Zoom
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import fitting_size
from gui.explore.values.facts import facts
from kernels.analysis import Frame, variables
from kernels.analysis.metrics.collisions import colliding_atomics
from kernels.tracing import trace_kernel
from kernels.workload import Size
from tests.gui.explore.boxes import overlap
from tests.gui.explore.conftest import kernel, step_on


@cache
def points_stage(name: str, size: str = "") -> Stage:
    found = kernel(name)
    trace = trace_kernel(found, Size.parse(size) if size else found.size, found.block)
    return Stage(trace, found.workload.panels, found.runs_on == "cpu", workload=found.workload)


def points_at(found: Stage, block: int, step: int, focus: Focus = NOTHING) -> PlanePoints:
    points = build_scene(found, Frame(block, step), focus=focus).points
    assert points is not None
    return points


@pytest.mark.parametrize("name", ["kmeans_assign", "kmeans_assign_rows", "kmeans_assign_shared"])
def test_a_thread_compares_one_centre_after_the_other_with_the_distances_of_the_trace(name: str) -> None:
    found, thread = points_stage(name), 4
    for centre in range(3):
        step = step_on(found, "float difference", nth=2 * centre + 1)
        points = points_at(found, 0, step, Focus.on_thread(thread))
        assert [(c.object, c.centre) for c in points.comparisons] == [(thread, number) for number in range(centre + 1)]
        assert points.comparisons[centre].distance is None
        for earlier in points.comparisons[:centre]:
            after = step_on(found, "distance +=", nth=2 * earlier.centre + 1)
            held = {v.name: v.value for v in variables(found.trace, after, thread)}
            assert earlier.distance == held[earlier.name]
            assert earlier.name == "distance"
        assert np.flatnonzero(points.lit).tolist() == [thread]
    last = step_on(found, "labels[object]")
    points = points_at(found, 0, last, Focus.on_thread(thread))
    label = int(found.trace.contents(found.trace.array_number("labels"), last)[0][thread])
    assert points.nearest == ((thread, label),)


def test_labels_and_comparisons_are_those_so_far() -> None:
    found = points_stage("kmeans_assign")
    before, stored = step_on(found, "float difference"), step_on(found, "labels[object]")
    assert (points_at(found, 0, before).labels == UNLABELLED).all()
    labels = points_at(found, 0, stored).labels
    assert labels[:8].tolist() == found.trace.contents(found.trace.array_number("labels"), stored)[0][:8].tolist()
    assert (labels[8:] == UNLABELLED).all()
    # A thread with two objects compares both.
    found = points_stage("kmeans_assign_registers")
    last = int(found.trace.block_steps(0)[-1])
    points = points_at(found, 0, step_on(found, "labels[first]"), Focus.on_thread(1))
    assert {c.object for c in points.comparisons} == {1, 5}
    assert {c.name for c in points.comparisons} == {"distance[0]", "distance[1]"}
    assert {c.object for c in points_at(found, 0, last, Focus.on_thread(1)).comparisons} == {5}  # 1 has its label


def test_centres_and_collisions_are_those_of_the_step() -> None:
    found = points_stage("kmeans_divide")
    before, after = (points_at(found, 0, int(step)).centres for step in found.trace.block_steps(0)[[-2, -1]])
    assert all(centre.earlier is not None for centre in before)
    assert [centre.place is not None for centre in before] == [False, False, False]
    assert [centre.place is not None for centre in after] == [True, True, False]  # the third is block 1's
    assert after[0].place == pytest.approx(np.array(after[0].total) / (after[0].count or 0))
    # Collisions and sums are those of the step.
    found = points_stage("kmeans_update_atomic")
    step = step_on(found, "atomicAdd(&counts")
    points = points_at(found, 0, step)
    assert points.collisions == colliding_atomics(found.trace, step, 0) != ()
    lanes = sorted(lane for collision in points.collisions for lane in collision.lanes)
    assert np.flatnonzero(points.colliding).tolist() == lanes  # thread n has object n
    counts = found.order.contents(found.trace.array_number("counts"), 0, step)[0]
    assert [centre.count for centre in points.centres] == counts.tolist()


def test_many_objects_coordinates_and_centres() -> None:
    found = points_stage("kmeans_assign", "700,3,4")
    frame = Frame(0, step_on(found, "labels[object]"))
    scene = build_scene(found, frame)
    layout = arrange(scene, 770, 430, 18).points
    assert layout is not None
    assert scene.points is not None
    assert scene.points.coordinates == 3
    assert 1 <= layout.radius < 3
    assert len(layout.pixels(scene.points.places)) == 700
    # Distances of too many coordinates are not searched and it is said.
    found = points_stage("kmeans_assign", "8,20,8")
    points = build_scene(found, Frame(0, step_on(found, "labels[object]"))).points
    assert points is not None
    assert points.comparisons == ()
    assert points.more_compared
    # No two of many centres look alike.
    looks = {(number % HUES, number % SHAPES) for number in range(HUES * SHAPES)}
    assert len(looks) == HUES * SHAPES


def test_an_object_under_the_pointer_shows_its_lines(qtbot: QtBot, open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("kmeans_assign"))
    page.timeline.go(6)
    scene, canvas, item = page.scene, page.canvas, 5
    assert scene is not None
    assert scene.points is not None
    layout = arrange(scene, canvas.width(), canvas.height(), canvas.text_line)
    assert layout.points is not None
    x, y = layout.points.pixels(scene.points.places)[item].tolist()
    assert hit(scene, layout, x, y) == Focus.on_element(scene.points.array, item)
    QTest.mouseMove(canvas, QPoint(round(x), round(y)))
    qtbot.waitUntil(lambda: page.scene is not None and page.scene.focus != NOTHING)
    shown = page.scene
    assert shown is not None
    assert shown.points is not None
    assert [(c.object, c.centre) for c in shown.points.comparisons] == [(item, 0), (item, 1), (item, 2)]
    assert page.story is not None
    words = dict(facts(page.story.stage, shown).lines)["object"]
    assert words.startswith(f"{item}, label 2, distance = 3305 to centre 0")


@pytest.mark.parametrize(
    "name", ["kmeans_assign_registers", "kmeans_assign_shared", "kmeans_update_privatized", "lesson_barrier_in_guard"]
)
def test_numbers_beside_points_have_room(name: str) -> None:
    found = points_stage(name)
    scene = build_scene(found, Frame(0, int(found.trace.block_steps(0)[-1])))
    layout = arrange(scene, 771, 368, 18)  # in a window of 1280×800 pixels
    assert layout.fits
    for cells, raster in zip(scene.cells, layout.rasters, strict=True):
        assert fitting_size(raster.cell, ["88"], raster.across), cells.view.name


@pytest.mark.parametrize("name", ["kmeans_sequential", "kmeans_update_atomic", "kmeans_assign", "kmeans_parallel"])
def test_every_array_that_a_kernel_accesses_is_drawn(name: str) -> None:
    assert points_stage(name).not_drawn == ()


@pytest.mark.parametrize("zoom", ["grid", "block", "warp"])
@pytest.mark.parametrize("has_result", [True, False])
def test_arrays_of_one_place_are_drawn_in_rows_without_points_too(zoom: Zoom, has_result: bool) -> None:
    found = points_stage("kmeans_update_atomic")
    scene = build_scene(found, Frame(0, step_on(found, "atomicAdd(&counts")), Options(zoom=zoom))
    if not has_result:
        scene = replace(scene, result=None, points=None)
    layout = arrange(scene, 1165, 570, 22)
    assert [cells.view.name for cells in scene.cells] == ["labels", "objects", "sums", "counts"]
    assert layout.only_warp or len(layout.rasters) == 4
    boxes = [*layout.rasters, *([] if has_result or layout.only_warp else [layout.thread_raster])]
    for one, other in combinations((raster.box for raster in boxes), 2):
        assert not overlap(one, other)
