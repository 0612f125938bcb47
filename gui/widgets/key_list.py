"""List of the window's keys, in two columns by subject."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gui.widgets.keys import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

_SPACING_PX = 40


class KeyList(QWidget):
    """Every key with what it does: moves in time on the left, the rest on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING_PX)
        first, *others = SECTIONS
        for titles, share in (((first,), 4), (others, 5)):
            column = QLabel(_table(titles))
            column.setTextFormat(Qt.TextFormat.RichText)
            column.setWordWrap(True)
            column.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            row.addWidget(column, share)


def _table(titles: Iterable[str]) -> str:
    rows = []
    for title in titles:
        rows.append(f"<tr><td colspan='2'><u>{escape(title)}</u></td></tr>")
        for key in SECTIONS[title].values():
            rows.append(
                f"<tr><td style='white-space: nowrap; padding-right: 16px'><b>{escape(key.words)}</b></td>"
                f"<td>{escape(key.does)}</td></tr>"
            )
    return f"<table cellspacing='0'>{''.join(rows)}</table>"
