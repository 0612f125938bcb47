"""Values, indices and names stay readable in small pictures."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QStaticText
from PySide6.QtWidgets import QApplication

from gui.explore.packing.boxes import Box
from gui.explore.packing.layout import Layout
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_cells import Tools, cell_texts
from gui.explore.stage.paint_flows import paint_arrow
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_log import TextLog
from gui.explore.stage.text_painter import SMALLEST_TEXT, TextPainter, fitting_size, number_text, rounded_text
from gui.theming.style import mix
from gui.theming.theme import LIGHT
from kernels.analysis import Frame, playlist
from kernels.workload import Panel
from tests.gui.explore.conftest import scene_on, stage, step_on
from tests.gui.explore.painted_texts import paint
from tests.kernels.analysis.traces import source, step_of

pytestmark = pytest.mark.usefixtures("qapp")


SMALL = (771, 365, 18)
"""Width, height and line of the picture in a window of 1280×800 pixels."""


DOUBLES = """
__global__ void doubles(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}
"""


PANELS = (Panel("in", "left"), Panel("out", "result"))


def texts_in(scene: Scene, box: QRectF | None = None) -> list[str]:
    painter, _ = paint(scene, LIGHT, *SMALL)
    return [text.text for text in painter.texts if box is None or box.contains(text.ink.center())]


def doubled(step: int, factor: int = 2) -> tuple[Scene, Layout]:
    trace = source(DOUBLES.replace("2 *", f"{factor} *"), "2", "32", "in=f32[64]:iota", "out=f32[64]:uninit")
    scene = build_scene(Stage(trace, PANELS), Frame(*[(0, step_of(trace, "out")), (1, trace.steps - 1)][step]))
    return scene, paint(scene, LIGHT, *SMALL)[1]


def test_values_that_are_long_or_not_written_hide_no_others() -> None:
    """Uninitialised elements are NaN, a longer text than the values that have been written."""
    scene, layout = doubled(0)
    texts, sizes = cell_texts(scene.cells[1], layout.rasters[1])
    assert sizes[0] >= SMALLEST_TEXT
    assert [column[0] for column in texts] == [str(2 * i) for i in range(32)]
    # A few values that are too long hide no others.
    scene, layout = doubled(1, factor=20)
    raster = layout.rasters[1]
    assert raster.across < 27  # four digits do not fit
    texts, _ = cell_texts(scene.cells[1], raster)
    assert [column[1] for column in texts] == [str(i) for i in range(640, 1000, 20)] + ["…"] * 14


def test_values_of_strips_and_square_cells_can_be_read() -> None:
    text = """
