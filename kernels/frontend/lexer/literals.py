"""Values of numeric, character and string literals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT, INT, LONG, UINT, ULONG

if TYPE_CHECKING:
    from kernels.frontend.types import Scalar

_INTEGER: Final = re.compile(
    r"(?:0x(?P<hex>[0-9a-f]+)|0b(?P<bin>[01]+)|0(?P<oct>[0-7]*)|(?P<dec>[1-9][0-9]*))(?P<suffix>u?(?:ll|l)?|(?:ll|l)u)"
)
_MOST_DIGITS: Final = 64
"""Maximum number of digits of a whole number: 64 binary ones."""

_LARGEST: Final = {INT: 2**31 - 1, UINT: 2**32 - 1, LONG: 2**63 - 1, ULONG: 2**64 - 1}
"""Largest values of the types of integer literals, in the order in which they are tried."""

_REAL: Final = re.compile(
    r"(?P<value>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|0x[0-9a-f]*\.?[0-9a-f]*p[+-]?[0-9]+)(?P<suffix>[fl]?)"
)
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<oct>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|u(?P<u4>[0-9a-fA-F]{4})|U(?P<u8>[0-9a-fA-F]{8})"
    r"|(?P<end>\r?\n)|(?P<one>.))",
    re.DOTALL,
)
_ONE: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


def number(text: str) -> tuple[int | float, Scalar]:
    """Return value and type of a numeric literal (C++17, [lex.icon] and [lex.fcon]; `long` has 64 bits).

    Raises
    ------
    ValueError
        For text that is no literal, or needs more than 64 bits.
    """
    plain = text.replace("'", "").lower()
    if match := _INTEGER.fullmatch(plain):
        digits, base = next(
            (match[group], base)
            for group, base in (("hex", 16), ("bin", 2), ("dec", 10), ("oct", 8))
            if match[group] is not None
        )
        if len(digits.lstrip("0")) > _MOST_DIGITS:
            raise ValueError(f"a number of {len(digits):,} digits does not fit into 64 bits")
        return _integer(int(digits or "0", base), match["suffix"], decimal=match["dec"] is not None)
    match = None if plain.isdecimal() else _REAL.fullmatch(plain)  # 08 is no number
    if match:
        value = float.fromhex(match["value"]) if "x" in match["value"] else float(match["value"])
        if match["suffix"] != "f":
            return value, DOUBLE
        with np.errstate(over="ignore"):
            return float(np.float32(value)), FLOAT
    raise ValueError(f"'{text}' is not a number")


def _integer(value: int, suffix: str, *, decimal: bool) -> tuple[int, Scalar]:
    """Return the value with the first type of [lex.icon] that can hold it."""
    for kind, largest in _LARGEST.items():
        if "l" in suffix and kind in (INT, UINT):
            continue
        # A decimal literal is unsigned only by its suffix; others take any type.
        if ("u" in suffix and kind in (INT, LONG)) or ("u" not in suffix and decimal and kind in (UINT, ULONG)):
            continue
        if value <= largest:
            return value, kind
    raise ValueError(f"{value} does not fit into 64 bits")


def characters(text: str) -> str:
    """Resolve the escape sequences of a string or character literal, given without its quotes.

    Raises
    ------
    ValueError
        For an unknown escape sequence.
    """

    def resolve(match: re.Match[str]) -> str:
        if match["end"] is not None:
            return ""
        if match["oct"] is not None:
            return chr(int(match["oct"], 8))
        for group in ("hex", "u4", "u8"):
            if match[group] is not None:
                code = int(match[group], 16)
                if code > 0x10FFFF:
                    raise ValueError(f"'{match[0]}' is not a character")
                return chr(code)
        if match["one"] not in _ONE:
            raise ValueError(f"unknown escape '{match[0]}'")
        return _ONE[match["one"]]

    return _ESCAPE.sub(resolve, text)
