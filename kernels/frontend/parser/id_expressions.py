"""What begins with a name in an expression: variables, calls, template arguments, values made of a type."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.headers.limits import LIMITS, TRAITS
from kernels.frontend.parser.lookahead import QUALIFIERS
from kernels.frontend.parser.scope import (
    FunctionTemplate,
    Known,
    OfThis,
    StructTemplate,
    Unread,
    VariableTemplate,
)
from kernels.frontend.templates.argument_lists import AngleReader, number_of
from kernels.frontend.templates.template_arguments import depends
from kernels.frontend.types import BOOL, INT, VOID, CType, FunctionName, Named, Reference, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import Argument

_REFUSED: Final = {
    "throw": ("throw", ""),
    "typeid": ("typeid", ""),
    "dynamic_cast": ("dynamic_cast", ""),
}


class NameReader(AngleReader):
    """Reads names and what they begin."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.inside_of = ""
        """Name of the function that is being read."""

    def refuse_word(self, text: str) -> Expr:
        """Refuse a keyword that begins no expression; `operator+(a, b)` is a call."""
        if text == "operator":
            first = self.at
            self.at += 1
            name = self.operator_name()
            if self.texts[self.at] != "(":
                self.missing("'('")
            return ast.Call(self._called(first), name, self.arguments())
        if text in _REFUSED:
            self.unsupported(self.at, *_REFUSED[text])
        self.near()

    # named: type ('(' … ')' | '{' … '}' | '::' name) | name template_arguments? ('(' … ')')?
    def named(self) -> Expr:
        """Read what begins with a name: a variable, a call, a value made of a type."""
        first = self.at
        if self.starts_type(first):
            constant = self._of_unread(first)
            return self._of_type(first) if constant is None else constant
        self.skip_namespaces()
        if self.texts[self.at + 1] == "::":
            self.unknown(self.at, f"namespace {self.texts[self.at]}", "write a function of your own")
        name = self.name()
        entry, following = self.scopes.find(name), self.texts[self.at]
        if isinstance(entry, FunctionName):
            return self._of_function(first, entry)
        if isinstance(entry, Known):
            if entry.literal and entry.value is not None:
                return number_of(self.span(first), entry.value, entry.type)
            made = ast.Name(self.span(first), entry.alias or name)
            return made if following != "(" else self._functor(first, made)
        if isinstance(entry, OfThis):
            return self._of_this(first, name, entry)
        if following == "(" and name == "move" and self.at - first > 1 and entry is None:
            return self._same()
        if following == "(":
            return ast.Call(self._called(first), name, self.arguments())
        if following == "<" and (isinstance(entry, FunctionTemplate) or self._is_template_call()):
            return self._template_call(first, name, entry)
        if following == "<" and self.starts_type(self.at + 1):
            self.unknown(first, f"'{name}<…>'", "declare the template in this file")
        if isinstance(entry, StructTemplate):
            self.unsupported(first, f"{name} without template arguments", f"write {name}<…>")
        return self._told(first, name)

    def _of_unread(self, first: int) -> Expr | None:
        """Read a constant of a struct that was left out; None for anything else."""
        name = self.texts[first]
        if not isinstance(self.scopes.find(name), Unread) or self.texts[first + 1] != "::":
            return None
        entry = self.scopes.find(f"{name}::{self.texts[first + 2]}")
        if not isinstance(entry, Known) or entry.value is None:
            return None
        self.at += 3
        return number_of(self.span(first), entry.value, entry.type)

    def _same(self) -> Expr:
        """Read the argument of `std::move` and `std::forward`, which are what they are given."""
        opened = self.at
        values = self.arguments()
        if len(values) != 1:
            self.refuse(opened, f"1 value is needed here, {len(values)} are given")
        return values[0]

    @abstractmethod
    def constant_instance(
        self, first: int, name: str, template: VariableTemplate, arguments: tuple[CType | Expr, ...]
    ) -> Expr:
        """Give the value of a constant with parameters."""

    def _called(self, first: int) -> ast.Span:
        """Span of a call whose arguments begin here."""
        return self.between(first, self.closes[self.at])

    def _told(self, first: int, name: str, arguments: tuple[CType | Expr, ...] = ()) -> Expr:
        span = self.span(first)
        if self.texts[self.at] == "<<" and self.texts[self.at + 1] == "<":
            self.unsupported(first, "launch with <<< >>> in device code", "trace that kernel by itself")
        if name == "__LINE__":
            return ast.Number(span, span.line, INT)
        if name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__FILE__"):
            return ast.String(span, self.source.file if name == "__FILE__" else self.inside_of)
        return ast.Name(span, name, arguments)

    def _of_function(self, first: int, named: FunctionName) -> Expr:
        """Read what begins with a template's parameter that stands for a function."""
        if self.texts[self.at] != "(":
            return ast.Name(self.span(first), named.name, named.template)
        return ast.Call(self._called(first), named.name, self.arguments(), named.template)

    def _functor(self, first: int, callee: Expr) -> Expr:
        span = self._called(first)
        return ast.Call(span, ".operator()", (callee, *self.arguments()))

    def _of_this(self, first: int, name: str, entry: OfThis) -> Expr:
        this = ast.Name(self.span(first), "this")
        if entry.function:
            template = self.given_to_member(name)
            if self.texts[self.at] != "(":
                self.missing("'('")
            span = self._called(first)
            if entry.static:
                return ast.Call(span, f"{entry.static}::{name}", self.arguments(), template)
            return ast.Call(span, f".{name}", (this, *self.arguments()), template)
        field = ast.Member(self.span(first), this, name)
        return field if self.texts[self.at] != "(" else self._functor(first, field)

    # --- types in expressions

    def _of_type(self, first: int) -> Expr:
        if not self.take("typename") and self.texts[first] in QUALIFIERS:
            self.near()
        kind = self.named_type()
        text = self.texts[self.at]
        if text == "(":
            span = self._called(first)
            return self.converted(span, kind, self.arguments(), first)
        if text == "{" and isinstance(kind, Reference):
            self.at += 1
            value = self.assignment()
            self.require("}")
            return self.seen_as(self.span(first), kind, value)
        if text == "{":
            return self.braces(kind)
        if text == "::":
            return self._static(first, kind)
        if self.signature and isinstance(kind, Named) and self.texts[self.at - 2] == "::":
            return ast.Name(self.span(first), self.shown(first, self.at - 1))  # S<T>::value, for an open T
        self.at = first
        self.near()

    def converted(self, span: ast.Span, kind: CType, values: tuple[Expr, ...], first: int) -> Expr:
        """Make `type(values)`."""
        if isinstance(kind, Struct):
            return self.construct(span, kind, values)
        if isinstance(kind, Reference) and len(values) == 1:
            return self.seen_as(span, kind, values[0])
        if kind == VOID or len(values) > 1:
            self.refuse(first, f"a conversion to {kind} takes one value, {len(values)} are given")
        return ast.Cast(span, kind, values[0] if values else ast.Number(span, 0, INT))

    def construct(self, span: ast.Span, kind: Struct, values: tuple[Expr, ...]) -> Expr:
        """Make a struct of values."""
        return ast.Construct(span, kind, values)

    def _static(self, first: int, kind: CType) -> Expr:
        """Read `S::member` or `E::A`, the type being read."""
        owner = self.name_of(kind, self.at - 1)
        self.at += 1
        self.take("template")
        name = self.name()
        if self.signature and depends(kind):
            return ast.Name(self.span(first), self.shown(first, self.at - 1))
        full = f"{owner}::{name}"
        entry = self.scopes.find(full)
        if isinstance(entry, Known):
            if entry.literal and entry.value is not None:
                return number_of(self.span(first), entry.value, entry.type)
            return ast.Name(self.span(first), entry.alias or full)
        template = self.given_to_member(name)
        if self.texts[self.at] == "(":
            span, this = self._called(first), ast.Name(self.span(first), "this")
            inherited = self.is_member(kind, name)  # Base::f() inside of a function of the struct
            return ast.Call(span, full, (this,) * inherited + self.arguments(), template)
        plain = self.scopes.find(name)
        if isinstance(kind, Scalar) and isinstance(plain, Known):  # an enumerator of a plain enum
            return ast.Name(self.span(first), name)
        self.refuse(first, f"{owner} has no member '{name}' that is known before the kernel runs")

    @abstractmethod
    def is_member(self, kind: CType, name: str) -> bool:
        """Whether a struct has a function of this name that works on an object."""

    # --- templates

    def _is_template_call(self) -> bool:
        """Whether `<` after a name that the program does not declare opens template arguments."""
        return self.texts[self.at - 1] in (*TRAITS, "numeric_limits", "min", "max", "forward") and (
            self.starts_type(self.at + 1)
        )

    def _template_call(self, first: int, name: str, entry: object) -> Expr:
        arguments = self.template_arguments()
        if isinstance(entry, VariableTemplate):
            return self.constant_instance(first, name, entry, arguments)
        if name == "forward" and self.texts[self.at] == "(" and entry is None:
            return self._same()
        if name == "numeric_limits" and entry is None:
            return self._limit(first, arguments)
        if name in TRAITS and entry is None:
            return self._trait(first, name, arguments)
        if self.texts[self.at] == "{" and self.closes[self.at] == self.at + 1:  # cg::plus<float>{}
            self.at += 2
            return ast.Call(self.span(first), name, (), arguments)
        if self.texts[self.at] != "(":
            if isinstance(entry, FunctionTemplate):
                return self._told(first, name, arguments)
            self.missing("'('")
        span = self._called(first)
        values = self.arguments()
        if entry is None:  # min<float>(a, b)
            kind = arguments[0]
            assert isinstance(kind, CType)
            return ast.Call(span, name, tuple(ast.Cast(value.span, kind, value) for value in values))
        return ast.Call(span, name, values, arguments)

    def _trait(self, first: int, name: str, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Read what `std::is_same<T, U>::value` and its like tell."""
        if not name.endswith("_v"):
            if self.texts[self.at] in ("(", "{") and self.closes[self.at] == self.at + 1:
                return self._truth_object(first, name, arguments)
            if not self.take("::"):
                self.missing("'::value'")
            self.require("value")
        if self.signature and any(isinstance(kind, CType) and depends(kind) for kind in arguments):
            return ast.Name(self.span(first), self.shown(first, self.at - 1))
        count, holds = TRAITS[name]
        kinds = [kind for kind in arguments if isinstance(kind, CType)]
        if len(kinds) != count or len(arguments) != count:
            self.refuse(first, f"{name} takes {count} types")
        return number_of(self.span(first), holds(*kinds), BOOL)

    def _truth_object(self, first: int, name: str, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Read `std::is_same<T, U>()`: an object whose type says whether it holds."""
        self.at += 2
        count, holds = TRAITS[name]
        kinds = [kind for kind in arguments if isinstance(kind, CType)]
        template = self.scopes.find("integral_constant")
        value = len(kinds) == count and holds(*kinds)
        if isinstance(template, StructTemplate):
            return ast.Construct(self.span(first), self.instance_of(template, [BOOL, value]), ())
        return number_of(self.span(first), value, BOOL)

    @abstractmethod
    def instance_of(self, template: StructTemplate, values: list[Argument]) -> CType:
        """Give the instance of a template of structs."""

    def _limit(self, first: int, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Read `std::numeric_limits<T>::max()` and its like."""
        self.require("::")
        name = self.name()
        if self.take("("):
            self.require(")")
        kind = arguments[0] if len(arguments) == 1 else None
        if not isinstance(kind, Scalar) or name not in LIMITS:
            self.unsupported(first, f"numeric_limits::{name}", f"of a number: {', '.join(LIMITS)}")
        value = LIMITS[name](kind)
        if value is None:
            self.unsupported(first, f"numeric_limits<{kind}>::{name}", "use one that the type has")
        return number_of(self.span(first), value, kind)
