"""Stack of widgets that needs the room of the shown one only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

if TYPE_CHECKING:
    from PySide6.QtCore import QSize


class PageStack(QStackedWidget):
    """Stack whose size hints are those of the current widget; Qt's take the largest of all."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Return the preferred size of the current widget."""
        shown = self.currentWidget()
        return super().sizeHint() if shown is None else shown.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the least size of the current widget."""
        shown = self.currentWidget()
        return super().minimumSizeHint() if shown is None else shown.minimumSizeHint().expandedTo(shown.minimumSize())

    def hasHeightForWidth(self) -> bool:
        """Return whether the height of the current widget depends on its width."""
        shown = self.currentWidget()
        return shown is not None and shown.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        """Return the height of the current widget at a width."""
        shown = self.currentWidget()
        return -1 if shown is None else shown.heightForWidth(width)
