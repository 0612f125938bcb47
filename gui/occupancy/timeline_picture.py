"""Picture of a block timeline: SMs over time with their blocks as bars, and below them the residency of all."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip

from gui.theming.style import ink_on, mix
from gui.widgets.pictures import PaintedWidget
from kernels.occupancy.timeline_words import launch_words, microseconds, sentences
from kernels.words import percent, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintEvent

    from kernels.occupancy.block_timeline import BlockTimeline


@dataclass(frozen=True, slots=True, eq=False)
class TimelineData:
    """A timeline with what its picture needs."""

    timeline: BlockTimeline
    title: str
    """The launch, and where it comes from."""
    sentences: tuple[str, ...]
    slot: NDArray[np.int32]
    """Place of each block on its SM."""
    turn: NDArray[np.int32]
    """Number of blocks that had the place before."""

    @property
    def places(self) -> int:
        """Places of an SM that are drawn."""
        return int(self.slot.max()) + 1


def prepare(timeline: BlockTimeline, origin: str) -> TimelineData:
    """Compute the readings; `origin` says where the timeline comes from, such as "shipped"."""
    slot = timeline.slots()
    place = timeline.sm.astype(np.int64) * (int(slot.max()) + 1) + slot
    order = np.lexsort((timeline.start_ns, place))
    firsts = np.flatnonzero(np.diff(place[order], prepend=-1))
    turn = np.empty(timeline.blocks, np.int32)
    turn[order] = np.arange(timeline.blocks) - np.repeat(firsts, np.diff([*firsts, timeline.blocks]))
    return TimelineData(timeline, f"{launch_words(timeline)} ({origin})", sentences(timeline), slot, turn)


_LEAST_BAR_PX: Final = 3.0
"""Where a place on an SM is lower, SMs are drawn as strips whose colour tells the number of resident blocks."""

_CURVE_SHARE: Final = 0.24
_GAP_PX: Final = 8.0
_TICKS: Final = 6
_TITLE_LINES: Final = 22
"""Width of the title above the SMs, in heights of a line."""


class TimelinePicture(PaintedWidget):
    """Draws a range of SMs of a timeline."""

    def __init__(self) -> None:
        super().__init__()
        self.data: TimelineData | None = None
        """What is drawn."""
        self._first, self._count = 0, 1
        self._levels: NDArray[np.float64] | None = None
        """Mean resident blocks of each SM, for each column of pixels."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Blocks on the SMs over time")

    @property
    def shows_bars(self) -> bool:
        """True if blocks are drawn as bars, False for strips."""
        return self.data is not None and self._rows.height() / self._count >= _LEAST_BAR_PX * self.data.places

    def show_timeline(self, data: TimelineData | None) -> None:
        """Draw another timeline, with all its SMs."""
        self.data, self._levels = data, None
        self.set_sms(0, data.timeline.measured.sm_count if data else 1)
        self.setAccessibleDescription(" ".join([data.title, *data.sentences]) if data else "")

    def set_sms(self, first: int, count: int) -> None:
        """Draw that many SMs from the first one on."""
        self._first, self._count = first, max(1, count)
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Room for a few SMs, the curve and the axis."""
        return QSize(260, 10 * self.fontMetrics().height())

    def words_at(self, at: QPointF) -> str:
        """Describe the block or the SM at a position; "" outside."""
        data, rows = self.data, self._rows
        if data is None or not rows.contains(at):
            return ""
        t = data.timeline
        sm = self._first + int((at.y() - rows.top()) / rows.height() * self._count)
        time_ns = (at.x() - rows.left()) / rows.width() * t.duration_ns
        here = (t.sm == sm) & (t.start_ns <= time_ns) & (t.end_ns > time_ns)
        after = microseconds(time_ns)
        if self.shows_bars:
            lane = int((at.y() - rows.top()) / rows.height() * self._count % 1 * data.places)
            for block in np.flatnonzero(here & (data.slot == lane)).tolist():
                start, end = int(t.start_ns[block]), int(t.end_ns[block])
                return (
                    f"Block {self._coordinates(block)} on SM {sm}: from {microseconds(start)} to {microseconds(end)}, "
                    f"{microseconds(end - start)}"
                )
        return f"SM {sm} after {after}: {int(here.sum())} of {t.measured.timed_resident_blocks} blocks"

    def event(self, event: QEvent) -> bool:
        """Show the tip of what the pointer is on."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self) if words else QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the SMs, the time at which the last block began, the curve and the axis."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if self.data is not None:
            (self._draw_bars if self.shows_bars else self._draw_strips)(painter, self.data)
            self._draw_names(painter)
            self._draw_title(painter, self.data)
            self._draw_curve(painter, self.data)
            self._draw_axis(painter, self.data)
            painter.setPen(QPen(QColor(self._theme.border), 1))
            painter.drawRect(self._rows)
        painter.end()

    # --- geometry --------------------------------------------------------------------------------------

    @property
    def _line(self) -> float:
        return float(self.fontMetrics().height())

    @property
    def _left(self) -> float:
        return float(self.fontMetrics().horizontalAdvance("100 % ")) + 8

    @property
    def _rows(self) -> QRectF:
        """Rectangle of the SMs."""
        top, below = 1.2 * self._line, 2.6 * self._line + _GAP_PX
        high = (self.height() - top - below) * (1 - _CURVE_SHARE)
        return QRectF(self._left, top, self.width() - self._left - 12, max(1.0, high))

    @property
    def _curve(self) -> QRectF:
        """Rectangle of the curve, below the SMs."""
        rows = self._rows
        top = rows.bottom() + 1.2 * self._line + _GAP_PX
        return QRectF(rows.left(), top, rows.width(), max(1.0, self.height() - 1.4 * self._line - top))

    def _x(self, time_ns: float, data: TimelineData) -> float:
        rows = self._rows
        return rows.left() + rows.width() * time_ns / max(1, data.timeline.duration_ns)

    def _coordinates(self, block: int) -> str:
        assert self.data is not None
        grid = self.data.timeline.measured.grid
        x, y, z = block % grid.x, block // grid.x % grid.y, block // (grid.x * grid.y)
        return f"({x},{y},{z})" if grid.z > 1 else f"({x},{y})" if grid.y > 1 else f"({x})"

    # --- parts -----------------------------------------------------------------------------------------

    def _draw_bars(self, painter: QPainter, data: TimelineData) -> None:
        """Draw each block in its place on its SM; colours change from one block of a place to the next."""
        t, rows, theme = data.timeline, self._rows, self._theme
        band = rows.height() / self._count
        lane = (band - 2) / data.places
        colours = [QColor(colour) for colour in theme.series if colour != theme.text]
        here = np.flatnonzero((t.sm >= self._first) & (t.sm < self._first + self._count))
        scale = rows.width() / max(1, t.duration_ns)
        left = rows.left() + t.start_ns[here] * scale
        wide = np.maximum(1.0, (t.end_ns[here] - t.start_ns[here]) * scale - 0.5)
        top = rows.top() + band * (t.sm[here] - self._first) + 1 + lane * data.slot[here]
        bars = [QRectF(x, y, w, lane - 0.5) for x, y, w in zip(left.tolist(), top.tolist(), wide.tolist(), strict=True)]
        painter.setPen(Qt.PenStyle.NoPen)
        turns = data.turn[here] % len(colours)
        for turn, colour in enumerate(colours):  # one call for all bars of a colour
            painter.setBrush(colour)
            painter.drawRects([bars[place] for place in np.flatnonzero(turns == turn).tolist()])
        if lane >= self._line:
            for place in np.flatnonzero(wide > self.fontMetrics().horizontalAdvance("(0,0)")).tolist():
                name = self._coordinates(int(here[place]))
                if self.fontMetrics().horizontalAdvance(name) < wide[place] - 4:
                    painter.setPen(ink_on(colours[int(turns[place])]))
                    painter.drawText(bars[place], int(Qt.AlignmentFlag.AlignCenter), name)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.border), 1))
        for number in range(1, self._count):
            y = rows.top() + band * number
            painter.drawLine(QPointF(rows.left(), y), QPointF(rows.right(), y))

    def _draw_strips(self, painter: QPainter, data: TimelineData) -> None:
        """Draw a row for each SM, the darker the more blocks are resident."""
        theme, columns = self._theme, int(self._rows.width())
        levels = self._residency(data)[self._first : self._first + self._count] / data.places
        table = [mix(theme.panel, theme.series[0], share / 64).rgb() for share in range(65)]
        pixels = np.array(table, np.uint32)[np.clip(np.rint(levels * 64), 0, 64).astype(np.int64)].tobytes()
        painter.drawImage(self._rows, QImage(pixels, columns, len(levels), 4 * columns, QImage.Format.Format_RGB32))

    def _residency(self, data: TimelineData) -> NDArray[np.float64]:
        columns = max(1, int(self._rows.width()))
        if self._levels is None or self._levels.shape[1] != columns:
            self._levels = data.timeline.residency(columns)
        return self._levels

    def _draw_names(self, painter: QPainter) -> None:
        """Write the numbers of the SMs, as many as there is room for."""
        rows, line = self._rows, self._line
        band = rows.height() / self._count
        every = max(1, ceil(1.2 * line / band))
        painter.setPen(QColor(self._theme.text))
        for number in range(0, self._count, every):
            y = rows.top() + band * number + (band - line) / 2 if band >= line else rows.top() + band * number
            room = QRectF(0, y, self._left - 6, line)
            painter.drawText(
                room,
                int(Qt.AlignmentFlag.AlignRight),
                f"SM {self._first + number}" if not number else f"{self._first + number}",
            )

    def _draw_title(self, painter: QPainter, data: TimelineData) -> None:
        """Say what a bar or a strip is."""
        words = f"a row is an SM; full colour: {plural(data.places, 'resident block')}"
        if self.shows_bars:
            words = f"a bar is a block; an SM has {plural(data.places, 'place')}"
        painter.setPen(QColor(self._theme.text))
        room = QRectF(self._rows.left(), 0, self._rows.width(), self._line)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft), words)

    def _draw_curve(self, painter: QPainter, data: TimelineData) -> None:
        """Draw the resident warps of the whole device, with the theoretical limit."""
        m, theme, room, line = data.timeline.measured, self._theme, self._curve, self._line
        share = self._residency(data).sum(axis=0) * m.warps_per_block / (m.sm_count * m.warps_per_sm)
        x = np.linspace(room.left(), room.right(), len(share) + 1).repeat(2)[1:-1]
        y = room.bottom() - share.repeat(2) * room.height()
        corners = [room.bottomLeft(), *map(QPointF, x.tolist(), y.tolist()), room.bottomRight()]
        painter.fillRect(room, QColor(theme.window))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.series[0]))
        painter.drawPolygon(QPolygonF(corners))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawRect(room)
        limit = room.bottom() - m.theoretical * room.height()
        painter.setPen(QPen(QColor(theme.warning), 2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(room.left(), limit), QPointF(room.right(), limit))
        painter.setPen(QColor(theme.text))
        for value in (0.0, 1.0):
            place = QRectF(0, room.bottom() - value * room.height() - line / 2, self._left - 6, line)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight), percent(value))
        title = QRectF(room.left(), room.top() - 1.15 * line, room.width(), line)
        painter.drawText(title, int(Qt.AlignmentFlag.AlignLeft), "resident warps of all SMs; dashed: theoretical")

    def _draw_axis(self, painter: QPainter, data: TimelineData) -> None:
        """Draw the axis of time, and a line where the last block began."""
        t, theme, line = data.timeline, self._theme, self._line
        rows, room = self._rows, self._curve
        begin = self._x(t.last_start_ns, data)
        painter.setPen(QPen(QColor(theme.text), 2, Qt.PenStyle.DotLine))
        for part in (rows, room):
            painter.drawLine(QPointF(begin, part.top()), QPointF(begin, part.bottom()))
        painter.setPen(QColor(theme.text))
        words = "the last block begins"
        wide = self.fontMetrics().horizontalAdvance(words) + 4
        place = QRectF(min(begin - wide / 2, rows.right() - wide), 0, wide, line)
        if place.left() > rows.left() + _TITLE_LINES * line:
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), words)
        step = _nice(t.duration_ns / _TICKS)
        for number in range(floor(t.duration_ns / step) + 1):
            x = self._x(number * step, data)
            words = microseconds(number * step) if number else "0"
            wide = self.fontMetrics().horizontalAdvance(words) + 4
            place = QRectF(min(max(0.0, x - wide / 2), self.width() - wide), room.bottom() + 2, wide, 1.2 * line)
            painter.drawLine(QPointF(x, room.bottom()), QPointF(x, room.bottom() + 3))
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), words)


def _nice(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten that is at least the value."""
    power = 10.0 ** floor(log10(max(value, 1.0)))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= value)
