"""Marks in a text: whole lines, and parts of it with another look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QTextDocument


def offset_of(document: QTextDocument, line: int, column: int) -> int:
    """Return the offset of a place, or of the end of its line; 0 where there is none."""
    block = document.findBlockByNumber(line - 1)
    return block.position() + max(0, min(column, block.length()) - 1) if block.isValid() else 0


def mark_line(document: QTextDocument, line: int, color: QColor, *, rows: bool = True) -> QTextEdit.ExtraSelection:
    """Return the mark of a line, counted from 1: of all `rows` into which it is broken, or of the first."""
    found = QTextEdit.ExtraSelection()
    found.cursor = QTextCursor(document.findBlockByNumber(line - 1))
    if rows:
        found.cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    found.format.setBackground(color)
    found.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    return found


def mark_part(document: QTextDocument, start: int, end: int, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
    """Return the mark of the text between two offsets."""
    found = QTextEdit.ExtraSelection()
    found.cursor = QTextCursor(document)
    found.cursor.setPosition(start)
    found.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    found.format = look
    return found


def underline(
    color: QColor, style: QTextCharFormat.UnderlineStyle = QTextCharFormat.UnderlineStyle.SingleUnderline
) -> QTextCharFormat:
    """Return the look of an underlined text."""
    look = QTextCharFormat()
    look.setUnderlineStyle(style)
    look.setUnderlineColor(color)
    return look
