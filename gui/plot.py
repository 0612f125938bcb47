"""Lines on paper, and beside them what each mark stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from gui.style import BODY_PT
from gui.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.theme import Theme

SYMBOLS: Final = ("o", "s", "t1", "d", "star", "t", "p", "h", "t3", "+", "x", "t2", "crosshair")
"""pyqtgraph's names. Their number shares no factor with the palette's eight, so that pairs repeat late."""

_ICON: Final = QSize(34, 18)
_SYMBOL_PX: Final = 11
_LOWEST_EXPONENT: Final = -9.0
"""A logarithmic axis ends here: of GFLOPS, at one operation a second."""

_MOST_TICKS: Final = 10
_LEGEND_PX: Final = 250
_PICTURE_SCALE: Final = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Points by growing x.

    Attributes
    ----------
    place : int
        Picks colour and mark.
    published : bool
        Drawn dashed with hollow marks: numbers of somebody else's.
    low, high : array, optional
        Ends of a bar through each point.
    tip : str
        More than fits beside the mark.
    """

    name: str
    place: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    published: bool = False
    tip: str = ""

    @property
    def symbol(self) -> str:
        """Mark of its points."""
        return SYMBOLS[self.place % len(SYMBOLS)]


class LinePlot(QWidget):
    """Draws lines as they are given, over the axes x and y."""

    def __init__(self, x: str, y: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._lines: tuple[Line, ...] = ()
        self._words: tuple[str, ...] = ()
        self._log_x = self._log_y = False
        self._items: list[Any] = []
        self.plot = pg.PlotWidget()
        self.plot.setMenuEnabled(False)
        menu = self.plot.getPlotItem().ctrlMenu
        menu.setParent(self.plot, menu.windowFlags())  # else it outlives the widget
        self.plot.hideButtons()
        self.set_axes(x, y)
        self.legend = QListWidget()
        self.legend.setFixedWidth(_LEGEND_PX)
        self.legend.setIconSize(_ICON)
        self.legend.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.legend.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.legend.setWordWrap(True)
        self.legend.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.legend.setAccessibleName("Legend")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.plot, 1)
        row.addWidget(self.legend)
        self.set_theme(self._theme)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is drawn."""
        return self._lines

    def set_axes(self, x: str, y: str, words: Sequence[str] = ()) -> None:
        """Name the axes. With `words` x counts through them: 0 is the first word's place."""
        self._words = tuple(words)
        self.plot.setLabel("bottom", x)
        self.plot.setLabel("left", y)
        self.plot.getAxis("left").enableAutoSIPrefix(False)  # a unit is part of the name

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Draw these and nothing else."""
        self._lines = tuple(lines)
        self._draw()

    def set_log(self, *, x: bool, y: bool) -> None:
        """Choose logarithmic axes."""
        self._log_x, self._log_y = x, y
        self.plot.setLogMode(x=x, y=y)
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        self._theme = theme
        self.plot.setBackground(theme.panel)
        font = QFont(self.font())
        font.setPointSizeF(BODY_PT)
        for side in ("bottom", "left"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.text))
            axis.setStyle(tickFont=font)
            axis.label.setFont(font)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self._draw()

    def picture(self) -> QImage:
        """Return plot and legend as they are shown, at twice the resolution."""
        image = QImage(self.size() * _PICTURE_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(_PICTURE_SCALE)
        image.fill(QColor(self._theme.window))
        self.render(image)
        return image

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        self.legend.clear()
        for line in self._lines:
            self._draw_line(line)
            entry = QListWidgetItem(self._icon(line), line.name)
            entry.setToolTip(line.tip or line.name)
            self.legend.addItem(entry)
        self.legend.setVisible(bool(self._lines))
        self._mark_places()
        box = self.plot.getViewBox()
        box.enableAutoRange()
        if self._words:
            box.setXRange(-0.5, len(self._words) - 0.5, padding=0)  # else no room for the words at the ends
        box.setLimits(yMin=_LOWEST_EXPONENT if self._log_y else 0)
        if not self._log_y:
            tops = [float((x.y if x.high is None else x.high).max()) for x in self._lines if len(x.x)]
            box.setYRange(0, (max(tops, default=0.0) or 1.0) * 1.08, padding=0)

    def _draw_line(self, line: Line) -> None:
        use = line.y > 0 if self._log_y else np.ones(len(line.y), bool)  # no logarithm has 0
        if not use.any():
            return
        pen, x, y = self._pen(line), line.x[use], line.y[use]
        drawn = pg.PlotDataItem(
            x, y, pen=pen, antialias=True, symbol=line.symbol, symbolSize=_SYMBOL_PX,
            symbolBrush=self._filling(line), symbolPen=pg.mkPen(pen.color(), width=1.5),
        )  # fmt: skip
        if line.low is not None and line.high is not None:
            middle, low, high = (self._scaled(values[use]) for values in (line.y, line.low, line.high))
            bars = pg.ErrorBarItem(
                x=np.log10(x) if self._log_x else x, y=middle, top=high - middle, bottom=middle - low,
                pen=pg.mkPen(pen.color(), width=1.5),
            )  # fmt: skip
            self._add(bars)
        self._add(drawn)

    def _add(self, item: Any) -> None:
        self.plot.addItem(item)
        self._items.append(item)

    def _scaled(self, values: Any) -> Any:
        return np.log10(values) if self._log_y else values

    def _pen(self, line: Line) -> QPen:
        colours = self._theme.series
        style = Qt.PenStyle.DashLine if line.published else Qt.PenStyle.SolidLine
        pen: QPen = pg.mkPen(colours[line.place % len(colours)], width=2, style=style)
        return pen

    def _filling(self, line: Line) -> QColor:
        return QColor(self._theme.panel) if line.published else self._pen(line).color()

    def _icon(self, line: Line) -> QIcon:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(_ICON * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = self._pen(line)
        painter.setPen(pen)
        painter.drawLine(0, _ICON.height() // 2, _ICON.width(), _ICON.height() // 2)
        painter.translate(_ICON.width() / 2, _ICON.height() / 2)
        drawSymbol(painter, line.symbol, _SYMBOL_PX, pg.mkPen(pen.color(), width=1.5), self._filling(line))
        painter.end()
        return QIcon(picture)

    def _mark_places(self) -> None:
        """Put the ticks of the x axis where something was measured, as long as they fit."""
        axis = self.plot.getAxis("bottom")
        if self._words:
            axis.setTicks([list(enumerate(self._words))])
            return
        measured = sorted({float(x) for line in self._lines for x in line.x})
        if not measured or len(measured) > _MOST_TICKS:
            axis.setTicks(None)
            return
        places = np.log10(measured) if self._log_x else measured
        span = places[-1] - places[0]
        ticks: list[tuple[float, str]] = []
        for place, n in sorted(zip(places, measured, strict=True), reverse=True):
            if not ticks or ticks[-1][0] - place >= span / _MOST_TICKS * 0.75:
                ticks.append((float(place), f"{n:g}"))
        axis.setTicks([ticks])
