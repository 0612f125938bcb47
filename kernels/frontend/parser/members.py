"""Members of structs: fields, functions, templates, types and constants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError
from kernels.frontend import ast, types
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.parser.declarations import space_of
from kernels.frontend.parser.functions import copies_members
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import AliasTemplate, Default, DeferredType, MemberEntry, VariableEntry
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import Array, Named, Reference, Scalar, Void

if TYPE_CHECKING:
    from kernels.frontend.parser.declaration_parts import Draft, Specifiers
    from kernels.frontend.preprocessor.declaration_outline import Outline

HOST_FUNCTION: Final = "a host function: mark it __device__"

ACCESS: Final = {"public", "private", "protected"}


class Members(Part):
    """Parses the members of structs."""

    def member_of(self, draft: Draft) -> None:
        """Parse one member."""
        text = self.texts[self.tokens.at]
        if text == ";":
            self.tokens.at += 1
        elif text in ACCESS and self.texts[self.tokens.at + 1] == ":":
            draft.plain &= text == "public"
            self.tokens.at += 2
        elif text == "using" and self.texts[self.tokens.at + 2] != "=":
            self._using_of_base()
        elif text in ("using", "typedef"):
            # `using Next = Tile<N - 1>;` inside of `Tile<N>`: parsed on first use, because each instance has a next
            # one.
            if draft.arguments and self._names_its_template(draft):
                self._defer(draft)
            else:
                self.grammar.declarations.type_definition()
        elif text == "static_assert":
            self.grammar.statements.static_assert()
        else:
            outline = outline_of(self.tokens, self.tokens.at)
            if "virtual" in outline.words:
                self.tokens.unsupported(self.tokens.at, "virtual function", "use a template, or an if")
            if text == "template":
                self._template_of(draft)
            elif "friend" in outline.words:
                # A friend that is defined here is a function of the file that sees the names of the struct.
                if outline.function is not None and outline.body is not None and outline.device:
                    draft.friends.append(self.tokens.at)
                self.tokens.at = outline.end
            elif outline.function is not None and self.texts[outline.function + 1] not in ("*", "&"):
                self._function_of(draft, outline)
            else:
                self._fields(draft)

    # using: 'using' type '::' name ';'
    def _using_of_base(self) -> None:
        """Skip a using-declaration: members of a base are visible without it, except for its constructors."""
        first = self.tokens.at
        self.grammar.declarations.open_enum()
        while self.texts[self.tokens.at] not in (";", "}", ""):
            self.tokens.at += 1
        words = [text for text in self.texts[first : self.tokens.at] if text.isidentifier()]
        if words[-1] in words[1:-1]:
            self.tokens.unsupported(first, "inheritance of constructors", "write the constructors in this struct")
        self.tokens.require(";")

    def _names_its_template(self, draft: Draft) -> bool:
        outline = outline_of(self.tokens, self.tokens.at)
        here = range(self.tokens.at, outline.end)
        return any(self.texts[at] == plain_name(draft.name) and self.texts[at + 1] == "<" for at in here)

    def _defer(self, draft: Draft) -> None:
        """Defer another instance of the template that is being parsed, which could recur without end."""
        first, levels, outline = (
            self.tokens.at,
            [*self.state.scopes.levels],
            outline_of(self.tokens, self.tokens.at),
        )
        name = self.texts[first + 1] if self.texts[first] == "using" else outline.name
        draft.names[name] = DeferredType(lambda: self.grammar.struct_templates.type_elsewhere(first, name, levels))
        self.tokens.at = outline.end

    def _template_of(self, draft: Draft) -> None:
        first = self.tokens.at
        outline = outline_of(self.tokens, self.tokens.past_angles(first + 1))
        head = self.tokens.past_angles(first + 1)
        if self.texts[head] in ("struct", "class", "union") and outline.function is None:
            self.grammar.struct_templates.struct_template(first, head, outline, draft)
        elif self.texts[head] == "using" and self.kinds[head + 1] == "name":
            name = self.texts[head + 1]
            draft.names[name] = AliasTemplate(name, first, [*self.state.scopes.levels[2:]])
        elif outline.function is not None and outline.body is None:  # defined outside of the struct
            # After such a name `<` opens template arguments: `object.get<0>()`.
            self.state.member_templates.add(outline.name)
            static = draft.name if "static" in outline.words else ""
            draft.names.setdefault(outline.name, MemberEntry(function=True, static=static))
        elif outline.function is None:
            reason = "not supported: this template of a struct; write it outside"
            self._leave_out(draft, outline, reason, foreign=False)
        elif outline.device or "constexpr" in outline.words:
            draft.templates.append(first)
            if outline.name == plain_name(draft.name):
                self.state.constructors.add(draft.name)
            else:
                static = draft.name if "static" in outline.words else ""
                draft.names.setdefault(outline.name, MemberEntry(function=True, static=static))
                self.state.member_templates.add(outline.name)
        self.tokens.at = outline.end

    def _leave_out(self, draft: Draft, outline: Outline, reason: str, *, foreign: bool = True) -> None:
        if outline.name:
            self.state.omissions.append(ast.Omission(f"{draft.name}::{outline.name}", reason, foreign))
        self.tokens.at = outline.end

    def _function_of(self, draft: Draft, outline: Outline) -> None:
        first, name = self.tokens.at, outline.name
        ends = self.texts[outline.end - 2]
        constructor = name == plain_name(draft.name)
        if self.texts[outline.index - 1] == "~":
            if outline.device and outline.body is not None and self.closes[outline.body] != outline.body + 1:
                self.tokens.unsupported(
                    outline.index, "destructor with statements", "call a function at the end of the block"
                )
            self.tokens.at = outline.end
            return
        # `= default` copies members, which needs no function, unless default values make the constructor do something;
        # a deleted function is never called by a program that compiles.
        if ends in ("default", "delete") and outline.body is None:
            if constructor and ends == "default" and self.texts[outline.index + 2] == ")":
                self.state.defaulted.add(draft.name)
                draft.defaulted.append(first)
            self.tokens.at = outline.end
            return
        if not (outline.device or "constexpr" in outline.words):
            self._leave_out(draft, outline, HOST_FUNCTION)
            return
        if constructor:
            self.state.constructors.add(draft.name)
        else:
            static = draft.name if "static" in outline.words else ""
            draft.names.setdefault(name, MemberEntry(function=True, static=static))
        draft.functions.append(first)  # also for a prototype, which may have default arguments
        self.tokens.at = outline.end

    def _fields(self, draft: Draft) -> None:
        specifiers = self.grammar.types.specifiers()
        for enumerator in self.state.enumerators:
            known = self.state.scopes.find(enumerator.name)
            if isinstance(known, VariableEntry):
                draft.names[enumerator.name] = VariableEntry(known.type, known.value, literal=True)
        self.state.enumerators = []
        if self.texts[self.tokens.at] == ";" and isinstance(specifiers.type, types.Struct):
            if not plain_name(
                specifiers.type.name
            ).isidentifier():  # the name that `Structs` gives to an unnamed struct
                draft.members.append((f"{types.UNNAMED}{len(draft.members)}", specifiers.type))
                # Members of an unnamed struct or union are visible as members of the struct around it.
                inner = self.state.members[specifiers.type.name].items()
                draft.names |= {name: entry for name, entry in inner if isinstance(entry, MemberEntry)}
            self.tokens.at += 1
            return
        if self.tokens.take(";"):
            return
        while True:
            self._field(draft, specifiers)
            if not self.tokens.take(","):
                break
        self.tokens.require(";")

    def _reason_unknown(self, expression: ast.Expr) -> str:
        """Return the reason why an expression has no value here; "" if it has one."""
        try:
            evaluate(expression, self.state.values)
        except InputError as error:
            return str(error)
        return ""

    def _field(self, draft: Draft, specifiers: Specifiers) -> None:
        declarator = self.grammar.declarators.declarator(specifiers.type, const=specifiers.const)
        kind, name = declarator.type, declarator.name
        if not name:
            self.tokens.refuse_missing("a name")
        if self.texts[self.tokens.at] == ":":
            self.tokens.unsupported(declarator.index, "bit field", "write a plain member, or shift and mask")
        if "static" in specifiers.words:
            value, kind = self.grammar.initialisers.initialiser(kind)
            space = space_of(specifiers.words)
            if space in ("global", "constant"):
                span = self.tokens.span(declarator.index, declarator.index)
                result = ast.Variable(span, name, kind, space, declarator.const, value=value)
                draft.names[name] = replace(
                    self.grammar.declarations.move_to_file(f"{draft.name}::{name}", result), literal=True
                )
                return
            if isinstance(kind, Array) and isinstance(value, tuple) and specifiers.const:
                self._static_array(draft, name, kind, value, declarator.index)
                return
            known = None if value is None or isinstance(value, tuple) else self.grammar.types.constant(value)
            if not isinstance(kind, Scalar) or (known is None and not self.state.signature):
                why = self._reason_unknown(value) if isinstance(value, ast.Expr) and specifiers.const else ""
                self.tokens.unsupported(
                    declarator.index, f"static member '{name}'", why or "write static constexpr and a number"
                )
            draft.names[name] = VariableEntry(kind, known, literal=True)
            return
        if declarator.parameters is not None or (isinstance(kind, Reference) and kind.rvalue):
            self.tokens.unsupported(declarator.index, "this member", "keep a pointer")
        if isinstance(kind, Reference):  # stored as the address of its target
            draft.members.append((types.BOUND + name, types.Pointer(kind.to, kind.const)))
            draft.names[name] = MemberEntry(kind.to)
            return
        element = kind.element if isinstance(kind, Array) else kind
        if isinstance(element, Void) or (isinstance(element, Named) and not self.state.signature):
            self.tokens.refuse(declarator.index, f"the type of member '{name}' is not complete: {kind}")
        if (
            isinstance(kind, Array)
            and kind.length == 0
            and self.texts[self.tokens.at : self.tokens.at + 2] != [";", "}"]
        ):
            self.tokens.refuse(declarator.index, "this array needs a length between [ and ]: it is not the last member")
        if self.texts[self.tokens.at] in ("=", "{"):
            self.tokens.take("=")
            draft.defaults[name] = Default(self.tokens.at, [*self.state.scopes.levels])
            # Parse the value now, to find errors, and again for each construction, in the scopes of this place.
            self.grammar.initialisers.default(kind, draft.defaults[name])
            self._past_value()
        draft.alignments[name] = specifiers.align_bytes
        draft.members.append((name, kind))
        draft.names[name] = MemberEntry(kind)

    def _static_array(self, draft: Draft, name: str, kind: Array, value: tuple[ast.Expr, ...], index: int) -> None:
        """Add a constant array of a struct to the variables of the file."""
        result = ast.Variable(self.tokens.span(index, index), name, kind, const=True, value=value)
        draft.names[name] = replace(
            self.grammar.declarations.move_to_file(f"{draft.name}::{name}", result), literal=True
        )

    def _past_value(self) -> None:
        while self.texts[self.tokens.at] not in (",", ";", "}", ""):
            self.tokens.at = self.closes.get(self.tokens.at, self.tokens.at) + 1

    # --- functions of structs

    def functions_of(self, owner: types.Struct, draft: Draft) -> None:
        """Parse the member functions after all members; those that cannot be parsed are left out."""
        end = self.tokens.at
        outside = self.state.function_name
        # Bodies see all members ([class.mem.general]), so they are parsed after the closing brace; templates before the
        # functions that may call them.
        for begin in draft.templates:
            outline = outline_of(self.tokens, self.tokens.past_angles(begin + 1))
            with self.attempt(f"{owner.name}::{outline.name}"):
                self.grammar.function_templates.member_template(owner, begin)
        for begin in draft.friends:
            self.tokens.at = begin
            with self.attempt(outline_of(self.tokens, begin).name):
                self.state.scopes.levels.append(draft.names)
                result = self.grammar.functions.function()
                self.state.scopes.levels.pop()
                self.state.functions += [result] if result is not None else []
        # `S() = default` leaves members without default values uninitialised.
        written = draft.defaulted if draft.name in self.state.constructors and draft.defaults else []
        for begin in (*written, *draft.functions):
            self.tokens.at = begin
            name = f"{owner.name}::{outline_of(self.tokens, begin).name}"
            with self.attempt(name) as attempt:
                result = self.grammar.functions.function(owner)
                if result is not None and not copies_members(result, owner):
                    self.state.functions.append(result)
            if attempt.error is not None and name == owner.constructor:
                raise attempt.error  # without its constructor the struct cannot be used
        self.tokens.at, self.state.function_name = end, outside
        if owner.union and draft.defaults and owner.name not in self.state.constructors:
            self.state.constructors.add(owner.name)
            self.state.functions.append(self.grammar.functions.plain_constructor(owner))
