"""Names of types and what stands before declarators -> `kernels.frontend.types`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from kernels.errors import InputError, SourceError
from kernels.frontend import ast
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.parser.constexpr import Constexpr, TooLong
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.lookahead import DECLTYPE, ELABORATED, IGNORED, NUMERIC, SPACES, LookAhead
from kernels.frontend.parser.scope import SPELLINGS, Known, LeftOut, TypeTemplate, Unread, Values
from kernels.frontend.types import AUTO, VOID, CType, Named, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece

_PLAIN: Final = "use int, unsigned, float, double or another plain type"
_HOST: Final = "it is the host's: keep numbers and pointers"


@dataclass(frozen=True, slots=True)
class Specifiers:
    """What stands before the declarators: the type, the words beside it, and a least alignment."""

    first: int
    type: CType
    words: frozenset[str]
    align_bytes: int = 1

    @property
    def const(self) -> bool:
        """Whether the type is const."""
        return "const" in self.words or "constexpr" in self.words


class TypeReader(LookAhead, ABC):
    """Reads types."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.signature = False
        """Whether a template is read whose parameters have no values yet."""
        self.in_angles = False
        """Whether `>` closes template arguments here."""
        self.owners: list[str] = []
        """The structs in whose braces this is, the innermost last."""
        self.half = -1
        """Index of a `>>` whose first `>` has closed template arguments."""
        self.constexpr = Constexpr()
        self._values = Values(self.scopes, self.constexpr)

    @abstractmethod
    def assignment(self) -> Expr:
        """Read an expression without commas at its top."""

    @abstractmethod
    def expression(self) -> Expr:
        """Read an expression."""

    @abstractmethod
    def kind_of(self, expression: Expr) -> CType | None:
        """Type of an expression's value, None where it takes more than the text to know it."""

    @abstractmethod
    def elaborated(self) -> CType:
        """Read `struct S`, `enum E`, and their definitions."""

    @abstractmethod
    def instance(self, template: TypeTemplate, first: int) -> CType:
        """Read the arguments of a struct template and give the struct."""

    @abstractmethod
    def template_arguments(self) -> tuple[CType | Expr, ...]:
        """Read template arguments; constants arrive as numbers."""

    @abstractmethod
    def parameters(self) -> tuple[ast.Parameter, ...]:
        """Read the parameters of a function."""

    @abstractmethod
    def type_id(self) -> CType:
        """Read a type that stands alone."""

    def constant(self, expression: Expr) -> Value | None:
        """Value of an expression of constants, None where it is not known.

        Raises
        ------
        SourceError
            Where it takes too long to compute.
        """
        if isinstance(expression, ast.Number):
            return expression.value
        try:
            return evaluate(expression, self._values)
        except TooLong as error:
            span = expression.span.inside or expression.span
            file = self.source.file if expression.span.inside is None else expression.span.inside.file
            raise SourceError(file, span.line, span.column, str(error)) from error
        except InputError:
            return None

    def left_out(self, index: int, name: str, entry: Unread) -> NoReturn:
        """Refuse a type that was left out."""
        error = self.error(index, f"type '{name}' was left out: {entry.reason}")
        raise LeftOut(error.file, error.line, error.column, error.reason, entry.reason)

    # --- names of types

    # specifiers: (qualifier | storage | space | type | alignas '(' … ')' | attribute)+
    def specifiers(self) -> Specifiers:
        """Read the part of a declaration that stands before the declarators."""
        first = self.at
        words: set[str] = set()
        numeric: list[str] = []
        kind: CType | None = None
        align = 1
        while True:
            text = self.texts[self.at]
            if text in NUMERIC and kind is None:
                numeric.append(text)
                self.at += 1
            elif text in IGNORED or text in SPACES:
                words.add(text)
                self.at += 1
            elif text == "alignas":
                align = max(align, self.alignment())
            elif self.skip_attribute():
                continue
            elif text == "thread_local":
                self.unsupported(self.at, "'thread_local' in a declaration")
            elif kind is None and not numeric and self.starts_type(self.at):
                kind = self.named_type()
                if "typename" in words and self.texts[self.at] == "::":
                    self.refuse(self.at, f"{kind} has no type '{self.texts[self.at + 1]}'")
                defined = self.texts[self.at - 1] == "}"
                if defined and self.starts_type(self.at) and self.begins_line(self.at):
                    self.missing("';'")
            else:
                break
        if numeric:
            found = SPELLINGS.get(_canonical(numeric))
            if not isinstance(found, Scalar):
                self.unsupported(first, f"type '{' '.join(numeric)}'", "use double" * ("double" in numeric))
            kind = found
        if kind is None:
            self.no_type(words)
        return Specifiers(first, kind, frozenset(words), align)

    def no_type(self, words: set[str]) -> NoReturn:
        """Refuse what stands where a type should."""
        text = self.texts[self.at]
        if self.kinds[self.at] != "name" or text in KEYWORDS:
            self.missing("a type")
        if self.texts[self.at + 1] in ("(", "=", ";", "[", ",", ")") and words:
            self.refuse(self.at, f"syntax error: a type is missing before '{text}'")
        last = self.at
        while self.texts[last + 1] == "::":
            last += 2
        host = last > self.at and text in ("std", "thrust")
        self.unknown(self.at, f"type '{self.shown(self.at, last)}'", _HOST if host else _PLAIN)

    # alignment: 'alignas' '(' (constant | type) ')'
    def alignment(self) -> int:
        """Read `alignas(…)`, in bytes."""
        self.at += 1
        self.require("(")
        first = self.at
        value: Value | None
        if self.starts_type(first) and self.declares():
            kind = self.type_id()
            value = 1 if isinstance(kind, Named) or kind == VOID else kind.align_bytes  # type: ignore[union-attr]
        else:
            value = self.constant(self.assignment())
        if value is None and self.signature:
            value = 1
        if not isinstance(value, int) or value < 1 or value & (value - 1):
            self.refuse(first, "an alignment is a power of two that is known before the kernel runs")
        self.require(")")
        return value

    # named_type: 'void' | 'auto' | ('struct' | 'enum') … | (namespace '::')* name template_arguments? ('::' name)*
    def named_type(self) -> CType:
        """Read the name of a type that is no row of arithmetic words."""
        first = self.at
        text = self.texts[first]
        if text in NUMERIC:
            self.at += 1
            found = SPELLINGS[text]
            assert isinstance(found, CType)
            return found
        if text == "auto":
            self.at += 1
            return AUTO
        if text in ELABORATED:
            return self.elaborated()
        if text in DECLTYPE:
            return self._decltype()
        self.skip_namespaces()
        at = self.at
        entry = self.scopes.find(self.texts[at])
        if isinstance(entry, Unread):
            if self.owners and self.texts[at + 1] == "*":  # nobody needs to know what a member points to
                self.at += 1
                return Named(self.texts[at])
            self.left_out(first, self.texts[at], entry)
        if isinstance(entry, Struct | Named) and self.texts[at + 1] == "<":  # inside of the template itself
            entry = self.scopes.levels[1].get(self.texts[at], entry)
        self.at += 1
        kind = self.instance(entry, first) if isinstance(entry, TypeTemplate) else entry
        if not isinstance(kind, CType):
            self.unsupported(first, f"type '{self.shown(first, at)}'")
        kind = self._completed(kind)
        while self.texts[self.at] == "::":
            if isinstance(kind, Named):  # it depends on what a template is given
                self.take("::")
                self.take("template")
                self.at = self.past_angles(self.at + 1) if self.texts[self.at + 1] == "<" else self.at + 1
                kind = Named(self.shown(first, self.at - 1), "?")
                continue
            end = self.at + (3 if self.texts[self.at + 1] == "template" else 2)
            inner = self.scopes.find(f"{self.name_of(kind, at)}::{self.texts[end - 1]}")
            if isinstance(inner, TypeTemplate) and self.texts[end] == "<":
                self.at = end
                kind = self.instance(inner, first)
                continue
            if not isinstance(inner, CType):
                break
            self.at = end
            kind = self._completed(inner)
        return kind

    def _completed(self, kind: CType) -> CType:
        """Return the struct that was named before it was complete, as in `using Self = S;` inside of it."""
        known = self.scopes.levels[1].get(kind.name) if isinstance(kind, Named) else None
        return known if isinstance(known, Struct) else kind

    # decltype: ('decltype' | 'typeof' | '__typeof__') '(' (type | 'auto' | expression) ')'
    def _decltype(self) -> CType:
        """Read the type of an expression that is not evaluated."""
        first = self.at
        opened = self.at = first + 1
        self.require("(")
        if self.starts_type(self.at) and self.declares():
            kind: CType | None = self.type_id()
        else:
            outside, self.in_angles = self.in_angles, False
            expression = self.expression()
            self.in_angles = outside
            kind = self.kind_of(expression)
            if kind is None and self.signature:
                kind = Named(self.shown(first, self.closes[opened]), "?")
        if kind is None:
            self.unsupported(first, f"{self.shown(first, self.closes[opened])}", "write the type, or auto")
        if self.at != self.closes[opened]:
            self.near()
        self.at += 1
        return kind

    def past_type(self) -> int:
        """Return the token after the name of a type that stands here, `S<T>::name`; this one where none does."""
        first = self.at
        try:
            kind: CType | None = self.named_type()
        except SourceError:
            kind = None
        after, self.at = self.at, first
        return first if kind is None or isinstance(kind, Named) else after

    def name_of(self, kind: CType, index: int) -> str:
        """Return the name under which a type's members are known; an enum's is that at the token."""
        return kind.name if isinstance(kind, Struct) else self.texts[index]

    def know(self, name: str, kind: CType, value: Value | None = None) -> None:
        """Make a variable visible, with its value where that is known now."""
        self.scopes.know(name, Known(kind, value))


def _canonical(words: list[str]) -> str:
    """`int unsigned long` -> `unsigned long`: order and the word int do not matter beside another one."""
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
