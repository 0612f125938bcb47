"""Picture of the waves of a grid: a column for each, filled as far as its blocks fill the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.occupancy.explanation import Explanation
from gui.widgets.controls import vbox
from gui.widgets.pictures import PaintedWidget
from kernels.occupancy.waves import blocks_at_once, tail_words, waves, waves_details
from kernels.words import plural

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from gui.theming.theme import Theme
    from kernels.occupancy import Occupancy

_WIDEST_PX: Final = 96.0
_GAP: Final = 0.15
"""Share of a column's width between columns."""


class WavesPicture(PaintedWidget):
    """Columns of waves. Where there are too many, those in the middle are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: tuple[int, ...] = ()
        """Blocks of each wave."""
        self._at_once = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Waves of the grid")

    def show_waves(self, occupancy: Occupancy | None, blocks: int) -> None:
        """Draw the waves of a grid; None draws nothing."""
        self.counts = ()
        if occupancy is not None:
            self._at_once, count = blocks_at_once(occupancy), waves(occupancy, blocks)
            self.counts = (*(self._at_once,) * (count - 1), blocks - (count - 1) * self._at_once)
            self.setAccessibleDescription(waves_details(occupancy, blocks))
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Room for a few columns with their numbers."""
        return QSize(240, 7 * self.fontMetrics().height() // 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the columns, their numbers below and their blocks above."""
        if not self.counts:
            return
        theme, line = self._theme, self.fontMetrics().height()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.panel))
        least = self.fontMetrics().horizontalAdvance(f"{self._at_once:,}") * (1 + 2 * _GAP)
        shown = _shown(len(self.counts), max(3, int(self.width() / least)))
        step = min(self.width() / len(shown), max(_WIDEST_PX, least))
        left = (self.width() - step * len(shown)) / 2
        for place, wave in enumerate(shown):
            room = QRectF(left + place * step, 0, step, self.height())
            below = QRectF(room.left(), room.bottom() - 1.2 * line, step, 1.2 * line)
            painter.setPen(QColor(theme.text))
            if wave is None:
                painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), "…")
                continue
            named = f"wave {wave + 1}" if self.fontMetrics().horizontalAdvance("wave 0") < step else f"{wave + 1}"
            painter.drawText(below, int(Qt.AlignmentFlag.AlignCenter), f"{wave + 1}" if wave else named)
            self._column(painter, room.adjusted(_GAP * step, 2.7 * line, -_GAP * step, -1.4 * line), self.counts[wave])
        title = QRectF(0, 0.1 * line, self.width(), 1.2 * line)
        total = sum(self.counts)
        painter.setPen(QColor(theme.text))
        words = f"{plural(total, 'block')} in {plural(len(self.counts), 'wave')} of at most {self._at_once:,}"
        painter.drawText(title, int(Qt.AlignmentFlag.AlignCenter), words)
        painter.end()

    def _column(self, painter: QPainter, room: QRectF, blocks: int) -> None:
        theme, line = self._theme, self.fontMetrics().height()
        top = room.bottom() - room.height() * blocks / self._at_once
        filled = QRectF(room.left(), top, room.width(), room.bottom() - top)
        full = blocks == self._at_once
        painter.fillRect(room, QBrush(QColor(theme.border), Qt.BrushStyle.BDiagPattern))
        painter.fillRect(filled, QColor(theme.series[0] if full else theme.series[1]))
        painter.setPen(QPen(QColor(theme.border if full else theme.warning), 1 if full else 2))
        painter.drawRect(room)
        painter.setPen(QColor(theme.text))
        above = QRectF(room.left() - room.width(), room.top() - 1.2 * line, 3 * room.width(), 1.2 * line)
        painter.drawText(above, int(Qt.AlignmentFlag.AlignCenter), f"{blocks:,}")


def _shown(count: int, most: int) -> list[int | None]:
    """Return the numbers of the waves that are drawn; None for those that are left out."""
    if count <= most:
        return list(range(count))
    half = (most - 1) // 2
    return [*range(most - 1 - half), None, *range(count - half, count)]


class WavesPanel(QWidget):
    """The picture of the waves, and words about them."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = WavesPicture()
        self.words = Explanation(4)
        column = vbox(self, (6, 6, 6, 6), spacing=4)
        column.addWidget(self.picture, 1)
        column.addWidget(self.words)

    def show_waves(self, occupancy: Occupancy | None, blocks: int) -> None:
        """Show the waves of a grid; None shows nothing."""
        self.picture.show_waves(occupancy, blocks)
        self.words.setText(f"{waves_details(occupancy, blocks)} {tail_words(occupancy, blocks)}" if occupancy else "")

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self.picture.set_theme(theme)
