"""Tokens -> what a constructor does before its body: the values of members, of the base, or another constructor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.parser.lambdas import LambdaReader
from kernels.frontend.templates.name_mangling import plain_name
from kernels.frontend.types import AUTO, BOUND, INT, VOID, Array, CType, Pointer, Reference, Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Function, Statement


class ConstructorReader(LambdaReader):
    """Reads the values that a constructor gives."""

    # member_values: (':' name ('(' … ')' | braces) , …)?
    def first_values(self, owner: Struct) -> list[Statement]:
        """Read what a constructor gives the members before its body, in the order of the members."""
        given: dict[str, Statement] = {}
        based = self._base_default(owner)
        if self.take(":"):
            while True:
                first = self.at
                if owner.base is not None and self._names(owner.base):
                    based = [self._base_value(owner.base)]
                    if not self.take(","):
                        break
                    continue
                if self.texts[first] == short(owner):  # another constructor does it all
                    values = self.braced_or_not(owner)
                    this: Expr = ast.Name(self.span(first), "this")
                    return [ast.Do(this.span, ast.Call(this.span, owner.constructor, (this, *values)))]
                name = self.name()
                bound = owner.field(BOUND + name)
                if bound is None:
                    value = self._member_value(self._type_of_member(owner, name, first))
                else:
                    name, value = bound.name, self._member_value(bound.type)
                    value = ast.Unary(value.span, "&", value)
                given[name] = self._set(name, value, self.span(first))
                if not self.take(","):
                    break
        defaults = self.defaults.get(owner.name, {})
        for field in owner.fields:
            if field.name in defaults and field.name not in given:
                span = self.between(self.at - 1, self.at - 1)
                given[field.name] = self._set(
                    field.name, self.default(field.type, defaults[field.name]), span
                )
        return based + [
            made
            for field in owner.fields
            for name, made in given.items()
            if field in (owner.field(name), owner.around(name))
        ]

    def plain_constructor(self, owner: Struct) -> Function:
        """Return the constructor of a union, of which braces would give the first member alone."""
        span = self.between(self.at - 1, self.at - 1)
        this = ast.Parameter(span, "this", Reference(owner))
        body = ast.Block(span, tuple(self.first_values(owner)))
        return ast.Function(span, owner.constructor, False, VOID, (this,), body)

    def _type_of_member(self, owner: Struct, name: str, first: int) -> CType:
        """Return the type of a member, also of one in a struct or union without a name."""
        kind: CType = owner
        while isinstance(kind, Struct):
            field = kind.field(name)
            if field is not None:
                return field.type
            around = kind.around(name)
            if around is None:
                break
            kind = around.type
        self.unsupported(first, f"'{name}' before the body of a constructor", "give members their values")

    def _names(self, base: Struct) -> bool:
        """Whether a struct stands here, by its name, also with that of its namespace, or by another one."""
        at = self.at
        while self.texts[at + 1] == "::":
            at += 2
        return self.texts[at] == short(base) or self.scopes.find(self.texts[at]) == base

    # base_value: type ('(' … ')' | braces)
    def _base_value(self, base: Struct) -> Statement:
        """Read what a constructor gives its base: a call of the base's constructor, or of its members."""
        first = self.at
        values = self.braced_or_not(base)
        return self._made_base(base, values, self.span(first))

    def braced_or_not(self, kind: Struct) -> tuple[Expr, ...]:
        """Read a struct's name, and the values for its constructor in parentheses or braces."""
        self.named_type()
        if self.texts[self.at] not in ("(", "{"):
            self.missing("'('")
        value = self.braces(kind) if self.texts[self.at] == "{" else None
        return value.values if isinstance(value, ast.Construct) else self.arguments()

    def _base_default(self, owner: Struct) -> list[Statement]:
        """Return the call of the base's constructor that stands for none."""
        base = owner.base
        if base is None or base.name not in self.constructors:
            return []
        return [self._made_base(base, (), self.between(self.at - 1, self.at - 1))]

    def _made_base(self, base: Struct, values: tuple[Expr, ...], span: ast.Span) -> Statement:
        this: Expr = ast.Name(span, "this")
        if base.name in self.constructors:
            return ast.Do(span, ast.Call(span, base.constructor, (this, *values)))
        whole = ast.Unary(span, "*", ast.Cast(span, Pointer(base), ast.Unary(span, "&", this)))
        return ast.Do(span, ast.Assign(span, "=", whole, self.construct(span, base, values), initial=True))

    def _member_value(self, kind: CType) -> Expr:
        first = self.at
        if self.texts[first] == "{":
            return self.braces(kind)
        if self.texts[first] != "(":
            self.missing("'('")
        if self.copies_braces(kind):
            return self.braces_in_parentheses(kind)
        values = self.arguments()
        span = self.span(first)
        braces = len(values) == 1 and isinstance(values[0], ast.Construct) and values[0].type == AUTO
        if isinstance(kind, Struct) and (
            len(values) != 1 or braces or self.kind_of(values[0]) not in (kind, None)
        ):
            return self.construct(span, kind, values)
        if isinstance(kind, Array):
            return ast.Construct(span, kind, values)
        if len(values) > 1:
            self.refuse(first, f"{len(values)} values for one {kind}")
        return values[0] if values else ast.Number(span, 0, INT)

    def _set(self, name: str, value: Expr, span: ast.Span) -> Statement:
        member = ast.Member(span, ast.Name(span, "this"), name)
        if isinstance(value, ast.Construct) and isinstance(value.type, Array):
            return ast.Block(span, tuple(self._set_elements(member, value, value.type)))
        return ast.Do(span, ast.Assign(span, "=", member, value, initial=True))

    def _set_elements(self, member: Expr, listed: ast.Construct, kind: Array) -> Iterator[Statement]:
        """Yield the assignments of an array's elements; those without a value become 0."""
        span = listed.span
        for number in range(math.prod(kind.shape)):
            place, rest = member, number
            for size in (math.prod(kind.shape[i + 1 :]) for i in range(len(kind.shape))):
                place, rest = ast.Index(span, place, ast.Number(span, rest // size, INT)), rest % size
            given = number < len(listed.values)
            value = listed.values[number] if given else ast.Construct(span, kind.element, ())
            yield ast.Do(span, ast.Assign(span, "=", place, value, initial=True))


def copies_members(made: Function, owner: Struct) -> bool:
    """Whether a function is a copy constructor that does what a copy does anyway."""
    if (
        made.name != owner.constructor
        or len(made.parameters) != 2
        or made.parameters[1].type != Reference(owner, True)
    ):
        return False
    copied: list[str] = []
    for part in made.body.body:
        match part:
            case ast.Do(
                expression=ast.Assign(
                    op="=",
                    target=ast.Member(base=ast.Name(id="this"), field=to),
                    value=ast.Member(base=ast.Name(id=other), field=source),
                )
            ) if other == made.parameters[1].name and to == source:
                copied.append(to)
            case _:
                return False
    return sorted(copied) == sorted(field.name for field in owner.fields)


def short(kind: Struct) -> str:
    """Name of a struct without its template's arguments."""
    return plain_name(kind.name)
