"""Paint how often each element of an array was read from global memory: a heat map with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.stage.paint_cells import paint_grid, paint_marks, paint_pixels, paint_texts, tint_of
from gui.explore.stage.text_painter import fitting_size
from gui.theming.style import ink_on, mix

if TYPE_CHECKING:
    from PySide6.QtGui import QColor

    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Cells
    from gui.theming.theme import Theme

SHARES: Final = (0.10, 0.95)
"""Share of the array's colour in an element that was never read, and in the one with the most reads of the run."""


def paint_reads(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint one array whose reads are counted."""
    if cells.reads is None:
        return
    rows, columns = cells.reads.shape
    counts, place = np.unique(cells.reads, return_inverse=True)
    colours = [heat_colour(tools.theme, cells, int(count)) for count in counts]
    pixels = np.array([colour.rgb() for colour in colours], np.uint32)[place.reshape(rows, columns)]
    paint_pixels(tools.painter, cells, raster, pixels)
    paint_grid(tools, cells, raster)
    # With room of a digit between neighbours: 4×4×4× is a product.
    if size := fitting_size(raster.cell, [f"{counts[-1]}× "], raster.across):
        for count, colour in zip(counts.tolist(), colours, strict=True):
            at = list(
                zip(*(axis.tolist() for axis in np.nonzero((cells.reads == count) & cells.view.existing)), strict=True)
            )
            paint_texts(tools, raster, at, [f"{count}×"] * len(at), ink_on(colour), size)
    paint_marks(tools, cells, raster, None)


def heat_colour(theme: Theme, cells: Cells, count: int) -> QColor:
    """Return the colour of an element that was read `count` times."""
    least, most = SHARES
    share = least + (most - least) * count / cells.most_reads if cells.most_reads else least
    return mix(theme.panel, tint_of(theme, cells.tint), share)
