from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from textwrap import wrap

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.explore.code.line_map import without_footer
from gui.explore.export.dialog import Choice
from gui.explore.packing.layout import arrange
from gui.explore.page import ExplorePage
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.values.inspector import unbroken
from gui.selection.recording import read_recording
from gui.theming.theme import DARK
from kernels.analysis.syntax.source import listing
from kernels.catalog import Kernel, find_kernel, read_kernel
from kernels.device import find_device
from kernels.launch import Dim3, Launch
from kernels.trace.file import save
from kernels.tracing import trace_source
from kernels.workload import Size
from tests.gui.explore.conftest import choose_order, kernel

OpenPage = Callable[..., ExplorePage]


TAKES_TURNS = """
extern "C" __global__ void turns(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int i = 0; i < 3; ++i) {
        __syncthreads();
        C[i] = C[i] + 1.0f;
    }
}

/* tilescope
title    = "Takes turns"
teaches  = "Blocks that share an element."
workload = "matmul"
size     = [3, 3, 3]
block    = [1, 1]
blocks   = [[1, 1]]
grid     = ["2", "1"]
clear    = ["C"]
*/
"""


Key, Modifier = Qt.Key, Qt.KeyboardModifier


def test_the_page_opens_on_the_selection_and_is_played_by_keys(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    assert page.scene is not None
    assert page.scene.block == 0
    assert page.caption.whole == page.scene.caption != ""
    assert page.code.executing_line == page.scene.line
    assert "Thread (0,0) of Block (0,0)" in page.inspector.text.text()
    # Keys.
    with qtbot.waitActive(page):
        page.activateWindow()
    for start, key, modifier, end in KEYS:
        page.timeline.go(start)
        QTest.keyClick(page, key, modifier)
        assert page.timeline.position == end, (key, modifier)
        assert page.scene is not None
        assert page.scene.step == page.frames[end].step
    # Space plays and end stops at the last.
    with qtbot.waitActive(page):
        page.activateWindow()
    QTest.keyClick(page, Key.Key_Space)
    assert page.timeline.playing
    QTest.keyClick(page, Key.Key_End)
    assert not page.timeline.playing
    assert page.timeline.position == len(page.frames) - 1
    assert page.scene is not None
    assert page.scene.block == 3


KEYS = [
    (3, Key.Key_Right, Modifier.NoModifier, 4),
    (3, Key.Key_Left, Modifier.NoModifier, 2),
    (3, Key.Key_PageDown, Modifier.NoModifier, 4),  # a presenter's remote
    (3, Key.Key_PageUp, Modifier.NoModifier, 2),
    (3, Key.Key_Home, Modifier.NoModifier, 0),
    (0, Key.Key_Right, Modifier.ShiftModifier, 6),  # phase 1 begins
    (6, Key.Key_Left, Modifier.ShiftModifier, 0),
    (0, Key.Key_Right, Modifier.ControlModifier, 2),  # the first barrier
    (3, Key.Key_Left, Modifier.ControlModifier, 2),
    (3, Key.Key_5, Modifier.NoModifier, 26),
    (3, Key.Key_5, Modifier.KeypadModifier, 26),
    (3, Key.Key_0, Modifier.NoModifier, 0),
]
"""Where the run is, a key, and where the run is then."""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": Size(65, 4, 4)}, "65×4×4 is too large to explore: choose up to 64"),
        ({"size": Size(2048, 2048, 2048)}, "2048 is too large to explore"),
        ({"block": Dim3(4, 2)}, "choose a block with equal sides"),
        ({"block": Dim3(64, 64)}, "4,096 threads, the device allows 1,024"),
    ],
)
def test_refusals_say_what_would_work(open_page: OpenPage, changes: dict[str, object], words: str) -> None:
    page = open_page(kernel("matmul_tiled"), **changes)
    assert page.scene is None
    assert words in page.canvas.accessibleDescription()
    assert page.caption.whole == ""
    assert not page.timeline.isEnabled()
    assert page.code.toPlainText().startswith("// The block works together")  # the source is still there to read


@pytest.mark.parametrize(("n", "shown"), [(512, True), (513, False)])
def test_arrays_of_one_dimension_may_be_longer(open_page: OpenPage, n: int, shown: bool) -> None:
    page = open_page(find_kernel("reduce_shuffle"), size=Size(n, n, n))
    assert (page.scene is not None) == shown
    words = f"{n} is too large to explore: choose up to 512"
    assert (words in page.canvas.accessibleDescription()) != shown


