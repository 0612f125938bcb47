"""The types of cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import UINT, ULONG, Array, Struct, struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr
    from kernels.frontend.types import CType

THREAD_BLOCK: Final = struct("thread_block", ())
GRID_GROUP: Final = struct("grid_group", ())
ANY_GROUP: Final = struct("thread_group", ())
"""Parameter type of functions for any group."""

COALESCED: Final = struct("coalesced_group", (("mask", UINT),))
"""Lanes of a warp that the run finds, one bit each; a value like any other."""


def block_tile_memory(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type of the shared memory that tiles wider than a warp use: a word for each warp."""
    threads = getattr(arguments[0], "value", None) if arguments else 1024
    if not isinstance(threads, int) or not 0 < threads <= 1024:
        return None
    return struct("block_tile_memory", (("words", Array(ULONG, -(-threads // 32))),))


GROUPS: Final = {kind.name: kind for kind in (THREAD_BLOCK, GRID_GROUP, ANY_GROUP)}
TILE: Final = "thread_block_tile"
TEMPLATES: Final = (
    "tiled_partition",
    "wait_prior",
    "plus",
    "less",
    "greater",
    "bit_and",
    "bit_or",
    "bit_xor",
)
"""Functions, and operations for `reduce`, that take template arguments."""

SIZES: Final = "use 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads"
"""Advice for a tile of another size."""

_SIZES: Final = tuple(1 << power for power in range(10))
_TILES: Final = {
    (size, parent): struct(f"{TILE}<{size}{f', {TILE}<{parent}>' if parent else ''}>", (), arguments=(size,))
    for size in _SIZES
    for parent in (None, *_SIZES)
    if parent is None or parent >= size
}
"""By the number of threads, and that of the tile which was divided."""

_PARTS: Final = {result.name: key for key, result in _TILES.items()}


def tile(size: object, parent: int | None = None) -> Struct | None:
    """Return the type of a part of a block, or of a tile, with this number of threads; None for an unsupported one."""
    return _TILES.get((size, parent)) if isinstance(size, int) else None


def tile_type(arguments: Sequence[CType | Expr]) -> CType | None:
    """Return the type `thread_block_tile<N>` of its arguments; None where there is none."""
    parent = tile_size(arguments[1]) if len(arguments) > 1 and isinstance(arguments[1], Struct) else None
    return tile(getattr(arguments[0], "value", None), parent) if arguments else None


def tile_size(kind: CType) -> int | None:
    """Return how many threads a tile has, None for any other type."""
    return _PARTS[kind.name][0] if isinstance(kind, Struct) and kind.name in _PARTS else None


def parent_size(kind: CType) -> int | None:
    """Return how many threads the tile has that a tile is a part of, None for a part of a block."""
    return _PARTS[kind.name][1] if isinstance(kind, Struct) and kind.name in _PARTS else None


def is_group(kind: CType) -> bool:
    """Whether a type is a group of threads."""
    return isinstance(kind, Struct) and (kind in GROUPS.values() or tile_size(kind) is not None)


def accepts(wanted: CType, kind: CType) -> bool:
    """Whether a group can be passed where a type is wanted."""
    size = tile_size(wanted)
    return wanted in (kind, ANY_GROUP) or (size is not None and size == tile_size(kind))
