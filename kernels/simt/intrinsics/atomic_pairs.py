"""Vectors that one `atomicAdd` adds to: they lie in a word, whose parts never meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16, BF162
from kernels.frontend.types import UINT, ULONG, USHORT, VECTORS
from kernels.simt.compiler.bfloat16 import floats, rounded

if TYPE_CHECKING:
    from kernels.frontend.types import Scalar, Struct


@dataclass(frozen=True, slots=True)
class Packed:
    """A vector in a word: the type of the word, and of the numbers in it; `brief` ones are bits of bfloat16."""

    word: Scalar
    part: str
    brief: bool = False

    def pack(self, value: Any, size: int) -> Any:
        """Return the words of a struct's value, one a lane."""
        parts = [np.broadcast_to(np.asarray(part, self.part), (size,)) for part in value]
        return np.ascontiguousarray(np.stack(parts, axis=1)).view(self.word.dtype)[:, 0]

    def unpack(self, words: Any) -> tuple[Any, ...]:
        """Return the value that words hold."""
        parts = self._parts(words)
        return tuple(np.ascontiguousarray(parts[:, n]) for n in range(parts.shape[1]))

    def add(self, old: Any, value: Any) -> Any:
        """Add the parts of words."""
        a, b = self._parts(old), self._parts(value)
        total = np.asarray(rounded(floats(a) + floats(b))) if self.brief else a + b
        return np.ascontiguousarray(total.astype(self.part)).view(self.word.dtype)[:, 0]

    def _parts(self, words: Any) -> Any:
        return np.ascontiguousarray(words)[:, None].view(self.part)


_PACKED: Final[dict[str, Packed]] = {
    VECTORS["half2"].name: Packed(UINT, "float16"),
    VECTORS["float2"].name: Packed(ULONG, "float32"),
    BF16.name: Packed(USHORT, "uint16", brief=True),
    BF162.name: Packed(UINT, "uint16", brief=True),
}


def packed(kind: Struct) -> Packed | None:
    """Return how a vector lies in the word that atomicAdd changes; None for one that it does not take."""
    return _PACKED.get(kind.name) if kind in (BF16, BF162, VECTORS.get(kind.name)) else None
