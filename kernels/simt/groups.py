"""Compiles cooperative groups: what is asked of a group is said with the built-in functions that it stands for.

The source's `tile.shfl_down(x, 4)` is compiled as `__shfl_down_sync(mask, x, 4, 32)` in its place, so that the trace
tells of the same barriers, votes and shuffles as with those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.simt.code import Code
from kernels.simt.helpers import helper, memory_function, placed
from kernels.simt.libcu import member
from kernels.source import nodes, parse_expression
from kernels.source.groups import GRID_GROUP, THREAD_BLOCK, is_group, tile, tile_size

if TYPE_CHECKING:
    from kernels.simt.context import Context
    from kernels.source.nodes import Call, Expr
    from kernels.source.types import CType, Struct

_RANK: Final = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"
_SIZE: Final = "(blockDim.x * blockDim.y * blockDim.z)"
_BLOCK: Final = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"
_BLOCKS: Final = "(gridDim.x * gridDim.y * gridDim.z)"

_OF_BLOCK: Final = {
    "sync": "__syncthreads()",
    "thread_rank": _RANK,
    "size": _SIZE,
    "num_threads": _SIZE,
    "group_index": "blockIdx",
    "thread_index": "threadIdx",
    "group_dim": "blockDim",
    "dim_threads": "blockDim",
}
_OF_GRID: Final = {
    "sync": "__grid_sync()",
    "thread_rank": f"(unsigned long long){_BLOCK} * {_SIZE} + {_RANK}",
    "size": f"(unsigned long long){_BLOCKS} * {_SIZE}",
    "num_threads": f"(unsigned long long){_BLOCKS} * {_SIZE}",
    "block_rank": _BLOCK,
    "num_blocks": _BLOCKS,
    "block_index": "blockIdx",
    "group_dim": "gridDim",
    "dim_blocks": "gridDim",
    "is_valid": "true",
}
_OF_TILE: Final = {
    "sync": "__syncwarp({mask})",
    "thread_rank": f"({_RANK} % {{size}})",
    "size": "{size}u",
    "num_threads": "{size}u",
    "meta_group_rank": f"({_RANK} / {{size}})",
    "meta_group_size": f"(({_SIZE} + {{size}} - 1) / {{size}})",
    "shfl": "__shfl_sync({mask}, _1, _2, {size})",
    "shfl_up": "__shfl_up_sync({mask}, _1, _2, {size})",
    "shfl_down": "__shfl_down_sync({mask}, _1, _2, {size})",
    "shfl_xor": "__shfl_xor_sync({mask}, _1, _2, {size})",
    "any": "__any_sync({mask}, _1)",
    "all": "__all_sync({mask}, _1)",
    "ballot": f"(__ballot_sync({{mask}}, _1) >> ({_RANK} % 32 / {{size}} * {{size}}))",
}
"""By member: what it stands for; `_1` and `_2` are its arguments."""

_OPERATIONS: Final = {
    "plus": "v + o",
    "less": "o < v ? o : v",
    "greater": "o > v ? o : v",
    "bit_and": "v & o",
    "bit_or": "v | o",
    "bit_xor": "v ^ o",
}
_REDUCE: Final = """template <typename T> __device__ T reduce(T v) {{
    for (int distance = {size} / 2; distance > 0; distance /= 2) {{
        T o = __shfl_xor_sync({mask}, v, distance, {size});
        v = {operation};
    }}
    return v;
}}"""

_MAKERS: Final = ("this_thread_block", "this_grid", "tiled_partition")
_FREE: Final = {"sync": ".sync", "synchronize": ".sync", "thread_rank": ".thread_rank", "group_size": ".size"}
"""Functions that take the group, and the member that does the same."""


def make(c: Context, node: Call) -> Code | None:
    """Compile `this_thread_block()` and its like; None for any other call."""
    kind = _made(c, node)
    return None if kind is None else Code(lambda group, mask: (), kind, ())


def in_other_words(c: Context, node: Expr) -> Expr:
    """Return what a call that asks something of a group stands for; anything else as it is.

    Raises
    ------
    SourceError
        For what a group is not asked here.
    """
    if not isinstance(node, nodes.Call) or node.function in c.functions or not node.arguments:
        return node
    node = member(c, node)
    memory = memory_function(c, node)
    if memory is not None:
        return memory
    if node.function[0] != "." and node.function not in (*_FREE, "reduce"):
        return node
    kind = _kind(c, node.arguments[0])
    if kind is None:
        return node
    if node.function == "reduce":
        return _reduction(c, node, kind)
    name = _FREE.get(node.function, node.function)[1:]
    size = tile_size(kind)
    known = _OF_TILE if size else _OF_BLOCK if kind == THREAD_BLOCK else _OF_GRID
    if name not in known:
        raise c.unsupported(node.span, f"{kind.name}.{name}()")
    text = known[name].format(size=size, mask=_mask(size)) if size else known[name]
    given = {f"_{position}": argument for position, argument in enumerate(node.arguments) if position}
    wanted = max((int(n) for n in "12" if f"_{n}" in text), default=0)
    if len(given) != wanted:
        raise c.refuse(node.span, f"{kind.name}.{name} takes {wanted} arguments, {len(given)} are given")
    found = placed(parse_expression(text), node.span, given)
    assert isinstance(found, nodes.Expr)
    return found


def _kind(c: Context, node: Expr) -> Struct | None:
    """Return the type of a group that an expression is, None for anything else."""
    kind: CType | None = None
    if isinstance(node, nodes.Name):
        symbol = c.find(node.id)
        kind = symbol.type if isinstance(symbol, Code) else None
    elif isinstance(node, nodes.Call):
        kind = _made(c, node)
    return kind if kind is not None and is_group(kind) else None  # type: ignore[return-value]


def _made(c: Context, node: Call) -> Struct | None:
    if node.function not in _MAKERS or node.function in c.functions:
        return None
    if node.function == "this_thread_block":
        return THREAD_BLOCK
    if node.function == "this_grid":
        return GRID_GROUP
    size = node.template[0] if node.template else node.arguments[-1] if node.arguments else None
    if not isinstance(size, nodes.Expr):
        raise c.refuse(
            node.span, "tiled_partition takes the number of threads, as in tiled_partition<32>(block)"
        )
    made = tile(c.compile(size).constant)
    if made is None:
        raise c.unsupported(size.span, "a tile of this size; use 1, 2, 4, 8, 16 or 32 threads")
    return made


def _mask(size: int) -> str:
    """Return the lanes of the caller's tile."""
    return "0xffffffffu" if size == 32 else f"({(1 << size) - 1:#x}u << ({_RANK} % 32 / {size} * {size}))"


def _reduction(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::reduce(tile, value, cg::plus<T>())` as a call of a function that shuffles."""
    size = tile_size(kind)
    operation = node.arguments[2] if len(node.arguments) == 3 else None
    if size is None or not isinstance(operation, nodes.Call) or operation.function not in _OPERATIONS:
        raise c.unsupported(node.span, f"this reduce; use a tile and one of {', '.join(_OPERATIONS)}")
    text = _REDUCE.format(size=size, mask=_mask(size), operation=_OPERATIONS[operation.function])
    return helper(c, text, replace(node, arguments=(node.arguments[1],), template=()))
