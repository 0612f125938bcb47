"""A chart as a picture: the plot of its tab in light colours, and a legend of all its curves."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from gui.measure.results.chart_tab import line_of, show_chart
from gui.measure.results.record import details
from gui.theming.theme import LIGHT
from gui.widgets.legend_rows import ICON
from gui.widgets.plot import LinePlot
from gui.widgets.plot_curves import LINE_PX, Stroke
from gui.widgets.plot_legend import ASTERISK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QPaintDevice

    from gui.measure.results.chart import Chart
    from kernels.bench.store.database import Row

_SIZE: Final = QSize(1000, 460)
"""Least size, pixels; a long legend needs more height."""
_SCALE: Final = 2
_DPI: Final = 96
_PASSES: Final = 2
"""An axis knows the room for its labels once it has painted them, and those labels again fit the room."""
_GAP_PX: Final = 8
_RADIUS_PX: Final = 8
"""Of the circle around a mark in which a drawing shows its record."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG."""

    svg: str
    marks: tuple[tuple[QPointF, str, Row], ...]
    """For each mark: its centre, the name of its curve, and its row."""

    def text(self) -> str:
        """Return one SVG element, without an XML declaration; the record of a point is the tooltip of its mark."""
        tips = []
        for at, name, row in self.marks:
            words = escape("\n".join((name, *details(row))))
            circle = f'<circle cx="{at.x():.1f}" cy="{at.y():.1f}" r="{_RADIUS_PX}" fill-opacity="0">'
            tips.append(f"{circle}<title>{words}</title></circle>")
        head, end, rest = self.svg[self.svg.index("<svg") :].rpartition("</svg>")
        return "\n".join([head, *tips, end + rest])


class ChartPainter:
    """Paints a chart with all its curves.

    Parameters
    ----------
    chart : Chart
    log : (bool, bool)
        Whether x and y are logarithmic.
    title : str
        Name of the picture for screen readers.
    """

    def __init__(self, chart: Chart, log: tuple[bool, bool], title: str) -> None:
        self._chart, self._log, self._title = chart, log, title

    def drawing(self) -> Drawing:
        """Return the chart as SVG."""
        with self._plot() as plot:
            target = QBuffer()
            device = QSvgGenerator()
            device.setOutputDevice(target)
            device.setResolution(_DPI)
            device.setSize(plot.size())
            device.setViewBox(QRect(0, 0, plot.width(), plot.height()))
            device.setTitle(self._title)
            self._paint(device, plot)
            return Drawing(target.data().toStdString(), tuple(self._marks(plot)))

    def image(self) -> QImage:
        """Return the chart as a picture of twice its size."""
        with self._plot() as plot:
            image = QImage(plot.size() * _SCALE, QImage.Format.Format_ARGB32)
            image.setDevicePixelRatio(_SCALE)
            self._paint(image, plot)
            return image

    @contextmanager
    def _plot(self) -> Iterator[LinePlot]:
        """Yield the plot, laid out as if it were shown, and as high as the legend needs it."""
        plot = LinePlot("", "")
        plot.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        plot.resize(_SIZE)
        plot.show()
        show_chart(plot, self._chart, [replace(line_of(curve), ticked=True) for curve in self._chart.curves], self._log)
        plot.resize(_SIZE.width(), max(_SIZE.height(), self._legend(plot, None)))
        for _ in range(_PASSES):
            plot.grab()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        try:
            yield plot
        finally:
            delete(plot)

    def _paint(self, device: QPaintDevice, plot: LinePlot) -> None:
        painter = QPainter(device)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(QApplication.font())
        painter.fillRect(plot.rect(), QColor(LIGHT.panel))
        if any(np.isfinite(curve.y.middle).any() for curve in self._chart.curves):
            plot.plot.render(painter, QRectF(plot.plot.geometry()), plot.plot.rect())
            self._legend(plot, painter)
        else:
            painter.setPen(QColor(LIGHT.text))
            words = self._chart.empty or "No curve has a point."
            painter.drawText(plot.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
        painter.end()

    def _legend(self, plot: LinePlot, painter: QPainter | None) -> int:
        """Paint the runs, unless only this page's is drawn, then the curves, alike in all runs; return the height."""
        runs = dict(sorted({curve.series.dash: curve.series.origin.name for curve in self._chart.curves}.items()))
        strokes = {line.title: plot.stroke(replace(line, dash=0)) for line in plot.lines}
        plain = Stroke(LIGHT.text, LIGHT.text, LINE_PX, 0, "", 0)
        entries: list[tuple[str, Stroke | None]] = [*strokes.items()]
        if any(runs):
            entries = [*((name, plain._replace(dash=dash)) for dash, name in runs.items()), *entries]
        if any(curve.series.marked.any() for curve in self._chart.curves):
            entries.append((ASTERISK, None))
        left, top = plot.legend.x() + _GAP_PX, _GAP_PX
        for words, stroke in entries:
            indent = ICON.width() + _GAP_PX if stroke is not None else 0
            room = QRect(left + indent, top, plot.width() - left - indent - _GAP_PX, plot.height())
            room = QFontMetrics(QApplication.font()).boundingRect(room, Qt.TextFlag.TextWordWrap, words)
            if painter is not None:
                _paint_entry(painter, words, room, stroke)
            top += room.height() + _GAP_PX
        return top

    def _marks(self, plot: LinePlot) -> Iterator[tuple[QPointF, str, Row]]:
        """Yield the marks of points, and those of absent ones."""
        corner = QPointF(plot.plot.pos() + plot.plot.mapFromScene(plot.plot.box.mapToScene(QPointF(0, 0))))
        series = {curve.series.name: curve.series for curve in self._chart.curves}
        shown = [series[line.name] for line in plot.visible_lines]
        points, absent, (x, y) = plot.curves.pixels(), plot.absent.points, plot.absent.places()
        seen = plot.absent.seen(x)
        columns = (
            (points.x, points.y, points.curve, points.row),
            (x[seen], y[seen], absent.curve[seen], absent.row[seen]),
        )
        for x_px, y_px, curve, row in (mark for each in columns for mark in zip(*each, strict=True)):
            yield corner + QPointF(x_px, y_px), shown[curve].name, shown[curve].rows[row]


def _paint_entry(painter: QPainter, words: str, room: QRect, stroke: Stroke | None) -> None:
    """Paint the words of an entry, and before them a piece of its line with its mark."""
    if stroke is not None:
        middle = QPointF(room.left() - _GAP_PX - ICON.width() / 2, room.top() + painter.fontMetrics().height() / 2)
        half = QPointF(ICON.width() / 2, 0)
        painter.setPen(stroke.pen())
        painter.drawLine(middle - half, middle + half)
        if stroke.symbol:
            painter.save()
            painter.translate(middle)
            stroke.paint_mark(painter)
            painter.restore()
    painter.setPen(QColor(LIGHT.text))
    painter.drawText(room, Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextDontClip, words)
