"""Names for parts: `auto [a, b] = whole;` of a struct or an array, `using enum E;` of an enum."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.allocations import AllocationReader
from kernels.frontend.parser.scope import Known
from kernels.frontend.types import AUTO, INT, Array, Reference, Struct

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.frontend.parser.type_specifiers import Specifiers


class BindingReader(AllocationReader):
    """Reads structured bindings."""

    def is_binding(self) -> bool:
        """Whether names in brackets follow `auto`."""
        at = self.at + (self.texts[self.at] in ("&", "&&"))
        return self.texts[at] == "[" and self.texts[at + 1] != "["

    # binding: ('&' | '&&')? '[' name (',' name)* ']' ('=' assignment | '(' assignment ')' | '{' assignment '}') ';'
    def binding(self, found: Specifiers) -> tuple[ast.Variable, ...]:
        """Read the names and what they are taken from: a copy of it, or with & itself."""
        first = self.at
        reference = self.texts[first] in ("&", "&&")
        opened = first + reference
        self.at = opened + 1
        names = [self.name()]
        while self.take(","):
            names.append(self.name())
        self.close(opened)
        begin = self.at
        whole = self._bound()
        span = self.span(first)
        parts = self._parts(begin, whole, len(names))
        made: list[ast.Variable] = []
        plain = isinstance(whole, ast.Name | ast.Member | ast.Index)
        if not plain or not reference:
            hidden = f"__{'_'.join(names)}"
            if isinstance(self.kind_of(whole), Array):
                if not plain:
                    self.unsupported(begin, "names for the elements of this", "give the array a name")
                copied = [ast.Variable(span, name, AUTO, const=found.const, value=part)
                          for name, part in zip(names, parts, strict=True)]  # fmt: skip
                return self._known(copied)
            made.append(ast.Variable(span, hidden, AUTO, const=found.const, value=whole))
            parts = self._parts(begin, ast.Name(span, hidden), len(names), whole)
        made += [
            ast.Variable(span, name, Reference(AUTO, found.const), value=part)
            for name, part in zip(names, parts, strict=True)
        ]
        return self._known(made)

    def _bound(self) -> Expr:
        if self.texts[self.at] in ("(", "{"):
            opened = self.at
            self.at += 1
            made = self.inside(self.assignment)
            self.close(opened)
            return made
        self.require("=")
        return self.assignment()

    def _parts(self, begin: int, whole: Expr, count: int, like: Expr | None = None) -> list[Expr]:
        """Return what the names stand for: members in order, elements, or the parts of a tuple."""
        kind = self.kind_of(like or whole)
        span = whole.span
        parts: list[Expr]
        if isinstance(kind, Array):
            parts = [ast.Index(span, whole, ast.Number(span, i, INT)) for i in range(kind.length)]
        elif isinstance(kind, Struct) and kind.name.startswith("tuple<"):
            parts, rest, left = [], whole, kind
            while left.fields:
                parts.append(ast.Member(span, rest, "head"))
                rest, tail = ast.Member(span, rest, "tail"), left.field("tail")
                assert tail is not None
                assert isinstance(tail.type, Struct)
                left = tail.type
        elif isinstance(kind, Struct) and kind.fields:
            parts = [ast.Member(span, whole, field.name) for field in kind.fields]
        else:
            self.unsupported(
                begin, "names for parts of what is no plain struct or array here", "name its type first"
            )
        if len(parts) != count:
            self.refuse(begin, f"{count} names for the {len(parts)} parts of {kind}")
        return parts

    def _known(self, made: list[ast.Variable]) -> tuple[ast.Variable, ...]:
        for variable in made:
            assert isinstance(variable.value, ast.Expr)
            self.know(variable.name, self.kind_of(variable.value) or AUTO)
        return tuple(made)

    # using_enum: 'using' 'enum' name ';'
    def open_enum(self) -> None:
        """Make the enumerators of `using enum E;`, if that stands here, known without their enum."""
        if self.texts[self.at : self.at + 2] != ["using", "enum"]:
            return
        end = self.at
        while self.texts[end] not in (";", ""):
            end += 1
        prefix = f"{self.texts[end - 1]}::"
        for level in self.scopes.levels[1:]:
            for name, entry in [*level.items()]:
                if name.startswith(prefix) and isinstance(entry, Known):
                    self.scopes.know(name.removeprefix(prefix), replace(entry, alias=name))
