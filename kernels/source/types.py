"""CUDA C's types, as far as they are executed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np


@dataclass(frozen=True, slots=True)
class Scalar:
    """An arithmetic type, carried by one NumPy dtype that has its size, sign and rounding."""

    name: str
    dtype: np.dtype[np.generic]

    @property
    def size_bytes(self) -> int:
        """What sizeof gives."""
        return self.dtype.itemsize

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Address of `to`."""

    to: CType
    const: bool = False

    @property
    def size_bytes(self) -> int:
        """What sizeof gives: 8, for device code is 64-bit."""
        return 8

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.to} *"


@dataclass(frozen=True, slots=True)
class Array:
    """`length` members of `of`; length 0 is the unsized array of `extern __shared__ float s[]`."""

    of: CType
    length: int

    @property
    def size_bytes(self) -> int:
        """What sizeof gives."""
        if isinstance(self.of, Void):
            return 0
        return self.length * self.of.size_bytes

    @property
    def shape(self) -> tuple[int, ...]:
        """All dimensions, outermost first."""
        return (self.length, *(self.of.shape if isinstance(self.of, Array) else ()))

    @property
    def element(self) -> CType:
        """What is left when every dimension is indexed."""
        return self.of.element if isinstance(self.of, Array) else self.of

    def __str__(self) -> str:
        return f"{self.element}{''.join(f'[{n}]' for n in self.shape)}"


CType = Scalar | Void | Pointer | Array


def _scalar(name: str, dtype: str) -> Scalar:
    return Scalar(name, np.dtype(dtype))


VOID: Final = Void()
BOOL: Final = _scalar("bool", "bool")
CHAR: Final = _scalar("char", "int8")
UCHAR: Final = _scalar("unsigned char", "uint8")
SHORT: Final = _scalar("short", "int16")
USHORT: Final = _scalar("unsigned short", "uint16")
INT: Final = _scalar("int", "int32")
UINT: Final = _scalar("unsigned int", "uint32")
LONG: Final = _scalar("long long", "int64")
ULONG: Final = _scalar("unsigned long long", "uint64")
FLOAT: Final = _scalar("float", "float32")
DOUBLE: Final = _scalar("double", "float64")

SCALARS: Final = {
    t.name: t for t in (BOOL, CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE)
}
"""By canonical name; the parser maps spellings such as `unsigned` or `size_t` onto these."""
