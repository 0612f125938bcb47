"""What PTX's comparisons and conversions compute, in CUDA C (PTX ISA, "setp", "cvt")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.assembly_arithmetic import KINDS, MODES, Operation
from kernels.source.types import FLOAT, INT, LONG, SHORT, UINT, ULONG, USHORT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.source.types import Scalar

_SAME: Final = (
    ("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="),
    ("lo", "<"), ("ls", "<="), ("hi", ">"), ("hs", ">="),
)  # fmt: skip
"""Of bits only the first two, of signed numbers and floats the first six, of unsigned ones all."""

_OPPOSITE: Final = {"equ": "a < b || a > b", "ltu": "a >= b", "leu": "a > b", "gtu": "a <= b", "geu": "a < b"}
"""Comparisons that also hold where one operand is no number: what they are the opposite of."""


def comparison(word: str, kind: str) -> str | None:
    """Return what `setp` compares, in CUDA C; None where PTX has no such comparison of a type, or none is known."""
    if kind in ("f32", "f64"):
        others = {"ne": "a < b || a > b", "neu": "a != b", "num": "!isnan(a) && !isnan(b)",
                  "nan": "isnan(a) || isnan(b)"}  # fmt: skip
        if word in others:
            return others[word]
        if word in _OPPOSITE:
            return f"!({_OPPOSITE[word]})"
    known = {"b": _SAME[:2], "s": _SAME[:6], "f": _SAME[:6], "u": _SAME}.get(kind[0], ())
    if kind[1:] not in ("16", "32", "64") or kind == "f16":
        return None
    return next((f"a {op} b" for name, op in known if name == word), None)


_TO_FLOATS: Final = {
    ("rn", "f16", "f32"): "__float2half_rn(a)", ("", "f32", "f16"): "__half2float(a)",
    ("rn", "bf16", "f32"): "__bfloat16_as_ushort(__float2bfloat16(a))",
    ("", "f32", "bf16"): "__bfloat162float(__ushort_as_bfloat16(a))",
    ("rna", "tf32", "f32"): "__float_as_uint(__float_to_tf32(a))",
    ("", "f32", "f32"): "a", ("", "f64", "f64"): "a", ("", "f64", "f32"): "(double)a", ("rn", "f32", "f64"): "(float)a",
    **{(mode, kind, kind): f"{function}{'f' * (kind == 'f32')}(a)" for kind in ("f32", "f64")
       for mode, function in (("rni", "rint"), ("rzi", "trunc"), ("rmi", "floor"), ("rpi", "ceil"))},
}  # fmt: skip
_PAIRS: Final = {
    "f16x2": "(unsigned)__half_as_ushort(__float2half_rn({}))",
    "bf16x2": "(unsigned)__bfloat16_as_ushort(__float2bfloat16({}))",
}
_NAMES: Final = {"float": "float", "double": "double", "half": "half"} | {
    str(kind): name for kind, name in ((INT, "int"), (UINT, "uint"), (LONG, "ll"), (ULONG, "ull"),
                                       (SHORT, "short"), (USHORT, "ushort"))
}  # fmt: skip
"""As CUDA C's conversions call the types."""


def conversion(words: Sequence[str]) -> Operation | None:
    """Return what a `cvt` computes, None where that is not known here."""
    kinds = [word for word in words[1:] if word in KINDS]
    rest = [word for word in words[1:] if word not in KINDS and word not in ("ftz", "sat")]
    if len(kinds) != 2 or len(rest) > 1:
        return None
    mode, (to, source) = "".join(rest), kinds
    result, operand = KINDS[to], KINDS[source]
    flushes, saturates = "ftz" in words, "sat" in words
    if to in _PAIRS:
        if (mode, source) != ("rn", "f32") or flushes or saturates:
            return None
        pair = f"{_PAIRS[to].format('a')} << 16 | {_PAIRS[to].format('b')}"
        return Operation(pair, UINT, (FLOAT, FLOAT))
    text = _converted(mode, to, source, result, operand)
    if text is None or (flushes and "f32" not in kinds) or (saturates and to != "f32"):
        return None
    if (flushes or saturates) and ("tf32" in kinds or "bf16" in kinds):
        return None
    return Operation(f"__saturatef({text})" if saturates else text, result, (operand,), flushes)


def _converted(mode: str, to: str, source: str, result: Scalar, operand: Scalar) -> str | None:
    if "pred" in (to, source) or any(word in ("b8", "b16", "b32", "b64") for word in (to, source)):
        return None
    floats = [word[0] in "ft" or word[:2] == "bf" for word in (to, source)]
    if all(floats):
        return _TO_FLOATS.get((mode, to, source))
    if not any(floats):
        return None if mode else f"({result})a"
    if floats[0]:
        return f"({result})a" if mode == "rn" and to in ("f16", "f32", "f64") else None
    way = {f"{m}i": c for m, c in MODES.items()}.get(mode)
    if way is None or source not in ("f16", "f32", "f64") or str(result) not in _NAMES:
        return None
    return f"__{_NAMES[str(operand)]}2{_NAMES[str(result)]}_{way}(a)"
