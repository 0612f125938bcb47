"""Places where a sentence must not be broken: between the characters of ++ and --, and between two brackets."""

from __future__ import annotations

from typing import Final

JOINER: Final = "\u2060"
"""Qt breaks no line here; the character has no width."""

_PAIRS: Final = ("][", "++", "--")


def without_breaks(text: str) -> str:
    """Keep the indices of an element, and ++ and --, on one line."""
    for first, second in _PAIRS:
        text = text.replace(first + second, first + JOINER + second)
    return text
