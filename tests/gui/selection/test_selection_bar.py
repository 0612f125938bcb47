"""Options of a kernel, and lessons, in the row of fields and in what the window remembers."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.selection.kernel_browser import PICTURES
from gui.selection.kernel_list import LESSONS, grouped, heading
from gui.selection.launch_check import size_labels
from gui.selection.selection_bar import BY_OCCUPANCY
from gui.shell.main_window import MainWindow
from gui.shell.settings import Settings
from kernels.catalog import catalog, find_kernel, read_kernel
from kernels.device import find_device
from kernels.launch import Dim3
from kernels.workload import Size
from tests.generated import skip_missing


def pick(window: MainWindow, option: str, word: str) -> None:
    box = window.bar.options.boxes[option]
    box.setCurrentText(word)
    box.textActivated.emit(word)


def listed(window: MainWindow) -> list[str]:
    return [window.bar.kernel.itemText(row) for row in range(window.bar.kernel.count())]


def test_options_are_offered_kept_and_remembered(
    window: MainWindow, own_kernel: Path, kernel_with_options: Path
) -> None:
    window.show()
    window.open_file(own_kernel)
    assert not window.bar.options.isVisible()
    # Options are offered and choosing one keeps size and block.
    window.open_file(kernel_with_options)
    window.session.select(size=Size(9, 8, 7), block=Dim3(8, 8))
    assert window.bar.options.isVisible()
    assert list(window.bar.options.boxes) == ["x", "unroll"]
    pick(window, "x", "column")
    pick(window, "unroll", "four")
    chosen = window.session.selection
    assert chosen.kernel.id == "turned:x=column,unroll=four"
    assert (chosen.size, chosen.block) == (Size(9, 8, 7), Dim3(8, 8))
    assert window.bar.kernel.currentText() == "Turned"
    pick(window, "x", "row")
    assert window.session.selection.kernel.id == "turned:unroll=four"


def test_a_variant_is_remembered_and_listed_once(qtbot: QtBot, window: MainWindow, kernel_with_options: Path) -> None:
    window.open_file(kernel_with_options)
    pick(window, "x", "column")
    window._settings.flush()
    again = MainWindow(Settings())
    qtbot.addWidget(again)
    assert again.session.selection == window.session.selection
    assert again.bar.options.boxes["x"].currentText() == "column"
    assert listed(again).count("Turned") == 1


def test_an_edit_keeps_the_options_that_are_still_there(
    qtbot: QtBot, window: MainWindow, kernel_with_options: Path
) -> None:
    window.open_file(kernel_with_options)
    pick(window, "x", "column")
    pick(window, "unroll", "four")
    text = kernel_with_options.read_text("utf-8").replace("four =", "eight =")
    with qtbot.waitSignal(window.session.selection_changed, timeout=10_000):
        kernel_with_options.write_text(text, "utf-8")
    assert window.session.selection.kernel.id == "turned:x=column"


def test_a_lesson_is_called_one_and_stands_last(window: MainWindow, lesson: Path) -> None:
    window.open_file(lesson)
    assert window.bar.kernel.currentText() == "Lesson: Mine"
    assert LESSONS in listed(window)
    assert listed(window)[-1].startswith("Lesson: ")
    assert "Only the first column" in str(
        window.bar.kernel.itemData(window.bar.kernel.count() - 1, Qt.ItemDataRole.ToolTipRole)
    )


@pytest.mark.parametrize(
    ("block", "words"),
    [("5,5", "block 4×4 or 8×8"), ("100,100", "nearest that work: block")],
)
def test_a_refusal_names_the_nearest_blocks_that_work(window: MainWindow, block: str, words: str) -> None:
    kernel = find_kernel("matmul_tiled_exact")
    window.session.select(kernel=kernel, size=Size(64, 64, 64), block=Dim3(8, 8))
    field = window.bar.block.lineEdit()
    assert field is not None
    field.setText(block)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert words in window.notice.text
    assert kernel.id not in window.notice.text
    assert block == "100,100" or f"“{kernel.title}”" in window.notice.text
    assert window.session.selection.block == Dim3(8, 8)


def test_a_large_number_is_answered_with_the_nearest_in_its_field(window: MainWindow) -> None:
    for kernel, axis, words in [
        ("matmul_tiled_exact", "m", "nearest that work: size 131070×4×4"),
        ("matmul_tiled_exact", "k", ""),
        ("matmul_single_block", "n", "nearest that work: n = 4"),
        ("mmt_stripe", "n", "nearest that work: n = 2048"),
        ("index_map", "m", "size 131070×"),
    ]:
        chosen = find_kernel(kernel)
        window.session.select(kernel=chosen, size=chosen.size, block=chosen.block)
        field = window.bar.lengths.lineEdit()
        assert field is not None
        large = chosen.size._replace(**{axis: 100_000_000})
        field.setText("×".join(str(getattr(large, one)) for one in size_labels(chosen.workload)))
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert words in window.notice.text
        assert (getattr(window.session.selection.size, axis) == 100_000_000) == (not words)


@pytest.mark.parametrize("block", ["100000000", "1,100000000", "9" * 400])
def test_a_block_of_any_number_of_threads_is_answered(window: MainWindow, block: str) -> None:
    before = window.session.selection.block
    field = window.bar.block.lineEdit()
    assert field is not None
    field.setText(block)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.notice.text
    assert window.session.selection.block == before


def test_the_block_can_be_left_to_occupancy(window: MainWindow) -> None:
    kernel = find_kernel("matmul_tiled_dynamic")
    window.session.select(kernel=kernel, device=find_device("H200"))
    box = window.bar.block
    assert box.itemText(box.count() - 1) == BY_OCCUPANCY
    box.setCurrentIndex(box.count() - 1)
    box.activated.emit(box.count() - 1)
    assert window.session.selection.block == Dim3(32, 32)
    window.session.select(kernel=find_kernel("matmul_tiled"))
    assert BY_OCCUPANCY not in [box.itemText(row) for row in range(box.count())]


def test_groups_hold_every_kernel_once_in_teaching_order(lesson: Path) -> None:
    kernels = (*catalog(), read_kernel(lesson))
    groups = grouped(kernels)
    assert sorted(k.id for members in groups.values() for k in members) == sorted(k.id for k in kernels)
    assert list(groups)[-1] == LESSONS
    for title, members in groups.items():
        assert {heading(kernel) for kernel in members} == {title}
        assert [k.order for k in members] == sorted(k.order for k in members)


def test_the_browser_filters_every_kernel_and_is_used_by_keys(window: MainWindow) -> None:
    window.show()
    box = window.bar.kernel
    box.showPopup()
    browser = box.browser
    ids = {k.id for k in catalog() if k.file is not None}

    def left() -> set[str]:
        return {box.itemData(row, Qt.ItemDataRole.UserRole).id for row in browser.rows()}

    assert left() == ids
    QTest.keyClicks(browser.filter, "mmt strip")
    assert left() == {"mmt_stripe", "mmt_stripe_transposed"}
    browser.filter.setText("register")
    assert "matmul_registers_2d" in left()
    browser.filter.setText("no such kernel")
    assert not left()
    QTest.keyClick(browser.filter, Qt.Key.Key_Return)
    assert browser.isVisible()
    browser.hide()
    # Words that no kernel has are answered.
    window.bar.kernel.showPopup()
    browser = window.bar.kernel.browser
    assert browser.none.isHidden()
    QTest.keyClicks(browser.filter, "no such kernel")
    assert browser.none.isVisible()
    assert not browser.list.isVisible()
    QTest.keyClick(browser.filter, Qt.Key.Key_Return)
    assert browser.isVisible()
    browser.filter.clear()
    assert browser.list.isVisible()
    browser.hide()
    # A kernel is chosen in the browser by keys.
    QTest.keyClicks(box.browser.filter, "mmt_strip")
    QTest.keyClick(box.browser.filter, Qt.Key.Key_Down)
    QTest.keyClick(box.browser.filter, Qt.Key.Key_Return)
    assert window.session.selection.kernel.id == "mmt_stripe_transposed"
    assert not box.browser.isVisible()


def test_the_open_browser_follows_its_list_when_that_is_replaced(window: MainWindow, own_kernel: Path) -> None:
    window.show()
    box = window.bar.kernel
    box.showPopup()
    QTest.keyClicks(box.browser.filter, "mm")
    QTest.keyClick(box.browser.filter, Qt.Key.Key_Down)
    at = box.browser.list.currentIndex().data(Qt.ItemDataRole.UserRole).id
    window.session.add(read_kernel(own_kernel))
    assert box.browser.list.currentIndex().data(Qt.ItemDataRole.UserRole).id == at
    box.browser.filter.clear()
    QTest.keyClicks(box.browser.filter, "mine")
    assert [box.itemData(row, Qt.ItemDataRole.UserRole).file for row in box.browser.rows()] == [own_kernel]
    QTest.keyClick(box.browser.filter, Qt.Key.Key_Return)
    assert window.session.selection.kernel.file == own_kernel


def test_every_picture_is_of_a_kernel() -> None:
    assert {file.stem for file in PICTURES.glob("*.png")} <= {k.id for k in catalog() if k.file is not None}


@pytest.mark.parametrize("kernel", [k.id for k in catalog() if k.file is not None])
def test_a_kernel_has_a_picture_of_its_own(kernel: str) -> None:
    if not (PICTURES / f"{kernel}.png").exists():
        skip_missing("picture", kernel)
