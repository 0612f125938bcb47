"""Lowers cooperative groups to built-in functions.

The source's `tile.shfl_down(x, 4)` is compiled as `__shfl_down_sync(mask, x, 4, 32)` in its place, so that the trace
tells of the same barriers, votes and shuffles as with those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.headers.cooperative_groups import (
    COALESCED,
    GRID_GROUP,
    SIZES,
    THREAD_BLOCK,
    is_group,
    parent_size,
    tile,
    tile_size,
)
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.compiled_values import Bundle, Code
from kernels.simt.compiler.device_helpers import substitute
from kernels.simt.libraries.cooperative_groups.coalesced_group import COALESCED_MAKERS, MEMBERS, lanes_of, words
from kernels.simt.libraries.cooperative_groups.collectives import (
    COLLECTIVES,
    RANK,
    SIZE,
    asked,
    mask_of,
    of_wide_tile,
    sync_of,
)

if TYPE_CHECKING:
    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.types import CType, Struct
    from kernels.simt.compiler.context import Context

# By member: the expression it is lowered to; `_1` and `_2` are its arguments.

_BLOCK: Final = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"
_BLOCKS: Final = "(gridDim.x * gridDim.y * gridDim.z)"

_OF_BLOCK: Final = {
    "sync": "__syncthreads()",
    "thread_rank": RANK,
    "size": SIZE,
    "num_threads": SIZE,
    "group_index": "blockIdx",
    "thread_index": "threadIdx",
    "group_dim": "blockDim",
    "dim_threads": "blockDim",
    "barrier_arrive": "0",
    "barrier_wait": "__syncthreads()",
}
_OF_GRID: Final = {
    "sync": "__grid_sync()",
    "thread_rank": f"(unsigned long long){_BLOCK} * {SIZE} + {RANK}",
    "size": f"(unsigned long long){_BLOCKS} * {SIZE}",
    "num_threads": f"(unsigned long long){_BLOCKS} * {SIZE}",
    "block_rank": _BLOCK,
    "num_blocks": _BLOCKS,
    "block_index": "blockIdx",
    "group_dim": "gridDim",
    "dim_blocks": "gridDim",
    "is_valid": "true",
}
_SHIFT: Final = f"({RANK} % 32 / {{size}} * {{size}})"
_OF_TILE: Final = {
    "sync": "{sync}",
    "thread_rank": f"({RANK} % {{size}})",
    "size": "{size}u",
    "num_threads": "{size}u",
    "meta_group_rank": f"({RANK} % {{parent}} / {{size}})",
    "meta_group_size": "(({parent} + {size} - 1) / {size})",
}
_OF_WARP: Final = {
    "shfl": "__shfl_tile({mask}, _1, _2, {size})",
    "shfl_up": "__shfl_up_tile({mask}, _1, _2, {size})",
    "shfl_down": "__shfl_down_tile({mask}, _1, _2, {size})",
    "shfl_xor": "__shfl_xor_tile({mask}, _1, _2, {size})",
    "any": "__any_sync({mask}, _1)",
    "all": "__all_sync({mask}, _1)",
    "ballot": f"(__ballot_sync({{mask}}, _1) >> {_SHIFT})",
    "match_any": f"(__match_any_sync({{mask}}, _1) >> {_SHIFT})",
    "match_all": f"(__match_all_sync({{mask}}, _1, &_2) >> {_SHIFT})",
}
"""Of a tile that is a part of a warp."""


MAKERS: Final = ("this_thread_block", "this_thread", "this_grid", "tiled_partition", *COALESCED_MAKERS)
"""Functions that return a group."""

_SINGLE_THREAD: Final = tile(1)
assert _SINGLE_THREAD is not None

_TYPES: Final = {
    **dict.fromkeys(COALESCED_MAKERS, COALESCED),
    "this_thread_block": THREAD_BLOCK,
    "this_thread": _SINGLE_THREAD,
    "this_grid": GRID_GROUP,
}
"""Types of the groups that most of them return; `tiled_partition` returns one of the size that it is called with."""

_FREE: Final = {"sync": ".sync", "synchronize": ".sync", "thread_rank": ".thread_rank", "group_size": ".size"}
"""Functions that take the group, and the member that does the same."""


def make(c: Context, node: Call) -> Code:
    """Compile a call of one of `MAKERS`."""
    kind = _group_type(c, node)
    if kind == COALESCED:
        count, text = COALESCED_MAKERS[node.function]
        if len(node.arguments) != count:
            raise c.refuse(node.span, f"{node.function} takes {count} arguments, {len(node.arguments)} are given")
        within = "" if not count else _lanes(c, node)
        given = {f"_{position}": argument for position, argument in enumerate(node.arguments)}
        return lanes_of(c, substitute(words(text.format(mask=within)), node.span, given))
    return Code(lambda group, mask: (), kind, ())


def lower(c: Context, node: Call) -> Expr:
    """Return the built-in functions that a call of a group's member is lowered to; any other call unchanged.

    Raises
    ------
    SourceError
        For a member function that is not supported.
    """
    if node.function in c.functions and node.function != "memcpy_async":  # cuda/pipeline has another one
        return node
    if node.function[0] != "." and node.function not in (*_FREE, *COLLECTIVES):
        return node
    kind = _kind(c, node.arguments[0])
    if kind is None:
        return node
    if node.function in COLLECTIVES:
        return COLLECTIVES[node.function](c, node, kind)
    name = _FREE.get(node.function, node.function)[1:]
    size = tile_size(kind)
    if kind == COALESCED:
        return asked(c, node, kind, name, MEMBERS)
    if name == "barrier_wait" and kind == THREAD_BLOCK and len(node.arguments) == 2:
        node = replace(node, arguments=node.arguments[:1])  # the token says nothing: cuda's header drops it, too
    if size is None:
        return asked(c, node, kind, name, _OF_BLOCK if kind == THREAD_BLOCK else _OF_GRID)
    if size > WARP_SIZE:
        found = of_wide_tile(c, node, size)
        if found is not None:
            return found
    parts = _OF_TILE if size > WARP_SIZE else {**_OF_TILE, **_OF_WARP}
    words = {
        "size": size,
        "mask": mask_of(min(size, WARP_SIZE)),
        "sync": sync_of(size),
        "parent": parent_size(kind) or SIZE,
    }
    return asked(c, node, kind, name, {key: text.format(**words) for key, text in parts.items()})


def _lanes(c: Context, node: Call) -> str:
    """Return the lanes of the group that a call divides, as C writes them."""
    kind = _kind(c, node.arguments[0])
    size = None if kind is None else tile_size(kind)
    if kind == COALESCED:
        return "_0.mask"
    if size is None or size > WARP_SIZE:
        raise c.unsupported(node.span, f"{node.function} of this; use a tile or coalesced_threads()")
    return mask_of(size)


def _kind(c: Context, node: Expr) -> Struct | None:
    """Return the type of a group that an expression is, None for anything else."""
    kind: CType | None = None
    if isinstance(node, ast.Name):
        symbol = c.find(node.id)
        kind = symbol.type if isinstance(symbol, Code | Bundle) else None
    elif isinstance(node, ast.Call) and node.function in MAKERS and node.function not in c.functions:
        kind = _group_type(c, node)
    return kind if kind == COALESCED or (kind is not None and is_group(kind)) else None  # type: ignore[return-value]


def _group_type(c: Context, node: Call) -> Struct:
    """Return the type of the group that a call of one of `MAKERS` returns."""
    if node.function in _TYPES:
        return _TYPES[node.function]
    size = node.template[0] if node.template else node.arguments[-1] if node.arguments else None
    if not isinstance(size, ast.Expr):
        raise c.refuse(node.span, "tiled_partition takes the number of threads, as in tiled_partition<32>(block)")
    parent = _kind(c, node.arguments[0]) if node.arguments else None
    made = tile(c.compile(size).constant, tile_size(parent) if parent is not None else None)
    if made is None:
        raise c.unsupported(size.span, f"a tile of this size; {SIZES}")
    return made
