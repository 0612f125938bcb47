"""Tokens -> the members of structs: fields, functions, templates, types and constants inside of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError
from kernels.frontend import ast, types
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.parser.constructors import copies_members
from kernels.frontend.parser.declarations import space_of
from kernels.frontend.parser.error_recovery import AttemptReader
from kernels.frontend.parser.scope import AliasTemplate, Default, Known, Later, OfThis
from kernels.frontend.preprocessor.declaration_outline import survey
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import Array, CType, Named, Reference, Scalar, Void

if TYPE_CHECKING:
    from kernels.frontend.parser.scope import Entry
    from kernels.frontend.parser.type_specifiers import Specifiers
    from kernels.frontend.preprocessor.declaration_outline import Survey
    from kernels.frontend.types import Argument

HOST_FUNCTION: Final = "a host function: mark it __device__"
ACCESS: Final = {"public", "private", "protected"}


@dataclass(slots=True)
class Draft:
    """A struct whose members are being read; `functions` and the like are the tokens at which they begin."""

    name: str
    align_bytes: int
    base: types.Struct | None = None
    plain: bool = True
    union: bool = False
    arguments: tuple[Argument, ...] = ()
    members: list[tuple[str, CType]] = field(default_factory=list)
    names: dict[str, Entry] = field(default_factory=dict)
    functions: list[int] = field(default_factory=list)
    defaulted: list[int] = field(default_factory=list)
    templates: list[int] = field(default_factory=list)
    friends: list[int] = field(default_factory=list)
    defaults: dict[str, Default] = field(default_factory=dict)
    aligned: dict[str, int] = field(default_factory=dict)


class MemberReader(AttemptReader):
    """Reads what stands in the braces of a struct."""

    def member_of(self, draft: Draft) -> None:
        """Read one member."""
        text = self.texts[self.at]
        if text == ";":
            self.at += 1
        elif text in ACCESS and self.texts[self.at + 1] == ":":
            draft.plain &= text == "public"
            self.at += 2
        elif text == "using" and self.texts[self.at + 2] != "=":
            self._using_of_base()
        elif text in ("using", "typedef"):
            if draft.arguments and self._names_its_template(draft):
                self._read_later(draft)
            else:
                self.type_definition()
        elif text == "static_assert":
            self.static_assert()
        else:
            outline = survey(self, self.at)
            if "virtual" in outline.words:
                self.unsupported(self.at, "virtual function", "use a template, or an if")
            if text == "template":
                self._template_of(draft)
            elif "friend" in outline.words:
                if outline.function is not None and outline.body is not None and outline.device:
                    draft.friends.append(self.at)
                self.at = outline.end
            elif outline.function is not None and self.texts[outline.function + 1] not in ("*", "&"):
                self._function_of(draft, outline)
            else:
                self._fields(draft)

    # using: 'using' type '::' name ';'
    def _using_of_base(self) -> None:
        """Go past a using-declaration: what a base has is visible anyway, but for its constructors."""
        first = self.at
        self.open_enum()
        while self.texts[self.at] not in (";", "}", ""):
            self.at += 1
        words = [text for text in self.texts[first : self.at] if text.isidentifier()]
        if words[-1] in words[1:-1]:
            self.unsupported(first, "inheritance of constructors", "write them again")
        self.require(";")

    def _names_its_template(self, draft: Draft) -> bool:
        outline = survey(self, self.at)
        here = range(self.at, outline.end)
        return any(self.texts[at] == plain_name(draft.name) and self.texts[at + 1] == "<" for at in here)

    def _read_later(self, draft: Draft) -> None:
        """Note another instance of the template that is being read: it may be one of a row without end."""
        first, levels, outline = self.at, [*self.scopes.levels], survey(self, self.at)
        name = self.texts[first + 1] if self.texts[first] == "using" else outline.name
        draft.names[name] = Later(lambda: self.type_elsewhere(first, name, levels))
        self.at = outline.end

    @abstractmethod
    def type_elsewhere(self, first: int, name: str, levels: list[dict[str, Entry]]) -> Entry:
        """Read the definition of a type's name at a token, in the scopes that are visible there."""

    def _template_of(self, draft: Draft) -> None:
        first = self.at
        outline = survey(self, self.past_angles(first + 1))
        head = self.past_angles(first + 1)
        if self.texts[head] in ("struct", "class", "union") and outline.function is None:
            self.struct_template(first, head, outline, draft)
        elif self.texts[head] == "using" and self.kinds[head + 1] == "name":
            name = self.texts[head + 1]
            draft.names[name] = AliasTemplate(name, first, [*self.scopes.levels[2:]])
        elif outline.function is not None and outline.body is None:  # it is defined outside
            self.member_templates.add(outline.name)
            static = draft.name if "static" in outline.words else ""
            draft.names.setdefault(outline.name, OfThis(function=True, static=static))
        elif outline.function is None:
            self._leave_out(draft, outline, "not supported: this template of a struct; write it outside")
        elif outline.device or "constexpr" in outline.words:
            draft.templates.append(first)
            if outline.name == plain_name(draft.name):
                self.constructors.add(draft.name)
            else:
                static = draft.name if "static" in outline.words else ""
                draft.names.setdefault(outline.name, OfThis(function=True, static=static))
                self.member_templates.add(outline.name)
        self.at = outline.end

    @abstractmethod
    def struct_template(self, first: int, head: int, outline: Survey, owner: Draft | None = None) -> None:
        """Note a template of structs that stands in a struct."""

    @abstractmethod
    def member_template(self, owner: types.Struct, first: int) -> None:
        """Read a function template that stands in a struct."""

    def _leave_out(self, draft: Draft, outline: Survey, reason: str) -> None:
        if outline.name:
            self.skipped.append((f"{draft.name}::{outline.name}", reason))
        self.at = outline.end

    def _function_of(self, draft: Draft, outline: Survey) -> None:
        first, name = self.at, outline.name
        ends = self.texts[outline.end - 2]
        constructor = name == plain_name(draft.name)
        if self.texts[outline.index - 1] == "~":
            if outline.device and outline.body is not None and self.closes[outline.body] != outline.body + 1:
                self.unsupported(
                    outline.index, "destructor that does something", "call a function at the end of the block"
                )
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
        draft.functions.append(first)  # a prototype, too: it may give default arguments
        self.at = outline.end

    def _fields(self, draft: Draft) -> None:
        found = self.specifiers()
        for enumerator in self._enumerators:
            known = self.scopes.find(enumerator.name)
            if isinstance(known, Known):
                draft.names[enumerator.name] = Known(known.type, known.value, literal=True)
        self._enumerators = []
        if self.texts[self.at] == ";" and isinstance(found.type, types.Struct):
            if plain_name(found.type.name).startswith("struct of line"):
                draft.members.append((f"{types.UNNAMED}{len(draft.members)}", found.type))
                inner = self.members[found.type.name].items()
                draft.names |= {name: entry for name, entry in inner if isinstance(entry, OfThis)}
            self.at += 1
            return
        if self.take(";"):
            return
        while True:
            self._field(draft, found)
            if not self.take(","):
                break
        self.require(";")

    def _why_unknown(self, expression: ast.Expr) -> str:
        """Say why an expression has no value here, "" where it has one."""
        try:
            evaluate(expression, self._values)
        except InputError as error:
            return str(error)
        return ""

    def _field(self, draft: Draft, found: Specifiers) -> None:
        declared = self.declarator(found.type, const=found.const)
        kind, name = declared.type, declared.name
        if not name:
            self.missing("a name")
        if self.texts[self.at] == ":":
            self.unsupported(declared.index, "bit field", "write a plain member, or shift and mask")
        if "static" in found.words:
            value, kind = self.initialiser(kind)
            space = space_of(found.words)
            if space in ("global", "constant"):
                span = self.between(declared.index, declared.index)
                made = ast.Variable(span, name, kind, space, declared.const, value=value)
                draft.names[name] = replace(self.outlive(f"{draft.name}::{name}", made), literal=True)
                return
            if isinstance(kind, Array) and isinstance(value, tuple) and found.const:
                self._static_array(draft, name, kind, value, declared.index)
                return
            known = None if value is None or isinstance(value, tuple) else self.constant(value)
            if not isinstance(kind, Scalar) or (known is None and not self.signature):
                why = self._why_unknown(value) if isinstance(value, ast.Expr) and found.const else ""
                self.unsupported(
                    declared.index, f"static member '{name}'", why or "write static constexpr and a number"
                )
            draft.names[name] = Known(kind, known, literal=True)
            return
        if declared.parameters is not None or (isinstance(kind, Reference) and kind.rvalue):
            self.unsupported(declared.index, "this member", "keep a pointer")
        if isinstance(kind, Reference):  # it is kept as the address of what it names
            draft.members.append((types.BOUND + name, types.Pointer(kind.to, kind.const)))
            draft.names[name] = OfThis(kind.to)
            return
        held = kind.element if isinstance(kind, Array) else kind
        if isinstance(held, Void) or (isinstance(held, Named) and not self.signature):
            self.refuse(declared.index, f"the type of member '{name}' is not complete: {kind}")
        if isinstance(kind, Array) and kind.length == 0 and self.texts[self.at : self.at + 2] != [";", "}"]:
            self.refuse(
                declared.index, "this array needs a length between [ and ]: it is not the last member"
            )
        if self.texts[self.at] in ("=", "{"):
            self.take("=")
            draft.defaults[name] = Default(self.at, [*self.scopes.levels])
            self.default(kind, draft.defaults[name])
            self._past_value()
        draft.aligned[name] = found.align_bytes
        draft.members.append((name, kind))
        draft.names[name] = OfThis(kind)

    def _static_array(
        self, draft: Draft, name: str, kind: Array, value: tuple[ast.Expr, ...], index: int
    ) -> None:
        """Keep a constant array of a struct as one of the file."""
        made = ast.Variable(self.between(index, index), name, kind, const=True, value=value)
        draft.names[name] = replace(self.outlive(f"{draft.name}::{name}", made), literal=True)

    def _past_value(self) -> None:
        while self.texts[self.at] not in (",", ";", "}", ""):
            self.at = self.closes.get(self.at, self.at) + 1

    # --- functions of structs

    def functions_of(self, owner: types.Struct, draft: Draft) -> None:
        """Read the functions, now that all members are known; what cannot be read is left out."""
        end = self.at
        outside = self.inside_of
        for begin in draft.templates:
            outline = survey(self, self.past_angles(begin + 1))
            with self.attempt(f"{owner.name}::{outline.name}"):
                self.member_template(owner, begin)
        for begin in draft.friends:
            self.at = begin
            with self.attempt(survey(self, begin).name):
                self.scopes.levels.append(draft.names)
                made = self.function()
                self.scopes.levels.pop()
                self.functions += [made] if made is not None else []
        # Without values for members `S() = default` does nothing: they are left as they are.
        written = draft.defaulted if draft.name in self.constructors and draft.defaults else []
        for begin in (*written, *draft.functions):
            self.at = begin
            name = f"{owner.name}::{survey(self, begin).name}"
            with self.attempt(name) as attempt:
                made = self.function(owner)
                if made is not None and not copies_members(made, owner):
                    self.functions.append(made)
            if attempt.error is not None and name == owner.constructor:
                raise attempt.error  # what it makes is not known
        self.at, self.inside_of = end, outside
        if owner.union and draft.defaults and owner.name not in self.constructors:
            self.constructors.add(owner.name)
            self.functions.append(self.plain_constructor(owner))
