"""Examining points: with the pointer and with arrow keys, drawn ones and absent ones, while points are added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from gui.widgets.plot import LinePlot
from gui.widgets.plot_absent import FAILED
from gui.widgets.plot_curves import Line
from gui.widgets.plot_roofs import RoofLine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def plot(qtbot: QtBot) -> LinePlot:
    made = LinePlot("n", "GFLOPS")
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    qtbot.waitExposed(made)
    made.pointer.describe = lambda line, row: (line.name, f"n = {line.x[row]:g}")
    return made


def curve(x: list[float], y: list[float], **fields: object) -> Line:
    return Line("curve", 0, np.array(x), np.array(y), **fields)  # type: ignore[arg-type]


def hover(plot: LinePlot, place: QPointF | None) -> str:
    assert place is not None
    box = plot.plot.box
    plot.plot.scene().sigMouseMoved.emit(box.mapToScene(place))
    return plot.pointer.card.text if plot.pointer.card.isVisible() else ""


def test_the_point_under_the_pointer_has_a_card_and_the_space_between_has_none(plot: LinePlot) -> None:
    plot.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0])])
    assert hover(plot, plot.curves.place_of(0, 1)) == "curve\nn = 2"
    assert plot.rect().contains(plot.pointer.card.geometry())
    middle = plot.curves.place_of(0, 1)
    assert middle is not None
    assert hover(plot, middle + QPointF(60, 80)) == ""


def test_a_card_that_is_too_high_becomes_wider_and_then_loses_its_last_lines(plot: LinePlot) -> None:
    card = plot.pointer.card
    for count, whole in ((8, True), (60, False)):
        lines = [f"line {n} with some words that follow each other up to its end, and more" for n in range(count)]
        card.show_lines(lines, QPoint(200, 100))
        assert plot.rect().contains(card.geometry())
        assert (lines[-1] in card.text, card.text.endswith("…")) == (whole, not whole)
        assert card.height() >= card._column.totalHeightForWidth(card.width())


def test_an_absent_point_lies_below_all_others_and_has_a_card(plot: LinePlot) -> None:
    failed = np.array([0, FAILED, 0], np.int8)
    plot.show_lines([curve([1.0, 2.0, 8.0], [0.001, np.nan, 30.0], absent=failed)])
    mark, lowest = plot.absent.place_of(0, 1), plot.curves.place_of(0, 0)
    assert mark is not None
    assert lowest is not None
    assert mark.y() > lowest.y() + 4
    assert hover(plot, mark) == "curve\nn = 2"


def test_arrow_keys_go_along_a_curve_and_to_the_next_one(plot: LinePlot) -> None:
    other = Line("other", 1, np.array([2.0, 8.0]), np.array([1.0, 2.0]))
    plot.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0]), other])
    seen = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(plot.plot, key)
        seen.append(plot.pointer.card.text.replace("\n", " "))
    assert seen == ["curve n = 1", "curve n = 2", "other n = 2", "other n = 8", "other n = 2"]
    QTest.keyClick(plot.plot, Qt.Key.Key_Escape)
    assert not plot.pointer.card.isVisible()


def test_the_card_stays_with_its_point_while_others_are_added(plot: LinePlot) -> None:
    plot.show_lines([curve([2.0, 8.0], [20.0, 30.0])])
    hover(plot, plot.curves.place_of(0, 0))
    plot.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0])])
    assert plot.pointer.card.text == "curve\nn = 2"
    plot.show_lines([curve([1.0, 8.0], [10.0, 30.0])])
    assert not plot.pointer.card.isVisible()


@pytest.mark.parametrize(
    ("log", "roof", "reaches"), [(False, 40.0, True), (False, 4000.0, False), (True, 4000.0, True)]
)
def test_the_axis_reaches_a_roof_that_is_near_or_on_a_logarithmic_scale(
    plot: LinePlot, log: bool, roof: float, reaches: bool
) -> None:
    limit = RoofLine("peak", np.empty(0), np.array([roof]))
    plot.show_lines([curve([1.0, 2.0], [10.0, 20.0])], (log, log), [limit])
    top = plot.plot.box.viewRange()[1][1]
    assert (top > (np.log10(roof) if log else roof)) == reaches
