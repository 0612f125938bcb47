"""Names of types and what stands before declarators -> `kernels.source.types`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from kernels.errors import InputError
from kernels.source import nodes
from kernels.source.constant import evaluate
from kernels.source.cursor import KEYWORDS, Cursor
from kernels.source.scope import (
    SPELLINGS,
    FunctionTemplate,
    Known,
    Scopes,
    StructTemplate,
    TileTemplate,
    Unread,
    Values,
)
from kernels.source.types import AUTO, VOID, Array, CType, Named, Pointer, Reference, Scalar, Struct

if TYPE_CHECKING:
    from kernels.source.constant import Value
    from kernels.source.macros import Piece
    from kernels.source.nodes import Expr
    from kernels.source.tokens import Text

_NUMERIC: Final = {"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"}
_SPACES: Final = {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__"}
_IGNORED: Final = {
    "__restrict__", "__restrict", "restrict", "inline", "__inline__", "__inline", "static", "register", "volatile",
    "__volatile__", "__forceinline__", "__noinline__", "constexpr", "const", "extern", "mutable", "explicit",
    "__grid_constant__", "typename", "__extension__",
}  # fmt: skip
"""Words that change nothing here beyond what `Specifiers` records."""

_WITH_LIST: Final = {
    "__launch_bounds__", "__attribute__", "__declspec", "__cluster_dims__", "__maxnreg__", "__block_size__",
}  # fmt: skip
"""Words before a declarator whose parentheses say nothing to the simulator."""

_ELABORATED: Final = {"struct", "class", "union", "enum"}
OPERATORS: Final = {"and", "or", "xor", "bitand", "bitor", "and_eq", "or_eq", "xor_eq", "not_eq"}
QUALIFIERS: Final = _SPACES | _IGNORED | _WITH_LIST | {"alignas"}
TYPE_WORDS: Final = _NUMERIC | QUALIFIERS | _ELABORATED | {"void", "auto", "decltype", "thread_local"}
NAMESPACES: Final = {"std", "cuda", "nv", "nvstd", "cooperative_groups"}
"""Namespaces of names that are known without them."""

_PLAIN: Final = "use int, unsigned, float, double or another plain type"


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


class TypeReader(Cursor, ABC):
    """Reads types."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.scopes = Scopes()
        self.namespaces = set(NAMESPACES)
        self.signature = False
        """Whether a template is read whose parameters have no values yet."""
        self.half = -1
        """Index of a `>>` whose first `>` has closed template arguments."""
        self._values = Values(self.scopes)

    @abstractmethod
    def assignment(self) -> Expr:
        """Read an expression without commas at its top."""

    @abstractmethod
    def elaborated(self) -> CType:
        """Read `struct S`, `enum E`, and their definitions."""

    @abstractmethod
    def instance(self, template: StructTemplate | TileTemplate, first: int) -> CType:
        """Read the arguments of a struct template and give the struct."""

    @abstractmethod
    def template_arguments(self) -> tuple[CType | Expr, ...]:
        """Read template arguments; constants arrive as numbers."""

    @abstractmethod
    def type_id(self) -> CType:
        """Read a type that stands alone."""

    def constant(self, expression: Expr) -> Value | None:
        """Value of an expression of constants, None where it is not known."""
        if isinstance(expression, nodes.Number):
            return expression.value
        try:
            return evaluate(expression, self._values)
        except InputError:
            return None

    # --- what is a type

    def starts_type(self, index: int) -> bool:
        """Whether a type's name, or a word that stands before one, begins at a token."""
        if self.kinds[index] != "name":
            return self.texts[index] == "::" and self.starts_type(index + 1)
        text = self.texts[index]
        if text in TYPE_WORDS:
            return True
        while self.texts[index + 1] == "::" and (text in self.namespaces):
            index += 2
            text = self.texts[index]
        found = self.scopes.find(text)
        return isinstance(found, CType | Unread) or (
            isinstance(found, StructTemplate | TileTemplate) and self.texts[index + 1] == "<"
        )

    def declares(self) -> bool:
        """Whether a declaration begins here, not an expression such as `float(x)` or `S::f()`."""
        at = self.at
        if not self.starts_type(at):
            return self._unknown_type(at)
        text = self.texts[at]
        if text in QUALIFIERS or text in _ELABORATED:
            return True
        if text in TYPE_WORDS:
            following = self.texts[at + 1]
            return following != "{" and (following != "(" or self.texts[at + 2] in ("*", "&"))
        end, is_type = self._past_name(at)
        following, then = self.texts[end], self.texts[end + 1]
        if not is_type:
            return self.kinds[end] == "name" and following not in OPERATORS
        return following not in ("{", "(") or (following == "(" and then in ("*", "&"))

    def _past_name(self, at: int) -> tuple[int, bool]:
        """Return the token after a type's name, and whether it is a type: `S::T` is one, `S::f` is none."""
        texts = self.texts
        at += texts[at] == "::"
        while texts[at + 1] == "::" and texts[at] in self.namespaces:
            at += 2
        owner, is_type = texts[at], True
        at += 1
        if texts[at] == "<":
            owner, at = "", self.past_angles(at)
        while texts[at] == "::" and is_type:
            owner = f"{owner}::{texts[at + 1]}"
            is_type = isinstance(self.scopes.find(owner), CType)
            at += 2
        return at, is_type

    def _unknown_type(self, at: int) -> bool:
        """Whether a name that nobody knows stands like a type: `Foo x`, `Foo *p =`."""
        texts, kinds = self.texts, self.kinds
        while texts[at + 1] == "::":
            at += 2
        if kinds[at] != "name" or texts[at] in KEYWORDS or self.scopes.find(texts[at]) is not None:
            return False
        following = at + 1
        if texts[following] == "<":
            following = self.past_angles(following)
        if kinds[following] == "name":
            return texts[following] not in OPERATORS
        if texts[following] in ("*", "&") and kinds[following + 1] == "name":
            return texts[following + 2] in ("=", ";", ",")
        return False

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
            if text in _NUMERIC and kind is None:
                numeric.append(text)
                self.at += 1
            elif text in _IGNORED or text in _SPACES:
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
        self.unsupported(self.at, f"type '{self.shown(self.at, last)}'", _PLAIN)

    def skip_attribute(self) -> bool:
        """Go past `[[…]]`, `__attribute__((…))` and the like."""
        text = self.texts[self.at]
        if text in _WITH_LIST and self.texts[self.at + 1] == "(":
            self.at = self.closes[self.at + 1] + 1
            return True
        if text == "[" and self.texts[self.at + 1] == "[":
            self.at = self.closes[self.at] + 1
            return True
        return False

    # alignment: 'alignas' '(' (constant | type) ')'
    def alignment(self) -> int:
        """Read `alignas(…)`, in bytes."""
        self.at += 1
        self.require("(")
        first = self.at
        value: Value | None
        if self.starts_type(first):
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
        if text in _NUMERIC:
            self.at += 1
            found = SPELLINGS[text]
            assert isinstance(found, CType)
            return found
        if text == "auto":
            self.at += 1
            return AUTO
        if text in _ELABORATED:
            return self.elaborated()
        if text == "decltype":
            self.unsupported(first, "decltype", "write the type, or auto")
        self.skip_namespaces()
        at = self.at
        entry = self.scopes.find(self.texts[at])
        if isinstance(entry, Unread):
            self.refuse(first, f"type '{self.texts[at]}' was left out: {entry.reason}")
        if isinstance(entry, Struct | Named) and self.texts[at + 1] == "<":  # inside of the template itself
            entry = self.scopes.levels[1].get(self.texts[at], entry)
        self.at += 1
        kind = self.instance(entry, first) if isinstance(entry, StructTemplate | TileTemplate) else entry
        assert isinstance(kind, CType)
        while self.texts[self.at] == "::":
            if isinstance(kind, Named):  # it depends on what a template is given
                self.at += 2
                kind = Named(self.shown(first, self.at - 1))
                continue
            inner = self.scopes.find(f"{self.name_of(kind, at)}::{self.texts[self.at + 1]}")
            if not isinstance(inner, CType):
                break
            self.at += 2
            kind = inner
        return kind

    def name_of(self, kind: CType, index: int) -> str:
        """Return the name under which a type's members are known; an enum's is that at the token."""
        return kind.name if isinstance(kind, Struct) else self.texts[index]

    def skip_namespaces(self) -> None:
        """Go past `::` and the names of namespaces."""
        self.take("::")
        while self.texts[self.at + 1] == "::" and self.texts[self.at] in self.namespaces:
            if isinstance(self.scopes.find(self.texts[self.at]), CType):
                break
            self.at += 2

    def is_template(self, name: str) -> bool:
        """Whether `<` after a name opens template arguments."""
        return isinstance(self.scopes.find(name), FunctionTemplate)

    def know(self, name: str, kind: CType, value: Value | None = None) -> None:
        """Make a variable visible, with its value where that is known now."""
        self.scopes.know(name, Known(kind, value))


def depends(kind: CType) -> bool:
    """Whether a type waits for a template's arguments."""
    match kind:
        case Named():
            return kind is not AUTO
        case Pointer() | Reference():
            return depends(kind.to)
        case Array():
            return depends(kind.of)
    return False


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
