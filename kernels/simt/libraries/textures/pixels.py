"""Arrays of textures and surfaces: types of pixels, and indices from coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from kernels.errors import ImageShape, ImageType
from kernels.frontend.types import CHAR, FLOAT, HALF, SHORT, UCHAR, USHORT, VECTORS, Scalar
from kernels.simt.binding.textures import sampler_of
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.libraries.textures.samplers import cube_face, pixel_index, to_pixels
from kernels.simt.machine.arithmetic import integer_range, is_float
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernels.frontend.ast import Call, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory

    AccessKind = Literal["read", "write"]
    Placer = Callable[[Group, Active, tuple[Value, ...], AccessKind], tuple[Active, Value]]
    """Finds elements for the active lanes by their coordinates."""

Axis = Literal["pixel", "bytes", "layer", "linear"]
"""Units of a coordinate: pixels, as a float; bytes of a row; layers; pixels of linear memory."""

_SMALL: Final = {CHAR: "char", UCHAR: "uchar", SHORT: "short", USHORT: "ushort", HALF: "half"}
"""Types of numbers that a texture can return as floats, with the base name of their vectors."""

ZERO, CLAMP, TRAP = range(3)
_OUTSIDE: Final = "only let threads access it that lie inside, or give cudaBoundaryModeZero"
_ODD: Final = "x counts bytes: it must be a multiple of {}"


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function that reads or writes an image."""

    axes: tuple[Axis, ...]
    """Coordinates in the image, x first."""
    level: bool = False
    """True if a level of detail follows; only level 0 exists."""
    cube: bool = False
    """True if a call passes a direction; the faces of the cube are layers of the image."""

    @property
    def coordinates(self) -> tuple[Axis, ...]:
        """The coordinates that a call passes."""
        return ("pixel",) * 3 if self.cube else self.axes


@dataclass(frozen=True, slots=True)
class Use:
    """A call that reads or writes an image."""

    node: Call
    signature: Signature
    kind: CType
    """The type of a pixel in the call."""
    scaled: bool = False
    """True if integers are read as fractions of the largest one."""
    edge: int = CLAMP
    """The rule beyond the edges of a surface: `ZERO`, `CLAMP` or `TRAP`."""

    @property
    def span(self) -> Span:
        """The place of the call."""
        return self.node.span


def array_type(c: Context, memory: Memory, use: Use) -> tuple[CType, Any]:
    """Return the type of a pixel in the array, and the function from its value to the value that is read."""
    kind, element = use.kind, memory.kind
    scalar, count = leaves(kind)[0].scalar, len(leaves(kind))
    if use.signature.axes[0] == "bytes" or scalar == element:
        return kind, lambda value: value
    small = element if count == 1 else VECTORS.get(f"{_SMALL.get(element)}{count}")
    if scalar == FLOAT and element in _SMALL and small is not None and (use.scaled or use.node.template):
        return small, _fraction(element, count)
    if scalar.size_bytes == element.size_bytes and not (is_float(scalar) or is_float(element)):
        return kind, lambda value: value
    name, dtype = memory.info.name, str(scalar.dtype)
    reason = f"{use.node.function} reads {kind} from '{name}', an array of {element}: give it as an array of {dtype}"
    raise c.refuse(use.span, reason, ImageType(name, dtype))


def _fraction(element: Scalar, count: int) -> Callable[[Value], Value]:
    """Return the conversion of small numbers to float: integers become fractions of the largest of their type."""
    most = 1.0 if is_float(element) else float(integer_range(element)[1])
    least = -np.inf if is_float(element) else -1.0

    def fraction(part: Value) -> Value:
        number = np.maximum(np.asarray(part, np.float64) / most, least).astype(np.float32)
        return number if number.ndim else number[()]

    return fraction if count == 1 else lambda value: tuple(map(fraction, value))


