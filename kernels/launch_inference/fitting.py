"""Arrays and dynamic shared memory as long as a kernel needs them, by the accesses of a run with long ones."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.launch_inference.drafts import PROPOSED_SHARED_BYTES
from kernels.launch_inference.values import size_bytes, with_fill, with_shape, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kernels.custom_launch.model import CustomLaunch, LaunchValue
    from kernels.launch_inference.drafts import Draft, Kernel
    from kernels.trace import Trace

_PROBED: Final = 1 << 14
"""Elements of an array in the first run, which shows how many of them the kernel accesses."""

_MOST_PARTS: Final = 4
"""Most elements that one thread handles, where a size has to be a multiple of the threads."""

_BY_FAR: Final = 1.5
"""Accesses that differ from a product of sizes by a smaller factor are taken for a bug of the kernel, which the user
should see, or leave a border; by a larger one, the array has nothing to do with these sizes."""


def probe(draft: Draft) -> CustomLaunch:
    """Return a launch with arrays that are longer than the kernel needs."""
    arrays = draft.kernel.arrays if draft.kernel else {}
    values = tuple(
        replace(v, text=with_shape(v.text, (_PROBED,), words(arrays[v.name]))) if v.name in arrays else v
        for v in draft.launch.values
    )
    return replace(draft.launch, values=values)


def fit_arrays(draft: Draft, custom: CustomLaunch, trace: Trace) -> CustomLaunch:
    """Return a launch with arrays as long as the kernel's sizes and the accesses of a run suggest.

    Arrays that the kernel only writes are not initialised; counters and flags are 0.
    """
    kernel = draft.kernel
    if kernel is None:
        return custom
    numbers = {info.name: row for row, info in enumerate(trace.arrays) if info.parameter and info.name in kernel.arrays}
    # The elements of the trace may be parts of those of the declared type.
    reaches = {
        name: -(-_reach(trace, row) * trace.arrays[row].dtype.itemsize // size_bytes(kernel.arrays[name]))
        for name, row in numbers.items()
    }
    changed = {} if kernel.guarded else _whole_size(draft.sizes, trace, reaches)
    shapes = _shapes(kernel, {**draft.sizes, **changed}, reaches, trace)

    def fitted(value: LaunchValue) -> LaunchValue:
        if value.name in changed:
            return replace(value, text=str(changed[value.name]))
        if value.name not in shapes:
            return value
        text = with_shape(value.text, shapes[value.name], words(kernel.arrays[value.name]))
        accesses = _accesses(trace, numbers[value.name]) if value.name in numbers else set()
        if accesses == {"write"}:
            text = with_fill(text, "uninit")
        elif "atomic" in accesses or (len(accesses) > 1 and math.prod(shapes[value.name]) <= trace.launch.grid.count):
            text = with_fill(text, "zeros")
        return replace(value, text=text)

    shared = _shared_bytes(int(custom.shared), trace)
    return replace(custom, values=tuple(map(fitted, custom.values)), shared=str(shared))


def _shapes(
    kernel: Kernel, sizes: Mapping[str, int], reaches: Mapping[str, int], trace: Trace
) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array: exact ones first, with which those with a bug or a border are compared."""
    uses, found, exact = kernel.uses, {}, []
    for only_exact in (True, False):
        for name in [name for name in kernel.arrays if name not in found]:
            more, scale = uses.has_bounds(name), size_bytes(kernel.arrays[name])
            reach = max((reaches.get(name) or trace.launch.thread_count) - more, 1)
            if uses.choosers(name) and reach not in kernel.constants:
                reach = uses.length_by_choice(name, reach, sizes.values())
            sides = {
                side: size // scale if side in kernel.byte_pitches else size
                for side, size in sizes.items()
                if side in kernel.sides and size > 0
            }
            products = [*_products(sides, uses.row_lengths(name, sides))]
            shape = _exact(reach, products, sides, kernel.constants, trace)
            if shape is not None and only_exact:
                exact.append(shape)
            if not only_exact:
                # A condition on the data may have kept threads from the last elements.
                reach = uses.length_by_choice(name, reach, sides.values()) if uses.filters and reach > 1 else reach
                shape = _nearest(reach, exact) or _nearest(reach, products) or _by_threads(reach, trace)
            if shape is not None:
                found[name] = (shape[0] + more, *shape[1:])
    return found


