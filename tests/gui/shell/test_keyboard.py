"""The window without a mouse, and for a screen reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QGraphicsView,
    QLineEdit,
    QTextEdit,
    QWidget,
)

from gui.explore.page import ExplorePage
from gui.shell.pages import PAGES
from kernels.catalog import find_kernel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from gui.shell.main_window import MainWindow

OCCUPANCY = next(number for number, page in enumerate(PAGES) if "device" in page.fields)

CONTROLS = (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QAbstractItemView,
    QAbstractSlider,
    QTextEdit,
    QGraphicsView,
)


PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def spoken(widget: QWidget) -> str:
    """Return what a screen reader says."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_every_control_has_a_name(active: MainWindow, number: int) -> None:
    active.show_page(number)
    controls = [w for w in active.findChildren(QWidget) if isinstance(w, CONTROLS) and w.isVisible()]
    inner = ("qt_", "Scroll")  # parts that Qt makes of its own
    nameless = [w for w in controls if not spoken(w) and not w.objectName().startswith(inner)]
    assert not [w for w in nameless if not type(w).__name__.startswith(("QScrollBar", "QHeaderView"))]


def test_tab_goes_through_all_fields(active: MainWindow) -> None:
    active.show_page(OCCUPANCY)  # on which all fields act
    active.bar.kernel.setFocus()
    reached = []
    for _ in range(4):
        reached.append(active.focusWidget().accessibleName())
        QTest.keyClick(active.focusWidget(), Qt.Key.Key_Tab)
    assert reached == ["Kernel", "Size M×N×K", "Block", "Device"]


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_tab_leaves_every_page_forward(active: MainWindow, number: int) -> None:
    active.show_page(number)
    page, reached = active.page(number), []
    page.setFocus()
    for _ in range(60):
        focus = active.focusWidget()
        reached.append(focus)
        if focus is not page and not page.isAncestorOf(focus):
            break
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert reached[-1] in active.header.findChildren(QAbstractButton)
    assert len(set(reached)) == len(reached)


def test_after_enter_the_keys_belong_to_the_page(active: MainWindow) -> None:
    field = active.bar.lengths.lineEdit()
    assert field is not None
    field.setFocus()
    field.setText("4×5×6")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert active.session.selection.size.m == 4
    assert QApplication.focusWidget() is active.page(0)


def test_arrow_keys_walk_through_the_kernels(active: MainWindow) -> None:
    box = active.bar.kernel
    box.setFocus()
    seen = {active.session.selection.kernel.id}
    for _ in range(3):
        QTest.keyClick(box, Qt.Key.Key_Down)
        seen.add(active.session.selection.kernel.id)
    assert len(seen) == 4
    assert QApplication.focusWidget() is box


def test_picking_from_an_open_list_moves_the_focus_to_the_page(active: MainWindow) -> None:
    box = active.bar.kernel
    box.setFocus()
    box.setCurrentIndex(box.currentIndex() + 1)
    box.activated.emit(box.currentIndex())
    assert QApplication.focusWidget() is active.page(0)


@pytest.mark.parametrize("name", ["matmul_tiled", "lesson_missing_guard"])
def test_tab_leaves_the_page_forward_and_backward(active: MainWindow, qtbot: QtBot, name: str) -> None:
    page = active.page(0)
    assert isinstance(page, ExplorePage)
    active.session.select(kernel=find_kernel(name))
    qtbot.waitUntil(lambda: not page.busy)
    inside = [part for part in page.findChildren(QWidget) if part.isVisible() and part.focusPolicy()]
    for start in (page, *inside):
        for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            start.setFocus()
            for _ in range(40):
                focus = QApplication.focusWidget()
                assert focus is not None
                if focus is not page and not page.isAncestorOf(focus):
                    break  # it has left
                QTest.keyClick(focus, key, SHIFT if key == Qt.Key.Key_Backtab else PLAIN)
            else:
                pytest.fail(f"the focus goes round inside the page from {start.accessibleName() or start}")
