"""Collectives of cooperative groups: reduce, scan, copy, and wait for copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast, parse_expression
from kernels.frontend.headers.cooperative_groups import COALESCED, THREAD_BLOCK, tile_size
from kernels.frontend.types import INT, UINT, Struct
from kernels.launch import WARP_SIZE
from kernels.simt.compiler.device_helpers import helper_call, substitute
from kernels.simt.libraries.cooperative_groups.coalesced_group import REDUCTIONS
from kernels.simt.libraries.cooperative_groups.wide_tiles import REDUCE, SCAN, SHUFFLE, VOTE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernels.frontend.ast import Call, Expr
    from kernels.simt.compiler.context import Context

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
    T before = __shfl_up_tile({mask}, v, 1, {size});
    return {inclusive} ? v : {rank} % {size} == 0 ? T() : before;
}}"""
_OF_LANES: Final = """template <typename T{function}> __device__ T of_lanes(unsigned mask, T v{operand}) {{
    int rank = __popc(mask & ((1u << {rank} % 32) - 1)), last = {last};
    T mine = v;
    v = T();
    for (int i = 0; i < __popc(mask); ++i) {{
        T o = __shfl_tile(mask, mine, __fns(mask, 0, i + 1));
        if (i < last) v = i == 0 ? o : {operation};
    }}
    return v;
}}"""
"""Of the lanes that came along: each takes the values of those before `last`, one after another."""

_LAST: Final = {"reduce": "__popc(mask)", "inclusive_scan": "rank + 1", "exclusive_scan": "rank"}

_COPY: Final = """template <typename T> __device__ void memcpy_async(T *to, const T *from, size_t bytes) {{
    for (size_t i = {rank}; i < bytes / sizeof(T); i += {size})
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    __pipeline_commit();
}}"""
_COPY_COUNTED: Final = """template <typename T> __device__ void memcpy_async(
    T *to, size_t room, const T *from, size_t count) {{
    for (size_t i = {rank}; i < (room < count ? room : count); i += {size})
        __pipeline_memcpy_async(to + i, from + i, sizeof(T));
    __pipeline_commit();
}}"""
_WAIT: Final = """template <int N> __device__ void wait() {{
    __pipeline_wait_prior(N);
    {sync};
}}"""


def mask_of(size: int) -> str:
    """Return the lanes of the caller's tile."""
    return "0xffffffffu" if size == 32 else f"({(1 << size) - 1:#x}u << ({RANK} % 32 / {size} * {size}))"


def sync_of(size: int | None) -> str:
    """Return the barrier of a tile of `size` threads, or (None) of a block."""
    if size is None:
        return "__syncthreads()"
    return f"__tile_sync({size})" if size > WARP_SIZE else f"__syncwarp({mask_of(size)})"


def asked(c: Context, node: Call, kind: Struct, name: str, known: Mapping[str, str]) -> Expr:
    """Return the expression that a call of a group's member is lowered to."""
    if name not in known:
        raise c.unsupported(node.span, f"{kind.name}.{name}()")
    text = known[name]
    given = {f"_{position}": argument for position, argument in enumerate(node.arguments)}
    wanted = max((int(n) for n in "12" if f"_{n}" in text), default=0)
    if len(given) != wanted + 1:
        raise c.refuse(node.span, f"{kind.name}.{name} takes {wanted} arguments, {len(given) - 1} are given")
    found = substitute(parse_expression(text), node.span, given)
    assert isinstance(found, ast.Expr)
    return found


def of_wide_tile(c: Context, node: Call, size: int) -> Expr | None:
    """Return `shfl`, `any` or `all` of a tile of more than a warp as a call; None for any other member."""
    texts: dict[str, tuple[str, int, dict[str, str]]] = {
        ".shfl": (SHUFFLE, 2, {}),
        ".any": (VOTE, 1, {"name": "any", "op": "||"}),
        ".all": (VOTE, 1, {"name": "all", "op": "&&"}),
    }
    text, count, words = texts.get(node.function, ("", -1, {}))
    if len(node.arguments) != count + 1:
        return None
    text = text.format(rank=RANK, size=size, **words)
    return helper_call(c, text, replace(node, arguments=node.arguments[1:], template=()))


def _operation(node: Call, position: int) -> str | None:
    """Return the name of CUDA's operation that a call is given; None for another one, or none."""
    if len(node.arguments) <= position:
        return None
    operation = node.arguments[position]
    known = isinstance(operation, ast.Call) and operation.function in _OPERATIONS
    return operation.function if known and isinstance(operation, ast.Call) else None


def _words(operation: str | None) -> dict[str, str]:
    """Return the parts of a text that say what is done with two values: by CUDA, or by a function of the file."""
    return {"operation": _OPERATIONS[operation], "function": "", "operand": ""} if operation else _OWN


