"""Occupancy figures in large type, with limiting resource, remedy and origin of the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.theming.theme import LIGHT
from gui.widgets.controls import ElidedLabel, Role, add_parts, bold, label, show_text, vbox
from gui.widgets.flow_layout import FlowLayout
from kernels.occupancy import words
from kernels.occupancy.advice import advise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from gui.theming.theme import Theme
    from kernels.occupancy import Occupancy
    from kernels.occupancy.curve import Point

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
        self.share.value.setText(words.percent(occupancy.fraction))
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
