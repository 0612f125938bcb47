"""Paint the accesses of a warp: lanes above, and the sectors or banks that they access below.

Each request is a card. A card of global memory shows the accessed lines of 128 bytes, each as four sectors; a card of
shared memory shows the 32 banks, each with the distinct words that it serves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPolygonF

from gui.explore.memory.row import SECTORS_PER_LINE, WORDS
from gui.explore.stage.paint_cells import tint_of
from gui.explore.stage.text_painter import SMALLEST_TEXT
from gui.theming.style import ink_on, mix
from kernels.analysis.pattern_groups import LINE_BYTES
from kernels.analysis.requests import BANKS, SECTOR_BYTES
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.memory.row import AccessRow, BankCard, MemoryRow, Strip
    from gui.explore.stage.paint_cells import Tools

CARD_LINES: Final = 6.1
"""Height of a card in lines of text."""

_NAMES_LINES: Final = 0.95
"""Room below the sectors for the names of elements, in lines of text: an underscore is below other letters."""

_COLUMN_LINES: Final = 15.0
"""Least width of a card, in lines of text, where several are placed side by side."""

_MOST_COLUMNS: Final = 3
_GAP_SECTORS: Final = 1.4
"""Width of the mark for untouched lines between two lines, in sectors."""

_MOST_SLICES: Final = 5
"""Words of one bank that are drawn apart."""

_LEAST_TEXT: Final = 0.5
_LEAST_TEXT_PX: Final = 11.0
"""Smallest text of a card, in heights of a line and in pixels."""

_MOST_OTHERS: Final = 4
"""Accesses without a picture that are listed after the first one."""

_SMALL_SECTOR_PX: Final = 6.0
"""Sectors narrower than this are filled as a whole, without the bytes that lanes access."""


@dataclass(frozen=True, slots=True)
class Card:
    """One request in the memory row, or all accesses to local and constant memory, which have no picture."""

    access: AccessRow
    strip: Strip | None
    bank: BankCard | None
    title: str
    text: str
    others: tuple[AccessRow, ...] = ()
    """Accesses without a picture after the first one."""

    @property
    def words(self) -> str:
        """All that the card says."""
        more = (f"{access.title}: {access.text}" for access in self.others)
        return "; ".join([f"{self.title}: {self.text}", *([self.note] if self.note else []), *more])

    @property
    def note(self) -> str:
        """Lines or banks in words."""
        return self.notes[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """The note in full, and in fewer and fewer words."""
        shown = self.strip if self.strip is not None else self.bank
        return shown.wordings if shown is not None else ("",)

    @property
    def inefficient(self) -> bool:
        """True if fewer sectors or wavefronts would do."""
        access = self.access
        return access.ideal_sectors < access.sectors or access.ideal_wavefronts < access.wavefronts


@dataclass(frozen=True, slots=True)
class Fan:
    """Places in a card: the lanes, and the band of sectors or banks below them, in pixels."""

    left: float
    width: float
    lanes: float
    """Top of the lanes."""
    tick: float
    """Height of a lane."""
    band: float
    """Top of the sectors or banks."""
    depth: float
    """Height of a sector or bank."""

    @property
    def pitch(self) -> float:
        """Width of a lane or bank."""
        return self.width / WARP_SIZE

    def lane_x(self, lane: int) -> float:
        """Centre of a lane."""
        return self.left + (lane + 0.5) * self.pitch


def cards_of(row: MemoryRow) -> tuple[Card, ...]:
    """Return a card for each request of the shown warp to global or shared memory, and one for all others."""
    found: list[Card] = []
    for access in row.accesses:
        parts: list[tuple[Strip | None, BankCard | None]] = [
            *((strip, None) for strip in access.strips),
            *((None, bank) for bank in access.banks),
        ]
        for number, (strip, bank) in enumerate(parts, 1):
            title = access.title if len(parts) == 1 else f"{access.title}, request {number} of {len(parts)}"
            found.append(Card(access, strip, bank, title, access.text if number == 1 else ""))
    others = tuple(access for access in row.accesses if not access.strips and not access.banks)
    if others:
        found.append(Card(others[0], None, None, others[0].title, others[0].text, others[1:]))
    return tuple(found)


def arrange_cards(count: int, width: float, line: float) -> list[QRectF]:
    """Return the rectangles of some cards, in rows of equal columns."""
    columns = max(1, min(count, _MOST_COLUMNS, int(width / (_COLUMN_LINES * line))))
    across, height = width / columns, CARD_LINES * line
    return [
        QRectF(number % columns * across, number // columns * height, across, height).adjusted(
            line * 0.35, line * 0.1, -line * 0.35, -line * 0.1
        )
        for number in range(count)
    ]


def paint_card(tools: Tools, card: Card, rect: QRectF, focused_lane: int) -> None:
    """Paint one card into its rectangle."""
    size = tools.line * 0.72
    _paint_heading(tools, card, rect, size)
    if card.strip is None and card.bank is None:
        for number, access in enumerate(card.others[:_MOST_OTHERS], 1):
            below = rect.translated(0, number * tools.line)
            _paint_titled(tools, access.title, access.wordings, below, bold=False)
        if (left := len(card.others) - _MOST_OTHERS) > 0:
            below = rect.translated(0, (_MOST_OTHERS + 1) * tools.line)
            _paint_titled(tools, f"and {left} more", ("",), below, bold=False)
        return
    fan = fan_of(rect, tools.line)
    lanes = card.strip.lanes if card.strip is not None else np.unique(card.bank.use.lane) if card.bank else np.zeros(0)
    _paint_side_words(tools, fan, "banks" if card.bank is not None else "sectors", size)
    if card.strip is not None:
        _paint_strip(tools, card, card.strip, fan, focused_lane, size)
    elif card.bank is not None:
        _paint_banks(tools, card, card.bank, fan, focused_lane, size)
    _paint_lanes(tools, fan, {int(lane) for lane in lanes}, focused_lane, size)


def tip_at(card: Card, rect: QRectF, line: float, x: float, y: float) -> str:
    """Return the explanation of what a card shows at a place."""
    words = ("Sector", "Ideal") if card.strip is not None else ("Bank", "Wavefront", "Ideal") if card.bank else ()
    explained = [f"{word}: {WORDS[word]}" for word in ("Request", *words)]
    fan = fan_of(rect, line)
    here = ""
    if card.strip is not None and y >= fan.band:
        here = _sector_tip(card, card.strip, fan, x)
    elif card.bank is not None and y >= fan.band:
        here = _bank_tip(card, card.bank, int((x - fan.left) / fan.pitch))
    elif fan.lanes <= y <= fan.lanes + fan.tick and 0 <= (lane := int((x - fan.left) / fan.pitch)) < WARP_SIZE:
        here = f"Lane {lane}"
    return here or "\n".join([card.words, "", *explained])


def fan_of(rect: QRectF, line: float) -> Fan:
    """Return the places of lanes and band in a card."""
    left = rect.left() + line * 3.2
    lanes, tick, depth = rect.top() + line * 2.15, line * 0.5, line * 0.8
    return Fan(left, rect.right() - left, lanes, tick, rect.bottom() - depth - line * _NAMES_LINES, depth)


# --- words ---------------------------------------------------------------------------------------------


def _paint_heading(tools: Tools, card: Card, rect: QRectF, size: float) -> None:
    """Paint the kind of access, the array and the counts; below them the note."""
    painter, theme = tools.painter, tools.theme
    top = QRectF(rect.left(), rect.top(), rect.width(), tools.line)
    if card.inefficient:
        top.setLeft(top.left() + _paint_warning(tools, top.left(), top.center().y(), tools.line * 0.78))
    _paint_titled(tools, card.title, card.access.wordings if card.text else ("",), top, bold=card.inefficient)
    painter.setPen(QColor(theme.text if card.inefficient else theme.muted))
    below = QRectF(rect.left(), rect.top() + tools.line, rect.width(), tools.line)
    _paint_fitting(tools, card.notes, below, size, bold=bool(card.bank and card.bank.collisions))


def _paint_titled(tools: Tools, title: str, wordings: Sequence[str], rect: QRectF, *, bold: bool) -> None:
    """Paint a title and, after it, the first wording that fits in the first line of a rectangle."""
    size = tools.line * 0.78
    font = tools.text_painter.font(size, True)
    line = QRectF(rect.left(), rect.top(), rect.width(), tools.line)
    tools.painter.setPen(QColor(tools.theme.text))
    tools.painter.setFont(font)
    tools.painter.drawText(line, _LEFT, title)
    line.setLeft(line.left() + QFontMetricsF(font).horizontalAdvance(title) + tools.line * 0.5)
    _paint_fitting(tools, wordings, line, size, bold=bold)


def _paint_fitting(tools: Tools, wordings: Sequence[str], rect: QRectF, size: float, *, bold: bool) -> None:
    """Paint the first wording that fits at the left of a rectangle: bold, else plain and smaller; else elide the last.

    Each wording is shorter than the one before.
    """
    text = tools.text_painter
    least = max(tools.line * _LEAST_TEXT, _LEAST_TEXT_PX)
    words = next((words for words in wordings if text.width(words, least) <= rect.width()), wordings[-1])
    bold = bold and text.width(words, size, bold=True) <= rect.width()
    while size > least and text.width(words, size, bold) > rect.width():
        size -= 0.5
    font = text.font(size, bold)
    tools.painter.setFont(font)
    shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
    tools.painter.drawText(rect, _LEFT, shown)


def _paint_warning(tools: Tools, x: float, y: float, size: float) -> float:
    """Paint a triangle with an exclamation mark, centred at a height; return its width with a space."""
    painter, half = tools.painter, size * 0.5
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tools.theme.warning))
    painter.drawPolygon(QPolygonF([QPointF(x, y + half), QPointF(x + half, y - half), QPointF(x + size, y + half)]))
    ink = ink_on(QColor(tools.theme.warning))
    painter.setPen(tools.pen(ink, max(1.2, size * 0.11)))
    painter.drawLine(QPointF(x + half, y - half * 0.4), QPointF(x + half, y + half * 0.35))
    painter.drawPoint(QPointF(x + half, y + half * 0.75))
    painter.setPen(QColor(tools.theme.text))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    return size * 1.3


def _paint_side_words(tools: Tools, fan: Fan, below: str, size: float) -> None:
    """Write what the upper and the lower row are, left of them."""
    tools.painter.setFont(tools.text_painter.font(size))
    tools.painter.setPen(QColor(tools.theme.muted))
    width, height = tools.line * 2.9, tools.line
    for words, y in (("lanes", fan.lanes + fan.tick / 2), (below, fan.band + fan.depth / 2)):
        area = QRectF(fan.left - width - tools.line * 0.3, y - height / 2, width, height)
        tools.painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)


_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


# --- lanes ---------------------------------------------------------------------------------------------


def _paint_lanes(tools: Tools, fan: Fan, active: set[int], focused: int, size: float) -> None:
    """Paint the 32 lanes: filled where they take part, hollow where not; numbers where they fit."""
    painter, theme = tools.painter, tools.theme
    side = max(2.0, fan.pitch - max(1.5, fan.pitch * 0.18))
    rects = [QRectF(fan.lane_x(lane) - side / 2, fan.lanes, side, fan.tick) for lane in range(WARP_SIZE)]
    idle = [lane for lane in range(WARP_SIZE) if lane not in active]
    busy = [lane for lane in range(WARP_SIZE) if lane in active and lane != focused]
    for lanes, fill, edge in (
        (idle, theme.panel, theme.muted),
        (busy, theme.text, theme.text),
        ([focused] if focused >= 0 else [], theme.highlight, theme.text),
    ):
        painter.setPen(tools.pen(edge, 1))
        painter.setBrush(QColor(fill))
        painter.drawRects([rects[lane] for lane in lanes])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if fan.pitch < size * 1.15 or fan.tick < SMALLEST_TEXT * 0.8:
        return
    focus = [focused] if focused >= 0 else []
    for lanes, ink in (
        (idle, QColor(theme.muted)),
        (busy, ink_on(QColor(theme.text))),
        (focus, ink_on(QColor(theme.highlight))),
    ):
        tools.text_painter.start(painter, fan.tick, ink)
        places = [(rects[lane].center().x(), rects[lane].center().y()) for lane in lanes]
        tools.text_painter.draw_all_centred(painter, places, [str(lane) for lane in lanes], fan.tick)


# --- global memory -------------------------------------------------------------------------------------


def line_lefts(strip: Strip, fan: Fan) -> tuple[list[float], float]:
    """Return the left edge of each line, and the width of a sector."""
    gaps = np.cumsum(strip.gaps > 0)
    units = SECTORS_PER_LINE * len(strip.lines) + _GAP_SECTORS * int(gaps[-1])
    sector = fan.width / units
    lefts = fan.left + sector * (np.arange(len(strip.lines)) * SECTORS_PER_LINE + gaps * _GAP_SECTORS)
    return lefts.tolist(), sector


def _paint_strip(tools: Tools, card: Card, strip: Strip, fan: Fan, focused: int, size: float) -> None:
    painter, theme = tools.painter, tools.theme
    lefts, sector = line_lefts(strip, fan)
    tint = tint_of(theme, card.access.tint) if card.access.tint else theme.accent
    small = sector < _SMALL_SECTOR_PX
    painter.setPen(Qt.PenStyle.NoPen)
    for brush, places in (
        (QBrush(mix(theme.panel, tint, 1.0 if small else 0.4)), strip.touched),
        (QBrush(QColor(theme.muted), Qt.BrushStyle.FDiagPattern), ~strip.inside),
    ):
        painter.setBrush(brush)
        painter.drawRects(_sector_rects(fan, lefts, sector, places))
    byte = sector / SECTOR_BYTES
    starts = np.array(lefts)[strip.lane_line] + strip.lane_byte * byte
    width = strip.size * byte
    if not small:
        painter.setBrush(QColor(tint))
        painter.drawRects([QRectF(x, fan.band, width, fan.depth) for x in starts.tolist()])
    addresses = strip.lane_line * LINE_BYTES + strip.lane_byte
    ends = list(zip(strip.lanes.tolist(), (starts + width / 2).tolist(), addresses.tolist(), strict=True))
    _paint_edges(tools, strip, fan, lefts, sector)
    _paint_connections(tools, fan, ends, focused, share=card.access.access == "read")
    _paint_line_names(tools, strip, fan, lefts, size)


def _sector_rects(fan: Fan, lefts: list[float], sector: float, places: NDArray[np.bool_]) -> list[QRectF]:
    """Return the rectangles of some sectors: [lines, 4]."""
    at = np.argwhere(places).tolist()
    return [QRectF(lefts[line] + number * sector, fan.band, sector, fan.depth) for line, number in at]


def _paint_edges(tools: Tools, strip: Strip, fan: Fan, lefts: list[float], sector: float) -> None:
    """Outline sectors and lines, wide touched sectors in bold; mark the lines left out between two lines."""
    painter, theme = tools.painter, tools.theme
    top, bottom, middle = fan.band, fan.band + fan.depth, fan.band + fan.depth / 2
    small = sector < _SMALL_SECTOR_PX
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if not small:
        painter.setPen(tools.pen(theme.border, 1))
        xs = (left + number * sector for left in lefts for number in range(1, SECTORS_PER_LINE))
        painter.drawLines([QLineF(x, top, x, bottom) for x in xs])
    painter.setPen(tools.pen(theme.muted, 1))
    painter.drawRects([QRectF(left, top, SECTORS_PER_LINE * sector, fan.depth) for left in lefts])
    if not small:
        painter.setPen(tools.pen(theme.text, 2))
        painter.drawRects(_sector_rects(fan, lefts, sector, strip.touched))
    painter.setPen(tools.pen(theme.muted, 1.5, Qt.PenStyle.DotLine))
    after_gaps = (left for left, gap in zip(lefts, strip.gaps.tolist(), strict=True) if gap)
    painter.drawLines([QLineF(left - _GAP_SECTORS * sector, middle, left, middle) for left in after_gaps])


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
    lefts, sector = line_lefts(strip, fan)
    for number, left in enumerate(lefts):
        at = int((x - left) // sector)
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
    painter, theme, use = tools.painter, tools.theme, bank.use
    tint = tint_of(theme, card.access.tint) if card.access.tint else theme.shared
    ways = use.ways.max(axis=0).tolist()
    rects = [QRectF(fan.left + number * fan.pitch, fan.band, fan.pitch, fan.depth) for number in range(BANKS)]
    painter.setPen(tools.pen(theme.border, 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawRects(rects)
    for rect, words in zip(rects, ways, strict=True):
        if words:
            _paint_words(tools, rect, words, tint)
    columns = zip(use.lane.tolist(), use.bank.tolist(), use.word.tolist(), strict=True)
    ends = [(lane, fan.lane_x(number), word) for lane, number, word in columns]
    conflicts = frozenset(fan.lane_x(number) for number, words in enumerate(ways) if words > 1)
    _paint_connections(tools, fan, ends, focused, share=card.access.access == "read", conflicts=conflicts)
    every = next(n for n in (1, 2, 4, 8, 16) if n * fan.pitch > tools.text_painter.width("31", size) * 1.25 or n == 16)
    tools.text_painter.start(painter, size, QColor(theme.muted))
    y, numbered = fan.band + fan.depth + tools.line * 0.42, range(0, BANKS, every)
    places = [(fan.lane_x(number), y) for number in numbered]
    tools.text_painter.draw_all_centred(painter, places, [str(number) for number in numbered], size)
    _paint_ways(tools, fan, ways, size)


def _paint_words(tools: Tools, rect: QRectF, words: int, tint: str) -> None:
    """Fill a bank: with one word, or sliced into the words that it serves one after another."""
    painter, theme = tools.painter, tools.theme
    slices = min(words, _MOST_SLICES)
    height = rect.height() / slices
    painter.setPen(Qt.PenStyle.NoPen if words > 1 else tools.pen(theme.text, 1))
    painter.setBrush(QColor(theme.warning) if words > 1 else mix(theme.panel, tint, 0.8))
    between = 1.0 if words > 1 else 0.0
    for number in range(slices):
        painter.drawRect(QRectF(rect.left() + 1, rect.top() + number * height, rect.width() - 2, height - between))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_ways(tools: Tools, fan: Fan, ways: list[int], size: float) -> None:
    """Write the number of words at banks that serve several, where there is room for it."""
    free = fan.left
    for number, words in enumerate(ways):
        text = f"×{words}"
        width = tools.text_painter.width(text, size, True)
        x = max(fan.left, min(fan.lane_x(number) - width / 2, fan.left + fan.width - width))
        if words > 1 and x >= free:
            # On a plate beside the column if it is alone, else over it.
            alone = (number + 1 >= BANKS or ways[number + 1] < 2) and number + 1 < BANKS
            beside = fan.lane_x(number) + fan.pitch * 0.6
            if alone and beside + width > fan.left + fan.width:  # at the edge it has room on the left only
                beside = fan.lane_x(number) - fan.pitch * 0.6 - width
                alone = beside >= free and ways[number - 1] < 2
            x = beside if alone else x
            plate = QRectF(x, fan.band + (fan.depth - size * 1.1) / 2, width, size * 1.1)
            tools.painter.setPen(Qt.PenStyle.NoPen)
            tools.painter.setBrush(QColor(tools.theme.panel))
            tools.painter.drawRect(plate)
            tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
            tools.text_painter.draw_centred(tools.painter, plate.center().x(), plate.center().y(), text, size, True)
            free = x + width + size * 0.4
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)


def _bank_tip(card: Card, bank: BankCard, number: int) -> str:
    use = bank.use
    if not 0 <= number < BANKS:
        return ""
    words, lanes = int(use.ways[:, number].max()), len(np.unique(use.lane[use.bank == number]))
    if not lanes:
        return f"Bank {number}: not accessed"
    many = f"{words} words, one after another" if words > 1 else "one word"
    share = " that they share" if lanes > 1 and words == 1 and card.access.access == "read" else ""
    return f"Bank {number}: {lanes} {'lanes' if lanes > 1 else 'lane'}, {many}{share}"
