"""The point of a plot that is examined: under the pointer, or chosen with the arrow keys; with a ring and a card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtWidgets import QFrame, QWidget

from gui.widgets.controls import add_parts, label, scale_with_text, vbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

    from gui.theming.theme import Theme
    from gui.widgets.plot_absent import AbsentItem
    from gui.widgets.plot_curves import CurvesItem, Line

    Describe = Callable[[Line, int], Sequence[str]]

_WIDTH_PX: Final = 380
_SHARES: Final = (0.7, 1.0)
"""Of the width of the plot: the most, and the most of a card that is too high otherwise."""
_GAP_PX: Final = 16


class PointCard(QFrame):
    """Card that stays inside its parent and off the point; the pointer goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._heading = label(role="heading")
        self._text = label()
        for part in (self._heading, self._text):
            part.setWordWrap(True)
            part.setTextFormat(Qt.TextFormat.PlainText)
        column = self._column = vbox(self, (10, 8, 10, 8), spacing=4)
        add_parts(column, self._heading, self._text)
        self.hide()

    @property
    def text(self) -> str:
        """What the card says."""
        return f"{self._heading.text()}\n{self._text.text()}"

    def show_lines(self, lines: Sequence[str], at: QPoint) -> None:
        """Show lines, the first as a heading, beside a position of the parent.

        A card that is too high for the parent becomes wider, and then loses its last lines.
        """
        room = self._room.rect()
        self._heading.setText(lines[0])
        self._text.setText("\n".join(lines[1:]))
        width = int(min(scale_with_text(_WIDTH_PX), room.width() * _SHARES[0]))
        if self._column.totalHeightForWidth(width) > room.height():
            width = int(room.width() * _SHARES[1])
        count = len(lines)
        while (height := self._column.totalHeightForWidth(width)) > room.height() and count > 1:
            count -= 1
            self._text.setText("\n".join((*lines[1:count], "…")))
        self.setFixedWidth(width)
        self.setFixedHeight(min(height, room.height()))
        left, top = at.x() + _GAP_PX, at.y() - self.height() // 3
        if left + width > room.right():
            left = at.x() - _GAP_PX - width
        if left < 0:  # neither side has room: above or below
            left = at.x() - width // 2
            below = at.y() + _GAP_PX
            top = below if below + self.height() <= room.bottom() else at.y() - _GAP_PX - self.height()
        self.move(
            *(
                max(min(edge, most), 0)
                for edge, most in ((left, room.width() - width), (top, room.height() - self.height()))
            )
        )
        self.show()
        self.raise_()


_RADIUS_PX: Final = 14.0
_STEPS: Final = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class PointPointer(QObject):
    """Follows the pointer over a plot. Arrow keys go along a curve and from curve to curve; Escape ends it.

    Parameters
    ----------
    plot : AxesView
    curves, absent : items of the plot
    room : QWidget
        Widget around the plot, inside which the card stays.
    """

    def __init__(self, plot: Any, curves: CurvesItem, absent: AbsentItem, room: QWidget) -> None:
        super().__init__(plot)
        self._plot, self._curves, self._absent = plot, curves, absent
        self._box = plot.box
        self._lines: tuple[Line, ...] = ()
        self._colour = "#000000"
        self._at: tuple[str, float, float] | None = None
        """Name of the curve, x and y of the point: they stay when points are added."""
        self.describe: Describe | None = None
        """Returns the lines of a point's card, the first as its heading; without it there are no cards."""
        self.card = PointCard(room)
        self._room = room
        plot.scene().sigMouseMoved.connect(self._moved)
        plot.viewport().installEventFilter(self)
        plot.installEventFilter(self)

    @property
    def point(self) -> tuple[Line, int] | None:
        """The line, and the position of the examined point in it."""
        for line in self._lines:
            if self._at is not None and line.name == self._at[0]:
                same_y = np.isnan(line.y) if np.isnan(self._at[2]) else line.y == self._at[2]
                found = np.flatnonzero((line.x == self._at[1]) & same_y)
                return (line, int(found[0])) if len(found) else None
        return None

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Take the lines that are drawn, in the order of the curves; the examined point stays."""
        self._lines = tuple(lines)
        if self._at is not None:
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._colour = theme.accent
        self.clear()

    def clear(self) -> None:
        """Examine no point."""
        self._at = None
        self.card.hide()
        self._curves.set_ring(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the arrow keys, and see the pointer leave."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel, QEvent.Type.MouseButtonPress):
            self.clear()
        if event.type() == QEvent.Type.KeyPress and watched is self._plot and self.describe is not None:
            return self._press(event)  # type: ignore[arg-type] # its type says that it is a QKeyEvent
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and self._at is not None:
            self.clear()
            return True
        if key not in _STEPS or not self._lines:
            return False
        self._step(*_STEPS[key])
        return True

    def _step(self, curves: int, points: int) -> None:
        """Go to the next point of the curve, or to the nearest one of the next curve that has points."""
        usable = [line for line in self._lines if len(_examined(line))]
        if not usable:
            return
        found = self.point
        if found is None or found[0] not in usable:
            line, row = usable[0], int(_examined(usable[0])[0])
        else:
            line = usable[(usable.index(found[0]) + curves) % len(usable)]
            rows = _examined(line)
            x = found[0].x[found[1]]
            place = (
                int(np.flatnonzero(rows == found[1])[0]) if line is found[0] else int(np.abs(line.x[rows] - x).argmin())
            )
            place += points
            row = int(rows[min(max(place, 0), len(rows) - 1)])
        self._at = (line.name, float(line.x[row]), float(line.y[row]))
        self._show()

    def _moved(self, scene: QPointF) -> None:
        if self.describe is None:
            return
        at = self._box.mapFromScene(scene)
        if not self._box.rect().contains(at):
            self.clear()
            return
        hits = [hit for item in (self._curves, self._absent) if (hit := item.nearest(at, _RADIUS_PX)) is not None]
        if not hits:
            if self._at is not None:
                self.clear()
            return
        _, curve, row = min(hits)
        line = self._lines[curve]
        if self.point != (line, row) or not self.card.isVisible():
            self._at = (line.name, float(line.x[row]), float(line.y[row]))
            self._show()

    def _show(self) -> None:
        found = self.point
        if found is None or self.describe is None:
            self.clear()
            return
        line, row = found
        curve = self._lines.index(line)
        place = self._curves.place_of(curve, row) or self._absent.place_of(curve, row)
        if place is None:
            self.clear()
            return
        self._curves.set_ring(place, self._colour)
        at = self._plot.mapFromScene(self._box.mapToScene(place))
        self.card.show_lines(self.describe(line, row), self._plot.mapTo(self._room, at))


def _examined(line: Line) -> Any:
    """Return the points of a line that are drawn, or marked as absent."""
    drawn = np.isfinite(line.x) & np.isfinite(line.y)
    return np.flatnonzero(drawn if line.absent is None else drawn | (line.absent > 0))
