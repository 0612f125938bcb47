"""Source text and its tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kernels.errors import Cause, SourceError
from kernels.frontend.ast import Span

MAX_CHARACTERS: Final = 512 * 1024
"""Longest source, in characters: parsing it takes about a second. Kernels written by hand are below a tenth of it."""

MAX_NESTING: Final = 256
"""Deepest nesting of brackets and of nodes: it bounds the recursion of functions that walk the tree."""

TOKEN: Final = re.compile(
    r"""(?P<newline>\n)
    |(?P<space>(?:[ \t\f\v\r\ufeff]|\\\r?\n)+|//(?:\\\r?\n|[^\n])*|/\*.*?\*/)
    |(?P<raw>(?:u8|[uUL])?R"(?P<mark_>[^()\\\s]*)\(.*?\)(?P=mark_)")
    |(?P<string>(?:u8|[uUL])?"(?:\\(?:\r\n|.)|[^"\\\n])*")
    |(?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z]|[.\w])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>\.\.\.|<<=|>>=|<=>|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\#\#|[][(){}<>=!~&|^?:;,.+*/%#-])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)

_REST_OF_LINE: Final = re.compile(r"[^\n]*")


class Token(NamedTuple):
    """One token."""

    kind: str
    """Name of the group of `TOKEN` that matched, or "wrong"."""
    text: str
    start: int
    """Offset in the text."""
    end: int
    """Offset after the token."""


@dataclass(frozen=True, slots=True)
class Text:
    """A source text: converts offsets to lines and columns, and makes errors that point into it."""

    file: str
    text: str
    starts: list[int] = field(init=False)
    """Offsets of the first character of each line."""

    def __post_init__(self) -> None:
        starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        object.__setattr__(self, "starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset, both from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from start up to end."""
        return Span(*self.place(start), *self.place(end))

    def error(self, offset: int, reason: str, cause: Cause | None = None) -> SourceError:
        """Return an error at an offset."""
        return SourceError(self.file, *self.place(min(offset, len(self.text))), reason, cause)


def tokens(source: Text) -> list[Token]:
    """Split a source into tokens, white space and comments left out, ends of lines kept.

    Characters that are no token of C arrive as one of kind "wrong". The parser refuses it only where it needs a token:
    host code, and lines between `#if 0` and `#endif`, are never parsed.

    Raises
    ------
    SourceError
        For a source that is too long, or an unclosed comment.
    """
    text = source.text
    if len(text) > MAX_CHARACTERS:
        raise source.error(0, f"the source has {len(text):,} characters, at most {MAX_CHARACTERS:,} are read")
    found: list[Token] = []
    at, end, match_at = 0, len(text), TOKEN.match
    while at < end:
        match = match_at(text, at)
        if match is None:
            line = _REST_OF_LINE.match(text, at) if text[at] in "\"'" else None
            after = line.end() if line else at + 1
            found.append(Token("wrong", text[at:after], at, after))
            at = after
            continue
        kind = match.lastgroup or ""
        if kind == "mark" and match[0] == "/" and text.startswith("/*", at):
            raise source.error(at, "syntax error: this /* comment is never closed")
        if kind != "space":
            found.append(Token("string" if kind == "raw" else kind, match[0], at, match.end()))
        at = match.end()
    return found


def wrong_token_message(text: str) -> str:
    """Return the message for a token of kind "wrong"."""
    if text[0] in "\"'":
        return f"syntax error: this {text[0]} is not closed on its line"
    shown = text if text.isprintable() else f"U+{ord(text):04X}"
    return f"syntax error: the character '{shown}' has no meaning in CUDA C here"
