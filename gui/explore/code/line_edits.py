"""Edits of whole lines: indent, comment out; and brackets that belong together. No Qt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

STEP: Final = 4
"""Spaces of one level of indentation."""

_COMMENT: Final = "//"
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = {close: opening for opening, close in _PAIRS.items()}

_OPAQUE: Final = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[][(){}]""", re.DOTALL
)
"""Comments and literals, whose brackets do not count, and brackets."""


def indent_width(line: str) -> int:
    """Return the number of blanks at the beginning of a line."""
    return len(line) - len(line.lstrip(" \t"))


def next_indent(before: str, after: str) -> str:
    """Return the blanks of a new line, of which the text before and after the cursor is given.

    A line after an opening brace is indented one step more, unless the brace is closed there.
    """
    blanks = before[: indent_width(before)]
    opens = before.rstrip().endswith("{") and not after.lstrip().startswith("}")
    return blanks + " " * STEP * opens


def indent(lines: Sequence[str], direction: int) -> list[str]:
    """Move lines one step to the right (1) or to the left (-1); empty lines stay."""
    if direction > 0:
        return [" " * STEP + line if line.strip() else line for line in lines]
    return [line[min(STEP, indent_width(line)) :] for line in lines]


def toggle_comment(lines: Sequence[str]) -> list[str]:
    """Comment lines out at their least indentation, or in again if all of them are comments."""
    written = [line for line in lines if line.strip()]
    if not written:
        return list(lines)
    if all(line.lstrip().startswith(_COMMENT) for line in written):
        return [_uncommented(line) for line in lines]
    at = min(indent_width(line) for line in written)
    return [f"{line[:at]}{_COMMENT} {line[at:]}" if line.strip() else line for line in lines]


def _uncommented(line: str) -> str:
    before, mark, after = line.partition(_COMMENT)
    return before + after.removeprefix(" ") if mark else line


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
