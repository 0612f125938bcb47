"""Values of the integers of a kernel: sizes from the comparisons that guard its accesses, others from their names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast, render
from kernels.frontend.index_expressions import coordinates
from kernels.frontend.types import Array
from kernels.launch import Dim3
from kernels.launch_inference.blocks import means_block

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kernels.frontend.constant_expressions import Value
    from kernels.frontend.index_expressions import Guard, Indices

_SPECIAL: Final = (
    (re.compile(r"offset|start|begin|shift|first|base|seed|idx|index|rank|gpu|^lo$|left|_id$", re.IGNORECASE), 0),
    (re.compile(r"radius|filter|mask|kernel|ksize|window", re.IGNORECASE), 3),
    (re.compile(r"^dir$|direction|ascend|descend", re.IGNORECASE), 1),
    (re.compile(r"iter|step|round|pass|times|epoch|stride", re.IGNORECASE), 2),
)
"""Names that do not mean a size, and their values."""

_PITCH: Final = re.compile(r"pitch|^ld[a-z]?$", re.IGNORECASE)
_PITCH_BYTES: Final = 16
_BYTES: Final = re.compile(r"\bchar\s*(?:const\s*)?\*\s*\)")
_HEIGHT: Final = re.compile(r"height|rows?$|^m$|^h$|^ny$", re.IGNORECASE)
_DEPTH: Final = re.compile(r"depth|^d$|^nz$", re.IGNORECASE)
_COUNT: Final = re.compile(r"^n$|^len|size|length|count|total|num_?el|elements", re.IGNORECASE)
_INNER: Final = 6
"""Most repetitions of a loop whose bound no thread is compared with, such as the columns of a thread's row."""

_BIT: Final = 4
"""Value of an integer that is combined with an index bit by bit, as the distance of two threads."""

_SIXTEENTH: Final = 16


