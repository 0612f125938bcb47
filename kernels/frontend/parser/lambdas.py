"""Tokens -> lambdas: functions without a name, written where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.parser.statements import StatementReader
from kernels.frontend.types import AUTO

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

_BEFORE_BODY: Final = {"mutable", "constexpr", "noexcept", "__device__", "__host__", "__forceinline__"}


class LambdaReader(StatementReader):
    """Reads lambdas."""

    # closure: '[' captures ']' ('(' parameters ')')? word* ('->' type)? block
    def closure(self) -> Expr:
        """Read a lambda."""
        first = self.at
        copies, values, by_value = self._captures()
        if self.texts[self.at] == "<":
            self.unsupported(self.at, "template lambda", "write auto: [](auto x) { … }")
        outside, self.in_angles = self.in_angles, False
        self.scopes.open()
        for name, value in values:
            self.know(name, self.kind_of(value) or AUTO)
        parameters = self.parameters() if self.texts[self.at] == "(" else ()
        words: set[str] = set()
        while self.skip_attribute() or self.texts[self.at] in _BEFORE_BODY:
            if self.texts[self.at] in _BEFORE_BODY:
                words.add(self.texts[self.at])
                self.at += 1
        returns: CType = self.type_id() if self.take("->") else AUTO
        self.deeper()
        body = self.function_body(returns)
        self.depth -= 1
        self.scopes.close()
        self.in_angles = outside
        span = self.span(first)
        self.height = 1
        function = ast.Function(span, "lambda", False, returns, parameters, body)
        return ast.Lambda(span, by_value, copies, "mutable" in words, function, values)

    # captures: '[' ('&' | '=' | '&'? name | name '=' assignment | 'this') , … ']'
    def _captures(self) -> tuple[tuple[str, ...], tuple[tuple[str, Expr], ...], bool]:
        """Read what is copied by name, variables of its own, and whether all others are copied; or seen themselves."""
        close = self.closes[self.at]
        self.at += 1
        copies: list[str] = []
        values: list[tuple[str, Expr]] = []
        by_value = False
        while self.at != close:
            first = self.at
            reference = self.take("&")
            if not reference and self.take("="):
                by_value = True
            elif not self.take("this") and not (reference and self.texts[self.at] in (",", "]")):
                name = self.name()
                if not reference and self.take("="):
                    values.append((name, self.inside(self.assignment)))
                else:
                    copies += [] if reference else [name]
            if self.texts[self.at] not in (",", "]"):
                self.unsupported(first, "this capture of a lambda", "declare a variable in front of it")
            if self.at != close:
                self.at += 1
        self.at = close + 1
        return tuple(copies), tuple(values), by_value
