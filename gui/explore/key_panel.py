"""Panel with the window's keys, over the page; any key or click hides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QFrame

from gui.widgets.controls import vbox
from gui.widgets.key_list import KeyList

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QMouseEvent
    from PySide6.QtWidgets import QWidget

_MARGIN_PX = 14
_EDGE_PX = 2


class KeyPanel(QFrame):
    """Frame in the middle of a page. It takes the focus while it is shown, and gives it back."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._page = parent
        self.setObjectName("panel")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column = vbox(self, (_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX))
        self._list = KeyList(self)
        column.addWidget(self._list)
        self.hide()

    def open(self, page: QWidget, points: float) -> None:
        """Show the keys over a page, in text of a size or as large as there is room."""
        self._page = page
        self.setParent(page)
        around = QSize(2 * (_MARGIN_PX + _EDGE_PX), 2 * (_MARGIN_PX + _EDGE_PX))
        self.resize(self._list.fit(points, page.size() - around) + around)
        place = self.rect()
        place.moveCenter(page.rect().center())
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

    def _leave(self) -> None:
        self.hide()
        self._page.setFocus()