def sizes_of(
    indices: Indices,
    names: Sequence[str],
    grid: Dim3,
    block: Dim3,
    numbers: Mapping[str, Value],
    body: str,
    element_bytes: int,
) -> dict[str, int]:
    """Return a value for each integer name; `element_bytes` is the size of the largest element of an array.

    A size with which the kernel compares an index is a little less than the number of indices that the launch reaches,
    so that some threads have to skip; where a loop moves the index it is nearly twice that number. No two sizes are
    equal, so that an array's length tells its sides. A kernel without such a comparison is launched for whole blocks.
    """
    special = ((name, value) for name in names for pattern, value in _SPECIAL if pattern.search(name))
    found = dict(reversed([*special]))
    unknown = [name for name in names if name not in found and not is_pitch(name)]
    guarded = _guarded_sizes(indices, grid, block, {**numbers, **found}, unknown)
    found |= guarded
    factors, loops = factors_of(indices), loop_bounds(indices)
    binary = (node for node in indices.nodes if isinstance(node, ast.Binary) and node.op in ("^", "&"))
    bits = {name for node in binary for name in indices.sources(node)}
    columns, rows, depth = (g * b for g, b in zip(grid, block, strict=True))
    for name in unknown:
        if name in guarded:
            continue
        if name in bits:
            found[name] = _BIT
        elif means_block(name):
            found[name] = block.x
        elif guarded and (name in loops or name not in factors) and name in indices.names:
            found[name] = _distinct(_INNER, found.values())
        else:
            found[name] = depth if _DEPTH.search(name) else rows if rows > 1 and _HEIGHT.search(name) else columns
            if rows * depth == 1 and lacks_guard(name, indices, body):
                found[name] = _distinct(_ragged(columns), found.values())
    width = max((size for name, size in guarded.items() if not _HEIGHT.search(name)), default=columns)
    for name in set(names) - found.keys():
        found[name] = (element_bytes * width // _PITCH_BYTES + 1) * _PITCH_BYTES if in_bytes(name, body) else width + 1
    return found


def lacks_guard(name: str, indices: Indices, body: str) -> bool:
    """Return whether a kernel is given the number of its elements and does not use it."""
    return name not in indices.names and bool(_COUNT.search(name)) and "__shared__" not in body


def is_pitch(name: str) -> bool:
    """Return whether a size is the length of a row in memory, which may be longer than the matrix is wide."""
    return bool(_PITCH.search(name))


def in_bytes(name: str, body: str) -> bool:
    """Return whether a size is a pitch in bytes, as of `cudaMallocPitch`."""
    return is_pitch(name) and bool(_BYTES.search(body))


def loop_bounds(indices: Indices) -> frozenset[str]:
    """Return the names of which the conditions of loops are made."""
    conditions = (node.condition for node in indices.nodes if isinstance(node, ast.For | ast.While))
    return frozenset(name for condition in conditions if condition is not None for name in indices.sources(condition))


def factors_of(indices: Indices) -> frozenset[str]:
    """Return the factors of the kernel's products."""
    products = (node for node in indices.nodes if isinstance(node, ast.Binary) and node.op == "*")
    return frozenset(render(side) for node in products for side in (node.left, node.right))


def _guarded_sizes(
    indices: Indices, grid: Dim3, block: Dim3, numbers: Mapping[str, Value], unknown: Sequence[str]
) -> dict[str, int]:
    """Return the sizes for which the bounds of guards are a little below the number of indices."""
    covers: dict[tuple[str, ...], tuple[int, Guard]] = {}
    for guard in indices.guards:
        of_bound = indices.sources(guard.bound)
        names = tuple(name for name in unknown if name in of_bound)
        cover = _cover(indices, guard, grid, block, numbers) if names else 0
        cover = min(cover, _length_of_shared(indices, guard) or cover)
        if cover > 1 and (names not in covers or cover < covers[names][0]):
            covers[names] = cover, guard
    found: dict[str, int] = {}
    for names, (cover, guard) in sorted(covers.items(), key=lambda item: len(item[0])):
        # A factor is no larger than its product: `row < heads * columns` limits the loop over columns, too.
        cover = min(cover, *(larger for others, (larger, _) in covers.items() if set(names) <= set(others)))
        missing = [name for name in names if name not in found]
        for number, name in enumerate(missing, 1):
            others = dict.fromkeys(missing[number:], max(2, round(cover ** (1 / len(missing)))))
            fixed = {**numbers, **coordinates(Dim3(0, 0, 0), Dim3(0, 0, 0), block, grid), **found, **others}

            def bound(size: int, name: str = name, guard: Guard = guard, fixed: Mapping[str, Value] = fixed) -> int:
                return indices.value(guard.bound, {**fixed, name: size}) or 0

            # The least size for which the bound, such as `n / 4` or `rows * columns`, is as large as it may be.
            sizes, most = range(1, 4 * cover + 1), _ragged(cover)
            fitting = bisect_right(sizes, most, key=bound)
            most = 1 + bisect_left(sizes, bound(fitting), key=bound) if fitting else 1
            found[name] = _distinct(most, found.values())
    return found


def _length_of_shared(indices: Indices, guard: Guard) -> int | None:
    """Return the length of a shared array of one dimension that the index of a guard accesses; None without one."""
    lengths = {
        node.name: node.type.shape[0]
        for node in indices.nodes
        if isinstance(node, ast.Variable) and node.space == "shared" and isinstance(node.type, Array)
        if len(node.type.shape) == 1
    }
    index = render(guard.index)
    accessed = (node for node in indices.nodes if isinstance(node, ast.Index) and render(node.index) == index)
    return min((lengths[name] for node in accessed if (name := render(node.base)) in lengths), default=None)


def _cover(indices: Indices, guard: Guard, grid: Dim3, block: Dim3, numbers: Mapping[str, Value]) -> int:
    """Return the number of values of an index, from 0 up, that threads reach; 0 if it is unknown."""

    def index(thread: Sequence[int], at: Sequence[int]) -> int:
        return indices.value(guard.index, {**numbers, **coordinates(Dim3(*thread), Dim3(*at), block, grid)}) or 0

    cover = index([n - 1 for n in block], [n - 1 for n in grid]) + 1
    sources = indices.sources(guard.index)
    axes = [axis for axis in range(3) if f"blockIdx.{'xyz'[axis]}" in sources]
    loops = [indices.variable_sources(name) for name in sources & indices.changed]
    if len(axes) == 1:
        step = index((0, 0, 0), [int(axis == axes[0]) for axis in range(3)]) - index((0, 0, 0), (0, 0, 0))
        if step > 0:
            # The last threads of a block may load only what the next block computes; a loop may move within the block.
            cover = min(cover, step * grid[axes[0]]) if not loops else step * grid[axes[0]]
            loops = [names for names in loops if f"blockIdx.{'xyz'[axes[0]]}" in names]
    return 2 * cover if loops else cover


def _ragged(cover: int) -> int:
    """Return a size a little below a number of indices: the last block has threads without an element."""
    return cover if cover <= 2 else cover - max(1, cover // _SIXTEENTH)


def _distinct(size: int, taken: Collection[int]) -> int:
    """Return the largest size up to `size` that is not taken; `size` itself if only 1 would be left."""
    return next((number for number in range(size, 1, -1) if number not in taken), size)
