"""Axes of a plot, and the view that has one on the left and one below."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, Qt
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QSizePolicy

from gui.theming.style import mix
from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPainter

    from gui.theming.theme import Theme

_LINE_PX: Final = 1.0


class GridAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph ships no types
    """An axis of pyqtgraph, with the same ticks in the same places, for a view with a background of one colour.

    Qt draws a translucent line pixel by pixel, 0.3 ms for one across the plot. A high translucent rectangle is shared
    among threads of Qt, and the window waits for them: 0.2 ms for one line. An opaque one takes 0.005 ms.
    """

    def drawPicture(self, p: QPainter, axisSpec: Any, tickSpecs: Sequence[Any], textSpecs: Sequence[Any]) -> None:
        """Paint grid lines and ticks, then the axis and its numbers."""
        behind = self.getViewWidget().backgroundBrush().color().name()
        for pen, start, end in tickSpecs:
            across, down = abs(end.x() - start.x()), abs(end.y() - start.y())
            left, top = min(start.x(), end.x()), min(start.y(), end.y())
            opaque = mix(behind, pen.color().name(), pen.color().alphaF())
            p.fillRect(QRectF(left, top, max(across, _LINE_PX), max(down, _LINE_PX)), opaque)
        super().drawPicture(p, axisSpec, (), textSpecs)


_MOST_TICKS: Final = 10
_PLAIN: Final = (1e-6, 1e9)
"""Numbers outside are written with an exponent."""

_LARGEST_EXPONENT: Final = 300

_GRID_DIGITS: Final = (tuple(range(1, 10)), (1, 2, 5), (1,))
_GRID_GAP_PX: Final = 12
"""Least mean distance of grid lines: closer ones are grey areas, and 90 of them a fifth of the time of a repaint."""


class RateAxis(GridAxis):
    """A linear one has no label below 0, where the band of absent points is."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float | None) -> list[str]:
        """Return the labels of ticks; those between the labelled ones have none."""
        if self.logMode:
            return [plain(10.0**value) for value in values] if spacing is not None else [""] * len(values)
        places = max(0, ceil(-log10((spacing or 1.0) * scale)))
        return [plain(value * scale, places) if value > -(spacing or 1.0) / 2 else "" for value in values]

    def logTickValues(
        self,
        minVal: float,
        maxVal: float,
        size: float,
        stdTicks: object,
    ) -> list[tuple[float | None, list[float]]]:
        """Return round numbers, and for the grid as many multiples of powers of 10 as have room."""
        low, high = max(minVal, -_LARGEST_EXPONENT), min(maxVal, _LARGEST_EXPONENT)
        labelled = [log10(value) for value in round_numbers(10.0**low, 10.0**high)]
        room = size / _GRID_GAP_PX
        digits = next((digits for digits in _GRID_DIGITS if (high - low) * len(digits) <= room), _GRID_DIGITS[-1])
        between = [place + log10(digit) for place in range(floor(low), ceil(high)) for digit in digits]
        return [(1.0, labelled), (None, [value for value in between if low <= value <= high])]


def plain(value: float, places: int | None = None) -> str:
    """Return a number with separators of thousands, with a number of decimal places or as many as it needs."""
    if value and not _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return f"{value:.3g}"
    return f"{value:,.10g}" if places is None else f"{value:,.{places}f}"


def round_numbers(low: float, high: float, most: int = _MOST_TICKS) -> list[float]:
    """Return 1, 2, 5, 10, 20 ... from `low` to `high`, with fewer per decade, or fewer decades, beyond `most`.

    In a narrow range, multiples of a round step.
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**place for place in decades for digit in digits]
        found = [n for n in found if low <= n <= high]
        if len(found) <= most:
            break
    if len(found) < 2 and high > low:
        step = 10.0 ** floor(log10(high - low))
        step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= _MOST_TICKS)
        return [round(float(n), 12) for n in np.arange(ceil(low / step), floor(high / step) + 1) * step]
    return found[:: -(-len(found) // most)]


_KEPT_FROM_SCENE: Final = (
    QEvent.Type.ApplicationPaletteChange,
    QEvent.Type.ApplicationFontChange,
    QEvent.Type.WindowActivate,
    QEvent.Type.WindowDeactivate,
)
_BEFORE_PAINTING: Final = (QEvent.Type.LayoutRequest, QEvent.Type.UpdateLater)
_MARGIN_PX: Final = 1
_BELOW: Final = -1000.0


class BoxItem(QGraphicsItem):
    """Item that fills a ViewBox without effect on its automatic ranges; its coordinates are the pixels of the box.

    Another range of the axes needs no signal: the box requests its repaint, and with it that of this item, when the
    range is set. Its sigTransformChanged comes later, inside the paint event, where an update() would request a second
    repaint of the same picture.
    """

    def __init__(self, box: Any) -> None:
        super().__init__(box)
        self._box = box
        self._theme = LIGHT
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        box.sigResized.connect(self._resized)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours, except those of the curves."""
        self._theme = theme
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the inside of the box."""
        rect: QRectF = self._box.rect()
        return rect

    def _resized(self) -> None:
        self.prepareGeometryChange()
        self.update()


class AxesView(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph ships no types
    """View of one view box and its two axes, as pyqtgraph's PlotWidget without its menus.

    A PlotWidget builds two context menus of some 50 widgets, also where menus are disabled. Every style sheet, and with
    it every change of theme or text size, polishes each of them.
    """

    def __init__(self, left: Any = None) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.enableMouse(False)  # the view box handles the mouse
        # Axes with grids and curves lie over each other: of a part of the view as much is painted as of the whole one,
        # and then again for the rest of it.
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.scene().installEventFilter(self)
        self.box: Any = pg.ViewBox(enableMenu=False)
        self.bottom: Any = GridAxis("bottom")
        self.left: Any = left or GridAxis("left")
        whole = pg.GraphicsWidget()
        grid = QGraphicsGridLayout()
        grid.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        grid.setSpacing(0)
        grid.setRowStretchFactor(0, 1)
        grid.setColumnStretchFactor(1, 1)
        whole.setLayout(grid)
        for item, row, column in ((self.left, 0, 0), (self.box, 0, 1), (self.bottom, 1, 1)):
            grid.addItem(item, row, column)
        for axis in (self.bottom, self.left):
            axis.linkToView(self.box)
            axis.setZValue(_BELOW)  # below the curves, with its grid lines
        self.setCentralItem(whole)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Have the window painted once for a change.

        A scene paints the window in the queued call after a change of its items, before events that were posted later.
        So deliver first what would have it painted again: requests for layout, updates of widgets that were shown
        (`UpdateLater`), and the range of the view box, which takes it when it is painted.

        Keep the application's palette and font from the scene: its colours and sizes are set with the theme. Keep
        activation from it as well, which a tab loses when it is hidden; no item looks different when it is active. A
        scene that follows them paints before the scene in sight has changed, and the window is then painted twice.
        """
        if event.type() == QEvent.Type.MetaCall:
            for waiting in _BEFORE_PAINTING:
                QCoreApplication.sendPostedEvents(None, waiting)
            self.scene().prepareForPaint()
        taken: bool = event.type() in _KEPT_FROM_SCENE or super().eventFilter(watched, event)
        return taken

    def set_log(self, *, x: bool, y: bool) -> None:
        """Label the axes as logarithmic: their coordinates are exponents."""
        for axis in (self.bottom, self.left):
            axis.setLogMode(x, y)
