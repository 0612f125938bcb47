"""Labels that choose their text for the room that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent


class FittedLabel(QLabel):
    """Base of a label whose text is chosen anew for every width and font."""

    def minimumSizeHint(self) -> QSize:
        """Return a small size: what does not fit is left out."""
        return QSize(0, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the text for the new width."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Choose the text for the new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Choose the text."""
        raise NotImplementedError
