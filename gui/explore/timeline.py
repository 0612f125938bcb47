"""The transport: play, step, scrub, with marks where phases begin, threads wait, and hazards lie."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractSlider,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.explore.icons import Symbol, symbol

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from gui.theme import Theme

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
FRAME_MS: Final = 1000
"""How long a frame stands at speed 1."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Positions in the playlist: where blocks and phases begin, threads wait, hazards were found."""

    blocks: tuple[int, ...] = ()
    block_names: tuple[str, ...] = ()
    phases: tuple[int, ...] = ()
    barriers: tuple[int, ...] = ()
    hazards: tuple[int, ...] = ()


class Scrubber(QAbstractSlider):
    """A slider with painted marks. The value is a position in the playlist."""

    _MARGIN = 12.0

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marks = Marks()
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumHeight(54)
        self.setAccessibleName("Timeline")
        self.setToolTip("Bands: blocks. Ticks up: a phase begins. Ticks down: barrier. Triangles: hazards.")

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(400, 54)

    def set_marks(self, marks: Marks) -> None:
        """Show other marks."""
        self._marks = marks
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def x_of(self, position: int) -> float:
        """Pixel of a playlist position."""
        return self._MARGIN + (self.width() - 2 * self._MARGIN) * position / max(1, self.maximum())

    def position_at(self, x: float) -> int:
        """Playlist position at a pixel."""
        share = (x - self._MARGIN) / max(1.0, self.width() - 2 * self._MARGIN)
        return round(min(1.0, max(0.0, share)) * self.maximum())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump to the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self.setValue(self.position_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.setSliderDown(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint bands, ticks, triangles and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top, height = 18.0, 16.0
        self._paint_bands(painter, top, height)
        self._paint_ticks(painter, top, height)
        self._paint_handle(painter, top, height)
        painter.end()

    def _paint_bands(self, painter: QPainter, top: float, height: float) -> None:
        starts = [*self._marks.blocks, self.maximum() + 1]
        labelled = 0.0
        for number, (first, last) in enumerate(itertools.pairwise(starts)):
            left, right = self.x_of(first), self.x_of(min(last, self.maximum()))
            band = QColor(self._theme.accent)
            band.setAlphaF(0.30 if number % 2 == 0 else 0.14)
            painter.fillRect(QRectF(left, top, max(1.0, right - left), height), band)
            name = self._marks.block_names[number]
            width = painter.fontMetrics().horizontalAdvance(name)
            if labelled < left + 3 < self.width() - width:
                painter.setPen(QColor(self._theme.muted))
                painter.drawText(QPointF(left + 3, top - 6), name)
                labelled = left + width + 13
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(self._MARGIN, top, self.width() - 2 * self._MARGIN, height))

    def _paint_ticks(self, painter: QPainter, top: float, height: float) -> None:
        painter.setPen(QPen(QColor(self._theme.text), 1.5))
        for position in self._marks.phases:
            painter.drawLine(
                QPointF(self.x_of(position), top - 4), QPointF(self.x_of(position), top + height)
            )
        painter.setPen(QPen(QColor(self._theme.warning), 1.5))
        crowded = len(self._marks.barriers) > self.width() / 8
        for position in () if crowded else self._marks.barriers:
            at = QPointF(self.x_of(position), top + height)
            painter.drawLine(at - QPointF(0, height * 0.5), at + QPointF(0, 5))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.hazard))
        for position in self._marks.hazards:
            at = QPointF(self.x_of(position), top + height + 3)
            painter.drawPolygon(QPolygonF([at, at + QPointF(6, 11), at + QPointF(-6, 11)]))

    def _paint_handle(self, painter: QPainter, top: float, height: float) -> None:
        x = self.x_of(self.value())
        painter.setPen(QPen(QColor(self._theme.panel), 2))
        painter.setBrush(QColor(self._theme.accent))
        painter.drawRoundedRect(QRectF(x - 6, top - 5, 12, height + 10), 4, 4)


