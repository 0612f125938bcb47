"""Many curves in one plot: hidden ones, a highlighted one, the choices of the user, and points that are examined."""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTabWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.theming import style
from gui.theming.theme import DARK, LIGHT, Theme
from gui.widgets.axes import RateAxis
from gui.widgets.plot import LinePlot
from gui.widgets.plot_absent import FAILED
from gui.widgets.plot_curves import SYMBOLS, Line
from gui.widgets.plot_roofs import RoofLine

MOST = 4


WORDS = ["naive,\ncoalesced", "tiles", "column\nof\nresults", "16-byte\nloads", "producers", "copies\nahead"]


@pytest.fixture
def plot(qtbot: QtBot) -> LinePlot:
    made = LinePlot("n", "GFLOPS", most=MOST)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def ours(count: int) -> list[Line]:
    x = np.array([1.0, 2.0, 4.0])
    return [Line(f"curve {n}", n, x, x * (n + 1), group=f"curve {n}") for n in range(count)]


def theirs(count: int) -> list[Line]:
    x = np.array([1.0, 4.0])
    named = (f"curve {n}" for n in range(count))
    return [Line(f"{name}, published", n, x, x, published=True, group=name) for n, name in enumerate(named)]


def names(plot: LinePlot) -> list[str]:
    return [line.name for line in plot.visible_lines]


def widths(plot: LinePlot) -> list[int]:
    """Widths of the lines in the order in which they are painted."""
    return [stroke.width for stroke, curves in plot.curves.groups() for _ in curves]


def tick(plot: LinePlot, row: int) -> None:
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(row))
    QTest.keyClick(plot.legend.list, Qt.Key.Key_Space)
    QApplication.sendEvent(plot.legend.list, QEvent(QEvent.Type.Leave))


def row_rect(plot: LinePlot, row: int) -> QRect:
    return plot.legend.list.visualRect(plot.legend.rows.index(row))


def test_of_many_curves_the_first_are_shown_and_all_are_listed(plot: LinePlot) -> None:
    plot.show_lines(ours(10))
    assert names(plot) == ["curve 0", "curve 1", "curve 2", "curve 3"]
    assert plot.legend.rows.rowCount() == 10
    assert plot.legend.all.text() == "4 of 10 curves"
    assert len(plot.curves.strokes) == 4
    assert plot.curves.points.curve.tolist() == [n for n in range(4) for _ in range(3)]


def test_a_tick_shows_and_hides_a_curve_and_stays_while_curves_grow(plot: LinePlot) -> None:
    plot.show_lines(ours(6))
    tick(plot, 5)
    tick(plot, 0)
    assert names(plot) == ["curve 1", "curve 2", "curve 3", "curve 5"]
    plot.show_lines(ours(7))
    assert names(plot) == ["curve 1", "curve 2", "curve 3", "curve 5"]
    plot.legend.reset()
    plot.show_lines(ours(7))
    assert names(plot) == ["curve 0", "curve 1", "curve 2", "curve 3"]


