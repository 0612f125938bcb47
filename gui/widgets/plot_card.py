"""Card beside a point of a plot: a heading and lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.widgets.controls import label, scale_with_text

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(4)
        column.addWidget(self._heading)
        column.addWidget(self._text)
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
