"""Layout that places widgets from left to right, in as many rows as they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Rows of widgets, each at its preferred size, centred in its row; one that does not fit begins the next row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item and return it, or None beyond the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Take no more room than the rows need."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: narrower rows are more rows."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all rows at a width."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def minimumSize(self) -> QSize:
        """Return the size of the largest widget."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def sizeHint(self) -> QSize:
        """Return the smallest size: rows wrap at any width."""
        return self.minimumSize()

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Place the items in rows, if `move`; return the height that they take."""
        margins, gap = self.contentsMargins(), max(0, self.spacing())
        left, right = rect.x() + margins.left(), rect.x() + rect.width() - margins.right()
        x, y, high = left, rect.y() + margins.top(), 0
        rows: list[list[tuple[QLayoutItem, QRect]]] = [[]]
        for item in self._items:
            if item.isEmpty():  # a hidden widget
                continue
            size = item.sizeHint()
            if x > left and x + size.width() > right:
                x, y, high = left, y + high + gap, 0
                rows.append([])
            rows[-1].append((item, QRect(x, y, size.width(), size.height())))
            x, high = x + size.width() + gap, max(high, size.height())
        for row in rows if move else ():
            tallest = max((room.height() for _, room in row), default=0)
            for item, room in row:
                item.setGeometry(room.translated(0, (tallest - room.height()) // 2))
        return y + high + margins.bottom() - rect.y()
