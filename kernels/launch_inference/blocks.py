"""Candidate grids and blocks of a kernel: those that the file names, then small ones."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.frontend import ast
from kernels.frontend.index_expressions import coordinates
from kernels.frontend.types import Array
from kernels.launch import WARP_SIZE, Dim3

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from kernels.frontend.ast import Expr
    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.index_expressions import Indices
    from kernels.launch_inference.host import HostLaunch

_SHARES: Final = re.compile(r"__shared__|__syncthreads|\bsync\s*\(|barrier|\bbar\.")
_WARP: Final = re.compile(
    r"__shfl|_sync\s*\(|warpSize|__syncwarp|tiled_partition\s*<\s*32|[%/]\s*32\b|&\s*31\b|>>\s*5\b", re.IGNORECASE
)
_BLOCK_NAME: Final = re.compile(
    r"block_?(size|dim|width|height|[xyz]$)|^block$|threads|tpb|tile|^b?ts$|^bs$|^[bt][xyz]$|group_?size", re.IGNORECASE
)
_OTHER_NAME: Final = re.compile(r"blocks(?!ize)|num_?block|per_?grid|tiles|o_tile|out_?tile|warp", re.IGNORECASE)
_AXIS_OF_NAME: Final = re.compile(r"(?:_|block|dim|tile|^[bt])([xyz])$", re.IGNORECASE)
_MOST_IN_BLOCK: Final = 1024
_MOST_CHOICES: Final = 3
_MOST_THREADS: Final = 4096
"""The most threads of a proposal: more are slow to try and hard to see."""


class Shape(NamedTuple):
    """Blocks, threads, and bytes of dynamic shared memory where they are known."""

    grid: Dim3
    block: Dim3
    shared_bytes: int | None
    named: bool
    """Whether the file names the block."""


def shapes(
    indices: Indices,
    names: Set[str],
    body: str,
    hosts: Iterable[HostLaunch],
    bounds: int | None,
    numbers: Mapping[str, Value],
    template: Mapping[str, Value],
) -> list[Shape]:
    """Return grids and blocks in the order in which they are to be tried.

    `names` and `body` are those of the kernel with the functions that it may call, `template` are the numbers among
    the arguments of a template.

    The block of the host code precedes that of `__launch_bounds__` (`bounds`), then come those that index expressions,
    shared arrays and names of constants suggest. The last one is the smallest that shows what the kernel does: two
    blocks in each direction that it uses, and at least two warps where threads cooperate.
    """
    axes = [axis for axis in "xyz" if names & {f"threadIdx.{axis}", f"blockDim.{axis}"}] or ["x"]
    lengths = {
        axis: (2 if axis in axes or axis == "z" else 4)
        for axis in "xyz"
        if names & {f"blockIdx.{axis}", f"gridDim.{axis}"}
    }
    grid, small = Dim3(**lengths), _small(axes, body)
    found = [Shape(h.grid or grid, h.block, h.shared_bytes, named=True) for h in hosts if h.block is not None]
    if not found:
        blocks = [*_suggested(indices, axes, small, numbers, template)]
        if bounds:
            blocks = [*(block for block in blocks if block.count == bounds), _whole_warps(bounds, axes)]
        found = [Shape(grid, block, None, named=True) for block in blocks]
    found.append(Shape(grid, small, None, named=False))
    return [*dict.fromkeys(_shrink(shape) for shape in found if shape.block.count <= _MOST_IN_BLOCK)]


def _small(axes: list[str], body: str) -> Dim3:
    warps = 2 if _SHARES.search(body) else 1
    if len(axes) == 1:
        return Dim3(**{axes[0]: warps * WARP_SIZE})
    if _WARP.search(body):
        return _whole_warps(2 * WARP_SIZE, axes)
    return Dim3(4, 4, 2 * warps) if "z" in axes else Dim3(4 * warps, 4 * warps)


def _whole_warps(threads: int, axes: list[str]) -> Dim3:
    """Return a block of rows of one warp, or of one row if the kernel uses one direction."""
    if len(axes) == 1:
        return Dim3(**{axes[0]: threads})
    return Dim3(min(WARP_SIZE, threads), max(1, threads // WARP_SIZE))


def _suggested(
    indices: Indices, axes: list[str], small: Dim3, numbers: Mapping[str, Value], template: Mapping[str, Value]
) -> Iterator[Dim3]:
    """Yield the blocks of each combination of lengths that the file suggests for the directions.

    Of a kernel with one direction, a template's `blockSize` comes first: its blocks may be that far apart, or twice.
    """
    lengths = {}
    for axis in axes:
        first = _constants(axis, template) if len(axes) == 1 else ()
        found = (
            *first,
            *_strides(indices, axis, numbers),
            *_shared(indices, axis, numbers),
            *_constants(axis, numbers),
        )
        lengths[axis] = [*dict.fromkeys(n for n in found if n is not None and 1 < n <= _MOST_IN_BLOCK)][:_MOST_CHOICES]
    if any(lengths.values()):
        for sides in product(*(lengths[axis] or [small["xyz".index(axis)]] for axis in axes)):
            yield Dim3(**dict(zip(axes, sides, strict=True)))


def _strides(indices: Indices, axis: str, numbers: Mapping[str, Value]) -> Iterator[int | None]:
    """Yield constant distances of indices: of a loop, `threadIdx.y + j` with `j += 8`, or of blocks, `blockIdx.x * 8`.

    A loop comes first: the rows of a block that works through a tile are fewer than the tile's.
    """
    first = {**numbers, **coordinates(Dim3(0, 0, 0), Dim3(0, 0, 0), Dim3(), Dim3())}
    first = {name: number for name, number in first.items() if not name.startswith(("blockDim", "gridDim"))}

    def slope(index: Expr, name: str) -> int | None:
        at = [indices.value(index, {**first, name: number}) for number in (0, 1)]
        return at[1] - at[0] if at[0] is not None and at[1] is not None else None

    thread = f"threadIdx.{axis}"
    sums = [node for node in indices.nodes if isinstance(node, ast.Binary) and node.op == "+"]
    sums = [node for node in sums if thread in indices.sources(node) and slope(node, thread) == 1]
    for node in indices.nodes:
        match node:
            case ast.For(step=ast.Assign(op="+=", target=ast.Name(id=name) as moved, value=step)):
                if indices.sources(moved) == {thread, name} or any(slope(index, name) == 1 for index in sums):
                    yield indices.value(step, numbers)
    for node in sums:
        yield slope(node, f"blockIdx.{axis}")


def _shared(indices: Indices, axis: str, numbers: Mapping[str, Value]) -> Iterator[int]:
    """Yield the lengths of shared arrays in the dimension that is indexed by `threadIdx` alone."""
    variables = [node for node in indices.nodes if isinstance(node, ast.Variable) and node.space == "shared"]
    arrays = {node.name: node.type.shape for node in variables if isinstance(node.type, Array)}
    here = {f"threadIdx.{axis}"}
    # Where only the first threads use an array, such as the bins of a histogram, the block is larger.
    first = {indices.value(guard.bound, numbers) for guard in indices.guards if indices.sources(guard.index) == here}
    for node in indices.nodes:
        subscripts: list[Expr] = []
        while isinstance(node, ast.Index):
            subscripts.insert(0, node.index)
            node = node.base
        shape = arrays.get(node.id, ()) if isinstance(node, ast.Name) else ()
        for subscript, length in zip(subscripts, shape, strict=False):
            alone = indices.sources(subscript) == here and length not in first
            if alone and indices.value(subscript, {**numbers, f"threadIdx.{axis}": 1}) == 1:
                # A column more than rows avoids bank conflicts.
                yield length - (len(shape) > 1 and length == shape[0] + 1)


def _constants(axis: str, numbers: Mapping[str, Value]) -> Iterator[int]:
    """Yield the constants whose names mean the length of a block in this direction."""
    for name, number in numbers.items():
        of_axis = _AXIS_OF_NAME.search(name)
        fits = axis != "z" if of_axis is None else of_axis[1].lower() == axis
        if fits and isinstance(number, int) and means_block(name):
            yield number


def means_block(name: str) -> bool:
    """Return whether the name of a constant means the length of a block."""
    return bool(_BLOCK_NAME.search(name)) and not _OTHER_NAME.search(name)


def _shrink(shape: Shape) -> Shape:
    """Reduce the grid to two blocks in every direction, four of one thread; to one if these have too many threads."""
    most = (2 if axis == "z" or threads > 1 else 4 for axis, threads in zip("xyz", shape.block, strict=True))
    grid = [min(pair) for pair in zip(shape.grid, most, strict=True)]
    while Dim3(*grid).count > max(1, _MOST_THREADS // shape.block.count):
        grid[max(range(3), key=lambda axis: grid[axis])] = 1
    return shape._replace(grid=Dim3(*grid))
