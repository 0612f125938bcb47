"""C++'s arithmetic on one value: a Python int (integers, pointers), a NumPy scalar (floats), bytes (structs)."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any, Final

import numpy as np

from kernels.frontend.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    Array,
    CType,
    Pointer,
    Scalar,
    Struct,
)

Value = Any
Typed = tuple[CType, Value]

_COMPARE: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def is_float(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.dtype.kind == "f"


def size(kind: CType) -> int:
    assert isinstance(kind, Scalar | Pointer | Struct | Array)
    return kind.size_bytes


def leaf_bytes(kind: CType) -> int:
    """Size of the smallest thing that is accessed on its own."""
    if isinstance(kind, Array):
        return leaf_bytes(kind.of)
    if isinstance(kind, Struct):
        return min(leaf_bytes(f.type) for f in kind.fields)
    return size(kind)


def wrap(value: int, kind: Scalar) -> int:
    """The value of that type which has the same low bits."""
    bits = 8 * kind.size_bytes
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind.dtype.kind == "i" and value >> (bits - 1) else value


def convert(value: Value, source: CType, target: CType) -> Value:
    """Implicit and explicit conversion of numbers; pointers and structs stay what they are."""
    if not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return value
    if target == BOOL:
        return int(value != 0)
    if is_float(target):
        if is_float(source):
            return target.dtype.type(value)
        whole = np.array(value, np.uint64 if value >= 0 else np.int64)
        return whole.astype(target.dtype)[()]
    return wrap(_whole(value, source, target) if is_float(source) else value, target)


def _whole(value: Value, source: Scalar, target: Scalar) -> int:
    """Cut a floating-point value off as an H200 does: at the ends of the type, narrow types by way of int."""
    bits, unsigned = max(32, 8 * target.size_bytes), target.dtype.kind == "u"
    least, most = (0, (1 << bits) - 1) if unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)
    if np.isnan(value):
        return 0 if bits == 32 and source != DOUBLE else 1 << bits - 1
    return min(max(int(value), least), most) if np.isfinite(value) else (most if value > 0 else least)


def promoted(kind: Scalar) -> Scalar:
    return INT if not is_float(kind) and kind.size_bytes < 4 else kind


def common(left: Scalar, right: Scalar) -> Scalar:
    """The usual arithmetic conversions."""
    for kind in (DOUBLE, FLOAT):
        if kind in (left, right):
            return kind
    kinds = {promoted(left), promoted(right)}
    return next(kind for kind in (ULONG, LONG, UINT, INT) if kind in kinds)


def binary(op: str, left: Typed, right: Typed) -> Typed:
    """Any operator but the short-circuiting ones and the comma."""
    (left_type, a), (right_type, b) = left, right
    if isinstance(left_type, Pointer) or isinstance(right_type, Pointer):
        return _with_pointers(op, left, right)
    assert isinstance(left_type, Scalar)
    assert isinstance(right_type, Scalar)
    if op in ("<<", ">>"):
        kind = promoted(left_type)
        a = convert(a, left_type, kind)
        return kind, wrap(a << b if op == "<<" else a >> b, kind)
    kind = common(left_type, right_type)
    a, b = convert(a, left_type, kind), convert(b, right_type, kind)
    if op in _COMPARE:
        return BOOL, int(_COMPARE[op](a, b))
    if is_float(kind):
        arithmetic = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
        return kind, arithmetic[op](a, b)
    return kind, wrap(_on_integers(op, a, b), kind)


def _on_integers(op: str, a: int, b: int) -> int:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "%":
            return abs(a) % abs(b) * (-1 if a < 0 else 1)
        case "&":
            return a & b
        case "|":
            return a | b
    assert op == "^"
    return a ^ b


def _with_pointers(op: str, left: Typed, right: Typed) -> Typed:
    (left_type, a), (right_type, b) = left, right
    if op in _COMPARE:
        return BOOL, int(_COMPARE[op](a, b))
    if not isinstance(left_type, Pointer):
        return _with_pointers(op, right, left)
    step = size(left_type.to)
    if isinstance(right_type, Pointer):
        return LONG, (a - b) // step
    return left_type, a + b * step if op == "+" else a - b * step


def unary(op: str, kind: CType, value: Value) -> Typed:
    if op == "!":
        return BOOL, int(value == 0)
    assert isinstance(kind, Scalar)
    target = promoted(kind)
    value = convert(value, kind, target)
    if op == "+":
        return target, value
    if is_float(kind):
        return target, -value
    return target, wrap(-value if op == "-" else ~value, target)


def decode(kind: CType, raw: bytes) -> Value:
    """What lies in memory as a value of that type."""
    if isinstance(kind, Struct):
        return raw
    if isinstance(kind, Pointer):
        return int.from_bytes(raw, "little", signed=True)
    assert isinstance(kind, Scalar)
    found = np.frombuffer(raw, kind.dtype)[0]
    return found if is_float(kind) else int(found)


def encode(kind: CType, value: Value) -> bytes:
    if isinstance(kind, Struct):
        return bytes(value)
    if isinstance(kind, Pointer):
        return int(value).to_bytes(8, "little", signed=True)
    assert isinstance(kind, Scalar)
    return np.array(value, kind.dtype).tobytes()


def fused(a: Value, b: Value, c: Value) -> Value:
    """a·b + c in float32, rounded once: the nearest of the numbers around it, an even one on a tie."""
    if not all(np.isfinite(x) for x in (a, b, c)):
        return np.float32(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return np.float32(np.float64(a) * np.float64(b) + np.float64(c))
    guess = np.float32(float(exact))
    if not np.isfinite(guess):
        return guess
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(
        (x for x in near if np.isfinite(x)),
        key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(np.uint32)) & 1),
    )
