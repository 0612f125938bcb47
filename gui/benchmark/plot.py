"""The curves on paper: GFLOPS against n, and beside them what each mark stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from gui.benchmark.curves import label
from gui.style import BODY_PT
from gui.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gui.benchmark.curves import Curve
    from gui.theme import Theme

_ICON: Final = QSize(34, 18)
_SYMBOL_PX: Final = 11
_LOWEST_EXPONENT: Final = -9.0
"""A logarithmic axis of GFLOPS ends at one operation a second."""

_MOST_TICKS: Final = 10
_LEGEND_PX: Final = 250
_DASHES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)


class CurvePlot(QWidget):
    """Draws curves as they are given, under the names that `titles` has for their kernels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._curves: tuple[Curve, ...] = ()
        self._log_x = self._log_y = False
        self.titles: Mapping[str, str] = {}
        self._items: list[Any] = []
        self.plot = pg.PlotWidget()
        self.plot.setMenuEnabled(False)
        menu = self.plot.getPlotItem().ctrlMenu
        menu.setParent(self.plot, menu.windowFlags())  # else it outlives the widget
        self.plot.hideButtons()
        self.plot.setLabel("bottom", "n")
        self.plot.setLabel("left", "GFLOPS")
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

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """Draw these and nothing else."""
        self._curves = tuple(curves)
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

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        self.legend.clear()
        for curve in self._curves:
            self._draw_curve(curve)
            name = label(curve.entry, self.titles)
            entry = QListWidgetItem(self._icon(curve), name)
            entry.setToolTip(f"{name} ({curve.entry.kernel}): {len(curve.n)} points")
            self.legend.addItem(entry)
        self.legend.setVisible(bool(self._curves))
        self._mark_sizes()
        box = self.plot.getViewBox()
        box.enableAutoRange()
        box.setLimits(yMin=_LOWEST_EXPONENT if self._log_y else 0)
        if not self._log_y:
            rates = [float(c.high.max()) for c in self._curves if len(c.n)]
            box.setYRange(0, max(rates, default=1.0) * 1.08, padding=0)

    def _draw_curve(self, curve: Curve) -> None:
        if not len(curve.n):
            return
        pen = self._pen(curve)
        line = pg.PlotDataItem(
            curve.n, curve.gflops, pen=pen, antialias=True, symbol=curve.symbol, symbolSize=_SYMBOL_PX,
            symbolBrush=pen.color(), symbolPen=pg.mkPen(pen.color(), width=1.5),
        )  # fmt: skip
        middle, low, high = (self._y(values) for values in (curve.gflops, curve.low, curve.high))
        bars = pg.ErrorBarItem(
            x=np.log10(curve.n) if self._log_x else curve.n, y=middle, top=high - middle, bottom=middle - low,
            pen=pg.mkPen(pen.color(), width=1.5),
        )  # fmt: skip
        for item in (bars, line):
            self.plot.addItem(item)
            self._items.append(item)

    def _y(self, values: Any) -> Any:
        return np.log10(values) if self._log_y else values

    def _pen(self, curve: Curve) -> QPen:
        colours = self._theme.series
        dash = _DASHES[curve.number // len(colours) % len(_DASHES)]
        pen: QPen = pg.mkPen(colours[curve.number % len(colours)], width=2, style=dash)
        return pen

    def _icon(self, curve: Curve) -> QIcon:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(_ICON * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = self._pen(curve)
        painter.setPen(pen)
        painter.drawLine(0, _ICON.height() // 2, _ICON.width(), _ICON.height() // 2)
        painter.translate(_ICON.width() / 2, _ICON.height() / 2)
        drawSymbol(painter, curve.symbol, _SYMBOL_PX, pg.mkPen(pen.color(), width=1.5), QColor(pen.color()))
        painter.end()
        return QIcon(picture)

    def _mark_sizes(self) -> None:
        """Put the ticks of the n axis where something was measured, as long as they fit."""
        measured = sorted({float(n) for curve in self._curves for n in curve.n})
        axis = self.plot.getAxis("bottom")
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