__global__ void hundreds(const float *in, float *out) {
    __shared__ float s[32];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    out[i] = s[i] + 100;
}
"""
    trace = source(text, "1", "32", "in=f32[32]:iota", "out=f32[32]:uninit")
    scene = build_scene(Stage(trace, PANELS), Frame(0, trace.steps - 1))
    painter, layout = paint(scene, LIGHT, *SMALL)
    assert layout.rasters[1].beside == 0
    assert {str(100 + i) for i in range(32)} <= {text.text for text in painter.texts}
    # Values are readable in square cells as in wide ones.
    found = stage("matmul_registers_1d", "6")
    scene = build_scene(found, Frame(0, 0))
    assert set(map(str, range(36))) <= set(texts_in(scene))
    # The sums of blocks have room for their digits.
    text = """
    __global__ void total(const float *in, float *out) {
        float sum = 0;
        for (int k = 0; k < 32; ++k)
            sum += in[32 * blockIdx.x + k];
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
    """
    trace = source(text, "2", "32", "in=f32[64]:iota", "out=f32[2]:uninit")
    shown = texts_in(build_scene(Stage(trace, PANELS), Frame(1, trace.steps - 1)))
    assert {"496", "1520"} <= set(shown)


@pytest.mark.parametrize(
    ("name", "size", "block"), [("mmt_symmetric_unrolled", "9", "8,8"), ("lesson_single_block", "5", "4,4")]
)
def test_threads_show_the_values_that_their_title_names(name: str, size: str, block: str) -> None:
    found = stage(name, size, block)
    scene = build_scene(found, Frame(0, step_on(found, "sum +=", nth=3)))
    _, layout = paint(scene, LIGHT, *SMALL)
    assert "sum" in scene.threads.value_words
    assert layout.zoom is not None
    shown = texts_in(scene, as_rect(layout.zoom.box))
    value = scene.number_in_thread(0)
    assert value is not None
    assert f"{value:g}" in shown


def test_threads_show_all_their_values_or_all_their_indices() -> None:
    found = stage("lesson_single_block", "5", "4,4")
    scene = build_scene(found, Frame(0, step_on(found, "C[")))
    threads = scene.threads
    for value, fits in ((1234567.0, True), (-1.234567e-7, False)):
        long = replace(scene, threads=replace(threads, value=np.where(threads.row == 1, value, 1.0)))
        painter, layout = paint(long, LIGHT, 600, 400, 18)
        assert layout.zoom is not None
        assert layout.zoom.cell < 34
        inside = as_rect(layout.zoom.box)
        shown = [text.text for text in painter.texts if inside.contains(text.ink.center())]
        indices = sorted(scene.index_text(index) for index in threads.index)
        assert (sorted(shown) == indices) is not fits
        assert ("1234567" in shown) is fits


def test_headings_name_values_once_and_as_soon_as_threads_have_them() -> None:
    found = stage("mmt_stripe", "16")
    for statement, named in (("stripe[", False), ("sum +=", True)):
        texts = texts_in(build_scene(found, Frame(0, step_on(found, statement))))
        headings = [text for text in texts if "threads" in text.lower() and " of " not in text]
        assert [heading for heading in headings if "sum" in heading] == (headings if named else [])
    # Values of threads above strips are named once.
    text = """
    __global__ void sums(const float *in, float *out) {
        float sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += in[(threadIdx.x + k) % 16];
        out[threadIdx.x] = sum;
    }
    """
    trace = source(text, "1", "16", "in=f32[16]:ones", "out=f32[16]:uninit")
    scene = build_scene(Stage(trace, PANELS), Frame(0, step_of(trace, "sum +=")))
    painter, _ = paint(scene, LIGHT, 1150, 600, 24)
    shown = [text.text for text in painter.texts]
    assert "block 0: threads and their sum" in shown
    assert not any(text.startswith("sum ") for text in shown)


def test_a_block_s_name_hides_no_edge_of_the_result() -> None:
    """Of 2×2 blocks of 2×2 threads on 3×3 elements, three lie across an edge."""
    found = stage("matmul_tiled", "3", "2,2")
    scene = build_scene(found, Frame(0, 0))
    image = QImage(SMALL[0], SMALL[1], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    layout = paint_scene(painter, scene, LIGHT, TextPainter("Sans"), *SMALL)
    painter.end()
    result = layout.thread_raster.rect(0, 0, 3, 3)
    right, bottom = round(result.x + result.width), round(result.y + result.height)
    green = mix(LIGHT.text, LIGHT.matrix_c, 0.55)

    def is_edge(x: int, y: int) -> bool:
        return any(image.pixelColor(x + dx, y + dy) == green for dx in (-1, 0) for dy in (-1, 0))

    seen = [is_edge(right, y) for y in range(round(result.y) + 3, bottom)]
    seen += [is_edge(x, bottom) for x in range(round(result.x) + 3, right)]
    assert np.mean(seen) > 0.5  # the rest is interrupted by names and by the outline of the shown block


def test_blocks_are_named_once_and_unlike_threads() -> None:
    for scene in (
        build_scene(stage("hello_grid"), Frame(0, 0)),
        build_scene(stage("matmul_tiled", "3,3,3", "2,2"), Frame(0, 0)),
    ):
        painter, _ = paint(scene, LIGHT, 870, 620, 18.0)
        shown = " ".join(text.text for text in painter.texts)
        assert all(f"block {index}" in shown for index in ("(1,0)", "(0,1)", "(1,1)"))
    # The number of a block alone is not painted in a cell.
    found = stage("kmeans_divide", block="4")
    scene = build_scene(found, Frame(0, int(found.trace.block_steps(0)[0])))
    painter, layout = paint(scene, LIGHT, 771, 368, 18.0)
    assert [box.number for box in scene.blocks] == [0, 1]
    raster = layout.thread_raster.rect(2, 0)
    inside = [t.text for t in painter.texts if raster.contains(t.ink.center().x(), t.ink.center().y())]
    assert "1" not in inside
    # Blocks with one outline have one name.
    found = stage("lesson_uncleared_target")
    scene = build_scene(found, Frame(0, int(found.trace.block_steps(0)[0])))
    texts = [t.text for t in paint(scene, LIGHT, 1240, 700, 18.0)[0].texts]
    assert sum("(1,0,0..1)" in text for text in texts) == 1
    assert not any("(1,0,1)" in text for text in texts)


def as_rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)


def test_lines_of_printf_are_not_broken_inside_an_index() -> None:
    found = stage("hello_grid")
    scene = build_scene(found, playlist(found.trace, "memory").frames[-1])
    painter, _ = paint(scene, LIGHT, 587, 370, 32.0)
    printed = [text.text for text in painter.texts if "(" in text.text and not text.text.startswith("(")]
    assert any("thread" in text for text in printed)
    assert all(text.count("(") == text.count(")") for text in printed)


def test_arrays_without_a_place_in_the_picture_are_named() -> None:
    text = """
    __global__ void mix(const float *a, const float *b, const float *c, float *out) {
        out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[threadIdx.x];
    }
    """
    arguments = [*(f"{name}=f32[32]:iota" for name in "abc"), "out=f32[32]:uninit"]
    trace = source(text, "1", "32", *arguments)
    panels = (Panel("a", "left"), Panel("b", "top"), Panel("out", "result"))
    assert "not drawn: c" in texts_in(build_scene(Stage(trace, panels), Frame(0, trace.steps - 1)))
    assert not build_scene(stage("matmul_tiled"), Frame(0, 0)).not_drawn


def test_threads_that_have_returned_keep_a_mark_in_their_block() -> None:
    text = """
__global__ void last_warp(const float *in, float *out) {
    __shared__ float s[96];
    int i = threadIdx.x;
    if (i < 64) return;
    s[i] = in[i];
    out[i] = s[i];
}
"""
    trace = source(text, "1", "96", "in=f32[12,8]:iota", "out=f32[12,8]:uninit")
    scene = build_scene(Stage(trace, PANELS), Frame(0, step_of(trace, "s[")))
    image = QImage(SMALL[0], SMALL[1], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    layout = paint_scene(painter, scene, LIGHT, TextPainter("Sans"), *SMALL)
    painter.end()
    threads = layout.zoom
    assert threads is not None
    assert threads.cell < 21, "threads with a label have an outline"
    marks = threads.centres(np.repeat([0, 1, 2], 32), np.tile(np.arange(32), 3))
    colours = [image.pixelColor(round(x), round(y)).name() for x, y in marks]
    assert colours[0] != colours[64]
    ground = image.pixelColor(round(marks[0][0]), round(marks[0][1] - threads.cell * 0.4)).name()
    assert ground not in colours[:64]


def test_a_thread_leaves_the_value_of_its_element_in_sight_or_shows_its_own() -> None:
    found = stage("kmeans_update_atomic")
    first = int(found.trace.block_steps(1)[0])
    scene = build_scene(found, Frame(1, first))
    assert scene.result is not None
    painter, layout = paint(scene, LIGHT, 771, 368, 18.0)
    assert not layout.labelled
    raster = layout.rasters[scene.result]
    inside = [t.text for t in painter.texts if raster.box.contains(t.ink.center().x(), t.ink.center().y())]
    assert len(inside) == scene.cells[scene.result].values.size
    # A thread on its element shows its value and the title its name.
    found = stage("cpu_parallel")
    scene = scene_on(found, "sum +=", nth=18)
    assert scene.result is not None
    painter, layout = paint(scene, LIGHT, 771, 526, 18.0)
    assert layout.labelled
    for thread in range(2):
        place = layout.thread_raster.rect(int(scene.threads.row[thread]), int(scene.threads.column[thread]))
        inside = [t.text for t in painter.texts if place.contains(t.ink.center().x(), t.ink.center().y())]
        number, name = scene.number_on_result(thread)
        assert name == "sum"
        assert inside == [str(thread), number_text(number or 0)]
    assert any("sum in threads" in text.text for text in painter.texts)


@pytest.mark.parametrize(
    ("value", "text", "shorter"),
    [
        (7.0, "7", "7"),
        (1110.0, "1110", "1110"),
        (4.666667, "4.67", "4.7"),
        (-0.5, "-0.5", "-0.5"),
    ],
)
def test_whole_numbers_are_exact_and_others_take_the_digits_there_are(value: float, text: str, shorter: str) -> None:
    assert number_text(value) == text
    assert number_text(value, 2) == shorter


def test_wide_cells_and_points_take_the_room_that_they_need() -> None:
    assert fitting_size(22, ["4.7"]) >= SMALLEST_TEXT
    assert fitting_size(22, ["467"]) == 0
    assert fitting_size(60, ["7"]) > fitting_size(60, ["1110"]) > 0
    # Wide cells hold words although they are low.
    assert fitting_size(15, ["0.397"]) == 0
    assert fitting_size(15, ["0.397"], 45) == SMALLEST_TEXT
    assert fitting_size(12, ["0.397"], 45) == 0  # it would touch the lines


@pytest.mark.parametrize(
    ("value", "text"),
    [(9999, ""), (10_400, "10.4k"), (469_007, "469k"), (999_600, "1M"), (1_046_000, "1.05M"), (-2e6, "-2M"), (1e9, "")],
)
def test_a_large_number_is_written_in_thousands_or_millions(value: float, text: str) -> None:
    assert rounded_text(value) == text


def test_cached_layouts_are_limited_over_all_sizes(qapp: QApplication) -> None:
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    texts = [str(number) for number in range(1_000)]
    before = sum(isinstance(thing, QStaticText) for thing in gc.get_objects())
    painter, text_painter = QPainter(image), TextPainter(qapp.font().family())
    for size in range(10, 30):
        text_painter.draw_all_centred(painter, [(5, 5)] * len(texts), texts, size)
    painter.end()
    kept = sum(isinstance(thing, QStaticText) for thing in gc.get_objects()) - before
    assert 1_000 <= kept <= 8_193


ARROW = QColor("#ff0000")


@pytest.mark.usefixtures("qapp")
def test_an_arrow_passes_behind_the_text_that_it_crosses_only() -> None:
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    log = TextLog(TextPainter("Sans"))
    tools = Tools(painter, LIGHT, log, 18.0)
    log.start(painter, 20, QColor(Qt.GlobalColor.black))
    log.draw_all_centred(painter, [(100, 50), (100, 80)], ["8", "8"], 20)
    paint_arrow(tools, QPointF(10, 50), QPointF(190, 50), ARROW, 3.0, Qt.PenStyle.SolidLine, (0, 0))
    assert any(image.pixelColor(x, 50) == ARROW for x in range(95, 106))
    below = image.copy(80, 65, 40, 30)
    log.paint_crossed(painter, tools.over_texts)
    painter.end()
    assert not any(image.pixelColor(x, 50) == ARROW for x in range(95, 106))
    assert image.pixelColor(60, 50) == ARROW
    assert image.copy(80, 65, 40, 30) == below


@pytest.mark.usefixtures("qapp")
def test_nothing_is_painted_again_without_arrows() -> None:
    image = QImage(50, 50, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    log = TextLog(TextPainter("Sans"))
    log.start(painter, 20, QColor(Qt.GlobalColor.black))
    log.draw_centred(painter, 25, 25, "8", 20)
    before = image.copy()
    log.paint_crossed(painter, [QPainterPath(QPointF(0, 0))])
    painter.end()
    assert image == before
