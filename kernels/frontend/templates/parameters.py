"""Parameters of templates, and the arguments that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.scope import Known, PackOf, StructTemplate
from kernels.frontend.parser.structs import StructReader
from kernels.frontend.templates.template_arguments import Expansion, Pack, TemplateName, flat, pack
from kernels.frontend.types import AUTO, BOOL, INT, LONG, CType, FunctionName, FunctionPointer, Named, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.types import Argument


class TemplateParameterReader(StructReader):
    """Reads the parameters of templates."""

    # template_parameters: '<' (('typename' | 'class' | specifiers) name? ('=' (type | constant))? , …)? '>'
    def bind(
        self, owner: str, given: Sequence[Argument | None] | None
    ) -> tuple[list[ast.TemplateParameter], list[Argument]]:
        """Read a template's parameters and give each name its argument; without arguments, leave them open.

        An argument that is None, or is missing at the end, is the parameter's default.

        Raises
        ------
        SourceError
            For arguments that do not fit.
        """
        self.require("template")
        self.require("<")
        parameters: list[ast.TemplateParameter] = []
        taken: list[Argument] = []
        if given is not None:
            given = [
                part for each in given for part in (each.elements if isinstance(each, Pack) else (each,))
            ]
        while self.texts[self.at] != ">" and self.half != self.at:  # = S<T>> ends both
            if parameters:
                self.require(",")
            index = self.at
            parameter = self._parameter_of_template()
            parameters.append(parameter)
            if given is None:
                self._leave_open(parameter)
            elif parameter.pack:
                rest = given[len(flat(taken)) :]
                if self.texts[self.at] == ",":  # the parameters behind it take arguments of another sort
                    rest = rest[: _alike(rest, types=parameter.type is None)]
                taken.append(pack([self._argument_for(index, owner, parameter, [each]) for each in rest]))
                self.settle(parameter, taken[-1])
            else:
                first = len(flat(taken))
                argument = self._argument_for(index, owner, parameter, given[first : first + 1])
                taken.append(argument)
                self.settle(parameter, argument)
        if given is not None and len(given) > len(flat(taken)):
            self.refuse(self.at, f"{owner} takes {len(taken)} template arguments, {len(given)} are given")
        self.close_angle()
        return parameters, taken

    def _parameter_of_template(self) -> ast.TemplateParameter:
        first = self.at
        dependent = self.texts[first + 2] in ("::", "<")  # typename S<T>::type n
        if self.texts[first] in ("typename", "class") and not dependent:
            self.at += 1
            several = self.take("...")
            name = self.name() if self.kinds[self.at] == "name" else ""
            default = self.type_id() if self.take("=") else None
            return ast.TemplateParameter(name, None, default, pack=several)
        if self.texts[first] == "template":
            return self._parameter_that_is_a_template()
        kind = self.specifiers().type
        if self.take("*"):  # typename std::enable_if<…>::type * = nullptr
            kind = LONG
        several = self.take("...")
        if self.texts[self.at] == "(":  # float (*f)(float)
            declared = self.declarator(kind, const=False)
            return ast.TemplateParameter(declared.name, self._plain(declared.type, first))
        kind = self._plain(kind, first)
        name = self.name() if self.kinds[self.at] == "name" else ""
        value = self.constant_argument() if self.take("=") else None
        return ast.TemplateParameter(name, kind, value, pack=several)

    # template_template: 'template' '<' … '>' ('typename' | 'class') name? ('=' name)?
    def _parameter_that_is_a_template(self) -> ast.TemplateParameter:
        self.at = self.past_angles(self.at + 1)
        if self.texts[self.at] not in ("typename", "class"):
            self.missing("'class'")
        self.at += 1
        several = self.take("...")
        name = self.name() if self.kinds[self.at] == "name" else ""
        default = None
        if self.take("="):
            self.skip_namespaces()
            default = TemplateName(self.name())
        return ast.TemplateParameter(name, None, default, of_types=True, pack=several)

    def _plain(self, kind: CType, first: int) -> Scalar:
        """Return the type of a parameter that is no type: of a whole number, or of a function."""
        if isinstance(kind, Named) and kind != AUTO and self.signature:
            return INT
        if not isinstance(kind, Scalar) or kind.dtype.kind == "f":
            self.unsupported(first, f"template parameter of type {kind}", "take a type, or a whole number")
        return kind

    def _leave_open(self, parameter: ast.TemplateParameter) -> None:
        if parameter.name:
            kind = parameter.type
            entry: Entry = Named(parameter.name) if kind is None else Known(kind)
            self.scopes.know(
                parameter.name, StructTemplate(parameter.name, -1) if parameter.of_types else entry
            )

    def _argument_for(
        self, index: int, owner: str, parameter: ast.TemplateParameter, given: Sequence[Argument | None]
    ) -> Argument:
        argument: Argument | None = given[0] if given else None
        if isinstance(argument, Expansion):
            return argument
        if argument is None and parameter.default is not None:
            default = parameter.default
            if isinstance(default, ast.Name):
                argument = FunctionName(default.id, default.template)
            else:
                argument = default if isinstance(default, CType) else self.constant(default)
        if argument is None:
            self.refuse(index, f"{owner}: no argument is given for its template parameter {parameter.name}")
        if parameter.type is None:
            wanted = "a template of structs" if parameter.of_types else "a type"
            if not isinstance(argument, CType) or parameter.of_types != isinstance(argument, TemplateName):
                self.refuse(
                    index, f"{owner}: template parameter {parameter.name} is {wanted}, {argument} is given"
                )
            return argument
        function = isinstance(parameter.type, FunctionPointer)
        if isinstance(argument, FunctionName) and function:
            return argument
        if isinstance(argument, CType | FunctionName | float) or function:
            wanted = "a function" if function else "a whole number"
            self.refuse(
                index, f"{owner}: template parameter {parameter.name} is {wanted}, {argument} is given"
            )
        return bool(argument) if parameter.type == BOOL else int(argument)

    def settle(self, parameter: ast.TemplateParameter, argument: Argument) -> None:
        """Let a template's parameter stand for its argument."""
        kind = parameter.type or INT
        if isinstance(argument, Pack):
            elements = tuple(self._entry(each, kind) for each in argument.elements)
            none: Entry = INT if parameter.type is None else Known(kind, 0, literal=True)
            self.scopes.know(parameter.name, PackOf(elements, none))
        elif parameter.name:
            self.scopes.know(parameter.name, self._entry(argument, kind))

    def _entry(self, argument: Argument, kind: Scalar) -> Entry:
        """Return what the name of a parameter means that has this argument."""
        if isinstance(argument, TemplateName):
            found = self.scopes.find(argument.name)
            if not isinstance(found, StructTemplate):
                self.refuse(self.at, f"'{argument.name}' is no template of structs")
            return found
        if isinstance(argument, CType | FunctionName):
            return argument
        return Known(BOOL if isinstance(argument, bool) else kind, argument, literal=True)


def _alike(arguments: Sequence[Argument | None], *, types: bool) -> int:
    """Return how many arguments come first that are types, or values."""
    others = (at for at, each in enumerate(arguments) if isinstance(each, CType) != types)
    return next(others, len(arguments))
