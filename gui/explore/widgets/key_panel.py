"""Panel with the window's keys, over the page; any key or click hides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from gui.theming.style import TEXT_PT
from gui.widgets.key_list import KeyList

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QMouseEvent
    from PySide6.QtWidgets import QWidget

_MARGIN_PX = 20

_WIDTH_PX = 900
"""Preferred width at the normal text size."""

_LEAST_PT = 8.0


class KeyPanel(QFrame):
    """Frame in the middle of a page. It takes the focus while it is shown, and gives it back."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._page = parent
        self.setObjectName("panel")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        self._list = KeyList(self)
        column.addWidget(self._list)
        self.hide()

    def open(self, page: QWidget, points: float) -> None:
        """Show the keys over a page, in text of a size or as large as there is room."""
        self._page = page
        self.setParent(page)
        room = self._page.rect()
        width = min(room.width(), int(_WIDTH_PX * points / TEXT_PT[0]))
        self._write(points)
        while points > _LEAST_PT and self.heightForWidth(width) > room.height():
            points -= 0.5
            self._write(points)
        self.resize(width, min(room.height(), self.heightForWidth(width)))
        place = self.rect()
        place.moveCenter(room.center())
        self.move(place.topLeft())
        self.show()
        self.raise_()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Hide at any key, which does nothing else."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            self._leave()
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Hide at a click."""
        self._leave()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide when something else is used."""
        super().focusOutEvent(event)
        self.hide()

    def _write(self, points: float) -> None:
        # A style sheet, because fonts of widgets with one do not pass to their children.
        self.setStyleSheet(f"QLabel {{ font-size: {points}pt; }}")
        self._list.updateGeometry()

    def _leave(self) -> None:
        self.hide()
        self._page.setFocus()
