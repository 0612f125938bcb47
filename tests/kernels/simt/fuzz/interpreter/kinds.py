"""Types of expressions that are not evaluated: the other operand of a conditional, arguments of overloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernels.frontend import ast
from kernels.frontend.types import (
    BOOL,
    INT,
    UINT,
    ULONG,
    Array,
    CType,
    Named,
    Pointer,
    Reference,
    Scalar,
    Struct,
)
from tests.kernels.simt.fuzz.interpreter import builtins
from tests.kernels.simt.fuzz.interpreter.values import binary, convert, promoted

if TYPE_CHECKING:
    from kernels.frontend import Instances
    from kernels.frontend.ast import Expr, Function

    Placed = tuple[CType, int]


class Kinds:
    """Names in scope and the types of what is written with them."""

    def __init__(self, instances: Instances, built_in: dict[str, int], globals_: dict[str, Placed]) -> None:
        self._program = instances.program
        self._instances = instances
        self._built_in = built_in
        self._globals = globals_
        self._scopes: list[dict[str, Placed]] = [{}]

    def _find(self, name: str) -> Placed | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return self._globals.get(name)

    def kind(self, node: Expr) -> CType:
        """Type of an expression; an array's is a pointer."""
        kind = self._kind(node)
        return Pointer(kind.of) if isinstance(kind, Array) else kind

    def _kind(self, node: Expr) -> Any:
        match node:
            case ast.Number() | ast.Cast() | ast.Construct():
                return node.type
            case ast.Name(id="warpSize"):
                return INT
            case ast.Name():
                found = self._find(node.id)
                assert found is not None, node.id
                return found[0]
            case ast.Unary(op="&"):
                return Pointer(self._kind(node.operand))
            case ast.Unary(op="*"):
                return self.kind(node.operand).to  # type: ignore[union-attr]
            case ast.Unary(op="!"):
                return BOOL
            case ast.Unary():
                return promoted(self.kind(node.operand))  # type: ignore[arg-type]
            case ast.Binary(op=","):
                return self.kind(node.right)
            case ast.Binary(op="&&" | "||"):
                return BOOL
            case ast.Binary():
                return self._binary_kind(node.op, self.kind(node.left), self.kind(node.right))
            case ast.Conditional():
                then, otherwise = self.kind(node.then), self.kind(node.otherwise)
                both = isinstance(then, Scalar) and isinstance(otherwise, Scalar) and then != otherwise
                return self._binary_kind("*", then, otherwise) if both else then
            case ast.Assign() | ast.Update():
                return self._kind(node.target)
            case ast.Index():
                return self.kind(node.base).to  # type: ignore[union-attr]
            case ast.Member(base=ast.Name(id=name), field=field) if f"{name}.{field}" in self._built_in:
                return UINT
            case ast.Member():
                return self._kind(node.base).field(node.field).type
            case ast.SizeOf():
                return ULONG
        assert isinstance(node, ast.Call)
        return self._call_kind(node)

    def _binary_kind(self, op: str, left: CType, right: CType) -> CType:
        if isinstance(left, Struct) or isinstance(right, Struct):
            return self._overload(f"operator{op}", [left, right]).returns
        return binary(op, (left, _one(left)), (right, _one(right)))[0]

    def _call_kind(self, node: ast.Call) -> CType:
        name, kinds = node.function, [self.kind(a) for a in node.arguments]
        if name.startswith("."):
            name = f"{kinds[0]}::{name[1:]}"
        template = next((t for t in self._program.templates if t.name == name), None)
        if template is not None:
            known = self._deduced(template, node)
            return self._instances.instantiate(template, tuple(known[p.name] for p in template.parameters)).returns
        if any(f.name == name for f in self._program.functions):
            return self._overload(name, kinds).returns
        if name in builtins.ATOMIC or name == "__ldg":
            return kinds[0].to  # type: ignore[union-attr]
        if name.startswith("__shfl"):
            return promoted(kinds[1])  # type: ignore[arg-type]
        if name.endswith("_sync") or name.startswith("__syncthreads"):
            return UINT if name == "__ballot_sync" else promoted(kinds[-1])  # type: ignore[arg-type]
        found = builtins.call(name, [(kind, _one(kind)) for kind in kinds])
        assert found is not None, name
        return found[0]

    def _overload(self, name: str, given: list[CType]) -> Function:
        """The function of that name whose parameters fit best."""

        def cost(function: Function) -> int:
            wanted = [p.type.to if isinstance(p.type, Reference) else p.type for p in function.parameters]
            needed = sum(p.default is None for p in function.parameters)
            if not needed <= len(given) <= len(wanted):
                return 1000
            return sum(kind != want for want, kind in zip(wanted, given, strict=False))

        return min((f for f in self._program.functions if f.name == name), key=cost)

    def _deduced(self, template: ast.Template, node: ast.Call) -> dict[str, Any]:
        """What a template's parameters stand for, given or told by the arguments."""
        known: dict[str, Any] = {}
        for parameter, value in zip(template.parameters, node.template, strict=False):
            if isinstance(value, Scalar | Pointer | Struct | Array):
                known[parameter.name] = value
            else:
                assert isinstance(value, ast.Number)
                known[parameter.name] = value.value
        for signature, argument in zip(template.signature, node.arguments, strict=False):
            match(signature.type, self.kind(argument), known)
        return known


def match(pattern: CType, kind: CType, known: dict[str, Any]) -> None:
    """Find out what a template's type parameters stand for."""
    if isinstance(pattern, Named):
        known.setdefault(pattern.name, kind)
    elif isinstance(pattern, Reference):
        match(pattern.to, kind, known)
    elif isinstance(pattern, Pointer) and isinstance(kind, Pointer):
        match(pattern.to, kind.to, known)


def _one(kind: CType) -> Any:
    """Some value of a type."""
    if isinstance(kind, Struct):
        return bytes(kind.size_bytes)
    return convert(1, INT, kind) if isinstance(kind, Scalar) else 8
