"""Marks of mistakes in the picture: accesses outside of arrays, races, and wrong results."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.explore.packing.layout import arrange, hit
from gui.explore.page import ExplorePage
from gui.explore.playback.story import story_of_recording
from gui.explore.stage.build import build_scene
from gui.explore.stage.focus import Focus
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_cells import cell_texts
from gui.explore.stage.scene import Scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.text_painter import TextPainter
from gui.explore.timeline.marks import marks_of
from gui.explore.values.facts import facts
from gui.selection.recording import Recording
from gui.theming.theme import DARK, LIGHT, Theme
from kernels.analysis import Frame, playlist
from kernels.analysis.order.races import hazard_shown_at
from kernels.arguments import parse_arguments
from kernels.catalog import catalog, read_kernel
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_kernel, trace_source
from kernels.workload import Panel
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.gui.explore.painted_texts import paint
from tests.sweeps import RIGHT_BY_LUCK

OpenPage = Callable[..., ExplorePage]


def cells_at(mask: np.ndarray) -> set[tuple[int, int]]:
    return {(int(r), int(c)) for r, c in np.argwhere(mask)}


def named(scene: Scene, name: str) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the cells beyond the edges that are marked on an array, and the elements marked as their landing."""
    cells = next(cells for cells in scene.cells if cells.view.name == name)
    return cells_at(cells.outside), cells_at(cells.landing)


def test_accesses_beyond_the_edge_are_marked_with_the_element_at_their_address() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)))
    assert named(scene, "C") == ({(0, 3), (1, 3)}, {(1, 0), (2, 0)})
    assert "write C[0][3] and C[1][3], outside the 3×3 matrix, at the addresses of C[1][0] and C[2][0]" in scene.caption
    # Reads are outside by their coordinates although their flat index exists.
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    assert named(scene, "B") == ({(0, 3)}, {(1, 0)})
    assert scene.caption.endswith(
        "careful: threads (1,0) and (1,1) both read B[0][3], outside the 3×3 matrix, at the address of B[1][0]"
    )
    # Every thread that is outside is marked.
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    assert scene.threads.hazard.tolist() == [False, True, False, True]
    # An address past the end lands nowhere.
    scene = build_scene(found, Frame(2, step_on(found, "C[", 2)), focus=Focus.on_thread(10))
    assert named(scene, "C") == ({(3, 0), (3, 1)}, set())
    assert scene.caption.endswith("write C[3][0] and C[3][1], outside the 3×3 matrix, past the end of C")
    assert ("address", "past the end of C: element 9, byte address C + 36") in facts(found, scene).lines


def test_caption_marks_and_timeline_agree_in_every_frame() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    outside = 0
    for block in range(4):
        for step in found.trace.block_steps(block).tolist():
            scene = build_scene(found, Frame(block, step))
            assert ("outside the 3×3 matrix" in scene.caption) == bool(scene.strays)
            assert all(stray.lanes.size and cells_at(scene.cells[stray.view].outside) for stray in scene.strays)
            outside += len(scene.strays)
    assert outside
    # No cell beyond an edge is read or written.
    for block in range(4):
        for step in found.trace.block_steps(block).tolist():
            for lane in (0, 4 * block + 1):
                for cells in build_scene(found, Frame(block, step), focus=Focus.on_thread(lane)).cells:
                    rows, columns = cells.values.shape
                    real = np.zeros(cells.read.shape, bool)
                    real[:rows, :columns] = True
                    assert not ((cells.read | cells.wrote) & ~real).any()
                    assert not (cells.focus & ~real & ~cells.outside).any()
    # A guarded kernel has no such marks.
    for name in ("matmul_tiled", "matmul_naive"):
        found = stage(name, "3", "2,2")
        assert not found.has_outside


def test_an_unguarded_kernel_has_its_grid_and_its_threads_beyond_the_edge() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 2, 2], [0, 2, 2, 2], [2, 0, 2, 2], [2, 2, 2, 2]]
    assert found.result is not None
    assert found.overhang[found.result] == (1, 1)
    threads = build_scene(found, Frame(1, step_on(found, "C[", 1))).threads
    assert list(zip(threads.row.tolist(), threads.column.tolist(), strict=True)) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert threads.stored.tolist() == [True, False, True, False]
    assert threads.value_name == "sum"  # also where it is NaN, from an element that does not exist


