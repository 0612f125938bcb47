"""Drawer: the narrow panel at the side of the window, with a title, a text that scrolls, and a row of buttons."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from gui.widgets.controls import label, scrolled, tool, vbox

_LETTERS: Final = 27
"""Least width of the text, in letters."""

_GAP: Final = 10


class Drawer(QFrame):
    """Panel beside a page, in the window and while presenting.

    Parameters
    ----------
    name : str
        What it shows, for screen readers.
    parent : QWidget, optional

    Signals
    -------
    close_requested()
        What it shows is to be left.
    """

    close_requested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drawer")
        self.setAccessibleName(name)
        self._body = QWidget(self)
        self._points: float | None = None
        self.title = label(role="muted", line=True)
        self.close_button = tool("×", f"Leave the {name.lower()}", self.close_requested.emit)
        self.close_button.setAccessibleName(f"Leave the {name.lower()}")
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        text = QWidget()
        text.setMinimumWidth(1)  # the text wraps at the drawer's width, however wide a button would like to be
        self.column = vbox(text, (0, 0, 4, 0), spacing=_GAP)
        self.text_room = scrolled(text)
        self._revealed: QWidget | None = None
        """Part of the text that is kept in sight while it is laid out, until the user scrolls."""
        bar = self.text_room.verticalScrollBar()
        bar.rangeChanged.connect(self._scroll)
        bar.actionTriggered.connect(lambda: self._keep_in_sight(None))
        self.foot = QVBoxLayout()
        around = vbox(self)
        around.addWidget(self._body)
        outer = vbox(self._body, (_GAP, 6, _GAP, 6))
        outer.addLayout(head)
        outer.addWidget(self.text_room, 1)
        outer.addLayout(self.foot)
        self.set_text_size(None)

    def set_text_size(self, points: float | None) -> None:
        """Change the size of the text, as for a presentation; None for that of the application."""
        sheet = f"QLabel, QPushButton, QToolButton, QLineEdit {{ font-size: {points:.1f}pt; }}" if points else ""
        self._body.setStyleSheet(sheet)
        self._points = points
        self._fit()

    def show_start(self) -> None:
        """Scroll to the start of the text."""
        self._keep_in_sight(None)
        self.text_room.verticalScrollBar().setValue(0)

    def reveal_part(self, part: QWidget) -> None:
        """Scroll to a part of the text that has just been shown."""
        self._keep_in_sight(part)
        self.column.activate()
        self._scroll()

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the letters of a line when the text size of the application changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _keep_in_sight(self, part: QWidget | None) -> None:
        self._revealed = part

    def _scroll(self) -> None:
        if self._revealed is not None:
            self.text_room.ensureWidgetVisible(self._revealed, 0, _GAP)

    def _fit(self) -> None:
        font = QApplication.font()
        font.setPointSizeF(self._points or font.pointSizeF())
        self.setMinimumWidth(QFontMetrics(font).averageCharWidth() * _LETTERS)
