"""Parts of statements that need room: switch, inline assembly, conditions, statements that are skipped."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.declarations import DeclarationReader
from kernels.frontend.templates.argument_lists import number_of, type_of

if TYPE_CHECKING:
    from kernels.frontend.ast import Statement


class ControlReader(DeclarationReader):
    """Reads a switch, an asm, a condition."""

    @abstractmethod
    def statement(self) -> Statement:
        """Read a statement."""

    # condition: '(' expression ')'
    def condition(self) -> ast.Expr:
        """Read a condition in its parentheses."""
        opened = self.at
        self.require("(")
        if self.declares():
            self.unsupported(self.at, "declaration in this condition", "declare it on the line before")
        made = self.inside(self.expression)
        if self.texts[self.at] == ";":
            self.unsupported(self.at, "statement in this condition", "write it on the line before")
        self.close(opened)
        return made

    # switch: 'switch' condition '{' (label+ statement*)* '}'
    def switch(self, first: int, value: ast.Expr) -> Statement:
        """Read a switch from behind its condition on; its cases stand at the top of its block."""
        header = self.span(first)
        if self.texts[self.at] != "{":
            self.unsupported(self.at, "switch without { }", "write its cases in braces")
        close = self.closes[self.at]
        self.at += 1
        self.scopes.open()
        cases: list[ast.Case] = []
        defaults = 0
        while self.at != close:
            if self.texts[self.at] not in ("case", "default"):
                self.unsupported(self.at, "statement before the first case", "move it in front of the switch")
            cases.append(self._case(close))
            defaults += cases[-1].default
            if defaults > 1:
                self.refuse(self.at, "a switch has one default")
        self.scopes.close()
        self.at += 1
        return ast.Switch(self.span(first), header, value, tuple(cases))

    # case: ('case' constant ':' | 'default' ':')+ statement*
    def _case(self, close: int) -> ast.Case:
        first = self.at
        values: list[ast.Expr] = []
        default = False
        while self.texts[self.at] in ("case", "default"):
            if self.take("default"):
                default = True
            else:
                self.at += 1
                values.append(self.assignment())
                if self.texts[self.at] == "...":
                    self.unsupported(self.at, "range of cases", "write one case for each value")
            self.require(":")
        body: list[Statement] = []
        while self.at != close and self.texts[self.at] not in ("case", "default"):
            if not self.take(";"):
                body.append(self.statement())
        return ast.Case(self.span(first), tuple(values), default, tuple(body))

    # static_assert: 'static_assert' '(' constant (',' string)? ')' ';'
    def static_assert(self) -> Statement:
        """Check a static_assert."""
        first = self.at
        self.at += 1
        opened = self.at
        self.require("(")
        begin = self.at
        value = self.constant(self.inside(self.assignment))
        shown = self.shown(begin, self.at - 1)
        if value is None:
            self.refuse(begin, "static_assert needs a condition that is known before the kernel runs")
        said = ""
        if self.take(","):
            message = self.at
            self.span_of_string()
            said = f": {self.string(message)}"
        self.close(opened)
        self.require(";")
        if not value:
            self.refuse(first, f"static_assert({shown}) does not hold{said}")
        return ast.Block(self.span(first), ())

    # assembly: 'asm' 'volatile'? '(' string+ (':' operands (':' operands (':' clobbers)?)?)? ')' ';'
    def assembly(self) -> Statement:
        """Read an asm statement."""
        first = self.at
        self.at += 1
        while self.texts[self.at] in ("volatile", "__volatile__", "goto"):
            if self.texts[self.at] == "goto":
                self.unsupported(first, "asm goto", "use a loop with break")
            self.at += 1
        opened = self.at
        self.require("(")
        begin = self.at
        self.span_of_string()
        if self.at == begin:
            self.missing("a string")
        template = self.string(begin)
        lists: list[tuple[tuple[str, ast.Expr], ...]] = []
        while self.at != self.closes[opened] and len(lists) < 2:
            if self.texts[self.at] == "::":  # no outputs
                lists.append(())
                self.at += 1
                if len(lists) == 2:
                    break
            else:
                self.require(":")
            lists.append(self._operands(self.closes[opened]))
        self.at = self.closes[opened] + 1  # what is clobbered does not matter here
        self.require(";")
        outputs, inputs = (*lists, (), ())[:2]
        return ast.Assembly(self.span(first), template, outputs, inputs)

    # operands: (string '(' expression ')' (','? …)*)?; nvcc does without the comma
    def _operands(self, close: int) -> tuple[tuple[str, ast.Expr], ...]:
        made: list[tuple[str, ast.Expr]] = []
        while self.at != close and self.texts[self.at] not in (":", "::"):
            if made:
                self.take(",")
            if self.texts[self.at] == "[":
                self.unsupported(self.at, "named operand of asm", "write %0, %1 and so on")
            begin = self.at
            self.span_of_string()
            if self.at == begin:
                self.missing("an operand's constraint")
            constraint = self.string(begin)
            opened = self.at
            self.require("(")
            operand = self.inside(self.expression)
            known = self.constant(operand) if constraint in ("n", "i") else None
            if isinstance(known, int):
                operand = number_of(operand.span, known, type_of(known, operand))
            made.append((constraint, operand))
            self.close(opened)
        return tuple(made)

    def skip_statement(self) -> None:
        """Go past a statement without reading it."""
        while True:
            text = self.texts[self.at]
            if text == "{":
                self.at = self.closes[self.at] + 1
                return
            if text in ("for", "while", "switch", "if"):
                self.at += 1 + (self.texts[self.at + 1] == "constexpr")
                if self.texts[self.at] != "(":
                    self.missing("'('")
                self.at = self.closes[self.at] + 1
                if text != "if":
                    continue
                self.deeper()
                self.skip_statement()
                self.depth -= 1
                if not self.take("else"):
                    return
            elif text == "do":
                self.at += 1
                self.deeper()
                self.skip_statement()
                self.depth -= 1
            else:
                break
        while self.texts[self.at] != ";":
            if self.texts[self.at] in ("}", ""):
                self.missing("';'")
            self.at = self.closes.get(self.at, self.at) + 1
        self.at += 1