def test_a_refusal_names_no_length_that_the_kernel_does_not_have(open_page: OpenPage) -> None:
    page = open_page(find_kernel("softmax_online"), size=Size(2, 96, 1))
    assert "Size 2×96 is too large to explore: choose up to 64" in page.canvas.accessibleDescription()


@pytest.mark.parametrize(("name", "where"), [("cpu_blas", "on the CPU"), ("cublas_sgemm", "inside a library")])
def test_kernels_without_source_have_nothing_to_show(open_page: OpenPage, name: str, where: str) -> None:
    page = open_page(find_kernel(name))
    assert where in page.canvas.accessibleDescription()
    assert "no CUDA source" in page.canvas.accessibleDescription()


def test_a_newer_selection_replaces_the_older(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), wait=False, size=Size(48, 48, 48), block=Dim3(8, 8))
    page._session.select(kernel=kernel("index_map"))
    shown = []
    page._tracing.finished.connect(lambda story: shown.append(story.selection.kernel.id))
    qtbot.waitUntil(lambda: not page.busy)
    assert shown == ["index_map"]
    assert page.story is not None
    assert page.story.selection == page._session.selection


def test_cancel_leaves_a_line(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), wait=False, size=Size(64, 64, 64), block=Dim3(8, 8))
    page.run_bar.cancel_requested.emit()
    assert not page.busy
    assert "Cancelled" in page.canvas.accessibleDescription()


