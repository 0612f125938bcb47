"""Layout of the picture of points: the plane, and below it a row for each centre. Pure geometry, no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import (
    CENTRE_ROW,
    CENTRES_SHARE,
    EDGE,
    FRAME_HEAD,
    FRAME_PAD,
    MANY_POINTS,
    PLANE_ABOVE,
    PLANE_AXIS,
    PLANE_BELOW,
    PLANE_INSET,
    PLANE_WIDTH,
    POINT_RADIUS,
    POINT_REACH,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.points.points import PlanePoints

    _Coordinate = TypeVar("_Coordinate", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class PointsLayout:
    """Positions in the picture of points."""

    box: Box
    """All of it, with its frame."""
    plane: Box
    """The outermost points lie on its edges."""
    low: tuple[float, float]
    """Coordinates at its lower left corner."""
    scale: tuple[float, float]
    """Pixels for each unit of the two coordinates."""
    radius: float
    """Of an object, pixels."""
    rows: tuple[Box, ...]
    """Rows for the first centres, and for the notes after them."""
    line: float

    def pixels(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions (x, y) of coordinates; the second coordinate grows upwards."""
        return np.column_stack([*self.pixel(places[:, 0], places[:, 1])])

    def pixel(self, first: _Coordinate, second: _Coordinate) -> tuple[_Coordinate, _Coordinate]:
        """Return the position (x, y) of one pair of coordinates, or of arrays of them."""
        x = self.plane.x + (first - self.low[0]) * self.scale[0]
        y = self.plane.y + self.plane.height - (second - self.low[1]) * self.scale[1]
        return x, y

    def at(self, places: NDArray[np.float64], x: float, y: float) -> int | None:
        """Return the object under a point, the nearest of several."""
        if not len(places) or not self.box.contains(x, y):
            return None
        apart = np.hypot(*(self.pixels(places) - (x, y)).T)
        apart[~np.isfinite(apart)] = np.inf
        nearest = int(apart.argmin())
        return nearest if apart[nearest] <= max(self.radius * 1.5, self.line * POINT_REACH) else None


def arrange_points(points: PlanePoints, area: Box, line: float, share: float) -> tuple[PointsLayout, Box]:
    """Place the points in a share of an area's width, on its left, and return the rest of the area."""
    width = min(area.width * share, area.height * PLANE_WIDTH)
    box = Box(area.x, area.y, width, area.height)
    rest = Box(area.x + width + line, area.y, area.width - width - line, area.height)
    wanted = len(points.centres) + notes(points)
    count = max(0, min(wanted, int(area.height * CENTRES_SHARE / (line * CENTRE_ROW))))
    foot = count * CENTRE_ROW * line
    rows = tuple(
        Box(
            box.x + line * FRAME_PAD,
            box.y + box.height - foot - line * FRAME_PAD / 2 + n * CENTRE_ROW * line,
            width - 2 * line * FRAME_PAD,
            line * CENTRE_ROW,
        )
        for n in range(count)
    )
    inset = PLANE_INSET * line
    top, bottom = (
        box.y + FRAME_HEAD * line + PLANE_AXIS * line,
        box.y + box.height - foot - PLANE_AXIS * line - line * EDGE,
    )
    down = bottom - top - inset * (PLANE_ABOVE + PLANE_BELOW)
    plane = Box(box.x + inset, top + inset * PLANE_ABOVE, max(1.0, width - 2 * inset), max(1.0, down))
    (low_x, low_y), (high_x, high_y) = points.range.tolist()
    scale = plane.width / (high_x - low_x), plane.height / (high_y - low_y)
    few = max(0.0, 1 - len(points.places) / MANY_POINTS)
    radius = max(1.5, line * (POINT_RADIUS[1] + (POINT_RADIUS[0] - POINT_RADIUS[1]) * few))
    return PointsLayout(box, plane, (low_x, low_y), scale, radius, rows, line), rest


def notes(points: PlanePoints) -> int:
    """Return the number of rows for notes: on coordinates that are not drawn, and on atomics."""
    return int(points.coordinates > 2) + int(any(centre.count is not None or centre.total for centre in points.centres))
