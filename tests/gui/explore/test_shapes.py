"""One- and three-dimensional arrays, blocks and grids: drawn as what they are."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from gui.explore.packing.arrangement import Arrangement
from gui.explore.packing.boxes import Gaps, Raster
from gui.explore.packing.layout import arrange, hit
from gui.explore.stage.build import build_scene
from gui.explore.stage.flat_shapes import flat_shape
from gui.explore.stage.focus import Focus
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.explore.values.facts import facts
from gui.theming.theme import LIGHT
from kernels.analysis import Frame
from kernels.arguments import parse_arguments
from kernels.launch import Dim3, Launch
from kernels.tracing import trace_source
from kernels.workload import Panel, Place
from tests.gui.explore.boxes import boxes, overlap
from tests.gui.explore.conftest import step_on
from tests.gui.explore.painted_texts import paint
from tests.kernels.analysis.traces import source

pytestmark = pytest.mark.usefixtures("qapp")


ADD = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}"""


SUM = """__global__ void sum(const float *x, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    for (int h = 32; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
    if (t == 0) out[blockIdx.x] = s[0];
}"""


BATCH = """__global__ void batch(const float *A, float *C, int n) {
    int z = blockIdx.z, y = threadIdx.y, x = threadIdx.x;
    C[(z * n + y) * n + x] = 2 * A[(z * n + y) * n + x];
}"""


CUBE = """__global__ void cube(int *v) {
    v[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = threadIdx.z;
}"""


POINTS = """__global__ void points(const float *p, float *q) {
    for (int k = 0; k < 3; ++k) q[threadIdx.x * 3 + k] = p[threadIdx.x * 3 + k];
}"""


MIRROR = """__global__ void mirror(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x, base = blockIdx.x * 256;
    s[t] = in[base + t];
    __syncthreads();
    out[base + t] = s[255 - t];
}"""


def stage(source: str, grid: str, block: str, arguments: str, panels: str) -> Stage:
    launch = Launch(Dim3.parse(grid), Dim3.parse(block))
    trace = trace_source(source, "k.cu", None, launch, parse_arguments(arguments.split()))
    *inputs, result = panels.split() or [""]
    places: list[Place] = ["left", "top"]
    shown = [Panel(name, place) for name, place in zip(inputs, places, strict=False)]
    return Stage(trace, (*shown, Panel(result, "result")) if result else ())


def adding(n: int = 60) -> Stage:
    return stage(ADD, "4", "16", f"a=f32[{n}]:iota b=f32[{n}]:iota c=f32[{n}]:uninit n={n}", "a b c")


def on(found: Stage, text: str, block: int = 0) -> Scene:
    return build_scene(found, Frame(block, step_on(found, text, block)))


@pytest.mark.parametrize(
    "shape",
    [
        Arrangement.matrix(3, 5),
        Arrangement.strip(60, 32),
        Arrangement.strip(5, 32),
        Arrangement.slices(6, 2, 3, 2),
        Arrangement("strip", 1, 8, 20, before=(0, 2)),
        Arrangement("matrix", 3, 4, 12, before=(1, 2)),
    ],
    ids=lambda shape: shape.kind,
)
def test_every_element_has_one_cell_and_is_found_there(shape: Arrangement) -> None:
    index = np.arange(shape.count)
    row, column = shape.place(shape.axes(index))
    assert shape.existing[row, column].all()
    assert shape.existing.sum() == shape.count
    assert [shape.index(r, c) for r, c in zip(row.tolist(), column.tolist(), strict=True)] == index.tolist()
    empty = np.argwhere(~shape.existing).tolist()
    assert [shape.index(r, c) for r, c in empty] == [None] * len(empty)


def test_cells_of_strips_and_rasters_with_gaps() -> None:
    row, column = Arrangement("strip", 1, 8, 20, before=(0, 2)).place((np.array([-1, -2, -3, 20]),))
    assert list(zip(row.tolist(), column.tolist(), strict=True)) == [(0, 1), (0, 0), (-1, -1), (2, 6)]
    # A raster with gaps finds the cell under a point.
    raster = Raster(10, 20, 8, 4, 6, gaps=Gaps(2, 3, down=5, across=4))
    for y in range(4):
        for x in range(6):
            box = raster.rect(y, x)
            assert raster.at(box.x + 1, box.y + 1) == (y, x)
    assert raster.at(10 + 3 * 8 + 1, 21) is None
    assert raster.at(11, 20 + 2 * 8 + 1) is None
    assert list(raster.runs(1, 6)) == [(1, 3), (3, 6)]


