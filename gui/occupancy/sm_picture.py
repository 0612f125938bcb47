"""Picture of one SM: a bar for each resource, divided among the resident blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from gui.theming.style import ink_on
from gui.widgets.controls import bold
from gui.widgets.pictures import PaintedWidget
from kernels.occupancy import words
from kernels.occupancy.calculate import SM_QUARTERS
from kernels.words import capital

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from kernels.occupancy import Limit, Occupancy

_ORDER: Final = ("warps", "blocks", "registers", "shared memory", "barriers")
_LEAST_BAR_PX: Final = 16
_TYPE_GROWS_PX: Final = (460, 860)
_LARGER_PT: Final = 3.0
"""Growth of the type, in points, between these widths of the picture."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One resource of an SM."""

    title: str
    capacity: int
    """Amount that an SM has."""
    per_block: int
    """Amount that a resident block takes."""
    blocks: int
    """Resident blocks."""
    limits: bool
    """True if this resource limits the number of resident blocks: it keeps warp slots empty."""
    unit: str = ""

    @property
    def free(self) -> int:
        """Amount that no resident block uses."""
        return self.capacity - self.blocks * self.per_block

    @property
    def short_words(self) -> str:
        """What is left of a limiting resource, where there is no room for `words`."""
        return f"{self.free:,}{self.unit} left" if self.limits and self.free else self.words

    @property
    def words(self) -> str:
        """Amount in use, or, if this resource limits, why no further block fits."""
        if self.limits and self.free >= self.per_block:  # registers, which a warp takes from one quarter
            return f"{self.free:,}{self.unit} left, {self.free // SM_QUARTERS:,} in each quarter of the SM"
        if self.limits and self.free:
            return f"{self.free:,}{self.unit} left; a block needs {self.per_block:,}"
        return f"{self.blocks * self.per_block:,} of {self.capacity:,}{self.unit}"


def bars(occupancy: Occupancy) -> tuple[Bar, ...]:
    """Return the bars of an occupancy, in drawing order."""
    limits = {limit.kind: limit for limit in occupancy.limits}
    return tuple(_bar(limits[kind], occupancy) for kind in _ORDER if kind in limits)


def _bar(limit: Limit, occupancy: Occupancy) -> Bar:
    return Bar(
        capital(words.LIMITS[limit.kind]),
        limit.per_sm,
        limit.per_block,
        occupancy.resident_blocks,
        limit.kind in occupancy.limiters and not occupancy.full,
        " bytes" if limit.kind == "shared memory" else "",
    )


class SmPicture(PaintedWidget):
    """Widget that paints the bars. A block has the same number and colour in each; free parts are hatched."""

    def __init__(self) -> None:
        super().__init__()
        self.bars: tuple[Bar, ...] = ()
        """Bars that are drawn."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Resident blocks on one SM")

    def show_bars(self, bars: tuple[Bar, ...]) -> None:
        """Draw bars; without any, the picture is empty."""
        self.bars = bars
        self.setAccessibleDescription("; ".join(f"{bar.title}: {bar.words}" for bar in bars))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the least height: the picture takes what the text above leaves."""
        return QSize(480, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Room for thin bars."""
        return QSize(320, int(max(4, len(self.bars)) * (_LEAST_BAR_PX + 1.6 * self.fontMetrics().height())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw title and bar of each resource, spread over the height."""
        if not self.bars:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        font = QFont(self.font())
        low, high = _TYPE_GROWS_PX
        share = min(max((self.width() - low) / (high - low), 0.0), 1.0)
        font.setPointSizeF(font.pointSizeF() + share * _LARGER_PT)
        line = QFontMetricsF(font).height()
        step = self.height() / len(self.bars)
        height = max(step - 1.7 * line, _LEAST_BAR_PX)
        for number, bar in enumerate(self.bars):
            top = number * step
            self._title(painter, font, QRectF(0, top, self.width(), line), bar)
            self._draw(painter, font, QRectF(1, top + 1.1 * line, self.width() - 3, height), bar)
        painter.end()

    def _title(self, painter: QPainter, font: QFont, room: QRectF, bar: Bar) -> None:
        heavy = bold(font)
        full = "" if bar.free else ": full"
        title = f"▸ {bar.title}: the limit" if bar.limits else f"{bar.title}{full}"
        painter.setFont(heavy)
        painter.setPen(QColor(self._theme.warning if bar.limits else self._theme.text))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), title)
        taken = QFontMetricsF(heavy).horizontalAdvance(title) + 12
        left, metrics = room.width() - taken, QFontMetricsF(font)
        said = bar.words if metrics.horizontalAdvance(bar.words) <= left else bar.short_words
        said = metrics.elidedText(said, Qt.TextElideMode.ElideRight, left)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text if bar.limits else self._theme.muted))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), said)

    def _draw(self, painter: QPainter, font: QFont, room: QRectF, bar: Bar) -> None:
        theme = self._theme
        per_block = room.width() * bar.per_block / bar.capacity
        painter.fillRect(room, QColor(theme.panel))
        free = room.adjusted(per_block * bar.blocks, 0, 0, 0)
        painter.fillRect(free, QBrush(QColor(theme.border), Qt.BrushStyle.BDiagPattern))
        painter.setFont(font)
        number_px = QFontMetricsF(font).horizontalAdvance(str(bar.blocks)) + 4
        colours = [QColor(c) for c in theme.series if c != theme.text]
        for block in range(bar.blocks):
            colour = colours[block % len(colours)]
            slot = QRectF(room.left() + block * per_block, room.top(), per_block, room.height())
            gap = 1.0 if per_block > 3 else 0.0
            painter.fillRect(slot.adjusted(0, 0, -gap, 0), colour)
            if per_block >= number_px and room.height() >= 0.9 * QFontMetricsF(font).height():
                painter.setPen(ink_on(colour))
                painter.drawText(slot, int(Qt.AlignmentFlag.AlignCenter), str(block + 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.warning if bar.limits else theme.border), 2 if bar.limits else 1))
        painter.drawRect(room)
