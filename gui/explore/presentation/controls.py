"""Controls over the picture while presenting: they appear when the mouse moves, and fade after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPropertyAnimation, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsOpacityEffect, QHBoxLayout, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QToolButton

STAY_MS: Final = 3000
"""Time after the last movement of the mouse."""

_FADE_MS: Final = 400


class PresenterControls(QFrame):
    """Frame with borrowed controls in rows, and the buttons of the presentation in the last one."""

    def __init__(self, parent: QWidget, buttons: Iterable[QToolButton]) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(8, 4, 8, 4)
        self._rows.setSpacing(2)
        self._last = QHBoxLayout()
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setProperty("narrow", True)
            self._last.addWidget(button)
        self._rows.addLayout(self._last)
        self._effect = QGraphicsOpacityEffect(self)
        self._effect.setEnabled(False)
        self.setGraphicsEffect(self._effect)
        self._fade = QPropertyAnimation(self._effect, b"opacity", self)
        self._fade.setDuration(_FADE_MS)
        self._fade.setStartValue(1.0)
        self._fade.setEndValue(0.0)
        self._fade.finished.connect(self.hide)
        self._stay = QTimer(self, singleShot=True, interval=STAY_MS)
        self._stay.timeout.connect(self._begin_fade)
        self.hide()

    def add_row(self, part: QWidget) -> None:
        """Add a row above the others."""
        self._rows.insertWidget(0, part)

    def add_before_buttons(self, part: QWidget) -> None:
        """Add a part at the left of the buttons."""
        self._last.insertWidget(0, part, 1)

    def height_in(self, width: int) -> int:
        """Return the height that the rows need in a width."""
        return self._rows.totalHeightForWidth(width) if self._rows.hasHeightForWidth() else self.sizeHint().height()

    def appear(self) -> None:
        """Show the controls, and fade them after a while."""
        self._fade.stop()
        self._effect.setEnabled(False)
        self.show()
        self.raise_()
        self._stay.start()

    def stop(self) -> None:
        """Hide the controls at once."""
        self._fade.stop()
        self._stay.stop()
        self.hide()

    def _begin_fade(self) -> None:
        """Fade, unless the controls are in use."""
        focus = QApplication.focusWidget()
        used = self.underMouse() or QApplication.activePopupWidget() is not None
        if used or (focus is not None and self.isAncestorOf(focus)):
            self._stay.start()
            return
        self._effect.setEnabled(True)
        self._fade.start()
