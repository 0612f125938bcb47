"""Standard headers: the declarations of `standard.cuh`, and the programs that use them."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kernels.frontend.headers.provided import header_text
from kernels.frontend.lexer.tokens import Text, tokens
from kernels.frontend.preprocessor.macros import Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT: Final = header_text("standard")

_CONTAINERS: Final = {"pair", "tuple", "array"}

_FUNCTIONS: Final = {"swap", "exchange", "make_pair", "make_tuple", "get", "raw_pointer_cast", "clamp", "bit_cast"}

NAMES: Final = (
    frozenset(re.findall(r"(?:struct|using) (\w+)", _TEXT)) - {"type", "alignas", "value_type", "counted_sequence"}
    | _FUNCTIONS
)
"""The declarations."""


@cache
def _pieces() -> tuple[Piece, ...]:
    text = Text("<standard headers>", _TEXT)
    return tuple(
        Piece(*token)._replace(start=0, end=0, outer=(0, 0), origin=(text, token.start, token.end))
        for token in tokens(text)
        if token.kind != "newline"
    )


def required_declarations(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the declarations, to precede a program's own, if it names one of them with its namespace."""
    is_named = any(piece.text in NAMES and before.text == "::" for before, piece in pairwise(pieces))
    return _pieces() if is_named or _uses_namespace_std(pieces) else ()


def _uses_namespace_std(pieces: Sequence[Piece]) -> bool:
    """Return whether a program names a pair, tuple or array without namespace, after `using namespace std`."""
    has_container = any(text.text in _CONTAINERS and after.text == "<" for text, after in pairwise(pieces))
    texts = [piece.text for piece in pieces] if has_container else []
    return any(texts[at : at + 3] == ["using", "namespace", "std"] for at in range(len(texts)))
