"""Lowers cooperative groups to built-in functions.

The source's `tile.shfl_down(x, 4)` is compiled as `__shfl_down_sync(mask, x, 4, 32)` in its place, so that the trace
has the same barriers, votes and shuffles as with those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast, parse_expression
from kernels.frontend.headers.cooperative_groups import (
    GRID_GROUP,
    SIZES,
    THREAD_BLOCK,
    is_group,
    tile,
    tile_size,
)
from kernels.frontend.types import INT, Struct
from kernels.simt.compiler.calls.device_helpers import helper_call, substitute
from kernels.simt.compiler.compiled_values import Bundle, Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernels.frontend.ast import Call, Expr
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context

_RANK: Final = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"
_SIZE: Final = "(blockDim.x * blockDim.y * blockDim.z)"
_BLOCK: Final = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"
_BLOCKS: Final = "(gridDim.x * gridDim.y * gridDim.z)"

# --- members: by name, the expression that a call is lowered to; `_1` and `_2` are its arguments

_OF_BLOCK: Final = {
    "sync": "__syncthreads()",
    "thread_rank": _RANK,
    "size": _SIZE,
    "num_threads": _SIZE,
    "group_index": "blockIdx",
    "thread_index": "threadIdx",
    "group_dim": "blockDim",
}
_OF_GRID: Final = {
    "sync": "__grid_sync()",
    "thread_rank": f"(unsigned long long){_BLOCK} * {_SIZE} + {_RANK}",
    "size": f"(unsigned long long){_BLOCKS} * {_SIZE}",
    "num_threads": f"(unsigned long long){_BLOCKS} * {_SIZE}",
}
_OF_TILE: Final = {
    "sync": "__syncwarp({mask})",
    "thread_rank": f"({_RANK} % {{size}})",
    "size": "{size}u",
    "num_threads": "{size}u",
    "meta_group_rank": f"({_RANK} / {{size}})",
    "meta_group_size": f"(({_SIZE} + {{size}} - 1) / {{size}})",
    "shfl": "__shfl_tile({mask}, _1, _2, {size})",
    "shfl_up": "__shfl_up_tile({mask}, _1, _2, {size})",
    "shfl_down": "__shfl_down_tile({mask}, _1, _2, {size})",
    "shfl_xor": "__shfl_xor_tile({mask}, _1, _2, {size})",
    "any": "__any_sync({mask}, _1)",
    "all": "__all_sync({mask}, _1)",
    "ballot": f"(__ballot_sync({{mask}}, _1) >> ({_RANK} % 32 / {{size}} * {{size}}))",
}


def _members(kind: Struct) -> Mapping[str, str]:
    size = tile_size(kind)
    if size is None:
        return _OF_BLOCK if kind == THREAD_BLOCK else _OF_GRID
    return {name: text.format(size=size, mask=_mask_of(size)) for name, text in _OF_TILE.items()}


def _mask_of(size: int) -> str:
    """Return the lanes of the caller's tile."""
    return "0xffffffffu" if size == 32 else f"({(1 << size) - 1:#x}u << ({_RANK} % 32 / {size} * {size}))"


# --- functions that return a group

_TYPES: Final = {"this_thread_block": THREAD_BLOCK, "this_grid": GRID_GROUP}
CONSTRUCTORS: Final = (*_TYPES, "tiled_partition")


def construct(c: Context, node: Call) -> Code:
    """Compile a call of one of `CONSTRUCTORS`."""
    return Code(lambda group, mask: (), _group_type(c, node), ())


def _group_type(c: Context, node: Call) -> Struct:
    """Return the type of the group that a call of one of `CONSTRUCTORS` returns."""
    if node.function in _TYPES:
        if node.arguments:
            raise c.unsupported(node.span, f"{node.function} with an argument; tiles have up to 32 threads")
        return _TYPES[node.function]
    size = node.template[0] if node.template else node.arguments[-1] if node.arguments else None
    if not isinstance(size, ast.Expr):
        raise c.refuse(node.span, "tiled_partition takes the number of threads, as in tiled_partition<32>(block)")
    if node.arguments and _kind(c, node.arguments[0]) not in (THREAD_BLOCK, None):
        raise c.unsupported(node.span, "tiled_partition of this group; divide the block, this_thread_block()")
    kind = tile(c.compile(size).constant)
    if kind is None:
        raise c.unsupported(size.span, f"a tile of this size; {SIZES}")
    return kind


def _kind(c: Context, node: Expr) -> Struct | None:
    """Return the type of a group that an expression is, None for anything else."""
    kind: CType | None = None
    if isinstance(node, ast.Name):
        symbol = c.find(node.id)
        kind = symbol.type if isinstance(symbol, Code | Bundle) else None
    elif isinstance(node, ast.Call) and node.function in CONSTRUCTORS and node.function not in c.functions:
        kind = _group_type(c, node)
    return kind if isinstance(kind, Struct) and is_group(kind) else None