def test_one_click_shows_all_and_another_none(plot: LinePlot) -> None:
    plot.show_lines(ours(6))
    QTest.mouseClick(plot.legend.all, Qt.MouseButton.LeftButton, pos=QPoint(8, plot.legend.all.height() // 2))
    assert len(plot.visible_lines) == 6
    assert plot.legend.all.text() == "All 6 curves"
    QTest.mouseClick(plot.legend.all, Qt.MouseButton.LeftButton, pos=QPoint(8, plot.legend.all.height() // 2))
    assert not names(plot)


def test_the_axes_hold_what_is_shown(plot: LinePlot) -> None:
    plot.show_lines(ours(6))
    assert plot.plot.box.viewRange()[1][1] == pytest.approx(4 * 4 * 1.08)
    tick(plot, 3)
    assert plot.plot.box.viewRange()[1][1] == pytest.approx(3 * 4 * 1.08)


@pytest.mark.parametrize(("measured", "published", "asked"), [(0, 5, False), (3, 3, True), (3, 0, False)])
def test_published_curves_lie_under_ours_until_they_are_hidden(
    plot: LinePlot, measured: int, published: int, asked: bool
) -> None:
    plot.show_lines([*theirs(published), *ours(measured)])
    box = plot.legend.published
    assert box.isVisible() == asked  # alone, they are all there is
    assert any(line.published for line in plot.visible_lines) == (published > 0)
    if asked:
        box.click()
        plot.show_lines([*theirs(published), *ours(measured)])
        assert not any(line.published for line in plot.visible_lines)  # as decided


def test_ours_and_theirs_are_one_entry(plot: LinePlot) -> None:
    plot.show_lines([*theirs(2), *ours(2)])
    assert plot.legend.rows.rowCount() == 2
    assert len(plot.visible_lines) == 4
    tick(plot, 1)
    assert names(plot) == ["curve 0, published", "curve 0"]


def test_the_curve_pointed_at_or_clicked_is_in_front(plot: LinePlot) -> None:
    plot.show_lines(ours(4))
    assert widths(plot) == [2, 2, 2, 2]
    entry = row_rect(plot, 1).center()
    QTest.mouseMove(plot.legend.list.viewport(), entry)
    assert plot.legend.focus == "curve 1"
    assert widths(plot) == [1, 1, 1, 4]
    assert plot.curves.groups()[-1][0].symbol == SYMBOLS[1]
    QApplication.sendEvent(plot.legend.list, QEvent(QEvent.Type.Leave))
    assert widths(plot) == [2, 2, 2, 2]
    # A clicked curve stays in front until it is clicked again.
    rect = row_rect(plot, 2)
    for expected in ([1, 1, 1, 4], [2, 2, 2, 2]):
        QTest.mouseClick(plot.legend.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center() + QPoint(20, 0))
        QApplication.sendEvent(plot.legend.list, QEvent(QEvent.Type.Leave))
        assert widths(plot) == expected
        assert len(plot.visible_lines) == 4
    # Ticking a curve does not bring it out.
    rect = row_rect(plot, 2)
    QTest.mouseClick(
        plot.legend.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(rect.left() + 10, rect.center().y()),
    )
    QApplication.sendEvent(plot.legend.list, QEvent(QEvent.Type.Leave))
    assert names(plot) == ["curve 0", "curve 1", "curve 3"]
    assert widths(plot) == [2, 2, 2]


def test_a_hidden_curve_thins_no_other(plot: LinePlot) -> None:
    plot.show_lines(ours(6))
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(5))
    assert widths(plot) == [2, 2, 2, 2]
    plot.legend.list.setCurrentIndex(plot.legend.rows.index(0))  # as the arrow keys do
    assert widths(plot) == [1, 1, 1, 4]


def test_without_a_limit_everything_is_shown(qtbot: QtBot) -> None:
    plot = LinePlot("n", "GFLOPS")
    qtbot.addWidget(plot)
    plot.show_lines(ours(20))
    plot.set_theme(DARK)
    assert len(plot.visible_lines) == 20


def ticks(plot: LinePlot) -> list[str]:
    axis = plot.plot.left
    low, high = axis.range
    found = axis.tickValues(low, high, 300)
    return [
        word
        for spacing, values in found
        for word in axis.tickStrings(values, axis.scale * axis.autoSIPrefixScale, spacing)
    ]


def test_an_axis_keeps_its_unit_after_huge_values(plot: LinePlot, qtbot: QtBot) -> None:
    x = np.array([1.0, 2.0])
    axis = plot.plot.left
    plot.show_lines([Line("huge", 0, x, x * 1e18)])
    qtbot.waitUntil(lambda: axis.range[1] > 1e18)
    assert "(x" not in axis.labelString()
    plot.set_axes("n", "GFLOPS")
    plot.show_lines([Line("small", 0, x, x * 1000)])
    qtbot.waitUntil(lambda: axis.range[1] < 1e5)
    assert "2,000" in ticks(plot)
    assert "(x" not in axis.labelString()


def test_logarithmic_axes_with_and_without_zeros(plot: LinePlot) -> None:
    x = np.array([1.0, 2.0, 3.0])
    plot.set_log(x=False, y=True)
    plot.show_lines([Line("sum", 0, x, np.array([0.0, 400.0, 5e9]))])
    heights = plot.curves.points.y
    (labels,) = plot.plot.left._tickLevels
    assert dict(labels)[heights[0]] == "0"
    assert heights[0] < heights[1] < heights[2]
    assert [word for _, word in labels] == ["0", "1e3", "1e5", "1e7", "1e9"]
    # Without zeros a logarithmic axis counts as it likes.
    x = np.array([1.0, 2.0])
    plot.set_log(x=False, y=True)
    plot.show_lines([Line("sum", 0, x, np.array([0.0, 10.0]))])
    plot.show_lines([Line("rate", 0, x, np.array([1.0, 10.0]))])
    assert plot.plot.left._tickLevels is None


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (range(16, 3200, 16), ["20", "50", "100", "200", "500", "1000", "2000"]),
        (range(100, 200, 5), [str(n) for n in range(100, 200, 10)]),
    ],
)
def test_many_sizes_have_round_ticks_with_room_between_them(
    plot: LinePlot, sizes: Sequence[int], words: list[str]
) -> None:
    x = np.array(sizes, np.float64)
    plot.set_log(x=True, y=False)
    plot.show_lines([Line("curve", 0, x, x)])
    (found,) = plot.plot.bottom._tickLevels
    assert [word for _, word in found] == words


def test_ticks_of_many_powers_of_ten_are_evenly_spaced(plot: LinePlot) -> None:
    x = np.array([10.0**n for n in range(18)])
    plot.set_log(x=True, y=False)
    plot.show_lines([Line("curve", 0, x, x)])
    (found,) = plot.plot.bottom._tickLevels
    powers = [round(np.log10(float(word))) for _, word in found]
    assert powers == list(range(0, 18, powers[1]))
    assert powers[1] > 1


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("high", "height", "digits"), [(3.0, 400, 9), (9.0, 400, 3), (9.0, 200, 1)])
def test_lines_of_a_logarithmic_grid_are_apart(high: float, height: float, digits: int) -> None:
    (_, labelled), (_, between) = RateAxis("left").logTickValues(0.0, high, height, None)
    assert len(between) == digits * high
    assert len(between) * 12 <= height
    assert set(np.arange(high)) <= set(between)
    assert 0.0 in labelled


