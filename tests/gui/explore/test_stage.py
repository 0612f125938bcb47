"""Views, positions, axes, zoom, heat map and colours of what the stage shows of a run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gui.explore.packing.constants import AXES_LINES
from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.playback.story import panels_of
from gui.explore.stage.block_places import Axes, magnified_axes
from gui.explore.stage.build import build_scene
from gui.explore.stage.colouring import NOBODY, SEVERAL, element_groups, thread_groups
from gui.explore.stage.hues import HUES, hue
from gui.explore.stage.paint import _heading_room
from gui.explore.stage.scene import Colouring, Options, Scene
from gui.explore.stage.stage import Stage
from gui.selection.recording import Recording
from gui.theming.theme import DARK, LIGHT, Theme
from kernels.analysis import Frame
from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten
from kernels.tracing import trace_source
from kernels.workload import Panel, Size
from tests.gui.explore.conftest import kernel, stage, step_on

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


def test_threads_and_blocks_that_write_nothing_have_a_place_or_none() -> None:
    found = stage("matmul_tiled", "3", "2,2")
    last_block = slice(12, 16)
    assert found.positions.row[last_block].tolist() == [2, 2, 3, 3]
    assert found.positions.column[last_block].tolist() == [2, 3, 2, 3]
    # A block beyond all writes is not drawn on elements of another.
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
    # Blocks that return at once have a place too.
    found = stage("mmt_symmetric", "4", "2,2")  # threadIdx.x runs down the rows
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 2, 2], [2, 0, 2, 2], [0, 2, 2, 2], [2, 2, 2, 2]]


def test_a_matrix_that_is_read_in_two_ways_is_shown_by_its_sites() -> None:
    found = stage("mmt_symmetric", "4", "2,2")
    shown = {}
    for number, site in enumerate(found.trace.sites):
        if site.access == "read" and found.trace.arrays[site.array].space == "global":
            text = found.trace.statements[site.statement].text
            shown[text[:2]] = [found.views[n].title for n in found.site_views[number]]
    assert shown == {"Ms": ["M"], "Ns": ["Mᵀ"]}
    assert found.tints == ("left", "top", "result", "left", "top")
    # An input of many results is shown in memory order.
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


def test_contents_and_accesses_count_block_after_block() -> None:
    """In lockstep all blocks store in one step; the picture finishes a block before it begins the next."""
    found = stage("matmul_tiled", "3", "2,2")
    result = found.views[2]
    store = step_on(found, "C[")
    first = found.contents(result, store, 0)[1]
    assert first.tolist() == [[True, True, False], [True, True, False], [False, False, False]]
    before_second = found.contents(result, store - 1, 1)[1]
    assert np.array_equal(first, before_second)
    assert found.contents(result, store, 3)[0].tolist() == [[15, 18, 21], [42, 54, 66], [69, 90, 111]]
    # Touches count the whole run.
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


def test_results_that_are_cleared_or_stored_twice() -> None:
    found = stage("mmt_stripe", "4", "2,2")
    first, second = (step_on(found, "atomicAdd", nth=nth) for nth in (0, 1))
    threads = slice(0, found.trace.launch.block.count)
    assert not found.positions.stored(first - 1, threads).any()
    assert found.positions.stored(first, threads).all()
    assert not found.positions.stored(second - 1, threads).any()
    # A thread that stores twice stays where its result is.
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


@pytest.mark.parametrize(
    ("name", "size", "block", "axes"),
    [
        ("matmul_naive", "6,6,6", "3,3", Axes("columns", "rows")),
        ("matmul_naive_row_x", "6,6,6", "3,3", Axes("rows", "columns")),  # x runs down
        ("matmul_naive_row_x", "3,3,3", "1,1", Axes("rows", "columns")),  # by blockIdx alone
        ("hello_grid", "", "", Axes("columns", "rows")),
        ("matmul_registers_2d", "", "", Axes(None, None)),  # a thread has several cells
    ],
)
def test_axes_are_those_of_the_cells(name: str, size: str, block: str, axes: Axes) -> None:
    assert stage(name, size, block).axes == axes


@pytest.mark.parametrize(
    ("block", "axes"),
    [
        (Dim3(8, 4), Axes("columns", "rows")),
        (Dim3(8), Axes("columns", None)),
        (Dim3(64), Axes(None, None)),  # folded: the second row goes on with x
        (Dim3(1, 8), Axes(None, "rows")),
    ],
)
def test_axes_of_the_magnified_block(block: Dim3, axes: Axes) -> None:
    assert magnified_axes(block) == axes


def test_the_heading_of_the_threads_leaves_room_for_their_axes() -> None:
    scene = build_scene(stage("matmul_naive", "5,6,4", "3,2"), Frame(0, 4))
    layout = arrange(scene, 771, 372, 17.6)
    assert layout.zoom is not None
    box = layout.block
    assert box is not None
    below = layout.zoom.y >= box.y + 1.5 * layout.line
    assert below or _heading_room(layout, box) <= layout.zoom.x - AXES_LINES * layout.line - box.x


@pytest.mark.parametrize("name", ["matmul_tiled", "matmul_registers_2d", "lesson_missing_guard", "hello_grid"])
def test_the_grid_has_the_picture_to_itself(name: str) -> None:
    found = stage(name)
    frame = Frame(0, int(found.trace.block_steps(0)[-1]))
    block, grid = (build_scene(found, frame, Options(zoom=zoom)) for zoom in ("block", "grid"))
    assert {cells.view.place for cells in grid.cells} <= {"left", "top", "result"}
    assert grid.blocks == block.blocks
    assert [box.number for box in grid.blocks if box.current] == [0]
    layout, magnified = (arrange(scene, 820, 560, 18) for scene in (grid, block))
    assert (layout.zoom, layout.corner, layout.own) == (None, None, None)
    assert layout.thread_raster.cell >= magnified.thread_raster.cell


def test_the_grid_has_marks_but_no_copies_of_the_block() -> None:
    found = stage("lesson_missing_guard")
    frame = Frame(1, step_on(found, "C[", 1))
    block, grid = (build_scene(found, frame, Options(zoom=zoom)) for zoom in ("block", "grid"))
    assert block.strays
    assert [grid.cells[stray.view].view for stray in grid.strays] == [
        block.cells[stray.view].view for stray in block.strays
    ]
    assert grid.result is not None
    assert grid.cells[grid.result].view.place == "result"
    # Copies to shared memory belong to the block.
    found = stage("matmul_tiled")
    frame = Frame(0, step_on(found, "As"))
    assert build_scene(found, frame).flows
    assert not build_scene(found, frame, Options(zoom="grid")).flows
    # Blocks whose threads have several results are where they write.
    found = stage("matmul_registers_2d")
    assert [list(box[1:]) for box in found.block_outlines] == [
        [0, 0, 16, 16],
        [0, 16, 16, 2],
        [16, 0, 2, 16],
        [16, 16, 2, 2],
    ]


OpenPage = Callable[..., ExplorePage]


def reads_at_end(name: str, size: str, block: str) -> dict[str, np.ndarray]:
    found = stage(name, size, block)
    last = found.memory_history.end
    scene = build_scene(found, last, Options(reads=True))
    return {cells.view.title: cells.reads for cells in scene.cells if cells.reads is not None}


def test_reads_are_those_of_the_run_so_far() -> None:
    reads = reads_at_end("matmul_naive", "4,6,5", "2,2")
    assert (reads["A"] == 6).all()
    assert (reads["B"] == 4).all()
    # Tiles divide the reads by their width.
    reads = reads_at_end("matmul_tiled", "4,6,5", "2,2")
    assert (reads["A"] == 3).all()
    assert (reads["B"] == 2).all()
    # Nothing was read at the first step of a block but what it reads.
    found = stage("matmul_naive", "4,4,4", "2,2")
    for position in (0, 3, 9):
        frame = Frame(0, position)
        scene = build_scene(found, frame, Options(reads=True))
        for cells in scene.cells:
            if cells.reads is not None:
                rows, columns = cells.reads.shape
                assert (cells.reads[cells.read[:rows, :columns]] > 0).all()
                assert cells.reads.max() <= cells.most_reads
    # Without the option values are shown.
    found = stage("matmul_naive", "4,4,4", "2,2")
    assert all(cells.reads is None for cells in build_scene(found, Frame(0, 3)).cells)


def test_heat_map_and_waves_are_shown_on_demand(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"), size=Size(4, 4, 4), block=Dim3(2, 2))
    page.timeline.last()
    values = page.canvas.grab().toImage()
    page.stage_bar.reads.trigger()
    assert page.canvas.grab().toImage() != values
    page.stage_bar.reads.trigger()
    assert page.canvas.grab().toImage() == values
    # Waves are those of the selected device.
    assert not page.waves.isVisible()
    page.stage_bar.set_zoom("grid")
    assert page.waves.text().startswith("1 wave on ")
    assert page._session.selection.device.name in page.waves.text()
    page.stage_bar.set_zoom("block")
    assert not page.waves.isVisible()


def coloured(colouring: Colouring, on: str) -> Scene:
    found = stage("matmul_tiled", "12,12,12", "6,6")
    return build_scene(found, Frame(0, step_on(found, on)), Options(colouring=colouring))


def view(scene: Scene, name: str) -> int:
    return next(number for number, cells in enumerate(scene.cells) if cells.view.name == name)


def test_elements_have_the_colour_of_the_warp_or_thread_that_accesses_them() -> None:
    scene = coloured("block", "sum +=")
    assert thread_groups(scene) is None
    assert element_groups(scene, view(scene, "As")) is None
    # Elements have the warp that accesses them.
    scene = coloured("warp", "As")  # 36 threads: the last four are a warp of their own
    groups, warps = element_groups(scene, view(scene, "As")), thread_groups(scene)
    assert groups is not None
    assert warps is not None
    assert warps.tolist() == [0] * 32 + [1] * 4
    assert groups.reshape(-1).tolist() == warps.tolist()
    untouched = element_groups(scene, view(scene, "Bs"))
    assert untouched is not None
    assert (untouched == NOBODY).all()
    # Elements of several warps are marked.
    scene = coloured("warp", "sum +=")  # thread (x, y) reads As[y][0] and Bs[0][x]
    several = [element_groups(scene, view(scene, name)) for name in ("As", "Bs")]
    assert [None if found is None else found[:, 0].tolist() for found in several] == [
        [0, 0, 0, 0, 0, SEVERAL],
        [0] + [NOBODY] * 5,
    ]
    assert several[1] is not None
    assert several[1][0].tolist() == [0, 0, SEVERAL, SEVERAL, SEVERAL, SEVERAL]
    # By thread each element of a tile has its own.
    scene = coloured("thread", "As")
    groups = element_groups(scene, view(scene, "As"))
    assert groups is not None
    np.testing.assert_array_equal(groups.reshape(-1), np.arange(36))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_hues_differ_and_repeat(theme: Theme) -> None:
    assert len({hue(theme, number) for number in range(HUES)}) == HUES
    assert hue(theme, HUES) == hue(theme, 0)
    assert theme.text not in {hue(theme, number) for number in range(HUES)}
