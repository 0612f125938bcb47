"""PTX's instructions on registers as expressions of CUDA C (PTX ISA, "Instruction Set").

An instruction's operands are `a`, `b`, `c` there, seen as the types that the instruction says. What a GPU computes
with fewer digits (`.approx`) is computed here as the function of CUDA C is (docs/language.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Scalar,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS: Final[dict[str, Scalar]] = {
    "pred": BOOL,
    "b8": UCHAR,
    "u8": UCHAR,
    "s8": CHAR,
    "b16": USHORT,
    "u16": USHORT,
    "s16": SHORT,
    "f16": HALF,
    "bf16": USHORT,
    "b32": UINT,
    "u32": UINT,
    "s32": INT,
    "f32": FLOAT,
    "f16x2": UINT,
    "bf16x2": UINT,
    "tf32": UINT,
    "b64": ULONG,
    "u64": ULONG,
    "s64": LONG,
    "f64": DOUBLE,
}
"""The C types that hold the values of PTX's types, by PTX's names."""

_UNSIGNED: Final = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}
_SIGNED: Final = {1: CHAR, 2: SHORT, 4: INT, 8: LONG}
MODES: Final = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}
"""Rounding modes: PTX's modifiers and the suffixes of CUDA C's functions."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction in CUDA C; `flushes` where subnormal operands and results become zero (`.ftz`)."""

    text: str
    result: Scalar
    operands: tuple[Scalar, ...]
    flushes: bool = False


_NUMBERS: Final = ("u16", "s16", "u32", "s32", "u64", "s64")
_BITS: Final = ("b16", "b32", "b64")
_ANY: Final = (*_NUMBERS, *_BITS)
_SIGNED_ONLY: Final = ("s16", "s32", "s64")
_LONGER: Final = ("u32", "s32", "u64", "s64")
_LONGER_BITS: Final = ("b32", "b64")
_WORDS: Final = ("u32", "s32")
_BITS32: Final = ("b32",)

_WHOLE: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "add": (_NUMBERS, "UUU", "a + b"),
    "sub": (_NUMBERS, "UUU", "a - b"),
    "mul.lo": (_NUMBERS, "UUU", "a * b"),
    "mad.lo": (_NUMBERS, "UUUU", "a * b + c"),
    "mul.wide": (_NUMBERS[:4], "WTT", "({W})a * b"),
    "mad.wide": (_NUMBERS[:4], "WTTW", "({W})a * b + c"),
    "mul.hi": (_LONGER, "TTT", "{hi}(a, b)"),
    "mad.hi": (_LONGER, "UTTU", "({U}){hi}(a, b) + c"),
    "mul24.lo": (_WORDS, "TTT", "__{u}mul24(a, b)"),
    "mad24.lo": (_WORDS, "UTTU", "({U})__{u}mul24(a, b) + c"),
    "div": (_NUMBERS, "TTT", "a / b"),
    "rem": (_NUMBERS, "TTT", "a % b"),
    "min": (_NUMBERS, "TTT", "min(a, b)"),
    "max": (_NUMBERS, "TTT", "max(a, b)"),
    "abs": (_SIGNED_ONLY, "UT", "a < 0 ? 0 - ({U})a : ({U})a"),
    "neg": (_SIGNED_ONLY, "UU", "0 - a"),
    "sad": (_WORDS, "TTTT", "__{u}sad(a, b, c)"),
    "and": (_BITS, "UUU", "a & b"),
    "or": (_BITS, "UUU", "a | b"),
    "xor": (_BITS, "UUU", "a ^ b"),
    "not": (_BITS, "UU", "~a"),
    "cnot": (_BITS, "UU", "a == 0"),
    "mov": (_ANY, "TT", "a"),
    "selp": (_ANY, "TTTP", "c ? a : b"),
    "shl": (_BITS, "UU4", "b < {bits} ? a << b : 0"),
    "shf.l.wrap": (_BITS32, "4444", "__funnelshift_l(a, b, c)"),
    "shf.l.clamp": (_BITS32, "4444", "__funnelshift_lc(a, b, c)"),
    "shf.r.wrap": (_BITS32, "4444", "__funnelshift_r(a, b, c)"),
    "shf.r.clamp": (_BITS32, "4444", "__funnelshift_rc(a, b, c)"),
    "bfi": (_LONGER_BITS, "UUU44", "b & ~({mask}) | a << ({c} < {bits} ? {c} : 0) & ({mask})"),
    "popc": (_LONGER_BITS, "4U", "__popc{ll}(a)"),
    "clz": (_LONGER_BITS, "4U", "__clz{ll}(a)"),
    "brev": (_LONGER_BITS, "UU", "__brev{ll}(a)"),
    "bfind": (_LONGER, "4T", "{bits} - 1 - __clz{ll}({found})"),
    "bfind.shiftamt": (_LONGER, "4T", "({found}) == 0 ? -1 : __clz{ll}({found})"),
    "prmt": (_BITS32, "4444", "{bytes} & ~({signs}) | ({bytes} >> 7 & 0x01010101u) * 255u & ({signs})"),
    "shr": (("u16", "u32", "u64", *_BITS), "TT4", "b < {bits} ? a >> b : 0"),
    "bfe": (("u32", "u64"), "TT44", "{b} < {bits} ? a >> {b} & ({c} < {bits} ? (({U})1 << {c}) - 1 : ~({U})0) : 0"),
}
"""By name: PTX's types, those of the result and of the operands, and the text.

T is the instruction's type, U the unsigned one of its size, in which sums wrap, W the one of twice its size, 4
`unsigned`, P a predicate.
"""