def test_a_run_that_is_cancelled_leaves_a_line_and_can_be_started_again(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"), wait=False)
    assert not page.export.isEnabled()
    assert not page.timeline.isEnabled()
    assert not page.timeline.blocks.menuAction().isVisible()
    # A cancelled run can be started again.
    page.run_bar.cancel_requested.emit()
    assert page.run_bar.again.isVisible()
    page.run_bar.again.click()
    qtbot.waitUntil(lambda: page.scene is not None)
    assert not page.run_bar.again.isVisible()
    assert page.export.isEnabled()


def test_while_another_kernel_runs_its_source_is_listed_and_the_old_picture_is_gone(
    open_page: OpenPage,
) -> None:
    page = open_page(kernel("matmul_tiled"))
    page._session.select(kernel=kernel("matmul_naive"), size=Size(48, 48, 48))
    page._tracing.still_running.emit(1.0)
    assert page.code.toPlainText() == without_footer(kernel("matmul_naive").text)
    assert page.scene is None
    assert page.inspector.text.text() == page.caption.whole == ""
    assert not page.timeline.isEnabled()
    assert "… 1 s" in page.canvas.accessibleDescription()


def test_an_edit_that_takes_long_or_fails_first_keeps_the_place_too(
    open_page: OpenPage, qtbot: QtBot, wild: Kernel
) -> None:
    page = open_page(wild)
    page.timeline.go(3)
    frame, file, text = page.frames[3], wild.file, wild.text
    assert file is not None
    for edited in (text.replace("A[row", "A[["), text.replace("A[row", "2.0f * A[row")):
        file.write_text(edited, encoding="utf-8")
        with qtbot.waitSignal(page.ready):
            page._session.reread(wild)
            page._tracing.still_running.emit(1.0)
    assert page.frames[page.timeline.position] == frame


def test_a_hazard_is_read_in_full(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_barrier"))
    page.resize(1000, 620)
    QApplication.processEvents()
    seen = page.side.hazards.viewport().rect()
    first = page.side.hazards.visualItemRect(page.side.hazards.item(0))
    assert seen.contains(first)


def test_the_list_of_hazards_shows_whole_messages(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_guard"))
    for width in [1000, 1256, 1900]:
        page.resize(width, 690)
        QApplication.processEvents()
        hazards = page.side.hazards
        seen = hazards.viewport().rect()
        boxes = [hazards.visualItemRect(hazards.item(row)) for row in range(hazards.count())]
        shown = [box for box in boxes if box.intersects(seen)]
        assert len(boxes) > 1
        assert shown
        assert all(seen.contains(box) for box in shown)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("sum = 0, t = 0", ["sum = 0,", "t = 0"]),
        ("element 126, byte address A + 504", ["element 126, byte", "address A + 504"]),
    ],
)
def test_no_line_of_the_facts_begins_with_a_value(text: str, lines: list[str]) -> None:
    kept = unbroken(text)
    assert kept.replace("\u00a0", " ") == text
    assert wrap(kept, max(map(len, lines)), break_on_hyphens=False) == [unbroken(line) for line in lines]


def test_lines_of_facts_are_broken_where_they_can_be_read() -> None:
    assert unbroken("value = x[32] = 2") == "value = x[32]\u00a0=\u00a02"
    # A long argument may begin a line.
    assert unbroken("sum = 0 · expf(-3.402823e+38 - 0)") == "sum\u00a0=\u00a00 · expf(\u200b-3.402823e+38 - 0)"
    assert "\u200b" not in unbroken("expf(0 - 2), A[k * N + (col)]")
    # No line ends within an operator.
    assert unbroken("k++ and --n") == "k+\u2060+ and -\u2060-n"


def test_no_text_of_a_thread_card_is_cut_beside_a_lesson(open_page: OpenPage) -> None:
    page = open_page(find_kernel("softmax_online"), size=Size(2, 64, 1), block=Dim3(32))
    page.resize(1060, 700)
    page.panes.show_only({"code", "thread"})
    page._hover(Focus.on_thread(0))
    for position in range(16):
        page.timeline.go(position)
        QApplication.processEvents()
        assert page.inspector.area.horizontalScrollBar().maximum() == 0


def test_every_statement_is_shown_on_request_and_another_device_starts_no_run(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.timeline.go(4)
    before, step = len(page.frames), page.frames[4]
    page.stage_bar.set_every_statement(True)
    assert len(page.frames) > before
    assert page.frames[page.timeline.position] == step  # it stays where it was
    # Another device does not start again.
    from kernels.device import devices

    page = open_page(kernel("matmul_tiled"))
    page.timeline.go(5)
    page._session.select(device=devices()[-1])
    assert not page.busy
    assert page.timeline.position == 5


def test_hazards_are_listed_in_full_and_lead_to_their_step(open_page: OpenPage, wild: Kernel) -> None:
    page = open_page(wild)
    assert page.side.badge.isVisible()
    assert page.side.hazards.count() >= 2  # the read of A and the write of C
    assert page.story is not None
    hazard = page.story.stage.trace.hazards[0]
    page.side.hazards.itemClicked.emit(page.side.hazards.item(0))
    assert page.scene is not None
    assert page.scene.step == hazard.step
    assert page.scene.block_index == hazard.accesses[-1].block
    assert page.scene.threads.hazard.any()
    # No hazards no list.
    page = open_page(kernel("matmul_tiled"))
    assert not page.side.badge.isVisible()
    assert not page.side.hazards.isVisible()


def cell_centre(page: ExplorePage, number: int, row: int, column: int) -> QPoint:
    assert page.scene is not None
    layout = arrange(page.scene, page.canvas.width(), page.canvas.height(), page.canvas.text_line)
    cell = layout.rasters[number].rect(row, column)
    return QPoint(int(cell.x + cell.width / 2), int(cell.y + cell.height / 2))


def test_pointing_at_threads_elements_and_lines_lights_up_what_belongs_to_them(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_naive"))
    QTest.mouseMove(page.canvas, cell_centre(page, 2, 1, 1))
    assert page.scene is not None
    assert page.scene.focus == Focus.on_thread(3)
    assert [c.focus.sum() for c in page.scene.cells] == [1, 1, 0]
    assert page.scene.focus_lines == (page.scene.line,)
    assert "Thread (1,1) of Block (0,0)" in page.inspector.text.text()
    # Pointing at an element lights up threads.
    QTest.mouseMove(page.canvas, cell_centre(page, 0, 1, 0))  # A[1][0], read by both threads of row 1
    assert page.scene is not None
    assert page.scene.threads.focus.tolist() == [False, False, True, True]
    assert "accessed 4 times" in page.inspector.text.text()
    # Pointing at a line lights up threads and elements.
    store = next(s for s in page.story.stage.trace.statements if s.text.startswith("C["))  # type: ignore[union-attr]
    page.code.hover_changed.emit(store.span.line)
    assert page.scene is not None
    assert page.scene.threads.focus.all()
    assert page.scene.cells[2].focus.sum() == 4
    page.code.hover_changed.emit(0)
    assert page.scene.focus == NOTHING


def test_clicks_follow_a_thread_and_jump_to_another_block(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    step = page.frames[5].step
    page.timeline.go(5)
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, Modifier.NoModifier, cell_centre(page, 2, 2, 2))
    assert page.scene is not None
    assert (page.scene.block, page.scene.step) == (3, step)
    # A clicked thread is followed into other blocks.
    page.timeline.go(0)
    page.canvas.clicked.emit(Focus.on_thread(1))
    page.show_block(2)
    assert page.scene is not None
    assert page.scene.focus == Focus.on_thread(2 * 4 + 1)


def test_an_edited_kernel_keeps_the_place(open_page: OpenPage, qtbot: QtBot, wild: Kernel) -> None:
    page = open_page(wild)
    page.timeline.go(3)
    frame = page.frames[3]
    file = wild.file
    assert file is not None
    file.write_text(file.read_text(encoding="utf-8").replace("A[row", "2.0f * A[row"), encoding="utf-8")
    page._session.reread(read_kernel(file))
    qtbot.waitUntil(lambda: not page.busy)
    assert "2.0f" in page.code.toPlainText()
    assert page.frames[page.timeline.position] == frame


def a_choice(steps: int = 0, *, moving: bool = False) -> Choice:
    return Choice(DARK, QSize(1280, 720), tuple(range(steps)), moving)


def test_pictures_films_and_pages_are_written(open_page: OpenPage, qtbot: QtBot, tmp_path: Path) -> None:
    page = open_page(kernel("matmul_tiled"), size=Size.parse("2"))
    for name in ("step.png", "step.svg"):
        with qtbot.waitSignal(page.export.work.finished):
            page.export.write_picture(tmp_path / name, a_choice())
    with qtbot.waitSignal(page.export.work.finished):
        page.export.write_film(tmp_path / "film.gif", a_choice(2, moving=True))
    assert "Film of 2 steps written" in page.caption.whole
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == (1280, 720)
        assert getattr(film, "n_frames", 1) == 2 + 4  # four pictures of the motion between them
    with qtbot.waitSignal(page.export.work.finished):
        page.export.write_page(tmp_path / "run.html")
    assert f"Web page of {len(page.frames)} steps written" in page.caption.whole
    for name in ("step.png", "step.svg", "run.html"):
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("what", ["write_picture", "write_film", "write_page", "write_trace"])
def test_a_file_that_cannot_be_written_is_one_line_and_nothing_is_painted_for_it(
    open_page: OpenPage, qtbot: QtBot, tmp_path: Path, what: str
) -> None:
    page = open_page(kernel("matmul_tiled"), new=True)
    (tmp_path / "folder.gif").mkdir()
    for file in (tmp_path / "missing" / "a.gif", tmp_path / "folder.gif"):
        more = (a_choice(3),) if what in ("write_film", "write_picture") else ()
        with qtbot.waitSignal(page.export.work.failed):
            getattr(page.export, what)(file, *more)
        assert page.caption.whole.startswith(f"{file}: cannot be written: ")
        assert "\n" not in page.caption.whole
        assert page.export._frame_number == 0


@pytest.mark.parametrize("what", ["film", "web page"])
def test_a_film_tells_how_far_it_is_and_can_be_stopped(
    open_page: OpenPage, qtbot: QtBot, tmp_path: Path, what: str
) -> None:
    page = open_page(kernel("matmul_tiled"))
    button, menu = page.run_bar.writing, page.export
    told: list[str] = []
    menu.progress_changed.connect(lambda doing, left: told.append(f"{doing}, {left}"))
    if what == "film":
        menu.write_film(tmp_path / "film.gif", a_choice(52, moving=True))
    else:
        menu.write_page(tmp_path / "run.html")
    assert button.text() == f"{what.capitalize()}: 0%"
    assert [action.text() for action in menu.actions() if action.isVisible()] == [f"Cancel {what}"]
    qtbot.waitUntil(lambda: len(told) > 2)
    assert all(line.endswith("left; click to cancel") for line in told)
    menu.cancel()
    assert page.caption.whole == f"The {what} was cancelled; no file was written"
    assert not button.isVisible()
    menu.stop()
    assert not list(tmp_path.iterdir())


def test_themes(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    page.set_theme(DARK)
    corner = page.canvas.grab().toImage().pixelColor(1, 1).name()
    assert corner == DARK.panel


def test_closing_while_tracing_leaves_nothing(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"), wait=False, size=Size(64, 64, 64), block=Dim3(8, 8))
    page.close()
    assert not page.busy


def test_a_source_that_cannot_be_read_is_shown_where_it_is_wrong(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    text = kernel("matmul_tiled").text
    file.write_text(text.replace("float sum = 0.0f;", "float sum = goto;"), encoding="utf-8")
    page = open_page(read_kernel(file))
    assert page.code.executing_line == 1 + text[: text.index("float sum")].count("\n")
    assert page.story is None


def test_a_lesson_says_what_is_wrong_with_it(open_page: OpenPage) -> None:
    page = open_page(kernel("lesson_missing_guard"))
    assert page.lesson.isVisible()
    assert page.lesson.text() == f"⚠ Lesson, wrong on purpose: {kernel('lesson_missing_guard').flaw}"
    page._session.select(kernel=kernel("matmul_naive"))
    assert not page.lesson.isVisible()


def test_the_picture_is_of_the_code_that_the_selected_gpu_runs(
    open_page: OpenPage, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "mine.cu"
    text = kernel("matmul_naive").text
    body, footer = text.split("/* tilescope")
    file.write_text(f"{body}#if __CUDA_ARCH__ >= 900\n__device__ int newer;\n#endif\n/* tilescope{footer}", "utf-8")
    page = open_page(read_kernel(file))
    line = body.count("\n") + 2
    shown = page.story
    assert shown is not None
    assert line in listing(shown.stage.trace).skipped
    page._session.select(device=find_device("a10"))
    assert page.story is shown
    assert not page.busy
    with qtbot.waitSignal(page.ready):
        page._session.select(device=find_device("h200"))
    assert page.story is not None
    assert str(page.story.stage.trace.architecture) == "sm_90a"
    assert line not in listing(page.story.stage.trace).skipped
    assert not page.side.other_code.isVisible()


def test_the_page_says_where_the_selected_gpu_runs_other_lines_than_a_recording(
    open_page: OpenPage, tmp_path: Path, qtbot: QtBot
) -> None:
    source = "#if __CUDA_ARCH__ >= 900\n__device__ int newer;\n#endif\n__global__ void f(int *p) { p[0] = 1; }\n"
    trace = trace_source(source, "a.cu", None, Launch(Dim3(1), Dim3(1)), {"p": np.zeros(1, np.int32)})
    save(trace, tmp_path / "a.trace")
    page = open_page(kernel("matmul_naive"))
    with qtbot.waitSignal(page.ready):
        page._session.play(read_recording(tmp_path / "a.trace"))
    assert not page.side.other_code.isVisible()
    page._session.select(device=find_device("h200"))
    assert page.side.other_code.text() == "The picture is the code for sm_80; sm_90a compiles other lines (2)."
    assert page.side.other_code.isVisible()


@pytest.mark.parametrize(("choice", "axes"), [("row", ("x", "y")), ("column", ("y", "x"))])
def test_the_listing_and_the_captions_show_the_code_of_the_chosen_option(
    open_page: OpenPage, choice: str, axes: tuple[str, str]
) -> None:
    page = open_page(kernel("mmt_naive").choose(x=choice))
    file = kernel("mmt_naive").text.split("\n")
    shown = page.code.toPlainText().split("\n")
    assert shown[15:18] == [
        "{",
        *(f"    int {v} = blockIdx.{a} * blockDim.{a} + threadIdx.{a};" for v, a in zip("ij", axes, strict=True)),
    ]
    assert shown[:16] == file[:16]  # line numbers are those of the file
    page.stage_bar.set_every_statement(True)
    page.timeline.first()
    assert page.caption.whole.startswith(f"Block (0,0): each thread sets i = blockIdx.{axes[0]} * blockDim.{axes[0]}")
    marks = page.code.extraSelections()
    assert marks[-1].cursor.selectedText() == shown[16].strip()


def test_the_listing_waits_for_its_picture_with_the_option_expanded(open_page: OpenPage) -> None:
    page = open_page(kernel("mmt_naive"), wait=False)
    page.wait("Running", page._source())
    assert "threadIdx.ROW" not in page.code.toPlainText()


def test_lines_of_the_other_option_are_dimmed(open_page: OpenPage) -> None:
    page = open_page(kernel("mmt_naive"))
    list(page.code._colours())
    colours = []
    for line in (8, 11):  # #define ROW y, which the preprocessor left out, and #define ROW x
        cursor = QTextCursor(page.code.document().findBlockByNumber(line - 1))
        cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.MoveAnchor, 9)
        colours.append(cursor.charFormat().foreground().color())
    assert page.theme.panel != colours[0].name() != colours[1].name()


@pytest.mark.parametrize("name", ["cpu_sequential", "cpu_parallel"])
def test_a_cpu_kernel_is_listed_as_c(open_page: OpenPage, name: str) -> None:
    page = open_page(kernel(name))
    shown = page.code.toPlainText()
    for word in ("__global__", "threadIdx", "blockDim", "thread"):
        assert word not in shown.replace("omp_get_thread_num", "").replace("omp_get_num_threads", "")


def test_a_kernel_opens_in_its_own_order_of_warps(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("lesson_missing_barrier"))
    assert page.stage_bar.schedule == "warps"
    with qtbot.waitSignal(page.ready):
        choose_order(page, "lockstep")
    assert page.story is not None
    assert page.story.stage.trace.schedule == "lockstep"
    with qtbot.waitSignal(page.ready):
        page._session.select(kernel=kernel("lesson_missing_second_barrier"))
    assert page.story.stage.trace.schedule == "reversed"


def test_a_cpu_kernel_has_workers_and_no_blocks(open_page: OpenPage) -> None:
    page = open_page(kernel("cpu_parallel"))
    assert page.caption.whole == "col = 0, k = 0: each worker adds A[row][0] · B[0][0] to sum"
    assert "Worker 0" in page.inspector.text.text()
    assert not page.timeline.blocks.menuAction().isVisible()
    assert not any(action.isVisible() for action in page.stage_bar._orders.actions())


def test_another_order_of_warps_and_blocks_prints_in_another_order(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("hello_grid"))
    printed = set()
    for choice in ("lockstep", "reversed", "shuffle:1"):
        with qtbot.waitSignal(page.ready):
            choose_order(page, choice)
        assert page.story is not None
        lines = page.story.stage.trace.printf
        assert len(lines) == 16
        printed.add(lines)
    assert len(printed) > 1


def test_a_single_constant_is_a_variable_and_no_step(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled_dynamic"))
    assert "BLOCK_SIZE = 2" in page.inspector.text.text().replace("\u00a0", " ")
    assert "BLOCK_SIZE[0]" not in page.inspector.text.text()
    assert "copy A[0..1][0..1]" in page.caption.whole


def test_the_facts_are_read_in_full_or_scrolled(open_page: OpenPage) -> None:
    page = open_page(kernel("matmul_tiled"))
    for width, height in [(1256, 690), (1900, 990), (1000, 600)]:
        page.resize(width, height)
        facts = page.inspector
        for position in range(0, len(page.frames), 8):
            page.timeline.go(position)
            QApplication.processEvents()
            beyond = facts.text.height() - facts.area.viewport().height()
            assert facts.text.height() >= facts.text.heightForWidth(facts.text.width())
            assert facts.area.verticalScrollBar().maximum() == max(0, beyond)
            assert height < 690 or not beyond  # at the usual size there is room


def test_a_block_that_takes_turns_is_listed_once_and_leads_to_its_frames(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "turns.cu"
    file.write_text(TAKES_TURNS, encoding="utf-8")
    page = open_page(read_kernel(file))
    blocks = [frame.block for frame in page.frames]
    assert sum(a != b for a, b in pairwise(blocks)) > 1
    page.timeline.blocks.aboutToShow.emit()
    assert [action.text() for action in page.timeline.blocks.actions()] == ["Block 0", "Block 1"]
    for position, block in enumerate(blocks):
        page.timeline.go(position)
        assert page.timeline.block == block
    page.timeline.go(0)
    page.timeline.block_chosen.emit(1)
    assert page.frames[page.position].block == 1


def test_without_a_picture_nothing_that_acts_on_it_is_enabled(open_page: OpenPage, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    controls = (page.stage_bar, page.inspector.pin, page.compare_button, page.timeline)
    assert all(control.isEnabled() for control in controls)
    page._session.select(size=Size(128, 128, 128))
    assert page.story is None
    assert not any(control.isEnabled() for control in controls)
    with qtbot.waitSignal(page.ready):
        page._session.select(size=Size(4, 4, 4))
    assert all(control.isEnabled() for control in controls)
