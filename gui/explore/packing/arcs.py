"""Curves of arrows from cell to cell that avoid numbers and titles. No Qt."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gui.explore.packing.constants import (
    ARC_AROUND,
    ARC_INSIDE,
    ARC_SAMPLES,
    BENDS,
    DETOUR,
    LEAVING,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Box

Point = tuple[float, float]


class Arc(NamedTuple):
    """A quadratic Bézier curve."""

    start: Point
    control: Point
    end: Point
    bend: float


def arc(
    source: Box,
    target: Box,
    avoid: Sequence[Box],
    within: Box,
    without: Collection[float] = (),
    *,
    touches: bool = False,
) -> Arc:
    """Return the curve from cell to cell that crosses the least of what it is to avoid.

    Parameters
    ----------
    source, target : Box
        Cells; the curve begins and ends just outside of them.
    avoid : sequence of Box
        Rasters and titles; what is listed several times counts as often.
    within : Box
        Picture, which the curve does not leave.
    without : collection of float
        Bends that other arrows between these cells have.
    touches : bool
        The curve ends just inside of the target, whose neighbours it may cross.
    """
    around = ARC_INSIDE if touches else ARC_AROUND
    found = [_curve(source, target, bend, around) for bend in BENDS if bend not in without]
    edges = np.array([(box.x, box.y, box.x + box.width, box.y + box.height) for box in avoid]).reshape(-1, 4)
    frame = within.x, within.y, within.x + within.width, within.y + within.height
    return min(found, key=lambda curve: _cost(curve, edges, frame))


def _curve(source: Box, target: Box, bend: float, around: float) -> Arc:
    start, end = _centre(source), _centre(target)
    along = end[0] - start[0], end[1] - start[1]
    # A positive bend bows downwards, whichever way the curve goes.
    side = bend if along[0] >= 0 else -bend
    control = (start[0] + end[0]) / 2 - along[1] * side, (start[1] + end[1]) / 2 + along[0] * side
    return Arc(_edge(source, control, ARC_AROUND), control, _edge(target, control, around), bend)


def _cost(curve: Arc, edges: NDArray[np.float64], frame: tuple[float, ...]) -> float:
    """Return the samples of a curve that cross something, and the costs of leaving the picture and of a detour."""
    t = np.linspace(0.0, 1.0, ARC_SAMPLES)[:, None]
    start, control, end = (np.array(point) for point in curve[:3])
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    x, y = points.T[:, :, None]
    left, top, right, bottom = edges.T
    inside = (x > left) & (x < right) & (y > top) & (y < bottom)
    beyond = (x < frame[0]) | (x > frame[2]) | (y < frame[1]) | (y > frame[3])
    return float(inside.sum() + LEAVING * beyond.sum() + DETOUR * curve.bend**2)


def _centre(box: Box) -> Point:
    return box.x + box.width / 2, box.y + box.height / 2


def _edge(box: Box, towards: Point, around: float) -> Point:
    """Return the point on the way to another one at a distance from the middle of a cell, in sides of the cell."""
    x, y = _centre(box)
    way = towards[0] - x, towards[1] - y
    share = max(abs(way[0]) / max(1.0, box.width), abs(way[1]) / max(1.0, box.height), 1e-6)
    part = min(1.0, around / share)
    return x + way[0] * part, y + way[1] * part


def direction(curve: Arc) -> Point:
    """Return the unit vector with which a curve arrives."""
    x, y = curve.end[0] - curve.control[0], curve.end[1] - curve.control[1]
    length = max(1.0, hypot(x, y))
    return x / length, y / length
