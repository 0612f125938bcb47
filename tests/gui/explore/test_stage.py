from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gui.explore.packing.layout import arrange
from gui.explore.playback.story import panels_of
from gui.explore.stage.build import build_scene
from gui.explore.stage.stage import Stage
from gui.selection.recording import Recording
from kernels.analysis import Frame
from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten
from kernels.tracing import trace_source
from kernels.workload import Panel
from tests.gui.explore.conftest import stage, step_on

NONE = (0, 0)
SMALL = {"mmt_stripe": ("4", "2,2"), "mmt_stripe_transposed": ("4", "2,2")}
"""Size and block of the kernels that open larger than is needed here."""


@pytest.mark.parametrize(
    ("kernel", "size", "block", "overhang"),
    [
        ("matmul_tiled", "3", "2,2", {"A": (1, 1), "B": (1, 1), "C": (1, 1), "As": NONE, "Bs": NONE}),
        ("matmul_tiled", "4", "2,2", {"A": NONE, "B": NONE, "C": NONE, "As": NONE, "Bs": NONE}),
        ("matmul_naive", "3,5,4", "4,2", {"A": NONE, "B": NONE, "C": (1, 3)}),
        ("index_map", "6,8,1", "4,2", {"out": NONE}),
        (
            "index_map",
            "6,8,1",
            "512,2",
            {"out": (0, 8)},
        ),  # 504 columns too far: at most its own width is drawn
    ],
)
def test_threads_hang_over_the_edges(kernel: str, size: str, block: str, overhang: dict[str, tuple[int, int]]) -> None:
    found = stage(kernel, size, block)
    assert dict(zip((v.name for v in found.views), found.overhang, strict=True)) == overhang


def test_threads_that_never_write_live_where_they_would() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    last_block = slice(12, 16)
    assert found.positions.row[last_block].tolist() == [2, 2, 3, 3]
    assert found.positions.column[last_block].tolist() == [2, 3, 2, 3]


def test_a_block_beyond_all_writes_is_not_drawn_on_elements_of_another() -> None:
    text = """
__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
"""
    arguments = parse_arguments(["in=f32[4,2]:iota", "out=f32[8]:uninit", "n=8"])
    trace = trace_source(text, "twice.cu", None, Launch(Dim3(2), Dim3(16)), arguments)
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    assert found.positions.known[:16].all()
    assert not found.positions.known[16:].any()
    assert [tuple(box) for box in found.block_outlines] == [(0, 0, 0, 1, 16)]


def test_blocks_that_return_at_once_have_a_place_too() -> None:
    found = stage("mmt_symmetric", "4", "2,2")  # threadIdx.x runs down the rows
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 2, 2], [2, 0, 2, 2], [0, 2, 2, 2], [2, 2, 2, 2]]


def test_a_matrix_shown_twice_tells_rows_from_columns() -> None:
    found = stage("mmt_symmetric", "4", "2,2")
    shown = {}
    for number, site in enumerate(found.trace.sites):
        if site.access == "read" and found.trace.arrays[site.array].space == "global":
            text = found.trace.statements[site.statement].text
            shown[text[:2]] = [found.views[n].title for n in found.site_views[number]]
    assert shown == {"Ms": ["M"], "Ns": ["Mᵀ"]}
    assert found.tints == ("left", "top", "result", "left", "top")


def test_an_input_of_many_results_is_shown_in_memory_order() -> None:
    found = stage("mmt_stripe", "4", "2,2")
    (read,) = (
        n for n, s in enumerate(found.trace.sites) if s.access == "read" and found.trace.arrays[s.array].name == "M"
    )
    assert [found.views[n].title for n in found.site_views[read]] == ["M"]


@pytest.mark.parametrize(
    ("kernel", "register"), [("matmul_tiled", "sum"), ("matmul_naive", "sum"), ("index_map", None)]
)
def test_the_register_that_grows_into_the_result(kernel: str, register: str | None) -> None:
    found = stage(kernel)
    number = found.accumulator
    assert (None if number is None else found.trace.registers[number].name) == register


def test_blocks_are_told_one_after_another() -> None:
    """In lockstep all blocks store in one step; the picture finishes a block before it begins the next."""
    found = stage("matmul_tiled", "3", "2,2")
    result = found.views[2]
    store = step_on(found, "C[")
    first = found.contents(result, store, 0)[1]
    assert first.tolist() == [[True, True, False], [True, True, False], [False, False, False]]
    before_second = found.contents(result, store - 1, 1)[1]
    assert np.array_equal(first, before_second)
    assert found.contents(result, store, 3)[0].tolist() == [[15, 18, 21], [42, 54, 66], [69, 90, 111]]


def test_touches_count_the_whole_run() -> None:
    found = stage("matmul_naive", "4", "2,2")
    a, c = found.views[0].array, found.views[2].array
    accesses = [{found.causes.uses(array, index, 0, 0).accesses for index in range(16)} for array in (a, c)]
    assert accesses == [{4}, {1}]  # each element of A is read once for every column of C


