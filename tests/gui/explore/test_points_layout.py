from __future__ import annotations

import pytest

from gui.explore.packing.boxes import Box, Gaps, Shape
from gui.explore.packing.points_layout import in_rows

AREA = Box(100.0, 50.0, 600.0, 500.0)
LINE = 18.0


@pytest.mark.parametrize(
    "shapes",
    [
        (Shape(64, 64), Shape(64, 64)),
        (Shape(4, 64, title=90.0), Shape(64, 4, title=60.0), Shape(4, 16, gaps=Gaps(rows=1, down=24.0))),
        (Shape(9, 9), Shape(3, 3), Shape(3, 1), Shape(1, 3)),
        (Shape(1, 1),),
    ],
)
def test_arrays_are_as_large_as_the_area_allows(shapes: tuple[Shape, ...]) -> None:
    placed = in_rows(shapes, AREA, LINE)
    assert all(AREA.excess_of(raster.box) == 0 for raster in placed)
    cell = placed[0].cell
    assert cell <= 48.0
    smaller_area = Box(AREA.x, AREA.y, AREA.width * 0.9, AREA.height * 0.9)
    smaller = in_rows(shapes, smaller_area, LINE)[0].cell
    assert smaller < cell or cell == 48.0
    larger = [raster.cell for raster in in_rows(shapes, Box(0.0, 0.0, 1e5, 1e5), LINE)]
    assert larger == [48.0] * len(shapes)


def test_arrays_that_fit_at_no_size_have_the_smallest_cells() -> None:
    assert in_rows((Shape(5000, 5000),), AREA, LINE)[0].cell == 1.0


def test_a_small_array_fills_the_first_row_with_room() -> None:
    first, wide, small = in_rows((Shape(1, 12), Shape(2, 24), Shape(1, 3)), Box(0.0, 0.0, 560.0, 200.0), LINE)
    assert small.y == first.y < wide.y
    assert small.x > first.x + first.box.width