def test_a_guard_on_the_flat_index_lets_threads_write_into_the_next_row(tmp_path: Path) -> None:
    file = tmp_path / "lesson_missing_guard.cu"
    store = "C[row * N + col] = sum;"
    text = kernel("lesson_missing_guard").text
    file.write_text(text.replace(store, f"if (row * N + col < M * N) {store}"), encoding="utf-8")
    wrong = read_kernel(file)
    found = Stage(trace_kernel(wrong, wrong.size, wrong.block), wrong.workload.panels)
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)))
    assert named(scene, "C")[1] == {(1, 0), (2, 0)}


def test_the_card_names_the_element_meant_and_the_element_written() -> None:
    found = stage("lesson_missing_guard", "3", "2,2")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)), focus=Focus.on_thread(5))
    lines = facts(found, scene).lines
    assert ("writes", "C[0][3], outside the 3×3 matrix") in lines
    assert ("address", "that of C[1][0]: element 3, byte address C + 12") in lines
    cells = scene.cells[found.result or 0]
    assert cells_at(cells.focus) == {(0, 3), (1, 0)}
    # The card of the element written names the element meant.
    result = next(view.array for view in found.views if view.name == "C")
    scene = build_scene(found, Frame(1, step_on(found, "C[", 1)), focus=Focus.on_element(result, 3))
    assert ("", "C[0][3] has this address, outside the 3×3 matrix: named by (1,0)") in facts(found, scene).lines
    # A cell beyond the edge can be pointed at.
    scene = build_scene(found, Frame(1, step_on(found, "sum +=", 1)))
    layout = arrange(scene, 820, 640, 18.0)
    number = next(n for n, cells in enumerate(scene.cells) if cells.view.name == "B")
    raster = layout.rasters[number]
    point = raster.x + 3.5 * raster.across, raster.y + 0.5 * raster.cell
    assert hit(scene, layout, *point) == Focus.on_thread(5)


def test_accesses_outside_of_arrays_of_other_kernels() -> None:
    text = "__global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = 2.0f * x[i]; }"
    arguments = parse_arguments(("x=f32[6]:iota",))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(2), Dim3(4)), arguments)
    found = Stage(trace, (Panel("x", "result"),))
    scene = build_scene(found, Frame(1, step_on(found, "x[i]", 1)))
    assert found.overhang == ((0, 2),)
    assert named(scene, "x") == ({(0, 6), (0, 7)}, set())
    assert [list(box[1:]) for box in found.block_outlines] == [[0, 0, 1, 4], [0, 4, 1, 4]]
    # A thread of many results is beyond the edge with each of them.
    text = """__global__ void k(float *C, int N) {
        for (int row = threadIdx.y; row < 3; row += 2)
            C[row * N + threadIdx.x] = 1.0f;
    }"""
    arguments = parse_arguments(("C=f32[3,3]:uninit", "N=3"))
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4, 2)), arguments)
    found = Stage(trace, (Panel("C", "result"),))
    scene = build_scene(found, Frame(0, step_on(found, "C[")))
    assert (int(scene.threads.row[3]), int(scene.threads.column[3])) == (0, 3)
    assert not scene.threads.stored[3]
    # The caption of a branch warns too.
    text = "__global__ void k(float *x) { if (x[threadIdx.x] > 0.0f) x[0] = 1.0f; }"
    trace = trace_source(text, "k.cu", None, Launch(Dim3(1), Dim3(4)), parse_arguments(("x=f32[3]:iota",)))
    found = Stage(trace, (Panel("x", "result"),))
    scene = build_scene(found, Frame(0, step_on(found, "if (")))
    assert scene.caption.endswith("; careful: thread 3 reads x[3], outside the 3 elements of x")


