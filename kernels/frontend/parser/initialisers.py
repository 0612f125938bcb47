"""Values that a declaration gives: `= x`, `(x)`, and braces for arrays and structs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.parser.initializer_lists import BraceReader
from kernels.frontend.types import AUTO, Array, Pointer, Reference, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType


class InitialiserReader(BraceReader):
    """Reads values of variables."""

    # initialiser: '=' (assignment | braces) | '(' assignment , … ')' | braces
    def initialiser(self, kind: CType) -> tuple[Expr | tuple[Expr, ...] | None, CType]:
        """Read the value of a variable; also return its type, whose length the value may tell."""
        first = self.at
        text = self.texts[first]
        if text == "=":
            self.at += 1
            if self.texts[self.at] != "{":
                if isinstance(kind, Array) and self.kinds[self.at] == "string":
                    return self.letters(kind)
                if isinstance(kind, Array):
                    self.refuse(self.at, "an array is initialised with { … }")
                value = self.assignment()
                return value, (_named_by(value) or kind) if kind == AUTO else kind
        elif text == "(":
            if isinstance(kind, Array):
                self.refuse(first, "an array is initialised with { … }")
            return self._parenthesised(kind), kind
        elif text != "{":
            return self.untold(kind), kind
        if isinstance(kind, Array):
            return self._array(kind)
        if isinstance(kind, Reference) and text == "{":
            self.at += 1
            value = self.assignment()
            self.require("}")
            return value, kind
        if (kind == AUTO and text == "=") or isinstance(kind, Reference):
            self.unsupported(self.at, "{ … } here", "write the value without braces")
        return (self.single(kind) if kind == AUTO else self.braces(kind)), kind

    def _parenthesised(self, kind: CType) -> Expr:
        first = self.at
        if self.copies_braces(kind):
            return self.braces_in_parentheses(kind)
        values = self.arguments()
        if isinstance(kind, Struct):
            return self.construct(self.span(first), kind, values)
        if len(values) != 1:
            self.refuse(first, f"{len(values)} values for one {kind}")
        return values[0]

    def copies_braces(self, kind: CType) -> bool:
        """Whether `({ … })` stands here and is no constructor's argument."""
        alone = self.texts[self.at + 1] == "{" and self.closes[self.at + 1] + 1 == self.closes[self.at]
        return alone and not (isinstance(kind, Struct) and kind.name in self.constructors)

    def braces_in_parentheses(self, kind: CType) -> Expr:
        """Read `({ … })`, which is copied."""
        self.at += 1
        made = self.braces(kind)
        self.at += 1
        return made

    def _array(self, kind: Array) -> tuple[tuple[Expr, ...], CType]:
        values = self.elements(kind)
        if kind.length == 0:
            part = math.prod(kind.shape[1:])
            kind = Array(kind.of, max(1, -(-len(values) // part)))
        return tuple(values), kind


def _named_by(value: Expr) -> Reference | None:
    """Return the type of `auto` for an `atomic_ref<T>(x)`, which is no copy of what it names."""
    match value:
        case ast.Unary(op="*", operand=ast.Cast(type=Pointer(to=Atomic() as kind))):
            return Reference(kind)
    return None
