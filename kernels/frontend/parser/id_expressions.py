"""Expressions that begin with a name: variables, calls, constructions, static members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.errors import MissingMember
from kernels.frontend import ast
from kernels.frontend.ast.declarations import UNDECLARED
from kernels.frontend.headers.limits import LIMITS, TRAITS
from kernels.frontend.parser.lookahead import QUALIFIERS
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import (
    FunctionTemplate,
    MemberEntry,
    OmittedType,
    StructTemplate,
    VariableEntry,
    VariableTemplate,
)
from kernels.frontend.templates.parameters import number_of
from kernels.frontend.templates.template_arguments import depends
from kernels.frontend.types import BOOL, INT, VOID, CType, FunctionName, Named, Reference, Scalar, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr

_REFUSED: Final = {
    "throw": ("throw", ""),
    "typeid": ("typeid", ""),
    "dynamic_cast": ("dynamic_cast", ""),
}


class IdExpressions(Part):
    """Parses expressions that begin with a name."""

    def refuse_keyword(self, text: str) -> Expr:
        """Refuse a keyword that begins no expression; `operator+(a, b)` is a call."""
        if text == "operator":
            first = self.tokens.advance()
            name = self.grammar.declarators.operator_name()
            if self.texts[self.tokens.at] != "(":
                self.tokens.refuse_missing("'('")
            return ast.Call(self._call_span(first), name, self.grammar.expressions.arguments())
        if text in _REFUSED:
            self.tokens.unsupported(self.tokens.at, *_REFUSED[text])
        self.tokens.refuse_token()

    # named: type ('(' … ')' | '{' … '}' | '::' name) | name template_arguments? ('(' … ')')?
    def id_expression(self) -> Expr:
        """Parse an expression that begins with a name: a variable, a call, a construction."""
        first = self.tokens.at
        if self.grammar.lookahead.starts_type(first):
            constant = self._constant_of_omitted_type(first)
            return self._type_expression(first) if constant is None else constant
        self.grammar.lookahead.skip_namespaces()
        if self.texts[self.tokens.at + 1] == "::":
            self.tokens.unknown(
                self.tokens.at, f"namespace {self.texts[self.tokens.at]}", "write a function of your own"
            )
        name = self.tokens.name()
        entry, following = self.state.scopes.find(name), self.texts[self.tokens.at]
        if isinstance(entry, FunctionName):
            return self._function_argument(first, entry)
        if isinstance(entry, VariableEntry):
            result = self.grammar.expressions.variable(self.tokens.span(first), name, entry)
            return self._call_object(first, result) if following == "(" and isinstance(result, ast.Name) else result
        if isinstance(entry, MemberEntry):
            return self._implicit_member(first, name, entry)
        if following == "(" and name == "move" and self.tokens.at - first > 1 and entry is None:
            return self._forward()
        if following == "(":
            return ast.Call(self._call_span(first), name, self.grammar.expressions.arguments())
        if following == "<" and (isinstance(entry, FunctionTemplate) or self._is_template_call()):
            return self._template_call(first, name, entry)
        if following == "<" and self.grammar.lookahead.starts_type(self.tokens.at + 1):
            self.tokens.unknown(first, f"template '{name}<…>'", UNDECLARED)
        if isinstance(entry, StructTemplate):
            self.tokens.unsupported(first, f"{name} without template arguments", f"write {name}<…>")
        return self._plain_name(first, name)

    def _constant_of_omitted_type(self, first: int) -> Expr | None:
        """Parse a constant of a struct that was left out; None for anything else."""
        name = self.texts[first]
        if not isinstance(self.state.scopes.find(name), OmittedType) or self.texts[first + 1] != "::":
            return None
        entry = self.state.scopes.find(f"{name}::{self.texts[first + 2]}")
        if not isinstance(entry, VariableEntry) or entry.value is None:
            return None
        self.tokens.at += 3
        return number_of(self.tokens.span(first), entry.value, entry.type)

    def _forward(self) -> Expr:
        """Parse the argument of `std::move` or `std::forward`, which is the result."""
        opening = self.tokens.at
        values = self.grammar.expressions.arguments()
        if len(values) != 1:
            self.tokens.refuse(opening, f"1 value is needed here, {len(values)} are given")
        return values[0]

    def _call_span(self, first: int) -> ast.Span:
        """Return the span of a call whose arguments begin here."""
        return self.tokens.span(first, self.closes[self.tokens.at])

    def _plain_name(self, first: int, name: str, arguments: tuple[CType | Expr, ...] = ()) -> Expr:
        span = self.tokens.span(first)
        if self.texts[self.tokens.at] == "<<" and self.texts[self.tokens.at + 1] == "<":
            self.tokens.unsupported(first, "launch with <<< >>> in device code", "trace that kernel by itself")
        if name == "__LINE__":
            return ast.Number(span, span.line, INT)
        if name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__FILE__"):
            return ast.String(span, self.tokens.source.file if name == "__FILE__" else self.state.function_name)
        return ast.Name(span, name, arguments)

    def _function_argument(self, first: int, function: FunctionName) -> Expr:
        """Parse the use of a template parameter whose argument is a function."""
        if self.texts[self.tokens.at] != "(":
            return ast.Name(self.tokens.span(first), function.name, function.template)
        return ast.Call(self._call_span(first), function.name, self.grammar.expressions.arguments(), function.template)

    def _call_object(self, first: int, callee: Expr) -> Expr:
        span = self._call_span(first)
        return ast.Call(span, ".operator()", (callee, *self.grammar.expressions.arguments()))

    def _implicit_member(self, first: int, name: str, entry: MemberEntry) -> Expr:
        this = ast.Name(self.tokens.span(first), "this")
        if entry.function:
            template = self.grammar.expressions.member_template_arguments(name)
            if self.texts[self.tokens.at] != "(":
                self.tokens.refuse_missing("'('")
            span = self._call_span(first)
            if entry.static:
                return ast.Call(span, f"{entry.static}::{name}", self.grammar.expressions.arguments(), template)
            return ast.Call(span, f".{name}", (this, *self.grammar.expressions.arguments()), template)
        field = ast.Member(self.tokens.span(first), this, name)
        return field if self.texts[self.tokens.at] != "(" else self._call_object(first, field)

    # --- types in expressions

    def _type_expression(self, first: int) -> Expr:
        if not self.tokens.take("typename") and self.texts[first] in QUALIFIERS:
            self.tokens.refuse_token()
        kind = self.grammar.types.named_type()
        text = self.texts[self.tokens.at]
        if text == "(":
            span = self._call_span(first)
            return self.convert(span, kind, self.grammar.expressions.arguments(), first)
        if text == "{" and isinstance(kind, Reference):
            self.tokens.at += 1
            value = self.grammar.expressions.assignment()
            self.tokens.require("}")
            return self.grammar.primaries.reinterpret(self.tokens.span(first), kind, value)
        if text == "{":
            return self.grammar.initialisers.braces(kind)
        if text == "::":
            return self._qualified_member(first, kind)
        if self.state.signature and isinstance(kind, Named) and self.texts[self.tokens.at - 2] == "::":
            return ast.Name(
                self.tokens.span(first), self.tokens.excerpt(first, self.tokens.at - 1)
            )  # S<T>::value with an open T
        self.tokens.at = first
        self.tokens.refuse_token()

    def convert(self, span: ast.Span, kind: CType, values: tuple[Expr, ...], first: int) -> Expr:
        """Return the node of `type(values)`."""
        if isinstance(kind, Struct):
            return self.grammar.initialisers.construct(span, kind, values)
        if isinstance(kind, Reference) and len(values) == 1:
            return self.grammar.primaries.reinterpret(span, kind, values[0])
        if kind == VOID or len(values) > 1:
            self.tokens.refuse(first, f"a conversion to {kind} takes one value, {len(values)} are given")
        return ast.Cast(span, kind, values[0] if values else ast.Number(span, 0, INT))

    def _qualified_member(self, first: int, kind: CType) -> Expr:
        """Parse `S::member` or `E::A`, from the `::` on."""
        owner = self.grammar.types.name_of(kind, self.tokens.at - 1)
        self.tokens.at += 1
        self.tokens.take("template")
        name = self.tokens.name()
        if self.state.signature and depends(kind):
            return ast.Name(self.tokens.span(first), self.tokens.excerpt(first, self.tokens.at - 1))
        full = f"{owner}::{name}"
        entry = self.state.scopes.find(full)
        if isinstance(entry, VariableEntry):
            return self.grammar.expressions.variable(self.tokens.span(first), full, entry)
        template = self.grammar.expressions.member_template_arguments(name)
        if self.texts[self.tokens.at] == "(":
            span, this = self._call_span(first), ast.Name(self.tokens.span(first), "this")
            inherited = self.grammar.functions.is_member(kind, name)  # Base::f() in a member function
            return ast.Call(span, full, (this,) * inherited + self.grammar.expressions.arguments(), template)
        plain = self.state.scopes.find(name)
        if isinstance(kind, Scalar) and isinstance(plain, VariableEntry):  # an enumerator of a plain enum
            return ast.Name(self.tokens.span(first), name)
        reason = f"{owner} has no member '{name}' that is known before the kernel runs"
        self.tokens.refuse(first, reason, MissingMember(str(owner), name))

    # --- templates

    def _is_template_call(self) -> bool:
        """Return whether `<` after a name that the program does not declare opens template arguments."""
        return self.texts[self.tokens.at - 1] in (
            *TRAITS,
            "numeric_limits",
            "min",
            "max",
            "forward",
        ) and (self.grammar.lookahead.starts_type(self.tokens.at + 1))

    def _template_call(self, first: int, name: str, entry: object) -> Expr:
        arguments = self.grammar.template_arguments.template_arguments()
        if isinstance(entry, VariableTemplate):
            return self.grammar.struct_templates.constant_instance(first, name, entry, arguments)
        if name == "forward" and self.texts[self.tokens.at] == "(" and entry is None:
            return self._forward()
        if name == "numeric_limits" and entry is None:
            return self._limit(first, arguments)
        if name in TRAITS and entry is None:
            return self._trait(first, name, arguments)
        if self.texts[self.tokens.at] == "{" and self.closes[self.tokens.at] == self.tokens.at + 1:  # cg::plus<float>{}
            self.tokens.at += 2
            return ast.Call(self.tokens.span(first), name, (), arguments)
        if self.texts[self.tokens.at] != "(":
            if isinstance(entry, FunctionTemplate):
                return self._plain_name(first, name, arguments)
            self.tokens.refuse_missing("'('")
        span = self._call_span(first)
        values = self.grammar.expressions.arguments()
        if entry is None:  # min<float>(a, b)
            kind = arguments[0]
            assert isinstance(kind, CType)
            return ast.Call(span, name, tuple(ast.Cast(value.span, kind, value) for value in values))
        return ast.Call(span, name, values, arguments)

    def _trait(self, first: int, name: str, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Parse a type trait, such as `std::is_same<T, U>::value`."""
        if not name.endswith("_v"):
            if self.texts[self.tokens.at] in ("(", "{") and self.closes[self.tokens.at] == self.tokens.at + 1:
                return self._truth_object(first, name, arguments)
            if not self.tokens.take("::"):
                self.tokens.refuse_missing("'::value'")
            self.tokens.require("value")
        if self.state.signature and any(isinstance(kind, CType) and depends(kind) for kind in arguments):
            return ast.Name(self.tokens.span(first), self.tokens.excerpt(first, self.tokens.at - 1))
        count, holds = TRAITS[name]
        kinds = [kind for kind in arguments if isinstance(kind, CType)]
        if len(kinds) != count or len(arguments) != count:
            self.tokens.refuse(first, f"{name} takes {count} types")
        return number_of(self.tokens.span(first), holds(*kinds), BOOL)

    def _truth_object(self, first: int, name: str, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Parse `std::is_same<T, U>()`: an object of type `integral_constant<bool, value>`."""
        self.tokens.at += 2
        count, holds = TRAITS[name]
        kinds = [kind for kind in arguments if isinstance(kind, CType)]
        template = self.state.scopes.find("integral_constant")
        value = len(kinds) == count and holds(*kinds)
        if isinstance(template, StructTemplate):
            return ast.Construct(
                self.tokens.span(first),
                self.grammar.struct_templates.instance_of(template, [BOOL, value]),
                (),
            )
        return number_of(self.tokens.span(first), value, BOOL)

    def _limit(self, first: int, arguments: tuple[CType | Expr, ...]) -> Expr:
        """Parse `std::numeric_limits<T>::max()` and similar members."""
        self.tokens.require("::")
        name = self.tokens.name()
        if self.tokens.take("("):
            self.tokens.require(")")
        kind = arguments[0] if len(arguments) == 1 else None
        if not isinstance(kind, Scalar) or name not in LIMITS:
            self.tokens.unsupported(first, f"numeric_limits::{name}", f"of a number: {', '.join(LIMITS)}")
        value = LIMITS[name](kind)
        if value is None:
            self.tokens.unsupported(first, f"numeric_limits<{kind}>::{name}", "use one that the type has")
        return number_of(self.tokens.span(first), value, kind)
