"""Layout of a warp as a table: a column for each lane, a row for each fact, in one band or several. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gui.explore.packing.boxes import Box
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from gui.explore.stage.scene import Scene

_BANDS: Final = (1, 2, 4)
_LABEL_LETTERS: Final = 12
"""Letters of the longest label of a row."""

_LETTER: Final = 0.55
"""Average width of a letter, in heights of the text."""

_DIGITS: Final = 4.2
"""Width of a column, in heights of the text, for which a number with four digits has room, divided by `_LETTER`."""

_HEAD: Final = 1.9
"""Height of the title above the table, in lines of text."""

_LARGEST: Final = 1.15
"""Largest text of the table, in lines of the picture's text."""

_ROW: Final = 1.45
"""Height of a row, in heights of its text."""

_LEAST_PICTURE: Final = 12
"""Least height of the matrices under the table, in lines of text; with less room they are left out."""

_ENOUGH: Final = 0.85
"""Share of the largest text that is enough to show two branches instead of one."""

_ENOUGH_PX: Final = 14.0
"""Text, pixels, that is enough for that in any picture."""

_FACTS: Final = 3
"""Rows besides those of threadIdx: number, state and value of the lane."""

SPLIT_ROWS: Final = 3
"""A heading, and a row for each side."""


@dataclass(frozen=True, slots=True)
class WarpLayout:
    """Positions of the table."""

    box: Box
    """The table with its title."""
    bands: int
    """Bands of rows, one below the other, each with a part of the lanes."""
    per_band: int
    """Lanes in a band."""
    left: float
    """Left edge of the columns."""
    top: float
    """Upper edge of the first band."""
    across: float
    """Width of a column."""
    row: float
    """Height of a row."""
    rows: int
    """Rows of facts about the lanes; those of branches follow."""
    splits: int
    """Branches with room for their rows; of more, the innermost are shown."""

    @property
    def joint(self) -> bool:
        """True if threadIdx is one row, "(3,1)", for which columns of several bands are wide enough."""
        return self.bands > 1

    @property
    def band(self) -> float:
        """Height of a band with the gap below it."""
        return self.row * (self.rows + SPLIT_ROWS * self.splits + 0.5)

    @property
    def text(self) -> float:
        """Height of the text."""
        return min(self.row / _ROW, self.across / _LETTER / _DIGITS)

    def cell(self, lane: int, row: int) -> Box:
        """Return the cell of a lane; rows of branches come after `rows`."""
        band, column = divmod(lane, self.per_band)
        return Box(
            self.left + column * self.across, self.top + band * self.band + row * self.row, self.across, self.row
        )

    def at(self, x: float, y: float, count: int) -> int | None:
        """Return the lane of a warp with `count` lanes at a point."""
        band, column = int((y - self.top) // self.band), int((x - self.left) // self.across)
        if not (0 <= band < self.bands and 0 <= column < self.per_band):
            return None
        lane = band * self.per_band + column
        return lane if lane < count and y < self.top + (band + 1) * self.band - self.row / 2 else None


def arrange_warp(scene: Scene, area: Box, line: float) -> tuple[WarpLayout, Box | None]:
    """Place the table, and return it with the box below it for the matrices, if they have room.

    The number of bands is that with the largest text. Room for branches does not depend on the step: the table does
    not move while it is played.
    """
    assert scene.warp is not None
    lanes = min(WARP_SIZE, scene.block_dim.count)
    axes = 1 + sum(dim > 1 for dim in scene.block_dim[1:])
    placed = [_placed(area, lanes, bands, axes, splits, line) for splits in (2, 1) for bands in _BANDS]
    largest = max(layout.text for layout in placed)
    enough = min(largest * _ENOUGH, _ENOUGH_PX)
    # Two branches have room only where that costs little of the text.
    chosen = max(placed, key=lambda layout: (layout.splits == 2 and layout.text >= enough, layout.text))
    rest = area.height - chosen.box.height - line
    if not scene.cells or rest < _LEAST_PICTURE * line:
        return chosen, None
    return chosen, Box(area.x, chosen.box.y + chosen.box.height + line, area.width, rest)


def _placed(area: Box, lanes: int, bands: int, axes: int, splits: int, line: float) -> WarpLayout:
    per_band, rows = -(-lanes // bands), _FACTS + (axes if bands == 1 else 1)
    head, every = _HEAD * line, rows + SPLIT_ROWS * splits + 0.5
    label = min(area.width * 0.3, _LABEL_LETTERS * _LETTER * line)
    across = min((area.width - label - line) / per_band, _LARGEST * line * _LETTER * _DIGITS * 1.3)
    high = (area.height - head) / (bands * every)
    row = min(high, _LARGEST * line * _ROW, across / _LETTER / _DIGITS * _ROW * 1.6)
    left = area.x + label + line * 0.5
    height = head + bands * every * row
    return WarpLayout(
        Box(area.x, area.y, area.width, height), bands, per_band, left, area.y + head, across, row, rows, splits
    )
