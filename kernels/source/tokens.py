"""Text as written, and its C tokens with their places."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.errors import SourceError
from kernels.source.nodes import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS: Final = 128 * 1024
"""Longest source that is read; cuBLAS-like kernels written by hand stay below a tenth of it."""

MAX_NESTING: Final = 100
"""Deepest nesting of brackets and of nodes, so that whoever walks the tree may recurse."""

TOKEN: Final = re.compile(
    r"""(?P<newline>\n)
    |(?P<space>(?:[ \t\f\v\r\ufeff]|\\\r?\n)+|//(?:\\\r?\n|[^\n])*|/\*.*?\*/)
    |(?P<raw>(?:u8|[uUL])?R"[^()\\\s]*\()
    |(?P<string>(?:u8|[uUL])?"(?:\\(?:\r\n|.)|[^"\\\n])*")
    |(?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z]|[.\w])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>\.\.\.|<<=|>>=|<=>|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\#\#|[][(){}<>=!~&|^?:;,.+*/%#-])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Token(NamedTuple):
    """One token at `start` (offset in the text as written); `kind` is a group name of `TOKEN`."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A source as written: turns offsets into lines and columns, and makes errors that point into it."""

    file: str
    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        object.__setattr__(self, "starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Span of the characters from start up to end."""
        return Span(*self.place(start), *self.place(end))

    def error(self, offset: int, reason: str) -> SourceError:
        """Make an error that stands at an offset."""
        return SourceError(self.file, *self.place(min(offset, len(self.text))), reason)


def tokens(source: Text) -> Iterator[Token]:
    """Split a source into tokens, white space and comments left out, ends of lines kept.

    Raises
    ------
    SourceError
        For a source that is too long, an unclosed comment or string, or a character that C does not know.
    """
    text = source.text
    if len(text) > MAX_CHARACTERS:
        raise source.error(0, f"the source has {len(text):,} characters, at most {MAX_CHARACTERS:,} are read")
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise source.error(at, _what_is_wrong(text, at))
        kind = match.lastgroup or ""
        if kind == "raw":
            raise source.error(at, 'not supported: raw string; write "…" with escapes')
        if kind == "mark" and match[0] == "/" and text.startswith("/*", at):
            raise source.error(at, "syntax error: this /* comment is never closed")
        if kind != "space":
            yield Token(kind, match[0], at, match.end())
        at = match.end()


def _what_is_wrong(text: str, at: int) -> str:
    character = text[at]
    if character in "\"'":
        return f"syntax error: this {character} is not closed on its line"
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return f"syntax error: the character '{shown}' has no meaning in CUDA C here"
