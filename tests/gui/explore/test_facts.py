from __future__ import annotations

import pytest

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.stage import Stage
from gui.explore.values.facts import Facts, facts
from kernels.analysis import Frame, playlist
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten
from kernels.tracing import trace_kernel, trace_source
from tests.gui.explore.conftest import kernel, stage, step_on


def told(text: str, focus: Focus, block: int = 0, phase: int | None = None) -> Facts:
    found = stage("matmul_tiled", "3", "2,2")
    frame = Frame(block, step_on(found, text, block, phase))
    return facts(found, build_scene(found, frame, focus=focus))


def test_a_thread_with_its_numbers_put_in() -> None:
    """Thread (1, 0) of block (0, 0) copies A[0][1]: row·K + t·TILE_WIDTH + tx = 0·3 + 0·2 + 1 = 1."""
    found = told("As[", Focus.on_thread(1), phase=0)
    assert found.heading == "Thread (1,0) of Block (0,0): warp 0, lane 1"
    assert ("reads", "A[0][1]: element 1, byte address A + 4") in found.lines
    assert ("", "row * K + t * TILE_WIDTH + tx = 0*3 + 0*2 + 1 = 1") in found.lines
    assert ("writes", "As[0][1]: element 1, shared byte 4") in found.lines
    assert ("", "[ty][tx] = [0][1]") in found.lines


def test_a_thread_that_fills_a_zero_tells_what_it_would_have_read() -> None:
    found = told("Bs[", Focus.on_thread(2), phase=1)  # thread (0, 1): row 3 of B
    assert ("", "stores 0: its source is outside the array") in found.lines
    assert ("would read", "B[3][0], which does not exist") in found.lines


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


def test_a_line() -> None:
    store = step_on(stage("matmul_tiled", "3", "2,2"), "C[", 3)
    number = stage("matmul_tiled", "3", "2,2").trace.statement(store).span.line
    found = told("As[", Focus.on_line(number), block=3)
    assert found.heading == f"Line {number}"
    assert ("next", "1 of 4 threads of this block execute it") in found.lines


def test_without_a_focus_the_first_thread_that_takes_part() -> None:
    assert told("C[", NOTHING, block=3).heading.startswith("Thread (0,0) of Block (1,1)")


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
