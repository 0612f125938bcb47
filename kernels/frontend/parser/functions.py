"""Functions: kernels, device functions, members of structs, constructors."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.parser.declaration_parts import Declarator
from kernels.frontend.parser.lookahead import DECLTYPE, QUALIFIERS
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import MemberEntry, short
from kernels.frontend.preprocessor.declaration_outline import outline_of
from kernels.frontend.types import (
    AUTO,
    BOUND,
    INT,
    VOID,
    Array,
    CType,
    FunctionName,
    Pointer,
    Reference,
    Struct,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Function, Statement
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State
    from kernels.frontend.preprocessor.declaration_outline import Outline
    from kernels.frontend.types import CType


class Functions(Part):
    """Parses functions."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._defined: dict[tuple[str, tuple[CType, ...]], bool] = {}
        """Functions by name and parameter types: True if a parameter is an enum, whose type here is a whole number."""
        self._defaults: dict[tuple[str, tuple[CType, ...]], tuple[ast.Parameter, ...]] = {}

    def has_constructed_value(self, kind: CType) -> bool:
        """Return whether a default-initialised variable of this type has a value, by its constructor."""
        element = kind.element if isinstance(kind, Array) else kind
        if not isinstance(element, Struct) or element.union:
            return False
        if element.name not in self.state.constructors:
            return element.name in self.state.defaults
        # A default constructor with an empty body leaves the members uninitialised. While the struct itself is being
        # parsed, the bodies are not known, and any default constructor counts.
        constructors = [
            f
            for f in self.grammar.function_templates.all_functions()
            if f.name == element.constructor and _is_default_constructor(f.parameters)
        ]
        if constructors:
            return any(f.body.body for f in constructors)
        return any(
            name == element.constructor and _is_default_constructor(parameters)
            for (name, _), parameters in self._defaults.items()
        )

    def is_member(self, kind: CType, name: str) -> bool:
        """Return whether a struct has a non-static member function of this name."""
        entry = self.state.members.get(kind.name, {}).get(name) if isinstance(kind, Struct) else None
        return isinstance(entry, MemberEntry) and entry.function and not entry.static

    # function: specifiers declarator '(' parameters ')' … (block | ';')
    def function(
        self, owner: Struct | None = None, arguments: tuple[CType | FunctionName | Value, ...] = ()
    ) -> ast.Function | None:
        """Parse a function; return None for a prototype.

        Parameters
        ----------
        owner : Struct | None
            The struct, for a member function.
        arguments : tuple
            Template arguments, for an instance of a template.
        """
        first = self.tokens.at
        scopes = len(self.state.scopes.levels)
        outline = outline_of(self.tokens, first)
        # Scopes, from the outside: members of the struct, then parameters and `this`. The body opens its own.
        outside = owner or self._owner(outline)
        if outside is not None:
            self.state.scopes.levels.append(self.state.members[outside.name])
        self.state.scopes.open()
        if outside is not None:
            self.state.scopes.declare_variable("this", outside)
        declared, words = self._head(outline, outside)
        name = declared.name.rpartition("::")[2]
        parameters, const, rvalue_only = self._parameters(declared)
        returns = self._return_type(declared)
        # From here on an error is in the body, and does not mean that the template arguments do not fit.
        if first == self.state.template_head:
            self.state.template_head = -1
        if outside is not None:
            entry = self.state.members[outside.name].get(name)
            name = f"{outside.name}::{name}"
            again = self.texts[outline.index - 1] == "::"  # a definition outside of the struct does not repeat `static`
            if "static" not in words and not (again and isinstance(entry, MemberEntry) and entry.static):
                span = self.tokens.span(declared.index, declared.index)
                this = ast.Parameter(span, "this", Reference(outside, const, rvalue_only))
                parameters = (this, *parameters)
        parameters = self._with_defaults(name, parameters)
        result = None
        if not self.tokens.take(";"):
            kernel = "__global__" in words
            if kernel and returns != VOID:
                self.tokens.refuse(first, f"kernel {name} must return void")
            # Instances of a template may define the same function again; they are cached by their arguments.
            if not arguments:
                self._refuse_redefinition(declared, name, parameters)
            constructor = outside is not None and outline.name == short(outside)
            body = self._define(name, outside, returns, constructor=constructor)
            result = ast.Function(self.tokens.span(first), name, kernel, returns, parameters, body, arguments)
            if "constexpr" in words and not arguments:
                self.state.constexpr.add(result)
        del self.state.scopes.levels[scopes:]
        return result

    def _owner(self, outline: Outline) -> Struct | None:
        """Return the struct of `Struct::member`."""
        index = outline.index
        if self.texts[index - 1] != "::" or self.texts[index - 2] in self.state.namespaces:
            return None
        found = self.state.scopes.find(self.texts[index - 2])
        if not isinstance(found, Struct):
            self.tokens.unsupported(index - 2, f"member of {self.texts[index - 2]}", "define it inside of its struct")
        return found

    def _head(self, outline: Outline, owner: Struct | None) -> tuple[Declarator, frozenset[str]]:
        """Parse specifiers and declarator; a constructor has no return type."""
        first, index = self.tokens.at, outline.index
        if owner is not None and outline.name == short(owner) and outline.function == index + 1:
            # A constructor has qualifiers only before its name; anything else is a return type.
            begin = self._begin_of_owner(first, index)
            words = [text for text in self.texts[first:begin] if text in QUALIFIERS]
            if len(words) == begin - first:
                self.tokens.at = self.closes[outline.function] + 1
                return Declarator(index, outline.name, VOID, const=False, parameters=outline.function), frozenset(words)
        if owner is not None and self.texts[index] == "operator" and self.grammar.lookahead.starts_type(index + 1):
            return self._conversion(outline)
        specifiers = self.grammar.types.specifiers()
        # The outline found the `(` of the parameters by counting brackets, before any type was known: `int f(T)`
        # declares a function also where T is not known to be a type.
        if outline.function is not None:
            self.state.parameters_at = outline.function
        # `constexpr` applies to the function, not to its return type.
        declarator = self.grammar.declarators.declarator(specifiers.type, const="const" in specifiers.words)
        if declarator.parameters is None:
            self.tokens.refuse_token()
        return declarator, specifiers.words

    def _begin_of_owner(self, first: int, index: int) -> int:
        """Return the token at which `S::` or `S<T>::` begins before a function's name; the name itself without it."""
        for at in range(first, index):
            after = self.tokens.past_angles(at + 1) if self.texts[at + 1] == "<" else at + 1
            if self.texts[after] == "::" and after == index - 1:
                return at
        return index

    def _conversion(self, outline: Outline) -> tuple[Declarator, frozenset[str]]:
        """Parse the conversion `operator type` of a struct."""
        words = frozenset(text for text in self.texts[self.tokens.at : outline.index] if text in QUALIFIERS)
        self.tokens.at = outline.index + 1
        specifiers = self.grammar.types.specifiers()
        kind, const = specifiers.type, specifiers.const
        while self.tokens.take("*"):
            kind, const = Pointer(kind, const), self.tokens.take("const")
        if self.tokens.at != outline.function:
            self.tokens.refuse_token()
        return Declarator(outline.index, f"operator {kind}", kind, const=False, parameters=outline.function), words

    def _parameters(self, declarator: Declarator) -> tuple[tuple[ast.Parameter, ...], bool, bool]:
        """Parse the parameters; return also whether the function is const, and whether for rvalues only (`&&`)."""
        assert declarator.parameters is not None
        self.tokens.at = declarator.parameters
        parameters = self.grammar.declarations.parameters()
        const = self.texts[self.tokens.at] == "const"
        rvalue_only = self.texts[self.tokens.at + const] == "&&"
        self.grammar.declarations.after_parameters()
        return parameters, const, rvalue_only

    def _return_type(self, declarator: Declarator) -> CType:
        if not self.tokens.take("->"):
            return declarator.type
        first, after = self.tokens.at, self.closes.get(self.tokens.at + 1, self.tokens.at) + 1
        if self.texts[first] not in DECLTYPE:
            return self.grammar.declarators.type_id()
        with suppress(SourceError):
            return self.grammar.declarators.type_id()
        self.tokens.at = after  # its return statements determine the same type
        return AUTO

    def _with_defaults(self, name: str, parameters: tuple[ast.Parameter, ...]) -> tuple[ast.Parameter, ...]:
        """Return the parameters with the default arguments of an earlier declaration."""
        # Default arguments may be in the prototype only: `void f(int n = 2);  void f(int n) { … }`.
        key = name, tuple(parameter.type for parameter in parameters)
        earlier = self._defaults.get(key, parameters)
        merged = tuple(
            replace(own, default=old.default) if own.default is None else own
            for own, old in zip(parameters, earlier, strict=True)
        )
        self._defaults[key] = merged
        return merged

    def _refuse_redefinition(self, declarator: Declarator, name: str, parameters: tuple[ast.Parameter, ...]) -> None:
        key = name, tuple(parameter.type for parameter in parameters)
        assert declarator.parameters is not None
        words = self.texts[declarator.parameters : self.closes[declarator.parameters]]
        enum = not self.state.enums.isdisjoint(words)
        if key in self._defined:
            # Overloads that differ in their enums only are one function here: a call could reach the wrong one.
            if enum or self._defined[key]:
                self.state.functions[:] = [f for f in self.state.functions if f.name != name]
            self.tokens.unsupported(
                declarator.index, f"second function '{name}'", "give each its own name or parameters"
            )
        self._defined[key] = enum

    def _define(self, name: str, owner: Struct | None, returns: CType, *, constructor: bool) -> ast.Block:
        if not self.state.bodies:
            return self._skip_body()
        before: list[Statement] = []
        if constructor and owner is not None:
            before = self.member_initialisers(owner)
        if self.tokens.take("="):  # `= default`
            first = self.tokens.advance()
            self.tokens.require(";")
            return ast.Block(self.tokens.span(first), tuple(before))
        if self.texts[self.tokens.at] == "try":
            self.tokens.unsupported(self.tokens.at, "try")
        self.state.function_name = name
        body = self.grammar.statements.function_body(returns)
        return ast.Block(body.span, (*before, *body.body)) if before else body

    def _skip_body(self) -> ast.Block:
        while self.texts[self.tokens.at] not in ("{", ""):
            self.tokens.at = self.closes.get(self.tokens.at, self.tokens.at) + 1
        first = self.tokens.at
        self.tokens.at = self.closes.get(first, first) + 1
        return ast.Block(self.tokens.span(first), ())

    # member_values: (':' name ('(' … ')' | braces) , …)?
    def member_initialisers(self, owner: Struct) -> list[Statement]:
        """Parse the member initialisers of a constructor; return them in the order of the members."""
        assignments: dict[str, Statement] = {}
        base_calls = self._default_base_call(owner)
        if self.tokens.take(":"):
            while True:
                first = self.tokens.at
                if owner.base is not None and self._is_named_here(owner.base):
                    base_calls = [self._base_value(owner.base)]
                    if not self.tokens.take(","):
                        break
                    continue
                if self.texts[first] == short(owner):  # a delegating constructor
                    values = self.constructor_arguments(owner)
                    this: Expr = ast.Name(self.tokens.span(first), "this")
                    return [ast.Do(this.span, ast.Call(this.span, owner.constructor, (this, *values)))]
                name = self.tokens.name()
                bound = owner.field(BOUND + name)
                if bound is None:
                    value = self._member_value(self._type_of_member(owner, name, first))
                else:
                    name, value = bound.name, self._member_value(bound.type)
                    value = ast.Unary(value.span, "&", value)
                assignments[name] = self._assign_member(name, value, self.tokens.span(first))
                if not self.tokens.take(","):
                    break
        defaults = self.state.defaults.get(owner.name, {})
        for field in owner.fields:
            if field.name in defaults and field.name not in assignments:
                span = self.tokens.span(self.tokens.at - 1)
                assignments[field.name] = self._assign_member(
                    field.name, self.grammar.initialisers.default(field.type, defaults[field.name]), span
                )
        return base_calls + [
            result
            for field in owner.fields
            for name, result in assignments.items()
            if field in (owner.field(name), owner.unnamed_member_with(name))
        ]

    def plain_constructor(self, owner: Struct) -> Function:
        """Return the constructor of a union; without it, braces would initialise the first member only."""
        span = self.tokens.span(self.tokens.at - 1)
        this = ast.Parameter(span, "this", Reference(owner))
        body = ast.Block(span, tuple(self.member_initialisers(owner)))
        return ast.Function(span, owner.constructor, False, VOID, (this,), body)

    def _type_of_member(self, owner: Struct, name: str, first: int) -> CType:
        """Return the type of a member, also of one in an unnamed struct or union."""
        kind: CType = owner
        while isinstance(kind, Struct):
            field = kind.field(name)
            if field is not None:
                return field.type
            around = kind.unnamed_member_with(name)
            if around is None:
                break
            kind = around.type
        self.tokens.unsupported(first, f"'{name}' before the body of a constructor", "give members their values")

    def _is_named_here(self, base: Struct) -> bool:
        """Return whether the next tokens name this struct: by its name, with its namespace, or by an alias."""
        at = self.tokens.at
        while self.texts[at + 1] == "::":
            at += 2
        return self.texts[at] == short(base) or self.state.scopes.find(self.texts[at]) == base

    # base_value: type ('(' … ')' | braces)
    def _base_value(self, base: Struct) -> Statement:
        """Parse the base initialiser of a constructor: a call of the base's constructor, or of its members."""
        first = self.tokens.at
        values = self.constructor_arguments(base)
        return self._construct_base(base, values, self.tokens.span(first))

    def constructor_arguments(self, kind: Struct) -> tuple[Expr, ...]:
        """Parse a struct's name, and the values for its constructor in parentheses or braces."""
        self.grammar.types.named_type()
        if self.texts[self.tokens.at] not in ("(", "{"):
            self.tokens.refuse_missing("'('")
        value = self.grammar.initialisers.braces(kind) if self.texts[self.tokens.at] == "{" else None
        return value.values if isinstance(value, ast.Construct) else self.grammar.expressions.arguments()

    def _default_base_call(self, owner: Struct) -> list[Statement]:
        """Return the implicit call of the base's constructor."""
        base = owner.base
        if base is None or base.name not in self.state.constructors:
            return []
        return [self._construct_base(base, (), self.tokens.span(self.tokens.at - 1))]

    def _construct_base(self, base: Struct, values: tuple[Expr, ...], span: ast.Span) -> Statement:
        this: Expr = ast.Name(span, "this")
        if base.name in self.state.constructors:
            return ast.Do(span, ast.Call(span, base.constructor, (this, *values)))
        whole = ast.Unary(span, "*", ast.Cast(span, Pointer(base), ast.Unary(span, "&", this)))
        return ast.Do(
            span,
            ast.Assign(span, "=", whole, self.grammar.initialisers.construct(span, base, values), initial=True),
        )

    def _member_value(self, kind: CType) -> Expr:
        first = self.tokens.at
        if self.texts[first] == "{":
            return self.grammar.initialisers.braces(kind)
        if self.texts[first] != "(":
            self.tokens.refuse_missing("'('")
        if self.grammar.initialisers.copies_braces(kind):
            return self.grammar.initialisers.braces_in_parentheses(kind)
        values = self.grammar.expressions.arguments()
        span = self.tokens.span(first)
        braces = len(values) == 1 and isinstance(values[0], ast.Construct) and values[0].type == AUTO
        if isinstance(kind, Struct) and (
            len(values) != 1 or braces or self.grammar.function_templates.expression_type(values[0]) not in (kind, None)
        ):
            return self.grammar.initialisers.construct(span, kind, values)
        if isinstance(kind, Array):
            return ast.Construct(span, kind, values)
        if len(values) > 1:
            self.tokens.refuse(first, f"{len(values)} values for one {kind}")
        return values[0] if values else ast.Number(span, 0, INT)

    def _assign_member(self, name: str, value: Expr, span: ast.Span) -> Statement:
        member = ast.Member(span, ast.Name(span, "this"), name)
        if isinstance(value, ast.Construct) and isinstance(value.type, Array):
            return ast.Block(span, tuple(self._assign_elements(member, value, value.type)))
        return ast.Do(span, ast.Assign(span, "=", member, value, initial=True))

    def _assign_elements(self, member: Expr, braces: ast.Construct, kind: Array) -> Iterator[Statement]:
        """Yield the assignments of an array's elements; those without a value are set to 0."""
        span = braces.span
        for number in range(math.prod(kind.shape)):
            place, rest = member, number
            for size in (math.prod(kind.shape[i + 1 :]) for i in range(len(kind.shape))):
                place, rest = ast.Index(span, place, ast.Number(span, rest // size, INT)), rest % size
            has_value = number < len(braces.values)
            value = braces.values[number] if has_value else ast.Construct(span, kind.element, ())
            yield ast.Do(span, ast.Assign(span, "=", place, value, initial=True))


def _is_default_constructor(parameters: tuple[ast.Parameter, ...]) -> bool:
    """Return whether a constructor can be called without arguments."""
    return all(parameter.default is not None for parameter in parameters[1:])


def copies_members(result: Function, owner: Struct) -> bool:
    """Return whether a function is a copy constructor that copies every member."""
    if (
        result.name != owner.constructor
        or len(result.parameters) != 2
        or result.parameters[1].type != Reference(owner, True)
    ):
        return False
    copied: list[str] = []
    for part in result.body.body:
        match part:
            case ast.Do(
                expression=ast.Assign(
                    op="=",
                    target=ast.Member(base=ast.Name(id="this"), field=to),
                    value=ast.Member(base=ast.Name(id=other), field=source),
                )
            ) if other == result.parameters[1].name and to == source:
                copied.append(to)
            case _:
                return False
    return sorted(copied) == sorted(field.name for field in owner.fields)
