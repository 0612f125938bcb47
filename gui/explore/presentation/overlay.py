"""Spotlight and pen over the window of a presentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QPaintEvent

    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.canvas import Canvas

_RADIUS_SHARE: Final = 0.14
"""Radius of the spotlight, as a share of the window's height: some cells of a matrix and their labels."""

_DIM: Final = 0.58
"""Opacity of the dark around the spotlight, through which the picture can still be made out."""

_PEN_SHARE: Final = 0.006
"""Width of a stroke, as a share of the window's height."""

_RIM: Final = 1.8
"""Width of a stroke with its rim, which sets it off from everything below it, in widths of a stroke."""


class Overlay(QWidget):
    """Widget over a whole window that dims all but a circle around the pointer, and paints strokes of a pen.

    The mouse reaches the widgets below: the overlay is transparent to it, and filters the events of the window. It
    keeps those of a stroke, which begins with the left button on a picture while the pen is on.

    Strokes stay while steps are played, since a lecturer circles an element and then shows what happens to it. They are
    wiped when the arrays are drawn elsewhere: in another zoom or size they would mark other elements.

    Parameters
    ----------
    window : QWidget
    pictures : sequence of Canvas
        The first has the colours, and the places that strokes belong to.
    """

    def __init__(self, window: QWidget, pictures: Sequence[Canvas]) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._pictures = pictures
        self._lit = self._pen = self._drawing = False
        self._pointer = QPointF()
        self.strokes: list[QPolygonF] = []
        self._marked: tuple[Raster, ...] | None = None
        """Places of the arrays when the first stroke was drawn."""
        pictures[0].painted.connect(self._wipe_outdated)

    def light(self, on: bool) -> None:
        """Switch the spotlight on or off."""
        self._lit, self._pointer = on, QPointF(self.mapFromGlobal(QCursor.pos()))
        self.update()

    def take_pen(self, on: bool) -> None:
        """Take the pen, or put it down; its strokes stay."""
        self._pen, self._drawing = on, False
        for picture in self._pictures:
            if on:
                picture.setCursor(Qt.CursorShape.CrossCursor)
            else:
                picture.unsetCursor()

    def wipe(self) -> None:
        """Remove all strokes."""
        self.strokes.clear()
        self._marked, self._drawing = None, False
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the spotlight follow the pointer, and draw."""
        if not isinstance(event, QMouseEvent):
            return False
        before, self._pointer = self._pointer, event.position()
        if self._lit:
            self._paint_again(self._spot(before))
            self._paint_again(self._spot(self._pointer))
        left = Qt.MouseButton.LeftButton
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == left and self._on_picture():
            self._drawing = True
            self._marked = self._marked or self._places
            # Qt paints no line of length 0: a click would leave no dot.
            before = self._pointer - QPointF(1, 0)
            self.strokes.append(QPolygonF([before]))
        kept = self._drawing
        if kept:
            self.strokes[-1].append(self._pointer)
            self._paint_again(QRectF(before, self._pointer).normalized())
            self._drawing = bool(event.buttons() & left)
        return kept

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the dark with its hole, and the strokes."""
        theme = self._pictures[0].theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._lit:
            dark = QColor(theme.window if theme.dark else theme.text)
            dark.setAlphaF(_DIM)
            around = QPainterPath()
            around.addRect(self.rect().toRectF())
            spot = self._spot(self._pointer)
            around.addEllipse(spot)
            painter.fillPath(around, dark)
            painter.setPen(QPen(QColor(theme.highlight), self._width / 2))
            painter.drawEllipse(spot)
        for colour, width in ((theme.panel, _RIM * self._width), (theme.hazard, self._width)):
            pen = QPen(QColor(colour), width)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            for stroke in self.strokes:
                painter.drawPolyline(stroke)
        painter.end()

    @property
    def _width(self) -> float:
        """Width of a stroke in pixels."""
        return self.height() * _PEN_SHARE

    @property
    def _places(self) -> tuple[Raster, ...] | None:
        layout = self._pictures[0].picture_layout
        return layout.rasters if layout is not None else None

    def _spot(self, place: QPointF) -> QRectF:
        """Return the square around the circle that is not dimmed."""
        radius = self.height() * _RADIUS_SHARE
        return QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius)

    def _on_picture(self) -> bool:
        """Return whether the pen is on, and the pointer on a picture that nothing covers."""
        found: QWidget | None = self.window().childAt(self._pointer.toPoint()) if self._pen else None
        return found is not None and any(found in (each, *each.children()) for each in self._pictures)

    def _paint_again(self, area: QRectF) -> None:
        """Paint an area again, and what lines on its edge need."""
        rim = _RIM * self._width
        self.update(area.adjusted(-rim, -rim, rim, rim).toAlignedRect())

    def _wipe_outdated(self) -> None:
        if self.strokes and self._places != self._marked:
            self.wipe()
