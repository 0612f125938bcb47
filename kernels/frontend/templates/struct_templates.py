"""Struct, alias and variable templates, parsed again for each list of arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.constant_expressions import convert
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import (
    AliasTemplate,
    CudaTemplate,
    OmittedType,
    StructTemplate,
    TypeTemplate,
    VariableTemplate,
)
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.templates.matching import depth, match_all
from kernels.frontend.templates.parameters import number_of
from kernels.frontend.templates.template_arguments import depends, flat
from kernels.frontend.types import AUTO, CType, FunctionName, Named, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.declaration_parts import Draft
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import Argument

_MAX_NESTING: Final = 32
"""Deepest nesting of instances of struct and alias templates that use each other."""

_MAX_CONSTANTS: Final = 128
"""The same for variable templates; a recursion without an end is refused here."""

MAX_INSTANCES: Final = 5_000
"""Maximum number of instances that are parsed for one file: if each uses two others, 20 levels are a million."""

MAX_NAME: Final = 4096
"""Maximum number of characters in the name of an instance: one that names another one twice is twice as long."""


class StructTemplates(Part):
    """Parses instances of templates of types."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._instance_count = 0
        self._constants = 0

    def count_instance(self, first: int, name: str) -> None:
        """Count an instance of a template that is parsed; refuse one too many."""
        checkpoint()
        self._instance_count += 1
        if self._instance_count > MAX_INSTANCES:
            self.tokens.refuse(
                first,
                f"more than {MAX_INSTANCES:,} instances of templates, here of {name}; let each template use one other",
            )

    def struct_template(self, first: int, head: int, outline: Outline, owner: Draft | None = None) -> None:
        """Record a struct template or a specialisation of one; `owner` is the struct that it is a member of."""
        at = head + 1
        while self.texts[at] in ("alignas", "__attribute__"):
            at = self.closes[at + 1] + 1
        name = self.texts[at]
        found = self.state.scopes.find(name)
        if self.texts[at + 1] == "<":
            if not isinstance(found, StructTemplate):
                reason = f"not supported: specialisation of {name}; declare the template first"
                if found is None:
                    self.state.scopes.declare_in_file(name, OmittedType.of(self.tokens.error(at, reason)))
                return
            if self.texts[first + 2] != ">":
                found.partials.append((first, at + 1))
                return
            self.tokens.at = at + 1
            key = tuple(self.values_of(self.grammar.template_arguments.template_arguments()))
            found.specialisations[key] = first
        elif owner is not None:
            outer_scopes = [*self.state.scopes.levels[2:]]
            owner.names[name] = StructTemplate(f"{owner.name}::{name}", first, outer_scopes=outer_scopes)
        elif not isinstance(found, StructTemplate):
            self.state.scopes.declare_in_file(name, StructTemplate(name, first))
        elif self.texts[outline.end - 2] == "}" and self.tokens.pieces[found.first].end == 0:
            self.state.scopes.declare_in_file(
                name, StructTemplate(name, first)
            )  # not a template of the standard headers
        elif self.texts[outline.end - 2] == "}":
            found.first = first

    def values_of(self, arguments: Sequence[CType | ast.Expr]) -> list[Argument]:
        """Evaluate template arguments to types, functions and numbers."""
        result: list[Argument] = []
        for argument in arguments:
            if isinstance(argument, CType):
                result.append(argument)
            elif isinstance(argument, ast.Name):
                result.append(FunctionName(argument.id, argument.template))
            else:
                value = self.grammar.types.constant(argument)
                assert value is not None
                result.append(value)
        return result

    def argument(self, pieces: list[Piece]) -> Argument:
        """Parse a template argument that is not part of the file, in the scope of the file."""
        with self.saved_state(), self.tokens.with_more_tokens(pieces):
            (result,) = self.values_of([self.grammar.template_arguments.argument_in_angles()])
            if self.kinds[self.tokens.at] != "end":
                self.tokens.refuse_token()
        return result

    def instance(self, template: TypeTemplate, first: int) -> CType:
        """Parse the arguments of a template and return the instance, a type."""
        if self.state.instance_depth == _MAX_NESTING:
            self.tokens.refuse(first, f"templates of types nested deeper than {_MAX_NESTING} levels")
        arguments = self.grammar.template_arguments.template_arguments()
        if isinstance(template, AliasTemplate):
            if (
                any(isinstance(a, ast.Expr) and self.grammar.types.constant(a) is None for a in arguments)
                and self.state.signature
            ):
                return Named(self.tokens.excerpt(first, self.tokens.at - 1), "?")
            return self._alias_instance(template, arguments)
        # In a signature that waits for deduction the type stays a pattern: `Row<T, 4>` with its template and arguments.
        if self.state.signature and (any(map(self._is_dependent, arguments)) or self._is_open(template)):
            return Named(
                self.tokens.excerpt(first, self.tokens.at - 1),
                template.name,
                tuple(arguments),
                self._is_open(template),
            )
        if isinstance(template, CudaTemplate):
            kind = template.make(arguments)
            if kind is None:
                self.tokens.unsupported(
                    first, f"type '{self.tokens.excerpt(first, self.tokens.at - 1)}'", template.advice
                )
            return kind
        return self.instance_of(template, self.values_of(arguments))

    def type_elsewhere(self, first: int, name: str, levels: list[dict[str, Entry]]) -> Entry:
        """Parse the definition of a type alias at a token, in the scopes that are visible there."""
        if self.state.instance_depth == _MAX_NESTING:
            self.tokens.refuse(first, f"templates of types nested deeper than {_MAX_NESTING} levels")
        with self.saved_state():
            self.state.instance_depth += 1
            self.tokens.at = first
            self.state.scopes.levels[2:] = levels[2:]
            self.state.scopes.open()
            self.grammar.declarations.type_definition()
            return self.state.scopes.levels[-1][name]

    def instance_of(self, template: StructTemplate, values: list[Argument]) -> CType:
        """Return the instance of a struct template."""
        with self.saved_state():
            self.state.instance_depth += 1
            return self._parse_instance(template, values)

    def _alias_instance(self, template: AliasTemplate, arguments: Sequence[CType | ast.Expr]) -> CType:
        self.count_instance(template.first, template.name)
        values = self.values_of(arguments)
        signature = self.state.signature
        with self.saved_state():
            self.state.instance_depth += 1
            self.state.signature = signature and any(map(self._is_dependent, arguments))
            self.tokens.at = template.first
            self.state.scopes.levels += template.outer_scopes
            self.state.scopes.open()
            self.grammar.template_arguments.bind(template.name, values)
            self.tokens.at += 2  # 'using' name
            self.tokens.require("=")
            kind = self.grammar.declarators.type_id()
            self.tokens.require(";")
            return kind

    def _is_open(self, template: TypeTemplate) -> bool:
        return isinstance(template, StructTemplate) and template.first < 0

    def _is_dependent(self, argument: CType | ast.Expr) -> bool:
        return depends(argument) if isinstance(argument, CType) else self.grammar.types.constant(argument) is None

    def _parse_instance(self, template: StructTemplate, arguments: list[Argument]) -> CType:
        self.tokens.at = template.first
        self.state.scopes.levels += template.outer_scopes
        self.state.scopes.open()
        _, values = self.grammar.template_arguments.bind(template.name, arguments)
        listed_values = ", ".join(str(a).lower() if isinstance(a, bool) else str(a) for a in flat(values))
        name = f"{template.name}<{listed_values}>"
        if len(name) > MAX_NAME:
            self.tokens.refuse(
                template.first,
                f"an instance of {template.name} has a name of {len(name):,} characters, at most {MAX_NAME:,} are "
                "read; let each template use another one once",
            )
        # An instance is a struct of the file under its full name, such as `Tile<float, 8>`: equal arguments give one
        # type.
        known = self.state.scopes.levels[1].get(name)
        if isinstance(known, CType):
            return known
        self.count_instance(template.first, template.name)
        special = template.specialisations.get(tuple(flat(values)))
        if special is not None:
            self.tokens.at = self.tokens.past_angles(special + 1)
        else:
            self._select_partial(template, values)
        try:
            result = self.grammar.structs.struct(name, tuple(values))
        except SourceError as error:
            # Remember the failure: the next use of the type would parse the template again.
            self.state.scopes.declare_in_file(name, OmittedType.of(error))
            raise
        if isinstance(result, Struct):
            self._members_outside(template, values, result)
        return result

    def constant_instance(
        self, first: int, name: str, template: VariableTemplate, arguments: tuple[CType | ast.Expr, ...]
    ) -> ast.Expr:
        """Return the value of an instance of a variable template."""
        if self.state.signature and any(map(self._is_dependent, arguments)):
            return ast.Name(self.tokens.span(first), self.tokens.excerpt(first, self.tokens.at - 1))
        span, values = self.tokens.span(first), self.values_of(arguments)
        self.count_instance(first, name)
        if self._constants == _MAX_CONSTANTS:
            self.tokens.refuse(first, f"variable templates nested deeper than {_MAX_CONSTANTS} levels")
        self._constants += 1
        try:
            known, value_type = self._value_of(name, template, values)
        finally:
            self._constants -= 1
        if known is None or not isinstance(value_type, Scalar):
            self.tokens.unsupported(first, f"the value of {name}", "use numbers that are known before the kernel runs")
        return number_of(span, convert(known, value_type), value_type)

    def _value_of(
        self, name: str, template: VariableTemplate, values: list[Argument]
    ) -> tuple[Value | None, CType | None]:
        """Parse the definition of a variable template; return value and type of the instance, if they are known."""
        with self.saved_state():
            self.tokens.at = template.first
            self.state.scopes.open()
            self.grammar.template_arguments.bind(name, values)
            kind = self.grammar.types.specifiers().type
            self.tokens.at += 1  # the name
            value, _ = self.grammar.initialisers.initialiser(kind)
            known = self.grammar.types.constant(value) if isinstance(value, ast.Expr) else None
            value_type = (
                self.grammar.function_templates.expression_type(value)
                if isinstance(value, ast.Expr) and kind == AUTO
                else kind
            )
        return known, value_type

    # --- partial specialisations

    def _select_partial(self, template: StructTemplate, values: list[Argument]) -> None:
        """Move to the most specialised partial specialisation that fits, and bind its parameters."""
        fitting: list[tuple[int, int, list[tuple[ast.TemplateParameter, Argument]]]] = []
        for first, at in template.partials:
            known: dict[str, Argument] = {}
            parameters, pattern = self._pattern(template, first, at)
            if match_all(pattern, values, known):
                bound = [(p, known[p.name]) for p in parameters if p.name in known]
                # Rank by specialisation; a repeated parameter, `Pair<T, T>`, binds fewer names than it has arguments
                # and ranks higher.
                fitting.append((sum(map(depth, pattern)) + len(values) - len(known), first, bound))
        if not fitting:
            return
        most = max(fitting, key=lambda found: found[0])
        if sum(found[0] == most[0] for found in fitting) > 1:
            self.tokens.refuse(
                most[1], f"several specialisations of {template.name} fit: make one of them more specialised"
            )
        _, first, bound = most
        end = self.tokens.past_angles(first + 1)
        for parameter, value in bound:
            self.grammar.template_arguments.bind_parameter(parameter, value)
        self.tokens.at = end

    def _pattern(
        self, template: StructTemplate, first: int, at: int
    ) -> tuple[list[ast.TemplateParameter], tuple[CType | ast.Expr, ...]]:
        """Parse the arguments of a partial specialisation, whose own parameters are open."""
        with self.saved_state():
            self.state.scopes.levels += template.outer_scopes
            self.state.scopes.open()
            self.tokens.at, self.state.signature = first, True
            parameters, _ = self.grammar.template_arguments.bind(template.name, None)
            self.tokens.at = at
            return parameters, self.grammar.template_arguments.template_arguments()

    # --- functions that are defined outside

    def _members_outside(self, template: StructTemplate, values: list[Argument], result: Struct) -> None:
        """Parse the member functions of an instance that are defined outside of its template."""
        for first in template.outside:
            with (
                self.saved_state(),
                self.attempt(f"{result.name}::{outline_of(self.tokens, self.tokens.past_angles(first + 1)).name}"),
            ):
                self.tokens.at = first
                self.state.scopes.open()
                self.grammar.template_arguments.bind(template.name, values)
                if self.texts[self.tokens.at] == "template":
                    self.grammar.function_templates.member_template(result, self.tokens.at)
                    continue
                function = self.grammar.functions.function(result)
                self.state.functions += [function] if function is not None else []
        for first in template.replaced.get(tuple(flat(values)), ()):
            with self.saved_state(), self.attempt(f"{result.name}::{outline_of(self.tokens, first).name}"):
                self.tokens.at = first
                function = self.grammar.functions.function(result, arguments=(0,))
                if function is not None:
                    # A full specialisation of a member function replaces the one that the template defines for these
                    # arguments.
                    own = replace(function, template=())
                    same = [p.type for p in own.parameters]
                    self.state.functions[:] = [
                        f for f in self.state.functions if f.name != own.name or [p.type for p in f.parameters] != same
                    ] + [own]