def _exact(
    reach: int,
    products: list[tuple[int, ...]],
    sides: Mapping[str, int],
    constants: Collection[int],
    trace: Trace,
) -> tuple[int, ...] | None:
    """Return the product of sizes that equals the accessed elements; a constant, or a multiple for blocks, is flat."""
    squares = [(size, size) for size in sides.values()]
    for shape in (*products, *squares):
        if math.prod(shape) == reach:
            return shape
    blocks = [count for count in trace.launch.grid if count > 1]
    of_blocks = any(count * math.prod(shape) == reach for count in blocks for shape in ((1,), *products))
    return (reach,) if reach in constants or of_blocks else None


def _nearest(reach: int, shapes: Collection[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the shape whose elements are nearest to the accessed ones, if they do not differ by far."""
    near = min(shapes, key=lambda shape: abs(math.log(math.prod(shape) / reach)), default=(0,))
    return near if 1 / _BY_FAR < math.prod(near) / reach < _BY_FAR else None


def _by_threads(reach: int, trace: Trace) -> tuple[int, ...]:
    """Return the shape of an array without sizes: rows as long as those of the threads, or one dimension."""
    grid, block = trace.launch.grid, trace.launch.block
    columns = grid.x * block.x
    plane = grid.y * block.y > 1 and grid.z * block.z == 1
    return (reach // columns, columns) if plane and reach % columns == 0 and reach > columns else (reach,)


def _products(sides: Mapping[str, int], rows: Collection[str]) -> Iterator[tuple[int, ...]]:
    """Yield each size, and the products of two and three, the latter in one dimension."""
    for size in sides.values():
        yield (size,)
    if len(sides) == 1:
        yield tuple(sides.values()) * 2
    for pair in combinations(sides, 2):
        yield tuple(sides[name] for name in sorted(pair, key=lambda name: name in rows))
    for three in combinations(sides.values(), 3):
        yield (math.prod(three),)


def _whole_size(sizes: Mapping[str, int], trace: Trace, reaches: Mapping[str, int]) -> dict[str, int]:
    """Return another value for the only size of a kernel of one dimension whose threads handle several elements each.

    The prefix sums of n elements by n / 2 threads need n to be twice the number of threads.
    """
    launch, most = trace.launch, max(reaches.values(), default=0)
    flat = launch.grid.y * launch.grid.z * launch.block.y * launch.block.z == 1
    parts = {name: most / max(size, 1) for name, size in sizes.items()}
    return {name: most for name, n in parts.items() if n in range(2, _MOST_PARTS + 1) and flat and len(sizes) == 1}


def _shared_bytes(whole: int, trace: Trace) -> int:
    """Return the dynamic shared memory of a launch; of the proposed size, the bytes that the kernel accesses."""
    used = [
        _reach(trace, number) * info.dtype.itemsize
        for number, info in enumerate(trace.arrays)
        if info.space == "shared" and info.size * info.dtype.itemsize == whole
    ]
    return min(whole, max(used, default=0) or whole) if whole == PROPOSED_SHARED_BYTES else whole


def _reach(trace: Trace, array: int) -> int:
    """Return the number of elements that an array needs for every access to it."""
    most = 0
    for number, site in enumerate(trace.sites):
        if site.array == array:
            for group in np.flatnonzero(trace.group_site == number):
                index = trace.index[trace.group_first[group] : trace.group_first[group + 1]]
                most = max(most, int(index.max(initial=-1)) + site.width)
    return most


def _accesses(trace: Trace, array: int) -> set[str]:
    """Return the kinds of accesses to an array."""
    sites = [trace.sites[number] for number in np.unique(trace.group_site)]
    return {site.access for site in sites if site.array == array}