# --- collectives, as functions in CUDA C

_OPERATIONS: Final = {"plus": "v + o", "less": "o < v ? o : v", "greater": "o > v ? o : v"}
_OWN: Final = {"operation": "op(v, o)", "function": ", typename F", "operand": ", F op"}
"""Parts of the texts below that differ where the operation is a function of the file."""

_REDUCE: Final = """template <typename T{function}> __device__ T reduce(T v{operand}) {{
    for (int distance = {size} / 2; distance > 0; distance /= 2) {{
        T o = __shfl_xor_tile({mask}, v, distance, {size});
        v = {operation};
    }}
    return v;
}}"""
_SCAN: Final = """template <typename T{function}> __device__ T scan(T v{operand}) {{
    for (int distance = 1; distance < {size}; distance *= 2) {{
        T o = __shfl_up_tile({mask}, v, distance, {size});
        if ({rank} % {size} >= distance) v = {operation};
    }}
    return v;
}}"""
_COPY: Final = """template <typename T> __device__ void memcpy_async(T *to, const T *from, size_t bytes) {{
    for (size_t i = {rank}; i < bytes / sizeof(T); i += {size})
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    __pipeline_commit();
}}"""
_WAIT: Final = """template <int N> __device__ void wait() {{
    __pipeline_wait_prior(N);
    {sync};
}}"""


def _fold(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::reduce(tile, value, operation)` or `cg::inclusive_scan(…)` as a call of a function that shuffles."""
    size, scans = tile_size(kind), node.function == "inclusive_scan"
    if size is None or len(node.arguments) not in ((2, 3) if scans else (3,)):
        advice = f"use a tile, a value and one of {', '.join(_OPERATIONS)}, or a function"
        raise c.unsupported(node.span, f"this {node.function}; {advice}")
    _, value, *operations = node.arguments
    operation = "plus"
    if operations:
        (function,) = operations
        operation = function.function if isinstance(function, ast.Call) and function.function in _OPERATIONS else ""
    words = {"operation": _OPERATIONS[operation], "function": "", "operand": ""} if operation else _OWN
    text = (_SCAN if scans else _REDUCE).format(size=size, mask=_mask_of(size), rank=_RANK, **words)
    arguments = (value,) if operation else (value, *operations)
    return helper_call(c, text, replace(node, arguments=arguments, template=()))


def _copy(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::memcpy_async(group, to, from, bytes)` as asynchronous copies of one element each."""
    size = tile_size(kind)
    if len(node.arguments) == 5 and isinstance(c.compile(node.arguments[4]).type, Struct):
        return node  # that of cuda/pipeline or cuda/barrier
    if len(node.arguments) != 4 or (size is None and kind != THREAD_BLOCK):
        raise c.unsupported(node.span, "this memcpy_async; use (group, to, from, bytes) with a block or a tile")
    rank, count = (_RANK, _SIZE) if size is None else (f"({_RANK} % {size})", str(size))
    return helper_call(c, _COPY.format(rank=rank, size=count), replace(node, arguments=node.arguments[1:], template=()))


def _wait(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::wait(group)` as a wait for all copies, and then for all threads."""
    if len(node.arguments) != 1 or kind == GRID_GROUP:
        raise c.unsupported(node.span, f"this {node.function}; use a block or a tile")
    text = _WAIT.format(sync=_members(kind)["sync"])
    return helper_call(c, text, replace(node, arguments=(), template=(ast.Number(node.span, 0, INT),)))


_COLLECTIVES: Final[dict[str, Callable[[Context, Call, Struct], Expr]]] = {
    "reduce": _fold,
    "inclusive_scan": _fold,
    "memcpy_async": _copy,
    "wait": _wait,
}


def lower(c: Context, node: Call) -> Expr:
    """Return the built-in functions that a call of a group's member is lowered to; any other call unchanged.

    Raises
    ------
    SourceError
        For a member function that is not supported.
    """
    if node.function in c.functions and node.function != "memcpy_async":  # cuda/pipeline has another one
        return node
    if node.function[0] != "." and node.function not in ("sync", *_COLLECTIVES):
        return node
    kind = _kind(c, node.arguments[0])
    if kind is None:
        return node
    if node.function in _COLLECTIVES:
        return _COLLECTIVES[node.function](c, node, kind)
    name, members = node.function.removeprefix("."), _members(kind)
    if name not in members:
        raise c.unsupported(node.span, f"{kind.name}.{name}()")
    text = members[name]
    arguments = {f"_{position}": argument for position, argument in enumerate(node.arguments)}
    count = max((int(n) for n in "12" if f"_{n}" in text), default=0)
    if len(arguments) != count + 1:
        raise c.refuse(node.span, f"{kind.name}.{name} takes {count} arguments, {len(arguments) - 1} are given")
    expression = substitute(parse_expression(text), node.span, arguments)
    assert isinstance(expression, ast.Expr)
    return expression
