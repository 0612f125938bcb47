"""Timeline: play, step and scrub, with marks for phases, barriers and hazards."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.explore.painting.icons import Symbol, symbol
from gui.explore.widgets.scrubber import Marks, Scrubber

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.theming.theme import Theme

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
FRAME_MS: Final = 1000
"""Duration of a frame at speed 1."""


class Timeline(QWidget):
    """Transport bar for the positions and marks of a playlist.

    Signals
    -------
    position_changed(int)
        The position changed, by the user or by the program.
    block_chosen(int)
        A block was chosen from the list (its position in the list).
    """

    position_changed = Signal(int)
    block_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks = Marks()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.scrubber = Scrubber(theme, self)
        self.scrubber.valueChanged.connect(self._report_position)
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
        self.block.setToolTip("Block to show. A click on a block in the picture does the same.")
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
        """True while the playlist is playing."""
        return self._timer.isActive()

    @property
    def step_ms(self) -> int:
        """Time between steps while the playlist is playing, else 0."""
        return self._timer.interval() if self.playing else 0

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
        self._counter.setText(f"{self.position + 1:,} / {self.scrubber.maximum() + 1:,}" if self.isEnabled() else "")
        turn = bisect_right(self._marks.turns, self.position) - 1
        self.block.setCurrentIndex(self._marks.turn_blocks[turn] if turn >= 0 else -1)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.scrubber.set_theme(theme)
        for button, name in self._symbols.items():
            button.setIcon(symbol(name, theme.text, theme.border))

    def go(self, position: int) -> None:
        """Move to a position, clamped to the playlist."""
        self.scrubber.setValue(position)

    def step(self, frames: int) -> None:
        """Pause and move by some frames."""
        self.pause()
        self.go(self.position + frames)

    def step_phase(self, direction: int) -> None:
        """Pause and move to the start of the next or previous phase, or block."""
        self.pause()
        starts = sorted({0, self.scrubber.maximum(), *self._marks.phases, *self._marks.turns})
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
        """Play; from the end, start at the beginning."""
        if self.isEnabled() and self.scrubber.maximum():
            if self.position == self.scrubber.maximum():
                self.go(0)
            self._timer.start()
            self._show_playing()

    def pause(self) -> None:
        """Stop at the present position."""
        self._timer.stop()
        self._show_playing()

    def _report_position(self, position: int) -> None:
        self.show_position()
        self.position_changed.emit(position)

    def _tick(self) -> None:
        """Show the next frame. If the timer is late, frames are skipped, never queued."""
        if self.position >= self.scrubber.maximum():
            self.pause()
        else:
            self.go(self.position + 1)

    def _set_speed(self) -> None:
        self._timer.setInterval(round(FRAME_MS / SPEEDS[self.speed.currentIndex()]))

    def _show_playing(self) -> None:
        self._symbols[self._play] = "pause" if self.playing else "play"
        self._play.setIcon(symbol(self._symbols[self._play], self._theme.text, self._theme.border))

    def _button(self, name: Symbol, tip: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        self._symbols[button] = name
        button.setIcon(symbol(name, self._theme.text, self._theme.border))
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
