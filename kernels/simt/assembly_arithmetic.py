"""What PTX's instructions on registers compute, each written in CUDA C (PTX ISA, "Instruction Set").

An instruction's operands are `a`, `b`, `c` there, seen as the types that the instruction says. What a GPU computes
with fewer digits (`.approx`) is computed here as the function of CUDA C is (docs/language.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.source.types import (
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
    "pred": BOOL, "b8": UCHAR, "u8": UCHAR, "s8": CHAR,
    "b16": USHORT, "u16": USHORT, "s16": SHORT, "f16": HALF, "bf16": USHORT,
    "b32": UINT, "u32": UINT, "s32": INT, "f32": FLOAT, "f16x2": UINT, "bf16x2": UINT, "tf32": UINT,
    "b64": ULONG, "u64": ULONG, "s64": LONG, "f64": DOUBLE,
}  # fmt: skip
"""The C types that hold the values of PTX's types, by PTX's names."""

_UNSIGNED: Final = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}
_SIGNED: Final = {1: CHAR, 2: SHORT, 4: INT, 8: LONG}
MODES: Final = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}
"""How PTX and CUDA C call the ways to round."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction in CUDA C; `flushes` where subnormal operands and results become zero (`.ftz`)."""

    text: str
    result: Scalar
    operands: tuple[Scalar, ...]
    flushes: bool = False


_WHOLE: Final[dict[str, tuple[str, str]]] = {
    "add": ("UUU", "a + b"), "sub": ("UUU", "a - b"),
    "mul.lo": ("UUU", "a * b"), "mad.lo": ("UUUU", "a * b + c"),
    "mul.wide": ("WTT", "({W})a * b"), "mad.wide": ("WTTW", "({W})a * b + c"),
    "mul.hi": ("TTT", "{hi}(a, b)"), "mad.hi": ("UTTU", "({U}){hi}(a, b) + c"),
    "mul24.lo": ("TTT", "__{u}mul24(a, b)"), "mad24.lo": ("UTTU", "({U})__{u}mul24(a, b) + c"),
    "div": ("TTT", "a / b"), "rem": ("TTT", "a % b"), "min": ("TTT", "min(a, b)"), "max": ("TTT", "max(a, b)"),
    "abs": ("UT", "a < 0 ? 0 - ({U})a : ({U})a"), "neg": ("UU", "0 - a"), "sad": ("TTTT", "__{u}sad(a, b, c)"),
    "and": ("UUU", "a & b"), "or": ("UUU", "a | b"), "xor": ("UUU", "a ^ b"), "not": ("UU", "~a"),
    "cnot": ("UU", "a == 0"), "mov": ("TT", "a"), "selp": ("TTTP", "c ? a : b"),
    "shl": ("UU4", "b < {bits} ? a << b : 0"),
    "shf.l.wrap": ("4444", "__funnelshift_l(a, b, c)"), "shf.l.clamp": ("4444", "__funnelshift_lc(a, b, c)"),
    "shf.r.wrap": ("4444", "__funnelshift_r(a, b, c)"), "shf.r.clamp": ("4444", "__funnelshift_rc(a, b, c)"),
    "bfi": ("UUU44", "b & ~({mask}) | a << (c < {bits} ? c : 0) & ({mask})"),
    "popc": ("4U", "__popc{ll}(a)"), "clz": ("4U", "__clz{ll}(a)"), "brev": ("UU", "__brev{ll}(a)"),
    "bfind": ("4T", "{bits} - 1 - __clz{ll}({found})"),
    "bfind.shiftamt": ("4T", "({found}) == 0 ? -1 : __clz{ll}({found})"),
    "prmt": ("4444", "{bytes} & ~({signs}) | ({bytes} >> 7 & 0x01010101u) * 255u & ({signs})"),
}  # fmt: skip
"""By name: types of the result and of the operands, and the text.

T is the instruction's type, U the unsigned one of its size, in which sums wrap, W the one of twice its size, 4
`unsigned`, P a predicate.
"""

