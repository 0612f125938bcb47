"""Textures as the host sets them up: an array of pixels with a sampler."""

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
    """Whether neighbouring pixels are mixed, coordinates go from 0 to 1, and how it goes on beyond the edges."""

    linear: bool = False
    normalized: bool = False
    edge: str = "clamp"

    @classmethod
    def of(cls, words: Sequence[str]) -> Sampler:
        """Read `linear`, `normalized`, and one of `EDGES`.

        Raises
        ------
        InputError
            For another word, and for what CUDA does not have together.
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
    """An array for a texture, with the settings that its host gives it."""

    pixels: NDArray[Any]
    sampler: Sampler


class TextureMemory(Memory):
    """The pixels behind a texture or surface."""

    sampler = Sampler()


def sampler_of(memory: Memory) -> Sampler:
    """Return how the pixels of an array are read."""
    return memory.sampler if isinstance(memory, TextureMemory) else Sampler()
