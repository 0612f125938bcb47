"""Key to the styles of lines: the run that each style stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theming.theme import LIGHT
from gui.widgets.plot_curves import DASHES, LINE_PX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QPaintEvent

    from gui.theming.theme import Theme

_SAMPLE_PX: Final = 34
_GAP_PX: Final = 6
_BETWEEN_PX: Final = 18
_LEAST_LETTERS: Final = 6
"""A shorter piece of a name says nothing; the tooltip has all names."""


class RunKey(QWidget):
    """One line with a piece of each style and the name of its run; empty while one run is shown."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self._runs: dict[int, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_runs(self, runs: Mapping[int, str]) -> None:
        """Set the names of the runs, by the style of their lines."""
        if runs == self._runs:
            return
        self._runs = dict(sorted(runs.items())) if any(runs) else {}
        self.setToolTip("\n".join(self._runs.values()))
        self.setAccessibleName(f"Runs: {', '.join(self._runs.values())}" if self._runs else "")
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint pieces and names; the last name is elided where there is no room."""
        painter = QPainter(self)
        metrics, middle, x = self.fontMetrics(), self.height() // 2, 0
        for dash, name in self._runs.items():
            room = self.width() - x - _SAMPLE_PX - _GAP_PX
            if room < metrics.averageCharWidth() * _LEAST_LETTERS:
                break
            painter.setPen(QPen(QColor(self._theme.text), LINE_PX, DASHES[dash % len(DASHES)]))
            painter.drawLine(x, middle, x + _SAMPLE_PX, middle)
            x += _SAMPLE_PX + _GAP_PX
            words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(x, middle + (metrics.ascent() - metrics.descent()) // 2, words)
            x += metrics.horizontalAdvance(words) + _BETWEEN_PX
        painter.end()
