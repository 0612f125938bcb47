"""Dialog for a picture or a film: colours, size, and for a film its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.explore.timeline.marks import STRIDES, Loop, Marks, Stride
from gui.explore.timeline.timeline import FRAME_MS
from gui.theming.theme import DARK, LIGHT
from gui.widgets.controls import label, scale_with_text

if TYPE_CHECKING:
    from gui.theming.theme import Theme

SIZES: Final = (QSize(1920, 1080), QSize(1280, 720))

_WIDTH_PX: Final = 400

MOST_FILMED: Final = 1000
"""Maximum number of steps of a film: each takes about 20 KiB and 30 ms."""

MOST_MOVING: Final = 150
"""Maximum number of steps of a film with motion, which takes three times as much."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be written."""

    theme: Theme
    size: QSize
    positions: tuple[int, ...] = ()
    """Positions of the steps of a film in the playlist."""
    moving: bool = False
    """True for a film with motion between its steps."""


@dataclass(frozen=True, slots=True)
class FilmOffer:
    """Steps that a film can have."""

    count: int
    """Number of steps of the playlist."""
    marks: Marks
    position: int
    """Position that is shown."""
    loop: Loop
    """Range that is played again and again, which is then proposed."""
    moving: bool
    """True if steps are shown with motion."""

    def block(self) -> tuple[int, int]:
        """Return the first and last position of the turn of the block that is shown."""
        starts = [*self.marks.turns, self.count]
        turn = sum(first <= self.position for first in self.marks.turns) - 1
        return starts[max(turn, 0)], starts[max(turn, 0) + 1] - 1


class ExportDialog(QDialog):
    """Dialog for a picture, or for a film if steps are offered.

    Signals
    -------
    chosen(Choice)
        It is to be written.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, film: FilmOffer | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._film = film
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export a picture of this step" if film is None else "Export a film")
        self.colours = _choice("Colours", ["Light", "Dark"], int(theme.dark))
        sizes = [f"{size.width()} × {size.height()}" for size in SIZES]
        self.size_choice = _choice("Size", sizes, 0 if film is None else 1)
        self.setMinimumWidth(scale_with_text(_WIDTH_PX))
        form = QFormLayout()
        if film is not None:
            self._add_steps(form, film)
        form.addRow("&Colours", self.colours)
        form.addRow("&Size in pixels", self.size_choice)
        self.words = label(role="muted", line=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = buttons.addButton("Save &as…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("primary", "true")
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.words)
        column.addWidget(buttons)
        self._describe()

    @property
    def choice(self) -> Choice:
        """What is chosen now."""
        theme, size = (DARK if self.colours.currentIndex() else LIGHT), SIZES[self.size_choice.currentIndex()]
        if self._film is None:
            return Choice(theme, size)
        first, last = self.first.value() - 1, self.last.value() - 1
        stride: Stride = list(STRIDES)[self.stride.currentIndex()]
        stops = self._film.marks.stops(stride, self._film.count - 1)
        shown = tuple(int(at) for at in stops if first <= at <= last)
        return Choice(theme, size, shown, self.motion.isChecked() and len(shown) <= MOST_MOVING)

    def _add_steps(self, form: QFormLayout, film: FilmOffer) -> None:
        begin, end = film.block()
        first, last = film.loop.limits(film.count - 1)
        self._ranges = [(0, film.count - 1), (begin, end)]
        names = ["The whole run", "The block that is shown"]
        if film.loop:
            self._ranges.append((first, last))
            names.append("The loop")
        self._ranges.append((first, last))
        self.range = _choice("Part of the run", [*names, "From … to …"], 2 if film.loop else 0)
        self.first, self.last = QSpinBox(), QSpinBox()
        for box, name, value in ((self.first, "First step", first), (self.last, "Last step", last)):
            box.setRange(1, film.count)
            box.setValue(value + 1)
            box.setAccessibleName(name)
        strides = [words for stride, words in STRIDES.items() if stride != "barrier" or film.marks.barriers]
        self.stride = _choice("A picture for each step, phase or barrier", strides, 0)
        self.motion = QCheckBox("Values &move between steps")
        self.motion.setChecked(film.moving)
        steps = QHBoxLayout()
        steps.addWidget(self.first)
        steps.addWidget(label("to"))
        steps.addWidget(self.last)
        steps.addStretch(1)
        form.addRow("&Part", self.range)
        form.addRow("Steps", steps)
        form.addRow("P&ictures", self.stride)
        form.addRow("", self.motion)
        self.range.currentIndexChanged.connect(self._apply_range)
        self.first.valueChanged.connect(self._follow_steps)
        self.last.valueChanged.connect(self._follow_steps)
        self.stride.currentIndexChanged.connect(self._describe)
        self.motion.toggled.connect(self._describe)

    def _apply_range(self, number: int) -> None:
        """Show the steps of a part of the run."""
        if number < len(self._ranges) - 1:
            for box, value in zip((self.first, self.last), self._ranges[number], strict=True):
                box.blockSignals(True)
                box.setValue(value + 1)
                box.blockSignals(False)
        self._describe()

    def _follow_steps(self) -> None:
        """Choose "From … to …" when a step is typed."""
        self.range.setCurrentIndex(len(self._ranges) - 1)
        self._describe()

    def _describe(self) -> None:
        """Say how long the film will be, or why it cannot be written."""
        if self._film is None:
            self.words.setText("PNG, or SVG for a picture that can be enlarged. The caption is written below it.")
            return
        count = len(self.choice.positions)
        why = ""
        if not count:
            why = "The first step must not be after the last one."
        elif count > MOST_FILMED:
            why = f"A film has at most {MOST_FILMED:,} pictures; this one would have {count:,}. Choose fewer steps."
        still = f" More than {MOST_MOVING} pictures are shown without motion." if count > MOST_MOVING else ""
        seconds = count * FRAME_MS // 1000
        self.motion.setEnabled(count <= MOST_MOVING)
        self.words.setText(why or f"{count:,} pictures, {seconds // 60}:{seconds % 60:02} minutes.{still}")
        self.save.setEnabled(not why)

    def _accept(self) -> None:
        choice = self.choice
        self.accept()
        self.chosen.emit(choice)


def _choice(name: str, entries: list[str], current: int) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.addItems(entries)
    box.setCurrentIndex(current)
    return box
