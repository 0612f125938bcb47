"""Tokens -> allocations: `new` and `delete`, which become calls of functions of the device's heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.initialisers import InitialiserReader
from kernels.frontend.types import Pointer

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType


class AllocationReader(InitialiserReader):
    """Reads what allocates and frees memory."""

    def refuse_word(self, text: str) -> Expr:
        """Read an allocation; refuse any other keyword that begins no expression."""
        if text == "new":
            return self._allocation()
        return self._release() if text == "delete" else super().refuse_word(text)

    # new: 'new' specifiers '*'* ('[' expression ']' ('(' ')' | '{' '}')? | '(' values ')' | braces)?
    def _allocation(self) -> Expr:
        """Read an allocation: a call of "new" with the value, or of "new[]" with the number, and of the type."""
        first = self.at
        self.at += 1
        if self.texts[self.at] == "(":
            self.unsupported(first, "placement new", "assign to the place")
        kind = self.specifiers().type
        while self.take("*"):
            kind = Pointer(kind)
        text, opened = self.texts[self.at], self.at
        if text == "[":
            self.at += 1
            count = self.inside(self.expression)
            self.close(opened)
            if self.texts[self.at] in ("(", "{"):
                if self.closes[self.at] != self.at + 1:
                    self.unsupported(self.at, "values of an array that new makes", "assign them in a loop")
                self.at += 2
                return ast.Call(self.span(first), "new[]{}", (count,), (kind,))
            made = self._untold_value(kind) is not None
            return ast.Call(self.span(first), "new[]{}" if made else "new[]", (count,), (kind,))
        if text == "{":
            return ast.Call(self.span(first), "new", (self.braces(kind),), (kind,))
        if text == "(":
            values = self.arguments()
            value: Expr | None = self.converted(self.span(opened), kind, values, opened)
        else:
            value = self._untold_value(kind)
        return ast.Call(self.span(first), "new", (value,) if value is not None else (), (kind,))

    # delete: 'delete' ('[' ']')? unary
    def _release(self) -> Expr:
        first = self.at
        self.at += 1
        if self.take("["):
            self.require("]")
        operand = self.operand()
        return ast.Call(self.span(first), "free", (operand,))

    def _untold_value(self, kind: CType) -> Expr | None:
        """Return the value of what is given none; None where that leaves it without one."""
        value = self.untold(kind)
        return value if isinstance(value, ast.Expr) else None
