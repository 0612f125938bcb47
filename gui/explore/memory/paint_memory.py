"""Paint the accesses of a warp: lanes, and the sectors or banks that they access.

Global memory is painted as its touched lines of 128 bytes, each with four sectors; shared memory as 32 banks with a row
for each wavefront. The memory row paints each request as a small card, the zoom "warp" paints it large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPolygonF

from gui.explore.memory.row import SECTORS_PER_LINE, WORDS
from gui.explore.packing.constants import GAP_SECTORS
from gui.explore.packing.warp_layout import fan_of
from gui.explore.stage.hues import pale_hue
from gui.explore.stage.paint_cells import tint_of
from gui.explore.stage.text_painter import SMALLEST_TEXT
from gui.theming.style import ink_on, mix
from kernels.analysis.metrics.pattern_groups import LINE_BYTES
from kernels.analysis.metrics.requests import BANKS, SECTOR_BYTES
from kernels.analysis.order.divergence import MASKED, RUNS, WAITS
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.memory.row import BankCard, Card, Strip
    from gui.explore.packing.boxes import Box
    from gui.explore.packing.warp_layout import Fan
    from gui.explore.stage.paint_cells import Tools

_LEAST_TEXT: Final = 0.5
_LEAST_TEXT_PX: Final = 11.0
"""Smallest text of a card, in heights of a line and in pixels."""

_MOST_OTHERS: Final = 4
"""Accesses without a picture that are listed after the first one."""

_SMALL_SECTOR_PX: Final = 6.0
"""Sectors narrower than this have no outlines."""

_ELEMENT_PX: Final = 4.0
"""Width of an element, pixels, from which its edges are painted."""

_LEAST_USED_PX: Final = 1.5
"""Width of the bytes that a lane accesses, pixels, at least."""

_HEAD_PX: Final = 7.0
"""Length of the head of an arrow, pixels."""

_BOLD_PLATE_PX: Final = 10.5
"""Text on the plate of a lane, pixels, from which its edge is bold."""

_ARROW_PX: Final = 30.0
"""Distance between lanes and elements, pixels, from which connections are arrows."""


def paint_card(tools: Tools, card: Card, box: Box, focused_lane: int) -> None:
    """Paint one card into its box."""
    size, rect = tools.line * 0.72, QRectF(box.x, box.y, box.width, box.height)
    _paint_heading(tools, card, rect, size)
    if card.strip is None and card.bank is None:
        for number, access in enumerate(card.others[:_MOST_OTHERS], 1):
            below = rect.translated(0, number * tools.line)
            paint_titled(tools, access.title, access.wordings, below, tools.line * 0.78, bold=False)
        if (left := len(card.others) - _MOST_OTHERS) > 0:
            below = rect.translated(0, (_MOST_OTHERS + 1) * tools.line)
            paint_titled(tools, f"and {left} more", ("",), below, tools.line * 0.78, bold=False)
        return
    fan = fan_of(box, tools.line)
    paint_fan(tools, card, fan, focused_lane, size)
    for lane in range(WARP_SIZE):
        place, state = fan.lane_box(lane), RUNS if lane in card.lanes else MASKED
        apart = max(1.5, place.width * 0.18)
        chip = QRectF(place.x + apart / 2, place.y, max(2.0, place.width - apart), place.height)
        paint_lane(tools, chip, lane, state, fan.tick, focused=lane == focused_lane)


def paint_fan(tools: Tools, card: Card, fan: Fan, focused_lane: int, size: float) -> None:
    """Paint the sectors or banks of a request, and what connects them with the lanes above."""
    waves = card.bank.wavefronts if card.bank is not None else 1
    row = fan.depth / waves
    if waves == 1 or row < SMALLEST_TEXT:
        _paint_beside(tools, fan, "sectors" if card.bank is None else "banks", fan.band + fan.depth / 2, size)
    else:
        _paint_beside(tools, fan, "wavefront", fan.band - size * 0.6, size * 0.9)
        for number in range(waves):
            _paint_beside(tools, fan, str(number + 1), fan.band + row * (number + 0.5), min(size, row))
    _paint_beside(tools, fan, "lanes", fan.lanes + fan.tick / 2, size)
    if card.strip is not None:
        _paint_strip(tools, card, card.strip, fan, focused_lane, size)
    elif card.bank is not None:
        _paint_banks(tools, card, card.bank, fan, focused_lane, size)


def tip_at(card: Card, box: Box, line: float, x: float, y: float) -> str:
    """Return the explanation of what a card shows at a place."""
    words = ("Sector", "Ideal") if card.strip is not None else ("Bank", "Wavefront", "Ideal") if card.bank else ()
    explained = [f"{word}: {WORDS[word]}" for word in ("Request", *words)]
    fan = fan_of(box, line)
    here = ""
    if card.strip is not None and y >= fan.band:
        here = _sector_tip(card, card.strip, fan, x)
    elif card.bank is not None and y >= fan.band:
        here = _bank_tip(card, card.bank, int((x - fan.left) / fan.pitch))
    elif fan.lanes <= y <= fan.lanes + fan.tick and 0 <= (lane := int((x - fan.left) / fan.pitch)) < WARP_SIZE:
        here = f"Lane {lane}"
    return here or "\n".join([card.words, "", *explained])


# --- words ---------------------------------------------------------------------------------------------


def _paint_heading(tools: Tools, card: Card, rect: QRectF, size: float) -> None:
    """Paint the kind of access, the array and the counts; below them the note."""
    wordings = card.access.wordings if card.text else ("",)
    paint_titled(tools, card.title, wordings, rect, tools.line * 0.78, bold=card.inefficient)
    tools.painter.setPen(QColor(tools.theme.text if card.inefficient else tools.theme.muted))
    below = QRectF(rect.left(), rect.top() + tools.line, rect.width(), tools.line)
    paint_fitting(tools, card.notes, below, size, bold=bool(card.bank and card.bank.collisions))


def paint_titled(tools: Tools, title: str, wordings: Sequence[str], rect: QRectF, size: float, *, bold: bool) -> None:
    """Paint a bold title and, after it, the first wording that fits in the first line of a rectangle."""
    line = QRectF(rect.left(), rect.top(), rect.width(), tools.line)
    tools.painter.setPen(QColor(tools.theme.text))
    paint_fitting(tools, (title,), line, size, bold=True)
    line.setLeft(line.left() + tools.text_painter.width(title, size, True) + tools.line * 0.5)
    paint_fitting(tools, wordings, line, min(size, tools.line * 0.8), bold=bold)


def paint_fitting(
    tools: Tools, wordings: Sequence[str], rect: QRectF, size: float, *, bold: bool, least: float = 0.0
) -> None:
    """Paint the first wording that fits at the left of a rectangle: bold, else plain and smaller; else elide the last.

    Each wording is shorter than the one before.
    """
    text = tools.text_painter
    least = max(tools.line * _LEAST_TEXT, _LEAST_TEXT_PX, least)
    words = next((words for words in wordings if text.width(words, least) <= rect.width()), wordings[-1])
    bold = bold and text.width(words, size, bold=True) <= rect.width()
    while size > least and text.width(words, size, bold) > rect.width():
        size -= 0.5
    font = text.font(size, bold)
    tools.painter.setFont(font)
    shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
    tools.painter.drawText(rect, _LEFT, shown)


def readable_size(tools: Tools, text: str, size: float, room: float) -> float:
    """Return the largest height up to `size` with which a text fits a width; 0 if that is too small to read."""
    while size >= SMALLEST_TEXT and tools.text_painter.width(text, size) > room:
        size -= 0.5
    return size if size >= SMALLEST_TEXT else 0.0


def _paint_beside(tools: Tools, fan: Fan, words: str, y: float, size: float) -> None:
    """Write words left of a fan."""
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
    x = fan.left - tools.line * 0.3 - tools.text_painter.width(words, size)
    tools.text_painter.draw_from(tools.painter, x, y + size * 0.36, words, size)


_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


# --- lanes ---------------------------------------------------------------------------------------------


def paint_lane(
    tools: Tools, rect: QRectF, lane: int, state: int, size: float, *, group: int | None = None, focused: bool = False
) -> None:
    """Paint the number of a lane on a plate that shows whether it runs, in the colour of its group, if it has one."""
    painter, theme = tools.painter, tools.theme
    fill = QColor(theme.panel)
    if state == RUNS:
        fill = mix(theme.panel, theme.matrix_c, 0.30 if not theme.dark else 0.38)
        fill = fill if group is None else pale_hue(theme, group)
    fill = QColor(theme.highlight) if focused else fill
    style = Qt.PenStyle.SolidLine if state in (RUNS, WAITS) or focused else Qt.PenStyle.DashLine
    edge = theme.warning if state == WAITS else theme.thread if state == RUNS else theme.muted
    text, widest, strong = str(lane), str(WARP_SIZE - 1), state == RUNS or focused
    bold = strong and tools.text_painter.width(widest, size, True) <= rect.width() - 3
    while size > SMALLEST_TEXT and tools.text_painter.width(widest, size, bold) > rect.width() - 1:
        size -= 0.5
    painter.setPen(tools.pen(edge, 2.0 if bold and size >= _BOLD_PLATE_PX else 1.0, style))
    painter.setBrush(fill)
    radius = min(rect.width(), rect.height()) * 0.16
    painter.drawRoundedRect(rect, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if size >= SMALLEST_TEXT * 0.8 and tools.text_painter.width(widest, size, bold) <= rect.width():
        tools.text_painter.start(painter, size, ink_on(fill) if strong else QColor(theme.muted), bold)
        tools.text_painter.draw_centred(painter, rect.center().x(), rect.center().y(), text, size, bold)


# --- global memory -------------------------------------------------------------------------------------


def _paint_strip(tools: Tools, card: Card, strip: Strip, fan: Fan, focused: int, size: float) -> None:
    lines = fan.line_boxes(strip)
    paint_lines(tools, card, strip, lines)
    tools.painter.setPen(tools.pen(tools.theme.muted, 1.5, Qt.PenStyle.DotLine))
    middle, sector = fan.band + fan.depth / 2, lines[0].width / SECTORS_PER_LINE
    after_gaps = [box.x for box, gap in zip(lines, strip.gaps.tolist(), strict=True) if gap]
    tools.painter.drawLines([QLineF(x - GAP_SECTORS * sector, middle, x, middle) for x in after_gaps])
    addresses = strip.lane_line * LINE_BYTES + strip.lane_byte
    middles = [rect.center().x() for rect in used_rects(strip, lines)]
    ends = list(zip(strip.lanes.tolist(), middles, addresses.tolist(), strict=True))
    _paint_connections(tools, fan, ends, focused, share=card.access.kind == "read")
    _paint_line_names(tools, strip, fan, [box.x for box in lines], size)


def used_rects(strip: Strip, lines: Sequence[Box]) -> list[QRectF]:
    """Return the rectangle of the bytes that each active lane accesses; `lines` are the boxes of the lines."""
    byte, found = lines[0].width / LINE_BYTES, []
    for line, first in zip(strip.lane_line.tolist(), strip.lane_byte.tolist(), strict=True):
        box = lines[line]
        found.append(QRectF(box.x + first * byte, box.y, max(strip.size * byte, _LEAST_USED_PX), box.height))
    return found


def paint_lines(tools: Tools, card: Card, strip: Strip, lines: Sequence[Box]) -> None:
    """Paint touched lines: sectors that are moved outlined, bytes that lanes access filled, wasted ones hatched."""
    painter, theme, sector = tools.painter, tools.theme, lines[0].width / SECTORS_PER_LINE
    tint = tint_of(theme, card.access.tint) if card.access.tint else theme.accent

    def sectors(places: NDArray[np.bool_]) -> list[QRectF]:
        at = np.argwhere(places).tolist()
        return [QRectF(lines[n].x + part * sector, lines[n].y, sector, lines[n].height) for n, part in at]

    small = sector < _SMALL_SECTOR_PX
    paint_untouched(tools, lines, tint, small=small)
    painter.setPen(Qt.PenStyle.NoPen)
    hatch = QBrush(QColor(theme.warning), Qt.BrushStyle.BDiagPattern)
    for brush in (QBrush(mix(theme.panel, theme.warning, 0.14)), hatch):
        painter.setBrush(brush)
        painter.drawRects(sectors(strip.touched & (strip.wanted < SECTOR_BYTES)))
    used = used_rects(strip, lines)
    edge = used[0].width() >= _ELEMENT_PX
    painter.setPen(tools.pen(mix(tint, theme.text, 0.55), 1) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tint))
    painter.drawRects(used)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(theme.muted, 1, Qt.PenStyle.DashLine))
    painter.drawRects(sectors(~strip.inside))
    if not small:
        for places, color in ((strip.wanted == SECTOR_BYTES, theme.text), (strip.wanted < SECTOR_BYTES, theme.warning)):
            painter.setPen(tools.pen(color, 2))
            painter.drawRects(sectors(strip.touched & places))


def paint_untouched(tools: Tools, lines: Sequence[Box], tint: str, *, small: bool = False) -> None:
    """Paint lines as they are before any sector of them is moved."""
    painter, theme = tools.painter, tools.theme
    painter.setPen(tools.pen(theme.border, 1))
    painter.setBrush(mix(theme.panel, tint, 0.1))
    painter.drawRects([QRectF(box.x, box.y, box.width, box.height) for box in lines])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if not small:
        parts = ((box, box.x + box.width * n / SECTORS_PER_LINE) for box in lines for n in range(1, SECTORS_PER_LINE))
        painter.drawLines([QLineF(x, box.y, x, box.y + box.height) for box, x in parts])


def _paint_connections(
    tools: Tools,
    fan: Fan,
    ends: list[tuple[int, float, int]],
    focused: int,
    *,
    share: bool,
    conflicts: frozenset[float] = frozenset(),
) -> None:
    """Connect each lane with its place in the band: (lane, x of the place, address).

    If they `share`, neighbouring lanes with one address have one line, since one access serves them all. Lines to the
    places of `conflicts` are painted in the colour of warnings, that of the lane in focus in bold.
    """
    painter, theme = tools.painter, tools.theme
    top, bottom = fan.lanes + fan.tick, fan.band
    middle = top + (bottom - top) * 0.3
    shared: list[list[tuple[int, float, int]]] = []
    for end in ends:
        if share and shared and shared[-1][-1][1:] == end[1:] and shared[-1][-1][0] == end[0] - 1:
            shared[-1].append(end)
        else:
            shared.append([end])
    plain: list[QLineF] = []
    warned: list[QLineF] = []
    bold: list[QLineF] = []
    for lanes in shared:
        x = lanes[0][1]
        xs = [fan.lane_x(lane) for lane, *_ in lanes]
        if len(lanes) == 1:
            lines = [QLineF(xs[0], top, x, bottom)]
        else:
            lines = [QLineF(at, top, at, middle) for at in xs]
            lines += [QLineF(xs[0], middle, xs[-1], middle), QLineF((xs[0] + xs[-1]) / 2, middle, x, bottom)]
        (bold if focused in (lane for lane, *_ in lanes) else warned if x in conflicts else plain).extend(lines)
    for lines, color, width in ((plain, mix(theme.panel, theme.text, 0.6), 1.2), (warned, QColor(theme.warning), 1.2)):
        painter.setPen(tools.pen(color, width))
        painter.drawLines(lines)
    painter.setPen(tools.pen(theme.text, 2.6))
    painter.drawLines(bold)
    if bottom - top >= _ARROW_PX:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))
        for x in {x for _, x, _ in ends}:
            paint_head(tools, QPointF(x, bottom), QPointF(0, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_head(tools: Tools, tip: QPointF, along: QPointF) -> None:
    """Paint the head of an arrow that ends at a point, in a direction of length 1, with the present brush."""
    side = QPointF(-along.y(), along.x()) * (_HEAD_PX * 0.45)
    tools.painter.drawPolygon(QPolygonF([tip, tip - along * _HEAD_PX + side, tip - along * _HEAD_PX - side]))


def _paint_line_names(tools: Tools, strip: Strip, fan: Fan, lefts: list[float], size: float) -> None:
    """Write the first element under as many lines as there is room for, the last line's at the right edge."""
    text, metrics = tools.text_painter, QFontMetricsF(tools.text_painter.font(size))
    text.start(tools.painter, size, QColor(tools.theme.muted))
    y = fan.band + fan.depth + metrics.ascent() + tools.line * 0.05
    free, last = fan.left, len(lefts) - 1
    names = strip.names
    end = fan.left + fan.width - (metrics.horizontalAdvance(names[last]) if last else 0)
    end = min(end, lefts[last]) if last else end
    for number, left in enumerate(lefts):
        width = metrics.horizontalAdvance(names[number])
        if number == last and last:
            tools.painter.drawText(QPointF(end, y), names[number])
        elif left >= free and (number == 0 or left + width + size < end):
            tools.painter.drawText(QPointF(left, y), names[number])
            free = left + width + size


