"""Text with links to lessons and exercises."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

if TYPE_CHECKING:
    from collections.abc import Iterable


class Links(QLabel):
    """Links, one a line, in the colours of the theme: Qt gives a text those of the time when it is set."""

    def __init__(self, before: str = "") -> None:
        super().__init__()
        self._before = before
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )

    def offer(self, places: Iterable[tuple[str, str, bool]]) -> None:
        """Show links: the id of a lesson or an exercise, its title, and whether it is done."""
        lines = (f'{"✓ " * done}{escape(self._before)}<a href="{id}">{escape(title)}</a>' for id, title, done in places)
        self.setText("<br>".join(lines))

    def changeEvent(self, event: QEvent) -> None:
        """Set the text again in other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            text = self.text()
            self.clear()
            self.setText(text)
