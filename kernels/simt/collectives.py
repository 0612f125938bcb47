"""What all threads of a group do together: reduce, scan, copy, and wait for copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.simt.coalesced import REDUCTIONS
from kernels.simt.helpers import helper, placed
from kernels.source import nodes, parse_expression
from kernels.source.groups import COALESCED, THREAD_BLOCK, tile_size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernels.simt.context import Context
    from kernels.source.nodes import Call, Expr
    from kernels.source.types import Struct

RANK: Final = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"
SIZE: Final = "(blockDim.x * blockDim.y * blockDim.z)"
"""Of a thread in its block, and of a block, as C writes them."""

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
_SCAN: Final = """template <typename T> __device__ T scan(T v) {{
    for (int distance = 1; distance < {size}; distance *= 2) {{
        T o = __shfl_up_sync({mask}, v, distance, {size});
        if ({rank} >= distance) v = {operation};
    }}
    T before = __shfl_up_sync({mask}, v, 1, {size});
    return {inclusive} ? v : {rank} == 0 ? T() : before;
}}"""
_COPY: Final = """template <typename T> __device__ void memcpy_async(T *to, const T *from, size_t bytes) {{
    for (size_t i = {rank}; i < bytes / sizeof(T); i += {size})
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    __pipeline_commit();
}}"""
_WAIT: Final = """template <int N = 0> __device__ void wait() {{
    __pipeline_wait_prior(0);
    {sync};
}}"""


def mask_of(size: int) -> str:
    """Return the lanes of the caller's tile."""
    return "0xffffffffu" if size == 32 else f"({(1 << size) - 1:#x}u << ({RANK} % 32 / {size} * {size}))"


def asked(c: Context, node: Call, kind: Struct, name: str, known: Mapping[str, str]) -> Expr:
    """Return what a member of a group stands for."""
    if name not in known:
        raise c.unsupported(node.span, f"{kind.name}.{name}()")
    text = known[name]
    given = {f"_{position}": argument for position, argument in enumerate(node.arguments)}
    wanted = max((int(n) for n in "12" if f"_{n}" in text), default=0)
    if len(given) != wanted + 1:
        raise c.refuse(node.span, f"{kind.name}.{name} takes {wanted} arguments, {len(given) - 1} are given")
    found = placed(parse_expression(text), node.span, given)
    assert isinstance(found, nodes.Expr)
    return found


def _operation(c: Context, node: Call, position: int) -> str | None:
    """Return the name of the operation that a call is given."""
    if len(node.arguments) <= position:
        return None
    operation = node.arguments[position]
    known = isinstance(operation, nodes.Call) and operation.function in _OPERATIONS
    if not known or len(node.arguments) > position + 1:
        raise c.unsupported(
            node.span, f"this {node.function}; use a tile and one of {', '.join(_OPERATIONS)}"
        )
    return operation.function if isinstance(operation, nodes.Call) else None


def _reduce(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::reduce(tile, value, cg::plus<T>())` as a call of a function that shuffles."""
    operation = _operation(c, node, 2)
    size = tile_size(kind)
    if operation is None or (size is None and kind != COALESCED):
        raise c.unsupported(node.span, f"this reduce; use a tile and one of {', '.join(_OPERATIONS)}")
    if size is None:
        text = f"__reduce_{REDUCTIONS[operation]}_sync(_0.mask, _1)"
        return asked(c, replace(node, arguments=node.arguments[:2]), kind, "reduce", {"reduce": text})
    text = _REDUCE.format(size=size, mask=mask_of(size), operation=_OPERATIONS[operation])
    return helper(c, text, replace(node, arguments=(node.arguments[1],), template=()))


def _scan(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::inclusive_scan(tile, value, cg::plus<T>())`, or `exclusive_scan`, as a call that shuffles."""
    operation = _operation(c, node, 2) or "plus"
    size = tile_size(kind)
    inclusive = node.function == "inclusive_scan"
    if size is None or len(node.arguments) < 2 or (not inclusive and operation != "plus"):
        raise c.unsupported(node.span, f"this {node.function}; use a tile, a value and plus")
    text = _SCAN.format(
        size=size, mask=mask_of(size), rank=f"({RANK} % {size})", operation=_OPERATIONS[operation],
        inclusive=int(inclusive),
    )  # fmt: skip
    return helper(c, text, replace(node, arguments=(node.arguments[1],), template=()))


def _copy(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::memcpy_async(group, to, from, bytes)` as asynchronous copies of one element each."""
    size = tile_size(kind)
    if len(node.arguments) != 4 or (size is None and kind != THREAD_BLOCK):
        raise c.unsupported(
            node.span, "this memcpy_async; use (group, to, from, bytes) with a block or a tile"
        )
    rank = RANK if size is None else f"({RANK} % {size})"
    text = _COPY.format(rank=rank, size=SIZE if size is None else size)
    return helper(c, text, replace(node, arguments=node.arguments[1:], template=()))


def _wait(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::wait(group)` as the wait for all copies, and then for all threads."""
    size = tile_size(kind)
    if len(node.arguments) != 1 or (size is None and kind != THREAD_BLOCK):
        raise c.unsupported(node.span, "this wait; use a block or a tile")
    sync = "__syncthreads()" if size is None else f"__syncwarp({mask_of(size)})"
    return helper(c, _WAIT.format(sync=sync), replace(node, arguments=(), template=()))


COLLECTIVES: Final[dict[str, Callable[[Context, Call, Struct], Expr]]] = {
    "reduce": _reduce, "inclusive_scan": _scan, "exclusive_scan": _scan, "memcpy_async": _copy, "wait": _wait,
}  # fmt: skip
"""By function."""
