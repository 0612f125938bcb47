"""Timeline: play, step, scrub and loop, with marks for phases, barriers and hazards."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QLabel, QMenu, QToolButton, QWidget

from gui.explore.timeline.marks import STRIDES, Loop, Marks, Stride
from gui.explore.timeline.scrubber import Scrubber
from gui.widgets.choices import add_choices, check_choice
from gui.widgets.controls import StageButton, hbox
from gui.widgets.keys import KEYS, bind, bind_each, tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.theming.theme import Theme

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_FIGURE_SPACE: Final = "\u2007"
"""Space as wide as a digit: the counter keeps its width while steps are played."""

FRAME_MS: Final = 1000
"""Duration of a frame at speed 1."""

Symbol = Literal["play", "pause", "forward", "back", "first", "last"]

_SIDE: Final = 64
"""Width and height of a symbol, pixels."""

_SYMBOLS: Final[dict[Symbol, tuple[tuple[float, ...], tuple[tuple[float, float], ...]]]] = {
    "play": ((), ((0.24, 0.86),)),
    "pause": ((0.24, 0.58), ()),
    "forward": ((0.16,), ((0.38, 0.88),)),
    "back": ((0.70,), ((0.62, 0.12),)),
    "first": ((0.12,), ((0.56, 0.28), (0.90, 0.58))),
    "last": ((0.76,), ((0.44, 0.72), (0.10, 0.42))),
}
"""Left edges of the bars, and (start, tip) of the arrows, as shares of the side."""


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
        self._until: int | None = None
        """Position at which playing ends; None for the end of the run."""
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.scrubber = Scrubber(theme, self)
        self.scrubber.valueChanged.connect(self._report_position)
        self.scrubber.sliderPressed.connect(self.pause)
        self._symbols: dict[QToolButton, Symbol] = {}
        self._theme = theme
        self._play = self._button("play", "play", self.toggle)
        self._counter = QLabel(self)
        self._stride: Stride = "step"
        self._speed = SPEEDS.index(1.0)
        self.pace = StageButton("", "Speed, unit of playing, loop, and blocks to go to")
        self.pace.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.pace)
        self.pace.setMenu(self.menu)
        self._fill_menu()
        self._set_pace()
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
        self._set_loop(Loop())
        self._offer_barriers(bool(marks.barriers))
        self.blocks.menuAction().setVisible(len(marks.block_names) > 1)
        self.setEnabled(length > 0)
        self._show_position()

    def _show_position(self) -> None:
        """Write the counter."""
        count = f"{self.scrubber.maximum() + 1:,}"
        number = f"{self.position + 1:,}".rjust(len(count), _FIGURE_SPACE)
        self._counter.setText(f"{number} / {count} " if self.isEnabled() else "")
        left = round(self.seconds_left)
        self._counter.setToolTip(f"{left // 60}:{left % 60:02} minutes to the end at this speed")

    @property
    def block(self) -> int:
        """Number of the block that is played, in the list of blocks; -1 without one."""
        turn = bisect_right(self._marks.turns, self.position) - 1
        return self._marks.turn_blocks[turn] if turn >= 0 else -1

    @property
    def speed(self) -> float:
        """Speed; at 1 a frame lasts a second."""
        return SPEEDS[self._speed]

    @property
    def stride(self) -> Stride:
        """Unit of playing."""
        return self._stride

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.scrubber.set_theme(theme)
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

    def stop_at(self, position: int) -> None:
        """Pause and move to a position."""
        self.pause()
        self.go(position)

    def step(self, frames: int) -> None:
        """Pause and move by some frames."""
        self.stop_at(self.position + frames)

    def skip(self, stride: Stride, direction: int) -> None:
        """Pause and move to the next (1) or previous (-1) stop of a stride."""
        self.stop_at(self._marks.stop(stride, self.position, self.scrubber.maximum(), direction))

    def go_to_tenth(self, tenth: int) -> None:
        """Pause after so many tenths of the playlist."""
        self.stop_at(round(self.scrubber.maximum() * tenth / 10))

    def first(self) -> None:
        """Pause at the first frame."""
        self.stop_at(0)

    def last(self) -> None:
        """Pause at the last frame."""
        self.stop_at(self.scrubber.maximum())

    def change_speed(self, direction: int) -> None:
        """Play faster (1) or slower (-1)."""
        self.set_speed(SPEEDS[min(max(self._speed + direction, 0), len(SPEEDS) - 1)])

    def set_speed(self, speed: float) -> None:
        """Play at one of the speeds."""
        self._speed = SPEEDS.index(speed)
        self._set_pace()

    def change_stride(self) -> None:
        """Play by the next unit: step, phase, barrier."""
        offered = [action.data() for action in self._strides.actions() if action.isEnabled()]
        self.set_stride(offered[(offered.index(self._stride) + 1) % len(offered)])

    def set_stride(self, stride: Stride) -> None:
        """Play by another unit."""
        self._stride = stride
        self._set_pace()

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

    def arrive(self, position: int, lead: int) -> None:
        """Play the `lead` positions before a position, and stop there."""
        self.go(max(0, position - lead))
        if self.position < position:
            self.play()
            self._until = position

    def pause(self) -> None:
        """Stop at the present position."""
        self._until = None
        self._timer.stop()
        self._show_playing()

    @property
    def seconds_left(self) -> float:
        """Duration of playing from the present position to the end of the run."""
        stops = self._marks.stops(self._stride, self.scrubber.maximum())
        return int((stops > self.position).sum()) * self._timer.interval() / 1000

    def _report_position(self, position: int) -> None:
        self._show_position()
        self.position_changed.emit(position)

    def _tick(self) -> None:
        """Show the next stop; in a loop, the first after the last. If the timer is late, frames are skipped."""
        first, last = self._loop.limits(self.scrubber.maximum())
        if self._until is not None:
            first, last = 0, self._until
        if self.position < last:
            self.go(min(last, self._marks.stop(self._stride, self.position, self.scrubber.maximum(), 1)))
        elif self._loop and self._until is None:
            self.go(first)
        else:
            self.pause()

    def _set_loop(self, loop: Loop) -> None:
        self._loop = loop
        self._clear.setEnabled(bool(loop))
        self.scrubber.set_loop(loop)
        self._set_pace()

    def _offer_barriers(self, some: bool) -> None:
        """Let the user play at barriers if there are any."""
        for action in self._strides.actions():
            if action.data() == "barrier":
                action.setEnabled(some)
        if not some and self._stride == "barrier":
            self.set_stride("step")

    def _set_pace(self) -> None:
        """Apply speed and unit, and say them on the button with the loop: "2× by phase, loop 3–8"."""
        self._timer.setInterval(round(FRAME_MS / self.speed))
        first, last = self._loop.limits(self.scrubber.maximum())
        unit = f" {STRIDES[self._stride]}" if self._stride != "step" else ""
        loop = f", loop {first + 1:,}–{last + 1:,}" if self._loop else ""
        self.pace.setText(f"{self.speed:g}×{unit}{loop} ▾")
        self.pace.setAccessibleName(f"Speed {self.speed:g}, {STRIDES[self._stride]}{loop}")
        check_choice(self._speeds, self.speed)
        check_choice(self._strides, self._stride)

    def _fill_menu(self) -> None:
        self.menu.addSection(f"Speed ({KEYS['faster'].words} {KEYS['slower'].words})")
        self._speeds = add_choices(self.menu, {speed: f"{speed:g}×" for speed in SPEEDS}, self.set_speed)
        self.menu.addSection(f"Play ({KEYS['stride'].words})")
        self._strides = add_choices(self.menu, STRIDES, self.set_stride)
        self.menu.addSection("Loop")
        for text, key, act in (
            ("Start here", "loop_start", self.start_loop),
            ("End here", "loop_end", self.end_loop),
        ):
            self.menu.addAction(f"{text}\t{KEYS[key].words}", act)
        self._clear = self.menu.addAction(f"Clear\t{KEYS['loop_clear'].words}", self.clear_loop)
        self.menu.addSeparator()
        self.blocks = self.menu.addMenu("Go to block")
        self.blocks.aboutToShow.connect(self._list_blocks)

    def _list_blocks(self) -> None:
        """List the blocks when the list is opened: there may be thousands."""
        self.blocks.clear()
        for number, name in enumerate(self._marks.block_names):
            action = self.blocks.addAction(f"Block {name}")
            action.setCheckable(True)
            action.setChecked(number == self.block)
            action.triggered.connect(partial(self.block_chosen.emit, number))

    def _show_playing(self) -> None:
        self._symbols[self._play] = "pause" if self.playing else "play"
        self._play.setIcon(symbol(self._symbols[self._play], self._theme.text, self._theme.border))

    def _button(self, name: Symbol, key: str, action: Callable[[], None]) -> QToolButton:
        button = StageButton("", tip(key), action)
        button.setProperty("symbol", True)
        self._symbols[button] = name
        button.setIcon(symbol(name, self._theme.text, self._theme.border))
        button.setAccessibleName(tip(key))
        button.setIconSize(QSize(20, 20))
        return button

    def _arrange(self) -> None:
        row = hbox(self, (8, 0, 8, 0), spacing=2)
        row.addWidget(self._button("first", "first", self.first))
        row.addWidget(self._button("back", "back", lambda: self.step(-1)))
        row.addWidget(self._play)
        row.addWidget(self._button("forward", "forward", lambda: self.step(1)))
        row.addWidget(self._button("last", "last", self.last))
        row.addWidget(self.scrubber, 1)
        row.addWidget(self._counter)
        row.addWidget(self.pace)


def symbol(name: Symbol, color: str, disabled: str) -> QIcon:
    """Draw a symbol in two colours, for a button and for a disabled one; it is the same on every system."""
    icon = QIcon(_draw(name, color))
    icon.addPixmap(_draw(name, disabled), QIcon.Mode.Disabled)
    return icon


def _draw(name: Symbol, color: str) -> QPixmap:
    pixmap = QPixmap(_SIDE, _SIDE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    bars, arrows = _SYMBOLS[name]
    for x in bars:
        painter.drawRect(QRectF(x * _SIDE, 0.16 * _SIDE, 0.14 * _SIDE, 0.68 * _SIDE))
    for start, end in arrows:
        corners = ((start, 0.14), (end, 0.5), (start, 0.86))
        painter.drawPolygon(QPolygonF([QPointF(x * _SIDE, y * _SIDE) for x, y in corners]))
    painter.end()
    return pixmap
