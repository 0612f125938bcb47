"""The types of cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.source.types import UINT, Struct, struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.source.nodes import Expr
    from kernels.source.types import CType

THREAD_BLOCK: Final = struct("thread_block", ())
GRID_GROUP: Final = struct("grid_group", ())
ANY_GROUP: Final = struct("thread_group", ())
"""What a function takes that works with any group."""

COALESCED: Final = struct("coalesced_group", (("mask", UINT),))
"""Lanes of a warp that the run finds, one bit each; a value like any other."""

GROUPS: Final = {kind.name: kind for kind in (THREAD_BLOCK, GRID_GROUP, ANY_GROUP)}
TILE: Final = "thread_block_tile"
TEMPLATES: Final = ("tiled_partition", "plus", "less", "greater", "bit_and", "bit_or", "bit_xor")
"""Functions, and operations for `reduce`, that take template arguments."""

_TILES: Final = {size: struct(f"{TILE}<{size}>", ()) for size in (1, 2, 4, 8, 16, 32)}


def tile(size: object) -> Struct | None:
    """Return the type of a part of a warp that has so many threads; None where there is none."""
    return _TILES.get(size) if isinstance(size, int) else None


def tile_type(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `thread_block_tile<N>` of its arguments; None where there is none."""
    return tile(getattr(arguments[0], "value", None)) if arguments else None


def tile_size(kind: CType) -> int | None:
    """Return how many threads a tile has, None for any other type."""
    return next((size for size, made in _TILES.items() if made == kind), None)


def is_group(kind: CType) -> bool:
    """Whether a type is a group of threads."""
    return isinstance(kind, Struct) and (kind in GROUPS.values() or tile_size(kind) is not None)


def accepts(wanted: CType, kind: CType) -> bool:
    """Whether a group can be passed where a type is wanted."""
    return wanted in (kind, ANY_GROUP)
