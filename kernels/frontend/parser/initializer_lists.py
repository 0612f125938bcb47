"""Braces: the values of structs and arrays, nested, by name, or without braces of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.default_initialisation import MAX_LISTED, MadeReader, zero
from kernels.frontend.types import AUTO, CHAR, INT, Array, Named, Pointer, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType


class BraceReader(MadeReader):
    """Reads `{ … }`, and strings that are arrays."""

    def letters(self, kind: Array) -> tuple[tuple[Expr, ...], CType]:
        """Read a string literal as the values of an array: its characters and a 0."""
        first = self.at
        if not isinstance(kind.of, Scalar) or kind.of.size_bytes != 1:
            self.refuse(first, "a string makes an array of char")
        span = self.span_of_string()
        codes = [*self.string(first).encode(), 0]
        if kind.length and len(codes) > kind.length:
            self.refuse(first, f"too many characters for {kind}")
        signed = [code - 256 if code > 127 and kind.of == CHAR else code for code in codes]
        values = tuple(ast.Number(span, code, kind.of) for code in signed)
        return values, Array(kind.of, kind.length or len(codes))

    # braces: '{' (value (',' value)* ','?)? '}'
    def braces(self, kind: CType) -> Expr:
        """Read `{ … }` as a value of a type; AUTO where the place decides it."""
        first = self.at
        self.deeper()
        if isinstance(kind, Array):
            values = tuple(self.elements(kind))
            made: Expr = ast.Construct(self.span(first), kind, values)
        elif isinstance(kind, Struct | Named):
            listed = self._members(kind)
            made = (
                self.construct(self.span(first), kind, listed)
                if isinstance(kind, Struct)
                else ast.Construct(self.span(first), kind, listed)
            )
        else:
            made = self.single(kind)
        self.depth -= 1
        return made

    def single(self, kind: CType) -> Expr:
        """Read the braces of a number or pointer: one value, or none for zero."""
        opened = self.at
        values = self._listed(lambda: self.value(kind))
        if len(values) > 1:
            self.refuse(opened, f"{len(values)} values for one {kind}")
        if not values:
            return ast.Number(self.span(opened), 0, kind if isinstance(kind, Scalar) else INT)
        return values[0]

    def value(self, kind: CType) -> Expr:
        """Read one value of a list."""
        if self.texts[self.at] == "[" or self._designates(self.at):
            self.unsupported(self.at, "designated initialiser", "list the values in order")
        return self.braces(kind) if self.texts[self.at] == "{" else self.assignment()

    def _designates(self, at: int) -> bool:
        return self.texts[at] == "." and self.kinds[at + 1] == "name"

    def _listed(self, read: Callable[[], Expr]) -> list[Expr]:
        opened = self.at
        self.at += 1
        values: list[Expr] = []
        while self.at != self.closes[opened]:
            if values:
                self.require(",")
                if self.at == self.closes[opened]:
                    break
            values += self.expanded(lambda: self.inside(read))
        self.at += 1
        return values

    def _members(self, kind: Struct | Named) -> tuple[Expr, ...]:
        """Read the values of a struct's members, in order."""
        fields = (
            list(kind.fields) if isinstance(kind, Struct) and kind.name not in self.constructors else None
        )
        close = self.closes[self.at]
        if self._holds_pack(self.at):
            fields = None
        if fields and isinstance(kind, Struct) and self._designates(self.at + 1):
            return self._designated(kind)

        def member() -> Expr:
            if fields is None:
                return self.value(AUTO)
            if not fields:
                self.refuse(self.at, f"too many values for {kind}")
            field = fields.pop(0)
            return self._part(field.type, close)

        return tuple(self._listed(member))

    def _holds_pack(self, opened: int) -> bool:
        at = opened + 1
        while at < self.closes[opened] and self.texts[at] != "...":
            at = self.closes.get(at, at) + 1
        return at < self.closes[opened]

    # designated: '{' '.' name ('=' assignment | '='? braces) (',' …)* ','? '}'
    def _designated(self, kind: Struct) -> tuple[Expr, ...]:
        """Read values that name their members; members in between that are not named are as without a value."""
        span = self.between(self.at, self.at)
        given: dict[str, Expr] = {}

        def member() -> Expr:
            first = self.at
            self.require(".")
            field = kind.field(self.name())
            if field is None or field.name in given:
                self.refuse(first, f"{kind} has no member '{self.texts[first + 1]}' that is not given yet")
            self.take("=")
            given[field.name] = self.value(field.type)
            return given[field.name]

        self._listed(member)
        defaults = self.defaults.get(kind.name, {})
        last = max(i for i, field in enumerate(kind.fields) if field.name in given)
        for field in kind.fields[:last]:
            if field.name in defaults and field.name not in given:
                given[field.name] = self.default(field.type, defaults[field.name])
        return tuple(given.get(field.name) or zero(span, field.type) for field in kind.fields[: last + 1])

    def _part(self, kind: CType, close: int) -> Expr:
        """Read a member or an element, which may have no braces of its own; those around end at a token."""
        first = self.at
        if self.texts[first] == "{" or self._designates(first) or not isinstance(kind, Array | Struct):
            return self.value(kind)
        if isinstance(kind, Array):
            return self._without_braces(kind, close, first)
        value = self.assignment()
        return self._without_braces(kind, close, first, value) if self._begins(kind, value) else value

    def _without_braces(self, kind: CType, close: int, first: int, begun: Expr | None = None) -> Expr:
        """Read the values of an array's or struct's parts; `begun` is the first of them, where it is read already."""
        parts = [field.type for field in kind.fields] if isinstance(kind, Struct) else []
        if isinstance(kind, Array):
            parts = [kind.element] * math.prod(kind.shape)
        made: list[Expr] = []
        for part in parts:
            if not made and begun is not None:
                nested = isinstance(part, Array | Struct)
                made.append(self._without_braces(part, close, first, begun) if nested else begun)
                continue
            if made and (self.texts[self.at] != "," or self.at + 1 == close):
                break
            self.at += bool(made)
            made.append(self._part(part, close))
        return ast.Construct(self.span(first), kind, tuple(made))

    def _begins(self, kind: Struct, value: Expr) -> bool:
        """Whether a value is that of a struct's first member, not the struct."""
        made = kind.name in self.constructors or kind.name == "dim3"
        return not made and isinstance(self.kind_of(value), Scalar | Pointer)

    def elements(self, kind: Array) -> list[Expr]:
        """Flatten nested lists, inner ones filled up with zeros; what is missing at the end stays so."""
        opened, close = self.at, self.closes[self.at]
        values: list[Expr] = []
        part = math.prod(kind.shape[1:])
        count = part * kind.length
        if part > MAX_LISTED:
            self.refuse(opened, f"a list of values for rows of {part:,} elements; fill the array in a loop")

        self.at += 1
        while self.at != close:
            if self.at - 1 != opened:
                self.require(",")
                if self.at == close:
                    break
            first = self.at
            if isinstance(kind.of, Array) and self.texts[first] == "{":
                self.deeper()
                self._row(kind.of, part, values)
                self.depth -= 1
            elif isinstance(kind.of, Array) and self.kinds[first] == "string":
                letters, _ = self.letters(kind.of)
                zeros = [ast.Number(self.span(first), 0, CHAR)] * (part - len(letters))
                values += [*letters, *zeros]
            else:
                values += self.expanded(lambda: self.inside(lambda: self._part(kind.element, close)))
            if count and len(values) > count:
                self.refuse(first, f"too many values for {kind}")
            if len(values) > MAX_LISTED:
                self.refuse(first, f"more than {MAX_LISTED:,} values; fill the array in a loop")
        self.at += 1
        if len(values) < count <= MAX_LISTED and self.makes_itself(kind.element):
            made = self.construct(self.span(opened), kind.element, ())  # type: ignore[arg-type]  # it is a struct
            values += [made] * (count - len(values))
        return values

    def _row(self, kind: Array, part: int, values: list[Expr]) -> None:
        first = self.at
        inner = self.elements(kind)
        none = zero(self.span(first), kind.element)
        values += [none] * (-len(values) % part) + inner + [none] * (part - len(inner))
