"""The painting of many curves: its work is bounded by strokes, not by points or curves, and it survives any number."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.theming.theme import DARK, LIGHT
from gui.widgets import legend_rows, plot_curves
from gui.widgets.legend_rows import ICON, Entry
from gui.widgets.plot import LinePlot
from gui.widgets.plot_curves import SYMBOLS, CurvesItem, Line, Points, _Batch
from gui.widgets.plot_legend import Legend
from tests.gui.widgets.event_counter import Counter
from tests.sweeps import in_turn

DECORATION = Qt.ItemDataRole.DecorationRole


@pytest.fixture
def plot(qtbot: QtBot) -> LinePlot:
    made = LinePlot("n", "GFLOPS")
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def curves(count: int, points: int) -> list[Line]:
    x = np.arange(1.0, points + 1)
    made = []
    for n in range(count):
        y = x * (n + 1)
        made.append(Line(f"curve {n}", n, x, y, y * 0.9, y * 1.1))
    return made


def pixels(plot: LinePlot) -> NDArray[np.uint8]:
    """The plot as it is shown, without the legend: height × width × 4."""
    image = plot.plot.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
    return np.array(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)


@pytest.mark.parametrize(("count", "points"), [(10, 10), (10, 1000), (500, 20)])
def test_painting_takes_three_calls_for_each_stroke(plot: LinePlot, count: int, points: int) -> None:
    plot.show_lines(curves(count, points))
    strokes = min(count, len(SYMBOLS) * len(LIGHT.series))
    assert len(plot.curves.groups()) == strokes
    with Counter(_Batch, "draw") as lines, Counter(_Batch, "stamp") as marks:
        plot.plot.grab()
    assert (lines.calls, marks.calls) == (2 * strokes, strokes)


def test_themes_and_pointing_map_no_point_again(plot: LinePlot) -> None:
    plot.show_lines(curves(20, 50))
    items, points = set(map(id, plot.plot.scene().items())), plot.curves.points
    plot.set_theme(DARK)
    assert set(map(id, plot.plot.scene().items())) == items
    assert plot.curves.points is points
    assert {stroke.color for stroke in plot.curves.strokes} == {QColor(c).name() for c in DARK.series}
    # Pointing at the legend maps no point again.
    points = plot.curves.points
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(3))
    assert plot.curves.points is points
    assert plot.curves.groups()[-1][1] == [3]


@pytest.mark.parametrize(
    ("bad", "log"),
    in_turn([np.nan, np.inf, -np.inf, 1e308, -1e308, 1e99, -1e99, 1e-99, 0.0, -1.0], ["", "x", "y", "xy"], str),
)
def test_any_number_can_be_shown(plot: LinePlot, bad: float, log: str) -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    plot.set_log(x="x" in log, y="y" in log)
    plot.show_lines(
        [
            Line("sound", 0, x, y, y * 0.9, y * 1.1),
            Line("bad x", 1, np.array([1.0, bad, 3.0]), y),
            Line("bad y", 2, x, np.array([4.0, bad, 6.0])),
            Line("bad ends", 3, x, y, np.array([bad, 4.5, bad]), np.array([bad, 5.5, bad])),
            Line("nothing else", 4, np.full(3, bad), np.full(3, bad), published=True),
        ]
    )
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(1))
    assert not plot.grab().isNull()
    assert np.isfinite(plot.curves.points.x).all()
    assert np.isfinite(plot.curves.points.y).all()
    low, high = plot.plot.box.viewRange()[1]
    assert np.isfinite([low, high]).all()
    assert low < high


@pytest.mark.parametrize("log", [False, True])
def test_a_curve_is_where_its_points_are(plot: LinePlot, log: bool) -> None:
    x, y = np.array([1.0, 10.0, 1000.0]), np.array([10.0, 900.0, 500.0])
    plot.set_log(x=log, y=log)
    plot.show_lines([Line("curve", 0, x, y)])
    for _ in range(3):  # an axis gets its width while it is painted
        plot.plot.grab()
        QApplication.processEvents()
    box = plot.plot.box
    picture = pixels(plot)
    colour = QColor(LIGHT.series[0])
    for place in zip(np.log10(x) if log else x, np.log10(y) if log else y, strict=True):
        at = plot.plot.mapFromScene(box.mapViewToScene(QPointF(*place)))
        blue, green, red, _ = (int(part) for part in picture[at.y(), at.x()])
        assert (red, green, blue) == (colour.red(), colour.green(), colour.blue())


@pytest.mark.parametrize(
    ("dash", "limit"),
    [(0, "_SMOOTH_LINES_PX"), (1, "_SMOOTH_LINES_PX"), (1, "_SMOOTH_DASHES_PX"), (1, "_SMOOTH_DASHED")],
)
def test_beyond_a_limit_only_the_highlighted_curve_is_smooth(
    plot: LinePlot, monkeypatch: pytest.MonkeyPatch, dash: int, limit: str
) -> None:
    plot.show_lines([Line("rising", 0, np.array([1.0, 2.0]), np.array([1.0, 2.0]), dash=dash)])
    for _ in range(3):  # an axis gets its width while it is painted
        plot.plot.grab()
        QApplication.processEvents()
    smooth = pixels(plot)
    monkeypatch.setattr(plot_curves, limit, 0)
    sharp = pixels(plot)
    assert len(np.unique(sharp.view(np.uint32))) < len(np.unique(smooth.view(np.uint32)))
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(0))
    highlighted = pixels(plot)
    monkeypatch.undo()
    assert np.array_equal(pixels(plot), highlighted)


def icon_keys(plot: LinePlot) -> list[int]:
    return [plot.legend.rows.data(plot.legend.rows.index(row), DECORATION).cacheKey() for row in range(3)]


def test_a_new_size_of_the_text_paints_no_icon_again(plot: LinePlot) -> None:
    plot.show_lines(curves(3, 5))
    icons = icon_keys(plot)
    plot.set_theme(LIGHT)
    assert icon_keys(plot) == icons
    plot.set_theme(DARK)
    assert not set(icon_keys(plot)) & set(icons)


def test_curves_without_points_and_equal_marks(plot: LinePlot) -> None:
    nothing = np.empty(0)
    plot.show_lines([Line("empty", 0, nothing, nothing), *curves(1, 3)])
    assert not plot.grab().isNull()
    assert plot.curves.points.curve.tolist() == [1, 1, 1]
    plot.show_lines([])
    assert not plot.grab().isNull()
    # Points of curves are collected in order.
    x = np.array([1.0, 2.0])
    points = Points.of([Line("a", 0, x, x), Line("b", 1, x, x * 2, x, x * 3)])
    assert points.curve.tolist() == [0, 0, 1, 1]
    assert points.low.tolist() == [1.0, 2.0, 1.0, 2.0]
    assert points.high.tolist() == [1.0, 2.0, 3.0, 6.0]
    # Equal marks on one pixel are painted once.
    x = np.linspace(1.0, 2.0, 20_000)
    plot.show_lines([Line("dense", 0, x, np.full(len(x), 5.0))])
    QApplication.processEvents()
    fragments = plot.curves._fragments(plot.curves.pixels())
    assert int(fragments._before[-1]) <= plot.plot.width() + 1


@pytest.fixture
def paints() -> Iterator[Counter]:
    with Counter(CurvesItem, "paint") as counter:
        yield counter


def test_many_changes_in_one_turn_are_painted_once(plot: LinePlot, paints: Counter) -> None:
    lines = curves(5, 10)
    for n in range(1, 6):
        plot.show_lines(lines[:n])
    for _ in range(3):
        QApplication.processEvents()
    settled = paints.calls
    for _ in range(5):
        plot.curves.set_strokes(plot.curves.strokes)
    QApplication.processEvents()
    assert paints.calls == settled + 1


def test_a_disturbed_point_has_an_asterisk_and_the_legend_says_what_it_means(plot: LinePlot) -> None:
    x = np.array([1.0, 2.0, 3.0])
    plot.show_lines([Line("one", 0, x, x)])
    plain = plot.plot.grab().toImage()
    assert plot.legend.asterisk.isHidden()
    plot.show_lines([Line("one", 0, x, x, disturbed=np.array([False, True, False]))])
    assert not plot.legend.asterisk.isHidden()
    assert plot.curves.points.disturbed.tolist() == [False, True, False]
    marked, place = plot.plot.grab().toImage(), plot.curves.place_of(0, 1)
    assert place is not None
    at = plot.plot.mapFromScene(plot.plot.box.mapToScene(place))
    changed = [
        (x - at.x(), y - at.y())
        for x in range(plain.width())
        for y in range(plain.height())
        if plain.pixel(x, y) != marked.pixel(x, y)
    ]
    assert changed
    assert all(3 < right < 18 and -18 < down < 0 for right, down in changed)


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
