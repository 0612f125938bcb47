"""A tab with a chart: the plot, its axes' scales, and notes on what is not drawn."""

from __future__ import annotations

from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSizePolicy, QStackedWidget, QWidget

from gui.measure.results.chart import Memo, asks_for_log
from gui.measure.results.record import details
from gui.measure.words import some_of
from gui.widgets.controls import ElidedLabel, add_parts, label, vbox
from gui.widgets.pictures import PaintedWidget
from gui.widgets.plot import LinePlot
from gui.widgets.plot_absent import FAILED, SKIPPED
from gui.widgets.plot_curves import DASHES, LINE_PX, Line
from gui.widgets.plot_roofs import RoofLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PySide6.QtGui import QPaintEvent

    from gui.measure.results.chart import Chart, ChartCurve
    from gui.measure.results.lookup import Lookup
    from gui.measure.results.series import Series
    from gui.theming.theme import Theme

_SAMPLE_PX: Final = 34
_GAP_PX: Final = 6
_BETWEEN_PX: Final = 18
_LEAST_LETTERS: Final = 6
"""A shorter piece of a name says nothing; the tooltip has all names."""


class RunKey(PaintedWidget):
    """One line with a piece of each style and the name of its run; empty while one run is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: dict[int, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_runs(self, runs: Mapping[int, str]) -> None:
        """Set the names of the runs, by the style of their lines."""
        if runs == self._runs:
            return
        self._runs = dict(sorted(runs.items())) if any(runs) else {}
        self.setToolTip("\n".join(self._runs.values()))
        self.setAccessibleName(f"Runs: {', '.join(self._runs.values())}" if self._runs else "")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint pieces and names; the last name is elided where there is no room."""
        painter = QPainter(self)
        metrics, middle, x = self.fontMetrics(), self.height() // 2, 0
        for dash, name in self._runs.items():
            room = self.width() - x - _SAMPLE_PX - _GAP_PX
            if room < metrics.averageCharWidth() * _LEAST_LETTERS:
                break
            painter.setPen(QPen(QColor(self._theme.text), LINE_PX, DASHES[dash % len(DASHES)]))
            painter.drawLine(x, middle, x + _SAMPLE_PX, middle)
            x += _SAMPLE_PX + _GAP_PX
            words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(x, middle + (metrics.ascent() - metrics.descent()) // 2, words)
            x += metrics.horizontalAdvance(words) + _BETWEEN_PX
        painter.end()


_APART: Final = 0.02
"""Curves whose values differ by less than this share at each common x cannot be told apart."""

_LEAST_POINTS: Final = 2

_MOST: Final = 16
"""Among more curves a sentence about two of them helps nobody, and each is compared with every other."""


def overlap_note(lines: Sequence[Line]) -> str:
    """Say which of the drawn curves lie on an earlier one; "" where all can be told apart."""
    if len(lines) > _MOST:
        return ""
    alone: list[Line] = []
    found: list[str] = []
    for line in lines:
        below = next((other for other in alone if _alike(line, other)), None)
        if below is None:
            alone.append(line)
        else:
            found.append(f"“{line.title}” on “{below.title}”" if line.title != below.title else f"“{line.name}”")
    if not found:
        return ""
    return f"Less than {_APART:.0%} apart, and drawn as one curve: {some_of(found)}.".replace("%", " %", 1)


def _alike(one: Line, other: Line) -> bool:
    """Return whether two curves have all points of the shorter one in common, within `_APART`."""
    (x, y), (other_x, other_y) = _points(one), _points(other)
    common, rows, other_rows = np.intersect1d(x, other_x, return_indices=True)
    if len(common) < max(_LEAST_POINTS, min(len(x), len(other_x))):
        return False
    return bool(np.all(np.abs(y[rows] - other_y[other_rows]) < _APART * np.abs(other_y[other_rows])))


def _points(line: Line) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(line.x) & np.isfinite(line.y)
    return line.x[known], line.y[known]


_EMPTY: Final = np.empty(0)
_BARS: Final = frozenset(("refused", "skipped"))
"""Outcomes of points that never ran."""


class Figures(Protocol):
    """Source of a tab's chart."""

    caption: str
    """What the chart shows, in one or two sentences."""

    def chart(self, series: Sequence[Series]) -> Chart:
        """Return the chart of these series."""

    def describe(self, curve: ChartCurve, row: int) -> Sequence[str]:
        """Return what the chart says of a point beyond its record, in lines."""


@runtime_checkable
class SteppedFigures(Protocol):
    """Interface of figures that take long for many series."""

    def steps(self, series: Sequence[Series]) -> Iterator[None]:
        """Compute what the chart needs, in steps."""


class ChartTab(QWidget):
    """Draws a chart; an unchanged curve keeps its `Line`.

    Axes are logarithmic where the range of the values asks for it, until the user chooses. `lookup` computes what the
    figures need in the background.
    """

    def __init__(self, figures: Figures, lookup: Lookup | None = None) -> None:
        super().__init__()
        self._figures, self._lookup = figures, lookup
        if lookup is not None:
            lookup.setParent(self)
        self._series: Sequence[Series] = ()
        self._prepared: Sequence[Series] = ()
        self._steps: Iterator[None] | None = None
        """What is left to compute of the figures of `_prepared`."""
        self._launches = 0
        """Number of series that have no place on any axis: launches of files that describe no problem."""
        self._lines: Memo[ChartCurve, Line] = Memo(line_of)
        self._curves: dict[str, ChartCurve] = {}
        self._not_drawn: tuple[str, ...] = ()
        """Sentences on what is not drawn."""
        self.plot = LinePlot("", "")
        self.plot.legend.curves_changed.connect(self._show_notes)
        self.plot.pointer.describe = self._describe
        self.run_key = RunKey()
        self.log_x, self.log_y = QCheckBox("log x"), QCheckBox("log y")
        self._chosen = {self.log_x: False, self.log_y: False}
        for box in self._chosen:
            box.toggled.connect(self._choose_scale)
        self.notes = ElidedLabel(role="muted")
        self.notes.hide()
        self.placeholder = label(role="muted", line=True)
        self.placeholder.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tools = QHBoxLayout()
        self.tools.addWidget(self.run_key, 1)
        add_parts(self.tools, self.log_x, self.log_y)
        column = vbox(self, (8, 8, 8, 8))
        column.addLayout(self.tools)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.placeholder)
        column.addWidget(self._stack, 1)
        column.addWidget(self.notes)

    @property
    def caption(self) -> str:
        """What the chart shows."""
        return self._figures.caption

    @property
    def busy(self) -> bool:
        """Whether something is computed in the background."""
        return self._lookup is not None and self._lookup.busy

    def set_measuring(self, measuring: bool) -> None:
        """Compute nothing long while the page measures."""

    def stop_work(self) -> None:
        """End what is computed in the background."""
        if self._lookup is not None:
            self._lookup.close()

    def add_choice(
        self, name: str, choices: Mapping[Any, str], chosen: Callable[[], None], before: str = ""
    ) -> QComboBox:
        """Add a list to the tools, after words that are its name by default; its tooltip has what is cut off."""
        box = QComboBox()
        box.setAccessibleName(name)
        for data, words in choices.items():
            box.addItem(words, data)
        box.currentTextChanged.connect(box.setToolTip)
        box.setToolTip(box.currentText())
        box.activated.connect(chosen)
        self.tools.insertWidget(0, label(before or name))
        self.tools.insertWidget(1, box)
        return box

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self.plot.set_theme(theme)
        self.run_key.set_theme(theme)

    def prepare(self, series: Sequence[Series], seconds: float) -> bool:
        """Compute figures for at most that much processor time; return whether there is time left for `show_series`."""
        if not isinstance(self._figures, SteppedFigures):
            return True
        begun_s = thread_time()
        if self._steps is None or series != self._prepared:
            self._prepared, self._steps = series, self._figures.steps(series)
        return all(thread_time() < begun_s + seconds for _ in self._steps) and thread_time() < begun_s + seconds / 2

    def show_series(self, series: Sequence[Series]) -> None:
        """Draw the chart of these series."""
        self._series = [each for each in series if not each.entry.launch]
        self._launches = len(series) - len(self._series)
        self.redraw()

    def redraw(self) -> None:
        """Draw the chart of the same series anew."""
        chart = self._figures.chart(self._series)
        self._propose_scales(chart)
        self._curves = {curve.series.name: curve for curve in chart.curves}
        show_chart(self.plot, chart, self._lines(chart.curves), self._log)
        self.run_key.show_runs({curve.series.dash: curve.series.origin.name for curve in chart.curves})
        count = self._launches
        launches = f"{count} launch{'es' * (count > 1)} without n: see the table." if count else ""
        self.placeholder.setText(launches or chart.empty)
        drawn = any(len(curve.absent) or np.isfinite(curve.y.middle).any() for curve in chart.curves)
        self._stack.setCurrentWidget(self.plot if drawn or not chart.empty else self.placeholder)
        self._not_drawn = (*chart.notes, *filter(None, [launches]))
        self._show_notes()

    def _show_notes(self) -> None:
        """Say which of the ticked curves lie on each other, and what is not drawn."""
        notes = " ".join(filter(None, [overlap_note(self.plot.visible_lines), *self._not_drawn]))
        self.notes.say(notes)
        self.notes.setVisible(bool(notes))

    def chart(self, series: Sequence[Series]) -> tuple[Chart, tuple[bool, bool]]:
        """Return the chart of the curves that the legend shows, and whether its x and y axes are logarithmic."""
        self.show_series(series)
        chart = self._figures.chart(self._series)
        shown = tuple(curve for curve in chart.curves if self.plot.legend.shows(curve.series.label))
        return replace(chart, curves=shown), self._log

    @property
    def _log(self) -> tuple[bool, bool]:
        """Whether x and y are logarithmic."""
        return self.log_x.isChecked(), self.log_y.isChecked()

    def _propose_scales(self, chart: Chart) -> None:
        for box, log, values in (
            (self.log_x, chart.log[0], [curve.x for curve in chart.curves]),
            (self.log_y, chart.log[1], [curve.y.middle for curve in chart.curves]),
        ):
            if not self._chosen[box]:
                box.blockSignals(True)  # the user has not chosen
                box.setChecked(asks_for_log(np.concatenate([_EMPTY, *values])) if log is None else log)
                box.blockSignals(False)

    def _choose_scale(self) -> None:
        box = self.sender()
        if isinstance(box, QCheckBox):
            self._chosen[box] = True
        log_x, log_y = self._log
        self.plot.set_log(x=log_x, y=log_y)

    def _describe(self, line: Line, row: int) -> Sequence[str]:
        """Return the card of a point: its name, what the chart says of it, and its whole record."""
        curve = self._curves[line.name]
        record = curve.series.rows[row]
        return (f"{line.name}, n = {record.sample.point.size}", *self._figures.describe(curve, row), *details(record))