def test_hazards_outside_lead_to_their_thread_and_are_on_the_timeline(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_guard"))
    assert page.story is not None
    for hazard in page.story.stage.trace.hazards:
        page.show_hazard(hazard)
        access, scene = hazard.accesses[-1], page.scene
        assert scene is not None
        assert scene.focus.kind == "thread"
        lane = scene.focus.lane - scene.threads.first_lane
        assert (scene.block_index, scene.threads.index[lane]) == (access.block, access.thread)
        assert scene.threads.hazard[lane]
    # The timeline marks every frame with an access outside.
    assert page.story is not None
    marked = set(marks_of(page.story.stage.trace, page.story.memory, page.story.stage.outside_frames).hazards)
    frames = page.story.memory.frames
    assert marked == {n for n in range(len(frames)) if build_scene(page.story.stage, frames[n]).strays}


def test_padding_is_known_and_is_not_drawn_as_a_value() -> None:
    found = stage("matmul_tiled_padded", "3", "2,2")
    assert {v.name: n for v, n in zip(found.views, found.padding, strict=True) if n} == {"Bs": 1}
    # The card calls padding padding.
    array = next(view.array for view in found.views if view.name == "Bs")
    scene = build_scene(found, Frame(0, 3), focus=Focus.on_element(array, 2))
    card = facts(found, scene)
    assert card.heading == "Bs[0][2]"
    assert card.lines[0] == ("padding", "only makes the row longer: no thread accesses it")
    # Unused columns without a sum in the declaration are no padding.
    found = stage("mmt_tiled_guard_inner", "3", "4,4")
    assert not any(found.padding)


LESSONS = {
    "lesson_missing_barrier": ("As[5][2]", "(0,5) reads", "(2,5) writes later"),
    "lesson_missing_second_barrier": ("As[5][2]", "(0,5) reads", "(2,5) overwrote it"),
}


PICTURE = QSize(821, 516)
"""The picture in a window of 1280×800, with a caption of two lines."""


LARGE = QSize(1240, 780)
"""The picture in a window of 1920×1080."""


class Listener(TextPainter):
    """A painter of texts that keeps what it drew."""

    def __init__(self) -> None:
        super().__init__("sans-serif")
        self.drawn: list[tuple[str, float, float, float]] = []

    def draw_all_centred(
        self,
        painter: QPainter,
        places: Sequence[tuple[float, float]],
        texts: Sequence[str],
        size: float,
        bold: bool = False,
        *,
        measured: bool = False,
    ) -> None:
        self.drawn += [(text, x, y, size) for (x, y), text in zip(places, texts, strict=True)]
        super().draw_all_centred(painter, places, texts, size, bold, measured=measured)


def shown(name: str) -> Scene:
    found = kernel(name)
    trace = trace_kernel(found, found.size, found.block, options=Options(schedule=found.schedule))
    place = hazard_shown_at(trace, trace.hazards[0])
    assert place is not None
    return build_scene(Stage(trace, found.workload.panels), Frame(*place))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", LESSONS)
def test_both_threads_and_the_element_are_named_on_the_picture(qapp: QApplication, name: str, theme: Theme) -> None:
    scene, listener = shown(name), Listener()
    image = QImage(PICTURE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_scene(painter, scene, theme, listener, PICTURE.width(), PICTURE.height(), 18.0)
    painter.end()
    found = {text: (x, y) for text, x, y, _ in listener.drawn}
    assert set(LESSONS[name]) <= set(found)
    places = [found[text] for text in LESSONS[name]]
    assert len(set(places)) == 3
    assert all(0 < x < PICTURE.width() and 0 < y < PICTURE.height() for x, y in places)


def test_an_element_that_is_read_before_it_is_written_shows_no_value(qapp: QApplication) -> None:
    scene, listener = shown("lesson_missing_barrier"), Listener()
    image = QImage(PICTURE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    layout = paint_scene(painter, scene, LIGHT, listener, PICTURE.width(), PICTURE.height(), 18.0)
    painter.end()
    assert scene.race is not None
    raster = layout.rasters[scene.race.view]
    x, y = raster.x + (scene.race.column + 0.5) * raster.across, raster.y + (scene.race.row + 0.5) * raster.cell
    assert [text for text, *place, _ in listener.drawn if place == [x, y]] == ["?"]


@pytest.mark.parametrize("name", LESSONS)
def test_the_values_of_a_race_lesson_can_be_read(qapp: QApplication, name: str) -> None:
    scene = shown(name)
    for size, places in ((PICTURE, {"shared"}), (LARGE, {"shared", "left", "top"})):
        layout = arrange(scene, size.width(), size.height(), 18.0)
        for cells, raster in zip(scene.cells, layout.rasters, strict=True):
            if cells.view.place in places:
                assert min(cell_texts(cells, raster)[1]) >= 10.0, (cells.view.name, size)


@pytest.mark.parametrize("name", LESSONS)
def test_a_click_on_the_hazard_leads_to_the_read_that_goes_wrong(
    open_page: Callable[..., ExplorePage], name: str
) -> None:
    page = open_page(kernel(name))
    assert page.story is not None
    [hazard] = page.story.stage.trace.hazards
    page.show_hazard(hazard)
    assert page.scene is not None
    assert page.scene.race is not None
    assert page.scene.race.element == LESSONS[name][0]
    assert LESSONS[name][0] in page.caption.whole
    clause = page.caption.whole.partition("; ")[2]
    assert f"In this run {clause}." in page.side.hazards.item(0).text()
    for number in page.scene.race.threads:
        assert page.scene.threads.hazard[number]
    assert page.scene.lane == page.scene.threads.first_lane + page.scene.race.threads[0]


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("size", [(746, 437), (771, 354), (1165, 565)])
def test_labels_of_a_race_cover_no_title(qapp: QApplication, name: str, size: tuple[int, int]) -> None:
    scene = shown(name)
    painter, _ = paint(scene, LIGHT, *size, 18.0)
    titles = {cells.view.title for cells in scene.cells}
    found = [text for text in painter.texts if text.text in titles]
    assert {text.text for text in found} == titles
    for title in found:
        assert not any(order > title.order and plate.intersects(title.ink) for order, plate in painter.plates)


RESULTS_LESSONS = [listed.id for listed in catalog() if listed.flaw and listed.id not in RIGHT_BY_LUCK]


@cache
def lesson(name: str) -> Stage:
    found = kernel(name)
    trace = trace_kernel(found, found.size, found.block, options=Options(schedule=found.schedule))
    return Stage(trace, found.workload.panels, workload=found.workload)


def scene_at(found: Stage, position: int) -> Scene:
    return build_scene(found, playlist(found.trace, "memory", found.order).frames[position])


@pytest.mark.parametrize("name", RESULTS_LESSONS)
def test_a_lesson_ends_with_its_wrong_elements_marked_and_named(name: str) -> None:
    found, scene = lesson(name), scene_at(lesson(name), -1)
    assert scene.result_line is not None
    assert scene.result_line.mark == "✗"
    (a, b) = ("M", "M") if "M" in [array.name for array in found.trace.arrays] else ("A", "B")
    left, top = (found.trace.initial[found.trace.array_number(n)].astype(float) for n in (a, b))  # type: ignore[union-attr]
    cells = next(cells for cells in scene.cells if cells.view.place == "result")
    expected = left @ (top.T if a == b else top)
    differs = ~(cells.written & (np.abs(cells.values - expected) <= 1e-5 * expected))
    rows, columns = differs.shape
    assert (cells.wrong[:rows, :columns] == differs).all()
    assert scene.result_line.summary == f"{np.count_nonzero(differs)} of {differs.size} wrong"
    assert not any(other.wrong.any() for other in scene.cells if other is not cells)
    assert f"{cells.view.name}[" in scene.result_line.detail
    assert scene.has_wrong


def test_on_the_way_the_elements_that_are_final_are_counted() -> None:
    found = kernel("matmul_tiled")
    on = Stage(trace_kernel(found, found.size, found.block), found.workload.panels, workload=found.workload)
    lines = []
    for frame in playlist(on.trace, "memory", on.order).frames:
        line = build_scene(on, frame).result_line
        assert line is not None
        lines.append(line.sentence)
    assert list(dict.fromkeys(lines)) == [
        "No result yet: 0 of 9 elements final",
        "✓ Right so far: 4 of 9 elements final",
        "✓ Right so far: 6 of 9 elements final",
        "✓ Right so far: 8 of 9 elements final",
        "✓ All 9 elements right",
    ]


def test_a_click_on_the_line_jumps_to_the_first_wrong_write(open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("lesson_swapped_index"))
    assert page.story is not None
    page.timeline.go(0)
    assert page.result.focusPolicy() == Qt.FocusPolicy.NoFocus
    page.timeline.last()
    assert page.result.text().startswith("✗ 6 of 9 wrong\n")
    results = page.story.stage.results
    assert results is not None
    first = results.verdict(*page.frames[-1]).first
    assert first is not None
    page.timeline.go(page.timeline.position)
    QTest.mouseClick(page.result, Qt.MouseButton.LeftButton)
    assert page.scene is not None
    assert (page.scene.block, page.scene.step) == (first.block, first.step)
    assert page.scene.focus == Focus.on_element(first.array, first.index)
    assert page.scene.cells[2].wrong.any()
    assert page.result.isVisible()


def test_a_saved_run_is_judged_by_the_workload_of_its_source_if_it_names_one() -> None:
    found = kernel("lesson_swapped_index")
    trace = lesson(found.id).trace
    for described in (found, None):
        story = story_of_recording(Recording(Path("run.trace"), trace, described), lambda: False)
        line = build_scene(story.stage, story.memory.frames[-1]).result_line
        assert (line is not None) == (described is not None)
        assert line is None or line.sentence == "✗ 6 of 9 wrong: C[0][1] = 15, should be 18"


def test_without_a_workload_there_is_no_claim(open_page: Callable[..., ExplorePage]) -> None:
    page = open_page(kernel("hello_grid"))
    assert page.scene is not None
    assert page.scene.result_line is None
    assert not page.result.isVisible()
