from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gui.explore.packing.arcs import Arc, arc, direction
from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import BENDS

if TYPE_CHECKING:
    from collections.abc import Sequence

PICTURE = Box(0, 0, 800, 600)
UPPER, LOWER = Box(390, 100, 20, 20), Box(390, 400, 20, 20)


def crossed(curve: Arc, box: Box) -> int:
    """Return the number of 101 points of a curve in a box."""
    t = np.linspace(0, 1, 101)[:, None]
    start, control, end = (np.array(point) for point in curve[:3])
    points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return sum(box.contains(float(x), float(y)) for x, y in points)


def test_nothing_in_the_way_leaves_it_straight() -> None:
    curve = arc(UPPER, LOWER, (), PICTURE)
    assert curve.bend == 0
    assert direction(curve) == pytest.approx((0, 1))
    assert UPPER.y + UPPER.height <= curve.start[1] < curve.end[1] <= LOWER.y


@pytest.mark.parametrize(
    "avoid",
    [
        [Box(300, 220, 200, 60)],  # a title between the cells
        [Box(380, 200, 400, 100)],  # one that reaches to the right edge
        [Box(250, 150, 160, 240), Box(395, 90, 10, 340)],
    ],
)
def test_it_bows_around_what_is_in_the_way(avoid: Sequence[Box]) -> None:
    straight, curve = arc(UPPER, LOWER, (), PICTURE), arc(UPPER, LOWER, avoid, PICTURE)
    assert sum(crossed(curve, box) for box in avoid) < sum(crossed(straight, box) for box in avoid) / 2


def test_it_stays_in_the_picture() -> None:
    narrow = Box(380, 0, 420, 600)
    curve = arc(UPPER, LOWER, [Box(300, 220, 200, 60)], narrow)
    assert curve.control[0] > 400


def test_two_arrows_between_the_same_cells_have_different_bends() -> None:
    first = arc(UPPER, LOWER, (), PICTURE)
    second = arc(LOWER, UPPER, (), PICTURE, [first.bend])
    assert second.bend != first.bend
    assert {first.bend, second.bend} <= set(BENDS)
