"""Occupancy figures in large type, with limit, remedy and origin, and the block that occupancy chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.theming.theme import LIGHT
from gui.widgets.controls import ElidedLabel, Role, add_parts, bold, label, push_button, show_text, vbox
from gui.widgets.flow_layout import FlowLayout
from kernels.occupancy import words
from kernels.occupancy.advice import advise
from kernels.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from gui.theming.theme import Theme
    from kernels.launch import Dim3
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Point
    from kernels.occupancy.suggest import Suggestion

_FIGURE_PX: Final = (30, 54)
_LARGER_PT: Final = 3.0
_WIDTHS_PX: Final = (460, 860)
"""Figures grow from the smaller to the larger size, and text by this amount, between these widths of the widget."""


class Figure(QWidget):
    """One number in large type with its unit below."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.value = QLabel()
        self.unit = QLabel(unit)
        self.unit.setProperty("role", "muted")
        column = vbox(self, spacing=0)
        add_parts(column, self.value, self.unit)


class Headline(QWidget):
    """Three figures and a few lines of text."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self.blocks = Figure("resident blocks per SM")
        self.warps = Figure("warps per SM")
        self.share = Figure("occupancy")
        self.limits = _text_label(heavy=True)
        self.remedy = _text_label()
        self.origin = ElidedLabel("muted")
        self.origin.set_lines(3)
        self.status = _text_label(role="warning")
        self.status.hide()

        self._figures = QWidget()
        row = FlowLayout(self._figures)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(24)
        add_parts(row, self.blocks, self.warps, self.share)
        column = vbox(self, spacing=4)
        add_parts(column, self._figures, self.limits, self.remedy, self.origin, self.status)

    def show_occupancy(self, occupancy: Occupancy, points: Sequence[Point]) -> None:
        """Show figures and explanation of an occupancy; `points` are those of the chart."""
        self.blocks.value.setText(f"{occupancy.resident_blocks}")
        self.warps.value.setText(f"{occupancy.resident_warps}/{occupancy.device.warps_per_sm}")
        self.share.value.setText(percent(occupancy.fraction))
        self.limits.setText(words.sentence(occupancy).replace(" %", "\N{NO-BREAK SPACE}%"))
        self.remedy.setText(" ".join(t for t in (advise(occupancy, points), words.idle_lanes(occupancy)) if t))
        self.origin.say(f"{words.resources(occupancy)}; {occupancy.resources.origin}.")
        for widget in (self._figures, self.remedy, self.origin):
            widget.show()

    def show_refusal(self, why: str) -> None:
        """Show why there are no figures."""
        self.limits.setText(why)
        for widget in (self._figures, self.remedy, self.origin):
            widget.hide()

    def show_status(self, text: str) -> None:
        """Show current work or an error; hide the line if empty."""
        show_text(self.status, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the type with the width."""
        super().resizeEvent(event)
        self._size_text()

    def _size_text(self) -> None:
        low, high = _WIDTHS_PX
        share = min(max((self.width() - low) / (high - low), 0.0), 1.0)
        points = self.font().pointSizeF() + share * _LARGER_PT
        for line in (self.limits, self.remedy, self.origin, self.status):
            font = line.font()
            font.setPointSizeF(points + (1 if line is self.limits else 0))
            line.setFont(font)
        for figure in (self.blocks, self.warps, self.share):
            font = figure.value.font()
            font.setPixelSize(int(_FIGURE_PX[0] + share * (_FIGURE_PX[1] - _FIGURE_PX[0])))
            font.setBold(True)
            figure.value.setFont(font)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.share.value.setStyleSheet(f"color: {theme.accent}")
        self._size_text()


def _text_label(*, heavy: bool = False, role: Role = "plain") -> QLabel:
    made = label(role=role, line=True)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    if heavy:
        made.setFont(bold(made.font()))
    return made


class SuggestedBlock(QWidget):
    """Panel with a suggested block.

    Signals
    -------
    block_chosen(Dim3)
        The suggested block was selected.
    """

    block_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._block: Dim3 | None = None
        self.button = push_button("Choose by occupancy", slot=lambda: self.block_chosen.emit(self._block))
        self.lines = label(line=True)
        column = vbox(self)
        add_parts(column, self.button, self.lines)

    def show_suggestion(self, suggestion: Suggestion, present: Dim3) -> None:
        """Show how the block is chosen; `present` is the selected block."""
        self._block = suggestion.block
        taken = suggestion.block == present
        self.button.setText(
            f"{suggestion.block} is the block chosen by occupancy"
            if taken
            else f"Choose by occupancy: {suggestion.block}"
        )
        self.button.setEnabled(not taken)
        self.lines.setText("\n".join(f"{n}.  {line}" for n, line in enumerate(suggestion.lines, 1)))

    def show_refusal(self, why: str) -> None:
        """Show why there is no suggestion."""
        self.button.setText("Choose by occupancy")
        self.button.setEnabled(False)
        self.lines.setText(why)
