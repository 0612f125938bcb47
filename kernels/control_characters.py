r"""Control characters in text that comes from a user's files, written as escapes.

A kernel's printf, a file's name or the text of an #error may contain sequences that clear a terminal, overwrite
earlier output, or reverse the order of the following text. They are shown as \x1b, \r and \u202e.
"""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, delete, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks of writing direction
    "\u2028\u2029\ufff9-\ufffb\U000e0000-\U000e007f]"  # line and paragraph ends, annotations, tags
)
"""Without the joiners U+200C and U+200D, which words of several languages contain."""

_SHORT: Final = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}


def escape_controls(text: str, keep: str = "\t") -> str:
    """Return the text with control characters as C escapes, except those in `keep`."""

    def escape(match: re.Match[str]) -> str:
        character = match[0]
        if character in keep:
            return character
        code = ord(character)
        form = "\\x{:02x}" if code < 0x100 else "\\u{:04x}" if code < 0x10000 else "\\U{:08x}"
        return _SHORT.get(character) or form.format(code)

    return _CONTROLS.sub(escape, text)


def escape_lines(text: str) -> str:
    """Return a text of several lines with its control characters as escapes."""
    return escape_controls(text, "\n\t")