@pytest.mark.parametrize(
    ("kernel", "stored", "cells"),
    [
        ("cpu_sequential", 0, [(0, 0)]),
        ("cpu_sequential", 3, [(0, 3)]),
        ("cpu_sequential", 6, [(1, 2)]),
        ("cpu_sequential", 15, [(3, 3)]),
        ("cpu_parallel", 0, [(0, 0), (2, 0)]),
        ("cpu_parallel", 5, [(1, 1), (3, 1)]),
        ("mmt_stripe", 1, [(1, 0), (1, 1), (1, 2), (1, 3)]),
    ],
)
def test_a_thread_of_many_results_moves_from_one_to_the_next(
    kernel: str, stored: int, cells: list[tuple[int, int]]
) -> None:
    """`stored` is how many results each of them has behind it."""
    found = stage(kernel, *SMALL.get(kernel, ()))
    step = step_on(found, "float sum", nth=stored)
    row, column, known = found.positions.at(step, slice(0, found.trace.launch.block.count))
    assert known.all()
    assert list(zip(row.tolist(), column.tolist(), strict=True)) == cells


@pytest.mark.parametrize("kernel", ["cpu_sequential", "cpu_parallel", "mmt_stripe"])
def test_a_sum_that_is_begun_anew_is_shown_growing(kernel: str) -> None:
    found = stage(kernel, *SMALL.get(kernel, ()))
    assert found.accumulator is not None
    assert found.trace.registers[found.accumulator].name == "sum"


def test_a_cleared_result_is_not_a_stored_one() -> None:
    found = stage("mmt_stripe", "4", "2,2")
    first, second = (step_on(found, "atomicAdd", nth=nth) for nth in (0, 1))
    threads = slice(0, found.trace.launch.block.count)
    assert not found.positions.stored(first - 1, threads).any()
    assert found.positions.stored(first, threads).all()
    assert not found.positions.stored(second - 1, threads).any()


def test_a_thread_that_stores_twice_stays_where_its_result_is() -> None:
    found = stage("mmt_symmetric", "4", "2,2")
    mirror = step_on(found, "P[j", block=2)
    row, column, _ = found.positions.at(mirror, slice(8, 12))
    assert sorted(zip(row.tolist(), column.tolist(), strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3)]


@pytest.mark.parametrize(
    ("kernel", "shapes"),
    [
        ("mmt_stripe", {"stripe": (4, 2)}),
        ("mmt_stripe_transposed", {"stripe": (2, 4)}),
        ("matmul_tiled_dynamic", {"tiles": (4, 2)}),
        ("matmul_tiled_padded", {"As": (32, 32), "Bs": (32, 33)}),
    ],
)
def test_shared_memory_is_drawn_in_the_rows_that_the_threads_fill(
    kernel: str, shapes: dict[str, tuple[int, int]]
) -> None:
    views = [v for v in stage(kernel, *SMALL.get(kernel, ())).views if v.place == "shared"]
    assert {v.name: (v.rows, v.columns) for v in views} == shapes


@pytest.mark.parametrize(
    ("declared", "shape"),
    [
        ("float s[40]", (1, 40)),
        ("float s[96]", (3, 32)),
        ("float s[528]", (9, 64)),
        ("float s[257]", (9, 32)),  # the last row has one element
        ("float s[8][33]", (8, 33)),
        ("float2 s[1056]", (66, 32)),
        ("float4 s[60]", (15, 16)),
        ("float3 s[97]", (97, 3)),
    ],
)
def test_shared_arrays_are_cut_where_they_would_be_long_and_narrow(declared: str, shape: tuple[int, int]) -> None:
    text = f"__global__ void k() {{ __shared__ {declared}; ((float *)s)[threadIdx.x] = 1.0f; }}"
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4)), {})
    (view,) = Stage(trace, ()).views
    assert (view.rows, view.columns) == shape


@pytest.mark.parametrize("size", [(420, 320), (800, 560)])
@pytest.mark.parametrize("name", ["x", "a_long_name_of_an_input"])
def test_an_array_wider_than_the_stage_is_placed_inside(name: str, size: tuple[int, int]) -> None:
    text = f"__global__ void k(const float *{name}, float *result_of_it) {{ result_of_it[0] = {name}[0]; }}"
    arguments = parse_arguments((f"{name}=f32[1]:iota", "result_of_it=f32[64]:uninit"))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(1)), arguments)
    found = Stage(trace, (Panel(name, "left"), Panel("result_of_it", "result")))
    layout = arrange(build_scene(found, Frame(0, 0)), *size, 18.0)
    for raster in layout.rasters:
        assert raster.x >= 0
        assert raster.x + raster.box.width <= size[0]


def test_a_result_that_nobody_writes_leaves_its_place_to_the_launch() -> None:
    text = "__global__ void k(const int *a, int *b) { for (int i = a[0]; i < 9; i *= 2) ; b[threadIdx.x] = 1; }"
    given: dict[str, Argument] = {"a": np.zeros(8, np.int32), "b": Unwritten("int32", (8,))}
    trace = trace_source(text, "k.cu", None, Launch(Dim3(2), Dim3(8)), given)
    assert trace.stopped
    found = Stage(trace, (Panel("a", "left"), Panel("b", "result")))
    assert [view.title for view in found.views] == ["a"]
    guessed = panels_of(Recording(Path("k.trace"), trace, None))
    assert [(panel.array, panel.place) for panel in guessed] == [("a", "left"), ("b", "top")]
