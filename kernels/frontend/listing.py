"""Listing: a source as it was compiled, line by line, for readers of one run.

A file can be several programs: `-D X_ON_COLUMN=1` decides what `blockIdx.ROW` means. In the listing of a run, names of
macros that are code and not numbers are replaced by what they expand to, and the branches that the preprocessor left
out are known. Lines keep their numbers: `blockIdx.ROW` is listed as `blockIdx.y`. `TILE_WIDTH` stays: it is a number
with a name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from kernels.errors import TilescopeError
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.lexer.tokens import Text
from kernels.frontend.parse import parse_expression
from kernels.frontend.preprocessor.directives import preprocess
from kernels.frontend.unparse.expressions import one_line_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Span
    from kernels.frontend.preprocessor.macros import Piece

_DEFINED: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)

_TIGHT_BEFORE_NEXT: Final = {"(", "[", ".", "->", "::", "!", "~"}
"""Tokens without a blank after them, in an expansion."""

_TIGHT_AFTER_LAST: Final = {")", "]", "(", "[", ".", "->", "::", ",", ";"}
"""Tokens without a blank before them."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The name of a macro and its expansion, which is on the same line."""

    line: int
    column: int
    """Column of the name in the file, counted from 1."""
    name: str
    expansion: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A source as it was compiled."""

    text: str
    """The lines of the file, with replacements."""
    replacements: tuple[Replacement, ...] = ()
    """Sorted by line and column."""
    skipped: frozenset[int] = frozenset()
    """Lines that the preprocessor left out."""

    def span(self, span: Span) -> Span:
        """Convert a span of the file to one of the listing."""
        if span.inside is not None:
            return span
        return replace(
            span,
            column=self._column(span.line, span.column, end=False),
            end_column=self._column(span.end_line, span.end_column, end=True),
        )

    def one_line_text(self, span: Span, included: Sequence[tuple[str, str]] = ()) -> str:
        """Return the text of a span of the file as it is listed, on one line."""
        return one_line_text(self.text, self.span(span), included)

    def _column(self, line: int, column: int, *, end: bool) -> int:
        """Convert a column; one inside of a name becomes the beginning, or the `end`, of its expansion."""
        moved = 0
        for change in self._on_line(line):
            if column <= change.column:
                break
            longer = len(change.expansion) - len(change.name)
            if column < change.column + len(change.name):
                return change.column + moved + (len(change.expansion) if end else 0)
            moved += longer
        return column + moved

    def _on_line(self, line: int) -> tuple[Replacement, ...]:
        first = bisect_right(self.replacements, line - 1, key=lambda change: change.line)
        return self.replacements[first : bisect_right(self.replacements, line, key=lambda change: change.line)]


@lru_cache(maxsize=16)
def listing_of(
    text: str,
    file: str,
    defines: tuple[tuple[str, str], ...] = (),
    included: tuple[tuple[str, str], ...] = (),
) -> Listing:
    """Return the listing of a source; the source as written where the preprocessor refuses it.

    Parameters
    ----------
    text, file : str
        The source and its name.
    defines : tuple of (name, value)
        Macros from outside.
    included : tuple of (name, text)
        Local files that it includes.
    """
    source = Text(file, text)
    try:
        result = preprocess(
            source, defines, lambda condition: evaluate(parse_expression(condition), {}), included=dict(included)
        )
    except TilescopeError:
        return Listing(text)
    own = set(_DEFINED.findall(text)) - {name.partition("(")[0] for name, _ in defines}
    found: dict[tuple[int, int], Replacement] = {}
    # An argument that a macro uses twice is expanded twice, in the same place: the first is enough.
    for (start, end), pieces in groupby(result.pieces, key=lambda piece: (piece.start, piece.end)):
        name, expansion = text[start:end], list(pieces)
        if name not in own or not _is_code(name, expansion):
            continue
        line, column = source.place(start)
        found.setdefault((line, column), Replacement(line, column, name, _join(expansion)))
    replacements = tuple(found[place] for place in sorted(found))
    lines = text.split("\n")
    for change in reversed(replacements):
        line_text, at = lines[change.line - 1], change.column - 1
        lines[change.line - 1] = line_text[:at] + change.expansion + line_text[at + len(change.name) :]
    return Listing("\n".join(lines), replacements, result.skipped)


def _is_code(name: str, expansion: list[Piece]) -> bool:
    """Return whether a name was expanded to something else than a constant."""
    if any(piece.outer is None or piece.origin is not None for piece in expansion):
        return False
    if [piece.text for piece in expansion] == [name]:
        return False
    return any(piece.kind == "name" for piece in expansion)


def _join(expansion: list[Piece]) -> str:
    """Write tokens on one line: a blank between any two, except around brackets, points and before commas."""
    text = expansion[0].text
    for left, right in pairwise(piece.text for piece in expansion):
        text += right if left in _TIGHT_BEFORE_NEXT or right in _TIGHT_AFTER_LAST else f" {right}"
    return text
