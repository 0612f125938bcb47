"""Parser of statements; the comment above a method is its grammar production."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.lexer.tokens import MAX_NESTING
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.lookahead import ATTRIBUTE_STARTS
from kernels.frontend.parser.part import Part
from kernels.frontend.templates.parameters import number_of, type_of
from kernels.frontend.types import AUTO, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Statement
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import CType

_REFUSED: Final = {
    "try": ("try", ""),
    "throw": ("throw", ""),
    "case": ("a case inside another statement", "put it at the top of the switch"),
    "default": ("a default inside another statement", "put it at the top of the switch"),
    "template": ("template inside a function", "declare it outside"),
}

_ASM: Final = {"asm", "__asm__", "__asm"}


class FailedAssertion(SourceError):
    """The condition of a static_assert is false."""


class Statements(Part):
    """Parses statements."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._return_type: CType = AUTO
        """Return type of the function that is being parsed."""
        self._statements: Final[dict[str, Callable[[], Statement]]] = {
            "{": self.block,
            ";": self._empty,
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "do": self._do_while,
            "switch": lambda: self.grammar.ranges.switch_with_names(),
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
        """Parse a statement.

        Raises
        ------
        SourceError
            For a token that begins no statement, a construct that is not supported, or more than `MAX_NESTING` levels.
        """
        checkpoint()
        while self.texts[self.tokens.at] in ATTRIBUTE_STARTS and self.grammar.lookahead.skip_attribute():
            pass
        self.tokens.depth += 1
        if self.tokens.depth > MAX_NESTING:
            self.tokens.refuse_nesting()
        text = self.texts[self.tokens.at]
        production = self._statements.get(text)
        if production is not None:
            result = production()
        elif self.texts[self.tokens.at + 1] == ":" and self.kinds[self.tokens.at] == "name" and text not in KEYWORDS:
            result = self._label()
        elif self.grammar.lookahead.declares():
            result = self._declare()
        else:
            result = self._do()
        self.tokens.depth -= 1
        return result

    # block: '{' statement* '}'
    def block(self) -> ast.Block:
        """Parse a block; its names end with it."""
        first = self.tokens.at
        if self.texts[first] != "{":
            self.tokens.refuse_missing("'{'")
        close = self.closes[first]
        self.tokens.at += 1
        self.state.scopes.open()
        body = self._until(close)
        self.state.scopes.close()
        self.tokens.at += 1
        return ast.Block(self.tokens.span(first), body)

    def _until(self, close: int) -> tuple[Statement, ...]:
        body = []
        while self.tokens.at != close:
            if self.texts[self.tokens.at] == ";":
                self.tokens.at += 1
            else:
                body.append(self.statement())
        return tuple(body)

    def body(self) -> Statement:
        """Parse the statement of an if or a loop: a declaration there is visible only there."""
        self.state.scopes.open()
        first = self.tokens.at
        result = self.statement()
        if isinstance(result, ast.Label):
            self.tokens.unsupported(first, "label without a block around it", "put braces around it")
        self.state.scopes.close()
        return result

    def _empty(self) -> Statement:
        self.tokens.at += 1
        return ast.Block(self.tokens.span(self.tokens.at - 1), ())

    def _declare(self) -> Statement:
        first = self.tokens.at
        variables = self.grammar.declarations.local_declaration()
        span = self.tokens.span(first)
        return ast.Declare(span, variables) if variables else ast.Block(span, ())

    def _alias(self) -> Statement:
        first = self.tokens.at
        enumerators = self.grammar.declarations.type_definition()
        span = self.tokens.span(first)
        return ast.Declare(span, enumerators) if enumerators else ast.Block(span, ())

    def _using(self) -> Statement:
        """Parse `using name = type;`; `using namespace` and `using std::min` are skipped."""
        if self.texts[self.tokens.at] == "using" and self.texts[self.tokens.at + 2] == "=":
            return self._alias()
        first = self.tokens.at
        self.grammar.declarations.open_enum()
        if self.texts[first] == "namespace":  # namespace cg = cooperative_groups;
            self.state.namespaces.add(self.texts[first + 1])
        while self.texts[self.tokens.at] not in (";", "}", ""):
            self.tokens.at += 1
        self.tokens.require(";")
        return ast.Block(self.tokens.span(first), ())

    # expression_statement: expression ';'
    def _do(self) -> Statement:
        first = self.tokens.at
        text = self.texts[first]
        if text in _REFUSED:
            self.tokens.unsupported(first, *_REFUSED[text])
        expression = self.grammar.expressions.expression()
        self.tokens.require(";")
        return ast.Do(self.tokens.span(first), expression)

    # if: 'if' 'constexpr'? condition statement ('else' statement)?
    def _if(self) -> Statement:
        """Parse an if and all of its else-ifs, in a loop: chains may be long."""
        arms: list[tuple[int, ast.Span, ast.Expr, Statement]] = []
        depth = self.tokens.depth
        otherwise: Statement | None = None
        while True:
            first = self.tokens.advance()
            if self.texts[self.tokens.at] == "constexpr":
                otherwise = self._if_constexpr(first)
                break
            if self.grammar.ranges.names_in_condition(self.tokens.at):
                otherwise = self.grammar.ranges.if_with_names(first)
                break
            test = self.condition()
            arms.append((first, self.tokens.span(first), test, self.body()))
            if not self.tokens.take("else"):
                break
            if self.texts[self.tokens.at] != "if":
                otherwise = self.body()
                break
            self.tokens.enter_level()
        self.tokens.depth = depth
        for first, header, test, then in reversed(arms):
            otherwise = ast.If(self.tokens.span(first), header, test, then, otherwise)
        assert otherwise is not None
        return otherwise

    def _if_constexpr(self, first: int) -> Statement:
        """Parse only the selected branch: the other one may be invalid for these template arguments."""
        self.tokens.at += 1
        begin = self.tokens.at
        value = self.grammar.types.constant(self.condition())
        if value is None:
            self.tokens.refuse(begin, "if constexpr needs a condition that is known before the kernel runs")
        result: Statement | None = None
        if value:
            result = self.body()
        else:
            self.skip_statement()
        if self.tokens.take("else"):
            if value:
                self.skip_statement()
            else:
                result = self.body()
        return result or ast.Block(self.tokens.span(first), ())

    # for: 'for' '(' (declaration | expression? ';') expression? ';' expression? ')' statement
    def _for(self) -> Statement:
        first = self.tokens.advance()
        opening = self.tokens.require("(")
        if self.grammar.ranges.is_range(opening):
            return self.grammar.ranges.range_for(first, opening)
        self.state.scopes.open()
        start = self._for_start()
        condition = (
            None
            if self.texts[self.tokens.at] == ";"
            else self.grammar.expressions.inside(self.grammar.expressions.expression)
        )
        self.tokens.require(";")
        step = (
            None
            if self.tokens.at == self.closes[opening]
            else self.grammar.expressions.inside(self.grammar.expressions.expression)
        )
        self.grammar.expressions.close(opening)
        header = self.tokens.span(first)
        body = self.body()
        self.state.scopes.close()
        return ast.For(self.tokens.span(first), header, start, condition, step, body)

    def _for_start(self) -> Statement | None:
        if self.tokens.take(";"):
            return None
        first = self.tokens.at
        if self.grammar.lookahead.declares():
            return self._declare()
        expression = self.grammar.expressions.inside(self.grammar.expressions.expression)
        result = ast.Do(self.tokens.span(first), expression)
        self.tokens.require(";")
        return result

    # while: 'while' condition statement
    def _while(self) -> Statement:
        first = self.tokens.advance()
        if self.grammar.ranges.names_in_condition(self.tokens.at):
            return self.grammar.ranges.while_with_names(first)
        test = self.condition()
        header = self.tokens.span(first)
        body = self.body()
        return ast.While(self.tokens.span(first), header, test, body)

    # do: 'do' statement 'while' condition ';'
    def _do_while(self) -> Statement:
        first = self.tokens.advance()
        body = self.body()
        word = self.tokens.require("while")
        test = self.condition()
        header = self.tokens.span(word)
        self.tokens.require(";")
        return ast.While(self.tokens.span(first), header, test, body, first=True)

    def _break(self) -> Statement:
        self.tokens.at += 1
        self.tokens.require(";")
        return ast.Break(self.tokens.span(self.tokens.at - 2))

    def _continue(self) -> Statement:
        self.tokens.at += 1
        self.tokens.require(";")
        return ast.Continue(self.tokens.span(self.tokens.at - 2))

    def _goto(self) -> Statement:
        first = self.tokens.advance()
        name = self.tokens.name()
        self.tokens.require(";")
        return ast.Goto(self.tokens.span(first), name)

    # label: name ':'
    def _label(self) -> Statement:
        first = self.tokens.at
        name = self.tokens.name()
        self.tokens.require(":")
        return ast.Label(self.tokens.span(first), name)

    def function_body(self, returns: CType) -> ast.Block:
        """Parse the body of a function with a return type."""
        outside, self._return_type = self._return_type, returns
        try:
            return self.block()
        finally:
            self._return_type = outside

    # return: 'return' (expression | braces)? ';'
    def _return(self) -> Statement:
        first = self.tokens.advance()
        value: ast.Expr | None = None
        if self.texts[self.tokens.at] == "{":
            value = self.grammar.initialisers.braces(
                self._return_type if isinstance(self._return_type, Struct) else AUTO
            )
        elif self.texts[self.tokens.at] not in (";", "}"):
            value = self.grammar.expressions.expression()
        self.tokens.require(";")
        return ast.Return(self.tokens.span(first), value)

    # condition: '(' expression ')'
    def condition(self) -> ast.Expr:
        """Parse a condition in its parentheses."""
        opening = self.tokens.require("(")
        if self.grammar.lookahead.declares():
            self.tokens.unsupported(self.tokens.at, "declaration in this condition", "declare it on the line before")
        result = self.grammar.expressions.inside(self.grammar.expressions.expression)
        if self.texts[self.tokens.at] == ";":
            self.tokens.unsupported(self.tokens.at, "statement in this condition", "write it on the line before")
        self.grammar.expressions.close(opening)
        return result

    # switch: 'switch' condition '{' (label+ statement*)* '}'
    def switch(self, first: int, value: ast.Expr) -> Statement:
        """Parse the block of a switch. Its cases are statements of that block."""
        header = self.tokens.span(first)
        if self.texts[self.tokens.at] != "{":
            self.tokens.unsupported(self.tokens.at, "switch without { }", "write its cases in braces")
        close = self.closes[self.tokens.at]
        self.tokens.at += 1
        self.state.scopes.open()
        cases: list[ast.Case] = []
        defaults = 0
        while self.tokens.at != close:
            if self.texts[self.tokens.at] not in ("case", "default"):
                self.tokens.unsupported(
                    self.tokens.at, "statement before the first case", "move it in front of the switch"
                )
            cases.append(self._case(close))
            defaults += cases[-1].default
            if defaults > 1:
                self.tokens.refuse(self.tokens.at, "a switch has one default")
        self.state.scopes.close()
        self.tokens.at += 1
        return ast.Switch(self.tokens.span(first), header, value, tuple(cases))

    # case: ('case' constant ':' | 'default' ':')+ statement*
    def _case(self, close: int) -> ast.Case:
        first = self.tokens.at
        values: list[ast.Expr] = []
        default = False
        while self.texts[self.tokens.at] in ("case", "default"):
            if self.tokens.take("default"):
                default = True
            else:
                self.tokens.at += 1
                values.append(self.grammar.expressions.assignment())
                if self.texts[self.tokens.at] == "...":
                    self.tokens.unsupported(self.tokens.at, "range of cases", "write one case for each value")
            self.tokens.require(":")
        body: list[Statement] = []
        while self.tokens.at != close and self.texts[self.tokens.at] not in ("case", "default"):
            if self.texts[self.tokens.at] == ";":
                self.tokens.at += 1
            else:
                body.append(self.statement())
        return ast.Case(self.tokens.span(first), tuple(values), default, tuple(body))

    # static_assert: 'static_assert' '(' constant (',' string)? ')' ';'
    def static_assert(self) -> Statement:
        """Check a static_assert."""
        first = self.tokens.advance()
        opening = self.tokens.require("(")
        begin = self.tokens.at
        value = self.grammar.types.constant(self.grammar.expressions.inside(self.grammar.expressions.assignment))
        shown = self.tokens.excerpt(begin, self.tokens.at - 1)
        if value is None:
            self.tokens.refuse(begin, "static_assert needs a condition that is known before the kernel runs")
        explanation = ""
        if self.tokens.take(","):
            message = self.tokens.at
            self.grammar.primaries.span_of_string()
            explanation = f": {self.grammar.primaries.string(message)}"
        self.grammar.expressions.close(opening)
        self.tokens.require(";")
        if not value:
            error = self.tokens.error(first, f"static_assert({shown}) does not hold{explanation}")
            raise FailedAssertion(error.file, error.line, error.column, error.reason)
        return ast.Block(self.tokens.span(first), ())

    # assembly: 'asm' 'volatile'? '(' string+ (':' operands (':' operands (':' clobbers)?)?)? ')' ';'
    def assembly(self) -> Statement:
        """Parse an asm statement."""
        first = self.tokens.advance()
        while self.texts[self.tokens.at] in ("volatile", "__volatile__", "goto"):
            if self.texts[self.tokens.at] == "goto":
                self.tokens.unsupported(first, "asm goto", "use a loop with break")
            self.tokens.at += 1
        opening = self.tokens.require("(")
        begin = self.tokens.at
        self.grammar.primaries.span_of_string()
        if self.tokens.at == begin:
            self.tokens.refuse_missing("a string")
        template = self.grammar.primaries.string(begin)
        lists: list[tuple[tuple[str, ast.Expr], ...]] = []
        while self.tokens.at != self.closes[opening] and len(lists) < 2:
            if self.texts[self.tokens.at] == "::":  # an empty list of outputs
                lists.append(())
                self.tokens.at += 1
                if len(lists) == 2:
                    break
            else:
                self.tokens.require(":")
            lists.append(self._operands(self.closes[opening]))
        self.tokens.at = self.closes[opening] + 1  # clobbers have no effect in the simulator
        self.tokens.require(";")
        outputs, inputs = (*lists, (), ())[:2]
        return ast.Assembly(self.tokens.span(first), template, outputs, inputs)

    # operands: (string '(' expression ')' (','? …)*)?; nvcc accepts a missing comma
    def _operands(self, close: int) -> tuple[tuple[str, ast.Expr], ...]:
        result: list[tuple[str, ast.Expr]] = []
        while self.tokens.at != close and self.texts[self.tokens.at] not in (":", "::"):
            if result:
                self.tokens.take(",")
            if self.texts[self.tokens.at] == "[":
                self.tokens.unsupported(self.tokens.at, "named operand of asm", "write %0, %1 and so on")
            begin = self.tokens.at
            self.grammar.primaries.span_of_string()
            if self.tokens.at == begin:
                self.tokens.refuse_missing("an operand's constraint")
            constraint = self.grammar.primaries.string(begin)
            opening = self.tokens.require("(")
            operand = self.grammar.expressions.inside(self.grammar.expressions.expression)
            known = self.grammar.types.constant(operand) if constraint in ("n", "i") else None
            if isinstance(known, int):
                operand = number_of(operand.span, known, type_of(known, operand))
            result.append((constraint, operand))
            self.grammar.expressions.close(opening)
        return tuple(result)

    def skip_statement(self) -> None:
        """Skip a statement without parsing it."""
        while True:
            text = self.texts[self.tokens.at]
            if text == "{":
                self.tokens.at = self.closes[self.tokens.at] + 1
                return
            if text in ("for", "while", "switch", "if"):
                self.tokens.at += 1 + (self.texts[self.tokens.at + 1] == "constexpr")
                if self.texts[self.tokens.at] != "(":
                    self.tokens.refuse_missing("'('")
                self.tokens.at = self.closes[self.tokens.at] + 1
                if text != "if":
                    continue
                self.tokens.enter_level()
                self.skip_statement()
                self.tokens.depth -= 1
                if not self.tokens.take("else"):
                    return
            elif text == "do":
                self.tokens.at += 1
                self.tokens.enter_level()
                self.skip_statement()
                self.tokens.depth -= 1
            else:
                break
        while self.texts[self.tokens.at] != ";":
            if self.texts[self.tokens.at] in ("}", ""):
                self.tokens.refuse_missing("';'")
            self.tokens.at = self.closes.get(self.tokens.at, self.tokens.at) + 1
        self.tokens.at += 1
