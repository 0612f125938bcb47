"""Lines on paper; beside them the legend says what each mark stands for, and which are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QIcon, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from gui.plot_legend import ICON, WIDTH_PX, Entry, Legend
from gui.style import mix
from gui.theme import LIGHT
from gui.widgets import with_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.theme import Theme

SYMBOLS: Final = ("o", "s", "t1", "d", "star", "t", "p", "h", "t3", "+", "x", "t2", "crosshair")
"""pyqtgraph's names. Their number shares no factor with the palette's eight, so that pairs repeat late."""

_SYMBOL_PX: Final = 11
_LOWEST_EXPONENT: Final = -9.0
"""A logarithmic axis ends here: of GFLOPS, at one operation a second."""

_MOST_TICKS: Final = 10
_MOST_DECADES: Final = 6
_PALE: Final = 0.72
"""How much of the paper is mixed into the colour of lines that stand back behind one."""

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
    group : str
        Lines of one group are shown, hidden and brought out together, under this name; its own name unless given.
    """

    name: str
    place: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    published: bool = False
    tip: str = ""
    group: str = ""

    @property
    def title(self) -> str:
        """Name in the legend."""
        return self.group or self.name

    @property
    def symbol(self) -> str:
        """Mark of its points."""
        return SYMBOLS[self.place % len(SYMBOLS)]