def _reduce(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::reduce(tile, value, operation)` as a call of a function that shuffles."""
    operation, size = _operation(node, 2), tile_size(kind)
    if len(node.arguments) != 3 or (size is None and kind != COALESCED):
        raise c.unsupported(node.span, f"this reduce; use a tile and one of {', '.join(_OPERATIONS)}, or a function")
    if kind == COALESCED and operation and c.compile(node.arguments[1]).type in (INT, UINT):
        text = f"__reduce_{REDUCTIONS[operation]}_sync(_0.mask, _1)"
        return asked(c, replace(node, arguments=node.arguments[:2]), kind, "reduce", {"reduce": text})
    return _folded(c, node, operation, size, REDUCE if size and size > WARP_SIZE else _REDUCE)


def _scan(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::inclusive_scan(tile, value, operation)`, or `exclusive_scan`, as a call that shuffles."""
    size = tile_size(kind)
    if len(node.arguments) not in (2, 3) or (size is None and kind != COALESCED):
        raise c.unsupported(node.span, f"this {node.function}; use a tile, a value and an operation")
    operation = _operation(node, 2) if len(node.arguments) == 3 else "plus"
    return _folded(c, node, operation, size, SCAN if size and size > WARP_SIZE else _SCAN)


def _folded(c: Context, node: Call, operation: str | None, size: int | None, text: str) -> Expr:
    """Return the call of one of the texts; without a size, of that for the lanes that came along."""
    group, *given = node.arguments
    words = {"rank": RANK, "inclusive": int(node.function == "inclusive_scan"), **_words(operation)}
    if size is None:
        given.insert(0, ast.Member(node.span, group, "mask"))
        text = _OF_LANES.format(last=_LAST[node.function], **words)
    else:
        text = text.format(size=size, mask=mask_of(min(size, WARP_SIZE)), **words)
    given = given[: len(given) - (operation is not None and len(node.arguments) == 3)]
    return helper_call(c, text, replace(node, arguments=tuple(given), template=()))


def _copy(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::memcpy_async(group, to, from, bytes)` as asynchronous copies of one element each."""
    size = tile_size(kind)
    if len(node.arguments) == 5 and isinstance(c.compile(node.arguments[4]).type, Struct):
        return node  # that of cuda/pipeline or cuda/barrier
    if len(node.arguments) not in (4, 5) or (size is None and kind != THREAD_BLOCK):
        raise c.unsupported(node.span, "this memcpy_async; use (group, to, from, bytes) with a block or a tile")
    rank = RANK if size is None else f"({RANK} % {size})"
    text = _COPY if len(node.arguments) == 4 else _COPY_COUNTED
    text = text.format(rank=rank, size=SIZE if size is None else size)
    return helper_call(c, text, replace(node, arguments=node.arguments[1:], template=()))


def _wait(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::wait(group)` as a wait for all copies but the latest N, and then for all threads."""
    size = tile_size(kind)
    if len(node.arguments) != 1 or (size is None and kind != THREAD_BLOCK):
        raise c.unsupported(node.span, f"this {node.function}; use a block or a tile")
    latest = node.template if node.function == "wait_prior" else (ast.Number(node.span, 0, INT),)
    return helper_call(c, _WAIT.format(sync=sync_of(size)), replace(node, arguments=(), template=latest))


def _once(c: Context, node: Call, kind: Struct) -> Expr:
    """Return `cg::invoke_one(group, function, …)` as a call by the group's first thread, which may tell the others."""
    if len(node.arguments) < 2:
        raise c.refuse(node.span, f"{node.function} takes a group and a function")
    group, function, *given = node.arguments
    rank = ast.Call(node.span, ".thread_rank", (group,))
    call = ast.Call(node.span, ".operator()", (function, *given))
    if isinstance(function, ast.Name) and function.id in c.functions and c.find(function.id) is None:
        call = ast.Call(node.span, function.id, tuple(given))
    zero = ast.Number(node.span, 0, INT)
    first = ast.Binary(node.span, "==", rank, zero)
    if node.function == "invoke_one_broadcast":
        return ast.Call(node.span, ".shfl", (group, ast.Conditional(node.span, first, call, zero), zero))
    return ast.Conditional(node.span, first, ast.Binary(node.span, ",", call, zero), zero)


COLLECTIVES: Final[dict[str, Callable[[Context, Call, Struct], Expr]]] = {
    "reduce": _reduce,
    "inclusive_scan": _scan,
    "exclusive_scan": _scan,
    "memcpy_async": _copy,
    "wait": _wait,
    "wait_prior": _wait,
    "invoke_one": _once,
    "invoke_one_broadcast": _once,
}
"""By function."""