_BY_SIGN: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "shr": (("TT4", "b < {bits} ? a >> b : 0"), ("TT4", "a >> (b < {bits} ? b : {bits} - 1)")),
    "bfe": (
        ("TT44", "{b} < {bits} ? a >> {b} & ({c} < {bits} ? (({U})1 << {c}) - 1 : ~({U})0) : 0"),
        ("TT44", "{c} == 0 ? 0 : ({T})(({U})(a >> min({b}, {bits} - 1)) << {rest}) >> {rest}"),
    ),
}  # fmt: skip
"""What differs for unsigned and signed operands."""

_MASK: Final = (
    "c < {bits} ? ((d & 255) < {bits} ? (({U})1 << (d & 255)) - 1 : ~({U})0) << (c < {bits} ? c : 0) : 0"
)
_SIGNS: Final = (
    "(c >> 3 & 1) * 255u | (c >> 7 & 1) * 0xff00u | (c >> 11 & 1) * 0xff0000u | (c >> 15 & 1) * 0xff000000u"
)

_EXACT: Final[dict[str, tuple[str, str]]] = {
    "add": ("TTT", "a + b"), "sub": ("TTT", "a - b"), "mul": ("TTT", "a * b"), "neg": ("TT", "-a"),
    "abs": ("TT", "fabs{f}(a)"), "min": ("TTT", "fmin{f}(a, b)"), "max": ("TTT", "fmax{f}(a, b)"),
    "copysign": ("TTT", "copysign{f}(b, a)"), "mov": ("TT", "a"), "selp": ("TTTP", "c ? a : b"),
    "testp.finite": ("PT", "isfinite(a)"), "testp.infinite": ("PT", "isinf(a)"),
    "testp.notanumber": ("PT", "isnan(a)"), "testp.number": ("PT", "!isnan(a)"),
}  # fmt: skip
_ROUNDED: Final = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "mad": 3, "rcp": 1, "sqrt": 1}
"""Instructions that say how they round, with the number of their operands."""

_APPROXIMATE: Final[dict[str, tuple[str, str]]] = {
    "ex2.approx": ("TT", "exp2f(a)"), "lg2.approx": ("TT", "log2f(a)"), "tanh.approx": ("TT", "tanhf(a)"),
    "sin.approx": ("TT", "sinf(a)"), "cos.approx": ("TT", "cosf(a)"), "rcp.approx": ("TT", "1.0f / a"),
    "sqrt.approx": ("TT", "sqrtf(a)"), "rsqrt.approx": ("TT", "rsqrtf(a)"),
    "div.approx": ("TTT", "__fdividef(a, b)"), "div.full": ("TTT", "a / b"),
}  # fmt: skip

_HALF: Final[dict[str, tuple[str, str]]] = {
    "add": ("TTT", "__hadd({0}, {1})"), "sub": ("TTT", "__hsub({0}, {1})"), "mul": ("TTT", "__hmul({0}, {1})"),
    "fma.rn": ("TTTT", "__hfma({0}, {1}, {2})"), "neg": ("TT", "__hneg({0})"), "abs": ("TT", "__habs({0})"),
    "min": ("TTT", "__hmin({0}, {1})"), "max": ("TTT", "__hmax({0}, {1})"), "mov": ("TT", "{0}"),
}  # fmt: skip

_VIDEO: Final = {
    "vabsdiff4.u32.u32.u32.add": " + ".join(
        ("c", *(f"abs((int)(a >> {n} & 255) - (int)(b >> {n} & 255))" for n in (0, 8, 16, 24)))
    ),
}
_DOT: Final = {
    "dp4a.u32.u32": UINT, "dp4a.s32.s32": INT, "dp2a.lo.u32.u32": UINT, "dp2a.lo.s32.s32": INT,
    "dp2a.hi.u32.u32": UINT, "dp2a.hi.s32.s32": INT,
}  # fmt: skip


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
    if made is None or (kinds[0] != "f32" and (flushes or saturates)):
        return None
    text = f"__saturatef({made.text})" if saturates else made.text
    return Operation(text, made.result, made.operands, flushes)


