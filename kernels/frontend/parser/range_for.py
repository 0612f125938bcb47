"""Range-for, and conditions that declare names, rewritten as plain loops and declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.part import Part
from kernels.frontend.types import AUTO, INT, Array, Struct, value_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr, Span, Statement
    from kernels.frontend.parser.declaration_parts import Specifiers
    from kernels.frontend.types import CType


class RangeStatements(Part):
    """Parses statements that are short for longer ones, and returns those."""

    # --- conditions

    def names_in_condition(self, opening: int) -> bool:
        """Return whether the parentheses of an if, while or switch hold a declaration or an init-statement."""
        if self.texts[opening] != "(":
            return False
        at, self.tokens.at = self.tokens.at, opening + 1
        found = self.grammar.lookahead.declares()
        self.tokens.at = at
        return found or self._semicolon(opening) is not None

    def _semicolon(self, opening: int) -> int | None:
        at = opening + 1
        while at < self.closes[opening]:
            if self.texts[at] == ";":
                return at
            at = self.closes.get(at, at) + 1
        return None

    # condition_with_names: '(' (declaration | expression? ';')? (specifiers variable | expression) ')'
    def condition_with_names(self) -> tuple[list[Statement], Expr]:
        """Parse a condition; return it with the statements that declare its names."""
        opening = self.tokens.require("(")
        before: list[Statement] = []
        if self._semicolon(opening) is not None and not self.tokens.take(";"):
            before.append(self.grammar.statements.statement())
        if not self.grammar.lookahead.declares():
            test = self.grammar.expressions.inside(self.grammar.expressions.expression)
        else:
            first = self.tokens.at
            variable = self.grammar.declarations.variable(self.grammar.types.specifiers())
            if variable is None:
                self.tokens.refuse_token()
            span = self.tokens.span(first)
            before.append(ast.Declare(span, (variable,)))
            test = ast.Name(span, variable.name)
        self.grammar.expressions.close(opening)
        return before, test

    def if_with_names(self, first: int) -> Statement:
        """Parse an if whose condition declares names: they are visible in both of its arms."""
        self.state.scopes.open()
        before, test = self.condition_with_names()
        header = self.tokens.span(first)
        then = self.grammar.statements.body()
        otherwise = self.grammar.statements.body() if self.tokens.take("else") else None
        self.state.scopes.close()
        result = ast.If(self.tokens.span(first), header, test, then, otherwise)
        return ast.Block(result.span, (*before, result))

    def switch_with_names(self) -> Statement:
        """Parse a switch, which may declare names in its condition: they are visible in its cases."""
        first = self.tokens.advance()
        if not self.names_in_condition(self.tokens.at):
            return self.grammar.statements.switch(first, self.grammar.statements.condition())
        self.state.scopes.open()
        before, value = self.condition_with_names()
        result = self.grammar.statements.switch(first, value)
        self.state.scopes.close()
        return ast.Block(result.span, (*before, result))

    def while_with_names(self, first: int) -> Statement:
        """Parse a while that declares a name, which is declared and tested in each iteration."""
        self.state.scopes.open()
        before, test = self.condition_with_names()
        header = self.tokens.span(first)
        body = self.grammar.statements.body()
        self.state.scopes.close()
        leave = ast.If(header, header, ast.Unary(header, "!", test), ast.Break(header), None)
        inside = ast.Block(body.span, (*before, leave, body))
        return ast.For(self.tokens.span(first), header, None, None, None, inside)

    # --- ranges

    def is_range(self, opening: int) -> bool:
        """Return whether the parentheses of a for hold `declaration : range`."""
        at = opening + 1
        while at < self.closes[opening] and self.texts[at] not in (";", "?"):
            if self.texts[at] == ":":
                return True
            at = self.closes.get(at, at) + 1
        return False

    # range: specifiers declarator ':' (expression | braces)
    def range_for(self, first: int, opening: int) -> Statement:
        """Parse the rest of a for over a range, from its declaration on."""
        self.state.scopes.open()
        specifiers = self.grammar.types.specifiers()
        begin = self.tokens.at
        declarator = self.grammar.declarators.declarator(specifiers.type, const=specifiers.const)
        span = self.tokens.span(begin)
        self.tokens.require(":")
        before: list[Statement] = []
        sequence = self._sequence(specifiers, declarator.name, before)
        kind = self.grammar.function_templates.expression_type(sequence)
        self.grammar.expressions.close(opening)
        header = self.tokens.span(first)

        def element(value: Expr) -> Statement:
            variable = ast.Variable(span, declarator.name, declarator.type, const=declarator.const, value=value)
            return ast.Declare(span, (variable,))

        self.state.scopes.declare_variable(declarator.name, self._element_type(declarator.type, kind))
        if kind is None or kind == AUTO or isinstance(kind, Struct):  # a function returns no array
            result = self._iterator_loop(first, header, declarator.name, sequence, element)
        else:
            result = self._element_loop(first, header, declarator.name, sequence, element)
        self.state.scopes.close()
        return ast.Block(result.span, (*before, result)) if before else result

    def _element_type(self, kind: CType, sequence: CType | None) -> CType:
        """Return the type of a range's element, for `auto` that of an array's."""
        plain = value_type(kind)
        return sequence.of if plain == AUTO and isinstance(sequence, Array) else kind

    def _sequence(self, specifiers: Specifiers, name: str, before: list[Statement]) -> Expr:
        """Parse the range of a for; a list of values becomes an array, a temporary value a variable."""
        first = self.tokens.at
        if self.texts[first] == "{":
            values = self.grammar.initialisers.braces(AUTO)
            assert isinstance(values, ast.Construct)
            element = (
                specifiers.type
                if specifiers.type != AUTO
                else self.grammar.function_templates.expression_type(values.values[0]) or AUTO
            )
            kind: CType = Array(element, len(values.values))
            value: Expr | tuple[Expr, ...] = values.values
        else:
            result = self.grammar.expressions.inside(self.grammar.expressions.expression)
            if isinstance(result, ast.Name | ast.Member | ast.Index):
                return result
            value, kind = result, self.grammar.function_templates.expression_type(result) or AUTO
        span = self.tokens.span(first)
        sequence = f"__{name}_range"
        before.append(ast.Declare(span, (ast.Variable(span, sequence, kind, value=value),)))
        self.state.scopes.declare_variable(sequence, kind)
        return ast.Name(span, sequence)

    def _element_loop(
        self, first: int, header: Span, name: str, sequence: Expr, element: Callable[[Expr], Statement]
    ) -> Statement:
        """Return the loop over the elements of an array."""
        kind = self.grammar.function_templates.expression_type(sequence)
        if not isinstance(kind, Array):
            self.tokens.unsupported(first, f"for over {kind}", "use for (int i = 0; i < n; ++i)")
        index = ast.Name(header, f"__{name}_index")
        zero = ast.Variable(header, index.id, INT, value=ast.Number(header, 0, INT))
        test = ast.Binary(header, "<", index, ast.Number(header, kind.length, INT))
        step = ast.Update(header, "++", True, index)
        inside = self._loop_body(element(ast.Index(header, sequence, index)))
        return ast.For(self.tokens.span(first), header, ast.Declare(header, (zero,)), test, step, inside)

    def _iterator_loop(
        self, first: int, header: Span, name: str, sequence: Expr, element: Callable[[Expr], Statement]
    ) -> Statement:
        """Return the loop from `begin()` to `end()` of a struct."""
        at, end = ast.Name(header, f"__{name}_at"), ast.Name(header, f"__{name}_end")
        ends = tuple(
            ast.Variable(header, each.id, AUTO, value=ast.Call(header, function, (sequence,)))
            for each, function in ((at, ".begin"), (end, ".end"))
        )
        test, step = ast.Binary(header, "!=", at, end), ast.Update(header, "++", True, at)
        inside = self._loop_body(element(ast.Unary(header, "*", at)))
        return ast.For(self.tokens.span(first), header, ast.Declare(header, ends), test, step, inside)

    def _loop_body(self, element: Statement) -> ast.Block:
        body = self.grammar.statements.body()
        return ast.Block(body.span, (element, body))
