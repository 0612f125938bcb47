"""The few kinds of widgets that every page is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QTableView, QToolButton, QWidget

from gui.theming.style import TEXT_PT
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent, QResizeEvent

_ROW_GAP_PX: Final = 8
_LINES: Final = 2
_TALL_PX: Final = 10_000

Role = Literal["plain", "heading", "muted", "caption", "warning"]


class Choice(QComboBox):
    """A box to choose from; `walking` while arrow keys go through it, not when its open list is picked from."""

    walking = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take another entry, as the keys say."""
        self.walking = True
        try:
            super().keyPressEvent(event)
        finally:
            self.walking = False


class Table(QTableView):
    """Rows to read, as high as the text; Tab goes on to what follows it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.verticalHeader().hide()
        self._fit_rows()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the rows as high as the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROW_GAP_PX)


class Words(QLabel):
    """Words in at most two lines: what does not fit is left out, and told where the pointer rests."""

    def __init__(self, role: Role = "plain") -> None:
        super().__init__()
        self._whole = ""
        self.setProperty("role", role)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        """Little: there is always less to say."""
        return QSize(0, self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._fit()

    @property
    def whole(self) -> str:
        """All of the words."""
        return self._whole

    def say(self, text: str) -> None:
        """Show other words."""
        self._whole = escape_lines(text)
        self.setToolTip(self._whole)
        self._fit()

    def _fit(self) -> None:
        shown, room = self._whole, self.contentsRect()
        most = _LINES * self.fontMetrics().lineSpacing() + 1
        words = self._whole.split(" ")
        while len(words) > 1 and self._height(shown, room.width()) > most:
            words.pop()
            shown = " ".join(words) + " …"
        if shown != self.text():
            self.setText(shown)

    def _height(self, text: str, width: int) -> int:
        room = QRect(0, 0, width, _TALL_PX)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()


def label(text: str = "", role: Role = "plain", *, line: bool = False) -> QLabel:
    """Return a label; a `line` is one that says something new now and then: it wraps and can be copied."""
    made = QLabel(text)
    made.setProperty("role", role)
    if line:
        made.setWordWrap(True)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def field(name: str, text: str = "", tip: str = "") -> QLineEdit:
    """Return a field to type into, with the name that a screen reader says."""
    made = QLineEdit(text)
    made.setAccessibleName(name)
    made.setToolTip(tip)
    return made


def tool(text: str, tip: str, slot: Callable[[], object] | None = None) -> QToolButton:
    """Return a button."""
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    if slot is not None:
        made.clicked.connect(slot)
    return made


def bold() -> QFont:
    """Return a font for an entry of a list that says one thing: bold. The rest follows the list."""
    made = QFont()
    made.setBold(True)
    return made


def with_text(width_px: int) -> int:
    """Return a width that was chosen for the usual size of text, for the present one."""
    return int(width_px * QApplication.font().pointSizeF() / TEXT_PT[0])


def take_share(part: QWidget, whole_px: int, share: float, limits_px: tuple[int, int]) -> None:
    """Make a part as wide as its share of the whole, within limits, which grow with the text."""
    least, most = (with_text(limit) for limit in limits_px)
    part.setFixedWidth(int(min(most, max(least, whole_px * share))))