class LinePlot(QWidget):
    """Draws lines over the axes x and y: of those given, the ones that are ticked in the legend, at first `most`."""

    def __init__(self, x: str, y: str, most: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._lines: tuple[Line, ...] = ()
        self._words: tuple[str, ...] = ()
        self._log_x = self._log_y = False
        self._zero = 0.0
        self._items: list[Any] = []
        self.plot = pg.PlotWidget()
        self.plot.setMenuEnabled(False)
        self.plot.setAccessibleName("Plot")
        menu = self.plot.getPlotItem().ctrlMenu
        menu.setParent(self.plot, menu.windowFlags())  # else it outlives the widget
        self.plot.hideButtons()
        self.set_axes(x, y)
        self.legend = Legend(most)
        self.legend.changed.connect(self._draw)
        self.legend.pointed.connect(self._draw_lines)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.plot, 1)
        row.addWidget(self.legend)
        self.set_theme(self._theme)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What there is to draw."""
        return self._lines

    @property
    def drawn(self) -> tuple[Line, ...]:
        """What is drawn."""
        wanted, theirs = self.legend.shows, self.legend.shows_published
        return tuple(line for line in self._lines if wanted(line.title) and (theirs or not line.published))

    def set_axes(self, x: str, y: str, words: Sequence[str] = ()) -> None:
        """Name the axes. With `words` x counts through them: 0 is the first word's place."""
        self._words = tuple(words)
        for side, name in (("bottom", x), ("left", y)):
            self.plot.getAxis(side).setLabel(name, siPrefixEnableRanges=())  # a unit is part of the name

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Draw these and nothing else."""
        self._lines = tuple(lines)
        self._list_lines()
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
        font.setPointSizeF(QApplication.font().pointSizeF())
        for side in ("bottom", "left"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.text))
            axis.setStyle(tickFont=font)
            axis.label.setFont(font)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self.legend.setFixedWidth(with_text(WIDTH_PX))
        self._list_lines()
        self._draw()

    def picture(self) -> QImage:
        """Return plot and legend as they are shown, at twice the resolution."""
        image = QImage(self.size() * _PICTURE_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(_PICTURE_SCALE)
        image.fill(QColor(self._theme.window))
        self.render(image)
        return image

    def _list_lines(self) -> None:
        """List each group once, by the mark of a line of ours where it has one."""
        first = {line.title: line for line in sorted(self._lines, key=lambda line: not line.published)}
        entries = [
            Entry(title, self._icon(first[title]), first[title].tip or title)
            for title in dict.fromkeys(line.title for line in self._lines)
        ]
        published = {line.published for line in self._lines}
        self.legend.offer(entries, ours=False in published, theirs=True in published)
        self.legend.setVisible(bool(self._lines))

    def _draw(self) -> None:
        """Draw what is wanted, and see to it that the axes hold it."""
        for side in ("bottom", "left"):
            self.plot.getAxis(side).setStyle(
                showValues=bool(self._lines)
            )  # without lines they would mean nothing
        self._zero = self._place_of_zero()
        self._draw_lines()
        self._mark_decades()
        self._mark_places()
        box = self.plot.getViewBox()
        box.enableAutoRange()
        if self._words:
            box.setXRange(-0.5, len(self._words) - 0.5, padding=0)  # else no room for the words at the ends
        box.setLimits(yMin=_LOWEST_EXPONENT if self._log_y else 0)
        if not self._log_y:
            tops = [float((x.y if x.high is None else x.high).max()) for x in self.drawn if len(x.x)]
            box.setYRange(0, (max(tops, default=0.0) or 1.0) * 1.08, padding=0)

    def _draw_lines(self) -> None:
        """Draw what is wanted, the one in focus last and thick, the others thin and pale then."""
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        focus = self.legend.focus
        for line in sorted(self.drawn, key=lambda line: line.title == focus):
            self._draw_line(line, (2 if not focus else 4 if line.title == focus else 1))

    def _draw_line(self, line: Line, width: int) -> None:
        """Draw one: 2 pixels wide, or thick in front of the others, or thin and pale behind one."""
        pen, x = self._pen(line, width), line.x
        y, low, high = (self._above_zero(values) for values in (line.y, line.low, line.high))
        drawn = pg.PlotDataItem(
            x, y, pen=pen, antialias=True, symbol=line.symbol, symbolSize=_SYMBOL_PX + 2 * (width - 2),
            symbolBrush=self._filling(line, pen), symbolPen=pg.mkPen(pen.color(), width=1.5),
        )  # fmt: skip
        if low is not None and high is not None:
            middle, low, high = (self._scaled(values) for values in (y, low, high))
            bars = pg.ErrorBarItem(
                x=np.log10(x) if self._log_x else x, y=middle, top=high - middle, bottom=middle - low,
                pen=pg.mkPen(pen.color(), width=1.5),
            )  # fmt: skip
            self._add(bars)
        self._add(drawn)

    def _place_of_zero(self) -> float:
        """Return where a logarithmic axis shows 0, which no logarithm has: a decade below all else, or nowhere."""
        values = np.concatenate([line.y for line in self.drawn]) if self._log_y and self.drawn else np.ones(1)
        found = values[values > 0]
        if len(found) == len(values):
            return 0.0
        return float(10 ** (np.floor(np.log10(found.min(initial=np.inf))) - 1)) if len(found) else 1.0

    def _mark_decades(self) -> None:
        """Where a logarithmic axis shows 0, say which of its places that is."""
        axis = self.plot.getAxis("left")
        if not self._zero:
            axis.setTicks(None)
            return
        first = round(np.log10(self._zero))
        last = max(int(np.log10(line.y.max(initial=1))) for line in self.drawn)
        step = -(-(last - first) // _MOST_DECADES) or 1
        decades = range(first + step, last + 1, step)
        axis.setTicks([[(first, "0"), *((n, f"1e{n}") for n in decades)]])

    def _add(self, item: Any) -> None:
        self.plot.addItem(item)
        self._items.append(item)

    def _above_zero(self, values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Put what a logarithmic axis cannot show where it shows 0."""
        return np.where(values > 0, values, self._zero) if self._log_y and values is not None else values

    def _scaled(self, values: Any) -> Any:
        return np.log10(values) if self._log_y else values

    def _pen(self, line: Line, width: int = 2) -> QPen:
        colours, paper = self._theme.series, self._theme.panel
        style = Qt.PenStyle.DashLine if line.published else Qt.PenStyle.SolidLine
        colour = mix(colours[line.place % len(colours)], paper, _PALE if width < 2 else 0.0)
        pen: QPen = pg.mkPen(colour, width=width, style=style)
        return pen

    def _filling(self, line: Line, pen: QPen) -> QColor:
        return QColor(self._theme.panel) if line.published else pen.color()

    def _icon(self, line: Line) -> QIcon:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(ICON * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = self._pen(line)
        painter.setPen(pen)
        painter.drawLine(0, ICON.height() // 2, ICON.width(), ICON.height() // 2)
        painter.translate(ICON.width() / 2, ICON.height() / 2)
        drawSymbol(
            painter, line.symbol, _SYMBOL_PX, pg.mkPen(pen.color(), width=1.5), self._filling(line, pen)
        )
        painter.end()
        return QIcon(picture)

    def _mark_places(self) -> None:
        """Put the ticks of the x axis where something was measured, as long as they fit."""
        axis = self.plot.getAxis("bottom")
        if self._words:
            axis.setTicks([list(enumerate(self._words))])
            return
        measured = sorted({float(x) for line in self.drawn for x in line.x})
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