_WITH_SIGN: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "shr": (_SIGNED_ONLY, "TT4", "a >> (b < {bits} ? b : {bits} - 1)"),
    "bfe": (("s32", "s64"), "TT44", "{c} == 0 ? 0 : ({T})(({U})(a >> min({b}, {bits} - 1)) << {rest}) >> {rest}"),
}
"""Expressions for signed operands, where they differ."""

_MASK: Final = (
    "{c} < {bits} ? ((d & 255) < {bits} ? (({U})1 << (d & 255)) - 1 : ~({U})0) << ({c} < {bits} ? {c} : 0) : 0"
)
_SIGNS: Final = "(c >> 3 & 1) * 255u | (c >> 7 & 1) * 0xff00u | (c >> 11 & 1) * 0xff0000u | (c >> 15 & 1) * 0xff000000u"

_EXACT: Final[dict[str, tuple[str, str]]] = {
    "add": ("TTT", "a + b"),
    "sub": ("TTT", "a - b"),
    "mul": ("TTT", "a * b"),
    "neg": ("TT", "-a"),
    "abs": ("TT", "fabs{f}(a)"),
    "min": ("TTT", "fmin{f}(a, b)"),
    "max": ("TTT", "fmax{f}(a, b)"),
    "copysign": ("TTT", "copysign{f}(b, a)"),
    "mov": ("TT", "a"),
    "selp": ("TTTP", "c ? a : b"),
    "testp.finite": ("PT", "isfinite(a)"),
    "testp.infinite": ("PT", "isinf(a)"),
    "testp.notanumber": ("PT", "isnan(a)"),
    "testp.number": ("PT", "!isnan(a)"),
}
_ROUNDED: Final = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "mad": 3, "rcp": 1, "sqrt": 1}
"""Instructions that say how they round, with the number of their operands."""

_SATURATED: Final = ("add", "sub", "mul", "fma", "mad")
_AS_IT_IS: Final = ("mov", "selp", "copysign", "testp", "tanh")
"""Instructions of `f32` that take `.sat`, and those that do not take `.ftz`."""

_APPROXIMATE: Final[dict[str, tuple[str, str]]] = {
    "ex2.approx": ("TT", "exp2f(a)"),
    "lg2.approx": ("TT", "log2f(a)"),
    "tanh.approx": ("TT", "tanhf(a)"),
    "sin.approx": ("TT", "sinf(a)"),
    "cos.approx": ("TT", "cosf(a)"),
    "rcp.approx": ("TT", "1.0f / a"),
    "sqrt.approx": ("TT", "sqrtf(a)"),
    "rsqrt.approx": ("TT", "rsqrtf(a)"),
    "div.approx": ("TTT", "__fdividef(a, b)"),
    "div.full": ("TTT", "a / b"),
}

_HALF: Final[dict[str, tuple[str, str]]] = {
    "add": ("TTT", "__hadd({0}, {1})"),
    "sub": ("TTT", "__hsub({0}, {1})"),
    "mul": ("TTT", "__hmul({0}, {1})"),
    "fma.rn": ("TTTT", "__hfma({0}, {1}, {2})"),
    "neg": ("TT", "__hneg({0})"),
    "abs": ("TT", "__habs({0})"),
    "min": ("TTT", "__hmin({0}, {1})"),
    "max": ("TTT", "__hmax({0}, {1})"),
}

_VIDEO: Final = {
    "vabsdiff4.u32.u32.u32.add": " + ".join(
        ("c", *(f"abs((int)(a >> {n} & 255) - (int)(b >> {n} & 255))" for n in (0, 8, 16, 24)))
    ),
}
_DOT: Final = {
    "dp4a.u32.u32": UINT,
    "dp4a.s32.s32": INT,
    "dp2a.lo.u32.u32": UINT,
    "dp2a.lo.s32.s32": INT,
    "dp2a.hi.u32.u32": UINT,
    "dp2a.hi.s32.s32": INT,
}


