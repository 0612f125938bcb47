"""Tokens -> statements. Above each method stands the production it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.frontend import ast
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.static_storage import LastingReader
from kernels.frontend.types import AUTO, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Statement
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import CType

_REFUSED: Final = {
    "try": ("try", ""),
    "throw": ("throw", ""),
    "case": ("a case inside another statement", "put it at the top of the switch"),
    "default": ("a default inside another statement", "put it at the top of the switch"),
    "template": ("template inside a function", "declare it outside"),
}
_ASM: Final = {"asm", "__asm__", "__asm"}


class StatementReader(LastingReader):
    """Reads statements."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self._returned: CType = AUTO
        """What the function that is being read returns."""
        self._statements: Final[dict[str, Callable[[], Statement]]] = {
            "{": self.block,
            ";": self._empty,
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "do": self._do_while,
            "switch": self.switch_with_names,
            "break": self._break,
            "continue": self._continue,
            "goto": self._goto,
            "return": self._return,
            "static_assert": self.static_assert,
            "typedef": self._alias,
            "using": self._using,
            "namespace": self._using,
            **dict.fromkeys(_ASM, self.assembly),
        }

    # statement: one of the productions below
    def statement(self) -> Statement:
        """Read a statement.

        Raises
        ------
        SourceError
            For what is none, or not supported, and beyond `MAX_NESTING` levels.
        """
        checkpoint()
        while self.skip_attribute():
            pass
        self.deeper()
        text = self.texts[self.at]
        reader = self._statements.get(text)
        if reader is not None:
            made = reader()
        elif self.texts[self.at + 1] == ":" and self.kinds[self.at] == "name" and text not in KEYWORDS:
            made = self._label()
        elif self.declares():
            made = self._declare()
        else:
            made = self._do()
        self.depth -= 1
        return made

    # block: '{' statement* '}'
    def block(self) -> ast.Block:
        """Read a block; its names end with it."""
        first = self.at
        if self.texts[first] != "{":
            self.missing("'{'")
        close = self.closes[first]
        self.at += 1
        self.scopes.open()
        body = self._until(close)
        self.scopes.close()
        self.at += 1
        return ast.Block(self.span(first), body)

    def _until(self, close: int) -> tuple[Statement, ...]:
        body = []
        while self.at != close:
            if not self.take(";"):
                body.append(self.statement())
        return tuple(body)

    def body(self) -> Statement:
        """Read the statement of an if or a loop: a declaration there is visible only there."""
        self.scopes.open()
        first = self.at
        made = self.statement()
        if isinstance(made, ast.Label):
            self.unsupported(first, "label without a block around it", "put braces around it")
        self.scopes.close()
        return made

    def _empty(self) -> Statement:
        self.at += 1
        return ast.Block(self.span(self.at - 1), ())

    def _declare(self) -> Statement:
        first = self.at
        declared = self.declaration()
        static = "static" in self.texts[first : first + 3]
        variables = tuple(v for v in declared if not self.lasts(v, static=static))
        span = self.span(first)
        return ast.Declare(span, variables) if variables else ast.Block(span, ())

    def _alias(self) -> Statement:
        first = self.at
        enumerators = self.type_definition()
        span = self.span(first)
        return ast.Declare(span, enumerators) if enumerators else ast.Block(span, ())

    def _using(self) -> Statement:
        """Read `using name = type;`; `using namespace` and `using std::min` say nothing here."""
        if self.texts[self.at] == "using" and self.texts[self.at + 2] == "=":
            return self._alias()
        first = self.at
        self.open_enum()
        if self.texts[first] == "namespace":  # namespace cg = cooperative_groups;
            self.namespaces.add(self.texts[first + 1])
        while self.texts[self.at] not in (";", "}", ""):
            self.at += 1
        self.require(";")
        return ast.Block(self.span(first), ())

    # expression_statement: expression ';'
    def _do(self) -> Statement:
        first = self.at
        text = self.texts[first]
        if text in _REFUSED:
            self.unsupported(first, *_REFUSED[text])
        expression = self.expression()
        self.require(";")
        return ast.Do(self.span(first), expression)

    # if: 'if' 'constexpr'? condition statement ('else' statement)?
    def _if(self) -> Statement:
        """Read an if and all of its else-ifs, in a loop: chains may be long."""
        arms: list[tuple[int, ast.Span, ast.Expr, Statement]] = []
        depth = self.depth
        otherwise: Statement | None = None
        while True:
            first = self.at
            self.at += 1
            if self.texts[self.at] == "constexpr":
                otherwise = self._if_constexpr(first)
                break
            if self.names_in_condition(self.at):
                otherwise = self.if_with_names(first)
                break
            test = self.condition()
            arms.append((first, self.span(first), test, self.body()))
            if not self.take("else"):
                break
            if self.texts[self.at] != "if":
                otherwise = self.body()
                break
            self.deeper()
        self.depth = depth
        for first, header, test, then in reversed(arms):
            otherwise = ast.If(self.span(first), header, test, then, otherwise)
        assert otherwise is not None
        return otherwise

    def _if_constexpr(self, first: int) -> Statement:
        """Read the arm that is taken; the other one may fit other template arguments only."""
        self.at += 1
        begin = self.at
        value = self.constant(self.condition())
        if value is None:
            self.refuse(begin, "if constexpr needs a condition that is known before the kernel runs")
        made: Statement | None = None
        if value:
            made = self.body()
        else:
            self.skip_statement()
        if self.take("else"):
            if value:
                self.skip_statement()
            else:
                made = self.body()
        return made or ast.Block(self.span(first), ())

    # for: 'for' '(' (declaration | expression? ';') expression? ';' expression? ')' statement
    def _for(self) -> Statement:
        first = self.at
        self.at += 1
        opened = self.at
        self.require("(")
        if self.is_range(opened):
            return self.range_for(first, opened)
        self.scopes.open()
        start = self._for_start()
        condition = None if self.texts[self.at] == ";" else self.inside(self.expression)
        self.require(";")
        step = None if self.at == self.closes[opened] else self.inside(self.expression)
        self.close(opened)
        header = self.span(first)
        body = self.body()
        self.scopes.close()
        return ast.For(self.span(first), header, start, condition, step, body)

    def _for_start(self) -> Statement | None:
        if self.take(";"):
            return None
        first = self.at
        if self.declares():
            return self._declare()
        expression = self.inside(self.expression)
        made = ast.Do(self.span(first), expression)
        self.require(";")
        return made

    # while: 'while' condition statement
    def _while(self) -> Statement:
        first = self.at
        self.at += 1
        if self.names_in_condition(self.at):
            return self.while_with_names(first)
        test = self.condition()
        header = self.span(first)
        body = self.body()
        return ast.While(self.span(first), header, test, body)

    # do: 'do' statement 'while' condition ';'
    def _do_while(self) -> Statement:
        first = self.at
        self.at += 1
        body = self.body()
        word = self.at
        self.require("while")
        test = self.condition()
        header = self.span(word)
        self.require(";")
        return ast.While(self.span(first), header, test, body, first=True)

    def _break(self) -> Statement:
        self.at += 1
        self.require(";")
        return ast.Break(self.span(self.at - 2))

    def _continue(self) -> Statement:
        self.at += 1
        self.require(";")
        return ast.Continue(self.span(self.at - 2))

    def _goto(self) -> Statement:
        first = self.at
        self.at += 1
        name = self.name()
        self.require(";")
        return ast.Goto(self.span(first), name)

    # label: name ':'
    def _label(self) -> Statement:
        first = self.at
        name = self.name()
        self.require(":")
        return ast.Label(self.span(first), name)

    def function_body(self, returns: CType) -> ast.Block:
        """Read the body of a function that returns this."""
        outside, self._returned = self._returned, returns
        try:
            return self.block()
        finally:
            self._returned = outside

    # return: 'return' (expression | braces)? ';'
    def _return(self) -> Statement:
        first = self.at
        self.at += 1
        value: ast.Expr | None = None
        if self.texts[self.at] == "{":
            value = self.braces(self._returned if isinstance(self._returned, Struct) else AUTO)
        elif self.texts[self.at] not in (";", "}"):
            value = self.expression()
        self.require(";")
        return ast.Return(self.span(first), value)