class Timeline(QWidget):
    """Transport bar. It knows positions and marks, not traces.

    Signals
    -------
    moved(int)
        The position is another one, whoever moved it.
    block_chosen(int)
        A block was picked from the list (its place in the list).
    """

    moved = Signal(int)
    block_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks = Marks()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.scrubber = Scrubber(theme, self)
        self.scrubber.valueChanged.connect(self._moved)
        self.scrubber.sliderPressed.connect(self.pause)
        self._symbols: dict[QToolButton, Symbol] = {}
        self._theme = theme
        self._play = self._button("play", "Play or pause (Space)", self.toggle)
        self._counter = QLabel(self)
        self._counter.setMinimumWidth(self.fontMetrics().horizontalAdvance("0000 / 0000 "))
        self.speed = QComboBox(self)
        self.speed.addItems([f"{speed:g}×" for speed in SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setToolTip("Speed")
        self.speed.setAccessibleName("Speed")
        self.speed.currentIndexChanged.connect(self._set_speed)
        self.block = QComboBox(self)
        self.block.setToolTip("Block to follow; a click on a block in the result does the same")
        self.block.setAccessibleName("Block")
        self.block.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.block.activated.connect(self.block_chosen)
        self._set_speed()
        self._arrange()

    @property
    def position(self) -> int:
        """Present position in the playlist."""
        return self.scrubber.value()

    @property
    def playing(self) -> bool:
        """Whether frames follow by themselves."""
        return self._timer.isActive()

    def set_playlist(self, length: int, marks: Marks, position: int = 0) -> None:
        """Show another playlist and stop."""
        self.pause()
        self._marks = marks
        self.scrubber.blockSignals(True)
        self.scrubber.setRange(0, max(0, length - 1))
        self.scrubber.setValue(position)
        self.scrubber.blockSignals(False)
        self.scrubber.set_marks(marks)
        self.block.clear()
        self.block.addItems([f"Block {name}" for name in marks.block_names])
        self.block.setVisible(len(marks.block_names) > 1)
        self.setEnabled(length > 0)
        self.show_position()

    def show_position(self) -> None:
        """Write the counter and select the block of the present position."""
        self._counter.setText(
            f"{self.position + 1} / {self.scrubber.maximum() + 1}" if self.isEnabled() else ""
        )
        number = sum(first <= self.position for first in self._marks.blocks) - 1
        self.block.setCurrentIndex(number)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.scrubber.set_theme(theme)
        for button, name in self._symbols.items():
            button.setIcon(symbol(name, theme.text))

    def go(self, position: int) -> None:
        """Move to a position, kept inside the playlist."""
        self.scrubber.setValue(position)

    def step(self, frames: int) -> None:
        """Pause and move by some frames."""
        self.pause()
        self.go(self.position + frames)

    def step_phase(self, direction: int) -> None:
        """Pause and move to the start of the next or previous phase, or block."""
        self.pause()
        starts = sorted({0, self.scrubber.maximum(), *self._marks.phases, *self._marks.blocks})
        later = [s for s in starts if s > self.position]
        earlier = [s for s in starts if s < self.position]
        if direction > 0 and later:
            self.go(later[0])
        elif direction < 0 and earlier:
            self.go(earlier[-1])

    def first(self) -> None:
        """Pause at the first frame."""
        self.pause()
        self.go(0)

    def last(self) -> None:
        """Pause at the last frame."""
        self.pause()
        self.go(self.scrubber.maximum())

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Let frames follow by themselves; from the end, play from the start."""
        if self.isEnabled() and self.scrubber.maximum():
            if self.position == self.scrubber.maximum():
                self.go(0)
            self._timer.start()
            self._show_playing()

    def pause(self) -> None:
        """Stop where it is."""
        self._timer.stop()
        self._show_playing()

    def _moved(self, position: int) -> None:
        self.show_position()
        self.moved.emit(position)

    def _tick(self) -> None:
        """Show the next frame. A late timer shows fewer frames; it never queues them."""
        if self.position >= self.scrubber.maximum():
            self.pause()
        else:
            self.go(self.position + 1)

    def _set_speed(self) -> None:
        self._timer.setInterval(round(FRAME_MS / SPEEDS[self.speed.currentIndex()]))

    def _show_playing(self) -> None:
        self._symbols[self._play] = "pause" if self.playing else "play"
        self._play.setIcon(symbol(self._symbols[self._play], self._theme.text))

    def _button(self, name: Symbol, tip: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        self._symbols[button] = name
        button.setIcon(symbol(name, self._theme.text))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setIconSize(QSize(20, 20))
        button.clicked.connect(lambda: action())
        return button

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self._button("first", "First step (Home)", self.first))
        buttons.addWidget(self._button("back", "Step back (←)", lambda: self.step(-1)))
        buttons.addWidget(self._play)
        buttons.addWidget(self._button("forward", "Step (→)", lambda: self.step(1)))
        buttons.addWidget(self._button("last", "Last step (End)", self.last))
        buttons.addWidget(self.scrubber, 1)
        buttons.addWidget(self._counter)
        buttons.addWidget(self.block)
        buttons.addWidget(self.speed)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 0, 8, 4)
        outer.addLayout(buttons)
