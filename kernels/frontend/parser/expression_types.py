"""Types of expressions during parsing, for `decltype`, range-for and structured bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.parser.scope import VariableEntry
from kernels.frontend.templates.matching import match_type
from kernels.frontend.templates.template_arguments import depends
from kernels.frontend.types import (
    AUTO,
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    UINT,
    ULONG,
    VECTORS,
    Array,
    CType,
    FunctionPointer,
    Named,
    Pointer,
    Scalar,
    Struct,
    promote,
    value_type,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Call, Expr, Function, Parameter, Template
    from kernels.frontend.parser.constexpr import Instantiate
    from kernels.frontend.parser.scope import Entry, Scopes
    from kernels.frontend.types import Argument

BUILT_IN: Final[dict[str, CType]] = {
    "threadIdx": VECTORS["uint3"],
    "blockIdx": VECTORS["uint3"],
    "blockDim": VECTORS["dim3"],
    "gridDim": VECTORS["dim3"],
    "warpSize": INT,
}
_TRUTHS: Final = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


class ExpressionTypes:
    """Determines the types of expressions from visible names and the functions parsed so far."""

    def __init__(
        self, scopes: Scopes, functions: Sequence[Function], templates: Sequence[Template], instantiate: Instantiate
    ) -> None:
        self._scopes = scopes
        self._functions = functions
        self._templates = templates
        self._instantiate = instantiate
        self._returns: dict[int, CType | None] = {}
        """Deduced return types of functions declared `auto`, by their identity; None while it is being deduced."""

    def of(self, node: Expr) -> CType | None:
        """Return the type of an expression's value; None if the declarations do not determine it."""
        match node:
            case ast.Name():
                found = self._scopes.find(node.id)
                if found is None:
                    return BUILT_IN.get(node.id)
                return _resolve(found.type) if isinstance(found, VariableEntry) else None
            case ast.Number():
                return node.type
            case ast.String():
                return Array(CHAR, len(node.value.encode()) + 1)
            case ast.Cast() | ast.Construct():
                return _resolve(node.type)
            case ast.SizeOf():
                return ULONG
            case ast.Unary():
                return self._unary(node)
            case ast.Binary():
                return self._binary(node)
            case ast.Conditional():
                then, otherwise = self.of(node.then), self.of(node.otherwise)
                return then if then == otherwise else _arithmetic_type(then, otherwise)
            case ast.Assign() | ast.Update():
                return self.of(node.target)
            case ast.Index():
                return self._element_type(self.of(node.base), "operator[]")
            case ast.Member():
                base = self.of(node.base)
                field = base.field(node.field) if isinstance(base, Struct) else None
                return _resolve(field.type) if field is not None else None
            case ast.Call():
                return self._call(node)
        return None

    def function(self, kind: CType | None, name: str) -> Function | None:
        """Return the function of this name of a struct or its base; None if there are several."""
        while isinstance(kind, Struct):
            found = [f for f in self._functions if f.name == f"{kind}::{name}"]
            if found:
                same = all(f.returns == found[0].returns for f in found)
                return found[0] if same else None
            kind = kind.base
        return None

    def _unary(self, node: ast.Unary) -> CType | None:
        kind = self.of(node.operand)
        if node.op == "!":
            return BOOL
        if node.op == "&":
            return None if kind is None else Pointer(kind)
        if node.op == "*":
            return self._element_type(kind, "operator*")
        return promote(kind) if isinstance(kind, Scalar) else self._member_return_type(kind, f"operator{node.op}")

    def _binary(self, node: ast.Binary) -> CType | None:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(left, Struct) or isinstance(right, Struct):
            name = f"operator{node.op}"
            found = {
                f.returns
                for f in self._functions
                if f.name == name and [value_type(p.type) for p in f.parameters] == [left, right]
            }
            return _resolve(found.pop()) if len(found) == 1 else self._member_return_type(left, name)
        if node.op in _TRUTHS:
            return BOOL
        if node.op == ",":
            return right
        if node.op in ("<<", ">>"):
            return promote(left) if isinstance(left, Scalar) else None
        if isinstance(left, Pointer | Array) or isinstance(right, Pointer | Array):
            if node.op == "-" and isinstance(right, Pointer | Array):
                return LONG
            one = left if isinstance(left, Pointer | Array) else right
            return Pointer(one.of) if isinstance(one, Array) else one
        return _arithmetic_type(left, right)

    def _element_type(self, kind: CType | None, name: str) -> CType | None:
        if isinstance(kind, Pointer):
            return _resolve(kind.to)
        return kind.of if isinstance(kind, Array) else self._member_return_type(kind, name)

    def _member_return_type(self, kind: CType | None, name: str) -> CType | None:
        found = self.function(kind, name)
        return _resolve(found.returns) if found is not None else None

    def _call(self, node: Call) -> CType | None:
        if node.function.startswith("."):
            return None if node.template else self._member_return_type(self.of(node.arguments[0]), node.function[1:])
        found = [
            f
            for f in self._functions
            if f.name == node.function and len(f.parameters) == len(node.arguments) and not node.template
        ]
        templates = [template for template in self._templates if template.name == node.function]
        if len(templates) == 1 and not found:
            return self._call_of_template(node, templates[0])
        if len(found) == 1 and not templates and found[0].returns == AUTO:
            return self._deduce_return_type(found[0])
        kinds = {f.returns for f in found} | {_template_return_type(template, node) for template in templates}
        return _resolve(kinds.pop()) if len(kinds) == 1 else None

    def _call_of_template(self, node: Call, template: Template) -> CType | None:
        """Return the type that a template, the only function of its name, returns for these arguments."""
        known: dict[str, Argument] = {}
        for parameter, argument in zip(template.parameters, node.template, strict=False):
            if isinstance(argument, ast.Number):
                known[parameter.name] = argument.value
            elif not isinstance(argument, ast.Expr):
                known[parameter.name] = argument
        for taking, argument in zip(template.signature, node.arguments, strict=False):
            if not self._deduce(taking, argument, known):
                return _resolve(_template_return_type(template, node))
        try:
            result = self._instantiate(template, tuple(known.get(parameter.name) for parameter in template.parameters))
        except SourceError:
            return _resolve(_template_return_type(template, node))
        return _resolve(result.returns) or self._deduce_return_type(result)

    def _deduce(self, parameter: Parameter, argument: Expr, bindings: dict[str, Argument]) -> bool:
        """Deduce template arguments by one argument of a call; return False if the type contradicts the parameter's."""
        pattern, kind = value_type(parameter.type), self.of(argument)
        if not depends(pattern):
            return True
        # An array that is passed by value decays to a pointer.
        if isinstance(kind, Array) and not isinstance(pattern, Array):
            kind = Pointer(kind.of)
        if isinstance(pattern, Pointer) and isinstance(kind, Pointer):
            pattern, kind = pattern.to, kind.to
        return kind is not None and not parameter.pack and match_type(pattern, kind, bindings)

    def _deduce_return_type(self, function: Function) -> CType | None:
        """Deduce the return type of a function declared `auto` from its return statements.

        The result is cached: for functions that return the sum of two calls each level would double the time.
        """
        if id(function) not in self._returns:
            # A recursive function finds None here, and its other return statements decide.
            self._returns[id(function)] = None
            self._returns[id(function)] = self._type_of_returns(function)
        return self._returns[id(function)]

    def _type_of_returns(self, function: Function) -> CType | None:
        levels, parts = self._scopes.levels, below(function.body)
        # The function's own variables and the names of the file: the local names of the caller are not visible.
        own: dict[str, Entry] = {p.name: VariableEntry(value_type(p.type)) for p in function.parameters}
        self._scopes.levels = [*levels[:2], own]
        try:
            for part in parts:
                for v in part.variables if isinstance(part, ast.Declare) else ():
                    value = v.value if isinstance(v.value, ast.Expr) else None
                    own[v.name] = VariableEntry((value and self.of(value)) or AUTO if v.type == AUTO else v.type)
            values = [part.value for part in parts if isinstance(part, ast.Return)]
            found = {self.of(value) for value in values if value is not None}
        finally:
            self._scopes.levels = levels
        return found.pop() if len(found) == 1 else None


def _template_return_type(template: Template, node: Call) -> CType:
    """Return the return type of a function template: a plain type, or a template argument of `f<float2>(x)`."""
    names = [parameter.name for parameter in template.parameters]
    if isinstance(template.returns, Named) and template.returns.name in names:
        argument = dict(zip(names, node.template, strict=False)).get(template.returns.name)
        if isinstance(argument, CType):
            return argument
    return template.returns


def _resolve(kind: CType) -> CType | None:
    kind = value_type(kind)
    return None if kind == AUTO or isinstance(kind, Named) else kind


def _arithmetic_type(left: CType | None, right: CType | None) -> CType | None:
    """Return the type of `left + right` for two numbers ([expr.arith.conv])."""
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        return None
    if isinstance(left, FunctionPointer) or isinstance(right, FunctionPointer):
        return None
    a, b = promote(left), promote(right)
    for kind in (DOUBLE, FLOAT, HALF):
        if kind in (a, b):
            return kind
    for kind in (ULONG, LONG, UINT):
        if kind in (a, b):
            return kind
    return INT
