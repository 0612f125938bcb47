"""Textures and surfaces: the types that name an array of pixels (CUDA C++ Programming Guide, "Texture Memory")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend.types import VOID, CType, Pointer, Scalar, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr


@dataclass(frozen=True, slots=True)
class Image(Pointer):
    """A texture or surface object; `to` is the type of a pixel, void where the access determines it."""

    word: str = ""
    """The type in C."""
    scaled: bool = False
    """True if integers are read as fractions of the largest one (cudaReadModeNormalizedFloat)."""

    def __str__(self) -> str:
        return self.word


TEXTURE: Final = Image(VOID, const=True, word="cudaTextureObject_t")
SURFACE: Final = Image(VOID, word="cudaSurfaceObject_t")
OBJECTS: Final = {kind.word: kind for kind in (TEXTURE, SURFACE)}

CONSTANTS: Final = {
    "cudaReadModeElementType": 0,
    "cudaReadModeNormalizedFloat": 1,
    "cudaTextureType1D": 1,
    "cudaTextureType2D": 2,
    "cudaTextureType3D": 3,
    "cudaTextureType2DLayered": 0xF2,
    "cudaTextureTypeCubemap": 0xC,
    "cudaBoundaryModeZero": 0,
    "cudaBoundaryModeClamp": 1,
    "cudaBoundaryModeTrap": 2,
}
"""Enumerators that template arguments and accesses name (driver_types.h, texture_types.h)."""

FUNCTIONS: Final = (
    *("tex1Dfetch", "tex1D", "tex2D", "tex2DLod", "tex2DLayered", "tex2Dgather", "tex3D", "texCubemap"),
    *(f"surf{shape}{way}" for shape in ("1D", "2D", "2DLayered", "3D") for way in ("read", "write")),
)
"""Functions that may take template arguments."""


def texture(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type of `texture<T, dimensions, mode> name;`, None where the arguments do not fit."""
    if not arguments or not isinstance(arguments[0], Scalar | Struct):
        return None
    mode = getattr(arguments[2], "value", None) if len(arguments) > 2 else 0
    return Image(arguments[0], const=True, word="texture", scaled=mode == 1)


REFERENCES: Final = {"texture": texture}
"""Templates whose instances are declared outside of functions, by name."""
