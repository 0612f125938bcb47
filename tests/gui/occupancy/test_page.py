from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.occupancy import page as open_file
from gui.occupancy import page as page_module
from gui.occupancy.occupancy_plot import OccupancyPlot
from gui.occupancy.page import OccupancyPage
from gui.selection.session import Selection, Session
from gui.selection.unread_source import UnreadSource
from gui.theming.theme import DARK, LIGHT
from kernels.catalog import find_kernel, read_kernel
from kernels.custom_launch.model import CustomLaunch
from kernels.device import find_device
from kernels.errors import InputError
from kernels.launch import Dim3
from kernels.workload import Size

Open = Callable[..., OccupancyPage]


SIXTEEN = Dim3(16, 16)


NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def open_page(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Show the page for a kernel, block and device; nothing is compiled."""
    monkeypatch.setattr(page_module, "has_cupy", lambda: False)

    def build(kernel: str = "matmul_tiled", block: Dim3 = SIXTEEN, device: str = "V100") -> OccupancyPage:
        chosen = find_kernel(kernel)
        session = Session(Selection(chosen, chosen.size, block, find_device(device)))
        page = OccupancyPage(session)
        session.setParent(page)
        qtbot.addWidget(page)
        page.resize(1280, 700)
        page.show()
        return page

    return build


def session_of(page: OccupancyPage) -> Session:
    session = page.findChild(Session)
    assert isinstance(session, Session)
    return session


def click(plot: OccupancyPlot, value: object) -> None:
    """Click the mark of a value."""
    mark = next(mark for mark in plot.marks if mark.value == value)
    scene = plot.getPlotItem().vb.mapViewToScene(QPointF(mark.x, 100 * mark.occupancy.fraction))
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, NONE, plot.mapFromScene(scene))


def test_figures_resources_and_waves_of_the_selection(open_page: Open) -> None:
    head = open_page().headline
    shown = [figure.value.text() for figure in (head.blocks, head.warps, head.share)]
    assert shown == ["6", "48/64", "75 %"]
    assert head.limits.text().startswith("Registers limit residency: each block needs 10,240")
    assert "at most 32 registers" in head.remedy.text()
    assert "shipped with tilescope" in head.origin.whole
    # The picture shows every resource and marks the limit.
    bars = {bar.title: bar for bar in open_page().picture.bars}
    assert list(bars) == ["Warp slots", "Block slots", "Registers", "Shared memory"]
    assert {bar.blocks for bar in bars.values()} == {6}
    assert [title for title, bar in bars.items() if bar.limits] == ["Registers"]
    assert bars["Registers"].words == "4,096 left; a block needs 10,240"
    assert bars["Registers"].short_words == "4,096 left"
    assert bars["Warp slots"].words == "48 of 64"
    # Both themes can be drawn.
    page = open_page()
    for theme in (DARK, LIGHT):
        page.set_theme(theme)
        corner = page.tabs.blocks.plot.grab().toImage().pixelColor(3, 3)
        assert corner.name() == theme.panel
    # Formula and waves are those of the selection.
    page = open_page()
    session_of(page).select(size=Size(256, 256, 256))
    assert "min(8, 6, 48, 32)" in page.tabs.derivation.toPlainText()
    assert list(page.tabs.waves.picture.counts) == [256]
    session_of(page).select(size=Size(512, 512, 512))
    assert list(page.tabs.waves.picture.counts) == [480, 480, 64]
    assert "3 waves" in page.tabs.waves.words.text()


def test_the_page_follows_the_session(open_page: Open) -> None:
    page = open_page()
    session_of(page).select(device=find_device("T4"))
    assert page.headline.share.value.text() == "100 %"
    assert "T4" in page.caption.text()
    session_of(page).select(kernel=find_kernel("matmul_naive"), block=Dim3(32, 1))
    assert [mark.value for mark in page.tabs.blocks.plot.marks][:2] == [Dim3(32, 1), Dim3(32, 2)]


def test_a_hidden_page_catches_up_when_it_is_shown(open_page: Open) -> None:
    page = open_page()
    page.hide()
    session_of(page).select(device=find_device("T4"))
    assert "V100" in page.caption.text()
    page.show()
    assert "T4" in page.caption.text()


def test_a_click_on_the_curve_selects_that_block(open_page: Open) -> None:
    page = open_page()
    click(page.tabs.blocks.plot, Dim3(24, 24))
    assert session_of(page).selection.block == Dim3(24, 24)
    assert "24×24" in page.caption.text()


@pytest.mark.parametrize(
    ("key", "start", "end"),
    [
        (Qt.Key.Key_Right, 16, 17),
        (Qt.Key.Key_Left, 16, 15),
        (Qt.Key.Key_Left, 1, 1),
        (Qt.Key.Key_Right, 32, 32),
    ],
)
def test_arrow_keys_walk_along_the_curve(open_page: Open, key: Qt.Key, start: int, end: int) -> None:
    page = open_page(block=Dim3(start, start))
    QTest.keyClick(page.tabs.blocks.plot, key)
    assert session_of(page).selection.block == Dim3(end, end)


@pytest.mark.parametrize(("kernel", "said"), [("cpu_blas", "runs on the CPU"), ("cublas_sgemm", "library routine")])
def test_a_kernel_without_blocks_shows_one_line(open_page: Open, kernel: str, said: str) -> None:
    page = open_page(kernel)
    assert page.placeholder.isVisible()
    assert said in page.placeholder.text()
    session_of(page).select(kernel=find_kernel("matmul_tiled"))
    assert not page.placeholder.isVisible()
    assert page.headline.isVisible()


def test_kernels_of_ones_own_need_a_compiler_and_say_so(open_page: Open, own_kernel: Path, tmp_path: Path) -> None:
    page = open_page()
    session_of(page).select(kernel=read_kernel(own_kernel))
    assert page.placeholder.isVisible()
    assert "ships no register counts" in page.placeholder.text()
    session_of(page).select(kernel=find_kernel("matmul_tiled"))
    assert page.headline.isVisible()
    # A kernel of ones own needs a compiler and says so.
    own = tmp_path / "own.cu"
    own.write_text(find_kernel("matmul_naive").text.replace("matmul_naive", "own"), encoding="utf-8")
    page = open_page()
    session_of(page).open(read_kernel(own))
    assert "install NVRTC" in page.headline.limits.text()
    # A kernel whose file is gone has its numbers at another size.
    own = tmp_path / "matmul_naive.cu"
    own.write_text(find_kernel("matmul_naive").text, encoding="utf-8")
    session_of(page).open(read_kernel(own))
    own.unlink()
    session_of(page).select(size=Size(64, 64, 64))
    assert page.headline.share.isVisible()


def test_an_illegal_block_and_an_uneven_quarter_are_explained(open_page: Open) -> None:
    page = open_page(block=Dim3(16, 8))
    assert "choose a block with equal sides" in page.headline.limits.text()
    assert page.picture.bars == ()
    assert len(page.tabs.blocks.plot.marks) == 32
    session_of(page).select(block=Dim3(16, 16))
    assert page.headline.share.isVisible()
    # Registers that no quarter can use are explained.
    bars = {bar.title: bar for bar in open_page(block=Dim3(8, 8)).picture.bars}
    assert bars["Registers"].words == "4,096 left, 1,024 in each quarter of the SM"


def test_numbers_of_a_child_process_take_the_place_of_the_shipped_ones(
    open_page: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "has_cupy", lambda: True)
    page = open_page(device="T4")
    assert page.headline.share.value.text() == "100 %"  # at once
    assert "Compiling" in page.headline.status.text()
    qtbot.waitUntil(lambda: not page.headline.status.isVisible(), timeout=60_000)
    assert page.headline.share.value.text() == "100 %"
    session_of(page).select(block=Dim3(8, 8))  # on the curve: known already
    assert not page.headline.status.isVisible()


def test_a_child_process_that_fails_leaves_the_shipped_numbers(
    open_page: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "has_cupy", lambda: True)
    page = open_page(block=Dim3(16, 8))
    qtbot.waitUntil(lambda: "Not compiled here" in page.headline.status.text(), timeout=60_000)
    assert "equal sides" in page.headline.status.text()


def test_closing_the_page_ends_its_process(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "has_cupy", lambda: True)
    open_page().close()  # the fixture of every test looks for processes left behind


def test_a_kernel_that_leaves_its_block_to_occupancy_shows_how_and_takes_it(open_page: Open) -> None:
    page = open_page("matmul_tiled_dynamic", Dim3(2, 2), "H200")
    assert page.suggested.isVisible()
    assert "4^floor(log4" in page.suggested.lines.text()
    page.suggested.button.click()
    assert session_of(page).selection.block == Dim3(32, 32)
    assert not page.suggested.button.isEnabled()
    # Other kernels have no such choice.
    assert not open_page("matmul_tiled").suggested.isVisible()


def test_the_legend_is_read_in_full(open_page: Open) -> None:
    page = open_page("lesson_missing_barrier", Dim3(8, 8), "T4")
    for width in [1900, 1280, 960, 800]:
        page.resize(width, 600)
        page.grab()
        plot = page.tabs.blocks.plot
        room = plot.getPlotItem().vb.sceneBoundingRect()
        for _, label in plot._legend.items:
            assert room.contains(label.sceneBoundingRect())


def test_a_click_in_the_chart_of_registers_assumes_them(open_page: Open) -> None:
    page = open_page()
    page.tabs.setCurrentWidget(page.tabs.registers)
    chart = page.tabs.registers
    assert chart.plot.chosen is not None
    assert chart.plot.chosen.x == 39
    assert "Limited by registers: ⌈39 × 32⌉ to 256 = 1,280" in chart.words.text()
    click(chart.plot, 32)
    assert page.what_if.registers.value() == 32
    assert page.headline.blocks.value.text() == "8"
    assert "As compiled: 6\N{NO-BREAK SPACE}blocks" in page.what_if.words.whole
    assert "partly assumed" in page.headline.origin.whole
    QTest.keyClick(chart.plot, Qt.Key.Key_Right)
    assert page.headline.blocks.value.text() == "6"
    page.what_if.reset.click()
    assert not page.what_if.words.isVisible()
    assert "partly assumed" not in page.headline.origin.whole


def test_shared_memory_and_launch_bounds_are_assumed_until_another_kernel(open_page: Open) -> None:
    page = open_page()
    assert {box.text() for box in (page.what_if.registers, page.what_if.min_blocks, page.what_if.shared_bytes)} == {
        "as compiled"
    }
    page.what_if.min_blocks.setValue(8)
    assert page.headline.blocks.value.text() == "8"
    page.tabs.setCurrentWidget(page.tabs.shared)
    click(page.tabs.shared.plot, 96 * 1024)
    assert page.headline.blocks.value.text() == "1"
    session_of(page).select(device=find_device("T4"))  # which has 64 KiB
    assert "needs 98,304 bytes of shared memory, the device allows 65,536" in page.headline.limits.text()
    session_of(page).select(kernel=find_kernel("matmul_naive"))
    assert not page.what_if.reset.isEnabled()


def test_an_open_file_that_cannot_be_shown_says_what_is_missing(open_page: Open, tmp_path: Path) -> None:
    page = open_page("matmul_naive")
    session = session_of(page)
    assert not page.open_file.isVisible()
    session.play(CustomLaunch(tmp_path / "mine.cu", "", "mine", "4", "64", ()))
    words = page.open_file.text()
    assert words.startswith("“mine.cu”, mine<<<4, 64>>>: occupancy needs a description")
    assert "NVRTC to count its registers" in words
    assert words.endswith(f"Below: {session.selection.kernel.title}.")
    assert page.open_file.isVisible()
    session.play(UnreadSource(tmp_path / "mine.cu", "", InputError("no kernel")))
    assert page.open_file.text().startswith("“mine.cu” cannot be read")
    session.select(kernel=find_kernel("matmul_tiled"))
    assert not page.open_file.isVisible()


def test_an_open_file_needs_no_compiler_where_there_is_one(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page()
    monkeypatch.setattr(open_file, "has_cupy", lambda: True)
    session_of(page).play(CustomLaunch(tmp_path / "mine.cu", "", "mine", "4", "64", ()))
    assert "NVRTC" not in page.open_file.text()
