"""Expressions by precedence. Above each method is its production."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.lexer import literals
from kernels.frontend.lexer.tokens import MAX_NESTING
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.expression_types import BUILT_IN
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import VariableEntry
from kernels.frontend.templates.parameters import number_of
from kernels.frontend.types import AUTO, CType, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

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
            self.grow(height)
            result = ast.Binary(self.tokens.span(first), ",", result, right)
        return result

    # assignment: binary ('?' expression ':' assignment)? | binary assignment_operator assignment
    def assignment(self) -> Expr:
        """Parse an expression without a comma operator at its top."""
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
            self.grow(height)
            return ast.Assign(self.tokens.span(first), _SPELLED.get(text, text), result, value)
        if text == "<=>":
            self.tokens.unsupported(self.tokens.at, "operator <=>")
        return result

    def _assigned(self, target: Expr) -> Expr:
        """Parse the assigned value; braces that name members have the target's type."""
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
        self.grow(height)
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
            self.grow(height)
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
        return self._postfix(first, self._primary())

    def operand(self) -> Expr:
        """Parse the operand of a prefix operator."""
        self.tokens.enter_level()
        operand = self._unary()
        self.tokens.depth -= 1
        self.grow(0)
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
                return self.grammar.primaries.reinterpret(self.tokens.span(first), kind, operand)
            kind = kind.to  # the operand is no lvalue
        return ast.Cast(self.tokens.span(first), kind, operand)

    # postfix: primary ('[' expression ']' | ('.' | '->') name | '(' arguments ')' | '++' | '--')*
    def _postfix(self, first: int, result: Expr) -> Expr:
        while True:
            text = self.texts[self.tokens.at]
            if text == "[":
                height = self.state.tree_height
                result = self._index(first, result)
                self.grow(height)
            elif text == "." or text == "->":
                height = self.state.tree_height
                base = result if text == "." else self._pointed(first, result)
                self.tokens.at += 1
                result = self._member(first, base)
                self.grow(height)
            elif text == "++" or text == "--":
                self.tokens.at += 1
                result = ast.Update(self.tokens.span(first), text, False, result)  # type: ignore[arg-type]
                self.grow(0)
            elif text == "(" and isinstance(result, ast.Name) and not self.grammar.lookahead.is_variable(result.id):
                result = ast.Call(result.span, result.id, self.arguments(), result.template)
            elif text == "(":
                span = self.tokens.span(first, self.closes[self.tokens.at])
                height = self.state.tree_height
                result = ast.Call(span, ".operator()", (result, *self.arguments()))
                self.grow(height)
            else:
                return result

    def _pointed(self, first: int, pointer: Expr) -> Expr:
        """Dereference what is before `->`; `this` is a reference."""
        return self._prefixed(first, "*", pointer)

    def _index(self, first: int, base: Expr) -> Expr:
        opening = self.tokens.advance()
        if self.texts[self.tokens.at] == "]":
            self.tokens.refuse(first, "syntax error: an index is missing between [ and ]")
        index = self.inside(self.expression)  # a[i, j] is a[(i, j)] in C++17, the default of nvcc
        self.close(opening)
        return ast.Index(self.tokens.span(first), base, index)

    # member: name ('(' arguments ')')?
    def _member(self, first: int, base: Expr) -> Expr:
        text = self.texts[self.tokens.at]
        if text == "operator":
            self.tokens.at += 1
            return self._operator_of(first, base)
        if text == "template":
            self.tokens.at += 1
        elif text == "~":
            self.tokens.unsupported(self.tokens.at, "'~' after .", "call a function of one type")
        name = self.tokens.name()
        owner = self.state.scopes.find(name)
        if self.texts[self.tokens.at] == "::" and isinstance(owner, Struct):  # object.Base::f()
            self.tokens.at += 1
            function = f"{owner}::{self.tokens.name()}"
            if self.texts[self.tokens.at] != "(":
                self.tokens.refuse_missing("'('")
            return ast.Call(
                self.tokens.span(first, self.closes[self.tokens.at]),
                function,
                (base, *self.arguments()),
            )
        template = self.member_template_arguments(name)
        if self.texts[self.tokens.at] != "(":
            return ast.Member(self.tokens.span(first), base, name)
        arguments = self.arguments()
        return ast.Call(self.tokens.span(first), f".{name}", (base, *arguments), template)

    # operator_of: 'operator' symbol '(' arguments ')'
    def _operator_of(self, first: int, base: Expr) -> Expr:
        """Parse the call of an operator by its name."""
        name = self.grammar.declarators.operator_name()
        if self.texts[self.tokens.at] != "(":
            self.tokens.refuse_missing("'('")
        arguments = self.arguments()
        span = self.tokens.span(first)
        if name == "operator=" and len(arguments) == 1:
            return ast.Assign(span, "=", base, arguments[0])
        return ast.Call(span, f".{name}", (base, *arguments))

    def member_template_arguments(self, name: str) -> tuple[CType | Expr, ...]:
        """Parse the template arguments of a member template; () if none follow."""
        if name in self.state.member_templates and self.texts[self.tokens.at] == "<":
            return self.grammar.template_arguments.template_arguments()
        return ()

    # --- operands

    # primary: number | variable | '(' expression ')' | other_primary
    def _primary(self) -> Expr:
        """Parse the operand of an operator."""
        at = self.tokens.at
        text = self.texts[at]
        self.state.tree_height = 1
        if self.kinds[at] == "number":
            return self._number(text)
        if self.kinds[at] == "name" and text not in KEYWORDS and self.texts[at + 1] not in ("(", "::"):
            entry = self.state.scopes.find(text)
            if isinstance(entry, VariableEntry):
                self.tokens.at += 1
                return self.variable(self.tokens.span(at), text, entry)
            if entry is None and text in BUILT_IN:
                self.tokens.at += 1
                return ast.Name(self.tokens.span(at), text)
        elif text == "(":
            return self._parentheses()
        return self.grammar.primaries.primary()

    def variable(self, span: ast.Span, name: str, entry: VariableEntry) -> Expr:
        """Return the use of a variable; a literal is its value."""
        if entry.literal and entry.value is not None:
            return number_of(span, entry.value, entry.type)
        return ast.Name(span, entry.alias or name)

    def _number(self, text: str) -> Expr:
        try:
            value, kind = literals.number(text)
        except ValueError as error:
            if "_" in text:
                self.tokens.unsupported(self.tokens.at, f"literal '{text}'")
            self.tokens.refuse(self.tokens.at, f"syntax error: {error}")
        self.tokens.at += 1
        return ast.Number(self.tokens.span(self.tokens.at - 1), value, kind)

    # parentheses: '(' expression ')' | '(' fold ')'
    def _parentheses(self) -> Expr:
        opening = self.tokens.at
        if self.grammar.packs.is_fold(opening):
            return self.inside(lambda: self.grammar.packs.fold(self.operand))
        self.tokens.at += 1
        result = self.inside(self.expression)
        self.close(opening)
        return result

    def inside(self, parse: Callable[[], Expr]) -> Expr:
        """Parse inside brackets, where `>` compares."""
        state, tokens = self.state, self.tokens
        outside, state.in_angles = state.in_angles, False
        tokens.depth += 1
        if tokens.depth > MAX_NESTING:
            tokens.refuse_nesting()
        result = parse()
        tokens.depth -= 1
        state.in_angles = outside
        return result

    def close(self, opening: int) -> None:
        """Skip the bracket that closes another one."""
        if self.tokens.at != self.closes[opening]:
            self.tokens.refuse_missing(f"'{self.texts[self.closes[opening]]}'")
        self.tokens.at += 1

    # arguments: '(' (assignment (',' assignment)*)? ')'
    def arguments(self) -> tuple[Expr, ...]:
        """Parse the arguments of a call, or the values of a struct."""
        opening = self.tokens.advance()
        result: list[Expr] = []
        height = 0
        while self.tokens.at != self.closes[opening]:
            if result:
                self.tokens.require(",")
            result += self.grammar.packs.expand(lambda: self.inside(self._argument))
            height = max(height, self.state.tree_height)
        self.tokens.at += 1
        self.state.tree_height = 0
        self.grow(height)
        return tuple(result)

    def _argument(self) -> Expr:
        return self.grammar.initialisers.braces(AUTO) if self.texts[self.tokens.at] == "{" else self.assignment()

    def grow(self, height: int) -> None:
        """Set the height of a node above two trees: one of this height, and the one that was parsed last."""
        self.state.tree_height = max(height, self.state.tree_height) + 1
        if self.state.tree_height + self.tokens.depth > MAX_NESTING:
            self.tokens.refuse(self.tokens.at - 1, f"nested deeper than {MAX_NESTING} levels")
