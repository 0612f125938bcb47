"""A view box with an axis on its left and one below, as pyqtgraph's PlotWidget without its menus.

A PlotWidget builds two context menus of some 50 widgets, also where menus are disabled. Every style sheet, and with it
every change of theme or text size, polishes each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_APPLICATION: Final = (QEvent.Type.ApplicationPaletteChange, QEvent.Type.ApplicationFontChange)
_MARGIN_PX: Final = 1
_BELOW: Final = -1000.0


class AxesView(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph ships no types
    """View of one view box and its two axes."""

    def __init__(self, left: Any = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.enableMouse(False)  # the view box handles the mouse
        # Axes with grids and curves lie over each other: of a part of the view as much is painted as of the whole one,
        # and then again for the rest of it.
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.scene().installEventFilter(self)
        self.box: Any = pg.ViewBox(enableMenu=False)
        self.bottom: Any = pg.AxisItem("bottom")
        self.left: Any = left or pg.AxisItem("left")
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
        """Keep the application's palette and font from the scene: its colours and sizes are set with the theme.

        A scene that follows them has the window painted before other scenes have taken theirs, also when it is out of
        sight; the window is then painted twice.
        """
        taken: bool = event.type() in _APPLICATION or super().eventFilter(watched, event)
        return taken

    def set_log(self, *, x: bool, y: bool) -> None:
        """Label the axes as logarithmic: their coordinates are exponents."""
        for axis in (self.bottom, self.left):
            axis.setLogMode(x, y)
