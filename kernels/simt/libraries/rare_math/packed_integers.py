"""Integers packed in a word: `__vadd4` and its family, dot products such as `__dp4a`, and `__viaddmax_s32`.

The formulas are those of the CUDA Math API ("SIMD Intrinsics", "Integer Intrinsics"). No carry goes from one part of a
word to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import INT, UINT, VECTORS, Struct
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.device_helpers import device_function
from kernels.simt.compiler.elementwise import elementwise, operands, typed_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Call
    from kernels.frontend.types import Scalar
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

    Function = Callable[..., Any]

_COMPARE: Final[dict[str, Function]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _away(total: Any) -> Any:
    """Return half of a sum; where that lies between two integers, the one away from zero."""
    return (total + (total >= 0)) >> 1


_PARTWISE: Final[dict[str, tuple[int, str, Function]]] = {
    "abs": (1, "s", np.abs),
    "neg": (1, "s", np.negative),
    "add": (2, "s", np.add),
    "sub": (2, "s", np.subtract),
    "absdiffs": (2, "s", lambda a, b: np.abs(a - b)),
    "absdiffu": (2, "u", lambda a, b: np.abs(a - b)),
    "avgs": (2, "s", lambda a, b: _away(a + b)),
    "avgu": (2, "u", lambda a, b: (a + b + 1) >> 1),
    "haddu": (2, "u", lambda a, b: (a + b) >> 1),
    "maxs": (2, "s", np.maximum),
    "maxu": (2, "u", np.maximum),
    "mins": (2, "s", np.minimum),
    "minu": (2, "u", np.minimum),
}
"""Name: operands, whether its parts have a sign, and the function, of wide integers; the result is cut."""

_SATURATED: Final = {
    "absss": "abs",
    "negss": "neg",
    "addss": "add",
    "subss": "sub",
    "addus": "add",
    "subus": "sub",
}
"""The same with a result that stops at the ends of the range: with signs (s), or without (u)."""

_EXTREMES: Final[dict[str, Function]] = {"max": np.maximum, "min": np.minimum}

_WITH_CHOICE: Final = """template <typename T> __device__ {kind} chosen({kind} a, {kind} b, T *first) {{
    *first = a {op} b;
    return a {op} b ? a : b;
}}"""
_WITH_CHOICES: Final = """template <typename T> __device__ unsigned chosen(unsigned a, unsigned b, T *high, T *low) {{
    *high = ({kind})(a >> 16) {op} ({kind})(b >> 16);
    *low = ({kind})a {op} ({kind})b;
    return __v{name}{sign}2(a, b);
}}"""


def _apart(word: Any, count: int, sign: str) -> Any:
    """Return the parts of words as wide integers: the last dimension, the lowest first."""
    letter = "i" if sign == "s" else "u"
    words = np.ascontiguousarray(np.asarray(word, np.uint32)[..., None])
    return words.view(f"{letter}{4 // count}").astype(np.int64)


def _together(parts: Any, count: int) -> Any:
    """Return the words that parts make, each cut to its size."""
    cut = np.ascontiguousarray(np.asarray(parts, np.int64).astype(f"u{4 // count}"))
    return cut.view(np.uint32)[..., 0]


def _packed(count: int, sign: str, function: Function, range_: tuple[int, int] | None = None) -> Function:
    def compute(*words: Any) -> Any:
        found = function(*(_apart(word, count, sign) for word in np.broadcast_arrays(*words)))
        return _together(found if range_ is None else np.clip(found, *range_), count)

    return compute


def _summed(count: int, sign: str) -> Function:
    def compute(a: Any, b: Any) -> Any:
        return np.abs(_apart(a, count, sign) - _apart(b, count, sign)).sum(-1)

    return compute


def _range(count: int, sign: str) -> tuple[int, int]:
    bits = 32 // count
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "s" else (0, (1 << bits) - 1)


def _words(operands: int, function: Function) -> Compile:
    return typed_function([UINT] * operands, UINT, function)


def _of_parts(count: int) -> dict[str, Compile]:
    """Return the functions of words of `count` parts, named by that number."""
    made: dict[str, Compile] = {}
    for name, (arity, sign, function) in _PARTWISE.items():
        made[f"__v{name}{count}"] = _words(arity, _packed(count, sign, function))
    for name, plain in _SATURATED.items():
        arity, _, function = _PARTWISE[plain]
        sign = name[-2]
        made[f"__v{name}{count}"] = _words(arity, _packed(count, sign, function, _range(count, sign)))
    for sign in "su":
        made[f"__vsad{sign}{count}"] = _words(2, _summed(count, sign))
        for name, function in _COMPARE.items():
            spelled = name if name in ("eq", "ne") else name + sign
            made[f"__vset{spelled}{count}"] = _words(2, _packed(count, sign, function))
            made[f"__vcmp{spelled}{count}"] = _words(2, _packed(count, sign, _all_ones(function)))
    return made


def _all_ones(function: Function) -> Function:
    return lambda a, b: -function(a, b).astype(np.int64)


def _wrapped(kind: Scalar, bits: int) -> Function:
    """Return what cuts a sum to the size of its terms."""
    dtype = np.dtype(f"{kind.dtype.kind}{bits // 8}")
    return lambda value: np.asarray(value, np.int64).astype(dtype).astype(np.int64)


def _three_way() -> dict[str, Compile]:
    """`__viaddmax_s32(a, b, c)`, `__vimax3_s32(a, b, c)`, `__vimax_s32_relu(a, b)` and similar."""
    made: dict[str, Compile] = {}
    for name, best in _EXTREMES.items():
        for kind, sign in ((INT, "s"), (UINT, "u")):
            for relu in ("", "_relu") if sign == "s" else ("",):
                for count, ending in ((1, "32"), (2, "16x2")):
                    wrap = _wrapped(kind, 32 // count)
                    functions = {
                        f"__viadd{name}": (3, _ended(relu, lambda a, b, c, o=best, w=wrap: o(w(a + b), c))),
                        f"__vi{name}3": (3, _ended(relu, lambda a, b, c, o=best: o(o(a, b), c))),
                        f"__vi{name}": (2, _ended(relu, best)),
                    }
                    if not relu:
                        del functions[f"__vi{name}"]  # which is max or min
                    for spelled, (arity, function) in functions.items():
                        whole = kind if count == 1 else UINT
                        made[f"{spelled}_{sign}{ending}{relu}"] = typed_function(
                            [whole] * arity, whole, _packed(count, sign, function)
                        )
    return made


def _ended(relu: str, function: Function) -> Function:
    return (lambda *values: np.maximum(function(*values), 0)) if relu else function


def _choices() -> dict[str, Compile]:
    """`__vibmax_s32(a, b, &first)`, …, which also store which operand was taken."""
    made: dict[str, Compile] = {}
    for name, op in (("max", ">="), ("min", "<=")):
        for sign, kind in (("s", "int"), ("u", "unsigned")):
            made[f"__vib{name}_{sign}32"] = device_function(_WITH_CHOICE.format(kind=kind, op=op))
            part = "short" if sign == "s" else "unsigned short"
            text = _WITH_CHOICES.format(kind=part, op=op, name=name, sign=sign)
            made[f"__vib{name}_{sign}16x2"] = device_function(text)
    return made


PACKED: Final[dict[str, Compile]] = {**_of_parts(2), **_of_parts(4), **_three_way(), **_choices()}
"""By name."""


# --- dot products

_UNSIGNED: Final = ("uchar4", "ushort2")


def _parts(words: Any, kind: str) -> Any:
    """Return the bytes or halves of 32-bit words, in the last dimension."""
    return np.ascontiguousarray(np.atleast_1d(words)).view(kind).reshape(*np.atleast_1d(words).shape, -1)


def _dot(name: str, *, signed: bool) -> Any:
    def compute(a: Any, b: Any, c: Any) -> Any:
        a, b = np.broadcast_arrays(a, b)
        letter = "i" if signed else "u"
        right = _parts(b, f"{letter}1").astype(np.int64)
        if name == "__dp4a":
            left = _parts(a, f"{letter}1")
        else:
            left = _parts(a, f"{letter}2")
            right = right[..., :2] if name == "__dp2a_lo" else right[..., 2:]
        total = (left.astype(np.int64) * right).sum(-1) + np.asarray(c, np.int64)
        wrapped = total.astype(np.uint32).view(np.int32 if signed else np.uint32)
        return wrapped if np.ndim(a) or np.ndim(c) else wrapped[0]

    return compute


def _word(c: Context, code: Code) -> Code:
    """Return a `char4`, `uchar4`, `short2` or `ushort2` as the 32-bit word of its members."""
    if not isinstance(code.type, Struct) or code.type not in [
        VECTORS[n] for n in ("char4", "uchar4", "short2", "ushort2")
    ]:
        return code
    give, kind = code.run, UINT if code.type.name in _UNSIGNED else INT
    item = code.type.fields[0].type.dtype  # type: ignore[union-attr]

    def run(group: Any, mask: Any) -> Any:
        members = np.stack([np.broadcast_to(np.asarray(m, item), (group.size,)) for m in give(group, mask)], axis=1)
        return np.ascontiguousarray(members).view(kind.dtype)[:, 0]

    return Code(run, kind, None, code.pure)


def _compiled(name: str) -> Compile:
    def compiled(c: Context, node: Call) -> Code:
        codes = [_word(c, code) for code in operands(c, node, 3)]
        signed = UINT not in (codes[0].type, codes[1].type)
        kind = INT if signed else UINT
        return elementwise(c, node, codes, [kind] * 3, kind, _dot(name, signed=signed))

    return compiled


DOTS: Final[dict[str, Compile]] = {name: _compiled(name) for name in ("__dp4a", "__dp2a_lo", "__dp2a_hi")}
"""By name."""
