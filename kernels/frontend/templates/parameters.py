"""Template parameters and the arguments that are bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import PackEntry, StructTemplate, VariableEntry
from kernels.frontend.templates.template_arguments import Expansion, Pack, TemplateName, flat, pack
from kernels.frontend.types import AUTO, BOOL, INT, LONG, CType, FunctionName, FunctionPointer, Named, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.types import Argument


class TemplateParameters(Part):
    """Parses the parameters of templates."""

    # template_parameters: '<' (('typename' | 'class' | specifiers) name? ('=' (type | constant))? , …)? '>'
    def bind(
        self, owner: str, arguments: Sequence[Argument | None] | None
    ) -> tuple[list[ast.TemplateParameter], list[Argument]]:
        """Parse template parameters and bind them to their arguments; without arguments, leave them open.

        An argument that is None, or is missing at the end, is the parameter's default.

        Raises
        ------
        SourceError
            If the arguments do not fit.
        """
        self.tokens.require("template")
        self.tokens.require("<")
        parameters: list[ast.TemplateParameter] = []
        bound: list[Argument] = []
        if arguments is not None:
            arguments = [part for each in arguments for part in (each.elements if isinstance(each, Pack) else (each,))]
        while (
            self.texts[self.tokens.at] != ">" and self.state.split_angle != self.tokens.at
        ):  # `= S<T>>` closes both lists
            if parameters:
                self.tokens.require(",")
            index = self.tokens.at
            parameter = self._parameter_of_template()
            parameters.append(parameter)
            if arguments is None:
                self._leave_open(parameter)
            elif parameter.pack:
                rest = arguments[len(flat(bound)) :]
                if self.texts[self.tokens.at] == ",":  # those after it are of the other kind
                    rest = rest[: _leading_count(rest, types=parameter.type is None)]
                bound.append(pack([self._argument_for(index, owner, parameter, [each]) for each in rest]))
                self.bind_parameter(parameter, bound[-1])
            else:
                first = len(flat(bound))
                argument = self._argument_for(index, owner, parameter, arguments[first : first + 1])
                bound.append(argument)
                self.bind_parameter(parameter, argument)
        if arguments is not None and len(arguments) > len(flat(bound)):
            self.tokens.refuse(
                self.tokens.at, f"{owner} takes {len(bound)} template arguments, {len(arguments)} are given"
            )
        self.close_angle()
        return parameters, bound

    def _parameter_of_template(self) -> ast.TemplateParameter:
        first = self.tokens.at
        dependent = self.texts[first + 2] in ("::", "<")  # typename S<T>::type n
        if self.texts[first] in ("typename", "class") and not dependent:
            self.tokens.at += 1
            several = self.tokens.take("...")
            name = self.tokens.name() if self.kinds[self.tokens.at] == "name" else ""
            default = self.grammar.declarators.type_id() if self.tokens.take("=") else None
            return ast.TemplateParameter(name, None, default, pack=several)
        if self.texts[first] == "template":
            return self._template_template_parameter()
        kind = self.grammar.types.specifiers().type
        if self.tokens.take("*"):  # typename std::enable_if<…>::type * = nullptr
            kind = LONG
        several = self.tokens.take("...")
        if self.texts[self.tokens.at] == "(":  # float (*f)(float)
            declarator = self.grammar.declarators.declarator(kind, const=False)
            return ast.TemplateParameter(declarator.name, self._value_type(declarator.type, first))
        kind = self._value_type(kind, first)
        name = self.tokens.name() if self.kinds[self.tokens.at] == "name" else ""
        value = self.constant_argument() if self.tokens.take("=") else None
        return ast.TemplateParameter(name, kind, value, pack=several)

    # template_template: 'template' '<' … '>' ('typename' | 'class') name? ('=' name)?
    def _template_template_parameter(self) -> ast.TemplateParameter:
        self.tokens.at = self.tokens.past_angles(self.tokens.at + 1)
        if self.texts[self.tokens.at] not in ("typename", "class"):
            self.tokens.refuse_missing("'class'")
        self.tokens.at += 1
        several = self.tokens.take("...")
        name = self.tokens.name() if self.kinds[self.tokens.at] == "name" else ""
        default = None
        if self.tokens.take("="):
            self.grammar.lookahead.skip_namespaces()
            default = TemplateName(self.tokens.name())
        return ast.TemplateParameter(name, None, default, of_types=True, pack=several)

    def _value_type(self, kind: CType, first: int) -> Scalar:
        """Return the type of a parameter that is a value: a whole number or a function."""
        if isinstance(kind, Named) and kind != AUTO and self.state.signature:
            return INT
        if not isinstance(kind, Scalar) or kind.dtype.kind == "f":
            self.tokens.unsupported(first, f"template parameter of type {kind}", "take a type, or a whole number")
        return kind

    def _leave_open(self, parameter: ast.TemplateParameter) -> None:
        if parameter.name:
            kind = parameter.type
            entry: Entry = Named(parameter.name) if kind is None else VariableEntry(kind)
            self.state.scopes.declare(
                parameter.name, StructTemplate(parameter.name, -1) if parameter.of_types else entry
            )

    def _argument_for(
        self, index: int, owner: str, parameter: ast.TemplateParameter, arguments: Sequence[Argument | None]
    ) -> Argument:
        argument: Argument | None = arguments[0] if arguments else None
        if isinstance(argument, Expansion):
            return argument
        if argument is None and parameter.default is not None:
            default = parameter.default
            if isinstance(default, ast.Name):
                argument = FunctionName(default.id, default.template)
            else:
                argument = default if isinstance(default, CType) else self.grammar.types.constant(default)
        if argument is None:
            self.tokens.refuse(index, f"{owner}: no argument is given for its template parameter {parameter.name}")
        if parameter.type is None:
            expected = "a struct template" if parameter.of_types else "a type"
            if not isinstance(argument, CType) or parameter.of_types != isinstance(argument, TemplateName):
                self.tokens.refuse(
                    index, f"{owner}: template parameter {parameter.name} is {expected}, {argument} is given"
                )
            return argument
        function = isinstance(parameter.type, FunctionPointer)
        if isinstance(argument, FunctionName) and function:
            return argument
        if isinstance(argument, CType | FunctionName | float) or function:
            expected = "a function" if function else "a whole number"
            self.tokens.refuse(
                index, f"{owner}: template parameter {parameter.name} is {expected}, {argument} is given"
            )
        return bool(argument) if parameter.type == BOOL else int(argument)

    def bind_parameter(self, parameter: ast.TemplateParameter, argument: Argument) -> None:
        """Bind a template parameter to its argument."""
        kind = parameter.type or INT
        if isinstance(argument, Pack):
            elements = tuple(self._entry(each, kind) for each in argument.elements)
            none: Entry = INT if parameter.type is None else VariableEntry(kind, 0, literal=True)
            self.state.scopes.declare(parameter.name, PackEntry(elements, none))
        elif parameter.name:
            self.state.scopes.declare(parameter.name, self._entry(argument, kind))

    def _entry(self, argument: Argument, kind: Scalar) -> Entry:
        """Return the entry of a parameter with this argument."""
        if isinstance(argument, TemplateName):
            found = self.state.scopes.find(argument.name)
            if not isinstance(found, StructTemplate):
                self.tokens.refuse(self.tokens.at, f"'{argument.name}' is no struct template")
            return found
        if isinstance(argument, CType | FunctionName):
            return argument
        return VariableEntry(BOOL if isinstance(argument, bool) else kind, argument, literal=True)

    # template_arguments: '<' ((type | constant) (',' (type | constant))*)? '>'
    def template_arguments(self) -> tuple[CType | Expr, ...]:
        """Parse template arguments; constants arrive as numbers."""
        self.tokens.require("<")
        result: list[CType | Expr] = []
        outside = self.state.in_angles
        while self.texts[self.tokens.at] not in (">", ">>"):
            if result:
                self.tokens.require(",")
            result += [
                self.grammar.packs.open_expansion(argument)
                for argument in self.grammar.packs.expand(self.argument_in_angles, keep_ellipsis=True)
            ]
        self.state.in_angles = outside
        self.close_angle()
        return tuple(result)

    def argument_in_angles(self) -> CType | Expr:
        """Parse one template argument: a type, the name of a template, or a constant."""
        outside = self.state.in_angles
        template = self._template_name()
        if template is not None:
            return template
        if not self.grammar.lookahead.starts_type(self.tokens.at) or not self.grammar.lookahead.declares():
            return self.constant_argument()
        self.state.in_angles = True
        kind = self.grammar.declarators.type_id()
        self.state.in_angles = outside
        return kind

    def _template_name(self) -> Named | None:
        """Parse the name of a struct template as an argument."""
        at = self.tokens.at
        self.grammar.lookahead.skip_namespaces()
        found = self.state.scopes.find(self.texts[self.tokens.at])
        if not isinstance(found, StructTemplate) or self.texts[self.tokens.at + 1] not in (
            ",",
            ">",
            ">>",
        ):
            self.tokens.at = at
            return None
        self.tokens.at += 1
        return TemplateName(found.name) if found.first >= 0 else Named(found.name)

    def constant_argument(self) -> Expr:
        """Parse a template argument that is a number or a function."""
        first = self.tokens.at
        outside, self.state.in_angles = self.state.in_angles, True
        self.tokens.enter_level()
        expression = self.grammar.expressions.assignment()
        self.tokens.depth -= 1
        self.state.in_angles = outside
        value = self.grammar.types.constant(expression)
        if value is None:
            if isinstance(expression, ast.Unary) and expression.op == "&":
                expression = expression.operand
            is_name = isinstance(expression, ast.Name) and not self.grammar.lookahead.is_variable(expression.id)
            if self.state.signature or is_name:
                return expression
            self.tokens.refuse(
                first,
                "a template argument is a type, a function, or a constant that is known before the kernel runs",
            )
        return number_of(expression.span, value, type_of(value, expression))

    def close_angle(self) -> None:
        """Skip the `>` that closes template arguments, which may be half of a `>>`."""
        # In `A<B<int>>` the lexer makes one token of `>>`. The inner list closes with its first half: the cursor stays,
        # and `split_angle` marks the token. The outer list finds the mark and goes on to the next token.
        text = self.texts[self.tokens.at]
        if text == ">>" and self.state.split_angle != self.tokens.at:
            self.state.split_angle = self.tokens.at
        elif text in (">", ">>"):
            self.state.split_angle = -1
            self.tokens.at += 1
        else:
            self.tokens.refuse_missing("'>'")


def _leading_count(arguments: Sequence[Argument | None], *, types: bool) -> int:
    """Return the number of leading arguments that are types, or that are values."""
    others = (at for at, each in enumerate(arguments) if isinstance(each, CType) != types)
    return next(others, len(arguments))


def number_of(span: ast.Span, value: Value, kind: CType) -> ast.Number:
    """Return a constant as a number node."""
    plain = int(value) if isinstance(value, bool) else value
    return ast.Number(span, plain, kind if isinstance(kind, Scalar) else INT)


def type_of(value: Value, expression: Expr) -> Scalar:
    """Return the type of a folded constant."""
    if isinstance(expression, ast.Number):
        return expression.type
    if isinstance(value, bool):
        return BOOL
    return INT if -(2**31) <= value < 2**31 else LONG
