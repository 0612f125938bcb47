"""The legend's work is bounded by the rows in sight, not by the number of curves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication

from gui.widgets import legend_rows
from gui.widgets.legend_rows import ICON, Entry
from gui.widgets.plot_legend import Legend
from tests.gui.widgets.event_counter import Counter

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

COUNT = 500


class Icons:
    """Icons by row, and the rows that have been asked for."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self.icon = QIcon(QPixmap(ICON))

    def entries(self, count: int) -> list[Entry]:
        return [Entry(f"curve {row}", partial(self._draw, row), "") for row in range(count)]

    def _draw(self, row: int) -> QIcon:
        self.rows.add(row)
        return self.icon


@pytest.fixture
def legend(qtbot: QtBot) -> Legend:
    made = Legend()
    qtbot.addWidget(made)
    made.resize(272, 300)
    made.show()
    return made


def test_rows_out_of_sight_draw_no_icon_and_are_not_measured(legend: Legend) -> None:
    icons = Icons()
    with Counter(legend_rows._WrappedNames, "sizeHint") as measured:
        legend.offer(icons.entries(COUNT), ours=True, theirs=False)
        legend.grab()
        legend.setStyleSheet("QTreeView { color: red }")
        legend.grab()
        legend._tick_all()
        legend.grab()
    in_sight = legend.list.viewport().height() // legend.list.visualRect(legend.rows.index(0)).height() + 2
    last_page = range(COUNT - in_sight, COUNT)  # measured once for the range of the scroll bar
    assert icons.rows - set(last_page) <= set(range(in_sight))
    assert 0 < measured.calls < 10 * in_sight


def test_more_curves_keep_the_place_of_the_view(legend: Legend) -> None:
    icons = Icons()
    legend.offer(icons.entries(COUNT), ours=True, theirs=False)
    QApplication.processEvents()
    legend.list.scrollTo(legend.rows.index(250), legend.list.ScrollHint.PositionAtTop)
    legend.offer(icons.entries(COUNT + 3), ours=True, theirs=False)
    QApplication.processEvents()
    assert legend.list.indexAt(legend.list.viewport().rect().topLeft()).row() == 250
    assert legend.all.text() == f"All {COUNT + 3} curves"


def test_a_long_name_is_wrapped_whole(legend: Legend) -> None:
    entry = Icons().entries(1)[0]
    long = entry._replace(name="Tiled product with a block of 16×16×1, transfers of pageable memory, cold L2")
    legend.offer([entry, long], ours=True, theirs=False)
    QApplication.processEvents()
    short_px, long_px = (legend.list.visualRect(legend.rows.index(row)).height() for row in (0, 1))
    assert long_px > 1.5 * short_px


def test_a_curve_that_a_run_adds_is_shown_unless_the_user_hid_it(legend: Legend) -> None:
    icon = QIcon(QPixmap(ICON))

    def offer(*ticked: bool) -> list[bool]:
        pairs = tuple(zip("abc", ticked, strict=True))
        legend.offer([Entry(name, lambda: icon, "", tick) for name, tick in pairs], ours=True, theirs=False)
        return [legend.shows(name) for name, _ in pairs]

    assert offer(False, False, True) == [False, False, True]
    for row, state in ((1, Qt.CheckState.Checked), (1, Qt.CheckState.Unchecked), (2, Qt.CheckState.Unchecked)):
        legend.rows.setData(legend.rows.index(row), state, Qt.ItemDataRole.CheckStateRole)
    assert offer(True, True, True) == [True, False, False]
    assert offer(False, False, False) == [True, False, False]