def test_a_vector_is_a_strip_with_its_threads_above() -> None:
    views = adding().views
    assert {(v.name, v.detail, v.arrangement.kind, v.rows, v.columns) for v in views} == {
        (name, "[60]", "strip", 2, 32) for name in "abc"
    }
    # Threads lie above the elements that they compute.
    found = adding()
    scene = on(found, "if", 3)
    layout = arrange(scene, 820, 520, 16)
    assert layout.strips
    elements = layout.rasters[2]
    for n in range(12):  # threads 12 to 15 of the last block are beyond the end
        thread = layout.thread_raster.rect(int(scene.threads.row[n]), int(scene.threads.column[n]))
        element = elements.rect(*divmod(48 + n, 32))
        assert thread.x == pytest.approx(element.x)
        assert thread.y + thread.height < element.y
        assert hit(scene, layout, element.x + 1, element.y + 1) == Focus.on_element(views_array(found, "c"), 48 + n)
        assert hit(scene, layout, thread.x + 1, thread.y + 1) == Focus.on_thread(48 + n)
    # Strips begin at one edge with cells of one size.
    layout = arrange(on(adding(), "if"), 820, 520, 16)
    assert len({(raster.x, raster.across) for raster in layout.rasters}) == 1


def views_array(found: Stage, name: str) -> int:
    return next(view.array for view in found.views if view.name == name)


def test_strips_have_the_boundaries_of_blocks() -> None:
    assert [tuple(box) for box in adding().block_outlines] == [
        (0, 0, 0, 1, 16),
        (1, 0, 16, 1, 16),
        (2, 1, 0, 1, 16),
        (3, 1, 16, 1, 16),
    ]
    # Input strips have the boundaries of blocks.
    cells = build_scene(adding(40), Frame(1, 0)).cells
    parts = [(part.block, part.row, part.column, part.columns) for part in cells[0].block_parts]
    assert parts == [(0, 0, 0, 16), (1, 0, 16, 16), (2, 1, 0, 8)]
    assert cells[1].block_parts == cells[0].block_parts
    assert cells[2].block_parts == ()  # the result has those of its threads
    # Elements that several blocks read belong to none.
    found = stage(DIFFERENCE, "4", "16", "x=f32[64]:iota d=f32[64]:uninit n=64", "x d")
    assert build_scene(found, Frame(0, 0)).cells[0].block_parts == ()


def test_threads_without_a_result_are_not_placed_on_that_of_another() -> None:
    found = stage(SUM, "2", "64", "x=f32[128]:iota out=f32[2]:uninit", "x out")
    scene = on(found, "if (t == 0)", 1)
    assert scene.threads.visible.tolist() == [True] + [False] * 63
    assert scene.threads.beyond == 0  # they are not outside of the array
    layout = arrange(scene, 820, 520, 16)
    assert layout.zoom is not None
    assert (layout.zoom.rows, layout.zoom.columns) == (2, 32)


def test_many_short_rows_have_their_own_numbers_side_by_side() -> None:
    found = stage(POINTS, "1", "96", "p=f32[96,3]:iota q=f32[96,3]:uninit", "p q")
    scene = build_scene(found, Frame(0, 0))
    view = scene.cells[0].view
    assert (view.detail, view.rows, view.columns) == ("96×3", 12, 24)
    assert view.element(1, 5) == (8 + 1) * 3 + 2
    painter, layout = paint(scene, LIGHT, 1240, 800, 18.0)
    raster = layout.rasters[0]
    over = [t for t in painter.texts if raster.y - 20 < t.ink.bottom() < raster.y]
    above = [t.text for t in over if raster.x < t.ink.left() < raster.x + raster.box.width]
    assert set(above) <= {"0", "1", "2"}
    assert above.count("0") == 8
    beside = [t.text for t in painter.texts if raster.x - 30 < t.ink.right() < raster.x and t.ink.top() > raster.y]
    assert {int(text) % 8 for text in beside} == {0}
    assert "16" in beside


def test_threads_of_a_large_block_leave_strips_their_room() -> None:
    found = stage(MIRROR, "2", "256", "in=f32[512]:iota out=f32[512]:uninit", "in out")
    for number in range(found.trace.steps):
        layout = arrange(build_scene(found, Frame(1, number)), 771, 368, 18.0)
        lowest = max(raster.box.y + raster.box.height for raster in layout.rasters)
        assert lowest <= layout.legend.y


