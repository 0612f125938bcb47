"""Label of several lines whose height stays the same while its text changes."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d) (?=%|µs|ms|ns|s\b|bytes|blocks|warps)")


def unbroken(text: str) -> str:
    """Keep each number and its unit on one line."""
    return _NUMBER_AND_UNIT.sub("\N{NO-BREAK SPACE}", text)


class Explanation(QLabel):
    """Selectable plain text with room for at least a number of lines."""

    def __init__(self, lines: int = 1, role: str = "") -> None:
        super().__init__(wordWrap=True)
        self._lines = lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        if role:
            self.setProperty("role", role)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(unbroken(text))

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text, or of the least number of lines."""
        return max(super().heightForWidth(width), self._least)

    def minimumSizeHint(self) -> QSize:
        """Return the room that the least number of lines needs."""
        return QSize(0, self._least)

    @property
    def _least(self) -> int:
        return self._lines * self.fontMetrics().lineSpacing()
