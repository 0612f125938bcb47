"""Declarations of variables, enumerators, typedefs and parameters."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.parser.part import Part
from kernels.frontend.parser.scope import VariableEntry
from kernels.frontend.templates.packs import element_name, pack_of_variables
from kernels.frontend.templates.parameters import number_of
from kernels.frontend.types import (
    AUTO,
    INT,
    Array,
    FunctionPointer,
    Pointer,
    Reference,
    Scalar,
    Struct,
    Void,
    value_type,
)

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Space
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.parser.declaration_parts import Declarator, Specifiers
    from kernels.frontend.types import CType

_AFTER_PARAMETERS: Final = {"const", "override", "final", "volatile", "noexcept", "throw", "&", "&&"}


class Declarations(Part):
    """Parses declarations."""

    # declaration: specifiers (variable (',' variable)*)? ';'
    def declaration(self) -> tuple[ast.Variable, ...]:
        """Parse the variables that a declaration declares; a prototype declares none."""
        specifiers = self.grammar.types.specifiers()
        result, self.state.enumerators = self.state.enumerators, []
        if self.texts[self.tokens.at] == ";":
            self.tokens.at += 1
            return tuple(result)
        if specifiers.type == AUTO and self.is_binding():
            result += self.binding(specifiers)
            self.tokens.require(";")
            return tuple(result)
        while True:
            variable = self.variable(specifiers)
            if variable is not None:
                result.append(variable)
            if self.texts[self.tokens.at] != ",":
                self.tokens.require(";")
                return tuple(result)
            self.tokens.at += 1

    def local_declaration(self) -> tuple[ast.Variable, ...]:
        """Parse a declaration in a function; variables with static storage are moved to those of the file."""
        first = self.tokens.at
        declared = self.declaration()
        static = "static" in self.texts[first : first + 3]
        return tuple(variable for variable in declared if not self._has_static_storage(variable, static=static))

    # variable: declarator initialiser?
    def variable(self, specifiers: Specifiers) -> ast.Variable | None:
        """Parse one declarator and its value; None for a function's prototype."""
        first = self.tokens.at
        dynamic = {"extern", "__shared__"} <= specifiers.words
        declarator = self.grammar.declarators.declarator(specifiers.type, const=specifiers.const)
        if declarator.parameters is not None:
            self.after_parameters()
            return None
        if isinstance(declarator.type, FunctionPointer) and declarator.type.bare:  # a function: `Kernel f;`
            return None
        dynamic &= not isinstance(declarator.type, Array) or declarator.unsized  # with a length it is not dynamic
        self._check(declarator, specifiers, dynamic=dynamic)
        if self.texts[self.tokens.at] == ":":
            self.tokens.unsupported(declarator.index, "bit field", "write a plain member")
        default_initialisation = self.texts[self.tokens.at] not in ("=", "(", "{")
        outside, self.state.declaring = self.state.declaring, (declarator.name, declarator.type)
        try:
            value, kind = self.grammar.initialisers.initialiser(declarator.type)
        finally:
            self.state.declaring = outside
        if default_initialisation and "__shared__" in specifiers.words:
            value = None  # nothing is constructed in shared memory
        if isinstance(kind, Array) and kind.length == 0 and not dynamic:
            self.tokens.refuse(declarator.index, "this array needs a length between [ and ]")
        if isinstance(kind, Reference) and value is None:
            self.tokens.refuse(declarator.index, f"the reference '{declarator.name}' needs a value")
        known: Value | None = None
        if declarator.const and isinstance(kind, Scalar) and value is not None and not isinstance(value, tuple):
            known = self.grammar.types.constant(ast.Cast(value.span, kind, value))
        elif declarator.const and kind == AUTO and value is not None and not isinstance(value, tuple):
            known = self.grammar.types.constant(value)
        known_type = (
            self.grammar.function_templates.expression_type(value)
            if kind == AUTO and isinstance(value, ast.Expr)
            else None
        )
        parts = self.parts_of(kind, value) if declarator.const else {}
        self.state.scopes.declare(declarator.name, VariableEntry(known_type or kind, known, parts=parts))
        return ast.Variable(
            self.tokens.span(first),
            declarator.name,
            kind,
            space_of(specifiers.words),
            declarator.const,
            dynamic,
            value,
        )

    def parts_of(self, kind: CType, value: Expr | tuple[Expr, ...] | None) -> dict[str | int, int | float | bool]:
        """Return the known numbers in an array or struct constant: by index of an element, or name of a member."""
        if isinstance(kind, Array) and isinstance(kind.of, Scalar) and isinstance(value, tuple):
            listed: dict[str | int, Expr] = dict(enumerate(value))
            kinds: dict[str | int, CType] = dict.fromkeys(range(kind.length), kind.of)
        elif isinstance(kind, Struct) and kind.name not in self.state.constructors and isinstance(value, ast.Construct):
            listed = dict(zip((field.name for field in kind.fields), value.values, strict=False))
            kinds = {field.name: field.type for field in kind.fields}
        else:
            return {}
        found: dict[str | int, int | float | bool] = {}
        for name, each in kinds.items():
            value = listed.get(name)
            if isinstance(each, Scalar):
                number = 0 if value is None else self.grammar.types.constant(ast.Cast(value.span, each, value))
                found |= {} if number is None else {name: number}
        return found

    def after_parameters(self) -> None:
        """Skip the specifiers after the parameters of a function: `const`, `noexcept(…)`, attributes."""
        while self.grammar.lookahead.skip_attribute() or self.texts[self.tokens.at] in _AFTER_PARAMETERS:
            if self.texts[self.tokens.at] not in _AFTER_PARAMETERS:
                continue
            self.tokens.at += 1
            if self.texts[self.tokens.at - 1] in ("noexcept", "throw") and self.texts[self.tokens.at] == "(":
                self.tokens.at = self.closes[self.tokens.at] + 1

    def _check(self, declarator: Declarator, specifiers: Specifiers, *, dynamic: bool) -> None:
        if not declarator.name:
            self.tokens.refuse_missing("a name")
        if isinstance(declarator.type, Void):
            # Parentheses that the declarator did not parse as parameters: an error in their types comes first.
            if self.texts[self.tokens.at] == "(":
                self.parameters()
            self.tokens.refuse(
                declarator.index, f"'{declarator.name}' cannot be void; did you mean void *{declarator.name}?"
            )
        if dynamic and not (isinstance(declarator.type, Array) and declarator.unsized):
            self.tokens.refuse(
                declarator.index,
                f"extern __shared__ '{declarator.name}' is an array without a length: {declarator.name}[]",
            )
        if (
            "extern" in specifiers.words
            and "__shared__" not in specifiers.words
            and self.texts[self.tokens.at] not in ("=", "{")
        ):
            self.tokens.unsupported(specifiers.first, f"extern variable '{declarator.name}'", "define it in this file")

    # enum: 'enum' ('class' | 'struct')? name? (':' type)? '{' (name ('=' constant)?) , … '}'
    def enum(self) -> CType:
        """Parse an enum: each enumerator becomes a const variable of its type."""
        self.tokens.at += 1
        scoped = self.tokens.take("class") or self.tokens.take("struct")
        self.grammar.lookahead.skip_attribute()
        name = self.tokens.name() if self.kinds[self.tokens.at] == "name" else ""
        kind: CType = INT
        if self.tokens.take(":"):
            kind = self.grammar.declarators.type_id()
            if not isinstance(kind, Scalar):
                self.tokens.refuse(self.tokens.at - 1, "an enum is made of whole numbers")
        if self.texts[self.tokens.at] != "{":
            found = self.state.scopes.find(name)
            return found if isinstance(found, Scalar) else kind
        if name:
            self.state.scopes.declare(name, kind)
            self.state.enums.add(name)
        close = self.closes[self.tokens.at]
        self.tokens.at += 1
        following: int = 0
        while self.tokens.at != close:
            following = self._enumerator(f"{name}::" * scoped, kind, following) + 1
            if self.tokens.at != close:
                self.tokens.require(",")
        self.tokens.at += 1
        return kind

    def _enumerator(self, prefix: str, kind: CType, value: int) -> int:
        first = self.tokens.at
        name = prefix + self.tokens.name()
        if self.tokens.take("="):
            begin = self.tokens.at
            constant = self.grammar.types.constant(self.grammar.expressions.assignment())
            if constant is None or isinstance(constant, float):
                self.tokens.refuse(begin, "an enumerator needs a whole number that is known before the kernel runs")
            value = int(constant)
        self.state.scopes.declare(name, VariableEntry(kind, value))
        span = self.tokens.span(first)
        number: Expr = ast.Number(span, abs(value), INT)
        if value < 0:
            number = ast.Unary(span, "-", number)
        self.state.enumerators.append(ast.Variable(span, name, kind, const=True, value=number))
        return value

    # type_definition: 'typedef' specifiers declarator , … ';' | 'using' name '=' type ';'
    def type_definition(self) -> tuple[ast.Variable, ...]:
        """Parse `typedef` or `using`: the name is known from here on. Return the enumerators inside."""
        if self.tokens.take("using"):
            name = self.tokens.name()
            self.tokens.require("=")
            self.state.scopes.declare(name, self.grammar.declarators.type_id())
        else:
            self.tokens.require("typedef")
            specifiers = self.grammar.types.specifiers()
            while True:
                declarator = self.grammar.declarators.declarator(specifiers.type, const=specifiers.const)
                if not declarator.name:
                    self.tokens.refuse_missing("a name")
                kind = declarator.type
                if declarator.parameters is not None:
                    kind = self.grammar.declarators.function_type(declarator, bare=True)
                self.state.scopes.declare(declarator.name, kind)
                if not self.tokens.take(","):
                    break
        self.tokens.require(";")
        result, self.state.enumerators = self.state.enumerators, []
        return tuple(result)

    # parameters: '(' (parameter (',' parameter)*)? ')'
    def parameters(self) -> tuple[ast.Parameter, ...]:
        """Parse the parameters of a function; an array arrives as a pointer."""
        opening = self.tokens.advance()
        if self.texts[self.tokens.at] == "void" and self.tokens.at + 1 == self.closes[opening]:
            self.tokens.at += 1
        result: list[ast.Parameter] = []
        while self.tokens.at != self.closes[opening]:
            if result:
                self.tokens.require(",")
            if self._is_pack(self.closes[opening]):
                result += self._pack()
            else:
                result.append(self._parameter())
        self.tokens.at += 1
        return tuple(result)

    def _is_pack(self, close: int) -> bool:
        """Return whether the parameter that begins here has a `...` in front of its name."""
        at = self.tokens.at + 1
        while at < close and self.texts[at] != ",":
            if self.texts[at] == "...":
                return True
            at = self.tokens.past_angles(at) if self.texts[at] == "<" else self.closes.get(at, at) + 1
        return False

    def _pack(self) -> list[ast.Parameter]:
        """Parse a parameter that is a pack: one parameter for each element."""
        first = self.tokens.at
        result, lengths = self.grammar.packs.parse_first(self._parameter)
        if self.state.signature and not lengths:
            return [replace(result, pack=True)]
        if not lengths:
            self.tokens.unsupported(first, "parameter '...'", "give each parameter a name")
        read = self.grammar.packs.parse_each(max(lengths), first, self._parameter)
        found = [replace(p, name=element_name(p.name, i) if p.name else "") for i, p in enumerate(read)]
        if result.name:
            kinds = [parameter.type for parameter in found]
            self.state.scopes.declare(result.name, pack_of_variables(result.name, kinds))
            for parameter in found:
                self.state.scopes.declare_variable(parameter.name, parameter.type)
        return found

    # parameter: specifiers declarator ('=' assignment)?
    def _parameter(self) -> ast.Parameter:
        first = self.tokens.at
        if self.texts[first] == "...":
            self.tokens.unsupported(first, "parameter '...'", "give each parameter a name")
        specifiers = self.grammar.types.specifiers()
        declarator = self.grammar.declarators.declarator(specifiers.type, const=specifiers.const)
        kind = declarator.type if declarator.parameters is None else self.grammar.declarators.function_type(declarator)
        if isinstance(kind, Void):
            self.tokens.refuse(first, "a parameter cannot be void")
        if isinstance(kind, Array):
            kind = Pointer(kind.of, declarator.const)
        if self.texts[self.tokens.at] not in (",", ")", "="):
            self.tokens.refuse_missing("')'")
        span = self.tokens.span(first)
        default = None
        if self.tokens.take("="):
            plain = value_type(kind)
            default = (
                self.grammar.initialisers.braces(plain)
                if self.texts[self.tokens.at] == "{"
                else self.grammar.expressions.assignment()
            )
        if declarator.name:
            self.state.scopes.declare_variable(declarator.name, kind)
        return ast.Parameter(span, declarator.name, kind, default)

    def is_binding(self) -> bool:
        """Return whether names in brackets follow `auto`."""
        at = self.tokens.at + (self.texts[self.tokens.at] in ("&", "&&"))
        return self.texts[at] == "[" and self.texts[at + 1] != "["

    # binding: ('&' | '&&')? '[' name (',' name)* ']' ('=' assignment | '(' assignment ')' | '{' assignment '}') ';'
    def binding(self, specifiers: Specifiers) -> tuple[ast.Variable, ...]:
        """Parse a structured binding: its names are parts of a copy of the value or, with &, of the value itself."""
        first = self.tokens.at
        reference = self.texts[first] in ("&", "&&")
        opening = first + reference
        self.tokens.at = opening + 1
        names = [self.tokens.name()]
        while self.tokens.take(","):
            names.append(self.tokens.name())
        self.grammar.expressions.close(opening)
        begin = self.tokens.at
        whole = self._bound_value()
        span = self.tokens.span(first)
        parts = self._part_values(begin, whole, len(names))
        result: list[ast.Variable] = []
        plain = isinstance(whole, ast.Name | ast.Member | ast.Index)
        if not plain or not reference:
            hidden = f"__{'_'.join(names)}"
            if isinstance(self.grammar.function_templates.expression_type(whole), Array):
                if not plain:
                    self.tokens.unsupported(begin, "a structured binding of this array", "give the array a name")
                copied = [
                    ast.Variable(span, name, AUTO, const=specifiers.const, value=part)
                    for name, part in zip(names, parts, strict=True)
                ]
                return self._declare_all(copied)
            result.append(ast.Variable(span, hidden, AUTO, const=specifiers.const, value=whole))
            parts = self._part_values(begin, ast.Name(span, hidden), len(names), whole)
        result += [
            ast.Variable(span, name, Reference(AUTO, specifiers.const), value=part)
            for name, part in zip(names, parts, strict=True)
        ]
        return self._declare_all(result)

    def _bound_value(self) -> Expr:
        if self.texts[self.tokens.at] in ("(", "{"):
            opening = self.tokens.advance()
            result = self.grammar.expressions.inside(self.grammar.expressions.assignment)
            self.grammar.expressions.close(opening)
            return result
        self.tokens.require("=")
        return self.grammar.expressions.assignment()

    def _part_values(self, begin: int, whole: Expr, count: int, like: Expr | None = None) -> list[Expr]:
        """Return the value of each name: the members in order, elements, or elements of a tuple."""
        kind = self.grammar.function_templates.expression_type(like or whole)
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
            self.tokens.unsupported(
                begin, "a structured binding of a value that is no plain struct or array", "name its type first"
            )
        if len(parts) != count:
            self.tokens.refuse(begin, f"{count} names for the {len(parts)} parts of {kind}")
        return parts

    def _declare_all(self, result: list[ast.Variable]) -> tuple[ast.Variable, ...]:
        for variable in result:
            assert isinstance(variable.value, ast.Expr)
            self.state.scopes.declare_variable(
                variable.name, self.grammar.function_templates.expression_type(variable.value) or AUTO
            )
        return tuple(result)

    # using_enum: 'using' 'enum' name ';'
    def open_enum(self) -> None:
        """Parse `using enum E;`, if it is here: make the enumerators visible without their enum."""
        if self.texts[self.tokens.at : self.tokens.at + 2] != ["using", "enum"]:
            return
        end = self.tokens.at
        while self.texts[end] not in (";", ""):
            end += 1
        prefix = f"{self.texts[end - 1]}::"
        for level in self.state.scopes.levels[1:]:
            for name, entry in [*level.items()]:
                if name.startswith(prefix) and isinstance(entry, VariableEntry):
                    self.state.scopes.declare(name.removeprefix(prefix), replace(entry, alias=name))

    def _has_static_storage(self, variable: ast.Variable, *, static: bool) -> bool:
        """Return whether a variable of a function has static storage: it is then one of the file's variables."""
        if variable.space == "auto" and static and not variable.const:
            variable = replace(variable, space="global")
        if variable.space in ("auto", "shared"):
            return False
        self.state.scopes.declare(
            variable.name, self.move_to_file(f"{self.state.function_name}::{variable.name}", variable)
        )
        return True

    def define_static_member(self, full: str) -> None:
        """Parse the value of a static member outside of its struct: `__device__ int S::n = 5;`."""
        known = self.state.scopes.find(full)
        (variable,) = self.declaration()
        moved = self.state.constants[full]
        self.state.constants[full] = replace(moved, type=variable.type, value=variable.value or moved.value)
        if known is not None:
            self.state.scopes.declare(full, known)

    def fold(self, variable: ast.Variable) -> ast.Variable:
        """Return a variable with numbers in place of expressions that call functions."""
        kind = variable.type.element if isinstance(variable.type, Array) else variable.type
        if not isinstance(kind, Scalar) or variable.value is None:
            return variable
        if isinstance(variable.value, tuple):
            return replace(variable, value=tuple(self._folded(value, kind) for value in variable.value))
        return replace(variable, value=self._folded(variable.value, kind))

    def _folded(self, value: ast.Expr, kind: Scalar) -> ast.Expr:
        if not any(isinstance(part, ast.Call | ast.Member | ast.Index) for part in below(value)):
            return value
        known = self.grammar.types.constant(ast.Cast(value.span, kind, value))
        return value if known is None else number_of(value.span, known, kind)

    def move_to_file(self, full: str, variable: ast.Variable) -> VariableEntry:
        """Move a variable to those of the file, under the name `S_name` for `S::name`.

        Return the entry of its name at its declaration: each instance of a template has its own variable.
        """
        own = re.sub(r"\W+", "_", full)
        while self.state.scopes.find(own) is not None:
            own += "_"
        moved = self.fold(replace(variable, name=own))
        known = VariableEntry(
            moved.type, alias=own, parts=self.parts_of(moved.type, moved.value) if moved.const else {}
        )
        self.state.constants[full if full not in self.state.constants else own] = moved
        self.state.scopes.declare_in_file(own, known)
        return known


def space_of(words: frozenset[str]) -> Space:
    """Return the memory space of a variable declared with these words."""
    if "__shared__" in words:
        return "shared"
    if "__constant__" in words:
        return "constant"
    return "global" if words & {"__device__", "__managed__"} else "auto"
