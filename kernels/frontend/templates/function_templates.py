"""Templates of functions: read again, from their tokens, for each list of arguments."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.parser.constructors import short
from kernels.frontend.parser.expression_types import Kinds
from kernels.frontend.parser.members import HOST_FUNCTION
from kernels.frontend.parser.scope import AliasTemplate, FunctionTemplate, StructTemplate, VariableTemplate
from kernels.frontend.preprocessor.declaration_outline import survey
from kernels.frontend.templates.hints import wanted
from kernels.frontend.templates.instances import InstanceReader
from kernels.frontend.templates.matching import match_all
from kernels.frontend.types import VOID, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.preprocessor.declaration_outline import Survey
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import Argument, CType


class Unfit(SourceError):
    """Template arguments that the parameters or the type of a function make no sense with."""


class TemplateReader(InstanceReader):
    """Reads templates. `templates` holds those of functions."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.templates: list[ast.Template] = []
        self.declared: tuple[tuple[ast.Function, ...], tuple[ast.Template, ...]] = ((), ())
        """Functions of the whole file, once it is read: `functions` and `templates` are then those of instances."""
        self._specialised: dict[tuple[str, tuple[Argument, ...]], ast.Function] = {}
        self._prototypes: list[ast.Template] = []

    def kind_of(self, expression: Expr) -> CType | None:
        """Return the type of an expression, as far as the text tells it."""
        return Kinds(self.scopes, self.all_functions(), (*self.declared[1], *self.templates)).of(expression)

    def all_functions(self) -> tuple[ast.Function, ...]:
        """Return the functions that are read so far."""
        return (*self.declared[0], *self.functions)

    # template: 'template' '<' parameters '>' (function | struct | …)
    def template(self) -> None:
        """Read a template, from its first word."""
        first = self.at
        head = self.past_angles(first + 1)
        if self.texts[first + 1] != "<":  # an explicit instantiation says nothing new
            self.at = survey(self, first + 1).end
            return
        outline = survey(self, head)
        inner = self.past_angles(head + 1)
        owner = (
            self._owner_of_member(inner, survey(self, inner))[0] if self.texts[head] == "template" else None
        )
        if isinstance(owner, StructTemplate):
            owner.outside.append(first)
        elif self.texts[head] in ("struct", "class", "union") and outline.function is None:
            with self.attempt(self.texts[head + 1]):
                self.struct_template(first, head, outline)
        elif self.texts[head] == "using" and self.kinds[head + 1] == "name":
            self.scopes.know(self.texts[head + 1], AliasTemplate(self.texts[head + 1], first))
        elif outline.function is None and outline.words & {"constexpr", "const"} and outline.name:
            self.scopes.know_everywhere(outline.name, VariableTemplate(first))
        elif self.texts[head] in ("template", "requires", "concept") or outline.function is None:
            self._leave_out_template(outline, f"not supported: template of '{self.texts[head]}'")
        elif outline.device:
            with self.attempt(outline.name) as attempt:
                self._function_template(first, head, outline)
            self.keep(attempt, outline)
        elif "constexpr" in outline.words:
            with self.attempt(outline.name):
                self._function_template(first, head, outline)
        else:
            self._leave_out_template(outline, HOST_FUNCTION)
        self.at = outline.end

    def _leave_out_template(self, outline: Survey, reason: str) -> None:
        if outline.name:
            self.skipped.append((outline.name, reason))

    # --- functions

    def _function_template(self, first: int, head: int, outline: Survey) -> None:
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
        self.scopes.know_everywhere(outline.name, FunctionTemplate())
        template = self._read_template(first, outline, None)
        if outline.body is None:
            self._prototypes.append(template)
            self.constexpr.promise(template)
            return
        self.templates.append(template)
        if "constexpr" in outline.words:
            self.constexpr.know(template)

    def _owner_of_member(self, head: int, outline: Survey) -> tuple[Entry | None, int]:
        """Return the struct, or template of structs, of `S<T>::member`, and where its arguments begin."""
        for at in range(head, outline.index):
            after = self.past_angles(at + 1) if self.texts[at + 1] == "<" else at + 1
            if self.texts[after] == "::" and after == outline.index - 1:
                found = self.scopes.find(self.texts[at])
                if isinstance(found, StructTemplate | Struct):
                    return found, at + 1
        return None, head

    def member_template(self, owner: Struct, first: int) -> None:
        """Read a function template that stands in a struct."""
        outline = survey(self, self.past_angles(first + 1))
        levels = len(self.scopes.levels)
        self.scopes.levels.append(self.members[owner.name])
        self.templates.append(self._read_template(first, outline, owner))
        del self.scopes.levels[levels:]

    def _read_template(self, first: int, outline: Survey, owner: Struct | None) -> ast.Template:
        name = outline.name if owner is None else f"{owner.name}::{outline.name}"
        around = self.scopes.levels[2:]
        self.scopes.open()
        self.at, self.signature = first, True
        parameters, _ = self.bind(outline.name, None)
        if owner is not None and outline.name == short(owner):
            returns: CType = VOID  # a constructor
            self.at = outline.index + 1
        else:
            found = self.specifiers()
            self.parameters_at = outline.function if outline.function is not None else -1
            declared = self.declarator(found.type, const="const" in found.words)
            if declared.parameters is None:
                self.near()
            returns, self.at = declared.type, declared.parameters
        signature = self.parameters()
        if owner is not None and "static" not in outline.words:
            span = self.between(outline.index, outline.index)
            const = self.texts[self.at] == "const"
            signature = (ast.Parameter(span, "this", Reference(owner, const)), *signature)
        self.signature = False
        self.scopes.close()
        self.at = outline.end
        made: dict[tuple[tuple[type, Argument | None], ...], ast.Function] = {}  # True and 1 differ

        def instantiate(arguments: tuple[Argument | None, ...]) -> ast.Function:
            key = tuple((type(argument), argument) for argument in arguments)
            if key not in made:
                made[key] = self._instantiate(first, name, arguments, owner, around)
            return made[key]

        return ast.Template(
            self.between(first, outline.end - 1),
            name,
            "__global__" in outline.words,
            tuple(replace(p, members=wanted(self.texts, first, outline.end, p.name)) for p in parameters),
            signature,
            instantiate,
            returns,
        )

    def _instantiate(
        self, first: int, name: str, arguments: tuple[Argument | None, ...], owner: Struct | None,
        around: list[dict[str, Entry]],
    ) -> ast.Function:  # fmt: skip
        """Read an instance; `around` are the scopes that a struct's template stands in."""
        self.count_instance(first, name)
        with self.aside(), self._heading():
            self.at = first
            self.scopes.levels += around if owner is not None else []
            self.scopes.open()
            _, taken = self.bind(name, arguments)
            special = self._specialised.get((name, tuple(taken)))
            self.head = self.at
            made = special or self.function(owner, arguments=tuple(taken))
        if made is None:
            given = ", ".join(map(str, taken))
            self.refuse(first, f"{name}<{given}> is declared and not defined: define it in this file")
        return made

    @contextmanager
    def _heading(self) -> Iterator[None]:
        """Inside, what cannot be read up to the body of a function means that the arguments do not fit."""
        outside, self.head = self.head, 0
        try:
            yield
        except SourceError as error:
            if self.head >= 0:
                raise Unfit(error.file, error.line, error.column, error.reason) from error
            raise
        finally:
            self.head = outside

    def keep_prototypes(self) -> None:
        """Take in the templates that have specialisations alone; a kernel without any is another file's."""
        defined = {(template.name, len(template.signature)) for template in self.templates}
        special = {name for name, _ in self._specialised}
        for prototype in self._prototypes:
            elsewhere = prototype.kernel and prototype.name not in special
            if (prototype.name, len(prototype.signature)) not in defined and not elsewhere:
                self.templates.append(prototype)
        self._prototypes = []

    # specialisation: 'template' '<' '>' function, whose name has arguments
    def _specialisation(self, head: int, outline: Survey) -> None:
        owner, at = self._owner_of_member(head, outline)
        if isinstance(owner, StructTemplate):
            self.at = at
            key = tuple(self.values_of(self.template_arguments()))
            owner.replaced.setdefault(key, []).append(head)
            return
        name, self.at = outline.name, outline.index + 1
        of = owner if isinstance(owner, Struct) else None
        if of is not None:
            name = f"{of.name}::{name}"
        arguments: tuple[Argument, ...] = ()
        if self.texts[self.at] == "<" and (of is not None or self.is_template(name)):
            arguments = tuple(self.values_of(self.template_arguments()))
        self.at = head
        made = self.function(of, arguments=arguments or (0,))
        if made is None:
            return
        arguments = arguments or self._deduced(made)
        if not arguments:
            self.unsupported(outline.index, "specialisation without arguments", f"write {name}<…>(…)")
        self._specialised[name, arguments] = replace(made, template=arguments)

    def _deduced(self, special: ast.Function) -> tuple[Argument, ...]:
        """Return the arguments for which a template has a specialisation's parameters."""
        for template in (*self.templates, *self._prototypes):
            known: dict[str, Argument] = {}
            pattern = [template.returns, *(p.type for p in template.signature)]
            given = [special.returns, *(p.type for p in special.parameters)]
            if template.name == special.name and match_all(pattern, given, known):
                found = [known[p.name] for p in template.parameters if p.name in known]
                if len(found) == len(template.parameters):
                    return tuple(found)
        return ()
