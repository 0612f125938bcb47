"""Removal of C++20 concepts and requires clauses: a program that compiles satisfies them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.preprocessor.macros import Piece

_STANDARD: Final = {
    *("integral", "signed_integral", "unsigned_integral", "floating_point", "same_as", "derived_from"),
    *("convertible_to", "invocable", "regular_invocable", "predicate", "copyable", "movable", "regular"),
    *("semiregular", "default_initializable", "equality_comparable", "totally_ordered"),
}
"""Names of the standard concepts ([concepts] of C++20), which `std::` precedes."""

_OPENING: Final = {"(", "[", "{"}
_CLOSING: Final = {")", "]", "}"}
_BEFORE_CLAUSE: Final = {")", ">", ">>", "const", "noexcept"}


def remove_concepts(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the tokens without `requires` clauses: `typename T` for `Concept T`, `auto` for `Concept auto`.

    A concept becomes a variable template, unless it is a requires expression.
    """
    texts = [piece.text for piece in pieces]
    words = {*texts}
    if not {"concept", "requires"} & words and not (_STANDARD & words and {"template", "auto"} & words):
        return list(pieces)
    return _Remover(pieces, texts).run()


class _Remover:
    """One pass over the tokens of a program that declares or uses concepts."""

    def __init__(self, pieces: Sequence[Piece], texts: list[str]) -> None:
        self._pieces, self._texts = pieces, [*texts, ""]
        self._names = {name for word, name in pairwise(texts) if word == "concept"}
        self._remaining: list[Piece] = []

    def run(self) -> list[Piece]:
        """Return the remaining tokens."""
        at = 0
        while at < len(self._pieces):
            text = self._texts[at]
            if text == "template" and self._texts[at + 1] == "<":
                at = self._template(at)
            elif text == "requires" and self._texts[at - 1] in _BEFORE_CLAUSE:
                at = self._past_clause(at + 1)
            elif (name := self._past_concept(at)) > at and self._texts[name] == "auto":
                at = name
            else:
                self._remaining.append(self._pieces[at])
                at += 1
        return self._remaining

    def _template(self, first: int) -> int:
        """Copy the head of a template with `typename` for concepts; a concept becomes a constant, or is removed."""
        end = self._past_angles(first + 1)
        before = len(self._remaining)
        at = first
        while at < end:
            name = self._past_concept(at) if self._texts[at - 1] in ("<", ",") else at
            if name > at:
                self._remaining.append(self._pieces[at]._replace(text="typename"))
            else:
                self._remaining.append(self._pieces[at])
            at = max(name, at + 1)
        if self._texts[end] != "concept":
            return end
        last = end
        while self._texts[last] not in (";", ""):
            last = self._past(last)
        # The value of a requires expression would take a compiler; a program that compiles satisfies it where it is
        # used.
        if "requires" in self._texts[end:last]:
            del self._remaining[before:]
            return last + 1
        self._remaining += [self._pieces[end]._replace(text=word) for word in ("constexpr", "bool")]
        self._remaining += self._pieces[end + 1 : last + 1]
        return last + 1

    def _past_concept(self, at: int) -> int:
        """Return the token after a concept in place of `typename`; `at` if there is none."""
        standard = self._texts[at : at + 2] == ["std", "::"]
        name = at + 2 * standard
        if self._texts[name] not in (_STANDARD if standard else self._names):
            return at
        # A concept in place of `typename` is followed by a name or `...`; else it is an argument, as in `f<Concept>`.
        after = self._past_angles(name + 1) if self._texts[name + 1] == "<" else name + 1
        return after if self._texts[after] == "..." or self._texts[after].isidentifier() else at

    # clause: primary (('&&' | '||') primary)*
    def _past_clause(self, at: int) -> int:
        at = self._past_primary(at)
        while self._texts[at] in ("&&", "||", "and", "or"):
            at = self._past_primary(at + 1)
        return at

    # primary: '(' … ')' | 'requires' ('(' … ')')? '{' … '}' | '!'? name ('::' name)* ('<' … '>')? ('::' name)*
    def _past_primary(self, at: int) -> int:
        while self._texts[at] in ("!", "not"):
            at += 1
        if self._texts[at] == "requires":
            at = self._past(at + 1) if self._texts[at + 1] == "(" else at + 1
            return self._past(at)
        at = self._past(at)
        if self._texts[at - 1] == ")":
            return at
        while self._texts[at] in ("::", "<"):
            at = self._past_angles(at) if self._texts[at] == "<" else self._past(at + 1)
        return at

    def _past(self, at: int) -> int:
        """Return the token after this one, or after the bracket that closes it."""
        depth = 0
        while at < len(self._pieces):
            depth += (self._texts[at] in _OPENING) - (self._texts[at] in _CLOSING)
            at += 1
            if depth <= 0:
                break
        return at

    def _past_angles(self, at: int) -> int:
        """Return the token after the `>` that closes this `<`."""
        depth = 0
        while at < len(self._pieces):
            text = self._texts[at]
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            at = self._past(at)
            if depth <= 0:
                break
        return at