def _extents(c: Context, memory: Memory, use: Use) -> tuple[list[int], int]:
    """Return the image's sizes in the units of its coordinates, x first, and the bytes of an element along x."""
    item, shape, axes = memory.info.dtype.itemsize, memory.info.shape, use.signature.axes
    count, rank = len(leaves(use.kind)), len(axes)
    if axes == ("linear",):
        if memory.size % count == 0:
            return [memory.size // count], count
    elif axes[0] == "bytes":
        if len(shape) >= rank:
            row = math.prod(shape[rank - 1 :]) * item
            return [row, *reversed(shape[: rank - 1])], 1
    elif len(shape) >= rank and math.prod(shape[rank:]) == count:
        return [*reversed(shape[:rank])], count
    dims = [
        "layers" if axis == "layer" and axes[0] == "pixel" else name
        for axis, name in zip(axes, ("width", "height", "depth"), strict=False)
    ]
    if use.signature.cube:
        dims[2] = "6"
    channels = [count] if count > 1 else []
    expected = ", ".join(map(str, [*reversed(dims), *channels]))
    sides = tuple(6 if use.signature.cube and number == 2 else None for number in reversed(range(len(dims))))
    name = memory.info.name
    raise c.refuse(
        use.span,
        f"{use.node.function} of {use.kind} needs an array of [{expected}]; '{name}' is {list(shape)}",
        ImageShape(name, (*sides, *channels)),
    )


def placer(c: Context, memory: Memory, use: Use) -> Placer:
    """Compile the index of the first element of each lane's pixel; lanes without a pixel are masked out."""
    sizes, step = _extents(c, memory, use)
    if use.signature.axes[0] == "linear":
        return lambda group, mask, at, access: (mask, _as_int64(at[0]) * step)
    if use.signature.axes[0] == "pixel":
        return _texture_placer(memory, use, sizes, step)
    return _surface_placer(c, memory, use, sizes)


def _texture_placer(memory: Memory, use: Use, sizes: list[int], step: int) -> Placer:
    """Compile the index of a texture's pixel from coordinates in pixels; lanes beyond a border are masked out."""
    edges = [sampler_of(memory).edge if axis == "pixel" else "clamp" for axis in use.signature.axes]

    def place(group: Group, mask: Active, at: tuple[Value, ...], access: AccessKind) -> tuple[Active, Value]:
        at = tuple(
            np.where(np.asarray(value) < 0, size - 1, value) if axis == "layer" else value  # layers have no sign
            for value, size, axis in zip(at, sizes, use.signature.axes, strict=True)
        )
        index, inside = _nearest(at, sizes, 1, edges)
        if "border" in edges and not np.all(inside):
            mask = group.narrow(mask, np.broadcast_to(inside, (group.size,)))
        return mask, _as_uniform(index * step)

    return place


def in_pixels(memory: Memory, use: Use, at: tuple[Value, ...]) -> tuple[Any, ...]:
    """Return a texture's coordinates counted in pixels."""
    signature, count = use.signature, len(use.signature.axes)
    sizes = [*reversed(memory.info.shape[:count])]
    if signature.cube:
        across, down, face = cube_face(*at)
        return across * sizes[0], down * sizes[1], face
    if not sampler_of(memory).normalized:
        return at
    return tuple(
        to_pixels(value, size, sampler_of(memory).edge) if axis == "pixel" else value
        for value, size, axis in zip(at, sizes, signature.axes, strict=True)
    )


def _surface_placer(c: Context, memory: Memory, use: Use, sizes: list[int]) -> Placer:
    item, width_bytes = memory.info.dtype.itemsize, _bytes(use.kind)
    limits = " and ".join(f"{a} below {n}{' bytes' * (a == 'x')}" for a, n in zip("xyz", sizes, strict=False))

    def place(group: Group, mask: Active, at: tuple[Value, ...], access: AccessKind) -> tuple[Active, Value]:
        byte, inside = _nearest(at, sizes, width_bytes)

        def keep(lanes: Active, good: Any, kind: str, reason: str) -> Active:
            if lanes is EMPTY or np.all(good):
                return lanes
            bits = np.broadcast_to(good, (group.size,))
            bad = group.narrow(lanes, ~bits)
            if kind and bad is not EMPTY:
                _report(c, memory, use, group, bad, at, access, kind, reason)
            return group.narrow(lanes, bits)

        lanes = mask
        if use.edge != CLAMP:
            kind = "out-of-bounds" if use.edge == TRAP else ""
            lanes = keep(lanes, inside, kind, f"it has {limits}; {_OUTSIDE}")
        reason = f"{use.kind} has {width_bytes} bytes; {_ODD.format(width_bytes)}"
        lanes = keep(lanes, np.asarray(at[0]) % width_bytes == 0, "misaligned-access", reason)
        return lanes, _as_uniform(byte // item)

    return place


def _nearest(
    at: tuple[Value, ...], sizes: list[int], width_bytes: int, edges: Sequence[str] = ("clamp",) * 3
) -> tuple[Any, Any]:
    """Return the indices of coordinates under the rules for edges, and a mask of those inside."""
    index: Any = 0
    inside: Any = True
    for axis, (value, size, edge) in reversed(list(enumerate(zip(at, sizes, edges, strict=False)))):
        position, contained = pixel_index(value, size, edge, width_bytes if axis == 0 else 1)
        inside = inside & contained
        index = index * size + position
    return index, inside


def _as_uniform(index: Any) -> Value:
    return index if index.ndim else int(index)


def _as_int64(index: Value) -> Value:
    return index.astype(np.int64) if type(index) is np.ndarray else index


def _report(
    c: Context,
    memory: Memory,
    use: Use,
    group: Group,
    bad: Active,
    at: tuple[Value, ...],
    access: AccessKind,
    kind: str,
    reason: str,
) -> None:
    """Report lanes whose accesses to a surface are not performed."""
    hazards, span, info = c.machine.hazards, use.span, memory.info
    position = 0 if bad is None else int(bad.where[0])
    lane = int(group.lanes[position])
    numbers = [int(np.broadcast_to(value, (group.size,))[position]) for value in at]
    where = ", ".join(f"{axis} = {number}" for axis, number in zip("xyz", numbers, strict=False))
    hazards.report(
        kind,
        Place(span, info.space, info.name),
        c.machine.recorder.current,
        group.active(bad),
        ((lane, span, access),),
        lambda: f"{hazards.name(lane)} {access}s {info.name} at {where}, but {reason}",
    )


def _bytes(kind: CType) -> int:
    size = getattr(kind, "size_bytes", 1)
    assert isinstance(size, int)
    return size