def test_the_grid_is_painted_in_the_colours_of_the_theme(qtbot: QtBot, plot: LinePlot) -> None:
    """Its lines are mixed with the background when they are recorded, and the record is kept."""
    dark = LinePlot("n", "GFLOPS", most=MOST)
    qtbot.addWidget(dark)
    dark.resize(plot.size())
    dark.set_theme(DARK)
    dark.show()
    for each in (plot, dark):
        each.show_lines(ours(2))
        each.plot.grab()
    plot.set_theme(DARK)
    picture = plot.plot.grab().toImage()
    assert picture == dark.plot.grab().toImage()
    corner = plot.plot.box.sceneBoundingRect().toRect()  # above the curves
    row = [picture.pixelColor(corner.left() + 3, y).lightness() for y in range(corner.top() + 3, corner.center().y())]
    assert 0 < max(row) - min(row) < 40, "the lines of the grid are a little lighter than the background"


def test_a_title_of_y_that_is_longer_than_its_axis_is_the_short_one(plot: LinePlot) -> None:
    plot.set_axes("n", "speed-up over the best parallel CPU baseline, ×", short_y="speed-up, ×")
    for height, words in ((900, plot._axes[1]), (200, "speed-up, ×"), (900, plot._axes[1])):
        plot.resize(900, height)
        plot.plot.grab()
        QApplication.processEvents()
        assert plot.plot.left.labelText == words


def _roof_labels(plot: LinePlot, y: Sequence[float], *roofs: RoofLine) -> tuple[tuple[str, QRectF], ...]:
    plot.show_lines([Line("curve", 0, np.arange(1.0, len(y) + 1), np.array(y))], roofs=roofs)
    for _ in range(3):
        plot.plot.grab()
        QApplication.processEvents()
    return plot.roofs.written


def test_the_label_of_a_roof_keeps_clear_of_curves(plot: LinePlot) -> None:
    roof = RoofLine("peak", np.empty(0), np.array([10.0]))
    ((_, calm),) = _roof_labels(plot, [1.0, 2.0, 3.0], roof)
    assert calm.right() > plot.roofs.boundingRect().right() - 20
    for y in ([1.0, 2.0, 10.9], [10.5, 2.0, 10.5], [10.5, 9.5, 10.5, 9.5, 1.0]):
        ((_, place),) = _roof_labels(plot, y, roof)
        x, height = plot.curves.track()
        assert not any(place.contains(*point) for point in zip(x.tolist(), height.tolist(), strict=True))


def test_the_label_of_a_roof_is_the_longest_that_has_room_and_whole(plot: LinePlot) -> None:
    shorter = ("H200 memory: 4,227 GB/s", "4,227 GB/s")
    words = f"{shorter[0]} (measured copy, every array once, of many)"
    level = RoofLine(words, np.empty(0), np.array([10.0]), shorter)
    steep = RoofLine(words, np.array([1.0, 1.2]), np.array([0.1, 10.0]), shorter)
    tiny = RoofLine(words, np.array([2.9, 3.0]), np.array([9.9, 10.0]), shorter)
    box = plot.roofs.boundingRect()
    for width, expected in ((1600, words), (700, shorter[0])):
        plot.resize(width, 400)
        ((found, place),) = _roof_labels(plot, [1.0, 2.0, 3.0], level)
        assert found == expected
        box = plot.roofs.boundingRect()
        assert box.contains(place)
    ((found, _),) = _roof_labels(plot, [1.0, 2.0, 3.0], steep)
    assert found == shorter[0]
    ((found, place),) = _roof_labels(plot, [1.0, 2.0, 3.0], tiny)
    assert found == shorter[1]
    assert box.contains(place)


