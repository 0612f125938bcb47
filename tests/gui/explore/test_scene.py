"""Scenes of single steps against the trace: roles of threads, contents of arrays, and where a value comes from."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.links import find_links
from gui.explore.stage.scene import Cells, Scene
from gui.explore.stage.stage import Stage
from gui.explore.values.facts import facts
from kernels.analysis import ROLES, Frame, playlist, variables
from kernels.analysis.order.playlist import Detail
from kernels.analysis.values.roles import Role
from kernels.arguments import parse_arguments
from kernels.catalog import read_kernel
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Panel
from tests.gui.explore.conftest import kernel, scene_on, stage, step_on
from tests.kernels.trace.wide_traces import vector_copy

EXAMPLE = ("matmul_tiled", "3", "2,2")


def with_role(scene: Scene, role: Role) -> set[tuple[int, int]]:
    """ThreadIdx (x, y) of the threads that have a role."""
    numbers = np.flatnonzero(scene.threads.role == ROLES.index(role))
    return {scene.threads.index[n][:2] for n in numbers}


def cells(scene: Scene, name: str) -> Cells:
    return next(c for c in scene.cells if c.view.title == name)


@pytest.mark.parametrize(
    ("block", "phase", "load", "filling", "tile"),
    [
        # Block (0, 0): everything inside in phase 0; in phase 1 column 3 of A and row 3 of B are outside.
        (0, 0, "As", set(), [[0, 1], [3, 4]]),
        (0, 0, "Bs", set(), [[0, 1], [3, 4]]),
        (0, 1, "As", {(1, 0), (1, 1)}, [[2, 0], [5, 0]]),
        (0, 1, "Bs", {(0, 1), (1, 1)}, [[6, 7], [0, 0]]),
        # Block (1, 1): in phase 0 row 3 of A and column 3 of B are outside.
        (3, 0, "As", {(0, 1), (1, 1)}, [[6, 7], [0, 0]]),
        (3, 0, "Bs", {(1, 0), (1, 1)}, [[2, 0], [5, 0]]),
        (3, 1, "As", {(1, 0), (0, 1), (1, 1)}, [[8, 0], [0, 0]]),
        (3, 1, "Bs", {(1, 0), (0, 1), (1, 1)}, [[8, 0], [0, 0]]),
    ],
)
def test_the_3x3_example_with_2x2_tiles(
    block: int, phase: int, load: str, filling: set[tuple[int, int]], tile: list[list[int]]
) -> None:
    scene = scene_on(stage(*EXAMPLE), f"{load}[", block, phase)
    assert with_role(scene, "zero-fill") == filling
    assert with_role(scene, "active") == {(0, 0), (1, 0), (0, 1), (1, 1)} - filling
    shared = cells(scene, load)
    assert shared.values.tolist() == tile
    assert {(int(c), int(r)) for r, c in np.argwhere(shared.zero)} == filling  # the zeros lie where they were put


def test_tiles_zeros_and_the_guarded_store_of_the_example() -> None:
    scene = scene_on(stage(*EXAMPLE), "As[", 0, 1)
    a = cells(scene, "A")
    assert np.argwhere(a.read).tolist() == [[0, 2], [1, 2]]
    assert np.argwhere(a.zero).tolist() == [[0, 3], [1, 3]]
    (flow,) = scene.flows
    assert flow.source.tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert flow.target.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert flow.zero.tolist() == [False, True, False, True]
    # Zeros do not change the sum.
    found = stage(*EXAMPLE)
    sums = [scene_on(found, "sum +=", 0, 1, nth).threads.value.tolist() for nth in (0, 1)]
    assert sums[0] == sums[1] == [15, 18, 42, 54]
    # The store is guarded.
    scene = scene_on(stage(*EXAMPLE), "C[", 3)
    assert with_role(scene, "active") == {(0, 0)}
    assert with_role(scene, "guarded-off") == {(1, 0), (0, 1), (1, 1)}
    assert scene.threads.visible.all()  # hanging over the edge, in sight
    assert np.argwhere(cells(scene, "C").wrote).tolist() == [[2, 2]]
    # Elements loaded into shared memory stay marked while used.
    scene = scene_on(stage(*EXAMPLE), "sum +=", 0, 0)
    assert np.argwhere(cells(scene, "A").in_shared).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert np.argwhere(cells(scene, "B").in_shared).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    # Shared memory starts unwritten.
    scene = scene_on(stage(*EXAMPLE), "As[", 0, 0)
    assert cells(scene, "As").written.all()
    assert not cells(scene, "Bs").written.any()


def test_barriers_blocks_and_threads_too_far_outside_are_said() -> None:
    assert scene_on(stage(*EXAMPLE), "__syncthreads").barrier
    assert not scene_on(stage(*EXAMPLE), "sum +=").barrier
    # Blocks done now and to come.
    scene = scene_on(stage(*EXAMPLE), "sum +=", 1)
    assert [(b.index[:2], b.done, b.current) for b in scene.blocks] == [
        ((0, 0), True, False),
        ((1, 0), False, True),
        ((0, 1), False, False),
        ((1, 1), False, False),
    ]
    # Threads too far outside are counted.
    scene = scene_on(stage("index_map", "6,8,1", "512,2"), "out[")
    assert scene.threads.beyond == 2 * (512 - 16)
    # Without arrays the launch is the picture.
    scene = scene_on(stage("hello_grid"), "printf", 2)
    assert scene.result is None
    assert (scene.launch.rows, scene.launch.columns) == (4, 4)
    assert len(scene.printed) == 12  # blocks 0, 1 and 2 have printed, block 3 has not
    assert scene.printed[-1].startswith("Hello from thread (1, 1) of block (0, 1)")


def test_a_scene_depends_on_nothing_but_its_arguments() -> None:
    found = stage(*EXAMPLE)
    frame = Frame(1, step_on(found, "sum +=", 1))
    before = build_scene(found, frame, focus=Focus.on_thread(5))
    for step in range(found.trace.steps):
        build_scene(found, Frame(2, step))
    after = build_scene(found, frame, focus=Focus.on_thread(5))
    assert before.caption == after.caption
    for old, new in zip(before.cells, after.cells, strict=True):
        for name in ("values", "written", "read", "wrote", "zero", "in_shared", "focus"):
            assert np.array_equal(getattr(old, name), getattr(new, name))


@pytest.mark.parametrize(
    "launch",
    [("mmt_stripe", "8", "4,4"), ("lesson_uncleared_target",), ("lesson_missing_guard",), ("matmul_tiled",)],
    ids=lambda launch: launch[0],
)
def test_a_thread_shows_its_register_and_the_result_shows_memory(launch: tuple[str, ...]) -> None:
    found = stage(*launch)
    for frame in playlist(found.trace, "memory").frames:
        scene = build_scene(found, frame)
        threads = scene.threads
        assert threads.accumulates
        assert threads.value_words == f"their {threads.value_name}"
        result = cells(scene, found.views[scene.result].title if scene.result is not None else "")
        for n in range(scene.block_dim.count):
            here = {v.name: v.value for v in variables(found.trace, frame.step, threads.first_lane + n)}
            if threads.value_name in here:
                assert scene.number_in_thread(n) == pytest.approx(here[threads.value_name], nan_ok=True)
            number, words = scene.number_on_result(n)
            if threads.stored[n]:
                stored = result.values[threads.row[n], threads.column[n]].item()
                assert number == pytest.approx(stored, nan_ok=True)
                assert words == ""
            else:
                assert words == threads.value_name


def test_without_an_accumulator_a_thread_shows_the_result_that_it_has_stored() -> None:
    found = stage("index_map")
    frames = playlist(found.trace, "memory").frames
    scene = build_scene(found, frames[0])
    assert scene.threads.value_words == f"their results in {scene.threads.value_name}"
    assert scene.number_in_thread(0) is not None
    assert scene.number_in_thread(0) == scene.number_on_result(0)[0]


@pytest.mark.parametrize(("name", "shared"), [("kmeans_update_atomic", True), ("kmeans_update_privatized", False)])
def test_of_several_threads_that_add_to_one_element_none_shows_the_sum(name: str, shared: bool) -> None:
    found = stage(name)
    assert found.result is not None
    assert any(s.access == "atomic" and s.array == found.views[found.result].array for s in found.trace.sites)
    several = alone = 0
    for frame in playlist(found.trace, "memory").frames:
        threads = build_scene(found, frame).threads
        places = np.column_stack((threads.row, threads.column))[threads.stored].tolist()
        has_value = [places.count(place) == 1 for place in places]
        assert threads.has_value[threads.stored].tolist() == has_value
        assert not threads.has_value[~threads.stored].any()
        several, alone = several + has_value.count(False), alone + has_value.count(True)
    assert (several > 0, alone > 0) == (shared, True)


@pytest.mark.parametrize(
    "launch",
    [("mmt_stripe", "8", "4,4"), ("lesson_uncleared_target",), ("lesson_missing_guard",)],
    ids=lambda launch: launch[0],
)
@pytest.mark.parametrize("detail", ["memory", "statement"])
def test_pictures_never_run_backwards(launch: tuple[str, ...], detail: Detail) -> None:
    found = stage(*launch)
    frames = playlist(found.trace, detail).frames
    scenes = [build_scene(found, frame) for frame in frames]
    for before, after in pairwise(scenes):
        for old, new in zip(before.cells, after.cells, strict=True):
            if old.view.place in ("left", "top", "result"):
                changed = ~np.isclose(old.values, new.values, rtol=0, atol=0, equal_nan=True) | (
                    old.written & ~new.written
                )
                assert not (changed & ~new.wrote[: new.view.rows, : new.view.columns]).any()
        assert {b.number for b in before.blocks if b.done} <= {b.number for b in after.blocks if b.done}
    result = scenes[-1].result
    assert result is not None
    last = scenes[-1].cells[result]
    array = found.trace.arrays[last.view.array].name
    np.testing.assert_array_equal(last.values.reshape(-1), found.trace.outputs[array].reshape(-1))


def test_half_of_the_stripes_have_half_of_the_sum() -> None:
    found = stage("mmt_stripe")
    frames = playlist(found.trace, "memory").frames
    final = found.trace.outputs["P"]
    first = max(n for n, frame in enumerate(frames) if frame.block == 0)
    half = cells(build_scene(found, frames[first]), "P").values
    after = cells(build_scene(found, frames[first + 1]), "P").values
    assert np.less(half, final).all()
    assert np.array_equal(half, after)


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:1", "shuffle:2"])
def test_a_block_that_is_shown_has_just_printed_its_own_lines(schedule: str) -> None:
    found = kernel("hello_grid")
    trace = trace_kernel(found, found.size, found.block, options=Options(schedule))
    shown = Stage(trace, found.workload.panels)
    scenes = [build_scene(shown, frame) for frame in playlist(trace, "memory").frames]
    for before, after in pairwise(scenes):
        assert after.printed[: len(before.printed)] == before.printed
        new = after.printed[len(before.printed) :]
        assert all(f"of block {tuple(after.block_index[:2])}" in line for line in new)
    assert scenes[-1].printed == trace.printf


@pytest.fixture(scope="module")
def copying() -> Stage:
    return Stage(vector_copy(), (Panel("A", "left"), Panel("C", "result")))


def test_every_element_of_a_vector_access_lights_up_with_its_arrow(copying: Stage) -> None:
    scene = build_scene(copying, Frame(1, step_on(copying, "s[i] =")))
    a, c, s = scene.cells
    assert np.argwhere(a.read).tolist() == [[row, column] for row in range(4, 8) for column in range(8)]
    assert not c.wrote.any()
    assert s.wrote.all()
    assert s.values.tolist() == [list(range(32, 64))]
    # Every element has its arrow.
    (flow,) = scene.flows
    assert flow.lanes.tolist() == [8 + n // 4 for n in range(32)]
    assert flow.source.tolist() == [[4 + n // 8, n % 8] for n in range(32)]
    assert flow.target.tolist() == [[0, n] for n in range(32)]
    assert not flow.zero.any()
    # Elements in shared memory are marked at their origin.
    scene = build_scene(copying, Frame(0, step_on(copying, "C[")))
    assert np.argwhere(scene.cells[0].in_shared)[:, 0].tolist() == [row for row in range(4) for _ in range(8)]


def test_facts_and_links_of_a_vector_access_name_its_elements(copying: Stage) -> None:
    step = step_on(copying, "s[i] =")
    elements = dict(find_links(copying, step, 0, Focus.on_thread(2)).elements)
    assert elements[copying.trace.array_number("A")].tolist() == [8, 9, 10, 11]
    for element in (8, 11):
        links = find_links(copying, step, 0, Focus.on_element(copying.trace.array_number("A"), element))
        assert links.lanes.tolist() == [2]
    # Facts name the first and the last element.
    lines = dict(facts(copying, build_scene(copying, Frame(0, step), focus=Focus.on_thread(2))).lines)
    assert lines["reads"] == "A[1][0] to A[1][3]: element 8, byte address A + 32"
    array = copying.trace.array_number("s")
    assert [copying.causes.uses(array, index, 0, 0).accesses for index in range(32)] == [2] * 32


def test_of_several_registers_written_at_once_none_is_the_result() -> None:
    text = """__global__ void k(const float4 *A, float4 *C)
    {
        float4 v = A[threadIdx.x];
        v.w += 1;
        C[threadIdx.x] = v;
    }"""
    arguments = parse_arguments(("A=f32[8,4]:iota", "C=f32[8,4]:uninit"))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(8)), arguments)
    assert Stage(trace, (Panel("A", "left"), Panel("C", "result"))).accumulator is None


KERNEL = """
extern "C" __global__ void staged(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[2][2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 2 + ty, col = blockIdx.x * 2 + tx;
    BEFORE
    for (int t = 0; t < (K + 1) / 2; ++t) {
        IN
        __syncthreads();
        AFTER
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = As[ty][tx];
}
/* tilescope
title    = "Staged"
teaches  = "A copy through a register."
workload = "matmul"
size     = [3, 3, 5]
block    = [2, 2]
blocks   = [[2, 2]]
grid     = ["2", "2"]
*/
"""


READ = "(row < M && (TILE) * 2 + tx < K) ? A[row * K + (TILE) * 2 + tx] : 0.0f;"


NEXT = READ.replace("TILE", "t + 1")


def staged(folder: Path, before: str, inside: str, after: str = "") -> Stage:
    text = KERNEL.replace("BEFORE", before).replace("IN\n", f"{inside}\n").replace("AFTER", after)
    file = folder / "staged.cu"
    file.write_text(text, encoding="utf-8")
    kernel = read_kernel(file)
    return Stage(trace_kernel(kernel, kernel.size, kernel.block), kernel.workload.panels)


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        ("", f"float a = {READ.replace('TILE', 't')} As[ty][tx] = a;", ""),
        (f"float a = {READ.replace('TILE', '0')}", "As[ty][tx] = a;", f"a = {NEXT}"),  # read one tile ahead
    ],
)
def test_the_arrow_begins_where_the_value_was_read(tmp_path: Path, before: str, inside: str, after: str) -> None:
    stage = staged(tmp_path, before, inside, after)
    for phase, columns in ((0, [0, 1]), (1, [2, 3]), (2, [4, 5])):
        scene = build_scene(stage, Frame(0, step_on(stage, "As[ty]", nth=phase)))
        (flow,) = scene.flows
        assert flow.source.tolist() == [[0, columns[0]], [0, columns[1]], [1, columns[0]], [1, columns[1]]]
        assert flow.target.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
        assert flow.zero.tolist() == [False, phase == 2, False, phase == 2]


def test_only_copies_mark_their_origin(tmp_path: Path) -> None:
    stage = staged(tmp_path, "", f"float a = {READ.replace('TILE', 't')} As[ty][tx] = a;")
    scene = build_scene(stage, Frame(0, step_on(stage, "C[")))
    a = next(cells for cells in scene.cells if cells.view.name == "A")
    assert np.argwhere(a.in_shared).tolist() == [[0, 4], [1, 4]]
    # A value that was computed is no copy.
    stage = staged(tmp_path, "", f"float a = 1.0f + ({READ.replace('TILE', 't')[:-1]}); As[ty][tx] = a;")
    assert build_scene(stage, Frame(0, step_on(stage, "As[ty]"))).flows == ()
