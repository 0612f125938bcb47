"""Tokens -> structs: their members, and the functions inside of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.source import types
from kernels.source.functions import FunctionReader, short
from kernels.source.groups import is_group
from kernels.source.scope import Known, OfThis, Unread
from kernels.source.survey import survey
from kernels.source.types import CType, Named, Reference, Scalar, Void

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.source.constant import Value
    from kernels.source.macros import Piece
    from kernels.source.scope import Entry
    from kernels.source.survey import Survey
    from kernels.source.tokens import Text
    from kernels.source.typenames import Specifiers

HOST_FUNCTION: Final = "a host function: mark it __device__"
_ACCESS: Final = {"public", "private", "protected"}


@dataclass(slots=True)
class _Draft:
    """A struct whose members are being read; `functions` and `templates` are the tokens at which those begin."""

    name: str
    align_bytes: int
    base: types.Struct | None = None
    plain: bool = True
    union: bool = False
    members: list[tuple[str, CType]] = field(default_factory=list)
    names: dict[str, Entry] = field(default_factory=dict)
    functions: list[int] = field(default_factory=list)
    defaulted: list[int] = field(default_factory=list)
    templates: list[int] = field(default_factory=list)
    defaults: dict[str, int] = field(default_factory=dict)


class StructReader(FunctionReader):
    """Reads structs. `skipped` tells what was left out, and why."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.skipped: list[tuple[str, str]] = []
        self.statics: dict[str, tuple[Scalar, Value]] = {}
        """By full name: constants that structs declare."""
        self.plain: set[str] = set()
        """Names of the structs that C has, too: what inherits from one begins behind its padding."""
        self.structs: dict[str, types.Struct] = {}
        """By name: what a pointer points to that was declared before its struct was."""
        self.packing = False
        """Whether `#pragma pack` puts members side by side."""
        self.unread: list[tuple[str, SourceError]] = []
        self.first_error: SourceError | None = None

    # elaborated: 'enum' … | ('struct' | 'class') attribute* name? ('{' … '}')?
    def elaborated(self) -> CType:
        """Read `struct S`, `enum E`, and their definitions."""
        if self.texts[self.at] == "enum":
            return self.enum()
        return self.struct()

    def struct(self, instance: str = "") -> CType:
        """Read a struct; `instance` is the name of a template's instance."""
        first = self.at
        self.at += 1
        align = self._attributes()
        name = ""
        if self.kinds[self.at] == "name" and self.texts[self.at] != "final":
            name = self.name()
        align = max(align, self._attributes())
        if instance and self.texts[self.at] == "<":
            self.template_arguments()  # of a specialisation
        self.take("final")
        base = self._base() if self.texts[self.at] == ":" else None
        if self.texts[self.at] != "{":
            return self._mentioned(first, name)
        close = self.closes[self.at]
        if not name:  # typedef struct { … } Name;
            following = self.texts[close + 1]
            name = following if self.kinds[close + 1] == "name" else f"struct of line {self.span(first).line}"
        know = self.scopes.know_everywhere if instance else self.scopes.know
        plain = self.texts[first] == "struct"
        union = self.texts[first] == "union"
        return self._define_struct(_Draft(instance or name, align, base, plain, union), know)

    # base: ':' access? type
    def _base(self) -> types.Struct:
        """Read the struct that one inherits from."""
        first = self.at
        self.at += 1
        while self.texts[self.at] in _ACCESS:
            self.at += 1
        if self.texts[self.at] == "virtual":
            self.unsupported(self.at, "virtual inheritance", "put the members into the struct")
        kind = self.type_id()
        if self.texts[self.at] == ",":
            self.unsupported(first, "several bases", "make one of them a member")
        if isinstance(kind, Named):
            self.refuse(first, f"the base {kind} is not complete")
        if not isinstance(kind, types.Struct) or is_group(kind):
            self.unsupported(first, f"inheritance from {kind}", "inherit from a struct")
        return kind

    def _attributes(self) -> int:
        """Read `alignas(n)` and `__attribute__((aligned(n)))`: the least alignment they ask for."""
        align = 1
        while True:
            first = self.at
            if self.texts[first] == "alignas":
                align = max(align, self.alignment())
            elif not self.skip_attribute():
                return align
            elif self.texts[first] == "__attribute__":
                words = self.texts[first : self.at]
                if "packed" in words:
                    self.unsupported(first, "packed struct", "order the members by their size")
                if "aligned" in words:
                    end, self.at = self.at, first + words.index("aligned")
                    align = max(align, self.alignment())
                    self.at = end

    def _mentioned(self, first: int, name: str) -> CType:
        found = self.scopes.find(name)
        if isinstance(found, Unread):
            self.refuse(first, f"type '{name}' was left out: {found.reason}")
        if isinstance(found, CType):
            return found
        if not name:
            self.missing("a name")
        self.scopes.know(name, Named(name))  # it is defined further down
        return Named(name)

    # struct_body: '{' (access ':' | field | function | type | constant)* '}'
    def _define_struct(self, draft: _Draft, know: Callable[[str, Entry], None]) -> CType:
        close = self.closes[self.at]
        if draft.base is not None:
            draft.names |= {field.name: OfThis(field.type) for field in draft.base.fields}
            draft.names |= self.members.get(draft.base.name, {})
        draft.names[draft.name.partition("<")[0]] = Named(draft.name)
        know(draft.name, Named(draft.name))  # for pointers to itself
        self.scopes.levels.append(draft.names)
        self.at += 1
        while self.at != close:
            self._member_of(draft)
        self.at += 1
        self.scopes.levels.pop()
        align = max(draft.align_bytes, self._attributes())
        made = types.struct(draft.name, draft.members, align, draft.base, union=draft.union)
        self._check_base(made, draft, close)
        if self.packing and made.align_bytes > 1:
            self.unsupported(close, "#pragma pack", "order the members by their size")
        draft.names[short(made)] = made
        if draft.plain and not (draft.base or draft.defaults or made.name in self.constructors):
            self.plain.add(made.name)
        self.members[made.name] = draft.names
        self.structs[made.name] = made
        know(made.name, made)
        for name, entry in draft.names.items():
            if isinstance(entry, CType) or (isinstance(entry, Known) and entry.literal):
                know(f"{made.name}::{name}", entry)
            if isinstance(entry, Known) and entry.value is not None and isinstance(entry.type, Scalar):
                self.statics[f"{made.name}::{name}"] = (entry.type, entry.value)
        inherited = self.defaults.get(draft.base.name, {}) if draft.base is not None else {}
        if draft.defaults or inherited:
            self.defaults[made.name] = {**inherited, **draft.defaults}
        self._functions(made, draft)
        return made

    def _check_base(self, made: types.Struct, draft: _Draft, close: int) -> None:
        """Refuse what a base would make ambiguous: names given twice, members in its padding, its constructor."""
        base = draft.base
        if base is None:
            return
        twice = {name for name, _ in draft.members} & {field.name for field in base.fields}
        if twice:
            self.unsupported(
                close, f"member {min(twice)} of a base and of {made}", "give them different names"
            )
        end = max((f.offset_bytes + types.size_of(f.type) for f in base.fields), default=base.size_bytes)
        if draft.members and end < base.size_bytes and base.fields and base.name not in self.plain:
            self.unsupported(
                close, f"inheritance from {base}, which ends in padding", "fill it with a member"
            )
        if base.name in self.constructors and made.name not in self.constructors:
            self.unsupported(close, f"{made} without a constructor, but its base {base} has one", "write one")

    def _member_of(self, draft: _Draft) -> None:
        text = self.texts[self.at]
        if text == ";":
            self.at += 1
        elif text in _ACCESS and self.texts[self.at + 1] == ":":
            draft.plain &= text == "public"
            self.at += 2
        elif text in ("using", "typedef"):
            self.type_definition()
        elif text == "static_assert":
            self.static_assert()
        else:
            outline = survey(self, self.at)
            if "virtual" in outline.words:
                self.unsupported(self.at, "virtual function", "use a template, or an if")
            if text == "template":
                self._template_of(draft)
            elif text == "friend":
                self._leave_out(draft, outline, f"a {text} of a struct: write a function outside of it")
            elif outline.function is not None and self.texts[outline.function + 1] not in ("*", "&"):
                self._function_of(draft, outline)
            else:
                self._fields(draft)

    def _template_of(self, draft: _Draft) -> None:
        first = self.at
        outline = survey(self, self.past_angles(first + 1))
        constructor = outline.name == draft.name.partition("<")[0]
        if outline.function is None or outline.body is None or constructor:
            self._leave_out(draft, outline, "not supported: this template of a struct; write it outside")
        elif outline.device or "constexpr" in outline.words:
            static = draft.name if "static" in outline.words else ""
            draft.names.setdefault(outline.name, OfThis(function=True, static=static))
            draft.templates.append(first)
            self.member_templates.add(outline.name)
        self.at = outline.end

    @abstractmethod
    def member_template(self, owner: types.Struct, first: int) -> None:
        """Read a function template that stands in a struct."""

    def _leave_out(self, draft: _Draft, outline: Survey, reason: str) -> None:
        if outline.name:
            self.skipped.append((f"{draft.name}::{outline.name}", reason))
        self.at = outline.end

    def _function_of(self, draft: _Draft, outline: Survey) -> None:
        first, name = self.at, outline.name
        ends = self.texts[outline.end - 2]
        constructor = name == draft.name.partition("<")[0]
        if self.texts[outline.index - 1] == "~":
            if outline.device:
                self.unsupported(outline.index, "destructor", "free nothing: memory ends with the kernel")
            self.at = outline.end
            return
        if ends in ("default", "delete") and outline.body is None:
            if constructor and ends == "default" and self.texts[outline.index + 2] == ")":
                self.defaulted.add(draft.name)
                draft.defaulted.append(first)
            self.at = outline.end
            return
        if not (outline.device or "constexpr" in outline.words):
            self._leave_out(draft, outline, HOST_FUNCTION)
            return
        if constructor:
            self.constructors.add(draft.name)
        else:
            static = draft.name if "static" in outline.words else ""
            draft.names.setdefault(name, OfThis(function=True, static=static))
        if outline.body is not None:
            draft.functions.append(first)
        self.at = outline.end

    def _fields(self, draft: _Draft) -> None:
        found = self.specifiers()
        for enumerator in self._enumerators:
            known = self.scopes.find(enumerator.name)
            if isinstance(known, Known):
                draft.names[enumerator.name] = Known(known.type, known.value, literal=True)
        self._enumerators = []
        if self.texts[self.at] == ";" and isinstance(found.type, types.Struct):
            if found.type.name.startswith("struct of line"):
                self.unsupported(found.first, "struct without a name", "name the member")
            self.at += 1
            return
        if self.take(";"):
            return
        while True:
            self._field(draft, found)
            if not self.take(","):
                break
        self.require(";")

    def _field(self, draft: _Draft, found: Specifiers) -> None:
        declared = self.declarator(found.type, const=found.const)
        kind, name = declared.type, declared.name
        if not name:
            self.missing("a name")
        if self.texts[self.at] == ":":
            self.unsupported(declared.index, "bit field", "write a plain member, or shift and mask")
        if "static" in found.words:
            value, kind = self.initialiser(kind)
            known = None if value is None or isinstance(value, tuple) else self.constant(value)
            if not isinstance(kind, Scalar) or (known is None and not self.signature):
                self.unsupported(
                    declared.index, f"static member '{name}'", "write static constexpr and a number"
                )
            draft.names[name] = Known(kind, known, literal=True)
            return
        if declared.parameters is not None or isinstance(kind, Reference):
            self.unsupported(declared.index, "reference as a member", "keep a pointer")
        if isinstance(kind, Void) or (isinstance(kind, Named) and not self.signature):
            self.refuse(declared.index, f"the type of member '{name}' is not complete: {kind}")
        if declared.unsized:
            self.refuse(declared.index, "this array needs a length between [ and ]")
        if self.texts[self.at] in ("=", "{"):
            self.take("=")
            draft.defaults[name] = self.at
            self.default(kind, self.at)
            self._past_value()
        draft.align_bytes = max(draft.align_bytes, found.align_bytes)
        draft.members.append((name, kind))
        draft.names[name] = OfThis(kind)

    def _past_value(self) -> None:
        while self.texts[self.at] not in (",", ";", "}", ""):
            self.at = self.closes.get(self.at, self.at) + 1

    # --- functions of structs

    def _functions(self, owner: types.Struct, draft: _Draft) -> None:
        """Read the functions, now that all members are known; what cannot be read is left out."""
        end = self.at
        outside = self.inside_of
        for begin in draft.templates:
            outline = survey(self, self.past_angles(begin + 1))
            with self.attempt(f"{owner.name}::{outline.name}"):
                self.member_template(owner, begin)
        # Without values for members `S() = default` does nothing: they are left as they are.
        written = draft.defaulted if draft.name in self.constructors and draft.defaults else []
        for begin in (*written, *draft.functions):
            self.at = begin
            name = f"{owner.name}::{survey(self, begin).name}"
            with self.attempt(name):
                made = self.function(owner)
                if made is not None:
                    self.functions.append(made)
        self.at, self.inside_of = end, outside

    def keep(self, attempt: _Attempt, outline: Survey) -> None:
        """Remember why a function or a variable of the device could not be read."""
        if attempt.error is not None:
            self.first_error = self.first_error or attempt.error
            if "__global__" in outline.words:
                self.unread.append((outline.name, attempt.error))

    def attempt(self, name: str) -> _Attempt:
        """Read something that may be left out: where that fails, the name is noted with the reason."""
        return _Attempt(self, name)


class _Attempt:
    """Puts the reader back where it was when reading fails, and notes why."""

    __slots__ = ("_name", "_reader", "_state", "error")

    def __init__(self, reader: StructReader, name: str) -> None:
        self._reader, self._name = reader, name
        self.error: SourceError | None = None
        self._state = (reader.at, reader.depth, len(reader.scopes.levels), reader.signature, reader.in_angles)

    def __enter__(self) -> _Attempt:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, SourceError):
            return False
        reader = self._reader
        reader.at, reader.depth, levels, reader.signature, reader.in_angles = self._state
        del reader.scopes.levels[levels:]
        reader.skipped.append((self._name, str(error)))
        self.error = error
        return True
