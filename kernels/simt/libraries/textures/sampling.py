"""Reads of textures: one pixel, a filtered value, or one component of four pixels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import FLOAT, HALF, INT, UCHAR, VECTORS, Scalar
from kernels.simt.binding.textures import sampler_of
from kernels.simt.compiler.compiled_values import Element, constant
from kernels.simt.compiler.expressions.load_store import choose, loader, zero_value
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.libraries.textures.pixels import array_type, in_pixels, placer
from kernels.simt.libraries.textures.samplers import corners, weighted_sum
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.compiler.context import Context
    from kernels.simt.libraries.textures.pixels import Use
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory

    At = tuple[Value, ...]
    Neighbours = list[tuple[tuple[int, ...], Any, Any]]
    """Pixels around a point: steps along the axes, one member of each, weights in parts of 256."""
    Load = Callable[[Group, Active, Value, At], Value]
    """Reads for lanes at coordinates; the offset is unused, because images have none."""


def sample(c: Context, memory: Memory, use: Use) -> Load:
    """Compile a read of an image."""
    pixel = _pixel(c, memory, use)
    if use.signature.axes[0] != "pixel":
        return lambda group, mask, offset, at: pixel(group, mask, at)
    if not sampler_of(memory).linear:
        return lambda group, mask, offset, at: pixel(group, mask, in_pixels(memory, use, at))
    return _filter(c, memory, use, pixel)


def _pixel(c: Context, memory: Memory, use: Use) -> Callable[[Group, Active, At], Value]:
    """Compile a read of the pixel at coordinates; beyond a border it is zero."""
    element, convert_pixel = array_type(c, memory, use)
    fetch = loader(c, Element(memory, constant(0, INT), element, use.span, const=False))
    place, kind = placer(c, memory, use), use.kind
    zero = zero_value(kind)

    def read(group: Group, mask: Active, at: At) -> Value:
        lanes, index = place(group, mask, at, "read")
        if lanes is EMPTY:
            return zero
        value = convert_pixel(fetch(group, lanes, index))
        return value if lanes is mask or lanes is None else choose(kind, lanes.bits, value, zero)

    return read


def _exact_sum(around: Neighbours) -> Any:
    return sum(pixel * weight for _, pixel, weight in around) / 256


_SUMS: Final[dict[Scalar, Callable[[Neighbours], Any]]] = {
    FLOAT: weighted_sum,
    HALF: lambda around: _exact_sum(around).astype(np.float16).astype(np.float32),
    UCHAR: lambda around: (np.floor(_exact_sum(around) * 65535 + 0.5) / 65535).astype(np.float32),
}
"""By type of the array's components: the weighted sum and its rounding, as measured on an H200."""


def _filter(c: Context, memory: Memory, use: Use, pixel: Callable[[Group, Active, At], Value]) -> Load:
    """Compile linear filtering: the weighted sum of the pixels around a point, rounded once."""
    name, flat = memory.info.name, sum(axis == "pixel" for axis in use.signature.axes)
    if memory.kind not in _SUMS:
        raise c.unsupported(use.span, f"linear filtering of {memory.kind} ('{name}'); give float, half or u8")
    round_sum = _SUMS[memory.kind]
    clamps = sampler_of(memory).edge == "clamp"
    sizes = [*reversed(memory.info.shape[: len(use.signature.axes)])][:flat] if clamps else None
    if any(leaf.scalar != FLOAT for leaf in leaves(use.kind)):
        raise c.refuse(use.span, f"'{name}' is filtered linearly: that gives float, not {use.kind}")
    if use.signature.cube:
        raise c.unsupported(use.span, "cube that is filtered linearly; leave out linear")

    def load(group: Group, mask: Active, offset: Value, at: At) -> Value:
        at = in_pixels(memory, use, at)
        around = []
        for steps, where, weight in corners(at[:flat], sizes):
            value = pixel(group, mask, (*where, *at[flat:]))
            around.append((steps, value if type(value) is tuple else (value,), weight))
        members = (
            [(steps, np.asarray(parts[n], np.float64), weight) for steps, parts, weight in around]
            for n in range(len(leaves(use.kind)))
        )
        filtered = tuple(round_sum(member)[()] for member in members)
        return filtered[0] if isinstance(use.kind, Scalar) else filtered

    return load


def gather(c: Context, memory: Memory, use: Use, component: int) -> Load:
    """Compile the read of one component of four pixels, counter-clockwise from the one below on the left."""
    scalar, count = leaves(use.kind)[0].scalar, math.prod(memory.info.shape[2:])
    kind = scalar if count == 1 else VECTORS.get(f"{str(use.kind)[:-1]}{count}")
    if kind is None or component >= count:
        raise c.refuse(use.span, f"'{memory.info.name}' has {count} components, and {component} is asked for")
    pixel = _pixel(c, memory, replace(use, kind=kind))

    def load(group: Group, mask: Active, offset: Value, at: At) -> Value:
        around = {steps: where for steps, where, _ in corners(in_pixels(memory, use, at))}
        values = [pixel(group, mask, tuple(around[steps])) for steps in ((0, 1), (1, 1), (1, 0), (0, 0))]
        return tuple(value[component] if type(value) is tuple else value for value in values)

    return load
