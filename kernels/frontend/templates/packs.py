"""Parameter packs: a pattern that contains a pack is parsed once for each element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kernels.frontend import ast
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import PackEntry, VariableEntry
from kernels.frontend.templates.template_arguments import Expansion
from kernels.frontend.types import INT, ULONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

Result = TypeVar("Result")

_OPERATORS: Final = {
    *("+", "-", "*", "/", "%", "^", "&", "|", "<<", ">>", "&&", "||", ",", "==", "!=", "<", ">", "<=", ">=", "="),
    *("+=", "-=", "*=", "/=", "|=", "&=", "^="),
}

_EMPTY_FOLDS: Final = {"&&": 1, "||": 0}
"""Values of folds over an empty pack ([expr.prim.fold])."""


class Packs(Part):
    """Expands parameter packs."""

    def expand(self, parse: Callable[[], Result], *, keep_ellipsis: bool = False) -> list[Result]:
        """Parse one part of a list; before `...`, once for each element of the packs that it names.

        With `keep_ellipsis`, the `...` of an open pack is not skipped.
        """
        first = self.tokens.at
        # The first attempt finds out whether the pattern names packs, and how long they are. For `f(g(x)...)` with a
        # pack x of a and b it parses `g(x)` with x = a, finds `...` and a length of 2, and parses `g(x)` again for a
        # and b.
        outer = self.state.scopes.element
        result, lengths = self.parse_first(parse)
        if self.texts[self.tokens.at] != "...":
            if lengths and outer is None:
                self.tokens.refuse(first, "a parameter pack that is not expanded: write ... after it")
            self.state.scopes.lengths |= lengths
            return [result]
        if not lengths and self.state.signature:
            self.tokens.at += not keep_ellipsis
            return [result]
        if not lengths:
            self.tokens.refuse(first, "syntax error: ... after a pattern that names no parameter pack")
        count = self._common_length(first, lengths)
        found = self.parse_each(count, first, parse)
        self.tokens.at += 1
        return found

    def parse_each(self, count: int, first: int, parse: Callable[[], Result]) -> list[Result]:
        """Parse a pattern once for each of `count` elements."""
        outer, around, end = self.state.scopes.element, self.state.scopes.lengths, self.tokens.at
        self.state.scopes.lengths = set()
        found: list[Result] = []
        for number in range(count):
            self.tokens.at, self.state.scopes.element = first, number
            found.append(parse())
        self.tokens.at, self.state.scopes.element, self.state.scopes.lengths = end, outer, around
        return found

    def parse_first(self, parse: Callable[[], Result]) -> tuple[Result, set[int]]:
        """Parse a pattern for the first element; return the result and the lengths of the packs that it names."""
        outer, around = self.state.scopes.element, self.state.scopes.lengths
        self.state.scopes.element, self.state.scopes.lengths = outer or 0, set()
        result = parse()
        lengths = self.state.scopes.lengths
        self.state.scopes.element, self.state.scopes.lengths = outer, around
        return result, lengths

    def _common_length(self, first: int, lengths: set[int]) -> int:
        if len(lengths) != 1:
            self.tokens.refuse(
                first, f"parameter packs of {' and '.join(map(str, sorted(lengths)))} elements in one expansion"
            )
        return next(iter(lengths))

    def open_expansion(self, pattern: CType | Expr) -> CType | Expr:
        """Return a pattern, or the expansion `pattern...` of a pack that has no argument yet."""
        if not self.state.signature or not self.tokens.take("..."):
            return pattern
        name = pattern.id if isinstance(pattern, ast.Name) else str(pattern)
        return Expansion(f"{name}...", template="?", of=pattern)

    # sizeof_pack: 'sizeof' '...' '(' name ')'
    def sizeof_pack(self, first: int) -> Expr:
        """Parse `sizeof...(pack)`, from the `...` on."""
        self.tokens.at += 1
        self.tokens.require("(")
        name = self.tokens.name()
        self.tokens.require(")")
        found = self.state.scopes.find_whole(name)
        if isinstance(found, PackEntry):
            return ast.Number(self.tokens.span(first), len(found.elements), ULONG)
        if self.state.signature and found is not None:
            return ast.Name(self.tokens.span(first), f"sizeof...({name})")
        self.tokens.refuse(first, f"'{name}' is no parameter pack")

    # --- folds

    def is_fold(self, opening: int) -> bool:
        """Return whether parentheses contain a fold such as `(pack + ...)`."""
        at = opening + 1
        while at < self.closes[opening]:
            if self.texts[at] == "...":
                return self.texts[at - 1] in _OPERATORS or self.texts[at + 1] in _OPERATORS
            at = self.closes.get(at, at) + 1
        return False

    # fold: '(' (operand operator)? '...' operator operand ')' | '(' operand operator '...' (operator operand)? ')'
    def fold(self, parse: Callable[[], Expr]) -> Expr:
        """Parse a fold; `parse` parses an operand."""
        first, close = self.tokens.at, self.closes[self.tokens.at]
        self.tokens.at += 1
        before: list[list[Expr]] = []
        dots, op = -1, ""
        packed: list[bool] = []
        while self.tokens.at != close:
            if self.tokens.take("..."):
                dots = len(before)
            elif self.texts[self.tokens.at] in _OPERATORS and (before or dots >= 0):
                op = self.texts[self.tokens.at]
                self.tokens.at += 1
            else:
                elements, has_pack = self._operand(parse)
                before.append(elements)
                packed.append(has_pack)
        self.tokens.at = close + 1
        if sum(packed) != 1 or len(before) > 2 or dots < 0:
            self.tokens.refuse(first, "syntax error in a fold")
        values = [value for elements in before for value in elements]
        span = self.tokens.span(first)
        if not values:
            if op not in _EMPTY_FOLDS:
                self.tokens.refuse(first, f"a fold with {op} over no elements has no value")
            return ast.Number(span, _EMPTY_FOLDS[op], INT)
        from_left = dots == 0 or (len(before) == 2 and not packed[0])
        if from_left:
            result = values[0]
            for value in values[1:]:
                result = _join(span, op, result, value)
            return result
        result = values[-1]
        for value in reversed(values[:-1]):
            result = _join(span, op, value, result)
        return result

    def _operand(self, parse: Callable[[], Expr]) -> tuple[list[Expr], bool]:
        first = self.tokens.at
        result, lengths = self.parse_first(parse)
        if not lengths:
            return [result], self.state.signature
        return self.parse_each(self._common_length(first, lengths), first, parse), True


def _join(span: ast.Span, op: str, left: Expr, right: Expr) -> Expr:
    return (
        ast.Assign(span, op, left, right)
        if op in ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=")
        else (ast.Binary(span, op, left, right))
    )


def element_name(name: str, number: int) -> str:
    """Return the name of one parameter of a pack."""
    return f"{name}__{number}"


def pack_of_variables(name: str, kinds: list[CType]) -> PackEntry:
    """Return the scope entry of a function parameter pack."""
    return PackEntry(
        tuple(VariableEntry(kind, alias=element_name(name, i)) for i, kind in enumerate(kinds)), VariableEntry(INT, 0)
    )
