"""Size of the picture's text: larger where it takes nothing from the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.explore.packing.layout import arrange

if TYPE_CHECKING:
    from gui.explore.stage.scene import Scene

_SIZES = 6
"""Sizes that are tried, from the wanted one down to the least."""


def fitting_line(
    scene: Scene, width: float, height: float, least: float, wanted: float, *, legend: bool = True
) -> float:
    """Return the largest height of a line of text, from `least` to `wanted`, with cells as large as for the least."""
    if wanted <= least:
        return least

    def cell(line: float) -> float:
        return arrange(scene, width, height, line, legend=legend).thread_raster.cell

    smallest = cell(least)
    lines = (wanted + (least - wanted) * number / _SIZES for number in range(_SIZES))
    return next((line for line in lines if cell(line) >= smallest), least)
