"""NumPy's .npy format, read so that a header cannot claim more than the file holds.

`numpy.load` makes the array that a header describes before it looks at the data: a header of 100 bytes can ask for
terabytes. Here the header is checked first, by the caller too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.lib import format as npy

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS: Final = "biuf"
"""Kinds of NumPy types that kernels compute with: bool, signed, unsigned, float."""

_AT_ONCE: Final = 1 << 20
"""Bytes that are read at once, so that only the array itself takes much memory."""

_MOST_DIMENSIONS: Final = 32
"""The limit of NumPy 1."""

_READERS: Final = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Stream(Protocol):
    """A binary file, or a member of an archive."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes, none at the end."""

    def tell(self) -> int:
        """Return the number of bytes read."""


@dataclass(frozen=True, slots=True)
class Header:
    """Description of the array in a file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran_order: bool
    begin: int
    """Offset of the first byte of the data."""

    @property
    def end(self) -> int:
        """Offset of the end of the data: the size of the file."""
        return self.begin + math.prod(self.shape) * self.dtype.itemsize


def read_header(stream: Stream) -> Header:
    """Read the header.

    Raises
    ------
    ValueError
        For another format, and for Python objects, because reading them would run code of the file.
    """
    version = npy.read_magic(stream)
    if version not in _READERS:
        raise ValueError(f"it has version {version[0]}.{version[1]} of the .npy format; 1.0 and 2.0 are read")
    try:
        shape, fortran_order, dtype = _READERS[version](stream)
    except (SyntaxError, TokenError) as error:  # NumPy parses the header as Python, and lets these two pass
        raise ValueError("its .npy header is damaged") from error
    if dtype.hasobject:
        raise ValueError("it holds Python objects, not numbers")
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"it says that it has {len(shape):,} dimensions; up to {_MOST_DIMENSIONS} are read")
    if min(shape, default=0) < 0:
        raise ValueError(f"it says that its shape is {shape}")
    return Header(tuple(shape), dtype, fortran_order, stream.tell())


def read_data(stream: Stream, header: Header) -> NDArray[Any]:
    """Read the elements after a header into an array in C order.

    Raises
    ------
    ValueError
        When the file ends early.
    """
    flat = np.empty(math.prod(header.shape), header.dtype)
    data, at = flat.view(np.uint8), 0
    while at < len(data):
        part = stream.read(min(_AT_ONCE, len(data) - at))
        if not part:
            raise ValueError(f"it ends after {header.begin + at:,} of {header.end:,} bytes")
        data[at : at + len(part)] = np.frombuffer(part, np.uint8)
        at += len(part)
    if header.fortran_order:
        return np.ascontiguousarray(flat.reshape(header.shape[::-1]).T)
    return flat.reshape(header.shape)
