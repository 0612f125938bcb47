"""Compiles `nvcuda::wmma`: a warp loads, multiplies and stores tiles of matrices together.

CUDA leaves open which lane holds, and so accesses, which element; here it is what `Fragment` says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.headers.wmma import TF32, WARP, Fragment
from kernels.frontend.types import CHAR, FLOAT, INT, LONG, UCHAR, VOID, Array, Struct, struct
from kernels.number_types import bfloat_to_double
from kernels.simt.compiler.compiled_values import Code, Element, constant
from kernels.simt.compiler.expressions.addresses import pointee, stride
from kernels.simt.compiler.expressions.elementwise import typed_function
from kernels.simt.compiler.expressions.load_store import loader, saver
from kernels.simt.compiler.expressions.lvalues import locate
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.warp import check_whole_warps, warps_of
from kernels.simt.libraries.tensor_cores.accumulation import accumulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Call, Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

Rows = Any
"""The elements of a fragment that each lane holds, one row a lane."""


def _load(c: Context, node: Call) -> Code:
    """Compile `load_matrix_sync(fragment, pointer, leading dimension, layout)`."""
    tile, kind = _fragment(c, node, 0, 3, 4)
    move = _memory(c, node, kind, 1, 2, 3)
    check = check_whole_warps(c, node.span, node.function)
    fetch, put = move(c, loader), _elements(c, tile, kind)[1]

    def run(group: Group, mask: Active) -> Value:
        check(group, mask)
        put(group, mask, fetch(group, mask))
        return 0

    return Code(run, VOID, None, False)


def _store(c: Context, node: Call) -> Code:
    """Compile `store_matrix_sync(pointer, fragment, leading dimension, layout)`."""
    tile, kind = _fragment(c, node, 1, 4)
    if kind.use != "accumulator":
        raise c.refuse(node.span, "store_matrix_sync takes an accumulator")
    move = _memory(c, node, kind, 0, 2, 3)
    check = check_whole_warps(c, node.span, node.function)
    get, put = _elements(c, tile, kind)[0], move(c, saver)

    def run(group: Group, mask: Active) -> Value:
        check(group, mask)
        put(group, mask, get(group, mask))
        return 0

    return Code(run, VOID, None, False)


def _fill(c: Context, node: Call) -> Code:
    """Compile `fill_fragment(fragment, value)`."""
    tile, kind = _fragment(c, node, 0, 2)
    value = convert(c, c.compile(node.arguments[1]), kind.memory_type, node.span).run
    put, count, dtype = _elements(c, tile, kind)[1], kind.count, kind.scalar.dtype
    single = isinstance(kind.memory_type, Struct)

    def run(group: Group, mask: Active) -> Value:
        number = value(group, mask)
        lanes = np.broadcast_to(np.asarray(number[0] if single else number, dtype), (group.size,))
        put(group, mask, np.repeat(lanes[:, None], count, axis=1))
        return 0

    return Code(run, VOID, None, False)


def _multiply(c: Context, node: Call) -> Code:
    """Compile `mma_sync(d, a, b, c)`: d = a·b + c."""
    tiles = [_fragment(c, node, at, 4, 5) for at in range(4)]
    kinds = [kind for _, kind in tiles]
    if [kind.use for kind in kinds] != ["accumulator", "matrix_a", "matrix_b", "accumulator"]:
        raise c.refuse(node.span, "mma_sync takes an accumulator, a matrix_a, a matrix_b and an accumulator")
    d, a, b, total = kinds
    integers = d.memory_type == INT
    if (
        len({kind.shape for kind in kinds}) > 1
        or a.element != b.element
        or integers != (a.memory_type in (CHAR, UCHAR))
    ):
        raise c.refuse(
            node.span,
            f"mma_sync of {a}, {b} and {total}: give tiles of one shape and factors of one type",
        )
    check = check_whole_warps(c, node.span, node.function)
    (get_a, get_b, get_c), put = (
        (_elements(c, *tile)[0] for tile in tiles[1:]),
        _elements(c, *tiles[0])[1],
    )
    wide_dtype, dtype = np.int64 if integers else np.float64, d.scalar.dtype
    factors = {BF16: "bf16", TF32: "tf32"}.get(a.element, "f16")
    block = 4 if a.element == TF32 else a.columns  # 16×16×8 is computed as two products of depth 4

    def run(group: Group, mask: Active) -> Value:
        check(group, mask)
        warps = warps_of(c, group)

        def matrix(rows: Rows, kind: Fragment) -> NDArray[Any]:
            elements: NDArray[Any] = np.zeros((len(warps.position), WARP, kind.count), wide_dtype)
            elements[warps.warp, warps.lane] = _visible(rows, kind)
            elements = elements.reshape(-1, WARP, kind.count // kind.width, kind.width).swapaxes(1, 2)
            if kind.by_columns:
                return elements.reshape(-1, kind.columns, kind.rows).swapaxes(1, 2)
            return elements.reshape(-1, kind.rows, kind.columns)

        left, right, sums = (
            matrix(get(group, mask), kind) for get, kind in zip((get_a, get_b, get_c), (a, b, total), strict=True)
        )
        product = np.matmul(left, right) + sums if integers else accumulate(left, right, sums, factors, dtype, block)
        product = product.astype(dtype)
        by_lane = product.reshape(-1, d.count // d.width, WARP, d.width).swapaxes(1, 2)
        put(group, mask, by_lane.reshape(-1, WARP, d.count)[warps.warp, warps.lane])
        return 0

    return Code(run, VOID, None, False)


def _visible(rows: Rows, kind: Fragment) -> Rows:
    """Return the numbers without the bits that a tensor core ignores."""
    if kind.element == BF16:
        return bfloat_to_double(rows)
    if kind.element != TF32:
        return rows
    return (np.ascontiguousarray(rows).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _to_tf32(value: Any) -> Any:
    """Round to 10 fraction bits, ties away from zero (PTX ISA, cvt.rna.tf32.f32); NaNs are cut off."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    bits = np.where(np.isfinite(value), bits + np.uint32(0x1000), bits) & np.uint32(0xFFFFE000)
    return bits.view(np.float32)


