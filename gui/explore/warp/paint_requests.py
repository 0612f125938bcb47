"""Paint the requests of a warp to memory, large: lanes, elements, and the sectors, lines or banks between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.memory.paint_memory import (
    paint_card,
    paint_fan,
    paint_fitting,
    paint_head,
    paint_lane,
    paint_lines,
    paint_untouched,
    readable_size,
    used_rects,
)
from gui.explore.memory.row import SECTORS_PER_LINE
from gui.explore.packing.warp_layout import Fan
from gui.explore.stage.paint_cells import tint_of
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text, rounded_text
from gui.theming.style import ink_on, mix
from kernels.analysis.order.divergence import MASKED, RUNS
from kernels.analysis.values.registers import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.memory.row import Card, Strip
    from gui.explore.packing.boxes import Box
    from gui.explore.packing.warp_layout import Picture, Rows, WarpLayout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from gui.explore.warp.warp_lanes import WarpLanes

Fact = tuple[str, list[tuple[str, str]] | None]
"""A label, and for each lane a text and a shorter one, which may be empty; None for the states of the lanes."""

_TEXT: Final = 0.78
"""Height of the words, in lines of text."""


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """The lanes of a warp as they are painted."""

    warp: WarpLanes
    groups: NDArray[np.integer] | None
    """Group of each lane, which has a colour of its own; None if lanes are not told apart."""
    focused: frozenset[int]

    def group(self, lane: int) -> int | None:
        """Return the group of a lane."""
        return None if self.groups is None else int(self.groups[lane])

    @property
    def focus(self) -> int:
        """The lane in focus; -1 for none or several."""
        return min(self.focused) if len(self.focused) == 1 else -1

    def paint(self, tools: Tools, places: Fan | Rows, active: frozenset[int]) -> None:
        """Paint all lanes: those that do not take part in a request as masked, whatever else they do."""
        for lane, state in enumerate(self.warp.state.state.tolist()):
            box = places.lane_box(lane)
            shown = state if lane in active or state != RUNS else MASKED
            size = min(tools.line * _TEXT, box.height * 0.82)
            rect = QRectF(box.x + 1, box.y + 0.5, box.width - 2, box.height - 1)
            paint_lane(tools, rect, lane, shown, size, group=self.group(lane), focused=lane in self.focused)


def paint_requests(tools: Tools, lanes: Lanes, facts: list[Fact], layout: WarpLayout) -> None:
    """Paint the requests that are drawn large, further ones as cards, and the totals of the warp."""
    cards = lanes.warp.cards
    for picture in layout.pictures:
        card, box = cards[picture.card], picture.box
        words = QRectF(box.x, box.y, box.width, tools.line * 1.2)
        tools.painter.setPen(QColor(tools.theme.text))
        paint_fitting(tools, (card.headline,), words, tools.line * 0.95, bold=True)
        below = words.translated(0, tools.line * 1.15)
        paint_fitting(tools, card.details, below, tools.line * 0.9, bold=True, least=tools.line * 0.75)
        if isinstance(picture.places, Fan):
            paint_fan(tools, card, picture.places, lanes.focus, tools.line * _TEXT)
            _paint_facts(tools, facts, picture, picture.places)
        elif card.strip is not None:
            _paint_rows(tools, card, card.strip, picture.places, lanes)
            if picture.places.lanes.x > box.x:
                _paint_indices(tools, facts, picture.places, box.x)
        lanes.paint(tools, picture.places, card.lanes)
    for number, box in layout.cards:
        paint_card(tools, cards[number], box, lanes.focus)
    if layout.totals is not None:
        left = len(cards) - len(layout.pictures) - len(layout.cards)
        _paint_totals(tools, lanes.warp, layout.totals, f"{left} more requests in this step" if left else "")


def lane_facts(scene: Scene, warp: WarpLanes, *, joint: bool) -> list[Fact]:
    """Return facts about the lanes: threadIdx, state and value."""
    facts: list[Fact] = []
    if joint:
        facts.append(("threadIdx", [(scene.index_text(index), "") for index in warp.index]))
    for number, axis in enumerate(() if joint else AXES):
        if number == 0 or scene.block_dim[number] > 1:
            facts.append((f"threadIdx.{axis}", [(str(index[number]), "") for index in warp.index]))
    facts.append(("state", None))
    if warp.value_name:
        values = warp.values.tolist()
        texts = [
            (number_text(value), rounded_text(value)) if known else ("", "")
            for value, known in zip(values, warp.has_value, strict=True)
        ]
        facts.append((f"→ {warp.value_name}" if warp.stored else warp.value_name, texts))
    return facts


def _paint_facts(tools: Tools, facts: list[Fact], picture: Picture, fan: Fan) -> None:
    """Write threadIdx and values above the lanes of a fan, as many rows of them as have room."""
    first = fan.lane_box(0)
    every = first.height
    shown = [(label, texts) for label, texts in facts if texts is not None][: picture.facts]
    high = (first.y - picture.box.y - tools.line * 2.5) / max(1, len(shown))
    for row, (label, texts) in enumerate(shown):
        y = first.y - (len(shown) - row - 0.5) * high
        room, size = first.width - 2, min(tools.line * 0.7, every)
        short = [text if tools.text_painter.width(text, SMALLEST_TEXT) <= room else less for text, less in texts]
        size = min(readable_size(tools, text, size, room) for text in short)
        if not size:
            continue
        tools.text_painter.start(tools.painter, size, QColor(tools.theme.text))
        places = [(fan.lane_x(lane), y) for lane in range(len(short))]
        tools.text_painter.draw_all_centred(tools.painter, places, short, size)
        tools.painter.setPen(QColor(tools.theme.muted))
        words = QRectF(picture.box.x, y - tools.line / 2, fan.left - picture.box.x - tools.line * 0.3, tools.line)
        paint_fitting(tools, (label, label.rpartition(".")[2]), words, tools.line * 0.7, bold=False)


def _paint_rows(tools: Tools, card: Card, strip: Strip, places: Rows, lanes: Lanes) -> None:
    """Paint the rows of the array that a request touches, and an arrow from each lane to its row."""
    painter, theme, rows = tools.painter, tools.theme, strip.rows
    tint = tint_of(theme, card.access.tint) if card.access.tint else theme.accent
    every = [places.line_box(strip, row, part) for row in range(len(rows.names)) for part in range(rows.across)]
    paint_untouched(tools, every, tint)
    lines = places.line_boxes(strip)
    paint_lines(tools, card, strip, lines)
    used = used_rects(strip, lines)
    _paint_lane_numbers(tools, strip, used, tint)
    single = len(np.unique(rows.row[strip.lane_line])) == len(strip.lanes)
    for bold in (False, True):
        painter.setPen(tools.pen(theme.text if bold else mix(theme.panel, theme.text, 0.6), 2.6 if bold else 1.2))
        painter.setBrush(QColor(theme.text))
        for lane, line, rect in zip(strip.lanes.tolist(), strip.lane_line.tolist(), used, strict=True):
            if (lane == lanes.focus) == bold:
                box, end = places.lane_box(lane), places.row_box(int(rows.row[line]))
                tip = QPointF(rect.left() if single else end.x - 1, end.y + end.height / 2)
                edge = QPointF(end.x - tools.line * 0.8, tip.y())
                painter.drawLine(QPointF(box.x + box.width, box.y + box.height / 2), edge)
                painter.drawLine(edge, tip)
                paint_head(tools, tip, QPointF(1, 0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _paint_row_words(tools, strip, places, card.access.name)


def _paint_lane_numbers(tools: Tools, strip: Strip, used: list[QRectF], tint: str) -> None:
    """Write each lane into its element, where every element is of one lane and has room for the number."""
    size = readable_size(tools, "31", min(tools.line * 0.7, used[0].height() * 0.8), used[0].width() - 2)
    if size and len({(rect.left(), rect.top()) for rect in used}) == len(used):
        tools.text_painter.start(tools.painter, size, ink_on(QColor(tint)))
        centres = [(rect.center().x(), rect.center().y()) for rect in used]
        tools.text_painter.draw_all_centred(tools.painter, centres, list(map(str, strip.lanes.tolist())), size)


def _paint_row_words(tools: Tools, strip: Strip, places: Rows, name: str) -> None:
    """Name the rows at their right, and say how many rows between them nothing touches, where that number changes."""
    painter, rows, gaps = tools.painter, strip.rows, strip.rows.gaps.tolist()
    painter.setPen(QColor(tools.theme.muted))
    above = QRectF(places.rows.x, places.rows.y - tools.line * 1.1, places.gaps - places.rows.x, tools.line)
    parts = SECTORS_PER_LINE * rows.across
    one = f"{'one line' if rows.across == 1 else f'{rows.across} lines'} of 128 bytes = {parts} sectors"
    apart = f"; dotted: {rows.left_out(gaps[-1])}" if rows.even and gaps[-1] else ""
    texts = (
        *((f"one row of {name} = {one}{apart}",) if rows.noun == "row" else ()),
        one + apart,
        one,
        f"{parts} sectors",
    )
    paint_fitting(tools, texts, above, tools.line * 0.7, bold=False)
    size, free = min(tools.line * 0.7, max(places.rows.height / places.count * 0.85, SMALLEST_TEXT)), 0.0
    dots: list[QLineF] = []
    for row, (text, gap) in enumerate(zip(rows.names, gaps, strict=True)):
        box = places.row_box(row)
        middle, between = box.y + box.height / 2, places.rows.y + places.rows.height * row / places.count
        if middle - size / 2 >= free:
            words = QRectF(places.names, middle - size, places.gaps - places.names - 2, size * 2)
            paint_fitting(tools, (text,), words, size, bold=False)
            free = middle + size / 2
        if gap:
            dots.append(QLineF(box.x, between, box.x + box.width, between))
            if not rows.even and gap != gaps[row - 1]:
                words = QRectF(places.gaps, between - size, tools.line * 5.4, size * 2)
                paint_fitting(tools, (rows.left_out(gap), f"+{gap:,}"), words, size, bold=False)
    painter.setPen(tools.pen(tools.theme.muted, 1.2, Qt.PenStyle.DotLine))
    painter.drawLines(dots)


def _paint_indices(tools: Tools, facts: list[Fact], places: Rows, left: float) -> None:
    """Write threadIdx left of the lanes."""
    columns = [texts for label, texts in facts if texts is not None and label.startswith("threadIdx")]
    for lane in range(len(columns[0])):
        box = places.lane_box(lane)
        size = min(tools.line * 0.7, box.height * 0.85)
        text = ",".join(texts[lane][0] for texts in columns)
        tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
        at = (left + box.x - 2) / 2, box.y + box.height / 2
        tools.text_painter.draw_centred(tools.painter, *at, f"({text})" if len(columns) > 1 else text, size)


def _paint_totals(tools: Tools, warp: WarpLanes, box: Box, more: str) -> None:
    """Write the totals of the warp so far as names and numbers, and above them `more`."""
    painter, theme, line = tools.painter, tools.theme, tools.line
    painter.setPen(QColor(theme.muted))
    paint_fitting(tools, (more,), QRectF(box.x, box.y - line * 1.2, box.width, line), line * _TEXT, bold=False)
    painter.setPen(QColor(theme.text))
    heading = QRectF(box.x, box.y, box.width, line * 1.1)
    paint_fitting(tools, (f"Warp {warp.state.warp} so far",), heading, line * 0.95, bold=True)
    for row, (name, number) in enumerate(warp.facts, 1):
        place = QRectF(box.x, box.y + row * line * 1.05, box.width, line)
        painter.setPen(QColor(theme.muted))
        paint_fitting(tools, (name,), place, line * 0.82, bold=False)
        painter.setPen(QColor(theme.text))
        paint_fitting(tools, (number,), place.adjusted(line * 5.4, 0, 0, 0), line * 0.82, bold=True)
