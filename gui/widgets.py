"""The few kinds of widgets that every page is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QWidget

from gui.style import TEXT_PT

if TYPE_CHECKING:
    from collections.abc import Callable

Role = Literal["plain", "heading", "muted", "caption", "warning"]


def label(text: str = "", role: Role = "plain", *, line: bool = False) -> QLabel:
    """Return a label; a `line` is one that says something new now and then: it wraps and can be copied."""
    made = QLabel(text)
    made.setProperty("role", role)
    if line:
        made.setWordWrap(True)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def field(name: str, text: str = "", tip: str = "") -> QLineEdit:
    """Return a field to type into, with the name that a screen reader says."""
    made = QLineEdit(text)
    made.setAccessibleName(name)
    made.setToolTip(tip)
    return made


def tool(text: str, tip: str, slot: Callable[[], object] | None = None) -> QToolButton:
    """Return a button."""
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    if slot is not None:
        made.clicked.connect(slot)
    return made


def bold() -> QFont:
    """Return a font for an entry of a list that says one thing: bold. The rest follows the list."""
    made = QFont()
    made.setBold(True)
    return made


def with_text(width_px: int) -> int:
    """Return a width that was chosen for the usual size of text, for the present one."""
    return int(width_px * QApplication.font().pointSizeF() / TEXT_PT[0])


def take_share(part: QWidget, whole_px: int, share: float, limits_px: tuple[int, int]) -> None:
    """Make a part as wide as its share of the whole, within limits, which grow with the text."""
    least, most = (with_text(limit) for limit in limits_px)
    part.setFixedWidth(int(min(most, max(least, whole_px * share))))
