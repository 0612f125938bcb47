"""Textures, as the host creates them: an array of pixels with a sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kernels.errors import InputError
from kernels.simt.machine.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

EDGES: Final = ("clamp", "border", "wrap", "mirror")
_WORDS: Final = ("linear", "normalized", *EDGES)


@dataclass(frozen=True, slots=True)
class Sampler:
    """The settings of a texture (`cudaTextureDesc`)."""

    linear: bool = False
    """Interpolate between neighbouring pixels."""
    normalized: bool = False
    """Coordinates are from 0 to 1."""
    edge: str = "clamp"
    """Addressing beyond the edges: one of `EDGES`."""

    @classmethod
    def of(cls, words: Sequence[str]) -> Sampler:
        """Read `linear`, `normalized`, and one of `EDGES`.

        Raises
        ------
        InputError
            For any other word, and for combinations that CUDA does not have.
        """
        for word in words:
            if word not in _WORDS:
                raise InputError(f"'{word}' says nothing of a texture: use {', '.join(_WORDS)}")
        edges = [word for word in words if word in EDGES] or ["clamp"]
        if len(edges) > 1 or len(set(words)) < len(words):
            raise InputError(f"a texture cannot be {' and '.join(words)}")
        if edges[0] in ("wrap", "mirror") and "normalized" not in words:
            raise InputError(f"textures {edges[0]} with normalized coordinates only: add normalized")
        return cls("linear" in words, "normalized" in words, edges[0])


@dataclass(frozen=True, slots=True)
class Texture:
    """An argument for a texture: the pixels and the settings."""

    pixels: NDArray[Any]
    sampler: Sampler


class TextureMemory(Memory):
    """The pixels of a texture or surface."""

    sampler = Sampler()


def sampler_of(memory: Memory) -> Sampler:
    """Return the settings with which the pixels of an array are read."""
    return memory.sampler if isinstance(memory, TextureMemory) else Sampler()
