"""C's arithmetic on lane values: conversions, wrap-around, truncation, and operators.

A value is either *uniform* (the same for every lane: a Python bool or int, or a NumPy floating-point scalar) or a
vector, one element for each lane, in the dtype of its C type. Uniform integers are wrapped explicitly, vectors wrap
around in NumPy. Vectors are never changed in place, so they can be shared and recorded uncopied.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.arithmetic import ARITHMETIC, BITWISE, COMPARISON, remainder, truncating_divide
from kernels.frontend.types import BOOL, DOUBLE, FLOAT, HALF, INT, LONG, UINT, Scalar, promote
from kernels.simt.machine.skipped_values import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Value = Any
"""A uniform value or a vector. (NumPy's types cannot express "array or scalar of one dtype".)"""

ndarray: Final = np.ndarray


def is_float(kind: Scalar) -> bool:
    """Return whether the type is floating point."""
    return kind.dtype.kind == "f"


@cache
def common(left: Scalar, right: Scalar) -> Scalar:
    """Usual arithmetic conversions (C++ [expr.arith.conv])."""
    if DOUBLE in (left, right):
        return DOUBLE
    if FLOAT in (left, right):
        return FLOAT
    if HALF in (left, right):
        return HALF
    left, right = promote(left), promote(right)
    # After promotion only 4 and 8 bytes are left; of equal sizes the unsigned type wins (int + unsigned).
    if left.size_bytes != right.size_bytes:
        return left if left.size_bytes > right.size_bytes else right
    return left if left.dtype.kind == "u" else right


@cache
def integer_range(kind: Scalar) -> tuple[int, int]:
    """Minimum and maximum value of an integer type."""
    bits = 8 * kind.size_bytes
    least = 0 if kind.dtype.kind == "u" else -(1 << bits - 1)
    return least, least + (1 << bits) - 1


@cache
def wrapper(kind: Scalar) -> Callable[[int], int]:
    """Return the function that wraps a uniform integer around to the range of its type."""
    least, most = integer_range(kind)
    modulus = most - least

    def wrap(value: int) -> int:
        return value if least <= value <= most else ((value - least) & modulus) + least

    return wrap


def uniform(value: Value, kind: Scalar) -> Value:
    """Bring a Python or NumPy number into the uniform form of a type."""
    if kind is BOOL:
        return bool(value)
    return kind.dtype.type(value) if is_float(kind) else int(value)


def poison(kind: Scalar) -> Value:
    """Return the value of an uninitialised element: NaN, or 0xCD in every byte."""
    if is_float(kind):
        return kind.dtype.type(np.nan)
    return uniform(np.frombuffer(b"\xcd" * kind.size_bytes, kind.dtype)[0], kind) if kind is not BOOL else True


def select(bits: NDArray[np.bool_], then: Value, otherwise: Value, dtype: np.dtype[np.generic]) -> Value:
    """Select for each lane: `then` where the bit is set, `otherwise` elsewhere."""
    if type(then) is not ndarray:
        if type(then) is Skipped:
            return then.merge(otherwise)
        then = dtype.type(then)
    if type(otherwise) is not ndarray:
        if type(otherwise) is Skipped:
            return otherwise
        otherwise = dtype.type(otherwise)
    chosen = np.where(bits, then, otherwise)
    return np.asarray(chosen)


def _saturate(source: Scalar, target: Scalar) -> Callable[[Value], Value]:
    """Return the conversion of floating point to integer: truncation with saturation, as on compute capability 9.0.

    PTX `cvt` clamps to the range of the target (PTX ISA, "cvt"). NaN gives the largest power of two, or 0 for float to
    32 bits. float to char or short goes through 32 bits, of which the low ones remain; half saturates at the range of
    char and short.
    """
    dtype = target.dtype
    if target.size_bytes < INT.size_bytes and source != HALF:
        target = UINT if dtype.kind == "u" else INT
    least, most = integer_range(target)
    top = 0
    if source == DOUBLE or target.size_bytes == LONG.size_bytes:
        top = 1 << 8 * target.size_bytes - 1 if least == 0 else least
    # The clamping is done on float64, which holds all 32-bit bounds exactly; the upper bound of 64 bits rounds up to
    # 2^63, so `>=` clamps it.
    first, last, nothing = (target.dtype.type(number) for number in (least, most, top))

    def convert(value: Value) -> Value:
        whole = np.trunc(np.asarray(value, np.float64))
        low, high, undefined = whole <= least, whole >= most, np.isnan(whole)
        inside = np.where(low | high | undefined, 0.0, whole).astype(target.dtype)
        result = np.where(high, last, np.where(low, first, np.where(undefined, nothing, inside))).astype(dtype)
        return result if type(value) is ndarray else int(result)

    return convert


@cache
def converter(source: Scalar, target: Scalar) -> Callable[[Value], Value] | None:
    """Return the conversion of one type to another; None if they are the same."""
    if source == target:
        return None
    dtype = target.dtype
    if target is BOOL or target == BOOL:
        return lambda value: value != 0 if type(value) is ndarray else bool(value != 0)
    if is_float(target):
        number = np.dtype(np.uint64 if source.dtype.kind == "u" else np.int64).type
        if is_float(source):
            return lambda value: value.astype(dtype)
        return lambda value: value.astype(dtype) if type(value) is ndarray else number(value).astype(dtype)
    if is_float(source):
        return _saturate(source, target)
    wrap = wrapper(target)
    if source.size_bytes == target.size_bytes and source.dtype.kind != "b":
        return lambda value: value.view(dtype) if type(value) is ndarray else wrap(value)
    return lambda value: value.astype(dtype) if type(value) is ndarray else wrap(int(value))


@cache
def binary(op: str, kind: Scalar) -> Callable[[Value, Value], Value] | None:
    """Return the operator on two operands already converted to `kind` (a shift's count too); None if C has none.

    The caller must exclude a uniform integer divisor of 0; in a vector, division by 0 gives 0.
    """
    if op in COMPARISON:
        compare = COMPARISON[op]
        if not is_float(kind):
            return compare

        def compare_floats(left: Value, right: Value) -> Value:
            result = compare(left, right)
            return result if type(result) is ndarray else bool(result)

        return compare_floats
    if is_float(kind):
        return operator.truediv if op == "/" else ARITHMETIC.get(op)
    if op in BITWISE:
        return BITWISE[op]
    wrap = wrapper(kind)
    if op in ("<<", ">>"):
        return _shift(op, kind, wrap)
    if op == "%":
        return remainder
    apply = truncating_divide if op == "/" else ARITHMETIC.get(op)
    if apply is None:
        return None
    function: Callable[[Value, Value], Value] = apply

    def wrapped(left: Value, right: Value) -> Value:
        result = function(left, right)
        return wrap(result) if type(result) is int else result

    return wrapped


def _shift(op: str, kind: Scalar, wrap: Callable[[int], int]) -> Callable[[Value, Value], Value]:
    """Return a shift; a count above the width acts as the width (PTX ISA, "shl", "shr")."""
    bits = 8 * kind.size_bytes

    def shift(left: Value, right: Value) -> Value:
        if type(left) is ndarray or type(right) is ndarray:
            if type(left) is not ndarray:
                left = np.full(right.shape, left, kind.dtype)
            return left << right if op == "<<" else left >> right
        count = right if 0 <= right < bits else bits
        return wrap(left << count if op == "<<" else left >> count)

    return shift


@cache
def unary(op: str, kind: Scalar) -> Callable[[Value], Value] | None:
    """Return the operator on one operand already promoted (`!` takes a bool); None if C has no such operator."""
    if op == "!":
        return lambda value: ~value if type(value) is ndarray else not value
    if op == "+":
        return lambda value: value
    if op == "-":
        if is_float(kind):
            return operator.neg
        wrap = wrapper(kind)
        return lambda value: -value if type(value) is ndarray else wrap(-value)
    if op == "~" and not is_float(kind):
        wrap = wrapper(kind)
        return lambda value: ~value if type(value) is ndarray else wrap(~value)
    return None


def shift_count(kind: Scalar) -> Scalar:
    """Return the type that a shift's count is converted to: the shifted type, so that NumPy keeps the result's type."""
    return kind if kind.size_bytes >= UINT.size_bytes else INT


def same_bits(one: Value, two: Value) -> bool:
    """Return whether two values have equal bits: NaN equals itself, and 0.0 differs from -0.0."""
    if type(one) is Skipped:  # values that were not computed may differ
        one.need()
    if one is two:
        return True
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(same_bits, one, two))
    kinds = np.ndarray | np.generic | int | float
    if not isinstance(one, kinds) or not isinstance(two, kinds):
        return False
    a, b = np.asarray(one), np.asarray(two)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