def test_labels_of_roofs_do_not_cover_each_other(plot: LinePlot) -> None:
    roofs = [RoofLine(f"roof number {n}", np.empty(0), np.array([10.0 + n / 10])) for n in range(3)]
    places = [place for _, place in _roof_labels(plot, [1.0, 2.0, 3.0], *roofs)]
    assert len(places) == 3
    assert not any(a.intersects(b) for a, b in combinations(places, 2))


def test_a_theme_is_painted_once_although_another_plot_is_out_of_sight(qtbot: QtBot, qapp: QApplication) -> None:
    tabs, before = QTabWidget(), qapp.palette()
    plots = [LinePlot("n", "GFLOPS") for _ in range(2)]
    for plot in plots:
        tabs.addTab(plot, "")
        plot.show_lines(ours(3))
    qtbot.addWidget(tabs)
    tabs.show()
    for place in (0, 1):
        tabs.setCurrentIndex(place)
        for _ in range(5):
            QApplication.processEvents()
    painted = Paints(plots[1].plot.viewport())
    qapp.setPalette(style.palette(DARK))
    plots[1].set_theme(DARK)
    QApplication.processEvents()
    qapp.setPalette(before)
    assert painted.count == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_tab_that_comes_back_is_painted_once_and_in_the_present_theme(qtbot: QtBot, theme: Theme) -> None:
    """Also where its words need more lines than those of the tab before, and the plot becomes smaller."""
    tabs, words = QTabWidget(), QLabel(wordWrap=True)
    plots = [LinePlot("n", "GFLOPS") for _ in range(2)]
    for plot in plots:
        tabs.addTab(plot, "")
        plot.show_lines(ours(3))
    tabs.currentChanged.connect(lambda place: words.setText("many words " * 99 * place))
    window = QWidget()
    column = QVBoxLayout(window)
    column.addWidget(tabs)
    column.addWidget(words)
    qtbot.addWidget(window)
    window.resize(900, 600)
    window.show()
    window.activateWindow()
    for place in (0, 1, 0):
        tabs.setCurrentIndex(place)
        for _ in range(5):
            QApplication.processEvents()
    painted = Paints(plots[1].plot.viewport())
    tabs.setCurrentIndex(1)
    plots[1].set_theme(theme)
    for _ in range(5):
        QApplication.processEvents()
    assert painted.count == 1
    assert plots[1].plot.viewport().grab().toImage().pixelColor(0, 0).name() == theme.panel


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


@pytest.mark.parametrize(("width", "labelled"), [(1200, WORDS), (320, WORDS[1::2])])
def test_words_below_the_axis_do_not_overlap(qtbot: QtBot, plot: LinePlot, width: int, labelled: list[str]) -> None:
    plot.resize(width, 400)
    plot.set_axes("step", "GFLOPS", WORDS)
    x = np.arange(len(WORDS), dtype=np.float64)
    plot.show_lines([Line("each step", 0, x, x)])
    plot.legend.hide()
    plot.show()
    bottom = plot.plot.bottom

    def places() -> list[tuple[float, float]]:
        metrics = QFontMetrics(bottom.style["tickFont"])
        room = plot.plot.box.width() / len(WORDS)
        halves = [
            (n * room, max(map(metrics.horizontalAdvance, word.split("\n"))) / 2) for n, word in bottom._tickLevels[0]
        ]
        return [(at - half, at + half) for at, half in halves]

    qtbot.waitUntil(lambda: [word for _, word in bottom._tickLevels[0]] == labelled)
    assert all(end <= start for (_, end), (start, _) in pairwise(places()))


@pytest.fixture
def plot_of_plot_pointer(qtbot: QtBot) -> LinePlot:
    made = LinePlot("n", "GFLOPS")
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    qtbot.waitExposed(made)
    made.pointer.describe = lambda line, row: (line.name, f"n = {line.x[row]:g}")
    return made


def curve(x: list[float], y: list[float], **fields: object) -> Line:
    return Line("curve", 0, np.array(x), np.array(y), **fields)  # type: ignore[arg-type]


