"""Expressions of one thread.

Every variable is in memory, registers too, so that a reference is an address. An address is an integer: the number of
a memory and the offset in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kernels.frontend import ast
from kernels.frontend.types import (
    AUTO,
    BOOL,
    INT,
    UINT,
    ULONG,
    VOID,
    Array,
    CType,
    Pointer,
    Reference,
    Scalar,
    Struct,
)
from tests.kernels.simt.fuzz.interpreter.kinds import Kinds
from tests.kernels.simt.fuzz.interpreter.values import Typed, Value, binary, convert, decode, encode, size, unary

if TYPE_CHECKING:
    from collections.abc import Generator

    from kernels.frontend import Instances
    from kernels.frontend.ast import Expr
    from tests.kernels.simt.fuzz.interpreter.launch import Store

    Waiting = Generator["Request", Any, Any]
    Placed = tuple[CType, int]


@dataclass(frozen=True)
class Request:
    """What a thread waits for: "block" (all threads of it) or "warp", and what it brings along."""

    scope: str
    name: str = ""
    arguments: tuple[Typed, ...] = ()


class Expressions(Kinds):
    """A thread that evaluates; those who yield wait for others."""

    def __init__(
        self,
        instances: Instances,
        store: Store,
        built_in: dict[str, int],
        globals_: dict[str, Placed],
        shared: dict[ast.Variable, int],
    ) -> None:
        super().__init__(instances, built_in, globals_)
        self.log: dict[tuple[str, int], list[tuple[str, int]]] = {}
        self.touched: set[tuple[int, str, int, str]] = set()
        self.barriers = 0
        self._store = store
        self._shared = shared
        self._returns: CType = VOID

    # --- memory ------------------------------------------------------------------------------------------

    def _load(self, kind: CType, address: int) -> Typed:
        if isinstance(kind, Array):
            return Pointer(kind.of), address
        self._note("read", kind, address)
        return kind, decode(kind, self._store.read(address, size(kind)))

    def _put(self, kind: CType, address: int, value: Value, access: str = "write") -> None:
        self._note(access, kind, address)
        self._store.write(address, encode(kind, value))

    def _note(self, access: str, kind: CType, address: int) -> None:
        """Write an access down; one instruction moves as many bytes of a struct as it is aligned to."""
        whole = size(kind)
        step = min(kind.align_bytes, 16) if isinstance(kind, Struct) else whole
        for part in range(address, address + whole, step):
            name, element, width = self._store.element(part, step)
            for position in range(width if name else 0):
                self.log.setdefault((name, element + position), []).append((access, width))
                self.touched.add((self.barriers, name, element + position, access))

    def _declare(self, name: str, kind: CType, value: Value | None) -> int:
        address = self._store.allocate("", size(kind), 1)
        self._scopes[-1][name] = kind, address
        if value is not None:
            self._store.write(address, encode(kind, value))
        return address

    # --- expressions -------------------------------------------------------------------------------------

    def _truth(self, node: Expr) -> Waiting:
        _, value = yield from self._value(node)
        return bool(value != 0)

    def _value(self, node: Expr, wanted: CType = AUTO) -> Waiting:
        """Type and value of an expression; `wanted` is the type of braces that do not say theirs."""
        match node:
            case ast.Number():
                return node.type, convert(decode(node.type, encode(node.type, node.value)), node.type, node.type)
            case ast.Unary(op="&"):
                kind, address = yield from self._place(node.operand)
                return Pointer(kind), address
            case ast.Unary(op=op) if op != "*":
                kind, value = yield from self._value(node.operand)
                return unary(op, kind, value)
            case ast.Binary():
                return (yield from self._binary(node))
            case ast.Conditional():
                return (yield from self._conditional(node))
            case ast.Update(prefix=False):
                kind, address = yield from self._place(node.target)
                _, old = self._load(kind, address)
                self._step(node, kind, address, old)
                return kind, old
            case ast.Assign() | ast.Update():
                kind, address = yield from self._place(node)  # the value just stored is not read again
                return kind, decode(kind, self._store.read(address, size(kind)))
            case ast.Call():
                return (yield from self._call(node))
            case ast.Construct():
                return (yield from self._construct(node, wanted if node.type == AUTO else node.type))
            case ast.Cast():
                source, value = yield from self._value(node.operand)
                return node.type, convert(value, source, node.type)
            case ast.SizeOf():
                typed = isinstance(node.operand, Scalar | Pointer | Array | Struct)
                return ULONG, size(node.operand if typed else self._kind(node.operand))  # type: ignore[arg-type]
            case ast.Name(id="warpSize"):
                return INT, 32
            case ast.Member(base=ast.Name(id=name), field=field) if f"{name}.{field}" in self._built_in:
                return UINT, self._built_in[f"{name}.{field}"]
            case ast.Member() if not _is_place(node.base):
                struct, raw = yield from self._value(node.base)
                found = struct.field(node.field)
                return found.type, decode(found.type, raw[found.offset_bytes :][: size(found.type)])
        kind, address = yield from self._place(node)
        return self._load(kind, address)

    def _values(self, each: tuple[Expr, ...]) -> Waiting:
        """Types and values, from left to right."""
        found = []
        for node in each:
            found.append((yield from self._value(node)))
        return found

    def _place(self, node: Expr) -> Waiting:
        """Type and address of what an expression names."""
        match node:
            case ast.Name():
                found = self._find(node.id)
                assert found is not None, node.id
                return found
            case ast.Unary(op="*"):
                kind, address = yield from self._value(node.operand)
                return kind.to, address
            case ast.Index():
                kind, address = yield from self._value(node.base)
                _, index = yield from self._value(node.index)
                return kind.to, address + index * size(kind.to)
            case ast.Member():
                struct, address = yield from self._place(node.base)
                field = struct.field(node.field)
                return field.type, address + field.offset_bytes
            case ast.Assign():
                return (yield from self._assign(node))
            case ast.Update(prefix=True):
                kind, address = yield from self._place(node.target)
                self._step(node, kind, address, self._load(kind, address)[1])
                return kind, address
        source, value = yield from self._value(node)  # a temporary, for a const reference
        self._scopes.append({})
        address = self._declare("", source, value)
        self._scopes.pop()
        return source, address

    def _step(self, node: ast.Update, kind: CType, address: int, old: Value) -> None:
        stepped, new = binary(node.op[0], (kind, old), (INT, 1))
        self._put(kind, address, convert(new, stepped, kind))

    def _binary(self, node: ast.Binary) -> Waiting:
        if node.op in ("&&", "||"):
            left = yield from self._truth(node.left)
            if left == (node.op == "||"):
                return BOOL, int(left)
            return BOOL, int((yield from self._truth(node.right)))
        one = yield from self._value(node.left)
        two = yield from self._value(node.right)
        if node.op == ",":
            return two
        if isinstance(one[0], Struct) or isinstance(two[0], Struct):
            return (yield from self._invoke(self._overload(f"operator{node.op}", [one[0], two[0]]), [one, two]))
        return binary(node.op, one, two)

    def _conditional(self, node: ast.Conditional) -> Waiting:
        chosen, other = (
            (node.then, node.otherwise)
            if (yield from self._truth(node.condition))
            else (
                node.otherwise,
                node.then,
            )
        )
        kind, value = yield from self._value(chosen)
        if isinstance(kind, Scalar):
            target = self.kind(other)
            if isinstance(target, Scalar) and target != kind:
                target = binary("*", (kind, value), (target, convert(1, INT, target)))[0]
                return target, convert(value, kind, target)
        return kind, value

    def _assign(self, node: ast.Assign) -> Waiting:
        source, value = yield from self._value(node.value, self._kind(node.target))  # C++17: before the target
        kind, address = yield from self._place(node.target)
        if node.op != "=":
            source, value = binary(node.op.removesuffix("="), self._load(kind, address), (source, value))
        self._put(kind, address, convert(value, source, kind))
        return kind, address

    def _construct(self, node: ast.Construct, kind: CType) -> Waiting:
        assert isinstance(kind, Struct)
        if any(function.name == f"{kind}::{kind}" for function in self._program.functions):
            values = yield from self._values(node.values)
            maker = self._overload(f"{kind}::{kind}", [Reference(kind), *(own for own, _ in values)])
            address = self._store.allocate("", kind.size_bytes, 1)
            yield from self._invoke(maker, [(Reference(kind), address), *values])
            return kind, self._store.read(address, kind.size_bytes)
        given = []
        for field, value in zip(kind.fields, node.values, strict=False):
            given.append((yield from self._value(value, field.type)))
        raw = bytearray(kind.size_bytes)
        for field, (source, value) in zip(kind.fields, given, strict=False):
            end = field.offset_bytes + size(field.type)
            raw[field.offset_bytes : end] = encode(field.type, convert(value, source, field.type))
        return kind, bytes(raw)

    def _call(self, node: ast.Call) -> Waiting:
        raise NotImplementedError

    def _invoke(self, function: ast.Function, given: list[Typed]) -> Waiting:
        raise NotImplementedError


def _is_place(node: Expr) -> bool:
    """Whether an expression names something in memory."""
    if isinstance(node, ast.Member):
        return _is_place(node.base)
    return isinstance(node, ast.Name | ast.Index) or (isinstance(node, ast.Unary) and node.op == "*")
