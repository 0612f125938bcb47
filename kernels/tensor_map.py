"""Tensor maps: descriptions of matrices of which `cp.async.bulk.tensor` copies tiles (CUDA driver API, CUtensorMap).

On a GPU the driver encodes 128 bytes, `cuTensorMapEncodeTiled`. For the simulator they hold the fields one after the
other: the kernel passes them on and does not look inside.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS: Final = 16
"""Words of 64 bits in a map."""

_MAGIC: Final = 0x70616D726F736E65

_TEXT: Final = re.compile(r"tensor_map\(\s*(\w+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")

_LARGEST_BOX: Final = 256


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A map of a matrix by rows, in tiles."""

    array: str
    """The parameter whose array it is."""
    columns: int
    """Of a tile."""
    rows: int
    swizzle_bytes: int = 0
    """0, 32, 64 or 128: a row of the tile is as long, at most."""

    @classmethod
    def parse(cls, text: str) -> TensorMap | None:
        """Read `tensor_map(A, COLUMNS, ROWS, SWIZZLE)`; None for any other text."""
        found = _TEXT.fullmatch(text.strip())
        return cls(found[1], int(found[2]), int(found[3]), int(found[4] or 0)) if found else None

    def words(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """Return the map of an array for the simulator; raises InputError for a tile that a GPU refuses.

        CUDA driver API, `cuTensorMapEncodeTiled`: sides up to 256, rows of the array and of the tile of whole 16 bytes.
        """
        if len(shape) != 2:
            raise InputError(f"{name}: a tensor map is of a matrix, and {self.array} has {len(shape)} dimension(s)")
        if not (1 <= self.columns <= _LARGEST_BOX and 1 <= self.rows <= _LARGEST_BOX):
            raise InputError(f"{name}: a tile has sides from 1 to {_LARGEST_BOX}, not {self.columns} by {self.rows}")
        if self.swizzle_bytes not in (0, 32, 64, 128):
            raise InputError(f"{name}: a swizzle has 0, 32, 64 or 128 bytes, not {self.swizzle_bytes}")
        row = self.columns * dtype.itemsize
        if row % 16 or shape[1] * dtype.itemsize % 16:
            raise InputError(f"{name}: rows of the tile and of {self.array} are multiples of 16 bytes")
        if self.swizzle_bytes and row > self.swizzle_bytes:
            raise InputError(f"{name}: a row of the tile has {row} bytes, its swizzle {self.swizzle_bytes}")
        fields = (_MAGIC, array_key(self.array), dtype.itemsize, shape[1], shape[0])
        found = np.zeros(WORDS, np.uint64)
        found[:8] = [*fields, self.columns, self.rows, self.swizzle_bytes]
        return found


@dataclass(frozen=True, slots=True)
class MapFields:
    """The fields of a map, as the simulator finds them."""

    array: int
    """Key of the array (`array_key`)."""
    item: int
    """Bytes of an element."""
    columns: int
    """Of the array."""
    rows: int
    box_columns: int
    box_rows: int
    swizzle_bytes: int

    @classmethod
    def unpack(cls, words: NDArray[np.uint64]) -> MapFields | None:
        """Return the fields of a map; None for other words."""
        return cls(*words[1:8].tolist()) if len(words) >= 8 and int(words[0]) == _MAGIC else None


def array_key(name: str) -> int:
    """Return the number by which a map names its array."""
    return zlib.crc32(name.encode())
