"""PTX's instructions on registers as expressions of CUDA C (PTX ISA, "Instruction Set")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
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
    "b32": UINT,
    "u32": UINT,
    "s32": INT,
    "f32": FLOAT,
    "b64": ULONG,
    "u64": ULONG,
    "s64": LONG,
    "f64": DOUBLE,
}
"""The C types that hold the values of PTX's types, by PTX's names."""

_UNSIGNED: Final = {2: USHORT, 4: UINT, 8: ULONG}
"""By size in bytes."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction in CUDA C."""

    text: str
    """An expression of the operands `a`, `b` and `c`."""
    result: Scalar
    operands: tuple[Scalar, ...]


_INTEGERS: Final = ("u16", "s16", "u32", "s32", "u64", "s64")
_BITS: Final = ("b16", "b32", "b64")
_ANY: Final = (*_INTEGERS, *_BITS, "f32", "f64")

_BY_TYPE: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "add": (_INTEGERS, "UUU", "a + b"),
    "sub": (_INTEGERS, "UUU", "a - b"),
    "mul.lo": (_INTEGERS, "UUU", "a * b"),
    "mad.lo": (_INTEGERS, "UUUU", "a * b + c"),
    "and": (_BITS, "UUU", "a & b"),
    "or": (_BITS, "UUU", "a | b"),
    "xor": (_BITS, "UUU", "a ^ b"),
    "not": (_BITS, "UU", "~a"),
    "shl": (_BITS, "UU4", "b < {bits} ? a << b : 0"),
    "shr": (("u16", "u32", "u64", *_BITS), "UU4", "b < {bits} ? a >> b : 0"),
    "mov": (_ANY, "TT", "a"),
    "selp": (_ANY, "TTTP", "c ? a : b"),
    # Position and length are the lowest 8 bits of b and c.
    "bfe": (("u32",), "TT44", "(b & 255) < 32 ? a >> (b & 255) & ((c & 255) < 32 ? (1u << (c & 255)) - 1 : ~0u) : 0"),
    "bfind": (("u32",), "TT", "31 - __clz(a)"),
}
"""By name: PTX's types, those of the result and of the operands, and the text.

T is the instruction's type, U the unsigned one of its size, in which sums wrap, 4 `unsigned`, P a predicate.
"""

_BY_NAME: Final = {
    "cvt.rn.bf16x2.f32": Operation(
        "(unsigned)__bfloat16_as_ushort(__float2bfloat16(a)) << 16 | __bfloat16_as_ushort(__float2bfloat16(b))",
        UINT,
        (FLOAT, FLOAT),
    ),
    "vabsdiff4.u32.u32.u32.add": Operation(
        " + ".join(("c", *(f"abs((int)(a >> {n} & 255) - (int)(b >> {n} & 255))" for n in (0, 8, 16, 24)))),
        UINT,
        (UINT, UINT, UINT),
    ),
}

_COMPARISONS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def operation(words: Sequence[str]) -> Operation | None:
    """Return what an instruction computes, from the parts of its name; None for one that is not supported."""
    name, word = ".".join(words[:-1]), words[-1]
    if ".".join(words) in _BY_NAME:
        return _BY_NAME[".".join(words)]
    match words:
        case ["cvt", to, source] if {to, source} <= {"u8", "s8", *_INTEGERS}:
            return Operation(f"({KINDS[to]})a", KINDS[to], (KINDS[source],))
        case ["setp", comparison, _] if comparison in _COMPARISONS and word in (*_INTEGERS, *_BITS):
            if word[0] == "b" and comparison not in ("eq", "ne"):
                return None
            return Operation(f"a {_COMPARISONS[comparison]} b", BOOL, (KINDS[word], KINDS[word]))
    kinds, letters, text = _BY_TYPE.get(name, ((), "", ""))
    if word not in kinds:
        return None
    kind = KINDS[word]
    of = {"T": kind, "U": _UNSIGNED[kind.size_bytes], "4": UINT, "P": BOOL}
    result, *operands = (of[letter] for letter in letters)
    return Operation(text.format(bits=8 * kind.size_bytes), result, tuple(operands))
