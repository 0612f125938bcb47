"""Tokens -> the smallest expressions: literals, strings, parentheses, sizeof, the C++ casts."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.lexer import literals
from kernels.frontend.lexer.tokens import MAX_NESTING, what_is_wrong
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.declarators import DeclaratorReader
from kernels.frontend.types import (
    AUTO,
    BOOL,
    CHAR,
    INT,
    ULONG,
    CType,
    Named,
    Pointer,
    Reference,
    Struct,
    Void,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece

_CASTS: Final = {"static_cast", "reinterpret_cast", "const_cast"}
_NULL: Final = {"nullptr", "NULL"}


class PrimaryReader(DeclaratorReader):
    """Reads what operators apply to. `height` is how deep the tree is that was read last."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.height = 0
        self.declaring: tuple[str, CType | None] = ("", None)
        """The variable whose value is being read, and its type."""
        self.member_templates: set[str] = set()
        """Names of the function templates inside of structs."""
        self._words: Final[dict[str, Callable[[], Expr]]] = {
            "sizeof": self._sizeof,
            "alignof": self._alignof,
            "true": self._truth,
            "false": self._truth,
            "this": self._this,
            **dict.fromkeys(_NULL, self._null),
            **dict.fromkeys(_CASTS, self._cast_call),
        }

    @abstractmethod
    def operand(self) -> Expr:
        """Read what a prefix operator applies to."""

    @abstractmethod
    def named(self) -> Expr:
        """Read what begins with a name: a variable, a call, a value made of a type."""

    @abstractmethod
    def braces(self, kind: CType) -> Expr:
        """Read `{ … }` as a value of a type."""

    @abstractmethod
    def close_angle(self) -> None:
        """Go past `>`, which may be the half of a `>>`."""

    @abstractmethod
    def closure(self) -> Expr:
        """Read a lambda."""

    @abstractmethod
    def refuse_word(self, text: str) -> Expr:
        """Refuse a keyword that begins no expression."""

    def grow(self, height: int) -> None:
        """Note that a node was put on top of two trees: one that high, and the one read last."""
        self.height = max(height, self.height) + 1
        if self.height + self.depth > MAX_NESTING:
            self.refuse(self.at - 1, f"nested deeper than {MAX_NESTING} levels")

    def cast_type(self) -> CType | None:
        """Read `(type)`; None, and nothing read, where a value such as `float(x)` stands in the parentheses."""
        opened = self.at
        self.at += 1
        if self.declares():
            kind = self.type_id()
            if self.at == self.closes[opened]:
                self.at += 1
                return kind
            self.near()
        self.at = opened
        return None

    def inside(self, read: Callable[[], Expr]) -> Expr:
        """Read inside brackets, where `>` compares."""
        outside, self.in_angles = self.in_angles, False
        self.deeper()
        made = read()
        self.depth -= 1
        self.in_angles = outside
        return made

    def close(self, opened: int) -> None:
        """Go past the bracket that closes another one."""
        if self.at != self.closes[opened]:
            self.missing(f"'{self.texts[self.closes[opened]]}'")
        self.at += 1

    # arguments: '(' (assignment (',' assignment)*)? ')'
    def arguments(self) -> tuple[Expr, ...]:
        """Read the arguments of a call, or the values of a struct."""
        opened = self.at
        self.at += 1
        made: list[Expr] = []
        height = 0
        while self.at != self.closes[opened]:
            if made:
                self.require(",")
            made += self.expanded(lambda: self.inside(self._argument))
            height = max(height, self.height)
        self.at += 1
        self.height = 0
        self.grow(height)
        return tuple(made)

    def _argument(self) -> Expr:
        return self.braces(AUTO) if self.texts[self.at] == "{" else self.assignment()

    # primary: number | character | string+ | name … | '(' expression ')' | word …
    def primary(self) -> Expr:
        """Read what operators apply to."""
        at = self.at
        kind, text = self.kinds[at], self.texts[at]
        self.height = 1
        if kind == "name":
            word = self._words.get(text)
            if word is not None:
                return word()
            return self.named() if text not in KEYWORDS or self.starts_type(at) else self.refuse_word(text)
        if kind == "number":
            return self._number(text)
        if text == "(" and self.is_fold(at):
            return self.inside(lambda: self.fold(self.operand))
        if text == "(":
            self.at += 1
            made = self.inside(self.expression)
            self.close(at)
            return made
        if kind == "string":
            return self._string()
        if kind == "char":
            return self._character(text)
        if text == "::":
            return self.named()
        if kind == "wrong":
            self.refuse(at, what_is_wrong(text))
        if text == "[":
            return self.closure()
        if text == "{":
            self.unsupported(at, "{ … } here", "it may stand after = in a declaration")
        if text in (")", "]", "}", ";", "") or kind == "end":
            self.missing("a value")
        self.near()

    def _number(self, text: str) -> Expr:
        try:
            value, kind = literals.number(text)
        except ValueError as error:
            if "_" in text:
                self.unsupported(self.at, f"literal '{text}'")
            self.refuse(self.at, f"syntax error: {error}")
        self.at += 1
        return ast.Number(self.between(self.at - 1, self.at - 1), value, kind)

    def _character(self, text: str) -> Expr:
        value = self._resolved(text)
        if len(value) != 1 or ord(value) > 255:
            self.unsupported(self.at, f"character {text}", "one character of one byte")
        code = ord(value)
        self.at += 1
        return ast.Number(self.span(self.at - 1), code - 256 if code > 127 else code, CHAR)

    def _string(self) -> Expr:
        first = self.at
        return ast.String(self.span_of_string(), self.string(first))

    def span_of_string(self) -> ast.Span:
        """Go past neighbouring string literals and give their span."""
        first = self.at
        while self.kinds[self.at] == "string":
            self.at += 1
        return self.span(first)

    def string(self, first: int) -> str:
        """Resolve the string literals from a token up to this one, joined."""
        end, self.at = self.at, first
        parts = []
        while self.at < end:
            parts.append(self._resolved(self.texts[self.at]))
            self.at += 1
        return "".join(parts)

    def _resolved(self, text: str) -> str:
        if text.startswith('R"'):
            opened = text.index("(")
            return text[opened + 1 : -opened]
        if text[0] not in "\"'":
            self.unsupported(self.at, f"prefix of {text}", "a plain one")
        try:
            return literals.characters(text[1:-1])
        except ValueError as error:
            self.refuse(self.at, str(error))

    def _truth(self) -> Expr:
        self.at += 1
        return ast.Number(self.span(self.at - 1), int(self.texts[self.at - 1] == "true"), BOOL)

    def _null(self) -> Expr:
        self.at += 1
        return ast.Number(self.span(self.at - 1), 0, INT)

    def _this(self) -> Expr:
        self.at += 1
        span = self.span(self.at - 1)
        return ast.Unary(span, "&", ast.Name(span, "this"))

    # sizeof: 'sizeof' ('(' type ')' | unary)
    def _sizeof(self) -> Expr:
        first = self.at
        self.at += 1
        if self.texts[self.at] == "...":
            return self.sizeof_pack(first)
        if self.texts[self.at] == "(" and self.starts_type(self.at + 1):
            kind = self.cast_type()
            if kind is not None:
                return ast.SizeOf(self.span(first), kind)
        operand = self.operand()
        name, kind = self.declaring
        if kind is not None and self.scopes.find(name) is None and _names(operand, name):
            self.scopes.open()
            self.know(name, kind)
            own = self.kind_of(operand)  # sizeof *p, in the value of p
            self.scopes.close()
            if own is not None:
                return ast.SizeOf(self.span(first), own)
        return ast.SizeOf(self.span(first), operand)

    def _alignof(self) -> Expr:
        first = self.at
        self.at += 1
        self.require("(")
        kind = self.type_id()
        self.require(")")
        if isinstance(kind, Void | Named):
            self.refuse(first, f"alignof({kind}) has no value")
        return ast.Number(self.span(first), kind.align_bytes, ULONG)

    # cast_call: cast '<' type '>' '(' expression ')'
    def _cast_call(self) -> Expr:
        first = self.at
        word = self.texts[first]
        self.at += 1
        self.require("<")
        kind = self.type_id()
        if self.texts[self.at] not in (">", ">>"):
            self.refuse(first, f"syntax error: {word} needs one type")
        self.close_angle()
        if self.texts[self.at] != "(":
            self.missing("'('")
        arguments = self.arguments()
        if len(arguments) != 1:
            self.refuse(first, f"a conversion to {kind} takes one value, {len(arguments)} are given")
        span = self.span(first)
        if isinstance(kind, Reference):
            return self.seen_as(span, kind, arguments[0])
        if isinstance(kind, Struct):
            return ast.Construct(span, kind, arguments)
        return ast.Cast(span, kind, arguments[0])

    def seen_as(self, span: ast.Span, kind: Reference, value: Expr) -> Expr:
        """Make the place that a cast to `T &` names: `*(T *)&x`."""
        address = ast.Unary(span, "&", value)
        return ast.Unary(span, "*", ast.Cast(span, Pointer(kind.to, kind.const), address))


def _names(node: Expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in below(node))
