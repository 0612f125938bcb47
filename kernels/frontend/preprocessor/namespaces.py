"""Unique names for declarations of equal name in several namespaces, before parsing.

The parser ignores namespaces, so that `a::f` and `b::f` would be one function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.parser.cursor import Cursor
from kernels.frontend.preprocessor.declaration_outline import outline_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece

Path = tuple[str, ...]

_TYPES: Final = {"struct", "class", "union", "enum"}
_AFTER_FIELD: Final = {"(", ";", "=", "[", ",", "{", ":"}


class Namespaces:
    """The namespaces of a file."""

    def __init__(self, source: Text, pieces: Sequence[Piece]) -> None:
        self.pieces = list(pieces)
        """The tokens of the file with unique names."""
        self._ambiguous: dict[str, list[Path]] = {}
        if [piece.text for piece in pieces].count("namespace") < 2:
            return
        self._c = Cursor(source, self.pieces)
        self._declared: dict[str, list[Path]] = {}
        self._inside: list[tuple[int, int, Path]] = []
        """First and last token, and the namespace that they are in."""
        self._structs: dict[int, str] = {}
        """Names of structs, by the token `{` of their definitions."""
        self._aliases: dict[str, Path] = {}
        self._used: list[tuple[int, int, str, Path]] = []
        """Using-declarations: first and last token of their scope, the name ("" for all), and the namespace."""
        self._note_using()
        self._walk(0, len(pieces), ())
        self._ambiguous = {name: paths for name, paths in self._declared.items() if len(paths) > 1}
        self.pieces = self._renamed()

    # --- declarations

    def _walk(self, at: int, end: int, path: Path) -> None:
        texts = self._c.texts
        while at < end:
            if texts[at] == "namespace" or (texts[at] == "inline" and texts[at + 1] == "namespace"):
                at = self._namespace(at, path)
            elif texts[at] == "extern" and texts[at + 2] == "{":
                close = self._c.closes[at + 2]
                self._walk(at + 3, close, path)
                at = close + 1
            elif texts[at] == "using":
                at = self._end(at) + 1
            else:
                at = max(self._declaration(at, path), at + 1)

    def _namespace(self, at: int, path: Path) -> int:
        texts = self._c.texts
        inline = texts[at] == "inline"
        at += 1 + inline
        names: list[str] = []
        while texts[at] not in ("{", "=", ";", ""):
            if self._c.kinds[at] == "name":
                names.append(texts[at])
            at = self._c.closes.get(at, at) + 1
        if texts[at] == "{":
            close = self._c.closes[at]
            inner = path if inline else (*path, *names)
            self._inside.append((at, close, inner))
            self._walk(at + 1, close, inner)
            return close + 1
        first = at + 1
        while texts[at] not in (";", ""):
            at += 1
        if names:
            self._aliases[names[0]] = tuple(text for text in texts[first:at] if text != "::")
        return at + 1

    def _end(self, at: int) -> int:
        """Return the token at which a statement ends."""
        while self._c.texts[at] not in (";", "}", ""):
            at += 1
        return at

    def _note_using(self) -> None:
        """Record every `using namespace a::b;` and `using a::f;`, which hold up to the end of their block."""
        texts, closes = self._c.texts, self._c.closes
        # `ends` is a stack of the closing brackets around the current token: a using-declaration holds up to the
        # innermost.
        ends = [len(texts)]
        for at, text in enumerate(texts):
            if text == "{":
                ends.append(closes[at])
            elif at == ends[-1] and len(ends) > 1:
                ends.pop()
            elif text == "using":
                words = tuple(word for word in texts[at + 1 : self._end(at)] if word != "::")
                if words[:1] == ("namespace",):
                    self._used.append((at, ends[-1], "", words[1:]))
                elif "=" not in words and len(words) > 1:
                    self._used.append((at, ends[-1], words[-1], words[:-1]))

    def _declaration(self, at: int, path: Path) -> int:
        texts, c = self._c.texts, self._c
        head = at
        while texts[head] == "template":
            head = c.past_angles(head + 1)
        outline = outline_of(c, head)
        name = outline.name
        if texts[head] in _TYPES and outline.function is None:
            name = next((t for t in texts[head + 1 : head + 8] if t.isidentifier() and t not in _TYPES), "")
            # Names of members are not those of namespaces: see `_is_member`.
            body = next((i for i in range(head, outline.end) if texts[i] == "{"), None)
            if body is not None:
                self._structs[body] = name
        elif not (outline.device or "constexpr" in outline.words) or texts[outline.index - 1] == "::":
            return outline.end
        paths = self._declared.setdefault(name, [])
        if name and path not in paths:
            paths.insert(len(paths) if path else 0, path)  # a global name comes first: it is not renamed
        return outline.end

    # --- uses

    def elsewhere(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Rename the names, such as `b::f`, of a text outside of the file; the last parts of a namespace are enough."""
        texts, result = [piece.text for piece in pieces], list(pieces)
        for at, piece in enumerate(pieces):
            words = _words_before(texts, at)
            for path in self._ambiguous.get(piece.text, [])[1:]:
                if words and path[-len(words) :] == words:
                    result[at] = piece._replace(text=_own_name(path, piece.text))
        return result

    def _renamed(self) -> list[Piece]:
        """Return the tokens; of equal names, all but the first are renamed."""
        pieces = list(self._c.pieces)
        if not self._ambiguous:
            return pieces
        for at, piece in enumerate(pieces):
            paths = self._ambiguous.get(piece.text)
            if paths is None or piece.kind != "name" or self._c.texts[at - 1] in (".", "->"):
                continue
            path = self._namespace_of(at, piece.text, paths)
            if path is not None and path != paths[0]:
                pieces[at] = piece._replace(text=_own_name(path, piece.text))
        return pieces

    def _namespace_of(self, at: int, name: str, paths: list[Path]) -> Path | None:
        """Return the namespace of the declaration that a name refers to; None for any other name."""
        texts = self._c.texts
        enclosing = self._enclosing(at)
        around = [enclosing[:count] for count in range(len(enclosing), -1, -1)]
        if texts[at - 1] != "::":
            if self._is_member(at, name):
                return None
            own = next((path for path in around if path in paths), None)
            if own:
                return own
            # As in C++, a name in an enclosing namespace hides those of using-declarations, of which the last one
            # is preferred.
            used = [path for first, last, one, path in self._used if first < at < last and one in ("", name)]
            return self._first(used[::-1], enclosing, paths) or own
        return self._full(_words_before(texts, at), enclosing, paths)

    def _first(self, candidates: list[Path], enclosing: Path, paths: list[Path]) -> Path | None:
        found = (self._full(path, enclosing, paths) for path in candidates)
        return next((path for path in found if path is not None), None)

    def _full(self, path: Path, enclosing: Path, paths: list[Path]) -> Path | None:
        """Return the full name of a namespace, if it is one of `paths`."""
        path = self._aliases.get(path[0], path[:1]) + path[1:] if path else path
        for count in range(len(enclosing), -1, -1):
            if enclosing[:count] + path in paths:
                return enclosing[:count] + path
        return None

    def _enclosing(self, at: int) -> Path:
        """Return the namespace around a token."""
        found: Path = ()
        for first, last, path in self._inside:
            if first < at < last:
                found = path
        return found

    def _is_member(self, at: int, name: str) -> bool:
        """Return whether a token names a member in the definition of a struct."""
        open_ = next((i for i in range(at - 1, -1, -1) if self._c.closes.get(i, -1) > at), -1)
        owner = self._structs.get(open_)
        return owner is not None and owner != name and self._c.texts[at + 1] in _AFTER_FIELD


def _own_name(path: Path, name: str) -> str:
    return "_".join((*path, name))


def _words_before(texts: Sequence[str], at: int) -> Path:
    """Return the qualifiers `a::b::` in front of a name."""
    first = at
    while first > 1 and texts[first - 1] == "::" and texts[first - 2].isidentifier():
        first -= 2
    return tuple(texts[first:at:2])
