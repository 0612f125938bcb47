"""A view box with an axis on its left and one below, as pyqtgraph's PlotWidget without its menus.

A PlotWidget builds two context menus of some 50 widgets, also where menus are disabled. Every style sheet, and with it
every change of theme or text size, polishes each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy

from gui.widgets.grid_axis import GridAxis

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_KEPT_FROM_SCENE: Final = (
    QEvent.Type.ApplicationPaletteChange,
    QEvent.Type.ApplicationFontChange,
    QEvent.Type.WindowActivate,
    QEvent.Type.WindowDeactivate,
)
_BEFORE_PAINTING: Final = (QEvent.Type.LayoutRequest, QEvent.Type.UpdateLater)
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
