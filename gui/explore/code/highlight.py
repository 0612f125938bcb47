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
