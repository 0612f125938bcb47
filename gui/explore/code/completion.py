"""List of names that complete the word at the cursor of a text area."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QCompleter, QListView

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QPlainTextEdit

_AFTER: Final = 3
"""Letters after which the list opens by itself."""

_ENDING: Final = re.compile(r"[A-Za-z_]\w*\Z")
_TAKING: Final = frozenset({Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Enter})


class Completion(QCompleter):
    """Opens while a word is typed, or on request; Tab takes the first name, Enter the chosen one."""

    def __init__(self, area: QPlainTextEdit) -> None:
        super().__init__(area)
        self._area, self._list = area, QListView()
        self.setPopup(self._list)
        self._names = QStringListModel(self)
        self.setModel(self._names)
        self.setWidget(area)
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.activated.connect(self._take)

    @property
    def is_open(self) -> bool:
        """True while the list is shown."""
        return self._list.isVisible()

    @property
    def names(self) -> list[str]:
        """Names in the list."""
        return self._names.stringList()

    def take_key(self, event: QKeyEvent) -> bool:
        """Act on a key while the list is open; return whether it is used up."""
        if not self.is_open or event.key() not in _TAKING:
            return False
        index = self._list.currentIndex()
        if not index.isValid() and event.key() == Qt.Key.Key_Tab:
            index = self.completionModel().index(0, 0)
        self._list.hide()
        if index.isValid():
            self._take(index.data())
        return index.isValid()

    def follow_typing(self, event: QKeyEvent) -> None:
        """Open, narrow or close the list after a key."""
        typed = event.text()
        if typed and (typed.isalnum() or typed == "_" or (self.is_open and event.key() == Qt.Key.Key_Backspace)):
            self._offer(_AFTER)
        elif typed:
            self._list.hide()

    def open(self) -> None:
        """Open the list whatever the word's length is, with the first name chosen."""
        self._offer(0)
        if self.is_open:
            self._list.setCurrentIndex(self.completionModel().index(0, 0))

    def _offer(self, least: int) -> None:
        from gui.explore.code.vocabulary import completions  # loads the simulator, which the window's start does not

        cursor = self._area.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        found = _ENDING.search(before)
        word = found[0] if found else ""
        names = completions(word, self._area.toPlainText()) if len(word) >= least and "//" not in before else []
        self._names.setStringList(names)
        if not names:
            self._list.hide()
            return
        place = self._area.cursorRect()
        place.translate(self._area.viewport().pos())
        bar = self._list.verticalScrollBar().sizeHint().width()
        place.setWidth(self._list.sizeHintForColumn(0) + bar + 8)
        self.complete(place)

    def _take(self, name: str) -> None:
        """Put a name in place of the word at the cursor."""
        cursor = self._area.textCursor()
        found = _ENDING.search(cursor.block().text()[: cursor.positionInBlock()])
        if found:
            cursor.movePosition(
                QTextCursor.MoveOperation.Left,
                QTextCursor.MoveMode.KeepAnchor,
                cursor.positionInBlock() - found.start(),
            )
        cursor.insertText(name)
        self._area.setTextCursor(cursor)