# --- arguments


def _fragment(c: Context, node: Call, at: int, *counts: int) -> tuple[Expr, Fragment]:
    count = len(node.arguments)
    if count not in counts:
        expected = " or ".join(map(str, counts))
        raise c.refuse(node.span, f"{node.function} takes {expected} arguments, {count} are given")
    argument = node.arguments[at]
    place = locate(c, argument)
    kind = place.kind if isinstance(place, Element) else place.type
    if not isinstance(kind, Fragment):
        raise c.refuse(argument.span, f"{node.function} needs a fragment here, not {kind}")
    return argument, kind


def _accesses(kind: Fragment, width: int) -> list[tuple[int, Struct]]:
    """Divide a lane's elements into accesses of `width`: the first element and the type of each."""
    access_type = struct("", [("x", Array(kind.memory_type, width))], width * kind.memory_type.size_bytes)
    return [(first, access_type) for first in range(0, kind.count, width)]


def _elements(c: Context, tile: Expr, kind: Fragment) -> tuple[Callable[..., Rows], Callable[..., None]]:
    """Compile the load and the store of the elements of a fragment that each lane holds."""
    place = locate(c, tile)
    assert isinstance(place, Element)
    step = stride(c, place.memory, kind.memory_type)
    pieces = [
        (first, loader(c, replace(place, kind=access_type)), saver(c, replace(place, kind=access_type)))
        for first, access_type in _accesses(kind, kind.width)
    ]
    offset, width = place.offset.run, kind.width

    def get(group: Group, mask: Active) -> Rows:
        start, columns = offset(group, mask), []
        for first, fetch, _ in pieces:
            columns += fetch(group, mask, start + first * step)
        return np.stack([np.broadcast_to(column, (group.size,)) for column in columns], axis=1)

    def put(group: Group, mask: Active, rows: Rows) -> None:
        start = offset(group, mask)
        for first, _, save in pieces:
            save(group, mask, start + first * step, tuple(rows[:, first : first + width].T))

    return get, put


def _memory(c: Context, node: Call, kind: Fragment, pointer: int, leading: int, layout: int) -> Any:
    """Compile the addresses of each lane's elements in memory; returns what compiles the load or the store there."""
    base = c.compile(node.arguments[pointer])
    if pointee(base.type) != kind.memory_type:
        raise c.refuse(node.span, f"{node.function} of {kind} needs a pointer to {kind.memory_type}, not {base.type}")
    leading_dimension = convert(c, c.compile(node.arguments[leading]), LONG, node.span).run
    by_columns = kind.by_columns
    has_layout = len(node.arguments) > layout
    if has_layout != (kind.use == "accumulator"):
        raise c.refuse(node.span, f"{node.function} takes mem_row_major or mem_col_major of accumulators only")
    if has_layout:
        order = c.compile(node.arguments[layout]).constant
        if order not in (0, 1):
            raise c.refuse(node.arguments[layout].span, "the layout is mem_row_major or mem_col_major")
        by_columns = order == 1
    step = stride(c, base.memory, kind.memory_type)
    same_order = kind.by_columns == by_columns
    width = kind.width if same_order else 1
    pieces = _accesses(kind, width)
    start = base.run

    def addresses(group: Group, mask: Active, first: int) -> Value:
        part, rest = divmod(first, kind.width)
        number = (part * WARP + warps_of(c, group).lane) * kind.width + rest
        inner = kind.rows if kind.by_columns else kind.columns
        outer, across = np.divmod(number, inner)
        if not same_order:
            outer, across = across, outer
        return start(group, mask) + (outer * leading_dimension(group, mask) + across).astype(np.int64) * step

    def compile_transfer(c: Context, transfer: Any) -> Any:
        moves = [
            (first, transfer(c, Element(base.memory, constant(0, INT), access_type, node.span, const=False)))
            for first, access_type in pieces
        ]

        def get(group: Group, mask: Active) -> Rows:
            columns: list[Any] = []
            for first, move in moves:
                columns += move(group, mask, addresses(group, mask, first))
            return np.stack(columns, axis=1)

        def put(group: Group, mask: Active, rows: Rows) -> None:
            for first, move in moves:
                move(group, mask, addresses(group, mask, first), tuple(rows[:, first : first + width].T))

        return get if transfer is loader else put

    return compile_transfer


TENSORS: Final[dict[str, Compile]] = {
    "load_matrix_sync": _load,
    "store_matrix_sync": _store,
    "fill_fragment": _fill,
    "mma_sync": _multiply,
    "__float_to_tf32": typed_function([FLOAT], FLOAT, _to_tf32),
}
"""By name."""
