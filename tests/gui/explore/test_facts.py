"""Facts of the card, and what belongs to the thread, element or line in focus."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from gui.explore.page import ExplorePage
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.links import execution_of_line, find_links
from gui.explore.stage.stage import Stage
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import Facts, facts
from kernels.analysis import Frame, playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten
from kernels.tracing import trace_kernel, trace_source
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.kernels.analysis.test_divergence import BARRIER
from tests.kernels.analysis.traces import catalogue, source


def told(text: str, focus: Focus, block: int = 0, phase: int | None = None) -> Facts:
    found = stage("matmul_tiled", "3", "2,2")
    frame = Frame(block, step_on(found, text, block, phase))
    return facts(found, build_scene(found, frame, focus=focus))


def test_threads_are_told_with_their_numbers() -> None:
    """Thread (1, 0) of block (0, 0) copies A[0][1]: row·K + t·TILE_WIDTH + tx = 0·3 + 0·2 + 1 = 1."""
    found = told("As[", Focus.on_thread(1), phase=0)
    assert found.heading == "Thread (1,0) of Block (0,0): warp 0, lane 1"
    assert ("reads", "A[0][1]: element 1, byte address A + 4") in found.lines
    assert ("", "row * K + t * TILE_WIDTH + tx = 0*3 + 0*2 + 1 = 1") in found.lines
    assert ("writes", "As[0][1]: element 1, shared byte 4") in found.lines
    assert ("", "[ty][tx] = [0][1]") in found.lines
    # A thread that fills a zero tells what it would have read.
    found = told("Bs[", Focus.on_thread(2), phase=1)  # thread (0, 1): row 3 of B
    assert ("", "stores 0: its source is outside the array") in found.lines
    assert ("would read", "B[3][0], which does not exist") in found.lines
    # Without a focus the first thread that takes part.
    assert told("C[", NOTHING, block=3).heading.startswith("Thread (0,0) of Block (1,1)")
    # A line.
    store = step_on(stage("matmul_tiled", "3", "2,2"), "C[", 3)
    number = stage("matmul_tiled", "3", "2,2").trace.statement(store).span.line
    found = told("As[", Focus.on_line(number), block=3)
    assert found.heading == f"Line {number}"
    assert ("next", "1 of 4 threads of this block execute it") in found.lines


@pytest.mark.parametrize(
    ("text", "focus", "line"),
    [
        ("As[", Focus.on_element(0, 1), ("now", "accessed by (1,0)")),
        ("As[", Focus.on_element(0, 1), ("whole run", "accessed 2 times")),  # by blocks (0, 0) and (1, 0)
        ("As[", Focus.on_element(2, 0), ("value", "not written yet")),
        ("As[", Focus.on_element(2, 0), ("now", "not accessed in this step")),
        (
            "sum +=",
            Focus.on_element(3, 0),
            ("now", "accessed by (0,0), (1,0)"),
        ),  # As[0][0]: the threads of a row
    ],
)
def test_an_element(text: str, focus: Focus, line: tuple[str, str]) -> None:
    assert line in told(text, focus, phase=0).lines


def test_numbers_are_told_in_full() -> None:
    text = "__global__ void k(float *a) { int most = -2147483647; float third = 1234.5678f; a[0] = third; }"
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(1)), {"a": Unwritten("float32", (1,))})
    found = Stage(trace, ())
    last = Frame(0, trace.steps - 1)
    assert facts(found, build_scene(found, last)).lines[1] == (
        "variables",
        "most = -2147483647, third = 1234.568",
    )
    element = facts(found, build_scene(found, last, focus=Focus.on_element(0, 0))).lines
    assert ("value", "1234.568") in element


def test_an_element_that_blocks_share_has_the_value_that_the_picture_shows() -> None:
    found = stage("mmt_stripe", "16", "4,4")
    array = found.trace.array_number("P")
    shown = []
    for frame in playlist(found.trace, "memory").frames:
        scene = build_scene(found, frame, focus=Focus.on_element(array, 5))
        picture = next(cells for cells in scene.cells if cells.view.array == array)
        shown.append(float(dict(facts(found, scene).lines)["value"]))
        assert shown[-1] == picture.values.reshape(-1)[5]
    assert len(set(shown)) == 5  # zero, and the sums of the first one to four blocks
    assert shown == sorted(shown)


def test_a_cpu_kernel_has_workers_in_its_facts() -> None:
    found = kernel("cpu_parallel")
    on_cpu = Stage(trace_kernel(found, found.size, found.block), found.workload.panels, on_cpu=True)
    frame = Frame(0, step_on(on_cpu, "sum +="))
    line = on_cpu.trace.statement(frame.step).span.line
    for focus in (NOTHING, Focus.on_thread(1), Focus.on_line(line), Focus.on_line(1), Focus.on_element(1, 0)):
        shown = facts(on_cpu, build_scene(on_cpu, frame, focus=focus))
        assert "thread" not in " ".join([shown.heading, *(part for row in shown.lines for part in row)]).lower()
    element = facts(on_cpu, build_scene(on_cpu, frame, focus=Focus.on_element(1, 0)))
    assert ("now", "accessed by worker 0, worker 1") in element.lines


Elements = tuple[tuple[int, NDArray[np.int64]], ...]


def changed_by_user(elements: Elements) -> dict[int, list[int]]:
    """{array number: elements}."""
    return {array: sorted(index.tolist()) for array, index in elements}


def test_links_of_threads_elements_and_lines() -> None:
    found = stage("matmul_naive", "4", "2,2")
    step = step_on(found, "sum +=", nth=2)  # k = 2
    links = find_links(found, step, 0, Focus.on_thread(3))  # thread (1, 1) of block (0, 0): row 1, column 1
    assert changed_by_user(links.elements) == {0: [1 * 4 + 2], 1: [2 * 4 + 1]}
    assert links.lines == (found.trace.statement(step).span.line,)
    # An element brings the threads that touch it.
    step = step_on(found, "sum +=", nth=2)
    links = find_links(found, step, 0, Focus.on_element(0, 1 * 4 + 2))  # A[1][2]: both threads of row 1
    assert links.lanes.tolist() == [2, 3]
    assert links.lines == (found.trace.statement(step).span.line,)
    # An element that nobody touches brings nothing else.
    links = find_links(found, step_on(found, "sum +="), 0, Focus.on_element(0, 15))
    assert links.lanes.tolist() == []
    assert links.lines == ()
    # A line brings threads and elements of its next execution.
    found = stage("matmul_tiled", "3", "2,2")
    store = step_on(found, "C[", 3)
    line = found.trace.statement(store).span.line
    links = find_links(found, step_on(found, "sum +=", 3), 3, Focus.on_line(line))
    assert links.lanes.tolist() == [12]  # only thread (0, 0) of block (1, 1) stores
    assert changed_by_user(links.elements) == {2: [8]}
    assert links.lines == (line,)


@pytest.mark.parametrize(("start", "phase"), [("sum +=", 1), ("C[", 1)])
def test_a_line_is_found_behind_when_it_does_not_come_again(start: str, phase: int) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    load = step_on(found, "As[", phase=phase)
    line = found.trace.statement(load).span.line
    assert execution_of_line(found.trace, step_on(found, start, nth=-1), 0, line) == load


@pytest.mark.parametrize("focus", [NOTHING, Focus.on_line(1), Focus.on_thread(9)])
def test_an_element_without_part_in_a_step_highlights_nothing(focus: Focus) -> None:
    found = stage("matmul_tiled", "3", "2,2")
    links = find_links(found, step_on(found, "sum +="), 0, focus)
    assert links.elements == ()
    assert links.lines == ()


OpenPage = Callable[..., ExplorePage]


def test_indices_are_written_alike_everywhere() -> None:
    found = stage("matmul_tiled")
    scene = build_scene(found, Frame(1, step_on(found, "As", 1)))
    assert scene.caption.startswith("Block (1,0)")
    assert facts(found, scene).heading.startswith("Thread (0,0) of Block (1,0)")
    assert marks_of(found.trace, playlist(found.trace, "memory")).block_names[1] == "(1,0)"
    # Indices of a launch with one dimension are numbers.
    trace = source(BARRIER, "2", "40", "A=f32[40]:zeros")
    found = Stage(trace, ())
    scene = build_scene(found, Frame(1, int(trace.block_steps(1)[0])))
    assert facts(found, scene).heading == "Thread 0 of Block 1: warp 0, lane 0"
    assert marks_of(trace, playlist(trace, "memory")).block_names == ("0", "1")
    # A kernel for the CPU has workers on the timeline.
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
