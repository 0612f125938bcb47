"""Label with a file's name, elided in the middle; the whole path is its tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QResizeEvent


class FileName(QLabel):
    """Name in one line, as wide as the room that is left."""

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self.setProperty("role", "muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_file(self, file: Path | None) -> None:
        """Show another file's name; None for no file."""
        self._name = escape_controls(file.name) if file is not None else ""
        self.setToolTip(escape_controls(str(file)) if file is not None else "")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the name anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, self.width()))
