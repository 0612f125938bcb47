"""The facts about what is pointed at, in a few lines under the listing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gui.explore.facts import facts

if TYPE_CHECKING:
    from gui.explore.scene import Scene
    from gui.explore.stage import Stage
    from gui.theme import Theme

_LINES = 10


class Inspector(QWidget):
    """Keeps its height, so that the picture does not move while the pointer does."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(8, 4, 4, 4)
        outer.addWidget(self.text)
        self.set_text_size(self.font().pointSizeF())

    def show_scene(self, stage: Stage, scene: Scene) -> None:
        """Tell about the scene's focus."""
        found = facts(stage, scene)
        rows = "".join(
            f"<tr><td style='color:{self._theme.muted}; padding-right:8px'>{escape(label)}</td>"
            f"<td>{escape(text)}</td></tr>"
            for label, text in found.lines
        )
        self.text.setText(f"<b>{escape(found.heading)}</b><table cellspacing='0'>{rows}</table>")

    def set_text_size(self, points: float) -> None:
        """Change the size of the text, and the height kept for it."""
        font = self.font()
        font.setPointSizeF(points)
        self.text.setFont(font)
        self.setFixedHeight(int(self.text.fontMetrics().lineSpacing() * _LINES))

    def show_nothing(self) -> None:
        """Say nothing."""
        self.text.clear()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours; the text follows with the next scene."""
        self._theme = theme