def test_three_dimensions_are_slices() -> None:
    found = stage(BATCH, "1,1,3", "4,4", "A=f32[48]:iota C=f32[48]:uninit n=4", "A C")
    assert {(v.name, v.detail) for v in found.views} == {("A", "12×4"), ("C", "12×4")}
    shaped = stage(BATCH, "1,1,3", "4,4", "A=f32[3,4,4]:iota C=f32[3,4,4]:uninit n=4", "A C")
    assert {(v.name, v.detail, v.arrangement.kind) for v in shaped.views} == {
        ("A", "3×4×4", "slices"),
        ("C", "3×4×4", "slices"),
    }
    assert [box.block for box in shaped.block_outlines] == [0, 1, 2]
    # A block of three dimensions has an outline in each slice.
    found = stage(CUBE, "1", "2,2,2", "v=i32[8]:uninit", "v")
    (view,) = found.views
    assert (view.arrangement.kind, view.detail) == ("slices", "2×2×2")
    assert [tuple(box) for box in found.block_outlines] == [(0, 0, 0, 2, 2), (0, 0, 2, 2, 2)]
    # A grid of three dimensions is slices of the launch.
    found = stage('__global__ void k() { printf("x"); }', "2,1,2", "2,2", "", "")
    assert (found.launch.kind, found.launch.depth) == ("slices", 2)
    assert len(found.block_outlines) == 4
    # A volume whose inside alone is written keeps its slices.
    # In the first block all threads that write have threadIdx.z = 1.
    text = """
__global__ void heat(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        out[(z * ny + y) * nx + x] = in[((z - 1) * ny + y) * nx + x];
}
"""
    arguments = "in=f32[256]:iota", "out=f32[256]:uninit", "nx=8", "ny=8", "nz=4"
    trace = source(text, "2,2,2", "4,4,2", *arguments)
    assert [flat_shape(trace, trace.array_number(name)) for name in ("in", "out")] == [(4, 8, 8), (4, 8, 8)]


SHAPES = {
    "vectors": (ADD, "4", "16", "a=f32[60]:iota b=f32[60]:iota c=f32[60]:uninit n=60", "a b c"),
    "long": (ADD, "64", "1", "a=f32[64]:iota b=f32[64]:iota c=f32[64]:uninit n=64", "a b c"),
    "very long": (ADD, "8", "128", "a=f32[1024]:iota b=f32[1024]:iota c=f32[1024]:uninit n=1024", "a b c"),
    "reduction": (SUM, "4", "64", "x=f32[256]:iota out=f32[4]:uninit", "x out"),
    "batch": (BATCH, "1,1,3", "4,4", "A=f32[3,4,4]:iota C=f32[3,4,4]:uninit n=4", "A C"),
    "cube": (CUBE, "1", "2,2,2", "v=i32[8]:uninit", "v"),
    "volume": (CUBE, "1", "4,4,4", "v=i32[64]:uninit", "v"),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("width", "height"), [(800, 520), (1240, 850), (560, 420)])