def operation(words: Sequence[str]) -> Operation | None:
    """Return what an instruction computes, None where that is not known here."""
    name = ".".join(words)
    if name in _DOT:
        function = "__" + "_".join(word for word in words if word not in KINDS)
        return Operation(f"{function}(a, b, c)", _DOT[name], (_DOT[name],) * 3)
    if name in _VIDEO:
        return Operation(_VIDEO[name], UINT, (UINT,) * 3)
    kinds = [word for word in words[1:] if word in KINDS]
    plain = [word for word in words if word not in KINDS and word not in ("ftz", "sat")]
    flushes, saturates = "ftz" in words, "sat" in words
    made = _of_kind(plain, kinds[0]) if len(kinds) == 1 else None
    if made is None or ((flushes or saturates) and (kinds[0] != "f32" or plain[0] in _AS_IT_IS)):
        return None
    if saturates and plain[0] not in _SATURATED:
        return None
    text = f"__saturatef({made.text})" if saturates else made.text
    return Operation(text, made.result, made.operands, flushes)


def _of_kind(words: list[str], word: str) -> Operation | None:
    name, kind = ".".join(words), KINDS[word]
    if kind is BOOL:
        texts = {"and": "a && b", "or": "a || b", "xor": "a != b", "not": "!a", "mov": "a"}
        return None if name not in texts else Operation(texts[name], BOOL, (BOOL,) * (1 + ("b" in texts[name])))
    if word in ("bf16", "bf16x2", "tf32"):
        return None
    if word in ("f16", "f16x2"):
        return _of_halves(name, word)
    if kind.dtype.kind == "f":
        return _of_floats(words, kind)
    for table in (_WHOLE, _WITH_SIGN):
        kinds, letters, text = table.get(name, ((), "", ""))
        if word in kinds:
            return _filled(letters, text, kind)
    return None


def _of_halves(name: str, word: str) -> Operation | None:
    if name not in _HALF:
        return None
    letters, text = _HALF[name]
    count = len(letters) - 1
    if word == "f16":
        return Operation(text.format(*"abc"), HALF, (HALF,) * count)
    upper, lower = (
        text.format(*(f"__ushort_as_half((unsigned short)({x}{shift}))" for x in "abc")) for shift in (" >> 16", "")
    )
    joined = f"(unsigned)__half_as_ushort({upper}) << 16 | (unsigned)__half_as_ushort({lower})"
    return Operation(joined, UINT, (UINT,) * count)


def _of_floats(words: list[str], kind: Scalar) -> Operation | None:
    name, single = ".".join(words), kind is FLOAT
    if name in _EXACT:
        return _filled(*_EXACT[name], kind)
    if single and name in _APPROXIMATE:
        return _filled(*_APPROXIMATE[name], kind)
    if len(words) == 2 and words[0] in _ROUNDED and words[1] in MODES:
        mode, count = MODES[words[1]], _ROUNDED[words[0]]
        if count == 3:
            function = f"__fma{'f' if single else ''}_{mode}"
        else:
            function = f"__{'f' if single else 'd'}{words[0]}_{mode}"
        return Operation(f"{function}({', '.join('abc'[:count])})", kind, (kind,) * count)
    return None


def _filled(letters: str, text: str, kind: Scalar) -> Operation:
    """Put an instruction's type into a row of a table."""
    size = kind.size_bytes
    signed = kind.dtype.kind == "i"
    kinds = {"T": kind, "U": _UNSIGNED[size], "4": UINT, "P": BOOL}
    if size < 8:
        kinds["W"] = (_SIGNED if signed else _UNSIGNED)[2 * size]
    words = {letter: str(found) for letter, found in kinds.items() if letter not in "4P"}
    words |= {
        "bits": str(8 * size),
        "ll": "ll" if size == 8 else "",
        "u": "" if signed else "u",
        "f": "f" if kind is FLOAT else "",
        "hi": f"__{'' if signed else 'u'}mul{'64' if size == 8 else ''}hi",
        "signs": _SIGNS,
        "bytes": "__byte_perm(a, b, c)",
        "b": "(b & 255)",
        "c": "(c & 255)",
        "rest": f"{8 * size} - min(c & 255, {8 * size})",
    }
    words["mask"] = _MASK.format(**words)
    words["found"] = f"({kinds['U']})(a < 0 ? ~a : a)" if signed else "a"
    result, *operands = (kinds[letter] for letter in letters)
    return Operation(text.format(**words), result, tuple(operands))
