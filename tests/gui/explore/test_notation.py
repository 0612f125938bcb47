from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.stage.build import build_scene
from gui.explore.stage.stage import Stage
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import facts
from kernels.analysis import Frame, playlist
from kernels.catalog import find_kernel
from tests.gui.explore.conftest import stage, step_on
from tests.kernels.analysis.test_divergence import BARRIER
from tests.kernels.analysis.traces import catalogue, source

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.page import ExplorePage

    OpenPage = Callable[..., ExplorePage]


def test_indices_are_written_alike_in_caption_card_and_timeline() -> None:
    found = stage("matmul_tiled")
    scene = build_scene(found, Frame(1, step_on(found, "As", 1)))
    assert scene.caption.startswith("Block (1,0)")
    assert facts(found, scene).heading.startswith("Thread (0,0) of Block (1,0)")
    assert marks_of(found.trace, playlist(found.trace, "memory")).block_names[1] == "(1,0)"


def test_indices_of_a_launch_with_one_dimension_are_numbers() -> None:
    trace = source(BARRIER, "2", "40", "A=f32[40]:zeros")
    found = Stage(trace, ())
    scene = build_scene(found, Frame(1, int(trace.block_steps(1)[0])))
    assert facts(found, scene).heading == "Thread 0 of Block 1: warp 0, lane 0"
    assert marks_of(trace, playlist(trace, "memory")).block_names == ("0", "1")


def test_a_kernel_for_the_cpu_has_workers_on_the_timeline() -> None:
    kernel = find_kernel("cpu_parallel")
    trace = catalogue(kernel.id)
    count = trace.launch.block.count
    assert marks_of(trace, playlist(trace, "memory"), on_cpu=True).block_names == (f"{count} workers",)


def test_the_heading_says_who_has_arrived_at_the_barrier() -> None:
    trace = source(BARRIER, "1", "40", "A=f32[40]:zeros", schedule="warps")
    steps = [s for s in range(trace.steps) if trace.statement(s).kind == "barrier"]
    scenes = [build_scene(Stage(trace, ()), Frame(0, step)) for step in (*steps, steps[-1] + 1)]
    assert [scene.barrier_words for scene in scenes] == [
        "32 of 40 at the barrier",
        "all have arrived at the barrier",
        "",
    ]
    assert "32 of 40 threads wait here" in scenes[0].caption
    assert "all 40 threads have arrived" in scenes[1].caption
