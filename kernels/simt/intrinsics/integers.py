"""CUDA's integer functions: bits, high halves of products, minimum and maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT, LONG, UINT, ULONG, VECTORS, Scalar, promote
from kernels.simt.compiler.compiled_values import Code, IndexFacts
from kernels.simt.compiler.expressions.elementwise import elementwise, operands, typed_function
from kernels.simt.compiler.expressions.operators import scalar
from kernels.simt.compiler.index.intervals import interval, within
from kernels.simt.machine.arithmetic import common, is_float

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

    Function = Callable[..., Any]


def _leading_zeros(value: Any) -> Any:
    bits = 8 * value.dtype.itemsize
    for step in (1, 2, 4, 8, 16, 32):
        if step < bits:
            value = value | value >> value.dtype.type(step)
    return bits - np.bitwise_count(value).astype(np.int32)


def _first_set(value: Any) -> Any:
    below = (value & -value) - value.dtype.type(1)
    return np.where(value == 0, 0, np.bitwise_count(below).astype(np.int32) + 1)


def _reverse_bits(value: Any) -> Any:
    size = value.dtype.itemsize
    bits = np.unpackbits(np.atleast_1d(value).view(np.uint8).reshape(-1, size), axis=1, bitorder="little")
    return np.packbits(bits[:, ::-1], axis=1, bitorder="little").view(value.dtype).reshape(np.shape(value))


def _permute_bytes(x: Any, y: Any, selector: Any) -> Any:
    pair = x.astype(np.uint64) | y.astype(np.uint64) << np.uint64(32)
    result = np.zeros_like(pair)
    for byte in range(4):
        chosen = (selector >> np.uint32(4 * byte) & np.uint32(7)).astype(np.uint64) * np.uint64(8)
        result |= (pair >> chosen & np.uint64(255)) << np.uint64(8 * byte)
    return result


def _funnel(left: bool, most: int) -> Function:
    """Return a funnel shift: the upper half of hi:lo shifted left, or the lower half of hi:lo shifted right."""

    def compute(low: Any, high: Any, count: Any) -> Any:
        pair = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        # __funnelshift_l wraps the count at 32, __funnelshift_lc clamps it to 32 (CUDA Math API, "Integer Intrinsics").
        shift = (count & np.uint32(31) if most == 31 else np.minimum(count, np.uint32(32))).astype(np.uint64)
        return pair << shift >> np.uint64(32) if left else pair >> shift

    return compute


def _high_product(a: Any, b: Any) -> Any:
    """Upper 64 bits of an unsigned 128-bit product, from four products of halves."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    # No sum overflows: (2^32 - 1)² + 2^32 - 1 < 2^64. The carry of the low half is in the upper bits of `middle` and
    # `other`.
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)


def _high_signed_product(a: Any, b: Any) -> Any:
    x, y = a.view(np.uint64), b.view(np.uint64)
    zero = np.uint64(0)
    # As unsigned, a negative a is a + 2^64, which adds b to the upper half; likewise for b.
    return (_high_product(x, y) - np.where(a < 0, y, zero) - np.where(b < 0, x, zero)).view(np.int64)


def _wide(kind: type[np.int64] | type[np.uint64], function: Function) -> Function:
    """Return the function computed in 64 bits; the caller truncates the result."""
    return lambda *values: function(*(value.astype(kind) for value in values))


def _signed_24(value: Any) -> Any:
    return (value << 40) >> 40


def _dot_product(signed: bool) -> Function:
    """Return `__dp4a`: the products of the bytes of two words, added to a third; the sum wraps."""
    letter = "i" if signed else "u"

    def compute(a: Any, b: Any, total: Any) -> Any:
        left, right = (np.ascontiguousarray(x[..., None]).view(f"{letter}1").astype(np.int64) for x in (a, b))
        return (left * right).sum(-1) + total.astype(np.int64)

    return compute


def _bytes_as_word(c: Context, code: Code) -> Code:
    """Return a `char4` or `uchar4` as the 32-bit word of its members; any other value unchanged."""
    if code.type not in (VECTORS["char4"], VECTORS["uchar4"]):
        return code
    part, kind = (np.int8, INT) if code.type == VECTORS["char4"] else (np.uint8, UINT)
    give = code.run

    def run(group: Group, mask: Active) -> Value:
        members = [np.broadcast_to(np.asarray(member, part), (group.size,)) for member in give(group, mask)]
        word: Value = np.ascontiguousarray(np.stack(members, axis=1)).view(kind.dtype)[:, 0]
        return word

    return Code(run, kind, None, code.pure)


