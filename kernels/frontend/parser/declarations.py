"""Tokens -> declarations: variables, enumerators, typedefs, parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.parser.scope import Known
from kernels.frontend.parser.structured_bindings import BindingReader
from kernels.frontend.templates.packs import element_name, pack_of_variables
from kernels.frontend.types import AUTO, INT, Array, FunctionPointer, Pointer, Reference, Scalar, Struct, Void

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Space
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.parser.declarators import Declared
    from kernels.frontend.parser.type_specifiers import Specifiers
    from kernels.frontend.preprocessor.macros import Piece
    from kernels.frontend.types import CType


_AFTER_PARAMETERS: Final = {"const", "override", "final", "volatile", "noexcept", "throw", "&", "&&"}


class DeclarationReader(BindingReader):
    """Reads declarations."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.enums: set[str] = set()
        """Names of enums."""
        self._enumerators: list[ast.Variable] = []
        """What the enums inside the declaration being read declare."""

    # declaration: specifiers (variable (',' variable)*)? ';'
    def declaration(self) -> tuple[ast.Variable, ...]:
        """Read the variables that a declaration declares; a prototype declares none."""
        found = self.specifiers()
        made, self._enumerators = self._enumerators, []
        if self.take(";"):
            return tuple(made)
        if found.type == AUTO and self.is_binding():
            made += self.binding(found)
            self.require(";")
            return tuple(made)
        while True:
            variable = self.variable(found)
            if variable is not None:
                made.append(variable)
            if not self.take(","):
                self.require(";")
                return tuple(made)

    # variable: declarator initialiser?
    def variable(self, found: Specifiers) -> ast.Variable | None:
        """Read one declarator and its value; None for a function's prototype."""
        first = self.at
        dynamic = {"extern", "__shared__"} <= found.words
        declared = self.declarator(found.type, const=found.const)
        if declared.parameters is not None:
            self.after_parameters()
            return None
        if isinstance(declared.type, FunctionPointer) and declared.type.bare:  # of a typedef: `Kernel f;`
            return None
        dynamic &= (
            not isinstance(declared.type, Array) or declared.unsized
        )  # with a length it is like any other
        self._check(declared, found, dynamic=dynamic)
        if self.texts[self.at] == ":":
            self.unsupported(declared.index, "bit field", "write a plain member")
        untold = self.texts[self.at] not in ("=", "(", "{")
        outside, self.declaring = self.declaring, (declared.name, declared.type)
        try:
            value, kind = self.initialiser(declared.type)
        finally:
            self.declaring = outside
        if untold and "__shared__" in found.words:
            value = None  # nothing is constructed in shared memory
        if isinstance(kind, Array) and kind.length == 0 and not dynamic:
            self.refuse(declared.index, "this array needs a length between [ and ]")
        if isinstance(kind, Reference) and value is None:
            self.refuse(declared.index, f"the reference '{declared.name}' needs a value")
        known: Value | None = None
        if declared.const and isinstance(kind, Scalar) and value is not None and not isinstance(value, tuple):
            known = self.constant(ast.Cast(value.span, kind, value))
        elif declared.const and kind == AUTO and value is not None and not isinstance(value, tuple):
            known = self.constant(value)
        told = self.kind_of(value) if kind == AUTO and isinstance(value, ast.Expr) else None
        parts = self.parts_of(kind, value) if declared.const else {}
        self.scopes.know(declared.name, Known(told or kind, known, parts=parts))
        return ast.Variable(
            self.span(first), declared.name, kind, space_of(found.words), declared.const, dynamic, value
        )

    def parts_of(
        self, kind: CType, value: Expr | tuple[Expr, ...] | None
    ) -> dict[str | int, int | float | bool]:
        """Return the values of a constant's elements or members, as far as numbers are given for them."""
        if isinstance(kind, Array) and isinstance(kind.of, Scalar) and isinstance(value, tuple):
            listed: dict[str | int, Expr] = dict(enumerate(value))
            kinds: dict[str | int, CType] = dict.fromkeys(range(kind.length), kind.of)
        elif (
            isinstance(kind, Struct)
            and kind.name not in self.constructors
            and isinstance(value, ast.Construct)
        ):
            listed = dict(zip((field.name for field in kind.fields), value.values, strict=False))
            kinds = {field.name: field.type for field in kind.fields}
        else:
            return {}
        found: dict[str | int, int | float | bool] = {}
        for name, each in kinds.items():
            given = listed.get(name)
            if isinstance(each, Scalar):
                number = 0 if given is None else self.constant(ast.Cast(given.span, each, given))
                found |= {} if number is None else {name: number}
        return found

    def after_parameters(self) -> None:
        """Go past what may follow the parameters of a function."""
        while self.skip_attribute() or self.texts[self.at] in _AFTER_PARAMETERS:
            if self.texts[self.at] not in _AFTER_PARAMETERS:
                continue
            self.at += 1
            if self.texts[self.at - 1] in ("noexcept", "throw") and self.texts[self.at] == "(":
                self.at = self.closes[self.at] + 1

    def _check(self, declared: Declared, found: Specifiers, *, dynamic: bool) -> None:
        if not declared.name:
            self.missing("a name")
        if isinstance(declared.type, Void):
            if self.texts[self.at] == "(":  # no parameters to the declarator: their type may be unknown
                self.parameters()
            self.refuse(
                declared.index, f"'{declared.name}' cannot be void; did you mean void *{declared.name}?"
            )
        if dynamic and not (isinstance(declared.type, Array) and declared.unsized):
            self.refuse(
                declared.index,
                f"extern __shared__ '{declared.name}' is an array without a length: {declared.name}[]",
            )
        if (
            "extern" in found.words
            and "__shared__" not in found.words
            and self.texts[self.at] not in ("=", "{")
        ):
            self.unsupported(found.first, f"extern variable '{declared.name}'", "define it in this file")

    # enum: 'enum' ('class' | 'struct')? name? (':' type)? '{' (name ('=' constant)?) , … '}'
    def enum(self) -> CType:
        """Read an enum: each enumerator becomes a const variable of its type."""
        self.at += 1
        scoped = self.take("class") or self.take("struct")
        self.skip_attribute()
        name = self.name() if self.kinds[self.at] == "name" else ""
        kind: CType = INT
        if self.take(":"):
            kind = self.type_id()
            if not isinstance(kind, Scalar):
                self.refuse(self.at - 1, "an enum is made of whole numbers")
        if self.texts[self.at] != "{":
            found = self.scopes.find(name)
            return found if isinstance(found, Scalar) else kind
        if name:
            self.scopes.know(name, kind)
            self.enums.add(name)
        close = self.closes[self.at]
        self.at += 1
        following: int = 0
        while self.at != close:
            following = self._enumerator(f"{name}::" * scoped, kind, following) + 1
            if self.at != close:
                self.require(",")
        self.at += 1
        return kind

    def _enumerator(self, prefix: str, kind: CType, value: int) -> int:
        first = self.at
        name = prefix + self.name()
        if self.take("="):
            given = self.at
            constant = self.constant(self.assignment())
            if constant is None or isinstance(constant, float):
                self.refuse(given, "an enumerator needs a whole number that is known before the kernel runs")
            value = int(constant)
        self.scopes.know(name, Known(kind, value))
        span = self.span(first)
        number: Expr = ast.Number(span, abs(value), INT)
        if value < 0:
            number = ast.Unary(span, "-", number)
        self._enumerators.append(ast.Variable(span, name, kind, const=True, value=number))
        return value

    # type_definition: 'typedef' specifiers declarator , … ';' | 'using' name '=' type ';'
    def type_definition(self) -> tuple[ast.Variable, ...]:
        """Read `typedef` or `using`: the name is known from here on. Return the enumerators inside."""
        if self.take("using"):
            name = self.name()
            self.require("=")
            self.scopes.know(name, self.type_id())
        else:
            self.require("typedef")
            found = self.specifiers()
            while True:
                declared = self.declarator(found.type, const=found.const)
                if not declared.name:
                    self.missing("a name")
                kind = declared.type
                if declared.parameters is not None:
                    kind = self.function_type(declared, bare=True)
                self.scopes.know(declared.name, kind)
                if not self.take(","):
                    break
        self.require(";")
        made, self._enumerators = self._enumerators, []
        return tuple(made)

    # parameters: '(' (parameter (',' parameter)*)? ')'
    def parameters(self) -> tuple[ast.Parameter, ...]:
        """Read the parameters of a function; an array arrives as a pointer."""
        opened = self.at
        self.at += 1
        if self.texts[self.at] == "void" and self.at + 1 == self.closes[opened]:
            self.at += 1
        made: list[ast.Parameter] = []
        while self.at != self.closes[opened]:
            if made:
                self.require(",")
            if self._is_pack(self.closes[opened]):
                made += self._pack()
            else:
                made.append(self._parameter())
        self.at += 1
        return tuple(made)

    def _is_pack(self, close: int) -> bool:
        """Whether the parameter that begins here has a `...` in front of its name."""
        at = self.at + 1
        while at < close and self.texts[at] != ",":
            if self.texts[at] == "...":
                return True
            at = self.past_angles(at) if self.texts[at] == "<" else self.closes.get(at, at) + 1
        return False

    def _pack(self) -> list[ast.Parameter]:
        """Read a parameter that stands for one each of a pack's elements."""
        first = self.at
        made, lengths = self.trial(self._parameter)
        if self.signature and not lengths:
            return [replace(made, pack=True)]
        if not lengths:
            self.unsupported(first, "parameter '...'", "give each parameter a name")
        read = self.each(max(lengths), first, self._parameter)
        found = [replace(p, name=element_name(p.name, i) if p.name else "") for i, p in enumerate(read)]
        if made.name:
            kinds = [parameter.type for parameter in found]
            self.scopes.know(made.name, pack_of_variables(made.name, kinds))
            for parameter in found:
                self.know(parameter.name, parameter.type)
        return found

    # parameter: specifiers declarator ('=' assignment)?
    def _parameter(self) -> ast.Parameter:
        first = self.at
        if self.texts[first] == "...":
            self.unsupported(first, "parameter '...'", "give each parameter a name")
        found = self.specifiers()
        declared = self.declarator(found.type, const=found.const)
        kind = declared.type if declared.parameters is None else self.function_type(declared)
        if isinstance(kind, Void):
            self.refuse(first, "a parameter cannot be void")
        if isinstance(kind, Array):
            kind = Pointer(kind.of, declared.const)
        if self.texts[self.at] not in (",", ")", "="):
            self.missing("')'")
        span = self.span(first)
        default = None
        if self.take("="):
            plain = kind.to if isinstance(kind, Reference) else kind
            default = self.braces(plain) if self.texts[self.at] == "{" else self.assignment()
        if declared.name:
            self.know(declared.name, kind)
        return ast.Parameter(span, declared.name, kind, default)


def space_of(words: frozenset[str]) -> Space:
    """Where a variable lives that is declared with these words."""
    if "__shared__" in words:
        return "shared"
    if "__constant__" in words:
        return "constant"
    return "global" if words & {"__device__", "__managed__"} else "auto"
