"""Inspector: facts about the focus, in a few lines under the listing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gui.explore.scene.facts import facts
from gui.theming.style import TEXT_PT
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from gui.explore.scene.scene import Scene
    from gui.explore.scene.stage import Stage
    from gui.theming.theme import Theme

_LINES = 10


class Inspector(QWidget):
    """Text of constant height, so that the picture does not move with the pointer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._points = TEXT_PT[0]
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.area = QScrollArea(widgetResizable=True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.area.setAccessibleName("Facts about what is pointed at")
        self.area.setWidget(self.text)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 4, 0, 4)
        outer.addWidget(self.area)
        self.set_text_size(self.font().pointSizeF())

    def show_scene(self, stage: Stage, scene: Scene) -> None:
        """Show the facts about the scene's focus."""
        found = facts(stage, scene)
        rows = "".join(
            f"<tr><td style='color:{self._theme.muted}; padding-right:8px'>{escape(label)}</td>"
            f"<td>{escape(escape_controls(text))}</td></tr>"
            for label, text in found.lines
        )
        heading = escape(escape_controls(found.heading))
        self.text.setText(f"<b>{heading}</b><table cellspacing='0'>{rows}</table>")
        self._fit()

    def set_text_size(self, points: float) -> None:
        """Change the size of the text, and the height reserved for it."""
        self._points = points
        self._write(points)
        self.setFixedHeight(int(self.text.fontMetrics().lineSpacing() * _LINES))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text into the other width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Use the largest text that fits, at least the normal size; longer text scrolls."""
        points = self._points
        self._write(points)
        while points > TEXT_PT[0] and self._height() > self.area.height():
            points = max(TEXT_PT[0], points - 0.5)
            self._write(points)

    def _height(self) -> int:
        return self.text.heightForWidth(self.area.width())

    def _write(self, points: float) -> None:
        font = self.font()
        font.setPointSizeF(points)
        self.text.setFont(font)

    def clear(self) -> None:
        """Clear the text."""
        self.text.clear()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours; the text follows with the next scene."""
        self._theme = theme
