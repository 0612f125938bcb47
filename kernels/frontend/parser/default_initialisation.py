"""Structs that are made of values, and the values that members and variables have which are given none."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.frontend import ast
from kernels.frontend.parser.id_expressions import NameReader
from kernels.frontend.parser.scope import CONSTRUCTED
from kernels.frontend.types import INT, Array, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.parser.scope import Default
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import CType

MAX_LISTED: Final = 1 << 20

MAX_DEFAULTS: Final = 50_000
"""Most default member values that are read for one file, again for each struct that is made."""


class MadeReader(NameReader):
    """Knows how structs are made."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.constructors: set[str] = set()
        """Names of the structs that have a constructor."""
        self.defaulted: set[str] = set()
        """Names of the structs that have `S() = default`: it leaves members without a value."""
        self.defaults: dict[str, dict[str, Default]] = {}
        """By struct and member: the token at which a default member value begins."""
        self._defaults_read = 0

    @abstractmethod
    def makes_itself(self, kind: CType) -> bool:
        """Whether a variable of this type has a value that is given none."""

    @abstractmethod
    def value(self, kind: CType) -> Expr:
        """Read one value of a list, with or without braces of its own."""

    def untold(self, kind: CType) -> Expr | tuple[Expr, ...] | None:
        """Return the value of a variable that is given none: what its default members and constructor make."""
        element = kind.element if isinstance(kind, Array) else kind
        made = self.constructors | self.defaults.keys() | {"dim3"}
        if not isinstance(element, Struct) or element.name not in made:
            return None
        if element.name in self.defaulted and element.name not in self.defaults:
            return None
        span = self.between(self.at - 1, self.at - 1)
        if not isinstance(kind, Array):
            return self.construct(span, element, ())
        if math.prod(kind.shape) > MAX_LISTED:
            self.refuse(self.at - 1, f"an array of more than {MAX_LISTED:,} {element} that are constructed")
        return (self.construct(span, element, ()),) * math.prod(kind.shape)

    def construct(self, span: ast.Span, kind: Struct, values: tuple[Expr, ...]) -> Expr:
        """Make a struct of values; members that have a default take it where no constructor decides."""
        defaults = self.defaults.get(kind.name)
        if defaults and kind.name not in self.constructors:
            values = (*values, *self._filled(span, kind, defaults, len(values)))
        return ast.Construct(span, kind, values)

    def _filled(self, span: ast.Span, kind: Struct, defaults: dict[str, Default], given: int) -> list[Expr]:
        """Give the default values of the members after those that are given."""
        last = max((i for i, field in enumerate(kind.fields) if field.name in defaults), default=-1)
        made: list[Expr] = []
        for field in kind.fields[given : last + 1]:
            if field.name in defaults:
                made.append(self.default(field.type, defaults[field.name]))
            else:
                made.append(zero(span, field.type))
        return made

    def default(self, kind: CType, given: Default) -> Expr:
        """Read the default value of a member, in the names that are visible where it stands."""
        if given is CONSTRUCTED:
            made = self.untold(kind)
            span = self.between(self.at - 1, self.at - 1)
            return ast.Construct(span, kind, made) if isinstance(made, tuple) else made or zero(span, kind)
        checkpoint()
        self._defaults_read += 1
        if self._defaults_read > MAX_DEFAULTS:
            self.refuse(given.first, f"more than {MAX_DEFAULTS:,} default member values; write a constructor")
        at, levels = self.at, self.scopes.levels
        self.at, self.scopes.levels = given.first, [*given.levels]
        try:
            return self.value(kind)
        finally:
            self.at, self.scopes.levels = at, levels


def zero(span: ast.Span, kind: CType) -> Expr:
    """Return what stands for a part without a value."""
    return ast.Construct(span, kind, ()) if isinstance(kind, Struct | Array) else ast.Number(span, 0, INT)
