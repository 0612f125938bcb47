"""Expressions by precedence. Above each method is its production."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.parser.part import Part
from kernels.frontend.types import AUTO, CType, Reference, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr

_LEVELS: Final = {
    op: level
    for level, ops in enumerate(("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), start=1)
    for op in ops.split()
}

_SPELLED: Final = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "compl": "~",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "not_eq": "!=",
    "and_eq": "&=",
    "or_eq": "|=",
    "xor_eq": "^=",
}

_LEVELS.update({word: _LEVELS[op] for word, op in _SPELLED.items() if op in _LEVELS})

_ASSIGN: Final = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "and_eq", "or_eq", "xor_eq"}

_PREFIXES: Final = {"-", "+", "!", "~", "*", "&", "not", "compl", "bitand"}

_CLOSES_ANGLE: Final = {">", ">>", ">=", ">>="}


class Expressions(Part):
    """Parses expressions."""

    # expression: assignment (',' assignment)*
    def expression(self) -> Expr:
        """Parse an expression.

        Raises
        ------
        SourceError
            For what is none, or not supported, and beyond `MAX_NESTING` levels.
        """
        first = self.tokens.at
        result = self.assignment()
        while self.texts[self.tokens.at] == ",":
            height = self.state.tree_height
            self.tokens.at += 1
            right = self.assignment()
            self.grammar.primaries.grow(height)
            result = ast.Binary(self.tokens.span(first), ",", result, right)
        return result

    # assignment: binary ('?' expression ':' assignment)? | binary assignment_operator assignment
    def assignment(self) -> Expr:
        """Parse an expression without commas at its top."""
        first = self.tokens.at
        result = self.binary(1)
        text = self.texts[self.tokens.at]
        if text == "?":
            return self._conditional(first, result)
        if text in _ASSIGN and not (self.state.in_angles and text == ">>="):
            height = self.state.tree_height
            self.tokens.at += 1
            self.tokens.enter_level()
            value = self._assigned(result)
            self.tokens.depth -= 1
            self.grammar.primaries.grow(height)
            return ast.Assign(self.tokens.span(first), _SPELLED.get(text, text), result, value)
        if text == "<=>":
            self.tokens.unsupported(self.tokens.at, "operator <=>")
        return result

    def _assigned(self, target: Expr) -> Expr:
        """Parse what is assigned; braces that name members are of the target's type."""
        if self.texts[self.tokens.at] != "{":
            return self.assignment()
        kind = (
            self.grammar.function_templates.expression_type(target) if self.texts[self.tokens.at + 1] == "." else None
        )
        return self.grammar.initialisers.braces(kind if isinstance(kind, Struct) else AUTO)

    def _conditional(self, first: int, condition: Expr) -> Expr:
        height = self.state.tree_height
        self.tokens.at += 1
        self.tokens.enter_level()
        outside, self.state.in_angles = self.state.in_angles, False
        then = self.expression()
        self.state.in_angles = outside
        height = max(height, self.state.tree_height)
        self.tokens.require(":")
        otherwise = self.assignment()
        self.tokens.depth -= 1
        self.grammar.primaries.grow(height)
        return ast.Conditional(self.tokens.span(first), condition, then, otherwise)

    # binary: unary (operator binary)*
    def binary(self, least: int) -> Expr:
        """Parse operators that bind at least as strongly as level `least`."""
        first = self.tokens.at
        result = self._unary()
        texts = self.texts
        while True:
            text = texts[self.tokens.at]
            level = _LEVELS.get(text, 0)
            if level < least or level == 0 or (self.state.in_angles and text in _CLOSES_ANGLE):
                return result
            height = self.state.tree_height
            self.tokens.at += 1
            right = self.binary(level + 1)
            self.grammar.primaries.grow(height)
            result = ast.Binary(self.tokens.span(first), _SPELLED.get(text, text), result, right)

    # unary: prefix unary | '(' type ')' unary | postfix
    def _unary(self) -> Expr:
        first = self.tokens.at
        text = self.texts[first]
        if text in _PREFIXES:
            self.tokens.at += 1
            operand = self.operand()
            return self._prefixed(first, _SPELLED.get(text, text), operand)
        if text in ("++", "--"):
            self.tokens.at += 1
            operand = self.operand()
            return ast.Update(self.tokens.span(first), text, True, operand)  # type: ignore[arg-type]
        if text == "(" and self.grammar.lookahead.starts_type(first + 1):
            kind = self.grammar.primaries.cast_type()
            if kind is not None:
                return self._cast(first, kind)
        return self._postfix(first, self.grammar.primaries.primary())

    def operand(self) -> Expr:
        """Parse what a prefix operator applies to."""
        self.tokens.enter_level()
        operand = self._unary()
        self.tokens.depth -= 1
        self.grammar.primaries.grow(0)
        return operand

    def _prefixed(self, first: int, op: str, operand: Expr) -> Expr:
        this = isinstance(operand, ast.Unary) and operand.op == "&" and operand.operand
        if op == "*" and isinstance(this, ast.Name) and this.id == "this":
            return this
        return ast.Unary(self.tokens.span(first), op, operand)  # type: ignore[arg-type]

    # cast: '(' type ')' (unary | '{' … '}')
    def _cast(self, first: int, kind: CType) -> Expr:
        if self.texts[self.tokens.at] == "{":
            return self._postfix(first, self.grammar.initialisers.braces(kind))
        operand = self.operand()
        if isinstance(kind, Reference):
            if isinstance(operand, ast.Name | ast.Index | ast.Member | ast.Unary):
                return self.grammar.primaries.reinterpreted_place(self.tokens.span(first), kind, operand)
            kind = kind.to  # a value has no place
        return ast.Cast(self.tokens.span(first), kind, operand)

    # postfix: primary ('[' expression ']' | ('.' | '->') name | '(' arguments ')' | '++' | '--')*
    def _postfix(self, first: int, result: Expr) -> Expr:
        while True:
            text = self.texts[self.tokens.at]
            if text == "[":
                height = self.state.tree_height
                result = self._index(first, result)
                self.grammar.primaries.grow(height)
            elif text == "." or text == "->":
                height = self.state.tree_height
                base = result if text == "." else self._pointed(first, result)
                self.tokens.at += 1
                result = self._member(first, base)
                self.grammar.primaries.grow(height)
            elif text == "++" or text == "--":
                self.tokens.at += 1
                result = ast.Update(self.tokens.span(first), text, False, result)  # type: ignore[arg-type]
                self.grammar.primaries.grow(0)
            elif text == "(" and isinstance(result, ast.Name) and not self.grammar.lookahead.is_variable(result.id):
                result = ast.Call(result.span, result.id, self.grammar.primaries.arguments(), result.template)
            elif text == "(":
                span = self.tokens.between(first, self.closes[self.tokens.at])
                height = self.state.tree_height
                result = ast.Call(span, ".operator()", (result, *self.grammar.primaries.arguments()))
                self.grammar.primaries.grow(height)
            else:
                return result

    def _pointed(self, first: int, pointer: Expr) -> Expr:
        """Dereference what is before `->`; `this` is a reference."""
        return self._prefixed(first, "*", pointer)

    def _index(self, first: int, base: Expr) -> Expr:
        opened = self.tokens.at
        self.tokens.at += 1
        if self.texts[self.tokens.at] == "]":
            self.tokens.refuse(first, "syntax error: an index is missing between [ and ]")
        index = self.grammar.primaries.inside(
            self.expression
        )  # a[i, j] is a[(i, j)] in C++17, which nvcc reads by default
        self.grammar.primaries.close(opened)
        return ast.Index(self.tokens.span(first), base, index)

    # member: name ('(' arguments ')')?
    def _member(self, first: int, base: Expr) -> Expr:
        if self.tokens.take("operator"):
            return self._operator_of(first, base)
        self.tokens.take("template")
        if self.texts[self.tokens.at] == "~":
            self.tokens.unsupported(
                self.tokens.at, f"'{self.texts[self.tokens.at]}' after .", "call a function of one type"
            )
        name = self.tokens.name()
        owner = self.state.scopes.find(name)
        if self.texts[self.tokens.at] == "::" and isinstance(owner, Struct):  # object.Base::f()
            self.tokens.at += 1
            function = f"{owner}::{self.tokens.name()}"
            if self.texts[self.tokens.at] != "(":
                self.tokens.refuse_missing("'('")
            return ast.Call(
                self.tokens.between(first, self.closes[self.tokens.at]),
                function,
                (base, *self.grammar.primaries.arguments()),
            )
        template = self.member_template_arguments(name)
        if self.texts[self.tokens.at] != "(":
            return ast.Member(self.tokens.span(first), base, name)
        arguments = self.grammar.primaries.arguments()
        return ast.Call(self.tokens.span(first), f".{name}", (base, *arguments), template)

    # operator_of: 'operator' symbol '(' arguments ')'
    def _operator_of(self, first: int, base: Expr) -> Expr:
        """Parse the call of an operator by its name."""
        name = self.grammar.declarators.operator_name()
        if self.texts[self.tokens.at] != "(":
            self.tokens.refuse_missing("'('")
        arguments = self.grammar.primaries.arguments()
        span = self.tokens.span(first)
        if name == "operator=" and len(arguments) == 1:
            return ast.Assign(span, "=", base, arguments[0])
        return ast.Call(span, f".{name}", (base, *arguments))

    def member_template_arguments(self, name: str) -> tuple[CType | Expr, ...]:
        """Parse the arguments of a template inside of a struct, where any are given."""
        if name in self.state.member_templates and self.texts[self.tokens.at] == "<":
            return self.grammar.template_arguments.template_arguments()
        return ()