def _dot(c: Context, node: Call) -> Code:
    """Compile `__dp4a(a, b, c)`: signed bytes, unless a or b is unsigned."""
    codes = [_bytes_as_word(c, code) for code in operands(c, node, 3)]
    signed = UINT not in (codes[0].type, codes[1].type)
    kind = INT if signed else UINT
    return elementwise(c, node, codes, [kind] * 3, kind, _dot_product(signed))


BITS: Final[dict[str, tuple[tuple[Scalar, ...], Scalar, Function]]] = {
    **{
        name: ((kind,), INT, function)
        for suffix, kind in (("", UINT), ("ll", ULONG))
        for name, function in (
            (f"__popc{suffix}", np.bitwise_count),
            (f"__clz{suffix}", _leading_zeros),
            (f"__ffs{suffix}", _first_set),
        )
    },
    "__brev": ((UINT,), UINT, _reverse_bits),
    "__brevll": ((ULONG,), ULONG, _reverse_bits),
    "__byte_perm": ((UINT,) * 3, UINT, _permute_bytes),
    "__funnelshift_l": ((UINT,) * 3, UINT, _funnel(True, 31)),
    "__funnelshift_r": ((UINT,) * 3, UINT, _funnel(False, 31)),
    "__funnelshift_lc": ((UINT,) * 3, UINT, _funnel(True, 32)),
    "__funnelshift_rc": ((UINT,) * 3, UINT, _funnel(False, 32)),
    "__mul24": ((INT,) * 2, INT, _wide(np.int64, lambda a, b: _signed_24(a) * _signed_24(b))),
    "__umul24": ((UINT,) * 2, UINT, _wide(np.uint64, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF))),
    "__mulhi": ((INT,) * 2, INT, _wide(np.int64, lambda a, b: a * b >> 32)),
    "__umulhi": ((UINT,) * 2, UINT, _wide(np.uint64, lambda a, b: a * b >> np.uint64(32))),
    "__mul64hi": ((LONG,) * 2, LONG, _high_signed_product),
    "__umul64hi": ((ULONG,) * 2, ULONG, _high_product),
    "__sad": ((INT, INT, UINT), UINT, _wide(np.int64, lambda x, y, z: np.abs(x - y) + z)),
    "__usad": ((UINT,) * 3, UINT, _wide(np.int64, lambda x, y, z: np.abs(x - y) + z)),
    "__rhadd": ((INT,) * 2, INT, _wide(np.int64, lambda x, y: (x + y + 1) >> 1)),
    "__uhadd": ((UINT,) * 2, UINT, _wide(np.int64, lambda x, y: (x + y) >> 1)),
    "__urhadd": ((UINT,) * 2, UINT, _wide(np.int64, lambda x, y: (x + y + 1) >> 1)),
    "labs": ((LONG,), LONG, np.abs),
    "llabs": ((LONG,), LONG, np.abs),
}
"""Name: types of the operands and of the result, function."""

EXTREMES: Final[dict[str, tuple[Function, Function]]] = {
    "min": (np.minimum, np.fmin),
    "max": (np.maximum, np.fmax),
}
"""For integers, and for floating point, where CUDA's min and max ignore a NaN."""


def average(c: Context, node: Call, codes: list[Code]) -> Code:
    """Compile `__hadd` of two ints: half their sum, rounded down."""
    return elementwise(c, node, codes, [INT, INT], INT, _wide(np.int64, lambda x, y: (x + y) >> 1))


def _extreme(name: str) -> Compile:
    whole, floating = EXTREMES[name]

    def compile_call(c: Context, node: Call) -> Code:
        codes = operands(c, node, 2)
        kind = common(*(scalar(c, code, node.span) for code in codes))
        code = elementwise(c, node, codes, [kind] * 2, kind, floating if is_float(kind) else whole)
        known = [within(interval(operand), kind) for operand in codes]
        if known[0] is not None and known[1] is not None:
            choose = min if name == "min" else max
            bounds = choose(known[0][0], known[1][0]), choose(known[0][1], known[1][1])
            code.index = IndexFacts(bounds)
        return code

    return compile_call


def _absolute(c: Context, node: Call) -> Code:
    codes = operands(c, node, 1)
    kind = promote(scalar(c, codes[0], node.span))
    return elementwise(c, node, codes, [kind], kind, np.abs)


def _table() -> dict[str, Compile]:
    table: dict[str, Compile] = {name: typed_function(*entry) for name, entry in BITS.items()}
    table["abs"] = _absolute
    table["__dp4a"] = _dot
    for name, (whole, _) in EXTREMES.items():
        table[name] = _extreme(name)
        for prefix, kind in (("u", UINT), ("ll", LONG), ("ull", ULONG)):
            table[f"{prefix}{name}"] = typed_function([kind] * 2, kind, whole)
    return table


INTEGERS: Final[dict[str, Compile]] = _table()
"""By name."""
