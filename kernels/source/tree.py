"""The grammar's tree and the way back from it: spans, located errors, and what every reader of it shares."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Final, NoReturn

from kernels.source.tokens import MAX_NESTING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

    from kernels.errors import SourceError
    from kernels.source.layout import Preprocessed
    from kernels.source.macros import Piece
    from kernels.source.nodes import Span

_MAX_SHOWN: Final = 40

KEYWORDS: Final = {
    "alignas", "asm", "auto", "break", "case", "class", "const", "constexpr", "continue", "default", "do",
    "else", "enum", "extern", "for", "goto", "if", "inline", "namespace", "new", "operator", "return",
    "sizeof", "static", "struct", "switch", "template", "this", "throw", "try", "typedef", "union", "using",
    "volatile", "while",
    "__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__", "__forceinline__",
}  # fmt: skip
"""Words that name nothing. The grammar lets some of them through as names."""

_WANTED: Final = {"identifier": "a value", "field_identifier": "a name", "type_identifier": "a type"}
_TYPE_WORDS: Final = {"void", "bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"}
_ENDS_ALONE: Final = {"break", "continue", "return", "this"}


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def grow(prepared: Preprocessed) -> Node:
    """Parse into the grammar's tree.

    Raises
    ------
    SourceError
        Where the text is not CUDA C; the message names the text that does not fit.
    """
    root = _parser().parse(prepared.text.encode("ascii")).root_node
    if root.has_error:
        raise _syntax_error(prepared, root)
    return root


def _syntax_error(prepared: Preprocessed, root: Node) -> SourceError:
    """Report the first error, the innermost one where errors nest."""
    source = prepared.source
    node = root
    while not node.is_missing:
        inner = next((child for child in node.children if child.has_error or child.is_error), None)
        if inner is None:
            break
        node = inner
    if node.is_missing:
        index = bisect_left(prepared.starts, node.start_byte) - 1
        if node.type == ";" and _closes_function(prepared.pieces, index):
            index -= 1  # `{ n = 1 }` was taken for a list of values
        return _expected(prepared, node.type, index)
    forgotten = _without_semicolon(prepared, node)
    if forgotten is not None:
        return _expected(prepared, ";", forgotten)
    at, end = prepared.written(node.start_byte, node.end_byte)
    return source.error(at, f"syntax error near {_shown(source.text, at, end, first=True)}")


def _expected(prepared: Preprocessed, what: str, index: int) -> SourceError:
    """Report that something is missing after a token."""
    source, token = prepared.source, prepared.pieces[max(index, 0)]
    end = token.outer[1] if token.outer else token.end
    wanted = _WANTED.get(what, f"'{what}'")
    return source.error(end, f"syntax error: expected {wanted} after {_shown(source.text, 0, end)}")


def _without_semicolon(prepared: Preprocessed, node: Node) -> int | None:
    """Return the token after which a `;` was forgotten: it ends an expression, before a new line or a }."""
    pieces, source = prepared.pieces, prepared.source
    first = bisect_left(prepared.starts, node.start_byte)
    after = bisect_left(prepared.starts, node.end_byte)
    if 0 < first < len(pieces) and _ends_expression(pieces, first - 1):
        line, _ = source.place(pieces[first].start)
        if source.place(pieces[first - 1].end - 1)[0] < line:
            return first - 1
    if first < after < len(pieces) and pieces[after].text == "}" and _ends_expression(pieces, after - 1):
        return after - 1
    return None


def _closes_function(pieces: list[Piece], index: int) -> bool:
    """Whether the token closes a block whose last statement lacks its `;`."""
    if pieces[index].text != "}" or not _ends_expression(pieces, index - 1):
        return False
    depth = 0
    for at in range(index, 0, -1):
        depth += (pieces[at].text == "}") - (pieces[at].text == "{")
        if depth == 0:
            return pieces[at - 1].text == ")"
    return False


def _ends_expression(pieces: list[Piece], index: int) -> bool:
    piece = pieces[index]
    if piece.kind != "mark":
        return piece.text not in (KEYWORDS | _TYPE_WORDS) - _ENDS_ALONE
    if piece.text != ")":
        return piece.text in ("]", "++", "--")
    depth = 0
    for at in range(index, 0, -1):  # a ) may close the head of an if or a loop
        depth += (pieces[at].text == ")") - (pieces[at].text == "(")
        if depth == 0:
            return pieces[at - 1].text not in ("if", "for", "while", "switch")
    return False


def _shown(text: str, start: int, end: int, *, first: bool = False) -> str:
    """Return the first (or last) line of a part of the source, shortened and quoted."""
    lines = text[start:end].split("\n")
    line = (lines[0] if first else lines[-1]).strip()
    if len(line) > _MAX_SHOWN:
        line = line[:_MAX_SHOWN].rstrip() + " …" if first else "… " + line[-_MAX_SHOWN:].lstrip()
    return f"'{line}'"


class Reader:
    """What all readers of the tree need: text, spans, errors, a guard against deep trees."""

    def __init__(self, prepared: Preprocessed) -> None:
        self._prepared = prepared
        self._depth = 0

    def text(self, node: Node) -> str:
        """Text of a node, macros expanded."""
        return self._prepared.text[node.start_byte : node.end_byte]

    def written(self, node: Node) -> str:
        """Text of a node as written, white space squeezed."""
        start, end = self._prepared.written(node.start_byte, node.end_byte)
        return " ".join(self._prepared.source.text[start:end].split())

    def span(self, node: Node, until: Node | None = None) -> Span:
        """Where a node (up to the end of another one) is written."""
        return self._prepared.span(node.start_byte, (until or node).end_byte)

    def refuse(self, node: Node, reason: str) -> NoReturn:
        """Raise a SourceError that stands at a node."""
        start, _ = self._prepared.written(node.start_byte, node.end_byte)
        raise self._prepared.source.error(start, reason)

    def unsupported(self, node: Node, construct: str = "", instead: str = "") -> NoReturn:
        """Refuse a construct by name, with the nearest thing that is supported."""
        if not construct:
            shown = self.written(node)
            shown = shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN].rstrip() + " …"
            construct = f"{node.type.replace('_', ' ')} '{shown}'"
        self.refuse(node, f"not supported: {construct}" + (f"; {instead}" if instead else ""))

    def field(self, node: Node, name: str) -> Node:
        """Return a field that the grammar always gives."""
        found = node.child_by_field_name(name)
        if found is None:
            self.unsupported(node)
        return found

    def deeper(self, node: Node) -> _Level:
        """Guard one level of recursion: `with self.deeper(node):`."""
        return _Level(self, node)

    def named(self, node: Node) -> Iterator[Node]:
        """Children that are more than punctuation."""
        return (child for child in node.children if child.is_named)


class _Level:
    """One level of the tree, refused below `MAX_NESTING`."""

    __slots__ = ("_node", "_reader")

    def __init__(self, reader: Reader, node: Node) -> None:
        self._reader = reader
        self._node = node

    def __enter__(self) -> None:
        self._reader._depth += 1
        if self._reader._depth > MAX_NESTING:
            self._reader.refuse(self._node, f"nested deeper than {MAX_NESTING} levels")

    def __exit__(self, *_: object) -> None:
        self._reader._depth -= 1