def show_chart(plot: LinePlot, chart: Chart, lines: Sequence[Line], log: tuple[bool, bool]) -> None:
    """Draw a chart whose curves are these lines; `log` says whether x and y are logarithmic."""
    plot.set_axes(chart.x, chart.y, sizes=chart.sizes, short_y=chart.short_y)
    roofs = [RoofLine(roof.label, np.array(roof.x), np.array(roof.y), roof.shorter) for roof in chart.roofs]
    plot.show_lines(lines, log, roofs, chart.x_range)


def line_of(curve: ChartCurve) -> Line:
    """Return a curve as the plot draws it."""
    series, y = curve.series, curve.y
    points = int(np.count_nonzero(np.isfinite(y.middle)))
    absent = None
    if len(curve.absent):
        absent = np.zeros(len(curve.x), np.int8)
        for row in curve.absent.tolist():
            absent[row] = SKIPPED if series.rows[row].sample.outcome in _BARS else FAILED
    return Line(
        series.name,
        series.place,
        curve.x,
        y.middle,
        y.low,
        y.high,
        tip=f"{series.name} ({series.entry.kernel}): {points} points",
        ticked=series.origin.first is None or series.entry in series.origin.first,
        group=series.label,
        dash=series.dash,
        absent=absent,
        disturbed=series.marked,
    )
