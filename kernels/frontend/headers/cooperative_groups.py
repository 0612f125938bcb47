"""The types of cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import Struct, struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

THREAD_BLOCK: Final = struct("thread_block", ())
GRID_GROUP: Final = struct("grid_group", ())
ANY_GROUP: Final = struct("thread_group", ())
"""Parameter type of functions for any group."""

GROUPS: Final = {kind.name: kind for kind in (THREAD_BLOCK, GRID_GROUP, ANY_GROUP)}
TILE: Final = "thread_block_tile"
TEMPLATES: Final = ("tiled_partition", "plus", "less", "greater")
"""Functions, and operations for `reduce`, that take template arguments."""

SIZES: Final = "use 1, 2, 4, 8, 16 or 32 threads"
"""Advice for a tile of another size."""

_TILES: Final = {size: struct(f"{TILE}<{size}>", (), arguments=(size,)) for size in (1, 2, 4, 8, 16, 32)}
_TILE_SIZES: Final = {kind.name: size for size, kind in _TILES.items()}


def tile(size: object) -> Struct | None:
    """Return the type of a part of a block with this number of threads; None for an unsupported one."""
    return _TILES.get(size) if isinstance(size, int) else None


def tile_type(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `thread_block_tile<N>` of its arguments; None where there is none."""
    return tile(getattr(arguments[0], "value", None)) if arguments else None


def tile_size(kind: CType) -> int | None:
    """Return the number of threads of a tile; None for any other type."""
    return _TILE_SIZES.get(kind.name) if isinstance(kind, Struct) else None


def is_group(kind: CType) -> bool:
    """Return whether a type is a group of threads."""
    return isinstance(kind, Struct) and (kind in GROUPS.values() or tile_size(kind) is not None)


def accepts(parameter: CType, kind: CType) -> bool:
    """Return whether a group of type `kind` can be passed to a parameter of a type."""
    return parameter in (kind, ANY_GROUP)
