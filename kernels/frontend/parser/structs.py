"""Structs: heads, bases and layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.frontend import types
from kernels.frontend.headers.cooperative_groups import is_group
from kernels.frontend.parser.declaration_parts import Draft
from kernels.frontend.parser.members import ACCESS
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import (
    CONSTRUCTED,
    DeferredType,
    MemberEntry,
    OmittedType,
    TypeTemplate,
    VariableEntry,
    short,
)
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import BOUND, CType, Named, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import Argument

MAX_PARTS: Final = 4096
"""Maximum number of members of a struct, including those of its members; an array counts as one."""

MAX_NUMBERS: Final = 1 << 20
"""Maximum number of numbers and pointers in a struct; each element of an array counts."""


class Structs(Part):
    """Parses structs."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self.plain: set[str] = set()
        """Names of plain C structs (PODs): members of a derived struct begin after the padding of such a base."""

    # elaborated: 'enum' … | ('struct' | 'class') attribute* name? ('{' … '}')?
    def elaborated(self) -> CType:
        """Parse `struct S`, `enum E`, and their definitions."""
        if self.texts[self.tokens.at] == "enum":
            return self.grammar.declarations.enum()
        return self.struct()

    def struct(self, instance: str = "", arguments: tuple[Argument, ...] = ()) -> CType:
        """Parse a struct; for an instance of a template, `instance` is its name and `arguments` are its arguments."""
        first = self.tokens.advance()
        align = self._attributes()
        name = ""
        if self.kinds[self.tokens.at] == "name" and self.texts[self.tokens.at] != "final":
            name = self.tokens.name()
        align = max(align, self._attributes())
        if instance and self.texts[self.tokens.at] == "<":
            self.grammar.template_arguments.template_arguments()  # the arguments of a specialisation
        self.tokens.take("final")
        base = None
        if self.texts[self.tokens.at] == ":":
            if name and not instance:
                self.state.scopes.declare(name, Named(name))  # it may be an argument of its base: struct S : Base<S>
            base = self._base()
        if self.texts[self.tokens.at] != "{":
            return Named(instance) if instance else self._declared_struct(first, name)
        close = self.closes[self.tokens.at]
        if not name:  # typedef struct { … } Name;
            following = self.texts[close + 1]
            name = following if self.kinds[close + 1] == "name" else self._unnamed(first)
        declare = self.state.scopes.declare_in_file if instance else self.state.scopes.declare
        plain = self.texts[first] == "struct"
        union = self.texts[first] == "union"
        full = instance or "::".join((*self.state.owners[-1:], name))
        draft = Draft(full, align, base, plain, union, arguments)
        return self._define_struct(draft, instance or name, declare)

    def _unnamed(self, first: int) -> str:
        """Return a unique name, which is no identifier, for an unnamed struct; a macro can make several in a line."""
        name = f"struct of line {self.tokens.span(first).line}"
        while "::".join((*self.state.owners[-1:], name)) in self.state.structs:
            name += "_"
        return name

    # base: ':' access? type
    def _base(self) -> types.Struct:
        """Parse the base of a struct."""
        first = self.tokens.advance()
        while self.texts[self.tokens.at] in ACCESS:
            self.tokens.at += 1
        if self.texts[self.tokens.at] == "virtual":
            self.tokens.unsupported(self.tokens.at, "virtual inheritance", "put the members into the struct")
        kind = self.grammar.declarators.type_id()
        if self.texts[self.tokens.at] == ",":
            self.tokens.unsupported(first, "several bases", "make one of them a member")
        if isinstance(kind, Named):
            self.tokens.refuse(first, f"the base {kind} is not complete")
        if not isinstance(kind, types.Struct) or is_group(kind):
            self.tokens.unsupported(first, f"inheritance from {kind}", "inherit from a struct")
        return kind

    def _attributes(self) -> int:
        """Parse `alignas(n)` and `__attribute__((aligned(n)))`; return the least alignment in bytes."""
        align = 1
        while True:
            first = self.tokens.at
            if self.texts[first] == "alignas":
                align = max(align, self.grammar.types.alignment())
            elif not self.grammar.lookahead.skip_attribute():
                return align
            elif self.texts[first] == "__attribute__":
                words = self.texts[first : self.tokens.at]
                if "packed" in words:
                    self.tokens.unsupported(first, "packed struct", "order the members by their size")
                if "aligned" in words:
                    end, self.tokens.at = self.tokens.at, first + words.index("aligned")
                    align = max(align, self.grammar.types.alignment())
                    self.tokens.at = end

    def _declared_struct(self, first: int, name: str) -> CType:
        found = self.state.scopes.find(name)
        if isinstance(found, TypeTemplate) and self.texts[self.tokens.at] == "<":
            return self.grammar.struct_templates.instance(found, first)
        if isinstance(found, OmittedType):
            self.grammar.types.refuse_omitted(first, name, found)
        if isinstance(found, CType):
            return found
        if not name:
            self.tokens.refuse_missing("a name")
        self.state.scopes.declare(name, Named(name))  # a declaration; the definition follows
        return Named(name)

    # struct_body: '{' (access ':' | field | function | type | constant)* '}'
    def _define_struct(self, draft: Draft, local_name: str, declare: Callable[[str, Entry], None]) -> CType:
        """Parse a struct's members; `declare` declares it under `local_name`, its name in the scope around it."""
        opening, close = self.tokens.at, self.closes[self.tokens.at]
        if draft.base is not None:
            draft.names |= {field.name.removeprefix(BOUND): MemberEntry(field.type) for field in draft.base.fields}
            draft.names |= self.state.members.get(draft.base.name, {})
        # Inside of its own braces the struct is incomplete: a Named, which pointers to it may name.
        draft.names[plain_name(draft.name)] = Named(draft.name)
        declare(local_name, Named(draft.name))  # for pointers to itself
        depth = len(self.state.scopes.levels)
        self.state.scopes.levels.append(draft.names)
        self.state.owners.append(draft.name)
        self.tokens.at += 1
        try:
            while self.tokens.at != close:
                self.grammar.members.member_of(draft)
        except SourceError:
            del self.state.scopes.levels[depth:]
            self._declare_names(draft, local_name, declare)  # its constants are usable nevertheless
            raise
        finally:
            self.state.owners.pop()
        self.tokens.at += 1
        self.state.scopes.levels.pop()
        align = max(draft.align_bytes, self._attributes())
        result = types.struct(
            draft.name,
            draft.members,
            align,
            draft.base,
            union=draft.union,
            arguments=draft.arguments,
            alignments=draft.alignments,
        )
        self._check_size(result, opening)
        self._check_base(result, draft, close)
        if self.state.packing and result.align_bytes > 1:
            self.tokens.unsupported(close, "#pragma pack", "order the members by their size")
        draft.names[short(result)] = result
        if not draft.union:
            # A member whose own type has a constructor or default values has a default value, too.
            constructed = [name for name, kind in draft.members if self.grammar.functions.has_constructed_value(kind)]
            draft.defaults = {**dict.fromkeys(constructed, CONSTRUCTED), **draft.defaults}
        if draft.plain and not (draft.base or draft.defaults or result.name in self.state.constructors):
            self.plain.add(result.name)
        # Everything about the struct is known: register it, and then parse its functions, which may use every member.
        self.state.members[result.name] = draft.names
        self.state.structs[result.name] = result
        self.state.structs.setdefault(local_name, result)  # the name of an earlier declaration
        declare(local_name, result)
        self._declare_names(draft, local_name, declare)
        inherited = self.state.defaults.get(draft.base.name, {}) if draft.base is not None else {}
        if draft.defaults or inherited:
            self.state.defaults[result.name] = {**inherited, **draft.defaults}
        self.grammar.members.functions_of(result, draft)
        return result

    def _declare_names(self, draft: Draft, local_name: str, declare: Callable[[str, Entry], None]) -> None:
        """Declare the types and constants of a struct under qualified names: `Local::name`."""
        for name, entry in draft.names.items():
            if isinstance(entry, CType | TypeTemplate | DeferredType) or (
                isinstance(entry, VariableEntry) and entry.literal
            ):
                declare(f"{local_name}::{name}", entry)
            if isinstance(entry, VariableEntry) and entry.value is not None and isinstance(entry.type, Scalar):
                self.state.statics[f"{draft.name}::{name}"] = (entry.type, entry.value)

    def _check_size(self, result: types.Struct, opening: int) -> None:
        """Refuse a struct with too many members, including those of its members."""
        count, numbers = types.parts_of(result)
        if count > MAX_PARTS or numbers > MAX_NUMBERS:
            found = (
                f"{count:,} members, at most {MAX_PARTS:,} are read"
                if count > MAX_PARTS
                else f"{numbers:,} numbers, at most {MAX_NUMBERS:,} are read"
            )
            self.tokens.refuse(
                opening, f"{result} has {found}, including those of its members; use an array of structs"
            )

    def _check_base(self, result: types.Struct, draft: Draft, close: int) -> None:
        """Refuse a base that has members of equal names, ends in padding, or has a constructor that is never called."""
        base = draft.base
        if base is None:
            return
        twice = {name for name, _ in draft.members} & {field.name for field in base.fields}
        if twice:
            self.tokens.unsupported(
                close, f"member {min(twice)} of a base and of {result}", "give them different names"
            )
        end = max((f.offset_bytes + types.size_of(f.type) for f in base.fields), default=base.size_bytes)
        if draft.members and end < base.size_bytes and base.fields and base.name not in self.plain:
            self.tokens.unsupported(
                close, f"inheritance from {base}, which ends in padding", "add a member that fills the padding"
            )
        if base.name in self.state.constructors and result.name not in self.state.constructors:
            self.tokens.unsupported(close, f"{result} without a constructor, but its base {base} has one", "write one")
