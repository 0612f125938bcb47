"""Plot of occupancy against one quantity, a mark for each value at which it changes, and a ring at the present one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gui.theming.theme import LIGHT
from kernels.occupancy import words
from kernels.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent

    from gui.theming.theme import Theme
    from kernels.occupancy import Occupancy
    from kernels.occupancy.calculate import Kind

_SYMBOLS: Final[dict[Kind | None, tuple[str, int]]] = {
    "registers": ("t1", 1),
    "shared memory": ("d", 3),
    "warps": ("s", 0),
    "blocks": ("star", 4),
    "barriers": ("x", 7),
    None: ("o", 2),
}
"""Symbol and position in the theme's series of each limiter; None for a full SM."""

_SYMBOL_PX: Final = 11
_RING_PX: Final = 24
_LEGEND_GAP_PX: Final = 16
_LABEL_LINES: Final = 2.4
"""Height of the chosen mark's label and its distance from the mark, in lines."""
_MARGINS: Final = (0.03, 0.08)
"""Room at the ends of the x axis, as shares of it: for the labels of the first and the last tick."""

_BEYOND_PX: Final = 30
"""Overlap that pyqtgraph allows the label below the last tick: the margin right of the axis."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of the plot."""

    x: float
    occupancy: Occupancy
    words: str
    """Explanation, line by line."""
    value: object
    """What a click on the mark chooses."""
    label: str
    """Its name, such as a block."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The x axis of a plot."""

    title: str
    last: float
    tick: float
    scale: float = 1.0
    """Divisor of the numbers at the ticks."""
    falls: bool = False
    """True if occupancy only falls: then the legend is above the curve, else below it."""


class OccupancyPlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph ships no types
    """Plot of occupancy in steps, each of which ends at a mark.

    Signals
    -------
    value_picked(object)
        The value of the mark nearest to a click, or next to the chosen x after an arrow key.
    """

    value_picked = Signal(object)

    def __init__(self, axis: Axis) -> None:
        super().__init__()
        self._theme = LIGHT
        self._axis = axis
        self._title = ""
        self._stale = True
        """Whether the marks were changed after they were drawn."""
        self.marks: tuple[Mark, ...] = ()
        """Marks that are drawn."""
        self.chosen: Mark | None = None
        """What has the ring and the label."""
        self._label: Any = None
        """Of the chosen mark; None while there is none."""
        self.setMenuEnabled(False)
        menu = self.getPlotItem().ctrlMenu
        menu.setParent(self, menu.windowFlags())  # else it outlives the widget
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Occupancy against {axis.title}")
        self._legend = self.addLegend(offset=(-8, 8 if axis.falls else -8), colCount=len(_SYMBOLS))
        self.scene().sigMouseClicked.connect(self._clicked)
        self.set_theme(self._theme)

    def show_marks(self, marks: Sequence[Mark], chosen: Mark | None, title: str) -> None:
        """Draw marks, with a ring and a label at the chosen one, which may lie between them."""
        self.marks, self.chosen, self._title = tuple(marks), chosen, title
        self.setAccessibleDescription(chosen.words if chosen else "")
        self._draw_when_visible()

    def set_last(self, last: float) -> None:
        """Change the end of the x axis."""
        if last != self._axis.last:
            self._axis = replace(self._axis, last=last)
            self._set_ticks()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.setBackground(theme.panel)
        font = QApplication.font()
        style = {"color": theme.text, "font-size": f"{font.pointSizeF():g}pt"}
        for side, label in (("bottom", self._axis.title), ("left", "occupancy (%)")):
            axis = self.getAxis(side)
            axis.setZValue(-1000)  # below marks and label, with its grid lines
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.text))
            axis.setStyle(tickFont=font, hideOverlappingLabels=_BEYOND_PX)
            self.setLabel(side, label, **style)
        self.getAxis("left").setTicks([[(value, str(value)) for value in range(0, 101, 25)]])
        self._set_ticks()
        self.showGrid(x=True, y=True, alpha=0.25)
        self._draw_when_visible()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the legend into lines again."""
        super().resizeEvent(event)
        if hasattr(self, "_legend"):  # pyqtgraph resizes before it is built
            self._fit_legend()
            self._fit_label()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what has changed while the plot was hidden."""
        super().showEvent(event)
        if self._stale:
            self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move along the marks with the arrow keys."""
        key = Qt.Key(event.key())
        if key not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or self.chosen is None:
            super().keyPressEvent(event)
            return
        values = [mark.value for mark in self.marks]
        if self.chosen.value in values:  # several blocks may have the same number of threads
            place = values.index(self.chosen.value) + (1 if key == Qt.Key.Key_Right else -1)
            following = self.marks[place : place + 1] if place >= 0 else ()
        elif key == Qt.Key.Key_Right:
            following = tuple(mark for mark in self.marks if mark.x > self.chosen.x)[:1]
        else:
            following = tuple(mark for mark in self.marks if mark.x < self.chosen.x)[-1:]
        for mark in following:
            self.value_picked.emit(mark.value)

    def _clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.marks:
            return
        view = self.getPlotItem().vb
        at = view.mapSceneToView(event.scenePos())
        width, height = view.viewPixelSize()  # data units per pixel: distances are compared in pixels
        nearest = min(
            self.marks,
            key=lambda mark: (
                ((mark.x - at.x()) / width) ** 2 + 0.1 * ((100 * mark.occupancy.fraction - at.y()) / height) ** 2
            ),
        )
        self.value_picked.emit(nearest.value)

    def _set_ticks(self) -> None:
        axis, count = self._axis, int(self._axis.last // self._axis.tick)
        values = [number * axis.tick for number in range(count + 1)]
        self.getAxis("bottom").setTicks([[(value, f"{value / axis.scale:g}") for value in values]])

    def _draw_when_visible(self) -> None:
        self._stale = True
        if self.isVisible():
            self._draw()

    def _draw(self) -> None:
        self._stale = False
        self._label = None
        self.clear()
        self._legend.clear()
        self._legend.setLabelTextColor(self._theme.text)
        self._legend.setLabelTextSize(f"{QApplication.font().pointSizeF():g}pt")
        self._legend.setBrush(pg.mkBrush(self._theme.panel))
        self.setTitle(self._title, color=self._theme.text, size=f"{QApplication.font().pointSizeF():g}pt")
        self.setXRange(-_MARGINS[0] * self._axis.last, (1 + _MARGINS[1]) * self._axis.last, padding=0)
        self._fit_legend()
        if not self.marks:
            return
        x = [0.0, *(mark.x for mark in self.marks)]
        y = [100 * mark.occupancy.fraction for mark in (self.marks[0], *self.marks)]
        # Up to the next mark everything is as at that mark: a step that ends at it.
        pen = pg.mkPen(self._theme.muted, width=1.5)
        self.addItem(pg.PlotDataItem(x, y, stepMode="left", pen=pen))
        groups: dict[Kind | None, list[Mark]] = {}
        for mark in self.marks:
            full = mark.occupancy.full
            groups.setdefault(None if full else mark.occupancy.limiters[0], []).append(mark)
        for kind in (k for k in _SYMBOLS if k in groups):
            self._scatter(kind, groups[kind])
        self._fit_legend()
        self._mark_chosen()

    def _fit_legend(self) -> None:
        """Break the legend into lines that fit, with room for them above or below the curve."""
        count = len(self._legend.items)
        room = self.getPlotItem().vb.width() - _LEGEND_GAP_PX
        for across in range(max(1, count), 0, -1):
            self._legend.setColumnCount(across)
            if self._legend.boundingRect().width() <= room:
                break
        lines = 1 if self._axis.falls else -(-count // across)
        bottom = -4 - 10 * max(0, lines - 1)
        # Above 100 % there is room for the label of the chosen mark and the legend, whose heights are in pixels.
        room = _LABEL_LINES * self.fontMetrics().lineSpacing()
        if self._axis.falls:
            room += self._legend.boundingRect().height() + _LEGEND_GAP_PX
        height = max(1.0, float(self.getPlotItem().vb.height()))
        share = min(0.5, (room + _RING_PX / 2) / height)
        below = min(0.2, 0.6 * self.fontMetrics().lineSpacing() / height)  # the label of the tick at 0
        bottom = min(bottom, -100 * below / (1 - share - below))
        self.setYRange(bottom, (100 - bottom * share) / (1 - share), padding=0)

    def _scatter(self, kind: Kind | None, marks: list[Mark]) -> None:
        symbol, place = _SYMBOLS[kind]
        colour = QColor(self._theme.series[place])
        item = pg.ScatterPlotItem(
            x=[mark.x for mark in marks],
            y=[100 * mark.occupancy.fraction for mark in marks],
            data=[mark.words for mark in marks],
            symbol=symbol,
            size=_SYMBOL_PX,
            pen=pg.mkPen(self._theme.text, width=0.8),
            brush=pg.mkBrush(colour),
            hoverable=True,
            tip=lambda x, y, data: data,
        )
        self.addItem(item)
        self._legend.addItem(item, words.LIMITS[kind] if kind else words.NOT_LIMITED)

    def _mark_chosen(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        x, y = chosen.x, 100 * chosen.occupancy.fraction
        self.addItem(
            pg.ScatterPlotItem(
                x=[x], y=[y], symbol="o", size=_RING_PX, pen=pg.mkPen(self._theme.accent, width=3), brush=None
            )
        )
        label = self._label = pg.TextItem(
            f"{chosen.label}: {percent(chosen.occupancy.fraction)}",
            color=self._theme.accent_text,
            fill=pg.mkBrush(self._theme.accent),
        )
        font = QApplication.font()
        font.setPointSizeF(font.pointSizeF() + 1)
        font.setBold(True)
        label.setFont(font)
        label.setPos(x, y)
        label.setZValue(10)
        self.addItem(label)
        self._fit_label()

    def _fit_label(self) -> None:
        """Put the label of the chosen mark above it, inside the plot: where there is room, in the middle."""
        if self._label is None:
            return
        view = self.getPlotItem().vb
        whole, width = max(1.0, float(view.width())), max(1.0, float(self._label.boundingRect().width()))
        low, high = view.viewRange()[0]
        left = (self._label.pos().x() - low) / (high - low) * whole
        self._label.setAnchor((min(max(0.5, 1 - (whole - left) / width), max(0.0, left / width)), 1.5))
