"""Initialisers: `= x`, `(x)`, and braces for arrays and structs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kernels.cancellation import checkpoint
from kernels.frontend import ast
from kernels.frontend.headers.atomics import Atomic
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import CONSTRUCTED
from kernels.frontend.types import AUTO, CHAR, INT, Array, Named, Pointer, Reference, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.scope import Default
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import CType

MAX_LISTED: Final = 1 << 20

MAX_DEFAULTS: Final = 50_000
"""Maximum number of default member values that are parsed for one file; each is parsed again for every construction."""


class Initialisers(Part):
    """Parses initialisers."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._defaults_read = 0

    # initialiser: '=' (assignment | braces) | '(' assignment , … ')' | braces
    def initialiser(self, kind: CType) -> tuple[Expr | tuple[Expr, ...] | None, CType]:
        """Parse an initialiser; return it and the type of the variable, whose length may be that of the value."""
        first = self.tokens.at
        text = self.texts[first]
        if text == "=":
            self.tokens.at += 1
            if self.texts[self.tokens.at] != "{":
                if isinstance(kind, Array) and self.kinds[self.tokens.at] == "string":
                    return self.string_values(kind)
                if isinstance(kind, Array):
                    self.tokens.refuse(self.tokens.at, "an array is initialised with { … }")
                value = self.grammar.expressions.assignment()
                return value, (_referenced_type(value) or kind) if kind == AUTO else kind
        elif text == "(":
            if isinstance(kind, Array):
                self.tokens.refuse(first, "an array is initialised with { … }")
            return self._parenthesised(kind), kind
        elif text != "{":
            return self.default_initialisation(kind), kind
        if isinstance(kind, Array):
            return self._array(kind)
        if isinstance(kind, Reference) and text == "{":
            self.tokens.at += 1
            value = self.grammar.expressions.assignment()
            self.tokens.require("}")
            return value, kind
        if (kind == AUTO and text == "=") or isinstance(kind, Reference):
            self.tokens.unsupported(self.tokens.at, "{ … } here", "write the value without braces")
        return (self.single(kind) if kind == AUTO else self.braces(kind)), kind

    def _parenthesised(self, kind: CType) -> Expr:
        first = self.tokens.at
        if self.copies_braces(kind):
            return self.braces_in_parentheses(kind)
        values = self.grammar.expressions.arguments()
        if isinstance(kind, Struct):
            return self.construct(self.tokens.span(first), kind, values)
        if len(values) != 1:
            self.tokens.refuse(first, f"{len(values)} values for one {kind}")
        return values[0]

    def copies_braces(self, kind: CType) -> bool:
        """Return whether `({ … })` is here, unless it is a constructor's argument."""
        alone = (
            self.texts[self.tokens.at + 1] == "{" and self.closes[self.tokens.at + 1] + 1 == self.closes[self.tokens.at]
        )
        return alone and not (isinstance(kind, Struct) and kind.name in self.state.constructors)

    def braces_in_parentheses(self, kind: CType) -> Expr:
        """Parse `({ … })`, which is copied."""
        self.tokens.at += 1
        result = self.braces(kind)
        self.tokens.at += 1
        return result

    def _array(self, kind: Array) -> tuple[tuple[Expr, ...], CType]:
        values = self.elements(kind)
        if kind.length == 0:
            part = math.prod(kind.shape[1:])
            kind = Array(kind.of, max(1, -(-len(values) // part)))
        return tuple(values), kind

    def string_values(self, kind: Array) -> tuple[tuple[Expr, ...], CType]:
        """Parse a string literal as the values of an array: its characters and a 0."""
        first = self.tokens.at
        if not isinstance(kind.of, Scalar) or kind.of.size_bytes != 1:
            self.tokens.refuse(first, "a string makes an array of char")
        span = self.grammar.primaries.span_of_string()
        codes = [*self.grammar.primaries.string(first).encode(), 0]
        if kind.length and len(codes) > kind.length:
            self.tokens.refuse(first, f"too many characters for {kind}")
        signed = [code - 256 if code > 127 and kind.of == CHAR else code for code in codes]
        values = tuple(ast.Number(span, code, kind.of) for code in signed)
        return values, Array(kind.of, kind.length or len(codes))

    # braces: '{' (value (',' value)* ','?)? '}'
    def braces(self, kind: CType) -> Expr:
        """Parse `{ … }` as a value of a type; AUTO if the context determines it."""
        first = self.tokens.at
        self.tokens.enter_level()
        if isinstance(kind, Array):
            values = tuple(self.elements(kind))
            result: Expr = ast.Construct(self.tokens.span(first), kind, values)
        elif isinstance(kind, Struct | Named):
            listed = self._members(kind)
            result = (
                self.construct(self.tokens.span(first), kind, listed)
                if isinstance(kind, Struct)
                else ast.Construct(self.tokens.span(first), kind, listed)
            )
        else:
            result = self.single(kind)
        self.tokens.depth -= 1
        return result

    def single(self, kind: CType) -> Expr:
        """Parse the braces of a number or pointer: one value; zero if they are empty."""
        opening = self.tokens.at
        values = self._list(lambda: self.value(kind))
        if len(values) > 1:
            self.tokens.refuse(opening, f"{len(values)} values for one {kind}")
        if not values:
            return ast.Number(self.tokens.span(opening), 0, kind if isinstance(kind, Scalar) else INT)
        return values[0]

    def value(self, kind: CType) -> Expr:
        """Parse one value of a list."""
        if self.texts[self.tokens.at] == "[" or self._is_designator(self.tokens.at):
            self.tokens.unsupported(self.tokens.at, "designated initialiser", "list the values in order")
        return self.braces(kind) if self.texts[self.tokens.at] == "{" else self.grammar.expressions.assignment()

    def _is_designator(self, at: int) -> bool:
        return self.texts[at] == "." and self.kinds[at + 1] == "name"

    def _list(self, parse: Callable[[], Expr]) -> list[Expr]:
        opening = self.tokens.advance()
        values: list[Expr] = []
        while self.tokens.at != self.closes[opening]:
            if values:
                self.tokens.require(",")
                if self.tokens.at == self.closes[opening]:
                    break
            values += self.grammar.packs.expand(lambda: self.grammar.expressions.inside(parse))
        self.tokens.at += 1
        return values

    def _members(self, kind: Struct | Named) -> tuple[Expr, ...]:
        """Parse the values of a struct's members, in order."""
        # The members take the values in order, and know from their types whether a value in braces is a struct. The
        # values of a constructor have the types of its parameters, which overload resolution determines later.
        fields = list(kind.fields) if isinstance(kind, Struct) and kind.name not in self.state.constructors else None
        close = self.closes[self.tokens.at]
        if self._holds_pack(self.tokens.at):
            fields = None
        if fields and isinstance(kind, Struct) and self._is_designator(self.tokens.at + 1):
            return self._designated(kind)

        def member() -> Expr:
            if fields is None:
                return self.value(AUTO)
            if not fields:
                self.tokens.refuse(self.tokens.at, f"too many values for {kind}")
            field = fields.pop(0)
            return self._part(field.type, close)

        return tuple(self._list(member))

    def _holds_pack(self, opening: int) -> bool:
        at = opening + 1
        while at < self.closes[opening] and self.texts[at] != "...":
            at = self.closes.get(at, at) + 1
        return at < self.closes[opening]

    # designated: '{' '.' name ('=' assignment | '='? braces) (',' …)* ','? '}'
    def _designated(self, kind: Struct) -> tuple[Expr, ...]:
        """Parse designated initialisers; members without one are initialised as without a value."""
        span = self.tokens.span(self.tokens.at, self.tokens.at)
        values: dict[str, Expr] = {}

        def member() -> Expr:
            first = self.tokens.require(".")
            field = kind.field(self.tokens.name())
            if field is None or field.name in values:
                self.tokens.refuse(first, f"{kind} has no member '{self.texts[first + 1]}', or it is initialised twice")
            self.tokens.take("=")
            values[field.name] = self.value(field.type)
            return values[field.name]

        self._list(member)
        defaults = self.state.defaults.get(kind.name, {})
        # The list ends at the last designated member: `construct` adds the defaults of those after it.
        last = max(i for i, field in enumerate(kind.fields) if field.name in values)
        for field in kind.fields[:last]:
            if field.name in defaults and field.name not in values:
                values[field.name] = self.default(field.type, defaults[field.name])
        return tuple(values.get(field.name) or zero(span, field.type) for field in kind.fields[: last + 1])

    def _part(self, kind: CType, close: int) -> Expr:
        """Parse a member or an element, possibly without braces; the enclosing braces end at token `close`."""
        first = self.tokens.at
        if self.texts[first] == "{" or self._is_designator(first) or not isinstance(kind, Array | Struct):
            return self.value(kind)
        if isinstance(kind, Array):
            return self._unbraced(kind, close, first)
        value = self.grammar.expressions.assignment()
        return self._unbraced(kind, close, first, value) if self._initialises_first_member(kind, value) else value

    def _unbraced(self, kind: CType, close: int, first: int, first_value: Expr | None = None) -> Expr:
        """Parse values of an array or struct without its own braces; `first_value` is the first if already parsed."""
        # C++ allows inner braces to be left out ([dcl.init.aggr]): `Pair a[2] = {1, 2, 3, 4};`. A part then takes as
        # many values as it has members, from the list of the enclosing braces.
        parts = [field.type for field in kind.fields] if isinstance(kind, Struct) else []
        if isinstance(kind, Array):
            parts = [kind.element] * math.prod(kind.shape)
        result: list[Expr] = []
        for part in parts:
            if not result and first_value is not None:
                nested = isinstance(part, Array | Struct)
                result.append(self._unbraced(part, close, first, first_value) if nested else first_value)
                continue
            if result and (self.texts[self.tokens.at] != "," or self.tokens.at + 1 == close):
                break
            self.tokens.at += bool(result)
            result.append(self._part(part, close))
        return ast.Construct(self.tokens.span(first), kind, tuple(result))

    def _initialises_first_member(self, kind: Struct, value: Expr) -> bool:
        """Return whether a value initialises a struct's first member, not the whole struct."""
        result = kind.name in self.state.constructors or kind.name == "dim3"
        return not result and isinstance(self.grammar.function_templates.expression_type(value), Scalar | Pointer)

    def elements(self, kind: Array) -> list[Expr]:
        """Flatten nested lists; inner ones are filled up with zeros, the outer one is not."""
        opening, close = self.tokens.at, self.closes[self.tokens.at]
        values: list[Expr] = []
        part = math.prod(kind.shape[1:])
        count = part * kind.length
        if part > MAX_LISTED:
            self.tokens.refuse(opening, f"a list of values for rows of {part:,} elements; fill the array in a loop")

        self.tokens.at += 1
        while self.tokens.at != close:
            if self.tokens.at - 1 != opening:
                self.tokens.require(",")
                if self.tokens.at == close:
                    break
            first = self.tokens.at
            if isinstance(kind.of, Array) and self.texts[first] == "{":
                self.tokens.enter_level()
                self._add_row(kind.of, part, values)
                self.tokens.depth -= 1
            elif isinstance(kind.of, Array) and self.kinds[first] == "string":
                string_values, _ = self.string_values(kind.of)
                zeros = [ast.Number(self.tokens.span(first), 0, CHAR)] * (part - len(string_values))
                values += [*string_values, *zeros]
            else:
                values += self.grammar.packs.expand(
                    lambda: self.grammar.expressions.inside(lambda: self._part(kind.element, close))
                )
            if count and len(values) > count:
                self.tokens.refuse(first, f"too many values for {kind}")
            if len(values) > MAX_LISTED:
                self.tokens.refuse(first, f"more than {MAX_LISTED:,} values; fill the array in a loop")
        self.tokens.at += 1
        # Elements without a value call the default constructor; without one they are zero, which needs no node.
        if len(values) < count <= MAX_LISTED and self.grammar.functions.has_constructed_value(kind.element):
            result = self.construct(self.tokens.span(opening), kind.element, ())  # type: ignore[arg-type]  # it is a struct
            values += [result] * (count - len(values))
        return values

    def _add_row(self, kind: Array, part: int, values: list[Expr]) -> None:
        first = self.tokens.at
        inner = self.elements(kind)
        # Values before this row without braces may have filled an earlier one partly: complete it first.
        none = zero(self.tokens.span(first), kind.element)
        values += [none] * (-len(values) % part) + inner + [none] * (part - len(inner))

    def default_initialisation(self, kind: CType) -> Expr | tuple[Expr, ...] | None:
        """Return the value of a variable without an initialiser, from default members and constructor."""
        element = kind.element if isinstance(kind, Array) else kind
        result = self.state.constructors | self.state.defaults.keys() | {"dim3"}
        if not isinstance(element, Struct) or element.name not in result:
            return None
        if element.name in self.state.defaulted and element.name not in self.state.defaults:
            return None
        span = self.tokens.span(self.tokens.at - 1)
        if not isinstance(kind, Array):
            return self.construct(span, element, ())
        if math.prod(kind.shape) > MAX_LISTED:
            self.tokens.refuse(
                self.tokens.at - 1, f"an array of more than {MAX_LISTED:,} {element} that are constructed"
            )
        return (self.construct(span, element, ()),) * math.prod(kind.shape)

    def construct(self, span: ast.Span, kind: Struct, values: tuple[Expr, ...]) -> Expr:
        """Return a struct made of values; without a constructor, further members take their defaults."""
        defaults = self.state.defaults.get(kind.name)
        if defaults and kind.name not in self.state.constructors:
            values = (*values, *self._remaining_defaults(span, kind, defaults, len(values)))
        return ast.Construct(span, kind, values)

    def _remaining_defaults(self, span: ast.Span, kind: Struct, defaults: dict[str, Default], count: int) -> list[Expr]:
        """Return the default values of the members after the first `count`."""
        last = max((i for i, field in enumerate(kind.fields) if field.name in defaults), default=-1)
        result: list[Expr] = []
        for field in kind.fields[count : last + 1]:
            if field.name in defaults:
                result.append(self.default(field.type, defaults[field.name]))
            else:
                result.append(zero(span, field.type))
        return result

    def default(self, kind: CType, default: Default) -> Expr:
        """Parse the default value of a member, in the scopes of its declaration."""
        if default is CONSTRUCTED:
            result = self.default_initialisation(kind)
            span = self.tokens.span(self.tokens.at - 1)
            return ast.Construct(span, kind, result) if isinstance(result, tuple) else result or zero(span, kind)
        checkpoint()
        self._defaults_read += 1
        if self._defaults_read > MAX_DEFAULTS:
            self.tokens.refuse(default.first, f"more than {MAX_DEFAULTS:,} default member values; write a constructor")
        at, levels = self.tokens.at, self.state.scopes.levels
        self.tokens.at, self.state.scopes.levels = default.first, [*default.levels]
        try:
            return self.value(kind)
        finally:
            self.tokens.at, self.state.scopes.levels = at, levels


def _referenced_type(value: Expr) -> Reference | None:
    """Return the type of `auto` for `atomic_ref<T>(x)`: a reference to `x`, not a copy."""
    match value:
        case ast.Unary(op="*", operand=ast.Cast(type=Pointer(to=Atomic() as kind))):
            return Reference(kind)
    return None


def zero(span: ast.Span, kind: CType) -> Expr:
    """Return the value of a part without an initialiser."""
    return ast.Construct(span, kind, ()) if isinstance(kind, Struct | Array) else ast.Number(span, 0, INT)