def _of_kind(words: list[str], word: str) -> Operation | None:
    name, kind = ".".join(words), KINDS[word]
    if kind is BOOL:
        texts = {"and": "a && b", "or": "a || b", "xor": "a != b", "not": "!a", "mov": "a"}
        return (
            None if name not in texts else Operation(texts[name], BOOL, (BOOL,) * (1 + ("b" in texts[name])))
        )
    if word in ("bf16", "bf16x2", "tf32"):
        return None
    if word in ("f16", "f16x2"):
        return _of_halves(name, word)
    if kind.dtype.kind == "f":
        return _of_floats(words, kind)
    if name in _BY_SIGN and kind.size_bytes > 1:
        return _filled(_BY_SIGN[name][kind.dtype.kind == "i"], kind)
    wide = kind.size_bytes == 8 and (".wide" in name or "24" in name or name == "sad")
    narrow = kind.size_bytes < 4 and name in (
        "mul.hi",
        "mad.hi",
        "bfi",
        "popc",
        "clz",
        "brev",
        "bfind",
        "sad",
    )
    return None if wide or narrow or name not in _WHOLE else _filled(_WHOLE[name], kind)


def _of_halves(name: str, word: str) -> Operation | None:
    if name not in _HALF:
        return None
    letters, text = _HALF[name]
    count = len(letters) - 1
    if word == "f16":
        return Operation(text.format(*"abc"), HALF, (HALF,) * count)
    upper, lower = (
        text.format(*(f"__ushort_as_half((unsigned short)({x}{shift}))" for x in "abc"))
        for shift in (" >> 16", "")
    )
    joined = f"(unsigned)__half_as_ushort({upper}) << 16 | (unsigned)__half_as_ushort({lower})"
    return Operation(joined, UINT, (UINT,) * count)


def _of_floats(words: list[str], kind: Scalar) -> Operation | None:
    name, single = ".".join(words), kind is FLOAT
    if name in _EXACT:
        return _filled(_EXACT[name], kind)
    if single and name in _APPROXIMATE:
        return _filled(_APPROXIMATE[name], kind)
    if len(words) == 2 and words[0] in _ROUNDED and words[1] in MODES:
        mode, count = MODES[words[1]], _ROUNDED[words[0]]
        if count == 3:
            function = f"__fma{'f' if single else ''}_{mode}"
        else:
            function = f"__{'f' if single else 'd'}{words[0]}_{mode}"
        return Operation(f"{function}({', '.join('abc'[:count])})", kind, (kind,) * count)
    return None


def _filled(entry: tuple[str, str], kind: Scalar) -> Operation:
    """Put an instruction's type into a row of a table."""
    letters, text = entry
    size = kind.size_bytes
    signed = kind.dtype.kind == "i"
    kinds = {"T": kind, "U": _UNSIGNED[size], "4": UINT, "P": BOOL}
    if size < 8:
        kinds["W"] = (_SIGNED if signed else _UNSIGNED)[2 * size]
    words = {letter: str(found) for letter, found in kinds.items() if letter not in "4P"}
    words |= {
        "bits": str(8 * size), "ll": "ll" if size == 8 else "", "u": "" if signed else "u",
        "f": "f" if kind is FLOAT else "",
        "hi": f"__{'' if signed else 'u'}mul{'64' if size == 8 else ''}hi", "signs": _SIGNS,
        "bytes": "__byte_perm(a, b, c)", "b": "(b & 255)", "c": "(c & 255)",
        "rest": f"{8 * size} - min(c & 255, {8 * size})",
    }  # fmt: skip
    words["mask"] = _MASK.format(**words)
    words["found"] = f"({kinds['U']})(a < 0 ? ~a : a)" if signed else "a"
    result, *operands = (kinds[letter] for letter in letters)
    return Operation(text.format(**words), result, tuple(operands))
