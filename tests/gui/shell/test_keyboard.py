"""The window without a mouse, and for a screen reader."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QTextEdit,
    QWidget,
)

from gui.explore.page import ExplorePage
from gui.shell.pages import PAGES
from gui.widgets.controls import Choice
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
    QAbstractSpinBox,
    QTextEdit,
    QPlainTextEdit,
    QGraphicsView,
)


PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def spoken(widget: QWidget) -> str:
    """Return what a screen reader says; on Linux, Qt passes on the entry of a combo box in place of its name."""
    if isinstance(widget, QComboBox):
        return widget.accessibleName()
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.resize(1280, 800)
    window.show()
    window.show_page(0)
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def controls(root: QWidget) -> list[QWidget]:
    """Return the controls in sight, without the parts that Qt makes them of."""
    inner = (QScrollBar, QHeaderView, QTabBar)  # a bar of tabs has the name of its tab
    parts = (QAbstractSpinBox, QComboBox, QTabBar)  # a line edit, or buttons that scroll, belong to them
    found = [w for w in root.findChildren(QWidget) if isinstance(w, CONTROLS) and w.isVisible()]
    return [w for w in found if not isinstance(w, inner) and not isinstance(w.parentWidget(), parts)]


def check_names(root: QWidget) -> None:
    """Every control in sight has a name, and no other one has the same."""
    names = Counter(spoken(control) for control in controls(root))
    assert not [type(control).__name__ for control in controls(root) if not spoken(control)]
    assert not [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_every_control_has_a_name_of_its_own(active: MainWindow, number: int) -> None:
    active.show_page(number)
    check_names(active)
    for tabs in active.page(number).findChildren(QTabWidget):
        for place in range(tabs.count()):
            if tabs.isVisible():
                tabs.setCurrentIndex(place)
                QApplication.processEvents()
                check_names(active)


def test_a_combo_box_is_described_by_its_name_whatever_is_chosen(active: MainWindow) -> None:
    active.show_page(OCCUPANCY)
    boxes = [control for control in controls(active) if isinstance(control, Choice)]
    assert {spoken(box) for box in boxes} >= {"Kernel", "Block", "Device"}
    for box in boxes:
        found = QAccessible.queryAccessibleInterface(box)
        assert spoken(box) in (found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Description))


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_buttons_of_which_one_is_checked_are_radio_buttons_of_a_named_group(active: MainWindow, number: int) -> None:
    active.show_page(number)
    segments = [w for w in controls(active) if isinstance(w, QAbstractButton) and w.group() is not None]
    assert len(segments) >= len(PAGES)
    for button in segments:
        found = QAccessible.queryAccessibleInterface(button)
        assert found.role() == QAccessible.Role.RadioButton, spoken(button)
        assert found.parent().text(QAccessible.Text.Name), spoken(button)
        checked = [other for other in button.group().buttons() if other.isChecked()]
        assert len(checked) == 1
        assert found.state().checked == (button is checked[0])


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
    page = active.page(number)
    reached: list[QWidget] = []
    page.setFocus()
    for _ in range(120):
        focus = active.focusWidget()
        if focus not in reached[-1:]:  # else the next link of the same label
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
