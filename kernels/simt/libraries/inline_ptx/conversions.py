"""PTX's comparisons and conversions as expressions of CUDA C (PTX ISA, "setp", "cvt")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import FLOAT, INT, LONG, SHORT, UINT, ULONG, USHORT
from kernels.simt.libraries.inline_ptx.arithmetic import KINDS, MODES, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.types import Scalar

_SAME: Final = (
    ("eq", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("lo", "<"),
    ("ls", "<="),
    ("hi", ">"),
    ("hs", ">="),
)
"""Of bits only the first two, of signed numbers and floats the first six, of unsigned ones all."""

_OPPOSITE: Final = {"equ": "a < b || a > b", "ltu": "a >= b", "leu": "a > b", "gtu": "a <= b", "geu": "a < b"}
"""Comparisons that also hold where one operand is no number: what they are the opposite of."""


def comparison(word: str, kind: str) -> str | None:
    """Return what `setp` compares, in CUDA C; None where PTX has no such comparison of a type, or none is known."""
    if kind in ("f32", "f64"):
        others = {
            "ne": "a < b || a > b",
            "neu": "a != b",
            "num": "!isnan(a) && !isnan(b)",
            "nan": "isnan(a) || isnan(b)",
        }
        if word in others:
            return others[word]
        if word in _OPPOSITE:
            return f"!({_OPPOSITE[word]})"
    known = {"b": _SAME[:2], "s": _SAME[:6], "f": _SAME[:6], "u": _SAME}.get(kind[0], ())
    if kind[1:] not in ("16", "32", "64") or kind == "f16":
        return None
    return next((f"a {op} b" for name, op in known if name == word), None)


_TO_FLOATS: Final = {
    ("rn", "f16", "f32"): "__float2half_rn(a)",
    ("", "f32", "f16"): "__half2float(a)",
    ("rn", "bf16", "f32"): "__bfloat16_as_ushort(__float2bfloat16(a))",
    ("", "f32", "bf16"): "__bfloat162float(__ushort_as_bfloat16(a))",
    ("rna", "tf32", "f32"): "__float_as_uint(__float_to_tf32(a))",
    ("", "f32", "f32"): "a",
    ("", "f64", "f64"): "a",
    ("", "f64", "f32"): "(double)a",
    ("rn", "f32", "f64"): "(float)a",
    **{
        (mode, kind, kind): f"{function}{'f' * (kind == 'f32')}(a)"
        for kind in ("f32", "f64")
        for mode, function in (("rni", "rint"), ("rzi", "trunc"), ("rmi", "floor"), ("rpi", "ceil"))
    },
}
_PAIRS: Final = {
    "f16x2": "(unsigned)__half_as_ushort(__float2half_rn({}))",
    "bf16x2": "(unsigned)__bfloat16_as_ushort(__float2bfloat16({}))",
}
_NAMES: Final = {"float": "float", "double": "double", "half": "half"} | {
    str(kind): name
    for kind, name in ((INT, "int"), (UINT, "uint"), (LONG, "ll"), (ULONG, "ull"), (SHORT, "short"), (USHORT, "ushort"))
}
"""As CUDA C's conversions call the types."""


def conversion(words: Sequence[str]) -> Operation | None:
    """Return what a `cvt` computes, None where that is not known here."""
    if "pack" in words:
        return _packed(words)
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
    if text is None or (flushes and "f32" not in kinds):
        return None
    if (flushes or saturates) and ("tf32" in kinds or "bf16" in kinds):
        return None
    if saturates and to == "f32":
        text = f"__saturatef({text})"
    elif saturates and source[0] != "f":
        kept = _limited("a", operand, to)
        if kept is None:
            return None
        text = f"({result}){kept}"
    elif saturates and to[0] not in "su":  # to integers, floats saturate without being told
        return None
    return Operation(text, result, (operand,), flushes)


def _limits(kind: str) -> tuple[int, int]:
    """Return the least and the largest of an integer type of PTX."""
    bits = int(kind[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)


def _limited(name: str, operand: Scalar, to: str) -> str | None:
    """Return an integer brought into a type's range, in CUDA C; None where that holds all that it can be."""
    if to[0] not in "su":
        return None
    signed = operand.dtype.kind == "i"
    (least, most), (from_least, from_most) = _limits(to), _limits(f"{'us'[signed]}{8 * operand.size_bytes}")
    text = name if most >= from_most else f"min({name}, {most}{'' if signed else 'u'})"
    text = text if least <= from_least else f"max({text}, {least})"
    return None if text == name else text


def _packed(words: Sequence[str]) -> Operation | None:
    """Return what `cvt.pack` computes: two integers, each brought into a type's range, side by side."""
    match [*words[1:]]:
        case ["pack", "sat", "s16" | "u16" as to, "s32"]:
            above = ""
        case ["pack", "sat", "s8" | "u8" as to, "s32", "b32"]:
            above = " | c << 16"
        case _:
            return None
    bits = int(to[1:])
    high, low = (f"((unsigned){_limited(name, INT, to)} & {hex((1 << bits) - 1)})" for name in "ab")
    return Operation(f"{high} << {bits} | {low}{above}", UINT, (INT, INT, *[UINT] * bool(above)))


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
    if way is None or source not in ("f16", "f32", "f64"):
        return None
    if source != "f64" and result.size_bytes < INT.size_bytes:
        return f"({result})({_limited(f'__{_NAMES[str(operand)]}2int_{way}(a)', INT, to)})"
    if str(result) not in _NAMES:
        return None
    return f"__{_NAMES[str(operand)]}2{_NAMES[str(result)]}_{way}(a)"
