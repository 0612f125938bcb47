"""Samplers: address modes and filter weights (CUDA C++ Programming Guide, "Texture Fetching")."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_COORDINATE_LIMIT: Final = float(1 << 40)
"""Coordinates are limited to this size."""

_WEIGHT_STEPS: Final = 256
"""Weights of linear filtering have 8 fraction bits."""

_COORDINATE_STEPS: Final = float(1 << 21)
"""Normalized coordinates are rounded down to multiples of 2⁻²¹, as measured on an H200."""

_FRACTION_BITS: Final = 27
"""Fraction bits of the largest filtered pixel; the bits of the others below these are cut off."""


def pixel_index(value: Any, size: int, edge: str, width: int = 1) -> tuple[Any, Any]:
    """Return the pixel of a coordinate along one axis under the rule for edges, and whether the access is inside.

    The access covers `width` pixels (of surfaces, bytes). A coordinate that is not a number gives pixel 0.
    """
    limited = np.clip(np.nan_to_num(np.asarray(value, np.float64)), -_COORDINATE_LIMIT, _COORDINATE_LIMIT)
    whole = np.floor(limited).astype(np.int64)
    if edge == "wrap":
        return whole % size, np.True_
    if edge == "mirror":
        mirrored = whole % (2 * size)
        return np.where(mirrored < size, mirrored, 2 * size - 1 - mirrored), np.True_
    last = size - width
    return np.clip(whole, 0, max(last, 0)), (whole >= 0) & (whole <= last)


def to_pixels(value: Any, size: int, edge: str) -> Any:
    """Return a normalized coordinate in pixels; with wrap and mirror, inside one period of the texture."""
    parts = np.floor(np.asarray(value, np.float64) * _COORDINATE_STEPS)
    if edge in ("wrap", "mirror"):
        period = _COORDINATE_STEPS if edge == "wrap" else 2 * _COORDINATE_STEPS
        parts = np.mod(np.where(np.isfinite(parts), parts, 0), period)
    return parts / _COORDINATE_STEPS * size


def corners(at: Sequence[Any], sizes: Sequence[int] | None = None) -> Iterator[tuple[tuple[int, ...], list[Any], Any]]:
    """Yield the pixels around a point: steps along the axes, coordinates of the middle, weight in parts of 256.

    With `sizes`, the point is first moved between the middles of the outermost pixels (clamp).
    """
    limited = (np.clip(np.nan_to_num(np.asarray(x, np.float64)), -_COORDINATE_LIMIT, _COORDINATE_LIMIT) for x in at)
    fixed = [np.floor((x - 0.5) * _WEIGHT_STEPS + 0.5) for x in limited]
    if sizes is not None:
        fixed = [np.clip(f, 0, (size - 1) * _WEIGHT_STEPS) for f, size in zip(fixed, sizes, strict=True)]
    first = [np.floor(f / _WEIGHT_STEPS) for f in fixed]
    for steps, weight in _weights([f % _WEIGHT_STEPS for f in fixed]).items():
        yield steps, [f + step + 0.5 for f, step in zip(first, steps, strict=True)], weight


def _weights(parts: list[Any]) -> dict[tuple[int, ...], Any]:
    """Return the weights of pixels, by their steps along the axes, each 0 or 1.

    The guide's weights are products. A GPU rounds these to 8 bits so that they add up to 1. The order is as measured on
    an H200: the weight of a plane in z is divided along x, each part then along y; one part is rounded, the other is
    the rest. Example: x = y = 1/2 + 1/256 = 129/256 of one plane gives 129 and 127 along x, then 65, 64, 63 and 64.
    """
    if len(parts) == 1:
        return {(0,): _WEIGHT_STEPS - parts[0], (1,): parts[0]}
    x, y = parts[:2]
    planes = {(0,): _WEIGHT_STEPS - parts[2], (1,): parts[2]} if len(parts) == 3 else {(): np.float64(_WEIGHT_STEPS)}
    weights = {}
    for plane, whole in planes.items():
        right = np.floor(x * whole / _WEIGHT_STEPS + 0.5)
        left = whole - right
        weights[1, 1, *plane] = below = np.floor(right * y / _WEIGHT_STEPS + 0.5)
        weights[1, 0, *plane] = right - below
        weights[0, 0, *plane] = above = np.floor(left * (_WEIGHT_STEPS - y) / _WEIGHT_STEPS + 0.5)
        weights[0, 1, *plane] = left - above
    return weights


def weighted_sum(around: Sequence[tuple[tuple[int, ...], Any, Any]]) -> Any:
    """Return the weighted sum of pixels, each with its steps along the axes, rounded to float.

    As measured on an H200: the pixels of a plane are aligned to the largest one with a weight, the sum is exact, and
    ties are rounded away from zero.
    """
    total: Any = 0.0
    for plane in dict.fromkeys(steps[2:] for steps, _, _ in around):
        pixels = [(np.where(w > 0, v, 0.0), w) for steps, v, w in around if steps[2:] == plane]
        top = reduce(np.maximum, (np.where(v == 0, -_COORDINATE_LIMIT, np.frexp(v)[1]) for v, _ in pixels))
        unit = np.ldexp(1.0, np.maximum(top, -200).astype(np.int64) - 1 - _FRACTION_BITS)
        total = total + sum(np.trunc(v / unit) * unit * w for v, w in pixels)
    total = np.asarray(total) / _WEIGHT_STEPS
    return np.nextafter(total, np.copysign(np.inf, total)).astype(np.float32)


def cube_face(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Return the point where a direction meets a cube: across and down its face, from 0 to 1, and the face."""
    x, y, z = (np.asarray(part, np.float64) for part in (x, y, z))
    by_x = (np.abs(x) >= np.abs(y)) & (np.abs(x) >= np.abs(z))
    by_y = ~by_x & (np.abs(y) >= np.abs(z))
    main = np.where(by_x, x, np.where(by_y, y, z))
    back = main < 0
    face = np.where(by_x, 0, np.where(by_y, 2, 4)) + back
    across = np.where(by_x, np.where(back, z, -z), np.where(by_y, x, np.where(back, -x, x)))
    down = np.where(by_y, np.where(back, -z, z), -y)
    with np.errstate(all="ignore"):
        return (across / np.abs(main) + 1) / 2, (down / np.abs(main) + 1) / 2, face
