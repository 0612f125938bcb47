"""Type specifiers: the part of a declaration before its declarators, parsed to types of `kernels.frontend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from kernels.errors import InputError, MissingMember, SourceError
from kernels.frontend import ast
from kernels.frontend.ast.declarations import UNDECLARED
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.parser.constexpr import TooLong
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.declaration_parts import Specifiers
from kernels.frontend.parser.lookahead import ATTRIBUTE_STARTS, DECLTYPE, ELABORATED, IGNORED, NUMERIC, SPACES
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import SPELLINGS, OmittedType, OmittedTypeError, TypeTemplate
from kernels.frontend.types import AUTO, VOID, CType, Named, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.constant_expressions import Value

_HOST_TYPE_HINT: Final = "it is the host's: keep numbers and pointers"


class TypeSpecifiers(Part):
    """Parses types."""

    def constant(self, expression: Expr) -> Value | None:
        """Return the value of a constant expression; None if it is not known.

        Raises
        ------
        SourceError
            If it takes too long to compute.
        """
        if isinstance(expression, ast.Number):
            return expression.value
        try:
            return evaluate(expression, self.state.values)
        except TooLong as error:
            span = expression.span.inside or expression.span
            file = self.tokens.source.file if expression.span.inside is None else expression.span.inside.file
            raise SourceError(file, span.line, span.column, str(error)) from error
        except InputError:
            return None

    def refuse_omitted(self, index: int, name: str, entry: OmittedType) -> NoReturn:
        """Refuse a type whose definition was omitted because it is not supported."""
        error = self.tokens.error(index, f"type '{name}' was left out: {entry.reason}")
        raise OmittedTypeError(error.file, error.line, error.column, error.reason, entry.reason, entry.cause)

    # --- names of types

    # specifiers: (qualifier | storage | space | type | alignas '(' … ')' | attribute)+
    def specifiers(self) -> Specifiers:
        """Parse the part of a declaration that is before the declarators."""
        first = self.tokens.at
        words: set[str] = set()
        numeric: list[str] = []
        kind: CType | None = None
        align = 1
        while True:
            text = self.texts[self.tokens.at]
            if text in NUMERIC and kind is None:
                numeric.append(text)
                self.tokens.at += 1
            elif text in IGNORED or text in SPACES:
                words.add(text)
                self.tokens.at += 1
            elif text == "alignas":
                align = max(align, self.alignment())
            elif text in ATTRIBUTE_STARTS and self.grammar.lookahead.skip_attribute():
                continue
            elif text == "thread_local":
                self.tokens.unsupported(self.tokens.at, "'thread_local' in a declaration")
            elif kind is None and not numeric and self.grammar.lookahead.starts_type(self.tokens.at):
                kind = self.named_type()
                # `typename T::type`, where T has no such member: the template arguments do not fit (Unfit).
                if "typename" in words and self.texts[self.tokens.at] == "::":
                    member = self.texts[self.tokens.at + 1]
                    reason = f"{kind} has no type '{member}'"
                    self.tokens.refuse(self.tokens.at, reason, MissingMember(str(kind), member))
                defined = self.texts[self.tokens.at - 1] == "}"
                if (
                    defined
                    and self.grammar.lookahead.starts_type(self.tokens.at)
                    and self.tokens.begins_line(self.tokens.at)
                ):
                    self.tokens.refuse_missing("';'")
            else:
                break
        if numeric:
            found = SPELLINGS.get(_canonical(numeric))
            if not isinstance(found, Scalar):
                self.tokens.unsupported(first, f"type '{' '.join(numeric)}'", "use double" * ("double" in numeric))
            kind = found
        if kind is None:
            self.no_type(words)
        return Specifiers(first, kind, frozenset(words), "const" in words or "constexpr" in words, align)

    def no_type(self, words: set[str]) -> NoReturn:
        """Refuse a token that is no type where one is needed."""
        text = self.texts[self.tokens.at]
        if self.kinds[self.tokens.at] != "name" or text in KEYWORDS:
            self.tokens.refuse_missing("a type")
        if self.texts[self.tokens.at + 1] in ("(", "=", ";", "[", ",", ")") and words:
            self.tokens.refuse(self.tokens.at, f"syntax error: a type is missing before '{text}'")
        last = self.tokens.at
        while self.texts[last + 1] == "::":
            last += 2
        host = last > self.tokens.at and text in ("std", "thrust")
        self.tokens.unknown(
            self.tokens.at,
            f"type '{self.tokens.excerpt(self.tokens.at, last)}'",
            _HOST_TYPE_HINT if host else UNDECLARED,
        )

    # alignment: 'alignas' '(' (constant | type) ')'
    def alignment(self) -> int:
        """Parse `alignas(…)`, in bytes."""
        self.tokens.at += 1
        self.tokens.require("(")
        first = self.tokens.at
        value: Value | None
        if self.grammar.lookahead.starts_type(first) and self.grammar.lookahead.declares():
            kind = self.grammar.declarators.type_id()
            value = 1 if isinstance(kind, Named) or kind == VOID else kind.align_bytes  # type: ignore[union-attr]
        else:
            value = self.constant(self.grammar.expressions.assignment())
        if value is None and self.state.signature:
            value = 1
        if not isinstance(value, int) or value < 1 or value & (value - 1):
            self.tokens.refuse(first, "an alignment is a power of two that is known before the kernel runs")
        self.tokens.require(")")
        return value

    # named_type: 'void' | 'auto' | ('struct' | 'enum') … | (namespace '::')* name template_arguments? ('::' name)*
    def named_type(self) -> CType:
        """Parse the name of a type other than combinations such as `unsigned long`."""
        first = self.tokens.at
        text = self.texts[first]
        if text in NUMERIC:
            self.tokens.at += 1
            found = SPELLINGS[text]
            assert isinstance(found, CType)
            return found
        if text == "auto":
            self.tokens.at += 1
            return AUTO
        if text in ELABORATED:
            return self.grammar.structs.elaborated()
        if text in DECLTYPE:
            return self._decltype()
        self.grammar.lookahead.skip_namespaces()
        at = self.tokens.at
        entry = self.state.scopes.find(self.texts[at])
        if isinstance(entry, OmittedType):
            if self.state.owners and self.texts[at + 1] == "*":  # a member may point to any type
                self.tokens.at += 1
                return Named(self.texts[at])
            self.refuse_omitted(first, self.texts[at], entry)
        if isinstance(entry, Struct | Named) and self.texts[at + 1] == "<":  # inside of the template itself
            # Inside of `Tile<T>` the plain `Tile` is the instance itself, but `Tile<int>` is another instance.
            entry = self.state.scopes.levels[1].get(self.texts[at], entry)
        self.tokens.at += 1
        kind = self.grammar.struct_templates.instance(entry, first) if isinstance(entry, TypeTemplate) else entry
        if not isinstance(kind, CType):
            self.tokens.unsupported(first, f"type '{self.tokens.excerpt(first, at)}'")
        kind = self._complete(kind)
        while self.texts[self.tokens.at] == "::":
            # An open type has no members yet. What follows `::` is taken as the name of a type.
            if isinstance(kind, Named):  # it depends on template arguments
                self.tokens.take("::")
                self.tokens.take("template")
                self.tokens.at = (
                    self.tokens.past_angles(self.tokens.at + 1)
                    if self.texts[self.tokens.at + 1] == "<"
                    else self.tokens.at + 1
                )
                kind = Named(self.tokens.excerpt(first, self.tokens.at - 1), "?")
                continue
            end = self.tokens.at + (3 if self.texts[self.tokens.at + 1] == "template" else 2)
            inner = self.state.scopes.find(f"{self.name_of(kind, at)}::{self.texts[end - 1]}")
            if isinstance(inner, TypeTemplate) and self.texts[end] == "<":
                self.tokens.at = end
                kind = self.grammar.struct_templates.instance(inner, first)
                continue
            if not isinstance(inner, CType):
                break
            self.tokens.at = end
            kind = self._complete(inner)
        return kind

    def _complete(self, kind: CType) -> CType:
        """Return the complete struct of an incomplete one, as `using Self = S;` inside of S names it."""
        known = self.state.scopes.levels[1].get(kind.name) if isinstance(kind, Named) else None
        return known if isinstance(known, Struct) else kind

    # decltype: ('decltype' | 'typeof' | '__typeof__') '(' (type | 'auto' | expression) ')'
    def _decltype(self) -> CType:
        """Parse the type of an expression that is not evaluated."""
        first = self.tokens.at
        opening = self.tokens.at = first + 1
        self.tokens.require("(")
        if self.grammar.lookahead.starts_type(self.tokens.at) and self.grammar.lookahead.declares():
            kind: CType | None = self.grammar.declarators.type_id()
        else:
            outside, self.state.in_angles = self.state.in_angles, False
            expression = self.grammar.expressions.expression()
            self.state.in_angles = outside
            kind = self.grammar.function_templates.expression_type(expression)
            if kind is None and self.state.signature:
                kind = Named(self.tokens.excerpt(first, self.closes[opening]), "?")
        if kind is None:
            self.tokens.unsupported(
                first, f"{self.tokens.excerpt(first, self.closes[opening])}", "write the type, or auto"
            )
        if self.tokens.at != self.closes[opening]:
            self.tokens.refuse_token()
        self.tokens.at += 1
        return kind

    def past_type(self) -> int:
        """Return the token after the type's name that begins here, `S<T>::name`; this token if none begins."""
        first = self.tokens.at
        try:
            kind: CType | None = self.named_type()
        except SourceError:
            kind = None
        after, self.tokens.at = self.tokens.at, first
        return first if kind is None or isinstance(kind, Named) else after

    def name_of(self, kind: CType, index: int) -> str:
        """Return the prefix of a type's members: a struct's name; of an enum, the name at the token."""
        return kind.name if isinstance(kind, Struct) else self.texts[index]


def _canonical(words: list[str]) -> str:
    """Return the canonical order of arithmetic words: `int unsigned long` gives `unsigned long`."""
    words = [word for word in words if word != "int"]
    if words.count("long") == 2:
        words = [word for word in words if word != "long"] + ["long long"]
    signed = sorted((word for word in words if word in ("signed", "unsigned")), reverse=True)
    rest = [word for word in words if word not in ("signed", "unsigned")]
    if signed == ["signed"] and rest != ["char"]:
        signed = []
    return " ".join((*signed, *rest)) or "int"


def named_type(text: str) -> CType | None:
    """Return a built-in type by any of its spellings, None for anything else."""
    found = SPELLINGS.get(text) or SPELLINGS.get(_canonical(text.split()))
    return found if isinstance(found, CType) else None
