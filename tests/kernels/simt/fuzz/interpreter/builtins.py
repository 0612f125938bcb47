"""CUDA's per-thread functions, as far as the random programs call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, INT, UINT, ULONG, VECTORS, Scalar
from tests.kernels.simt.fuzz.interpreter.values import (
    Typed,
    Value,
    common,
    convert,
    encode,
    fused,
    is_float,
    promoted,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def _round_half_away(x: Value) -> Value:
    whole = np.trunc(x)
    return type(x)(whole + np.copysign(abs(x - whole) >= 0.5, x))


_FLOATING: Final[dict[str, Callable[..., Value]]] = {
    "sqrt": np.sqrt,
    "fabs": abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "round": _round_half_away,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "fmod": np.fmod,
}

_BITS: Final[dict[str, tuple[Scalar, Callable[[int], int]]]] = {
    "__popc": (UINT, lambda x: x.bit_count()),
    "__popcll": (ULONG, lambda x: x.bit_count()),
    "__clz": (UINT, lambda x: 32 - x.bit_length()),
    "__clzll": (ULONG, lambda x: 64 - x.bit_length()),
    "__ffs": (UINT, lambda x: (x & -x).bit_length()),
    "__brev": (UINT, lambda x: int(f"{x:032b}"[::-1], 2)),
}


def call(name: str, arguments: list[Typed]) -> Typed | None:
    """Result of a built-in function; None where there is none of that name."""
    kinds = [kind for kind, _ in arguments]
    values = [value for _, value in arguments]
    scalars = [kind for kind in kinds if isinstance(kind, Scalar)]
    if name in ("min", "max") and len(scalars) == 2:
        kind = common(*scalars)
        a, b = (convert(value, own, kind) for own, value in arguments)
        if is_float(kind):
            return kind, (np.fmin if name == "min" else np.fmax)(a, b)
        return kind, min(a, b) if name == "min" else max(a, b)
    if name == "abs":
        kind = promoted(scalars[0])
        value = convert(values[0], scalars[0], kind)
        return kind, abs(value) if is_float(kind) else wrap(abs(value), kind)
    if name in ("fmaf", "__fmaf_rn"):
        return FLOAT, fused(*(convert(value, kind, FLOAT) for kind, value in arguments))
    if name in _BITS:
        kind, function = _BITS[name]
        found = function(convert(values[0], kinds[0], kind))
        return (UINT if name == "__brev" else INT), found
    if name.removesuffix("f") in _FLOATING:
        single = (name.endswith("f") and name != "f") or all(kind == FLOAT for kind in kinds)
        kind = FLOAT if single else DOUBLE
        short = name.removesuffix("f")
        return kind, kind.dtype.type(_FLOATING[short](*(convert(v, k, kind) for k, v in arguments)))
    if name.startswith("make_"):
        vector = VECTORS[name.removeprefix("make_")]
        parts = zip(vector.fields, arguments, strict=True)
        return vector, b"".join(encode(f.type, convert(v, k, f.type)) for f, (k, v) in parts)
    return None


ATOMIC: Final[dict[str, Callable[..., Value]]] = {
    "atomicAdd": lambda old, x: old + x,
    "atomicSub": lambda old, x: old - x,
    "atomicMin": min,
    "atomicMax": max,
    "atomicExch": lambda old, x: x,
    "atomicAnd": lambda old, x: old & x,
    "atomicOr": lambda old, x: old | x,
    "atomicXor": lambda old, x: old ^ x,
    "atomicInc": lambda old, most: 0 if old >= most else old + 1,
    "atomicDec": lambda old, most: most if old == 0 or old > most else old - 1,
    "atomicCAS": lambda old, compare, x: x if old == compare else old,
}
