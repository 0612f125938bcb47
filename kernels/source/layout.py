"""Lays preprocessed tokens out as text for the grammar, with a map back to the text as written."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.source.tokens import MAX_NESTING, Text

if TYPE_CHECKING:
    from kernels.source.macros import Piece
    from kernels.source.nodes import Span

_CASTS: Final = {"template", "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"}

_CONVERSIONS: Final = {"signed": "int", "unsigned": "uint32_t", "long": "int64_t", "short": "int16_t"}
"""The grammar reads `int(x)` everywhere, but not `unsigned(x)`."""


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Text for the grammar: directives and inactive lines blank, macros expanded, ASCII only.

    Every token starts at one of `starts`; `pieces` holds the tokens themselves. Each `<` that compares is
    handed to the grammar as `<=` and remembered in `less`: the grammar would take `i < n && j > (k)` for a
    template call. An empty block `{}` is handed over as `{;}`.
    """

    source: Text
    text: str
    starts: list[int]
    pieces: list[Piece]
    less: frozenset[int]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from start up to end of `text` are written: offsets in the source."""
        if not self.pieces:
            return 0, 0
        first = self.pieces[max(0, bisect_right(self.starts, start) - 1)]
        last = self.pieces[max(0, bisect_right(self.starts, max(start, end - 1)) - 1)]
        if first is last or first.argument == last.argument != 0:
            return first.start, last.end
        if first.outer and first.outer == last.outer:
            return first.outer
        return (first.outer or (first.start, 0))[0], (last.outer or (0, last.end))[1]

    def span(self, start: int, end: int) -> Span:
        """Span, as written, of a part of `text`."""
        return self.source.span(*self.written(start, end))


def emit(source: Text, pieces: list[Piece], before: str = "", after: str = "") -> Preprocessed:
    """Lay tokens out where they are written, with `before` and `after` around them; check the brackets."""
    _check_brackets(source, pieces)
    templates = _template_names(pieces)
    empty = _empty_blocks(pieces)
    parts = [before]
    length = len(before)
    starts: list[int] = []
    less: set[int] = set()
    at = 0
    previous: Piece | None = None
    for index, piece in enumerate(pieces):
        start, end = piece.outer or (piece.start, piece.end)
        gap = re.sub(r"[^\n]", " ", source.text[at:start])
        if not gap and (piece.outer or (previous and previous.outer)):
            gap = " "  # tokens that a macro brought side by side stay two tokens
        text = piece.text
        if text == "<" and not (previous and (previous.text in templates or previous.text == "<<")):
            less.add(length + len(gap))
            text = "<="
        elif piece.kind in ("string", "char") and not text.isascii():
            text = "".join(c if c.isascii() else f"\\U{ord(c):08x}" for c in text)
        elif index in empty:
            text = "{;"
        elif text in _CONVERSIONS and index + 1 < len(pieces) and pieces[index + 1].text == "(":
            text = _CONVERSIONS[text]
        starts.append(length + len(gap))
        parts += [gap, text]
        length += len(gap) + len(text)
        at = max(at, end)
        previous = piece
    parts.append(after)
    return Preprocessed(source, "".join(parts), starts, pieces, frozenset(less))


def _template_names(pieces: list[Piece]) -> set[str]:
    """Names after which `<` opens template arguments: the casts, and what this file declares as templates."""
    names = set(_CASTS)
    for i, piece in enumerate(pieces):
        if piece.text != "template":
            continue
        depth = 0
        for j in range(i + 1, len(pieces) - 1):
            text = pieces[j].text
            depth += (text == "<") - (text == ">") - 2 * (text == ">>")
            if depth <= 0 and pieces[j].kind == "name" and pieces[j + 1].text in "({:;":
                if text not in ("__launch_bounds__", "alignas"):
                    names.add(text)
                    break
            elif depth <= 0 and text in ";{":
                break
    return names


def _empty_blocks(pieces: list[Piece]) -> set[int]:
    """Find each `{` of an empty block: the grammar takes some `{}` for a list of values, but never `{;}`."""
    blocks: list[bool] = []
    found: set[int] = set()
    for i, piece in enumerate(pieces):
        if piece.text == "{":
            before = pieces[i - 1].text if i else ";"
            block = before in (")", ";", "}", "else", "do") or (before == "{" and blocks[-1])
            blocks.append(block)
            if block and pieces[i + 1].text == "}":
                found.add(i)
        elif piece.text == "}":
            blocks.pop()
    return found


def _check_brackets(source: Text, pieces: list[Piece]) -> None:
    """Refuse unbalanced or very deep brackets here: a grammar's error for them would point far away."""
    open_: list[Piece] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for piece in pieces:
        if piece.kind != "mark":
            continue
        if piece.text in "([{":
            open_.append(piece)
            if len(open_) > MAX_NESTING:
                raise source.error(piece.start, f"brackets nested deeper than {MAX_NESTING} levels")
        elif piece.text in pairs:
            if not open_:
                raise source.error(piece.start, f"syntax error: this '{piece.text}' closes nothing")
            opened = open_.pop()
            if opened.text != pairs[piece.text]:
                line, column = source.place(opened.start)
                raise source.error(
                    piece.start,
                    f"syntax error: '{piece.text}' does not match the '{opened.text}' of {line}:{column}",
                )
    if open_:
        raise source.error(open_[-1].start, f"syntax error: this '{open_[-1].text}' is never closed")
