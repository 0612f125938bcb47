"""A position in the tokens of a program, with spans and located errors."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn

from kernels.frontend.ast import Span
from kernels.frontend.ast.declarations import not_found
from kernels.frontend.lexer.tokens import MAX_NESTING, wrong_token_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.errors import Cause, SourceError
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece

_MAX_SHOWN: Final = 40
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}

FOREIGN: Final = {
    *("std", "cuda", "nvstd", "thrust", "cub", "cute", "cutlass", "wmma", "nvcuda", "cooperative_groups", "cg"),
}
"""Namespaces of libraries: an unknown name in them is not due to a missing file."""

KEYWORDS: Final = frozenset(
    {
        *("alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const"),
        *("constexpr", "const_cast", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast"),
        *("else", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int"),
        *("long", "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "protected", "public"),
        *("register", "reinterpret_cast", "return", "short", "signed", "sizeof", "static", "static_assert"),
        *("static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef"),
        *("typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "__global__"),
        *("__device__", "__host__", "__shared__", "__constant__", "__restrict__", "__forceinline__"),
    }
)
"""Words that cannot be names."""


class Cursor:
    """The tokens of a program and the index of the next one."""

    missing_files: tuple[str, ...] = ()
    """Included files that were not found: they may declare an unknown name."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        self.source = source
        self.pieces = pieces
        # Four empty tokens after the last: looking ahead needs no test for the end.
        self.texts = [piece.text for piece in pieces] + [""] * 4
        self.kinds = [piece.kind for piece in pieces] + ["end"] * 4
        self.closes = _partners(source, pieces)
        """Index of the closing bracket, by the index of the opening one."""
        self.at = 0
        """Index of the next token."""
        self.depth = 0
        """Levels of nesting that are open."""

    @contextmanager
    def with_more_tokens(self, pieces: list[Piece]) -> Iterator[None]:
        """Append tokens to those of the file, and go to the first of them, until the context ends."""
        outside, first = self.at, len(self.pieces)
        self.pieces += pieces
        self.texts[first:first] = [piece.text for piece in pieces]
        self.kinds[first:first] = [piece.kind for piece in pieces]
        try:
            pairs = _partners(self.source, pieces)
            self.closes.update((first + opened, first + closed) for opened, closed in pairs.items())
            self.at = first
            yield
        finally:
            self.at = outside
            for opened in [index for index in self.closes if index >= first]:
                del self.closes[opened]
            for tokens in (self.pieces, self.texts, self.kinds):
                del tokens[first : first + len(pieces)]

    @property
    def text(self) -> str:
        """The next token's text; "" at the end."""
        return self.texts[self.at]

    @property
    def kind(self) -> str:
        """The next token's kind; "end" at the end."""
        return self.kinds[self.at]

    # --- moving

    def take(self, text: str) -> bool:
        """Skip the next token if it has this text; return whether it has."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def advance(self) -> int:
        """Skip the next token; return its index."""
        self.at += 1
        return self.at - 1

    def require(self, text: str) -> int:
        """Skip the next token; return its index.

        Raises
        ------
        SourceError
            When it has another text.
        """
        if self.texts[self.at] != text:
            self.refuse_missing(f"'{text}'")
        return self.advance()

    def name(self) -> str:
        """Skip a name and return it."""
        text = self.texts[self.at]
        if self.kinds[self.at] != "name" or text in KEYWORDS:
            self.refuse_missing("a name")
        self.at += 1
        return text

    def past_angles(self, at: int) -> int:
        """Return the token after the `>` that closes the `<` at a token."""
        depth = 0
        while self.texts[at] not in ("", ";", "{", "}"):
            text = self.texts[at]
            depth += (text == "<") - (text == ">") - 2 * (text == ">>")
            if depth < 0:
                break  # `A<B<int>>` from the inner `<`: the second half of >> closes the outer list
            at = self.closes.get(at, at) + 1
            if depth == 0:
                break
        return at

    # --- spans

    def span(self, first: int, last: int = -1) -> Span:
        """Return the span, as written, of the tokens from first to last; without `last`, up to the previous one."""
        last = max(first, last if last >= 0 else self.at - 1)
        a, b = self.pieces[first], self.pieces[last]
        start, end = (a.start, b.end) if a.outer is b.outer is None else self.offsets(first, last)
        # As Text.span, without the calls: a span is computed for every node.
        starts = self.source.starts
        line, end_line = bisect_right(starts, start), bisect_right(starts, end)
        column, end_column = start - starts[line - 1] + 1, end - starts[end_line - 1] + 1
        if a.origin is None:
            return Span(line, column, end_line, end_column)
        text, start, end = a.origin
        if b.origin is not None and b.origin[0] is text:
            end = max(end, b.origin[2])
        inside = replace(text.span(start, end), file=text.file)
        return Span(line, column, end_line, end_column, inside=inside)

    def offsets(self, first: int, last: int) -> tuple[int, int]:
        """Return the offsets in the source of the tokens from first to last."""
        a, b = self.pieces[first], self.pieces[max(first, last)]
        if a is b or a.argument == b.argument != 0:
            return a.start, b.end
        if a.outer and a.outer == b.outer:
            return a.outer
        return (a.outer or (a.start, 0))[0], (b.outer or (0, b.end))[1]

    def excerpt(self, first: int, last: int) -> str:
        """Return the text of tokens on one line, shortened."""
        if any(piece.origin for piece in self.pieces[first : last + 1]):
            text = " ".join(self.texts[first : last + 1])
        else:
            start, end = self.offsets(first, last)
            text = " ".join(self.source.text[start:end].split())
        return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN].rstrip() + " …"

    # --- errors

    def error(self, index: int, reason: str, cause: Cause | None = None) -> SourceError:
        """Return an error at a token."""
        if index >= len(self.pieces):
            return self.source.error(len(self.source.text), reason, cause)
        piece = self.pieces[index]
        if piece.origin is not None:
            return piece.origin[0].error(piece.origin[1], reason, cause)
        return self.source.error(piece.start, reason, cause)

    def refuse(self, index: int, reason: str, cause: Cause | None = None) -> NoReturn:
        """Raise an error at a token."""
        raise self.error(index, reason, cause)

    def unsupported(self, index: int, construct: str, instead: str = "") -> NoReturn:
        """Refuse a construct by name, with the nearest supported one."""
        self.refuse(index, f"not supported: {construct}" + (f"; {instead}" if instead else ""))

    def unknown(self, index: int, construct: str, instead: str) -> NoReturn:
        """Refuse an unknown name; the advice names included files that are missing, which may declare it."""
        foreign = self.texts[index] in FOREIGN
        self.unsupported(index, construct, instead if foreign else self.or_missing_files(instead))

    def or_missing_files(self, instead: str) -> str:
        """Return advice for the included files that are missing; `instead` if none is."""
        return not_found(self.missing_files) or instead

    def refuse_missing(self, what: str) -> NoReturn:
        """Report that something is missing; at the end of a line or bracket, after the previous token."""
        at = self.at
        if self.kinds[at] == "wrong":
            self.refuse(at, wrong_token_message(self.texts[at]))
        if at == 0:
            self.refuse_token()
        ends = self.texts[at] in (")", "]", "}", ";", "", "else")
        if not ends and not self.begins_line(at):
            self.refuse_token()
        raise self._after(at - 1, f"syntax error: expected {what} after ")

    def refuse_token(self) -> NoReturn:
        """Report a syntax error at the next token."""
        at = self.at
        if self.kinds[at] == "wrong":
            self.refuse(at, wrong_token_message(self.texts[at]))
        if self.kinds[at] == "end":
            self.refuse(at, "syntax error: the source ends here")
        self.refuse(at, f"syntax error near '{self.excerpt(at, at)}'")

    def begins_line(self, index: int) -> bool:
        """Return whether a token is the first on its line."""
        return self._line(index) != self._line(index - 1)

    def _line(self, index: int) -> tuple[str, int]:
        piece = self.pieces[index]
        if piece.origin is not None:
            return piece.origin[0].file, piece.origin[0].place(piece.origin[1])[0]
        return "", self.source.place(piece.start)[0]

    def _after(self, index: int, reason: str) -> SourceError:
        """Return an error after a token that shows the line up to there."""
        piece = self.pieces[index]
        source, end = self.source, piece.outer[1] if piece.outer else piece.end
        if piece.origin is not None:
            source, _, end = piece.origin
        line = source.text[source.starts[source.place(max(end - 1, 0))[0] - 1] : end].strip()
        if len(line) > _MAX_SHOWN:
            line = "… " + line[-_MAX_SHOWN:].lstrip()
        return source.error(end, f"{reason}'{line}'")

    # --- depth

    def enter_level(self) -> None:
        """Begin a level of nesting; the caller ends it by `depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.refuse_nesting()

    def refuse_nesting(self) -> NoReturn:
        """Report at the next token that constructs are nested too deep."""
        self.refuse(self.at, f"nested deeper than {MAX_NESTING} levels")


def _partners(source: Text, pieces: list[Piece]) -> dict[int, int]:
    """Pair the brackets of all tokens; refuse brackets that do not match."""
    pairs: dict[int, int] = {}
    open_: list[int] = []
    for index, piece in enumerate(pieces):
        text = piece.text
        if text in ("(", "[", "{"):
            open_.append(index)
            if len(open_) > MAX_NESTING:
                raise _error(source, piece, f"brackets nested deeper than {MAX_NESTING} levels")
        elif text in _PAIRS:
            if not open_:
                raise _error(source, piece, f"syntax error: this '{text}' closes nothing")
            opening = open_.pop()
            pairs[opening] = index
            if pieces[opening].text != _PAIRS[text]:
                line, column = source.place(pieces[opening].start)
                raise _error(
                    source,
                    piece,
                    f"syntax error: '{text}' does not match the '{pieces[opening].text}' of {line}:{column}",
                )
    if open_:
        piece = pieces[open_[-1]]
        raise _error(source, piece, f"syntax error: this '{piece.text}' is never closed")
    return pairs


def _error(source: Text, piece: Piece, reason: str) -> SourceError:
    if piece.origin is not None:
        return piece.origin[0].error(piece.origin[1], reason)
    return source.error(piece.start, reason)
