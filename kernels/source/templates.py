"""Templates of functions and structs: read again, from their tokens, for each list of arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.source import nodes
from kernels.source.members import HOST_FUNCTION
from kernels.source.parameters import Argument, TemplateParameterReader
from kernels.source.scope import (
    AliasTemplate,
    CudaTemplate,
    FunctionTemplate,
    StructTemplate,
    TypeTemplate,
    Unread,
)
from kernels.source.survey import survey
from kernels.source.typenames import depends
from kernels.source.types import CType, FunctionName, FunctionPointer, Named, Pointer, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.source.macros import Piece
    from kernels.source.scope import Entry
    from kernels.source.survey import Survey
    from kernels.source.tokens import Text

_MAX_INSTANCES: Final = 32
"""Deepest nesting of struct templates that name each other."""


class TemplateReader(TemplateParameterReader):
    """Reads templates. `templates` holds those of functions."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.templates: list[nodes.Template] = []
        self._specialised: dict[tuple[str, tuple[Argument, ...]], nodes.Function] = {}
        self._prototypes: list[nodes.Template] = []
        self.instances = 0

    # template: 'template' '<' parameters '>' (function | struct | …)
    def template(self) -> None:
        """Read a template, from its first word."""
        first = self.at
        head = self.past_angles(first + 1)
        if self.texts[first + 1] != "<":  # an explicit instantiation says nothing new
            self.at = survey(self, first + 1).end
            return
        outline = survey(self, head)
        if self.texts[head] in ("struct", "class", "union") and outline.function is None:
            self._struct_template(first, head, outline)
        elif self.texts[head] == "using" and self.kinds[head + 1] == "name":
            self.scopes.know(self.texts[head + 1], AliasTemplate(self.texts[head + 1], first))
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
        if self.texts[outline.index - 1] == "::" and self.texts[outline.index - 2] not in self.namespaces:
            self._leave_out_template(
                outline, "not supported: member of a template; define it inside of its struct"
            )
            return
        self.scopes.know_everywhere(outline.name, FunctionTemplate())
        template = self._read_template(first, outline, None)
        if outline.body is None:
            self._prototypes.append(template)
            return
        self.templates.append(template)
        if "constexpr" in outline.words:
            self.constexpr.know(template)

    def member_template(self, owner: Struct, first: int) -> None:
        """Read a function template that stands in a struct."""
        outline = survey(self, self.past_angles(first + 1))
        levels = len(self.scopes.levels)
        self.scopes.levels.append(self.members[owner.name])
        self.templates.append(self._read_template(first, outline, owner))
        del self.scopes.levels[levels:]

    def _read_template(self, first: int, outline: Survey, owner: Struct | None) -> nodes.Template:
        name = outline.name if owner is None else f"{owner.name}::{outline.name}"
        around = self.scopes.levels[2:]
        self.scopes.open()
        self.at, self.signature = first, True
        parameters, _ = self.bind(outline.name, None)
        found = self.specifiers()
        self.parameters_at = outline.function if outline.function is not None else -1
        declared = self.declarator(found.type, const=found.const)
        if declared.parameters is None:
            self.near()
        self.at = declared.parameters
        signature = self.parameters()
        if owner is not None and "static" not in outline.words:
            span = self.between(outline.index, outline.index)
            const = self.texts[self.at] == "const"
            signature = (nodes.Parameter(span, "this", Reference(owner, const)), *signature)
        self.signature = False
        self.scopes.close()
        self.at = outline.end
        made: dict[tuple[tuple[type, Argument], ...], nodes.Function] = {}  # True and 1 differ

        def instantiate(arguments: tuple[Argument, ...]) -> nodes.Function:
            key = tuple((type(argument), argument) for argument in arguments)
            if key not in made:
                made[key] = self._instantiate(first, name, arguments, owner, around)
            return made[key]

        return nodes.Template(
            self.between(first, outline.end - 1),
            name,
            "__global__" in outline.words,
            tuple(parameters),
            signature,
            instantiate,
        )

    def _instantiate(
        self, first: int, name: str, arguments: tuple[Argument, ...], owner: Struct | None,
        around: list[dict[str, Entry]],
    ) -> nodes.Function:  # fmt: skip
        """Read an instance; `around` are the scopes that a struct's template stands in."""
        with self._aside():
            self.at = first
            self.scopes.levels += around if owner is not None else []
            self.scopes.open()
            _, taken = self.bind(name, arguments)
            special = self._specialised.get((name, tuple(taken)))
            made = special or self.function(owner, arguments=tuple(taken))
        if made is None:
            given = ", ".join(map(str, taken))
            self.refuse(first, f"{name}<{given}> is declared and not defined: define it in this file")
        return made

    def keep_prototypes(self) -> None:
        """Take in the templates that have specialisations alone."""
        defined = {(template.name, len(template.signature)) for template in self.templates}
        for prototype in self._prototypes:
            if (prototype.name, len(prototype.signature)) not in defined:
                self.templates.append(prototype)
        self._prototypes = []

    # specialisation: 'template' '<' '>' function, whose name has arguments
    def _specialisation(self, head: int, outline: Survey) -> None:
        name, self.at = outline.name, outline.index + 1
        arguments: tuple[Argument, ...] = ()
        if self.texts[self.at] == "<" and self.is_template(name):
            arguments = tuple(self._values_of(self.template_arguments()))
        self.at = head
        made = self.function(arguments=arguments or (0,))
        if made is None:
            return
        arguments = arguments or self._deduced(made)
        if not arguments:
            self.unsupported(outline.index, "specialisation without arguments", f"write {name}<…>(…)")
        self._specialised[name, arguments] = replace(made, template=arguments)

    def _deduced(self, special: nodes.Function) -> tuple[Argument, ...]:
        """Return the arguments for which a template has a specialisation's parameters."""
        for template in (*self.templates, *self._prototypes):
            known: dict[str, CType] = {}
            if template.name == special.name and len(template.signature) == len(special.parameters):
                pairs = zip(template.signature, special.parameters, strict=True)
                if all(fits(own.type, other.type, known) for own, other in pairs):
                    found = [known[p.name] for p in template.parameters if p.name in known]
                    if len(found) == len(template.parameters):
                        return tuple(found)
        return ()

    def _aside(self) -> _Aside:
        """Read something elsewhere in the file, with its names only, and come back."""
        return _Aside(self)

    # --- structs

    def _struct_template(self, first: int, head: int, outline: Survey) -> None:
        at = head + 1
        while self.texts[at] in ("alignas", "__attribute__"):
            at = self.closes[at + 1] + 1
        name = self.texts[at]
        found = self.scopes.find(name)
        if self.texts[at + 1] == "<":
            if not isinstance(found, StructTemplate) or self.texts[first + 2] != ">":
                reason = "not supported: partial specialisation; specialise for all arguments"
                self.scopes.know_everywhere(name, Unread(str(self.error(at, reason))))
                return
            self.at = at + 1
            key = tuple(self._values_of(self.template_arguments()))
            found.specialisations[key] = first
        elif not isinstance(found, StructTemplate):
            self.scopes.know_everywhere(name, StructTemplate(name, first, {}))
        elif self.texts[outline.end - 2] == "}":
            found.first = first

    def _values_of(self, arguments: Sequence[CType | nodes.Expr]) -> list[Argument]:
        made: list[Argument] = []
        for argument in arguments:
            if isinstance(argument, CType):
                made.append(argument)
            elif isinstance(argument, nodes.Name):
                made.append(FunctionName(argument.id, argument.template))
            else:
                value = self.constant(argument)
                assert value is not None
                made.append(value)
        return made

    def instance(self, template: TypeTemplate, first: int) -> CType:
        """Read the arguments of a template of types and give the type."""
        arguments = self.template_arguments()
        if isinstance(template, AliasTemplate):
            return self._alias_instance(template, arguments)
        if self.signature and any(self._open(argument) for argument in arguments):
            return Named(self.shown(first, self.at - 1))
        if isinstance(template, CudaTemplate):
            kind = template.make(arguments)
            if kind is None:
                self.unsupported(first, f"type '{self.shown(first, self.at - 1)}'", template.advice)
            return kind
        if self.instances == _MAX_INSTANCES:
            self.refuse(first, f"struct templates nested deeper than {_MAX_INSTANCES} levels")
        values = self._values_of(arguments)
        with self._aside():
            self.instances += 1
            return self._make(template, values)

    def _alias_instance(self, template: AliasTemplate, arguments: Sequence[CType | nodes.Expr]) -> CType:
        values = self._values_of(arguments)
        with self._aside():
            self.at = template.first
            self.scopes.open()
            self.bind(template.name, values)
            self.at += 2  # 'using' name
            self.require("=")
            return self.type_id()

    def _open(self, argument: CType | nodes.Expr) -> bool:
        return depends(argument) if isinstance(argument, CType) else self.constant(argument) is None

    def _make(self, template: StructTemplate, arguments: list[Argument]) -> CType:
        self.at = template.first
        self.scopes.open()
        _, taken = self.bind(template.name, arguments)
        spelled = ", ".join(str(a).lower() if isinstance(a, bool) else str(a) for a in taken)
        name = f"{template.name}<{spelled}>"
        known = self.scopes.levels[1].get(name)
        if isinstance(known, CType):
            return known
        special = template.specialisations.get(tuple(taken))
        if special is not None:
            self.at = self.past_angles(special + 1)
        try:
            return self.struct(instance=name)
        except SourceError as error:
            self.scopes.know_everywhere(name, Unread(str(error)))
            raise


