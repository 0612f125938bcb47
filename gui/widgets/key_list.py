"""List of the window's keys, in three columns by subject."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from gui.theming.style import TEXT_PT
from gui.widgets.controls import hbox
from gui.widgets.keys import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

_COLUMNS = (("Time", "Presenting"), ("Picture",), ("Editing", "Window"))
"""Subjects in each column, about equally many keys."""

_SPACING_PX = 28

_WIDTH_PX = 1200
"""Preferred width at the normal text size."""

_LEAST_PT = 8.0


class KeyList(QWidget):
    """Every key with what it does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = hbox(self, spacing=_SPACING_PX)
        for titles in _COLUMNS:
            column = QLabel(_table(titles))
            column.setTextFormat(Qt.TextFormat.RichText)
            column.setWordWrap(True)
            column.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            row.addWidget(column, 1)

    def fit(self, points: float, room: QSize) -> QSize:
        """Choose the largest text, at most of a size in points, with which the list fits, and return its own size."""
        width = min(room.width(), int(_WIDTH_PX * points / TEXT_PT[0]))
        self._write(points)
        while points > _LEAST_PT and self.heightForWidth(width) > room.height():
            points -= 0.5
            self._write(points)
        return QSize(width, min(room.height(), self.heightForWidth(width)))

    def _write(self, points: float) -> None:
        # A style sheet, because fonts of widgets with one do not pass to their children.
        self.setStyleSheet(f"QLabel {{ font-size: {points}pt; }}")
        for column in self.findChildren(QLabel):
            column.ensurePolished()
        self.updateGeometry()


def _table(titles: Iterable[str]) -> str:
    rows: list[str] = []
    for title in titles:
        rows.append(f"<tr><td colspan='2' style='padding-top: {8 if rows else 0}px'><u>{escape(title)}</u></td></tr>")
        for key in SECTIONS[title].values():
            rows.append(
                f"<tr><td style='white-space: nowrap; padding-right: 16px'><b>{escape(key.words)}</b></td>"
                f"<td>{escape(key.does)}</td></tr>"
            )
    return f"<table cellspacing='0'>{''.join(rows)}</table>"