def _sector_tip(card: Card, strip: Strip, fan: Fan, x: float) -> str:
    for number, box in enumerate(fan.line_boxes(strip)):
        at = int((x - box.x) // (box.width / SECTORS_PER_LINE))
        if not 0 <= at < SECTORS_PER_LINE:
            continue
        first = int(strip.offsets[number]) + at * SECTOR_BYTES
        lanes = strip.lanes[(strip.lane_line == number) & (strip.lane_sector == at)]
        used = int(strip.wanted[number, at])
        many = f"{len(lanes)} lanes access" if len(lanes) > 1 else "1 lane accesses"
        name = card.access.name
        idle = "not accessed" if strip.inside[number, at] else f"outside {name}"
        who = f"{many} {used} of its {SECTOR_BYTES} bytes" if len(lanes) else idle
        return (
            f"Sector: bytes {first:,} to {first + SECTOR_BYTES - 1:,} of {name}, {who}.\n"
            f"Its line of {LINE_BYTES} bytes begins with {strip.names[number]}."
        )
    return ""


# --- shared memory -------------------------------------------------------------------------------------


def _paint_banks(tools: Tools, card: Card, bank: BankCard, fan: Fan, focused: int, size: float) -> None:
    """Paint the banks as columns, and the wavefronts as rows: a filled cell is a word that a bank serves."""
    painter, theme, use = tools.painter, tools.theme, bank.use
    tint = tint_of(theme, card.access.tint) if card.access.tint else theme.shared
    waves, ways, wavefront = bank.wavefronts, use.ways.max(axis=0).tolist(), use.wavefront.tolist()
    row = fan.depth / waves
    painter.setPen(tools.pen(theme.border, 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawRects(
        [QRectF(fan.left + number * fan.pitch, fan.band, fan.pitch, fan.depth) for number in range(BANKS)]
    )
    if row >= _SMALL_SECTOR_PX:
        painter.drawLines(
            [QLineF(fan.left, y, fan.left + fan.width, y) for y in (fan.band + row * n for n in range(1, waves))]
        )
    words: dict[tuple[int, int], list[int]] = {}
    for lane, number, wave in zip(use.lane.tolist(), use.bank.tolist(), wavefront, strict=True):
        words.setdefault((wave, number), []).append(lane)
    gap = 1.0 if row >= _SMALL_SECTOR_PX else 0.0
    painter.setPen(Qt.PenStyle.NoPen)
    for (wave, number), lanes in words.items():
        rect = QRectF(fan.left + number * fan.pitch, fan.band + wave * row, fan.pitch, row)
        fill = QColor(theme.warning) if ways[number] > 1 else mix(theme.panel, tint, 0.8)
        painter.setBrush(fill)
        painter.drawRect(rect.adjusted(gap, gap, -gap, -gap))
        _paint_word(tools, rect, lanes, ink_on(fill))
        painter.setPen(Qt.PenStyle.NoPen)
    ends = [
        (lane, fan.lane_x(n), word)
        for lane, n, word in zip(use.lane.tolist(), use.bank.tolist(), use.word.tolist(), strict=True)
    ]
    conflicts = frozenset(fan.lane_x(number) for number, words_ in enumerate(ways) if words_ > 1)
    _paint_connections(tools, fan, ends, focused, share=card.access.kind == "read", conflicts=conflicts)
    every = next(n for n in (1, 2, 4, 8, 16) if n * fan.pitch > tools.text_painter.width("31", size) * 1.25 or n == 16)
    tools.text_painter.start(painter, size, QColor(theme.muted))
    y, numbered = fan.band + fan.depth + tools.line * 0.42, range(0, BANKS, every)
    places = [(fan.lane_x(number), y) for number in numbered]
    tools.text_painter.draw_all_centred(painter, places, [str(number) for number in numbered], size)


def _paint_word(tools: Tools, rect: QRectF, lanes: list[int], ink: QColor) -> None:
    """Write the lane that wants a word, or the number of lanes, where there is room for it."""
    text = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
    widest = text.rjust(2, "0")  # lanes of one and two digits are written alike
    size = readable_size(tools, widest, min(rect.height() * 0.88, tools.line * 0.72), rect.width() - 1)
    if size:
        tools.text_painter.start(tools.painter, size, ink)
        tools.text_painter.draw_centred(tools.painter, rect.center().x(), rect.center().y(), text, size)


def _bank_tip(card: Card, bank: BankCard, number: int) -> str:
    use = bank.use
    if not 0 <= number < BANKS:
        return ""
    words, lanes = int(use.ways[:, number].max()), len(np.unique(use.lane[use.bank == number]))
    if not lanes:
        return f"Bank {number}: not accessed"
    many = f"{words} words, one after another" if words > 1 else "one word"
    share = " that they share" if lanes > 1 and words == 1 and card.access.kind == "read" else ""
    return f"Bank {number}: {lanes} {'lanes' if lanes > 1 else 'lane'}, {many}{share}"
