"""The memory row and the gutter's counts as the page shows them."""

from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidgetAction
from pytestqt.qtbot import QtBot

from gui.explore.code.code import CodeView
from gui.explore.code.gutter import COLUMNS, short
from gui.explore.memory.paint_memory import tip_at
from gui.explore.memory.panel import MemoryPanel
from gui.explore.memory.row import WORDS, Card, MemoryRow, build_memory_row, cards_of
from gui.explore.packing.boxes import Box
from gui.explore.packing.warp_layout import arrange_cards, fan_of
from gui.explore.page import ExplorePage
from gui.explore.stage.focus import Focus
from gui.explore.stage.stage import Stage
from gui.theming.theme import DARK, LIGHT
from kernels.analysis import Frame
from kernels.frontend.listing import Listing
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.explore.conftest import kernel, stage, step_on
from tests.gui.explore.painted_texts import card_findings
from tests.kernels.analysis.traces import source

Open = Callable[..., ExplorePage]


LARGE = {"size": Size(32, 32, 32), "block": Dim3(32, 32)}


RUNS, SECTORS, WAVEFRONTS = COLUMNS


NAMES = ("matmul_naive", "matmul_naive_row_x", "matmul_tiled_transposed", "matmul_tiled_padded")


def go_to(page: ExplorePage, text: str, nth: int = 0) -> None:
    assert page.story is not None
    trace = page.story.stage.trace
    found = [at for at, frame in enumerate(page.frames) if trace.statement(frame.step).text.startswith(text)]
    page.timeline.go(found[nth])


def picture(page: ExplorePage) -> QImage:
    return page.memory.cards.grab().toImage()


def counts_at(page: ExplorePage, text: str) -> dict[str, tuple[str, bool]]:
    go_to(page, text)
    return {column.heading: page.code.gutter.text_of(column, page.code.executing_line) for column in COLUMNS}


def row_of(name: str, text: str, lane: int | None = None, nth: int = 0) -> MemoryRow:
    found = stage(name, "32", "32,32")
    focus = Focus() if lane is None else Focus.on_thread(lane)
    row = build_memory_row(found, Frame(0, step_on(found, text, nth=nth)), focus)
    assert row is not None
    return row


def cards(name: str, text: str) -> dict[str, Card]:
    return {card.access.name: card for card in cards_of(row_of(name, text).accesses)}


def test_the_two_naive_kernels_differ_in_picture_gutter_and_totals(open_page: Open) -> None:
    seen = {}
    for name in ("matmul_naive", "matmul_naive_row_x"):
        page = open_page(kernel(name), **LARGE)
        counts = counts_at(page, "sum +=")
        seen[name] = picture(page), counts[SECTORS.heading], page.memory.totals.everything
        assert counts[RUNS.heading] == ("32", False)
    near, far = seen.values()
    assert near[0].size() == far[0].size()
    assert near[0] != far[0]
    assert (near[1], far[1]) == (("160", False), ("1056/160", True))
    assert "64 loads, 160 sectors" in near[2]
    assert "64 loads, 1,056 sectors" in far[2]
    # A line has its counts in words.
    page = open_page(kernel("matmul_naive_row_x"), **LARGE)
    go_to(page, "sum +=")
    assert page.code.accessibleDescription() == (
        "Line 15, so far: executed by 32 warps; 1,056 sectors, ideal 160.\n"
        "In the whole run: executed by 1,024 warps; 33,792 sectors, ideal 5,120."
    )


def test_a_bank_conflict_and_its_padded_twin_differ(open_page: Open) -> None:
    seen = {}
    for name in ("matmul_tiled_transposed", "matmul_tiled_padded"):
        page = open_page(kernel(name), **LARGE)
        counts = counts_at(page, "sum +=")
        seen[name] = picture(page), counts[WAVEFRONTS.heading], [card.notes[0] for card in page.memory.cards.shown]
    conflict, padded = seen.values()
    assert conflict[0] != padded[0]
    assert (conflict[1], padded[1]) == (("1056/64", True), ("64", False))
    assert conflict[2][1] == "32-way bank conflict, bank 0: lanes 0…31"
    assert padded[2][1].startswith("no conflict")
    broadcast = "no conflict: 32 lanes share one word of bank 0 (broadcast)"
    assert conflict[2][0] == padded[2][0] == broadcast


