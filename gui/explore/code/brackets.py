"""Brackets that belong together."""

from __future__ import annotations

import re
from typing import Final

_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = {close: opening for opening, close in _PAIRS.items()}

_OPAQUE: Final = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[][(){}]""", re.DOTALL
)
"""Comments and literals, whose brackets do not count, and brackets."""


def matching_bracket(text: str, place: int) -> tuple[int, int] | None:
    """Return the offsets of a bracket before or after an offset and of its partner.

    The bracket after the offset goes first. None where there is no bracket, or it has no partner.
    """
    brackets = [(found.start(), found[0]) for found in _OPAQUE.finditer(text) if found[0] in "()[]{}"]
    for wanted in (place, place - 1):
        number = next((n for n, (start, _) in enumerate(brackets) if start == wanted), None)
        if number is not None:
            return _partner(brackets, number)
    return None


def _partner(brackets: list[tuple[int, str]], number: int) -> tuple[int, int] | None:
    start, own = brackets[number]
    forward = own in _PAIRS
    others = brackets[number + 1 :] if forward else reversed(brackets[:number])
    expected = [_PAIRS[own] if forward else _CLOSING[own]]
    for place, other in others:
        if other == expected[-1]:
            expected.pop()
            if not expected:
                return (start, place)
        elif other in (_PAIRS if forward else _CLOSING):
            expected.append(_PAIRS[other] if forward else _CLOSING[other])
        else:
            return None  # a bracket of another kind is closed here
    return None