def hover(plot_of_plot_pointer: LinePlot, place: QPointF | None) -> str:
    assert place is not None
    box = plot_of_plot_pointer.plot.box
    plot_of_plot_pointer.plot.scene().sigMouseMoved.emit(box.mapToScene(place))
    return plot_of_plot_pointer.pointer.card.text if plot_of_plot_pointer.pointer.card.isVisible() else ""


def test_the_point_under_the_pointer_has_a_card_and_the_space_between_has_none(plot_of_plot_pointer: LinePlot) -> None:
    plot_of_plot_pointer.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0])])
    assert hover(plot_of_plot_pointer, plot_of_plot_pointer.curves.place_of(0, 1)) == "curve\nn = 2"
    assert plot_of_plot_pointer.rect().contains(plot_of_plot_pointer.pointer.card.geometry())
    middle = plot_of_plot_pointer.curves.place_of(0, 1)
    assert middle is not None
    assert hover(plot_of_plot_pointer, middle + QPointF(60, 80)) == ""


def test_a_card_that_is_too_high_becomes_wider_and_then_loses_its_last_lines(plot_of_plot_pointer: LinePlot) -> None:
    card = plot_of_plot_pointer.pointer.card
    for count, whole in ((8, True), (60, False)):
        lines = [f"line {n} with some words that follow each other up to its end, and more" for n in range(count)]
        card.show_lines(lines, QPoint(200, 100))
        assert plot_of_plot_pointer.rect().contains(card.geometry())
        assert (lines[-1] in card.text, card.text.endswith("…")) == (whole, not whole)
        assert card.height() >= card._column.totalHeightForWidth(card.width())


def test_an_absent_point_lies_below_all_others_and_has_a_card(plot_of_plot_pointer: LinePlot) -> None:
    failed = np.array([0, FAILED, 0], np.int8)
    plot_of_plot_pointer.show_lines([curve([1.0, 2.0, 8.0], [0.001, np.nan, 30.0], absent=failed)])
    mark, lowest = plot_of_plot_pointer.absent.place_of(0, 1), plot_of_plot_pointer.curves.place_of(0, 0)
    assert mark is not None
    assert lowest is not None
    assert mark.y() > lowest.y() + 4
    assert hover(plot_of_plot_pointer, mark) == "curve\nn = 2"


def test_arrow_keys_go_along_a_curve_and_to_the_next_one(plot_of_plot_pointer: LinePlot) -> None:
    other = Line("other", 1, np.array([2.0, 8.0]), np.array([1.0, 2.0]))
    plot_of_plot_pointer.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0]), other])
    seen = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(plot_of_plot_pointer.plot, key)
        seen.append(plot_of_plot_pointer.pointer.card.text.replace("\n", " "))
    assert seen == ["curve n = 1", "curve n = 2", "other n = 2", "other n = 8", "other n = 2"]
    QTest.keyClick(plot_of_plot_pointer.plot, Qt.Key.Key_Escape)
    assert not plot_of_plot_pointer.pointer.card.isVisible()


def test_the_card_stays_with_its_point_while_others_are_added(plot_of_plot_pointer: LinePlot) -> None:
    plot_of_plot_pointer.show_lines([curve([2.0, 8.0], [20.0, 30.0])])
    hover(plot_of_plot_pointer, plot_of_plot_pointer.curves.place_of(0, 0))
    plot_of_plot_pointer.show_lines([curve([1.0, 2.0, 8.0], [10.0, 20.0, 30.0])])
    assert plot_of_plot_pointer.pointer.card.text == "curve\nn = 2"
    plot_of_plot_pointer.show_lines([curve([1.0, 8.0], [10.0, 30.0])])
    assert not plot_of_plot_pointer.pointer.card.isVisible()


@pytest.mark.parametrize(
    ("log", "roof", "reaches"), [(False, 40.0, True), (False, 4000.0, False), (True, 4000.0, True)]
)
def test_the_axis_reaches_a_roof_that_is_near_or_on_a_logarithmic_scale(
    plot_of_plot_pointer: LinePlot, log: bool, roof: float, reaches: bool
) -> None:
    limit = RoofLine("peak", np.empty(0), np.array([roof]))
    plot_of_plot_pointer.show_lines([curve([1.0, 2.0], [10.0, 20.0])], (log, log), [limit])
    top = plot_of_plot_pointer.plot.box.viewRange()[1][1]
    assert (top > (np.log10(roof) if log else roof)) == reaches
