"""Pictures of a problem: the arrays that Explore draws, and how they belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Place = Literal["left", "top", "result"]


@dataclass(frozen=True, slots=True)
class Panel:
    """Position of an array in the picture: A left of the result, B above it; `transposed` shows Mᵀ."""

    array: str
    place: Place
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Matrices:
    """Arrays drawn as grids of cells, whose rows and columns belong to those of the result."""

    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """Objects drawn as points of the plane of their first two coordinates, coloured by label.

    Arrays are named as the workload names them, "" for one that it does not have. `panels` are the same arrays and the
    others as cells.
    """

    panels: tuple[Panel, ...] = ()
    objects: str = ""
    """Coordinates of the objects: [object, coordinate] or [coordinate, object]."""
    object_axis: Literal[0, 1] = 1
    """Axis of `objects` that counts objects."""
    labels: str = ""
    """Centre of each object: [object], int32."""
    centres: str = ""
    """Centres that the objects are compared with, or that are computed: [centre, coordinate]."""
    earlier_centres: str = ""
    """Centres before the kernel: [centre, coordinate]."""
    sums: str = ""
    """Sum of the objects of each centre: [centre, coordinate]."""
    counts: str = ""
    """Objects of each centre: [centre]."""


Picture = Matrices | Points
