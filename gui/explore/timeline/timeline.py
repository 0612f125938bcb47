"""Timeline: play, step, scrub and loop, with marks for phases, barriers and hazards."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.explore.timeline.icons import Symbol, symbol
from gui.explore.timeline.marks import STRIDES, Loop, Marks, Stride
from gui.explore.timeline.scrubber import Scrubber
from gui.widgets.controls import tool
from gui.widgets.keys import KEYS, bind, bind_each, tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QStandardItemModel

    from gui.theming.theme import Theme

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_LEAST_BOX_PX: Final = 36
"""Least width of a box: enough for its arrow, which opens the list."""

_LETTER_SHARE: Final = 0.9
"""Average width of a letter of a block's name, in widths of the letter X, by which Qt measures."""

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
        self._marks, self._loop = Marks(), Loop()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.scrubber = Scrubber(theme, self)
        self.scrubber.valueChanged.connect(self._report_position)
        self.scrubber.sliderPressed.connect(self.pause)
        self._symbols: dict[QToolButton, Symbol] = {}
        self._theme = theme
        self._play = self._button("play", "play", self.toggle)
        self._loop_words = QLabel("Loop", self)
        self._clear = self._button("loop-clear", "loop_clear", self.clear_loop)
        self._counter = QLabel(self)
        self.speed = QComboBox(self)
        self.speed.addItems([f"{speed:g}×" for speed in SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setToolTip(f"Speed ({KEYS['faster'].words} {KEYS['slower'].words})")
        self.speed.setAccessibleName("Speed")
        self.speed.currentIndexChanged.connect(self._set_speed)
        self.stride = QComboBox(self)
        self.stride.addItems(list(STRIDES.values()))
        self.stride.setToolTip(tip("stride"))
        self.stride.setAccessibleName("Play by step, phase or barrier")
        self.block = QComboBox(self)
        self.block.setToolTip("Block to show. A click on a block in the picture does the same.")
        self.block.setAccessibleName("Block")
        # AdjustToContents would resize the box some time later, past its neighbour in a narrow window.
        self.block.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.block.activated.connect(self.block_chosen)
        self.present = tool("Present", tip("present"))
        self.present.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._set_speed()
        self._arrange()

    @property
    def position(self) -> int:
        """Present position in the playlist."""
        return self.scrubber.value()

    @property
    def marks(self) -> Marks:
        """Marks of the playlist."""
        return self._marks

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
        self._set_loop(Loop())
        self._offer_barriers(bool(marks.barriers))
        self.block.clear()
        words = [f"Block {name}" for name in marks.block_names]
        self.block.addItems(words)
        self.block.setMinimumContentsLength(round(max(map(len, words), default=0) * _LETTER_SHARE))
        self.block.setVisible(len(marks.block_names) > 1)
        self.setEnabled(length > 0)
        self.show_position()

    def show_position(self) -> None:
        """Write the counter and select the block of the present position."""
        self._counter.setText(f"{self.position + 1:,} / {self.scrubber.maximum() + 1:,}" if self.isEnabled() else "")
        count = f"{self.scrubber.maximum() + 1:,}"
        self._counter.setMinimumWidth(self._counter.fontMetrics().horizontalAdvance(f"{count} / {count} "))
        left = round(self.seconds_left)
        self._counter.setToolTip(f"{left // 60}:{left % 60:02} minutes to the end at this speed")
        turn = bisect_right(self._marks.turns, self.position) - 1
        self.block.setCurrentIndex(self._marks.turn_blocks[turn] if turn >= 0 else -1)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.scrubber.set_theme(theme)
        self.show_position()  # the counter's width follows the text size
        for button, name in self._symbols.items():
            button.setIcon(symbol(name, theme.text, theme.border))

    def bind_keys(self, widget: QWidget) -> None:
        """Let the keys of a widget move in time."""
        actions: dict[str, Callable[[], None]] = {
            "play": self.toggle,
            "back": lambda: self.step(-1),
            "forward": lambda: self.step(1),
            "phase_back": lambda: self.skip("phase", -1),
            "phase_forward": lambda: self.skip("phase", 1),
            "barrier_back": lambda: self.skip("barrier", -1),
            "barrier_forward": lambda: self.skip("barrier", 1),
            "first": self.first,
            "last": self.last,
            "stride": self.change_stride,
            "faster": lambda: self.change_speed(1),
            "slower": lambda: self.change_speed(-1),
            "loop_start": self.start_loop,
            "loop_end": self.end_loop,
            "loop_clear": self.clear_loop,
        }
        bind(widget, actions)
        bind_each(widget, "tenths", self.go_to_tenth)

    def go(self, position: int) -> None:
        """Move to a position, clamped to the playlist."""
        self.scrubber.setValue(position)

    def step(self, frames: int) -> None:
        """Pause and move by some frames."""
        self.pause()
        self.go(self.position + frames)

    def skip(self, stride: Stride, direction: int) -> None:
        """Pause and move to the next (1) or previous (-1) stop of a stride."""
        self.pause()
        self.go(self._marks.stop(stride, self.position, self.scrubber.maximum(), direction))

    def go_to_tenth(self, tenth: int) -> None:
        """Pause after so many tenths of the playlist."""
        self.pause()
        self.go(round(self.scrubber.maximum() * tenth / 10))

    def first(self) -> None:
        """Pause at the first frame."""
        self.pause()
        self.go(0)

    def last(self) -> None:
        """Pause at the last frame."""
        self.pause()
        self.go(self.scrubber.maximum())

    def change_speed(self, direction: int) -> None:
        """Play faster (1) or slower (-1)."""
        self.speed.setCurrentIndex(min(max(self.speed.currentIndex() + direction, 0), len(SPEEDS) - 1))

    def change_stride(self) -> None:
        """Play by the next unit: step, phase, barrier."""
        offered = len(STRIDES) if self._marks.barriers else len(STRIDES) - 1
        self.stride.setCurrentIndex((self.stride.currentIndex() + 1) % offered)

    @property
    def loop(self) -> Loop:
        """Range that is played again and again."""
        return self._loop

    def start_loop(self) -> None:
        """Start the loop at the present position."""
        self._set_loop(self._loop.starting(self.position))

    def end_loop(self) -> None:
        """End the loop at the present position."""
        self._set_loop(self._loop.ending(self.position))

    def clear_loop(self) -> None:
        """Play without a loop."""
        self._set_loop(Loop())

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Play; from the end of the run or of the loop, start at its beginning."""
        if self.isEnabled() and self.scrubber.maximum():
            first, last = self._loop.limits(self.scrubber.maximum())
            if self.position >= last:
                self.go(first)
            self._timer.start()
            self._show_playing()

    def pause(self) -> None:
        """Stop at the present position."""
        self._timer.stop()
        self._show_playing()

    @property
    def seconds_left(self) -> float:
        """Duration of playing from the present position to the end of the run."""
        stops = self._marks.stops(self._stride, self.scrubber.maximum())
        return int((stops > self.position).sum()) * self._timer.interval() / 1000

    @property
    def _stride(self) -> Stride:
        return list(STRIDES)[self.stride.currentIndex()]

    def _report_position(self, position: int) -> None:
        self.show_position()
        self.position_changed.emit(position)

    def _tick(self) -> None:
        """Show the next stop; in a loop, the first after the last. If the timer is late, frames are skipped."""
        first, last = self._loop.limits(self.scrubber.maximum())
        if self.position < last:
            self.go(min(last, self._marks.stop(self._stride, self.position, self.scrubber.maximum(), 1)))
        elif self._loop:
            self.go(first)
        else:
            self.pause()

    def _set_loop(self, loop: Loop) -> None:
        self._loop = loop
        self._clear.setEnabled(bool(loop))
        self.scrubber.set_loop(loop)
        first, last = loop.limits(self.scrubber.maximum())
        self._loop_words.setText(f"Loop {first + 1:,}–{last + 1:,}" if loop else "Loop")

    def _offer_barriers(self, some: bool) -> None:
        """Let the user play at barriers if there are any."""
        number = list(STRIDES).index("barrier")
        cast("QStandardItemModel", self.stride.model()).item(number).setEnabled(some)
        if not some and self.stride.currentIndex() == number:
            self.stride.setCurrentIndex(0)

    def _set_speed(self) -> None:
        self._timer.setInterval(round(FRAME_MS / SPEEDS[self.speed.currentIndex()]))

    def _show_playing(self) -> None:
        self._symbols[self._play] = "pause" if self.playing else "play"
        self._play.setIcon(symbol(self._symbols[self._play], self._theme.text, self._theme.border))

    def _button(self, name: Symbol, key: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("symbol", True)
        self._symbols[button] = name
        button.setIcon(symbol(name, self._theme.text, self._theme.border))
        button.setToolTip(tip(key))
        button.setAccessibleName(tip(key))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setIconSize(QSize(20, 20))
        button.clicked.connect(lambda: action())
        return button

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._button("first", "first", self.first))
        row.addWidget(self._button("back", "back", lambda: self.step(-1)))
        row.addWidget(self._play)
        row.addWidget(self._button("forward", "forward", lambda: self.step(1)))
        row.addWidget(self._button("last", "last", self.last))
        row.addWidget(self._counter)
        row.addStretch(1)
        row.addWidget(self._loop_words)
        row.addWidget(self._button("loop-start", "loop_start", self.start_loop))
        row.addWidget(self._button("loop-end", "loop_end", self.end_loop))
        row.addWidget(self._clear)
        row.addStretch(1)
        for box in (self.block, self.stride, self.speed):
            box.setMinimumWidth(_LEAST_BOX_PX)  # in a narrow window they give way to the buttons
            row.addWidget(box)
        row.addWidget(self.present)
        self.setTabOrder(self.block, self.stride)
        self.setTabOrder(self.stride, self.speed)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 0, 8, 0)
        outer.setSpacing(0)
        outer.addWidget(self.scrubber)
        outer.addLayout(row)