def test_everything_is_inside_and_nothing_overlaps(name: str, width: int, height: int) -> None:
    found = stage(*SHAPES[name])
    for frame in range(0, found.trace.steps, max(1, found.trace.steps // 4)):
        scene = build_scene(found, Frame(0, frame))
        around = boxes(scene, width, height)
        for box in around:
            assert box.x >= 0
            assert box.y >= 0
            assert box.x + box.width <= width + 1
            assert box.y + box.height <= height + 1
        assert not [(a, b) for a, b in combinations(around, 2) if overlap(a, b)]
        image = QImage(QSize(width, height), QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint_scene(painter, scene, LIGHT, TextPainter("Sans"), width, height, 16.0)
        painter.end()


DIFFERENCE = """__global__ void difference(const float *x, float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = x[i] - x[i - 1];
}"""


BLUR = """__global__ void blur(const float *in, float *out, int w, int h) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * w + x] = in[(y - 1) * w + x] + in[y * w + x - 1];
}"""


HALO = """__global__ void halo(const int *in, int *out) {
    __shared__ int s[12];
    int t = threadIdx.x, g = blockIdx.x * 8 + t;
    s[t + 2] = in[g];
    if (t < 2) s[t] = g >= 2 ? in[g - 2] : 0;
    __syncthreads();
    out[g] = s[t] + s[t + 2];
}"""


def test_reads_in_front_of_an_array_have_cells_there() -> None:
    found = stage(DIFFERENCE, "2", "16", "x=f32[30]:iota d=f32[30]:uninit n=30", "x d")
    scene = on(found, "if")
    scene = build_scene(
        found, Frame(0, next(n for n in range(found.trace.steps) if build_scene(found, Frame(0, n)).strays))
    )
    x, d = scene.cells
    assert np.argwhere(x.outside).tolist() == [[0, 0]]
    assert (x.view.before, d.view.before) == ((0, 1), (0, 0))
    layout = arrange(scene, 820, 520, 16)
    assert layout.rasters[0].left(1) == pytest.approx(layout.rasters[1].left(0))  # x[0] is above d[0]
    focus = hit(scene, layout, layout.rasters[0].left(0) + 2, layout.rasters[0].top(0) + 2)
    assert focus == Focus.on_thread(0)
    # Reads in front of a matrix have a row and a column.
    found = stage(BLUR, "1", "4,4", "in=f32[4,4]:iota out=f32[4,4]:uninit w=4 h=4", "in out")
    scene = next(s for n in range(found.trace.steps) if (s := build_scene(found, Frame(0, n))).strays)
    cells, out = scene.cells
    assert {tuple(at) for at in np.argwhere(cells.outside).tolist()} == {(0, c) for c in range(1, 5)} | {
        (r, 0) for r in range(1, 5)
    }
    layout = arrange(scene, 820, 520, 16)
    assert layout.rasters[0].top(1) == layout.rasters[1].top(1)  # rows still line up
    assert out.view.before == (1, 0)


def test_guarded_reads_in_front_of_an_array() -> None:
    found = stage(HALO, "3", "8", "in=i32[24]:iota out=i32[24]:uninit", "in out")
    scene = next(s for n in range(found.trace.steps) if (s := build_scene(found, Frame(0, n))).cells[0].zero.any())
    assert found.views[0].before == (0, 2)
    assert np.argwhere(scene.cells[0].zero).tolist() == [[0, 0], [0, 1]]
    # Of one guarded read it is not known where it would be.
    # Of two blocks only block 1 reads: that does not say which element block 0 leaves out.
    found = stage(HALO, "2", "8", "in=i32[16]:iota out=i32[16]:uninit", "in out")
    assert not any(build_scene(found, Frame(0, n)).cells[0].zero.any() for n in range(found.trace.steps))


TURN = """#define T 4
__global__ void turn(const float *in, float *out) {
    extern __shared__ float tile[];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * PITCH + x] = in[y * T + x];
    __syncthreads();
    out[y * T + x] = tile[x * PITCH + y];
}"""


@pytest.mark.parametrize(
    ("pitch", "elements", "padding"), [("(T + 1)", 20, 1), ("5", 20, 1), ("T", 16, 0), ("8", 32, 0)]
)
def test_padding_of_a_flat_array_is_known_if_the_index_says_so(pitch: str, elements: int, padding: int) -> None:
    launch = Launch(Dim3(1), Dim3(4, 4), elements * 4)
    arguments = parse_arguments(["in=f32[4,4]:iota", "out=f32[4,4]:uninit"])
    trace = trace_source(TURN.replace("PITCH", pitch), "k.cu", None, launch, arguments)
    found = Stage(trace, (Panel("in", "left"), Panel("out", "result")))
    tile = next(n for n, view in enumerate(found.views) if view.name == "tile")
    assert found.views[tile].columns == elements // 4
    assert found.padding[tile] == padding
    if padding:
        card = facts(found, build_scene(found, Frame(0, 2), focus=Focus.on_element(found.views[tile].array, 4)))
        assert card.lines[0][0] == "padding"


def test_a_strip_that_threads_divide_among_them_has_no_rows() -> None:
    text = """__global__ void parts(int *labels, int n) {
        int first = n * threadIdx.x / blockDim.x, last = n * (threadIdx.x + 1) / blockDim.x;
        for (int i = first; i < last; ++i) labels[i] = i;
    }"""
    found = stage(text, "1", "2", "labels=i32[16]:uninit n=16", "labels")
    assert [view.detail for view in found.views] == ["[16]"]
