"""Handle on the corner of the shown block: its place in the picture, and the block that a drag asks for. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import BlockBox, Scene
    from kernels.launch import Dim3


class _Along(NamedTuple):
    """Pixels of one thread along each direction of the picture."""

    columns: float
    rows: float


@dataclass(frozen=True, slots=True)
class BlockHandle:
    """Lower right corner of the shown block, and the size of a thread when a drag begins.

    A drag is measured in the picture in which it began: each block has a layout of its own, whose cells are larger or
    smaller, and the size under a pointer that rests would change with it.
    """

    x: float
    y: float
    block: Dim3
    along: _Along
    x_down: bool
    """True if threadIdx.x grows down the rows."""

    def dragged(self, right: float, down: float) -> Dim3:
        """Return the block for a drag by so many pixels, to whole threads."""
        first, second = right / self.along.columns, down / self.along.rows
        if self.x_down:
            first, second = second, first
        return self.block._replace(x=max(1, self.block.x + round(first)), y=max(1, self.block.y + round(second)))


def block_handle(scene: Scene, layout: Layout) -> BlockHandle | None:
    """Return the handle of the shown block; None if the picture has no rectangle in which its threads lie in rows.

    A thread may have several elements, such as 2×2 of a block of 4×4 that is drawn as 8×8 cells. Threads in one row
    whose results are a square tile have none. Nor has a step with a race, whose labels may stand at the corner.
    """
    raster = layout.thread_raster
    boxes = [box for box in scene.blocks if box.current and box.row < raster.rows and box.column < raster.columns]
    if scene.zoom == "warp" or layout.only_warp or scene.on_cpu or scene.block_dim.z > 1 or not boxes:
        return None
    if scene.race is not None:
        return None
    x_down = scene.axes.x == "rows" or (scene.axes.x is None and scene.axes.y == "columns")
    across, down = (scene.block_dim.y, scene.block_dim.x) if x_down else (scene.block_dim.x, scene.block_dim.y)
    columns, rows = _extent(boxes)
    if columns % across or rows % down:
        return None
    last = boxes[-1]
    rect = raster.rect(
        last.row,
        last.column,
        min(last.rows, raster.rows - last.row),
        min(last.columns, raster.columns - last.column),
    )
    along = _Along(columns // across * raster.across, rows // down * raster.cell)
    return BlockHandle(rect.x + rect.width, rect.y + rect.height, scene.block_dim, along, x_down)


def _extent(boxes: list[BlockBox]) -> tuple[int, int]:
    """Return the columns and rows of a block, whose parts in the rows of a broken strip are one after the other."""
    return sum(box.columns for box in boxes), boxes[0].rows
