"""Syntax colours of CUDA C tokens. Imports Pygments, therefore imported late itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.lexers.c_like import CudaLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, String, Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.theming.theme import Theme


def token_colours(text: str, theme: Theme) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (start, length, #rrggbb, bold) of every token that is not plain."""
    series = theme.series
    looks = {
        Comment.Preproc: (series[3] if theme.dark else "#8a3d6b", False),
        Comment: (theme.muted, False),
        Keyword: (series[0], True),
        Keyword.Type: (series[0], False),
        Name.Builtin: (series[2] if theme.dark else "#00664b", True),
        Name.Function: (theme.text, True),
        Number: (series[1] if theme.dark else "#a34700", False),
        String: (series[1] if theme.dark else "#a34700", False),
        Literal: (series[1] if theme.dark else "#a34700", False),
    }
    for start, token, value in CudaLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text):
        kind = token
        while kind is not Token and kind not in looks:
            kind = kind.parent
        if kind in looks and value.strip():
            color, bold = looks[kind]
            yield start, len(value), color, bold
