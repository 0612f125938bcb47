"""Edits of whole lines: indent, comment out. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

STEP: Final = 4
"""Spaces of one level of indentation."""

_COMMENT: Final = "//"


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
