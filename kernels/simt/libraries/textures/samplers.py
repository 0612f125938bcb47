"""Samplers: address modes and filter weights (CUDA C++ Programming Guide, "Texture Fetching")."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_FAR: Final = float(1 << 40)
"""Coordinates further out lead where this one does."""

_STEPS: Final = 256
"""Weights of linear filtering have 8 fraction bits."""

_PARTS: Final = float(1 << 21)
"""A coordinate from 0 to 1 is cut down to a multiple of one of so many parts, as measured on an H200."""

_KEPT: Final = 27
"""Fraction bits of the largest of the pixels that are filtered; the others lose their bits below these."""


def along(value: Any, size: int, edge: str, wide: int = 1) -> tuple[Any, Any]:
    """Return which pixel a coordinate along one axis leads to, and whether there is one.

    A coordinate that is no number leads to the first pixel. What is accessed is `wide`.
    """
    whole = np.floor(np.clip(np.nan_to_num(np.asarray(value, np.float64)), -_FAR, _FAR)).astype(np.int64)
    if edge == "wrap":
        return whole % size, np.True_
    if edge == "mirror":
        there = whole % (2 * size)
        return np.where(there < size, there, 2 * size - 1 - there), np.True_
    last = size - wide
    return np.clip(whole, 0, max(last, 0)), (whole >= 0) & (whole <= last)


def scaled(value: Any, size: int, edge: str) -> Any:
    """Return a coordinate from 0 to 1 counted in pixels; where a texture repeats itself, in one of its copies."""
    parts = np.floor(np.asarray(value, np.float64) * _PARTS)
    if edge in ("wrap", "mirror"):
        period = _PARTS if edge == "wrap" else 2 * _PARTS
        parts = np.mod(np.where(np.isfinite(parts), parts, 0), period)
    return parts / _PARTS * size


def corners(at: Sequence[Any], sizes: Sequence[int] | None = None) -> Iterator[tuple[tuple[int, ...], list[Any], Any]]:
    """Yield the pixels around a point: steps along the axes, coordinates of the middle, weight in parts of 256.

    With `sizes` points beyond the outermost pixels' middles go there first.
    """
    far = (np.clip(np.nan_to_num(np.asarray(x, np.float64)), -_FAR, _FAR) for x in at)
    fixed = [np.floor((x - 0.5) * _STEPS + 0.5) for x in far]
    if sizes is not None:
        fixed = [np.clip(f, 0, (size - 1) * _STEPS) for f, size in zip(fixed, sizes, strict=True)]
    first = [np.floor(f / _STEPS) for f in fixed]
    for steps, weight in _weights([f % _STEPS for f in fixed]).items():
        yield steps, [f + step + 0.5 for f, step in zip(first, steps, strict=True)], weight


def _weights(parts: list[Any]) -> dict[tuple[int, ...], Any]:
    """Return the weights of pixels whose steps along the axes are 0 or 1.

    The guide's are products; on a GPU these have 8 bits, too, and add up to 1. Which are rounded, and which get what is
    left, is as measured on an H200: those of z are divided along x, and those along y.
    """
    if len(parts) == 1:
        return {(0,): _STEPS - parts[0], (1,): parts[0]}
    x, y = parts[:2]
    planes = {(0,): _STEPS - parts[2], (1,): parts[2]} if len(parts) == 3 else {(): np.float64(_STEPS)}
    found = {}
    for plane, whole in planes.items():
        right = np.floor(x * whole / _STEPS + 0.5)
        left = whole - right
        found[1, 1, *plane] = below = np.floor(right * y / _STEPS + 0.5)
        found[1, 0, *plane] = right - below
        found[0, 0, *plane] = above = np.floor(left * (_STEPS - y) / _STEPS + 0.5)
        found[0, 1, *plane] = left - above
    return found


def added(around: Sequence[tuple[tuple[int, ...], Any, Any]]) -> Any:
    """Return the weighted sum of pixels, each with its steps along the axes, rounded to float.

    As measured on an H200: those of a plane are aligned to the largest of them that has a weight, the sum is exact,
    and where it lies in the middle between two floats it goes away from zero.
    """
    total: Any = 0.0
    for plane in dict.fromkeys(steps[2:] for steps, _, _ in around):
        pixels = [(np.where(w > 0, v, 0.0), w) for steps, v, w in around if steps[2:] == plane]
        top = reduce(np.maximum, (np.where(v == 0, -_FAR, np.frexp(v)[1]) for v, _ in pixels))
        unit = np.ldexp(1.0, np.maximum(top, -200).astype(np.int64) - 1 - _KEPT)
        total = total + sum(np.trunc(v / unit) * unit * w for v, w in pixels)
    total = np.asarray(total) / _STEPS
    return np.nextafter(total, np.copysign(np.inf, total)).astype(np.float32)


def of_cube(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Return where a direction meets a cube: across and down its face, from 0 to 1, and which face."""
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
