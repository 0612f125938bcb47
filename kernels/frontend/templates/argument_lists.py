"""What stands between < and > behind the name of a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.expressions import ExpressionReader
from kernels.frontend.parser.scope import StructTemplate
from kernels.frontend.templates.template_arguments import TemplateName
from kernels.frontend.types import BOOL, INT, LONG, CType, Named, Scalar

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.constant_expressions import Value


class AngleReader(ExpressionReader):
    """Reads template arguments."""

    # template_arguments: '<' ((type | constant) (',' (type | constant))*)? '>'
    def template_arguments(self) -> tuple[CType | Expr, ...]:
        """Read template arguments; constants arrive as numbers."""
        self.require("<")
        made: list[CType | Expr] = []
        outside = self.in_angles
        while self.texts[self.at] not in (">", ">>"):
            if made:
                self.require(",")
            made += [
                self.open_expansion(argument)
                for argument in self.expanded(self.argument_in_angles, leave=True)
            ]
        self.in_angles = outside
        self.close_angle()
        return tuple(made)

    def argument_in_angles(self) -> CType | Expr:
        """Read one template argument: a type, the name of a template, or a constant."""
        outside = self.in_angles
        named = self._template_name()
        if named is not None:
            return named
        if not self.starts_type(self.at) or not self.declares():
            return self.constant_argument()
        self.in_angles = True
        kind = self.type_id()
        self.in_angles = outside
        return kind

    def _template_name(self) -> Named | None:
        """Read the name of a template of structs that is an argument itself."""
        at = self.at
        self.skip_namespaces()
        found = self.scopes.find(self.texts[self.at])
        if not isinstance(found, StructTemplate) or self.texts[self.at + 1] not in (",", ">", ">>"):
            self.at = at
            return None
        self.at += 1
        return TemplateName(found.name) if found.first >= 0 else Named(found.name)

    def constant_argument(self) -> Expr:
        """Read a template argument that is a number or a function."""
        first = self.at
        outside, self.in_angles = self.in_angles, True
        self.deeper()
        expression = self.assignment()
        self.depth -= 1
        self.in_angles = outside
        value = self.constant(expression)
        if value is None:
            if isinstance(expression, ast.Unary) and expression.op == "&":
                expression = expression.operand
            named = isinstance(expression, ast.Name) and not self.is_variable(expression.id)
            if self.signature or named:
                return expression
            self.refuse(
                first,
                "a template argument is a type, a function, or a constant that is known before the kernel runs",
            )
        return number_of(expression.span, value, type_of(value, expression))

    def close_angle(self) -> None:
        """Go past `>`, which may be the half of a `>>`."""
        text = self.texts[self.at]
        if text == ">>" and self.half != self.at:
            self.half = self.at
        elif text in (">", ">>"):
            self.half = -1
            self.at += 1
        else:
            self.missing("'>'")


def number_of(span: ast.Span, value: Value, kind: CType) -> ast.Number:
    """Make the number that a name stands for."""
    plain = int(value) if isinstance(value, bool) else value
    return ast.Number(span, plain, kind if isinstance(kind, Scalar) else INT)


def type_of(value: Value, expression: Expr) -> Scalar:
    """Type of a folded constant."""
    if isinstance(expression, ast.Number):
        return expression.type
    if isinstance(value, bool):
        return BOOL
    return INT if -(2**31) <= value < 2**31 else LONG
