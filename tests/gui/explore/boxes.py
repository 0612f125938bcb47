"""Boxes of arrays as they are laid out, and distances between them."""

from gui.explore.packing.boxes import Box, Raster
from gui.explore.packing.layout import arrange
from gui.explore.stage.scene import Scene

LINE = 18.0


def boxes(scene: Scene, width: float, height: float) -> list[Box]:
    layout = arrange(scene, width, height, LINE)
    found = [raster.box for raster in layout.rasters] + [layout.legend]
    if scene.result is None:
        found.append(layout.thread_raster.box)
    return found + [r.box for r in (layout.zoom,) if r] + [b for b in (layout.output,) if b]


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


def centre(raster: Raster, row: int, column: int) -> tuple[float, float]:
    return raster.x + (column + 0.5) * raster.across, raster.y + (row + 0.5) * raster.cell