def fits(pattern: CType, kind: CType, known: dict[str, CType]) -> bool:
    """Whether a type has the form of a pattern, whose names are then known."""
    match pattern, kind:
        case Named(name=name), _:
            return known.setdefault(name, kind) == kind
        case Pointer(), Pointer():
            return pattern.const == kind.const and fits(pattern.to, kind.to, known)
        case Reference(), Reference():
            return pattern.const == kind.const and fits(pattern.to, kind.to, known)
        case FunctionPointer(), FunctionPointer() if len(pattern.parameters) == len(kind.parameters):
            pairs = zip(pattern.parameters, kind.parameters, strict=True)
            return fits(pattern.returns, kind.returns, known) and all(fits(a, b, known) for a, b in pairs)
    return pattern == kind


class _Aside:
    """Remembers where the reader is, and brings it back."""

    __slots__ = ("_reader", "_state")

    def __init__(self, reader: TemplateReader) -> None:
        self._reader = reader
        self._state = (
            reader.at, reader.depth, reader.height, reader.signature, reader.in_angles, reader.half,
            reader.inside_of, reader.instances, reader.scopes.levels[:],
        )  # fmt: skip
        del reader.scopes.levels[2:]
        reader.depth, reader.signature, reader.in_angles, reader.half = 0, False, False, -1

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        reader = self._reader
        (
            reader.at, reader.depth, reader.height, reader.signature, reader.in_angles, reader.half,
            reader.inside_of, reader.instances, levels,
        ) = self._state  # fmt: skip
        reader.scopes.levels[:] = levels
