"""Syntax colours of a text that is edited, line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat

from gui.explore.code.highlight import token_colours

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from gui.theming.theme import Theme

_INSIDE: Final = 1
"""State of a line that ends inside a comment."""

_LONGEST: Final = 2000
"""Characters of a line that is coloured: a longer one was not written by hand."""

_CLOSED: Final = re.compile(r"""//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")


class Highlighter(QSyntaxHighlighter):
    """Colours a line when it is typed, and those after it while a comment opens or closes."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        if theme != self._theme:
            self._theme = theme
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        start = 0
        if self.previousBlockState() == _INSIDE:
            end = text.find("*/")
            start = len(text) if end < 0 else end + 2
            self._colour(0, start, self._theme.muted, bold=False)
            if end < 0:
                self.setCurrentBlockState(_INSIDE)
                return
        rest = text[start:]
        opened = _CLOSED.sub(lambda found: " " * len(found[0]), rest).find("/*")
        self.setCurrentBlockState(_INSIDE if opened >= 0 else 0)
        if opened >= 0:
            self._colour(start + opened, len(text) - start - opened, self._theme.muted, bold=False)
            rest = rest[:opened]
        if len(rest) <= _LONGEST:
            for place, length, color, bold in token_colours(rest + "\n", self._theme):
                self._colour(start + place, length, color, bold)

    def _colour(self, start: int, length: int, color: str, bold: bool) -> None:
        look = QTextCharFormat()
        look.setForeground(QColor(color))
        look.setFontWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
        self.setFormat(start, length, look)
