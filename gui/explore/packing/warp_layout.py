"""Layout of a warp: its requests to memory, large, or where the step has none a table of its lanes. No Qt.

A request to a few lines of global memory is a *fan*: the lanes in a row, and the lines side by side under them. One to
more lines has the lanes in a column, and the lines as *rows* on their right. One to shared memory is a fan over the 32
banks, with a row for each wavefront.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.memory.row import SECTORS_PER_LINE
from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import (
    APART,
    BAND,
    BAND_APART,
    BAND_ROW,
    BAND_SHARE,
    CARD_BAND,
    CARD_COLUMNS,
    CARD_LABEL,
    CARD_LANE,
    CARD_LANES,
    CARD_LINES,
    CARD_MARGIN,
    CARD_NAMES,
    CARD_WIDTH,
    COLUMN_GAP,
    EDGE,
    ENOUGH_TEXT,
    ENOUGH_TEXT_PX,
    FAN,
    FAN_BELOW,
    FAN_LABEL,
    FEW_WAVEFRONTS,
    GAP_SECTORS,
    HEAD,
    HIGHEST_ROW,
    LANE,
    LANE_CHIP,
    LANE_FACT,
    MOST_LARGE,
    NARROW_LABEL,
    ROW_APART,
    ROW_ARROWS,
    ROW_ARROWS_SHARE,
    ROW_CLOSE,
    ROW_GAP,
    SIDE,
    SIDE_BY_SIDE,
    SIDE_SHARE,
    TABLE_ARCS,
    TABLE_BANDS,
    TABLE_DIGITS,
    TABLE_LABEL,
    TABLE_LABEL_SHARE,
    TABLE_LETTER,
    TABLE_ROW,
    TABLE_TEXT,
    TABLE_TITLE,
    TOTALS,
    WARP_HEAD,
    WIDE_REQUEST,
    WIDEST_COLUMN,
)
from gui.explore.packing.matrix_layout import MatrixLayout, arrange_matrices
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from gui.explore.memory.row import Card, Strip
    from gui.explore.stage.scene import Scene

_FACTS: Final = 3
"""Rows besides those of threadIdx: number, state and value of the lane."""

SPLIT_ROWS: Final = 3
"""A heading, and a row for each side."""


@dataclass(frozen=True, slots=True)
class Fan:
    """Places of the lanes in a row, and of the band of sectors or banks below them, in pixels."""

    left: float
    width: float
    lanes: float
    """Top of the lanes."""
    tick: float
    """Height of a lane."""
    band: float
    """Top of the sectors or banks."""
    depth: float
    """Height of the band."""

    @property
    def pitch(self) -> float:
        """Width of a lane or bank."""
        return self.width / WARP_SIZE

    def lane_x(self, lane: int) -> float:
        """Centre of a lane."""
        return self.left + (lane + 0.5) * self.pitch

    def lane_box(self, lane: int) -> Box:
        """Return the box of a lane."""
        return Box(self.left + lane * self.pitch, self.lanes, self.pitch, self.tick)

    def line_boxes(self, strip: Strip) -> list[Box]:
        """Return the boxes of the touched lines, side by side, with gaps for untouched lines between them."""
        gaps = np.cumsum(strip.gaps > 0)
        sector = self.width / (SECTORS_PER_LINE * len(strip.lines) + GAP_SECTORS * int(gaps[-1]))
        lefts = self.left + sector * (np.arange(len(strip.lines)) * SECTORS_PER_LINE + gaps * GAP_SECTORS)
        return [Box(left, self.band, SECTORS_PER_LINE * sector, self.depth) for left in lefts.tolist()]


@dataclass(frozen=True, slots=True)
class Rows:
    """Places of the lanes in a column, and of the lines in rows on their right, in pixels."""

    lanes: Box
    """The column of the lanes."""
    rows: Box
    """All rows."""
    count: int
    """Number of rows."""
    row: float
    """Height of a row, without the room between rows."""
    names: float
    """Left edge of the names of rows."""
    gaps: float
    """Left edge of the words about untouched rows."""

    def lane_box(self, lane: int) -> Box:
        """Return the box of a lane."""
        pitch = self.lanes.height / WARP_SIZE
        return Box(self.lanes.x, self.lanes.y + lane * pitch, self.lanes.width, pitch)

    def row_box(self, number: int) -> Box:
        """Return the box of a row."""
        pitch = self.rows.height / self.count
        return Box(self.rows.x, self.rows.y + (number + 0.5) * pitch - self.row / 2, self.rows.width, self.row)

    def line_box(self, strip: Strip, row: int, column: int) -> Box:
        """Return the box of one line of a row."""
        box, width = self.row_box(row), self.rows.width / strip.rows.across
        return Box(box.x + column * width, box.y, width, box.height)

    def line_boxes(self, strip: Strip) -> list[Box]:
        """Return the boxes of the touched lines."""
        rows = strip.rows
        places = zip(rows.row.tolist(), rows.column.tolist(), strict=True)
        return [self.line_box(strip, *place) for place in places]


@dataclass(frozen=True, slots=True)
class Picture:
    """Place of one request that is drawn large."""

    card: int
    """Its position among the cards of the warp."""
    box: Box
    places: Fan | Rows
    facts: int
    """Rows above the lanes of a fan, for threadIdx and values."""


@dataclass(frozen=True, slots=True)
class WarpLayout:
    """Places of everything at the zoom "warp"."""

    box: Box
    """All of it; the title is at its top."""
    table: WarpTable | None
    """The lanes, in a step without requests."""
    pictures: tuple[Picture, ...] = ()
    """Requests that are drawn large."""
    cards: tuple[tuple[int, Box], ...] = ()
    """Positions and boxes of further cards, in the form of the memory row."""
    totals: Box | None = None
    """Totals of the warp."""
    matrices: MatrixLayout | None = None
    """A matrix instruction, which takes the place of all others."""

    def at(self, x: float, y: float, count: int) -> int | None:
        """Return the lane of a warp with `count` lanes at a point."""
        if self.table is not None:
            return self.table.at(x, y, count)
        lanes = ((lane, picture.places) for picture in self.pictures for lane in range(count))
        return next((lane for lane, places in lanes if places.lane_box(lane).contains(x, y)), None)


@dataclass(frozen=True, slots=True)
class WarpTable:
    """Places of the lanes as columns of a table with a row for each fact, in one band or several."""

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
    room: float
    """Height above the lanes of a band for arrows between them."""
    splits: int
    """Branches with room for their rows; of more, the innermost are shown."""

    @property
    def joint(self) -> bool:
        """True if threadIdx is one row, "(3,1)", for which columns of several bands are wide enough."""
        return self.bands > 1

    @property
    def band(self) -> float:
        """Height of a band with the gap below it."""
        return self.row * (self.rows + SPLIT_ROWS * self.splits + BAND_APART)

    @property
    def text(self) -> float:
        """Height of the text."""
        return min(self.row / TABLE_ROW, self.across / TABLE_LETTER / TABLE_DIGITS)

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


def arrange_warp(scene: Scene, area: Box, line: float) -> WarpLayout:
    """Place the requests of the shown warp, or its lanes where the step has none that can be drawn.

    Up to three fans of few rows share the picture. Otherwise the one with the most rows is drawn large, and the
    others, as many as have room, small at the right, above the totals.
    """
    assert scene.warp is not None
    if scene.warp.instruction is not None:
        below = Box(area.x, area.y + WARP_HEAD * line, area.width, area.height - WARP_HEAD * line)
        return WarpLayout(area, None, matrices=arrange_matrices(scene.warp.instruction, below, line))
    rows = {number: card_rows(card) for number, card in enumerate(scene.warp.cards) if card_rows(card)}
    if not rows:
        return WarpLayout(area, _arrange_table(scene, area, line))
    body = Box(area.x, area.y + WARP_HEAD * line, area.width, area.height - WARP_HEAD * line)
    side = min(body.width * SIDE_SHARE, SIDE * line)
    room = Box(body.x, body.y, body.width - side - line * COLUMN_GAP, body.height)
    fans = all(card.strip is None or card_rows(card) == 1 for card in scene.warp.cards)
    share = fans and max(rows.values()) <= FEW_WAVEFRONTS  # a column of lanes needs the height
    large = list(rows)[:MOST_LARGE] if share else [max(rows, key=lambda n: rows[n])]
    facts = 1 + sum(dim > 1 for dim in scene.block_dim[1:]) + bool(scene.warp.value_name)
    each = room.height / len(large)
    pictures = tuple(
        _place_picture(number, scene.warp.cards[number], Box(room.x, room.y + at * each, room.width, each), facts, line)
        for at, number in enumerate(large)
    )
    totals = Box(body.x + body.width - side, body.y + body.height - TOTALS * line, side, TOTALS * line)
    small = [number for number in range(len(scene.warp.cards)) if number not in large]
    fit = int((totals.y - body.y) / (CARD_LINES * line))
    cards = tuple(
        (number, Box(totals.x, body.y + at * CARD_LINES * line, side, CARD_LINES * line))
        for at, number in enumerate(small[:fit])
    )
    return WarpLayout(area, None, pictures, cards, totals)


def arrange_cards(count: int, width: float, line: float) -> list[Box]:
    """Return the boxes of some cards of the memory row, in rows of equal columns."""
    columns = max(1, min(count, CARD_COLUMNS, int(width / (CARD_WIDTH * line))))
    across, high = width / columns, CARD_LINES * line
    beside, above = line * CARD_MARGIN[0], line * CARD_MARGIN[1]
    return [
        Box(n % columns * across + beside, n // columns * high + above, across - 2 * beside, high - 2 * above)
        for n in range(count)
    ]


def fan_of(box: Box, line: float) -> Fan:
    """Return the places of lanes and band in a card."""
    left, band = box.x + line * CARD_LABEL, box.y + box.height - line * (CARD_BAND + CARD_NAMES)
    return Fan(left, box.x + box.width - left, box.y + line * CARD_LANES, line * CARD_LANE, band, line * CARD_BAND)


def card_rows(card: Card) -> int:
    """Return the rows of a request that is drawn large: lines or wavefronts, 1 for a few lines; 0 if it cannot be."""
    if card.bank is not None:
        return card.bank.wavefronts
    if card.strip is None:
        return 0
    return 1 if len(card.strip.lines) <= SIDE_BY_SIDE else len(card.strip.rows.names)


def _place_picture(number: int, card: Card, box: Box, facts: int, line: float) -> Picture:
    top, bottom = box.y + HEAD * line, box.y + box.height - line * EDGE
    if card.strip is not None and card_rows(card) > 1:
        return Picture(number, box, _place_rows(card.strip, box, top, bottom, line), 0)
    label = FAN_LABEL if box.width >= WIDE_REQUEST * line else NARROW_LABEL
    left, room = box.x + label * line, bottom - top - LANE * line - FAN_BELOW * line
    deep = card_rows(card) * BAND_ROW * line
    depth = min(deep if card.bank is not None else BAND * line, max(room - BAND * line, room * BAND_SHARE))
    fan = min(FAN * line, room - depth)
    shown = min(facts, int((room - depth - fan) / (LANE_FACT * line)))
    lanes = top + shown * LANE_FACT * line
    places = Fan(left, box.x + box.width - left, lanes, LANE * line, lanes + LANE * line + fan, depth)
    return Picture(number, box, places, shown)


def _place_rows(strip: Strip, box: Box, top: float, bottom: float, line: float) -> Rows:
    rows, gaps = strip.rows, bool(strip.rows.gaps.any())
    index = NARROW_LABEL * line if box.width >= WIDE_REQUEST * line else 0.0
    lanes = Box(box.x + index, top + line, LANE_CHIP * line, bottom - top - line)
    left = lanes.x + lanes.width + max(ROW_ARROWS * line, box.width * ROW_ARROWS_SHARE)
    names = box.x + box.width - (FAN_LABEL + (0.0 if rows.even else ROW_GAP)) * line
    pitch = lanes.height / len(rows.names)
    height = min(pitch * (ROW_APART if gaps else ROW_CLOSE), BAND * line)
    room = Box(left, lanes.y, names - left, lanes.height)
    return Rows(lanes, room, len(rows.names), height, names + line * APART, names + FAN_LABEL * line)


def _arrange_table(scene: Scene, area: Box, line: float) -> WarpTable:
    """Place the table of the lanes, in the number of bands with the largest text.

    Room for branches does not depend on the step: the table does not move while it is played.
    """
    axes = 1 + sum(dim > 1 for dim in scene.block_dim[1:])
    placed = [_placed(scene, area, bands, axes, splits, line) for splits in (2, 1) for bands in TABLE_BANDS]
    enough = min(max(layout.text for layout in placed) * ENOUGH_TEXT, ENOUGH_TEXT_PX)
    # Two branches have room only where that costs little of the text.
    return max(placed, key=lambda layout: (layout.splits == 2 and layout.text >= enough, layout.text))


def _placed(scene: Scene, area: Box, bands: int, axes: int, splits: int, line: float) -> WarpTable:
    lanes = min(WARP_SIZE, scene.block_dim.count)
    per_band, rows = -(-lanes // bands), _FACTS + (axes if bands == 1 else 1)
    head = (WARP_HEAD + (TABLE_ARCS if scene.has_shuffles else 0.0)) * line
    every = rows + SPLIT_ROWS * splits + BAND_APART
    label = min(area.width * TABLE_LABEL_SHARE, TABLE_LABEL * TABLE_LETTER * line)
    across = min(
        (area.width - label - line) / per_band, TABLE_TEXT * line * TABLE_LETTER * TABLE_DIGITS * WIDEST_COLUMN
    )
    high = (area.height - head) / (bands * every)
    row = min(high, TABLE_TEXT * line * TABLE_ROW, across / TABLE_LETTER / TABLE_DIGITS * TABLE_ROW * HIGHEST_ROW)
    left = area.x + label + line * EDGE
    height = head + bands * every * row
    return WarpTable(
        Box(area.x, area.y, area.width, height),
        bands,
        per_band,
        left,
        area.y + head,
        across,
        row,
        rows,
        head - line * TABLE_TITLE,
        splits,
    )
