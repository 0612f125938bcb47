"""Plot of occupancy against threads per block, one mark for each block size of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gui.theming.theme import LIGHT
from kernels.occupancy import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from gui.theming.theme import Theme
    from kernels.launch import Dim3
    from kernels.occupancy.calculate import Kind
    from kernels.occupancy.curve import Point

_SYMBOLS: Final[dict[Kind | None, tuple[str, str, int]]] = {
    "registers": ("t1", "registers", 1),
    "shared memory": ("d", "shared memory", 3),
    "warps": ("s", "warp slots", 0),
    "blocks": ("star", "block slots", 4),
    "barriers": ("x", "barriers", 7),
    None: ("o", "not limited (full)", 2),
}
"""Symbol, word in the legend and position in the theme's series of each limiter; None for a full SM."""

_SYMBOL_PX: Final = 11
_RING_PX: Final = 24
_LEGEND_GAP_PX: Final = 16
_LAST_X: Final = 1085
"""End of the x axis, in threads: leaves room for the label of the last mark."""

_BEYOND_PX: Final = 30
"""Overlap that pyqtgraph allows the label below the last tick: the margin right of the axis."""


class CurvePlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph ships no types
    """Plot of occupancy points, one of them chosen.

    Signals
    -------
    block_picked(Dim3)
        The block of the mark nearest to a click, or next to the chosen one after an arrow key.
    """

    block_picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._points: tuple[Point, ...] = ()
        self._chosen: Dim3 | None = None
        self.setMenuEnabled(False)
        menu = self.getPlotItem().ctrlMenu
        menu.setParent(self, menu.windowFlags())  # else it outlives the widget
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Occupancy against threads per block")
        self._legend = self.addLegend(offset=(-8, -8), colCount=len(_SYMBOLS))
        self.scene().sigMouseClicked.connect(self._clicked)
        self.set_theme(self._theme)

    @property
    def points(self) -> tuple[Point, ...]:
        """Points that are drawn."""
        return self._points

    def show_points(self, points: Sequence[Point], block: Dim3) -> None:
        """Draw points, with a ring and a label on the chosen one."""
        self._points, self._chosen = tuple(points), block
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.setBackground(theme.panel)
        font = QApplication.font()
        style = {"color": theme.text, "font-size": f"{font.pointSizeF():g}pt"}
        for side, label in (("bottom", "threads per block"), ("left", "occupancy (%)")):
            axis = self.getAxis(side)
            axis.setZValue(-1000)  # below marks and label, with its grid lines
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.text))
            axis.setStyle(tickFont=font, hideOverlappingLabels=_BEYOND_PX)
            self.setLabel(side, label, **style)
        self.getAxis("left").setTicks([[(value, str(value)) for value in range(0, 101, 25)]])
        self.getAxis("bottom").setTicks([[(value, str(value)) for value in range(0, 1025, 128)]])
        self.setTitle(
            "Every block size; the shape of a mark says what limits it",
            color=theme.text,
            size=style["font-size"],
        )
        self.showGrid(x=True, y=True, alpha=0.25)
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the legend into lines again."""
        super().resizeEvent(event)
        if hasattr(self, "_legend"):  # pyqtgraph resizes before it is built
            self._fit_legend()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move along the curve with the arrow keys."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        blocks = [point.block for point in self._points]
        if step is None or self._chosen not in blocks:
            super().keyPressEvent(event)
            return
        place = blocks.index(self._chosen) + step
        if 0 <= place < len(blocks):
            self.block_picked.emit(blocks[place])

    def _clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._points:
            return
        view = self.getPlotItem().vb
        at = view.mapSceneToView(event.scenePos())
        width, height = view.viewPixelSize()  # data units per pixel: distances are compared in pixels
        nearest = min(
            self._points,
            key=lambda p: (
                ((p.occupancy.block_threads - at.x()) / width) ** 2
                + 0.1 * ((100 * p.occupancy.fraction - at.y()) / height) ** 2
            ),
        )
        self.block_picked.emit(nearest.block)

    def _draw(self) -> None:
        self.clear()
        self._legend.clear()
        self._legend.setLabelTextColor(self._theme.text)
        self._legend.setLabelTextSize(f"{QApplication.font().pointSizeF():g}pt")
        self._legend.setBrush(pg.mkBrush(self._theme.panel))
        self.setXRange(-30, _LAST_X, padding=0)
        self._fit_legend()
        if not self._points:
            return
        x = [p.occupancy.block_threads for p in self._points]
        y = [100 * p.occupancy.fraction for p in self._points]
        # Up to the next mark a block takes as many warps as that mark: a step that ends at it.
        pen = pg.mkPen(self._theme.muted, width=1.5)
        self.addItem(pg.PlotDataItem(x, y, stepMode="left", pen=pen))
        groups: dict[Kind | None, list[Point]] = {}
        for point in self._points:
            full = point.occupancy.full
            groups.setdefault(None if full else point.occupancy.limiters[0], []).append(point)
        for kind in (k for k in _SYMBOLS if k in groups):
            self._scatter(kind, groups[kind])
        self._fit_legend()
        self._mark_chosen()

    def _fit_legend(self) -> None:
        """Break the legend into lines that fit, with room for them below the curve."""
        count = len(self._legend.items)
        room = self.getPlotItem().vb.width() - _LEGEND_GAP_PX
        for across in range(max(1, count), 0, -1):
            self._legend.setColumnCount(across)
            if self._legend.boundingRect().width() <= room:
                break
        lines = -(-count // across)
        self.setYRange(-4 - 10 * max(0, lines - 1), 116, padding=0)

    def _scatter(self, kind: Kind | None, points: list[Point]) -> None:
        symbol, word, place = _SYMBOLS[kind]
        colour = QColor(self._theme.series[place])
        item = pg.ScatterPlotItem(
            x=[p.occupancy.block_threads for p in points],
            y=[100 * p.occupancy.fraction for p in points],
            data=[_tip(p) for p in points],
            symbol=symbol,
            size=_SYMBOL_PX,
            pen=pg.mkPen(self._theme.text, width=0.8),
            brush=pg.mkBrush(colour),
            hoverable=True,
            tip=lambda x, y, data: data,
        )
        self.addItem(item)
        self._legend.addItem(item, word)

    def _mark_chosen(self) -> None:
        chosen = next((p for p in self._points if p.block == self._chosen), None)
        if chosen is None:
            return
        x, y = chosen.occupancy.block_threads, 100 * chosen.occupancy.fraction
        self.addItem(
            pg.ScatterPlotItem(
                x=[x], y=[y], symbol="o", size=_RING_PX, pen=pg.mkPen(self._theme.accent, width=3), brush=None
            )
        )
        label = pg.TextItem(
            f"{chosen.block}: {words.percent(chosen.occupancy.fraction)}",
            color=self._theme.accent_text,
            fill=pg.mkBrush(self._theme.accent),
            anchor=(0.0 if x < 128 else 1.0 if x > 896 else 0.5, 1.5),
        )
        font = QApplication.font()
        font.setPointSizeF(font.pointSizeF() + 1)
        font.setBold(True)
        label.setFont(font)
        label.setPos(x, y)
        label.setZValue(10)
        self.addItem(label)


def _tip(point: Point) -> str:
    found = point.occupancy
    why = "the SM is full" if found.full else f"limited by {words.limiter_name(found)}"
    return (
        f"{point.block} ({words.plural(found.block_threads, 'thread')}): "
        f"{words.plural(found.resident_blocks, 'block')}, {words.percent(found.fraction)}; {why}"
    )
