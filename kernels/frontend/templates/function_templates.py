"""Function templates, parsed again from their tokens for each list of arguments."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.parser.expression_types import ExpressionTypes
from kernels.frontend.parser.members import HOST_FUNCTION
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import (
    AliasTemplate,
    FunctionTemplate,
    StructTemplate,
    VariableTemplate,
    short,
)
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.templates.matching import match_all
from kernels.frontend.templates.template_arguments import used_members
from kernels.frontend.types import VOID, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline
    from kernels.frontend.types import Argument, CType


class Unfit(SourceError):
    """Template arguments for which a function's declaration is invalid (substitution failure)."""


class _Context(NamedTuple):
    """The context in which a function template is parsed again."""

    first: int
    """Index of its first token."""
    owner: Struct | None
    """The struct of a member template."""
    scopes: list[dict[str, Entry]]
    """Scopes between the file and the template, for a member template."""


class FunctionTemplates(Part):
    """Parses templates, and instances of function templates."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._specialised: dict[tuple[str, tuple[Argument, ...]], ast.Function] = {}
        self._prototypes: list[ast.Template] = []
        self._contexts: list[_Context] = []
        """Contexts by the template's number."""
        self._instances: dict[tuple[int, tuple[tuple[type, Argument | None], ...]], ast.Function] = {}
        """Instances by the template's number and its arguments with their types."""

    def expression_type(self, expression: Expr) -> CType | None:
        """Return the type of an expression; None if the declarations do not determine it."""
        templates = (*self.state.declared[1], *self.state.templates)
        return ExpressionTypes(self.state.scopes, self.all_functions(), templates, self.instantiate).of(expression)

    def all_functions(self) -> tuple[ast.Function, ...]:
        """Return the functions that are parsed so far."""
        return (*self.state.declared[0], *self.state.functions)

    # template: 'template' '<' parameters '>' (function | struct | …)
    def template(self) -> None:
        """Parse a template, from its first word."""
        first = self.tokens.at
        head = self.tokens.past_angles(first + 1)
        if self.texts[first + 1] != "<":  # an explicit instantiation declares nothing
            self.tokens.at = outline_of(self.tokens, first + 1).end
            return
        outline = outline_of(self.tokens, head)
        inner = self.tokens.past_angles(head + 1)
        owner = (
            self._owner_of_member(inner, outline_of(self.tokens, inner))[0] if self.texts[head] == "template" else None
        )
        # A member of a struct template that is defined outside of it: parsed again with each instance of the struct.
        if isinstance(owner, StructTemplate):
            owner.outside.append(first)
        elif self.texts[head] in ("struct", "class", "union") and outline.function is None:
            with self.attempt(self.texts[head + 1]):
                self.grammar.struct_templates.struct_template(first, head, outline)
        elif self.texts[head] == "using" and self.kinds[head + 1] == "name":
            self.state.scopes.declare(self.texts[head + 1], AliasTemplate(self.texts[head + 1], first))
        elif outline.function is None and outline.words & {"constexpr", "const"} and outline.name:
            self.state.scopes.declare_in_file(outline.name, VariableTemplate(first))
        elif self.texts[head] in ("template", "requires", "concept") or outline.function is None:
            self._leave_out_template(outline, f"not supported: template of '{self.texts[head]}'", foreign=False)
        elif outline.device:
            with self.attempt(outline.name) as attempt:
                self._function_template(first, head, outline)
            attempt.record(outline)
        elif "constexpr" in outline.words:
            with self.attempt(outline.name):
                self._function_template(first, head, outline)
        else:
            self._leave_out_template(outline, HOST_FUNCTION)
        self.tokens.at = outline.end

    def _leave_out_template(self, outline: Outline, reason: str, *, foreign: bool = True) -> None:
        if outline.name:
            self.state.omissions.append(ast.Omission(outline.name, reason, foreign))

    # --- functions

    def _function_template(self, first: int, head: int, outline: Outline) -> None:
        if self.texts[first + 2] == ">":
            self._specialisation(head, outline)
            return
        owner, _ = self._owner_of_member(head, outline)
        if isinstance(owner, StructTemplate):
            owner.outside.append(first)
            return
        if isinstance(owner, Struct):
            self.member_template(owner, first)
            return
        self.state.scopes.declare_in_file(outline.name, FunctionTemplate())
        template = self._parse_signature(first, outline, None)
        if outline.body is None:
            self._prototypes.append(template)
            self.state.constexpr.add_prototype(template)
            return
        self.state.templates.append(template)
        if "constexpr" in outline.words:
            self.state.constexpr.add(template)

    def _owner_of_member(self, head: int, outline: Outline) -> tuple[Entry | None, int]:
        """Return the struct or struct template of `S<T>::member`, and the token at which its arguments begin."""
        for at in range(head, outline.index):
            after = self.tokens.past_angles(at + 1) if self.texts[at + 1] == "<" else at + 1
            if self.texts[after] == "::" and after == outline.index - 1:
                found = self.state.scopes.find(self.texts[at])
                if isinstance(found, StructTemplate | Struct):
                    return found, at + 1
        return None, head

    def member_template(self, owner: Struct, first: int) -> None:
        """Parse a function template in a struct."""
        outline = outline_of(self.tokens, self.tokens.past_angles(first + 1))
        levels = len(self.state.scopes.levels)
        self.state.scopes.levels.append(self.state.members[owner.name])
        self.state.templates.append(self._parse_signature(first, outline, owner))
        del self.state.scopes.levels[levels:]

    def _parse_signature(self, first: int, outline: Outline, owner: Struct | None) -> ast.Template:
        name = outline.name if owner is None else f"{owner.name}::{outline.name}"
        around = self.state.scopes.levels[2:]
        self.state.scopes.open()
        # Parse the signature once with open parameters, each a Named: calls match it to deduce their arguments. The
        # body is parsed only by `instantiate`.
        self.tokens.at, self.state.signature = first, True
        parameters, _ = self.grammar.template_arguments.bind(outline.name, None)
        if owner is not None and outline.name == short(owner):
            returns: CType = VOID  # a constructor
            self.tokens.at = outline.index + 1
        else:
            specifiers = self.grammar.types.specifiers()
            self.state.parameters_at = outline.function if outline.function is not None else -1
            declarator = self.grammar.declarators.declarator(specifiers.type, const="const" in specifiers.words)
            if declarator.parameters is None:
                self.tokens.refuse_token()
            returns, self.tokens.at = declarator.type, declarator.parameters
        signature = self.grammar.declarations.parameters()
        if owner is not None and "static" not in outline.words:
            span = self.tokens.span(outline.index, outline.index)
            const = self.texts[self.tokens.at] == "const"
            signature = (ast.Parameter(span, "this", Reference(owner, const)), *signature)
        self.state.signature = False
        self.state.scopes.close()
        self.tokens.at = outline.end
        self._contexts.append(_Context(first, owner, around))
        return ast.Template(
            self.tokens.span(first, outline.end - 1),
            name,
            "__global__" in outline.words,
            tuple(replace(p, members=used_members(self.texts, first, outline.end, p.name)) for p in parameters),
            signature,
            len(self._contexts) - 1,
            returns,
        )

    def instantiate(self, template: ast.Template, arguments: tuple[Argument | None, ...]) -> ast.Function:
        """Return the instance of a template of this file; the same arguments give the same function again.

        Raises
        ------
        SourceError
            If the arguments do not fit, or the instance cannot be parsed.
        """
        # The types are part of the key because True == 1: f<true> and f<1> are different instances.
        key = template.number, tuple((type(argument), argument) for argument in arguments)
        if key not in self._instances:
            self._instances[key] = self._parse_instance(template, arguments)
        return self._instances[key]

    def _parse_instance(self, template: ast.Template, arguments: tuple[Argument | None, ...]) -> ast.Function:
        name, (first, owner, around) = template.name, self._contexts[template.number]
        self.grammar.struct_templates.count_instance(first, name)
        with self.saved_state(), self._substitution():
            self.tokens.at = first
            self.state.scopes.levels += around if owner is not None else []
            self.state.scopes.open()
            _, values = self.grammar.template_arguments.bind(name, arguments)
            # The specialisation is parsed where it is declared; the key has the arguments including defaults.
            special = self._specialised.get((name, tuple(values)))
            self.state.template_head = self.tokens.at
            result = special or self.grammar.functions.function(owner, arguments=tuple(values))
        if result is None:
            listed = ", ".join(map(str, values))
            self.tokens.refuse(first, f"{name}<{listed}> is declared and not defined: define it in this file")
        return result

    @contextmanager
    def _substitution(self) -> Iterator[None]:
        """Return a context in which an error before the body of a function is raised as Unfit."""
        outside, self.state.template_head = self.state.template_head, 0
        try:
            yield
        except SourceError as error:
            if self.state.template_head >= 0:
                raise Unfit(error.file, error.line, error.column, error.reason) from error
            raise
        finally:
            self.state.template_head = outside

    def keep_prototypes(self) -> None:
        """Add the templates that have only specialisations; a kernel without any is left out."""
        # A prototype whose template is defined further down is the same template, and dropped.
        defined = {(template.name, len(template.signature)) for template in self.state.templates}
        special = {name for name, _ in self._specialised}
        for prototype in self._prototypes:
            elsewhere = prototype.kernel and prototype.name not in special
            if (prototype.name, len(prototype.signature)) not in defined and not elsewhere:
                self.state.templates.append(prototype)
        self._prototypes = []

    # specialisation: 'template' '<' '>' function, whose name has arguments
    def _specialisation(self, head: int, outline: Outline) -> None:
        owner, at = self._owner_of_member(head, outline)
        if isinstance(owner, StructTemplate):
            self.tokens.at = at
            key = tuple(self.grammar.struct_templates.values_of(self.grammar.template_arguments.template_arguments()))
            owner.replaced.setdefault(key, []).append(head)
            return
        name, self.tokens.at = outline.name, outline.index + 1
        of = owner if isinstance(owner, Struct) else None
        if of is not None:
            name = f"{of.name}::{name}"
        arguments: tuple[Argument, ...] = ()
        if self.texts[self.tokens.at] == "<" and (of is not None or self.grammar.lookahead.is_template(name)):
            arguments = tuple(
                self.grammar.struct_templates.values_of(self.grammar.template_arguments.template_arguments())
            )
        self.tokens.at = head
        # Any argument marks the function as an instance: a second function of this name is no error.
        result = self.grammar.functions.function(of, arguments=arguments or (0,))
        if result is None:
            return
        arguments = arguments or self._deduce_arguments(result)
        if not arguments:
            self.tokens.unsupported(outline.index, "specialisation without arguments", f"write {name}<…>(…)")
        self._specialised[name, arguments] = replace(result, template=arguments)

    def _deduce_arguments(self, special: ast.Function) -> tuple[Argument, ...]:
        """Deduce the template arguments of a specialisation from its parameters."""
        for template in (*self.state.templates, *self._prototypes):
            known: dict[str, Argument] = {}
            pattern = [template.returns, *(p.type for p in template.signature)]
            actual = [special.returns, *(p.type for p in special.parameters)]
            if template.name == special.name and match_all(pattern, actual, known):
                found = [known[p.name] for p in template.parameters if p.name in known]
                if len(found) == len(template.parameters):
                    return tuple(found)
        return ()
