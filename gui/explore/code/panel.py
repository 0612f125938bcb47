"""Panel of the listing: its file, the buttons of the editor, the text, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from gui.explore.code.find_bar import FindBar
from gui.explore.code.text_area import TextArea
from gui.explore.menus import RecentFiles
from gui.widgets.controls import ElidedLabel, hbox, tool, vbox
from gui.widgets.keys import KEYS, bind, tip
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QResizeEvent

    from gui.explore.code.draft import Outcome
    from gui.theming.theme import Theme


_LEAST_LINES: Final = 3
"""Lines of the text that are seen in the lowest window."""


class EditorPanel(QWidget):
    """The listing, or the text area in its place, with a row of buttons above and a line of words below.

    Signals
    -------
    edit_requested(), leave_requested()
        The listing is to be edited; the editor is to be left.
    save_requested()
        The text of a file that is gone is to be saved.
    """

    edit_requested = Signal()
    leave_requested = Signal()
    save_requested = Signal()

    def __init__(self, listing: QWidget, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.area = TextArea(theme, self)
        self.name = FileName()
        self.edit_button = tool("✎ Edit a copy", tip("edit"), self.edit_requested.emit)
        self.leave_button = tool("Done", "Show the listing; the text stays in its file")
        self.leave_button.clicked.connect(self.leave_requested)
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.more = tool("More", "What can be done with the text")
        self.more.setMenu(self.menu)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.gone = ElidedLabel(role="warning")
        self.gone.set_lines(2)
        self.save_button = tool("Save it…", "Save the text that was read, under this name or another one")
        self.save_button.clicked.connect(self.save_requested)
        self.find_bar = FindBar(self.area)
        self.recent = RecentFiles(self)
        self.status = ElidedLabel(role="muted")
        self.status.set_lines(3)
        self.pages = QStackedWidget()
        self.pages.addWidget(listing)
        self.pages.addWidget(self.area)
        self._buttons = hbox(margins=(8, 0, 0, 0))
        self._buttons.addWidget(self.name, 1)
        for button in (self.edit_button, self.leave_button, self.more):
            button.setProperty("narrow", True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._buttons.addWidget(button)
        self._column = vbox(self, spacing=2)
        self._column.addLayout(self._buttons)
        saving = hbox(margins=(8, 0, 0, 0))
        saving.addWidget(self.gone, 1)
        saving.addWidget(self.save_button)
        self._column.addLayout(saving)
        self.show_gone(gone=False)
        self._column.addWidget(self.pages, 1)
        self._column.addWidget(self.find_bar)
        self._column.addWidget(self.status)
        # It takes the room that is left: a low window squeezes the text, and no button.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._keep_room()
        self.show_listing()

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the buttons and some lines of the text in every text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_room()

    def hasHeightForWidth(self) -> bool:
        """Return False: the text gives its room to the words below it."""
        return False

    @property
    def editing(self) -> bool:
        """True while the text area is shown."""
        return self.pages.currentWidget() is self.area

    def add_action(self, text: str, key: str, act: Callable[[], object]) -> None:
        """Add an entry to the menu, with a key that acts in the panel."""
        action = self.menu.addAction(f"{text}\t{KEYS[key].words}")
        action.setToolTip(tip(key))
        action.triggered.connect(lambda _=False: act())
        bind(self, {key: lambda: act() if self.editing else None})

    def show_file(self, file: Path | None, *, own: bool) -> None:
        """Show the name of the listed file, and whether editing it copies it."""
        self.name.show_file(file)
        self.edit_button.setText("✎ Edit" if own else "✎ Edit a copy")
        self.edit_button.setEnabled(file is not None)

    def show_gone(self, *, gone: bool) -> None:
        """Say that the file is gone, with an offer to save its text; or nothing."""
        self.gone.say("⚠ This file is gone from the disk. Everything goes on with its text as it was read.")
        for part in (self.gone, self.save_button):
            part.setVisible(gone)

    def show_editor(self) -> None:
        """Show the text area."""
        self._show(editing=True)
        self.area.setFocus()

    def show_listing(self) -> None:
        """Show the listing."""
        self.area.clear_error()
        self.find_bar.hide()
        self._show(editing=False)

    def say(self, words: str) -> None:
        """Say what was done, below the text."""
        self._say(words, "muted")

    def show_outcome(self, outcome: Outcome) -> None:
        """Underline what is wrong, and say it below the text."""
        self.area.clear_error()
        if outcome.place is not None:
            self.area.show_error(*outcome.place, outcome.words)
        if outcome.error is not None:
            self._say(f"✗ {outcome.words}", "warning")

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.area.set_theme(theme)

    def _keep_room(self) -> None:
        lines = _LEAST_LINES * self.area.fontMetrics().lineSpacing()
        self.setMinimumHeight(self._buttons.minimumSize().height() + self._column.spacing() + lines)

    def _show(self, *, editing: bool) -> None:
        self.pages.setCurrentIndex(int(editing))
        self.edit_button.setVisible(not editing)
        for part in (self.leave_button, self.more, self.status):
            part.setVisible(editing)

    def _say(self, words: str, role: str) -> None:
        if self.status.property("role") != role:
            self.status.setProperty("role", role)
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)
        self.status.say(words)
        self.status.setAccessibleName(words)


class FileName(QLabel):
    """Name of a file in one line, elided in the middle to the room that is left; its whole path is the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self._name = ""
        self.setProperty("role", "muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_file(self, file: Path | None) -> None:
        """Show another file's name; None for no file."""
        self._name = escape_controls(file.name) if file is not None else ""
        self.setToolTip(escape_controls(str(file)) if file is not None else "")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the name anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, self.width()))
