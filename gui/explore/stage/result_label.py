"""Result label: whether the results are right so far; a click or Enter jumps to the first wrong write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gui.theming.style import TEXT_PT

if TYPE_CHECKING:
    from gui.theming.theme import Theme
    from kernels.narration.results import ResultLine

_MARGIN_PX = 12
_MOST_SHARE = 0.24
"""Share of the row that text of two lines may take."""


class ResultLabel(QPushButton):
    """Verdict on the results in two or three lines, as a button if there is a wrong one.

    It keeps the width of the widest verdict since `reset`, so that the caption next to it does not move.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._line: ResultLine | None = None
        self._widest = 0
        self._sheet = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.hide()

    def reset(self) -> None:
        """Forget the width of earlier verdicts."""
        self._widest = 0
        self.show_line(None)

    def show_line(self, line: ResultLine | None) -> None:
        """Show a verdict; hide without one."""
        self._line = line
        self.setVisible(line is not None)
        if line is None:
            return
        wrong = line.mark == "✗"
        self.setAccessibleName(f"Result: {line.sentence}")
        self.setToolTip("Show the step that wrote the first wrong element" if wrong else "")
        # Without a wrong element there is nothing to jump to: Tab and clicks pass it over.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if wrong else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not wrong)
        self.setCursor(Qt.CursorShape.PointingHandCursor if wrong else Qt.CursorShape.ArrowCursor)
        self._colour()
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self._colour()

    def set_text_size(self, points: float) -> None:
        """Change the size of the text."""
        font = self.font()
        font.setPointSizeF(max(TEXT_PT[0], points))
        self.setFont(font)
        self._widest = 0
        self._fit()

    def sizeHint(self) -> QSize:
        """Return the size of the text with its margins."""
        lines = self.text().split("\n")
        metrics = QFontMetrics(self.font())
        width = max((metrics.horizontalAdvance(line) for line in lines), default=0)
        return QSize(width + 2 * _MARGIN_PX, metrics.lineSpacing() * len(lines) + _MARGIN_PX // 2)

    def _fit(self) -> None:
        """Break the text where it would take too much of the caption's room."""
        if self._line is None:
            return
        lines = [part for part in (f"{self._line.mark} {self._line.summary}".strip(), self._line.detail) if part]
        self.setText("\n".join(lines))
        parent = self.parentWidget()
        if parent is not None and self.sizeHint().width() > parent.width() * _MOST_SHARE:
            self.setText("\n".join(lines).replace(", ", ",\n"))
        size = self.sizeHint()
        self._widest = max(self._widest, size.width())
        self.setFixedSize(self._widest, size.height())

    def _colour(self) -> None:
        wrong = self._line is not None and self._line.mark == "✗"
        edge, ink = (self._theme.hazard, self._theme.hazard) if wrong else ("transparent", self._theme.text)
        width = 2 if wrong else 0
        sheet = (
            f"QPushButton {{ text-align: left; padding: 2px 8px; background: {self._theme.panel if wrong else 'none'};"
            f" color: {ink}; border: {width}px solid {edge}; border-radius: 4px; }}"
            f" QPushButton:focus {{ border: 3px solid {self._theme.accent}; }}"
        )
        if sheet != self._sheet:  # Qt polishes the button again for every sheet
            self._sheet = sheet
            self.setStyleSheet(sheet)
