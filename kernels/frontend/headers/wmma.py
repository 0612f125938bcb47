"""Types of `nvcuda::wmma`: fragments, tiles of a matrix divided among a warp (CUDA C++ Programming Guide, "WMMA")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import CHAR, FLOAT, HALF, INT, UCHAR, USHORT, Array, Field, Scalar, Struct, scalar, struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

Use = Literal["matrix_a", "matrix_b", "accumulator"]

TF32: Final = scalar("tf32", "float32")
"""Element of a fragment of floats; a tensor core reads its upper 19 bits."""

WARP: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment(Struct):
    """A tile of `rows` × `columns`, divided evenly among the lanes of a warp: each holds `count` elements.

    The first lane holds the first `width` elements, the second lane the next, and so on around the warp. Example: of
    256 elements of `half`, `width` is 8; lane 0 holds elements 0 to 7, lane 31 those up to 255.
    """

    use: Use
    element: Scalar | Struct
    shape: tuple[int, int, int]
    """m, n, k."""
    by_columns: bool
    """True if elements are numbered along the columns, False if along the rows."""

    @property
    def rows(self) -> int:
        """Rows of the tile."""
        return self.shape[2] if self.use == "matrix_b" else self.shape[0]

    @property
    def columns(self) -> int:
        """Columns of the tile."""
        return self.shape[2] if self.use == "matrix_a" else self.shape[1]

    @property
    def count(self) -> int:
        """Elements that a lane holds."""
        return self.rows * self.columns // WARP

    @property
    def width(self) -> int:
        """Neighbouring elements that a lane holds: 16 bytes, or all if it has fewer."""
        return min(self.count, 16 // self.memory_type.size_bytes)

    @property
    def memory_type(self) -> Scalar | Struct:
        """The type of an element in memory."""
        return FLOAT if self.element == TF32 else self.element

    @property
    def scalar(self) -> Scalar:
        """The type of an element as a number; for a bfloat16, the type of its bits."""
        return self.memory_type if isinstance(self.memory_type, Scalar) else USHORT


_SHAPE: Final = (16, 16, 16)
_TF32_SHAPE: Final = (16, 16, 8)
_FACTORS: Final[dict[CType, tuple[tuple[int, int, int], ...]]] = {
    **dict.fromkeys((HALF, BF16, CHAR, UCHAR), (_SHAPE,)),
    TF32: (_TF32_SHAPE,),
}
_SUMS: Final[dict[CType, tuple[tuple[int, int, int], ...]]] = {
    FLOAT: (_SHAPE, _TF32_SHAPE),
    HALF: (_SHAPE,),
    INT: (_SHAPE,),
}
"""By element: the shapes (m, n, k) that are supported."""

_TAGS: Final = {name: struct(name, ()) for name in ("matrix_a", "matrix_b", "accumulator", "row_major", "col_major")}
TYPES: Final[dict[str, CType]] = {**_TAGS, "tf32": TF32, "layout_t": INT}
CONSTANTS: Final = {"mem_row_major": 0, "mem_col_major": 1}
ADVICE: Final = "use half, bfloat16, int8 or uint8 with 16×16×16, or precision::tf32 with 16×16×8"


def fragment(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `fragment<use, m, n, k, T, layout>`, None if the combination is not supported."""
    if len(arguments) not in (5, 6):
        return None
    use, element, layout = arguments[0], arguments[4], arguments[5] if len(arguments) == 6 else None
    shape = tuple(getattr(argument, "value", 0) for argument in arguments[1:4])
    sums = use == _TAGS["accumulator"]
    if use not in _TAGS.values() or not isinstance(use, Struct) or not isinstance(element, Scalar | Struct):
        return None
    if shape not in (_SUMS if sums else _FACTORS).get(element, ()) or sums != (layout is None):
        return None
    words = ", ".join(str(word) for word in (use, *shape, element, *([layout] if layout else [])))
    return _fragment(f"fragment<{words}>", use.name, element, shape, layout == _TAGS["col_major"])  # type: ignore[arg-type]


def _fragment(name: str, use: Use, element: Scalar | Struct, shape: tuple[int, int, int], by_columns: bool) -> Fragment:
    attributes = {"use": use, "element": element, "shape": shape, "by_columns": by_columns}
    fragment_type = Fragment(name, (), 1, 1, **attributes)  # type: ignore[arg-type]
    array = Array(fragment_type.memory_type, fragment_type.count)
    align = min(array.size_bytes & -array.size_bytes, 16)
    return replace(fragment_type, fields=(Field("x", array, 0),), size_bytes=array.size_bytes, align_bytes=align)