def test_no_step_changes_the_height_of_the_picture(open_page: Open) -> None:
    page = open_page(kernel("matmul_tiled"))
    heights = set()
    for position in range(len(page.frames)):
        page.timeline.go(position)
        heights.add((page.canvas.height(), page.memory.height()))
        assert page.memory.isVisible()
    assert len(heights) == 1
    go_to(page, "__syncthreads")
    assert page.memory.cards.shown == ()
    assert "Warp 0 accesses no memory in this step." in page.memory.accessibleDescription()


def test_the_row_follows_the_thread_that_is_pointed_at(open_page: Open) -> None:
    page = open_page(kernel("matmul_naive"), **LARGE)
    go_to(page, "sum +=")
    assert page.memory.warp.text() == "Warp 0"
    before = picture(page)
    page.canvas.hover_changed.emit(Focus.on_thread(7 * 32 + 3))
    assert page.memory.warp.text() == "Warp 7"
    assert picture(page) != before
    assert "load A: 32 lanes → 1 sector" in page.memory.accessibleDescription()


def test_row_and_totals_are_shown_each_on_demand(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(kernel("matmul_tiled"))
    panel, high = page.memory, page.canvas.height()
    page.panes.buttons["memory"].click()
    qtbot.waitUntil(lambda: page.canvas.height() > high)
    assert panel.totals.isVisible()
    assert not panel.area.isVisible()
    page._session.open(kernel("matmul_naive"))
    qtbot.waitUntil(lambda: not page.busy)
    assert "memory" not in page.panes.shown
    with qtbot.waitActive(page):
        page.activateWindow()
    page.setFocus()
    QTest.keyClick(page, Qt.Key.Key_R)
    assert panel.area.isVisible()
    QTest.keyClick(page, Qt.Key.Key_U)
    assert not panel.totals.isVisible()
    QTest.keyClick(page, Qt.Key.Key_W)
    assert panel.words.menu().isVisible()
    panel.words.menu().close()
    QTest.keyClick(page, Qt.Key.Key_R)
    assert not panel.isVisible()
    assert page.code.gutter.columns == ()


def test_runs_without_memory_accesses_have_no_row(open_page: Open) -> None:
    page = open_page(kernel("cpu_sequential"))
    assert not page.memory.isVisible()
    assert page.code.gutter.columns == ()
    # A run that accesses no memory has counts but no row.
    page = open_page(kernel("hello_grid"))
    assert not page.memory.isVisible()
    assert page.code.gutter.columns == (RUNS,)


def test_requests_that_cost_too_much_stand_out_and_are_explained(qtbot: QtBot) -> None:
    """A broadcast uses 4 of 32 bytes, and no other request would use more of them."""
    found = {(name, card.access.name): card.inefficient for name in NAMES for card in cards(name, "sum +=").values()}
    assert [place for place, inefficient in found.items() if inefficient] == [
        ("matmul_naive_row_x", "A"),
        ("matmul_tiled_transposed", "Bs"),
    ]
    # What is pointed at in a card is explained.
    box, line = Box(0, 0, 700, 110), 18.0
    fan = fan_of(box, line)
    below = fan.band + fan.depth / 2
    sectors = cards("matmul_naive_row_x", "sum +=")["A"]
    assert WORDS["Sector"] in tip_at(sectors, box, line, 5, 5)
    tip = tip_at(sectors, box, line, fan.left + 1, below)
    assert "bytes 0 to 31 of A, 1 lane accesses 4 of its 32 bytes" in tip
    assert "begins with A[0][0]" in tip
    banks = cards("matmul_tiled_transposed", "sum +=")
    assert tip_at(banks["Bs"], box, line, fan.lane_x(0), below) == "Bank 0: 32 lanes, 32 words, one after another"
    assert tip_at(banks["As"], box, line, fan.lane_x(0), below) == "Bank 0: 32 lanes, one word that they share"
    assert tip_at(banks["As"], box, line, fan.lane_x(4), below) == "Bank 4: not accessed"
    # Every word is explained by keyboard.
    panel = MemoryPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(760, 200)
    (action,) = panel.words.menu().actions()
    assert isinstance(action, QWidgetAction)
    text = action.defaultWidget()
    assert isinstance(text, QLabel)
    assert all(word in text.text() and sentence in text.text() for word, sentence in WORDS.items())
    # Counts are short.
    assert [short(n) for n in (0, 9999, 10_000, 33_792, 999_600, 1_200_000)] == [
        "0",
        "9999",
        "10k",
        "34k",
        "1M",
        "1.2M",
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("width", [300, 780, 1300])
def test_cards_do_not_overlap(count: int, width: int) -> None:
    found = [QRectF(box.x, box.y, box.width, box.height) for box in arrange_cards(count, width, 18.0)]
    assert len(found) == count
    assert all(QRectF(0, 0, width, 1e6).contains(rect) for rect in found)
    assert not any(a.intersects(b) for n, a in enumerate(found) for b in found[:n])


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_lane_in_focus_is_marked(qtbot: QtBot, theme) -> None:  # type: ignore[no-untyped-def]
    panel = MemoryPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(800, 200)
    pictures = []
    for lane in (3, 4):
        panel.show_row(row_of("matmul_naive", "sum +=", lane))
        pictures.append(panel.cards.grab().toImage())
    assert pictures[0] != pictures[1]


def test_code_is_indented_by_half_and_the_gutter_leaves_room_for_it(qtbot: QtBot) -> None:
    view = CodeView(LIGHT)
    qtbot.addWidget(view)
    view.show_listing(Listing(kernel("matmul_tiled_transposed").text))
    view.show_counts(row_of("matmul_tiled_transposed", "sum +=").gutter)
    view.show()
    shown, legible = [], 26 * QFontMetricsF(view.font()).horizontalAdvance("0")
    for width in range(700, 200, -10):
        view.resize(width, 400)
        shown.append(view.gutter.columns)
        assert view.viewport().width() >= int(legible) or not view.gutter.columns
        assert bool(view.gutter.columns) == bool(view.gutter.heading_height())
    assert list(dict.fromkeys(shown)) == [COLUMNS, COLUMNS[1:], (WAVEFRONTS,), (SECTORS,), ()]
    # Code is indented by half and keeps its text.
    qtbot.addWidget(view)
    text = "int main()\n{\n    return 0;\n}"
    view.show_listing(Listing(text))
    view.resize(600, 300)
    view.show()
    qtbot.waitUntil(lambda: not view._colour_soon.isActive())
    line = view.document().findBlockByNumber(2).layout().lineAt(0)
    begin, code, end = (cast("tuple[float, int]", line.cursorToX(at))[0] for at in (0, 4, 8))
    assert 2 * (code - begin) == pytest.approx(end - code, abs=1)
    assert view.toPlainText() == text


def test_accesses_without_a_picture_share_a_card() -> None:
    text = (
        "__constant__ float c[4]; __global__ void k(float *a)"
        "{ float x[2]; a[threadIdx.x] = 0; x[threadIdx.x % 2] = c[threadIdx.x % 4] + a[threadIdx.x]; }"
    )
    found = Stage(source(text, "1", "8", "a=f32[8]:zeros", "c=f32[4]:iota"), ())
    row = build_memory_row(found, Frame(0, step_on(found, "x[")))
    assert row is not None
    load, others = cards_of(row.accesses)
    assert load.title == "load a"
    assert sorted(others.words.split("; ")) == [
        "load c: 8 lanes → 1 request of constant memory",
        "store x: 8 lanes → per-thread array: registers or local memory",
    ]


def test_a_recording_of_a_gpu_has_a_row_and_counts() -> None:
    shown = stage("matmul_naive", "32", "32,32")
    frame = Frame(0, step_on(shown, "sum +="))
    recorded = build_memory_row(Stage(shown.trace, shown.panels, recorded_on="NVIDIA H200"), frame)
    row = build_memory_row(shown, frame)
    assert recorded is not None
    assert row is not None
    assert [card.words for card in cards_of(recorded.accesses)] == [card.words for card in cards_of(row.accesses)]
    assert recorded.gutter == row.gutter


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", [771, 1180])
def test_the_ways_of_a_bank_at_the_edge_stay_within_the_card(width: int) -> None:
    """With k = 6 the banks are 6, 14, 22 and 30, eight words each."""
    found = stage("mmt_stripe", "32", "8,8")
    row = build_memory_row(found, Frame(0, step_on(found, "sum +=", nth=6)), Focus())
    assert row is not None
    assert card_findings(row, LIGHT, width, 18) == []
