"""The translation unit: device code is parsed, host code is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.frontend import ast
from kernels.frontend.headers.textures import REFERENCES
from kernels.frontend.parser.lookahead import SPACES
from kernels.frontend.parser.members import HOST_FUNCTION
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import OmittedType, StructTemplate
from kernels.frontend.parser.statements import FailedAssertion
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import AUTO, Array, Named, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline

_HOST_VARIABLE: Final = "a host variable: make it const, __constant__ or __device__"

_NOT_KNOWN: Final = "a host variable whose value is not known before the kernel runs: pass it as a parameter"

_NO_BODY: Final = "a function without a body in this file: include the one that has it"

_BEGINNINGS: Final = {
    *("struct", "class", "union", "enum", "typedef", "template", "namespace", "using", "extern", "static"),
    *("inline", "__global__", "__device__", "__host__", "__constant__", "const", "constexpr", "}"),
}
"""First tokens of declarations that begin no expression, and the end of a namespace."""

_TYPES: Final = {"struct", "class", "union", "enum"}


class TranslationUnit(Part):
    """Parses the declarations of a file."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._prototypes: list[str] = []
        self._unresolved_aliases: list[int] = []
        """First tokens of aliases of instances whose templates are not yet defined."""

    # file: (namespace | 'extern' string | template | function | declaration | type | …)*
    def parse(self) -> None:
        """Parse every declaration.

        Raises
        ------
        SourceError
            If no kernel can be parsed: the error of the first kernel, or of the first other device code.
        """
        self._declarations_until(len(self.tokens.pieces))
        self.grammar.function_templates.keep_prototypes()
        known = {
            *(omission.name for omission in self.state.omissions),
            *(f.name for f in self.state.functions),
            *(t.name for t in self.state.templates),
        }
        self.state.omissions += [
            ast.Omission(name, _NO_BODY, foreign=True) for name in dict.fromkeys(self._prototypes) if name not in known
        ]
        kernels = [
            *(f for f in self.state.functions if f.kernel),
            *(t for t in self.state.templates if t.kernel),
        ]
        if self.state.first_error is not None and not kernels:
            raise self.state.kernel_errors[0][1] if self.state.kernel_errors else self.state.first_error

    def _declarations_until(self, end: int) -> None:
        while self.tokens.at < end:
            checkpoint()
            text = self.texts[self.tokens.at]
            if text == ";":
                self.tokens.at += 1
            elif (after := self._past_macro(self.tokens.at)) > self.tokens.at:
                self.tokens.at = after
            elif self.kinds[self.tokens.at] == "pragma":
                self.state.packing = text not in ("pack(pop)", "pack()")
                self.tokens.at += 1
            elif text == "namespace" or (text == "inline" and self.texts[self.tokens.at + 1] == "namespace"):
                self._namespace()
            elif text == "extern" and self.kinds[self.tokens.at + 1] == "string":
                self._linkage()
            elif text == "template":
                self.grammar.function_templates.template()
                self._parse_unresolved_aliases()
            elif text == "using":
                self._using_name()
            elif text == "static_assert":
                self._assertion()
            else:
                self._declaration(text)

    def _past_macro(self, at: int) -> int:
        """Return the token after an unknown macro, `WARNINGS_OFF()` alone on its line; `at` if there is none."""
        if not self.texts[at].isupper() or self.state.scopes.find(self.texts[at]) is not None:
            return at
        end = self.closes.get(at + 1, at) + 1 if self.texts[at + 1] == "(" else at + 1
        if end == len(self.tokens.pieces):
            return end
        alone = self.tokens.begins_line(at) and self.tokens.begins_line(end)
        return end if alone and (self.texts[end] in _BEGINNINGS or self._past_macro(end) > end) else at

    # namespace: 'inline'? 'namespace' (name ('::' name)*)? '{' … '}'
    def _namespace(self) -> None:
        self.tokens.take("inline")
        self.tokens.at += 1
        while self.texts[self.tokens.at] not in ("{", ";", "=", "", "}"):
            if self.kinds[self.tokens.at] == "name":
                self.state.namespaces.add(self.texts[self.tokens.at])
            self.tokens.at = self.closes.get(self.tokens.at, self.tokens.at) + 1
        if self.texts[self.tokens.at] == "{":
            self._block()
            return
        while self.texts[self.tokens.at] not in (";", "", "}"):
            self.tokens.at += 1

    def _block(self) -> None:
        """Parse the declarations in braces: their names are visible in the whole file."""
        close = self.closes[self.tokens.at]
        self.tokens.at += 1
        self.tokens.enter_level()
        self._declarations_until(close)
        self.tokens.depth -= 1
        self.tokens.at = close + 1

    def _linkage(self) -> None:
        self.tokens.at += 2
        if self.texts[self.tokens.at] == "{":
            self._block()

    def _using_name(self) -> None:
        first, outline = self.tokens.at, outline_of(self.tokens, self.tokens.at)
        self.grammar.declarations.open_enum()
        if self.texts[self.tokens.at + 2] == "=":
            self._parse_or_leave_out(self.texts[self.tokens.at + 1], outline)
            self._note_unresolved_alias(first, self.texts[first + 1])
        self.tokens.at = outline.end

    def _note_unresolved_alias(self, first: int, name: str) -> None:
        kind = self.state.scopes.find(name)
        if isinstance(kind, Named) and isinstance(self.state.scopes.find(plain_name(kind.name)), StructTemplate):
            self._unresolved_aliases.append(first)

    def _parse_unresolved_aliases(self) -> None:
        """Parse aliases again whose templates may be defined by now."""
        end, early, self._unresolved_aliases = self.tokens.at, self._unresolved_aliases, []
        for self.tokens.at in early:
            first = self.tokens.at
            name = self.texts[first + 1] if self.texts[first] == "using" else outline_of(self.tokens, first).name
            with self.attempt(name):
                self.grammar.declarations.type_definition()
            self._note_unresolved_alias(first, name)
        self.tokens.at = end

    def _assertion(self) -> None:
        outline = outline_of(self.tokens, self.tokens.at)
        with self.attempt("static_assert") as attempt:
            self.grammar.statements.static_assert()
        if isinstance(attempt.error, FailedAssertion):  # an assertion that cannot be evaluated is left out
            raise attempt.error
        self.tokens.at = outline.end

    def _declaration(self, text: str) -> None:
        outline = outline_of(self.tokens, self.tokens.at)
        if outline.end == self.tokens.at:
            self.tokens.refuse_token()
        if outline.device or self._is_texture(outline):
            with self.attempt(outline.name) as attempt:
                self._device_declaration(outline)
            attempt.record(outline)
        elif text in _TYPES or text == "typedef":
            self._type_declaration(outline)
        elif outline.function is not None and outline.body is not None:
            if "constexpr" in outline.words:
                self._parse_or_leave_out(outline.name, outline)
            else:
                self._refuse_misspelled(outline)
                self._leave_out(outline, HOST_FUNCTION)
        elif self._is_redeclaration(outline):
            pass
        elif outline.words & {"const", "constexpr"}:
            self._parse_or_leave_out(outline.name, outline)
        else:
            self._refuse_misspelled(outline)
            self._leave_out(outline, HOST_FUNCTION if self._looks_like_function(outline) else _HOST_VARIABLE)
        self.tokens.at = outline.end

    def _is_redeclaration(self, outline: Outline) -> bool:
        """Return whether a redeclaration `constexpr int S::n[2];` of a static member is here."""
        return "".join(self.texts[outline.index - 2 : outline.index + 1]) in self.state.constants

    def _refuse_misspelled(self, outline: Outline) -> None:
        """Refuse misspelled words such as `__global`: otherwise the declaration would be left out as host code."""
        for word in outline.words:
            correct = f"__{word.strip('_')}__"
            if word != correct and word[0] == "_" and correct in SPACES:
                at = self.texts.index(word, self.tokens.at)
                self.tokens.refuse(at, f"unknown word '{word}'; did you mean {correct}?")

    def _leave_out(self, outline: Outline, reason: str) -> None:
        """Record that a declaration of host code was left out."""
        if self.texts[outline.end - 1] not in (";", "}"):
            self.tokens.at = outline.end
            self.tokens.refuse_missing("';'")
        if outline.name and outline.name != "main":
            self.state.omissions.append(ast.Omission(outline.name, reason, foreign=True))

    def _device_declaration(self, outline: Outline) -> None:
        if outline.function is not None and (outline.body is not None or self._declares_function(outline)):
            result = self.grammar.functions.function()
            if result is not None:
                self.state.functions.append(result)
            else:
                self._prototypes.append(outline.name)
        elif self._is_redeclaration(outline):
            self.grammar.declarations.define_static_member("".join(self.texts[outline.index - 2 : outline.index + 1]))
        else:
            self.state.variables += map(self.grammar.declarations.fold, self.grammar.declarations.declaration())

    def _is_texture(self, outline: Outline) -> bool:
        """Return whether `texture<…> name;` is declared, which is device code without a `__device__`."""
        before = range(self.tokens.at, outline.index)
        return outline.function is None and any(
            self.texts[at] in REFERENCES and self.texts[at + 1] == "<" for at in before
        )

    def _declares_function(self, outline: Outline) -> bool:
        at = self.tokens.at
        assert outline.function is not None
        self.tokens.at = outline.function
        found = self.grammar.declarators.lists_parameters()
        self.tokens.at = at
        return found

    def _looks_like_function(self, outline: Outline) -> bool:
        """Return whether host code such as `int f(std::string s)` declares a function; its types may be unknown."""
        if outline.function is None:
            return False
        first = outline.function + 1
        return self.texts[first] == ")" or (
            self.kinds[first] == "name"
            and (self.grammar.lookahead.starts_type(first) or self.texts[first + 1] not in (")", ",", "(", "."))
        )

    def _type_declaration(self, outline: Outline) -> None:
        """Parse a struct, an enum or a typedef; leave it out if it cannot be parsed, which only its use reports."""
        first = self.tokens.at
        name = outline.name if self.texts[first] == "typedef" else self._next_name(first)
        if not name and outline.function is not None:  # typedef void (*name)(int);
            name = self._next_name(outline.function)
        known = self.state.scopes.levels[1].get(name)
        with self.attempt(name) as attempt:
            if self.texts[first] == "typedef":
                self.state.variables += self.grammar.declarations.type_definition()
                self._note_unresolved_alias(first, name)
            else:
                for variable in self.grammar.declarations.declaration():
                    self._constant(variable)
        if attempt.error is not None and name:
            self.state.scopes.declare(name, known or OmittedType.of(attempt.error))

    def _next_name(self, first: int) -> str:
        return next((text for text in self.texts[first + 1 : first + 8] if text.isidentifier()), "")

    def _parse_or_leave_out(self, name: str, outline: Outline) -> None:
        """Parse a constant, a constexpr function or a type alias; leave it out if it cannot be parsed."""
        names_type = self.texts[self.tokens.at] == "using"
        with self.attempt(name) as attempt:
            if names_type:
                self.grammar.declarations.type_definition()
            elif outline.body is not None:
                result = self.grammar.functions.function()
                self.state.functions += [result] if result is not None else []
            else:
                for variable in self.grammar.declarations.declaration():
                    self._constant(variable)
        if attempt.error is not None and names_type and self.state.scopes.find(name) is None:
            self.state.scopes.declare(name, OmittedType.of(attempt.error))

    def _constant(self, variable: ast.Variable) -> None:
        """Add a constant whose value is known to the variables; leave out any other as a host variable."""
        value = variable.value
        values = value if isinstance(value, tuple) else (value,)
        # The host evaluates its constants at run time; only those with a value at compile time are visible to device
        # code.
        kind = variable.type.element if isinstance(variable.type, Array) else variable.type
        known = all(part is not None and self.grammar.types.constant(part) is not None for part in values)
        if isinstance(kind, Struct) and variable.value is not None:
            parts = [self.grammar.declarations.parts_of(kind, part) for part in values if part is not None]
            # A call that returns a struct is refused with its place when a kernel that uses the constant is compiled.
            made = isinstance(value, ast.Call) and value.function in self.state.constexpr
            known = made or all(len(each) == len(kind.fields) for each in parts)
        if known and variable.const and (isinstance(kind, Scalar | Struct) or kind == AUTO):
            self.state.variables.append(self.grammar.declarations.fold(variable))
        else:
            self.state.scopes.levels[1].pop(variable.name, None)
            reason = _NOT_KNOWN if variable.const else _HOST_VARIABLE
            self.state.omissions.append(ast.Omission(variable.name, reason, foreign=True))
