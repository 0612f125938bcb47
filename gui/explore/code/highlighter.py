"""Syntax colours of CUDA C, and of a text that is edited, line by line. Imports Pygments, therefore imported late."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, String, Token
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def token_colours(text: str, theme: Theme) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (start, length, #rrggbb, bold) of every token that is not plain."""
    keyword, builtin, literal, preprocessor = theme.syntax
    looks = {
        Comment.Preproc: (preprocessor, False),
        Comment: (theme.muted, False),
        Keyword: (keyword, True),
        Keyword.Type: (keyword, False),
        Name.Builtin: (builtin, True),
        Name.Function: (theme.text, True),
        Number: (literal, False),
        String: (literal, False),
        Literal: (literal, False),
    }
    for start, token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text):
        kind = token
        while kind is not Token and kind not in looks:
            kind = kind.parent
        if kind in looks and value.strip():
            color, bold = looks[kind]
            yield start, len(value), color, bold
