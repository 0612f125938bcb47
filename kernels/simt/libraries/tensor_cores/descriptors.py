"""Descriptors of matrices in shared memory, and where the 16-byte chunks of such a matrix lie.

PTX ISA, "Asynchronous warpgroup level matrix instructions", "Matrix descriptor format" and "Shared memory layout". Of
the 64 bits, 0–13 are the start address, 16–29 the leading and 32–45 the stride byte offset, each divided by 16; 49–51
are the base offset, 62–63 the swizzle.

A matrix is made of core matrices of 8 rows of 16 bytes. Without a swizzle the 128 bytes of one are contiguous. With a
swizzle of 32, 64 or 128 bytes a row of that length is contiguous, eight of them follow each other, and bits 4 and up of
an address are XORed with bits 7 and up: bit 4 with bit 7 for 32 bytes, bits 4–6 with bits 7–9 for 128.

Example: row 3, chunk 2 of a tile at address 1,024 with a swizzle of 128 bytes is at 1,024 + 3·128 + 2·16, with bits 4–6
(2) XORed with bits 7–9 (3): chunk 1 of the row, 1,424.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK_BYTES: Final = 16

_CHUNKS: Final = (1, 8, 4, 2)
"""By code of the swizzle: 16-byte chunks in a contiguous row."""


class Descriptors(NamedTuple):
    """The fields of descriptors, one for each warp, in bytes."""

    start: NDArray[np.int64]
    leading: NDArray[np.int64]
    stride: NDArray[np.int64]
    base_offset: NDArray[np.int64]
    chunks: NDArray[np.int64]
    """16-byte chunks in a contiguous row: 1, or those of the swizzle."""

    @classmethod
    def unpack(cls, words: NDArray[np.uint64]) -> Descriptors:
        """Return the fields of 64-bit words."""

        def bits(first: int, count: int) -> NDArray[np.int64]:
            return (words >> np.uint64(first) & np.uint64((1 << count) - 1)).astype(np.int64)

        return cls(
            bits(0, 14) * CHUNK_BYTES,
            bits(16, 14) * CHUNK_BYTES,
            bits(32, 14) * CHUNK_BYTES,
            bits(49, 3),
            np.array(_CHUNKS, np.int64)[bits(62, 2)],
        )

    def addresses(self, rows: NDArray[Any], chunks: NDArray[Any]) -> NDArray[np.int64]:
        """Return the shared addresses of chunks of a matrix whose rows run along k, one row for each descriptor."""
        pitch = (self.chunks * CHUNK_BYTES)[:, None]
        beside = np.where(self.chunks == 1, self.leading, CHUNK_BYTES)[:, None]
        at = self.start[:, None] + rows % 8 * pitch + rows // 8 * self.stride[:, None] + chunks * beside
        return self._swizzled(at)

    def transposed_addresses(self, lines: NDArray[Any], chunks: NDArray[Any]) -> NDArray[np.int64]:
        """Return the same of a matrix whose rows run along m or n: of line k, eight rows from 8·chunk on."""
        wide = self.chunks[:, None]
        plain, leading, stride = wide == 1, self.leading[:, None], self.stride[:, None]
        across = np.where(plain, chunks * stride, chunks % wide * CHUNK_BYTES + chunks // wide * leading)
        down = lines % 8 * wide * CHUNK_BYTES + lines // 8 * np.where(plain, leading, stride)
        return self._swizzled(self.start[:, None] + across + down)

    def _swizzled(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        bits = (self.chunks[:, None] - 1) * CHUNK_BYTES
        return at ^ (at >> 3 & bits)
