"""Bar that finds and replaces in the text area."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from gui.widgets.controls import field, tool, vbox

if TYPE_CHECKING:
    from gui.explore.code.text_area import TextArea

_NONE = QTextDocument.FindFlag(0)


class FindBar(QWidget):
    """Field of the wanted text with its matches counted, and a field of what replaces it."""

    def __init__(self, area: TextArea) -> None:
        super().__init__()
        self._area = area
        self.wanted = field("Find", tip="Enter: the next match; Shift+Enter: the one before")
        self.wanted.setPlaceholderText("Find")
        self.replacement = field("Replace by", tip="Enter: replace this match and go to the next")
        self.replacement.setPlaceholderText("Replace by")
        self.exact = QCheckBox("Aa")
        self.exact.setAccessibleName("Match upper and lower case")
        self.exact.setToolTip("Match upper and lower case")
        self.found = QLabel()
        first, second = QHBoxLayout(), QHBoxLayout()
        self._second = QWidget(self)
        self._second.setLayout(second)
        second.setContentsMargins(0, 0, 0, 0)
        for row, parts in (
            (
                first,
                (
                    self.wanted,
                    self.found,
                    self.exact,
                    tool("↑", "The match before (Shift+Enter)", lambda: self.go(-1)),
                    tool("↓", "The next match (Enter)", lambda: self.go(1)),
                    tool("×", "Close (Esc)", self.leave),
                ),
            ),
            (
                second,
                (
                    self.replacement,
                    tool("Replace", "Replace this match, and go to the next (Enter)", self.replace),
                    tool("All", "Replace every match, as one edit", self.replace_all),
                ),
            ),
        ):
            for part in parts:
                part.setProperty("narrow", True)
                row.addWidget(part, int(part in (self.wanted, self.replacement)))
        column = vbox(self, (4, 2, 4, 2), spacing=2)
        column.addLayout(first)
        column.addWidget(self._second)
        self.wanted.textChanged.connect(self._search)
        self.exact.toggled.connect(self._search)
        self.hide()

    def open(self, *, replacing: bool) -> None:
        """Show the bar with the selected text, with the second field if something is to be replaced."""
        selected = self._area.textCursor().selectedText()
        if selected and "\u2029" not in selected:  # Qt's separator of lines
            self.wanted.setText(selected)
        self._second.setVisible(replacing)
        self.show()
        self.wanted.selectAll()
        self.wanted.setFocus()
        self._search()

    def leave(self) -> None:
        """Hide the bar, and go back to the text."""
        self.hide()
        self._area.setFocus()

    def go(self, direction: int) -> None:
        """Select the next match (1) or the one before (-1); after the last comes the first."""
        cursor = self._area.textCursor()
        matches = self._matches()
        if not matches:
            self._count(matches)
            return
        starts = [match.selectionStart() for match in matches]
        if direction > 0:
            later = [n for n, start in enumerate(starts) if start >= cursor.selectionEnd()]
            number = later[0] if later else 0
        else:
            earlier = [n for n, start in enumerate(starts) if start < cursor.selectionStart()]
            number = earlier[-1] if earlier else len(starts) - 1
        self._area.setTextCursor(matches[number])
        self._count(matches, number + 1)

    def replace(self) -> None:
        """Replace the selected match, and select the next."""
        cursor = self._area.textCursor()
        if any(_range(cursor) == _range(match) for match in self._matches()):
            cursor.insertText(self.replacement.text())
        self.go(1)

    def replace_all(self) -> None:
        """Replace every match, as one edit that can be undone."""
        matches = self._matches()
        edit = QTextCursor(self._area.document())
        edit.beginEditBlock()
        for match in reversed(matches):
            edit.setPosition(match.selectionStart())
            edit.setPosition(match.selectionEnd(), QTextCursor.MoveMode.KeepAnchor)
            edit.insertText(self.replacement.text())
        edit.endEditBlock()
        self.found.setText(f"{len(matches)} replaced")

    def event(self, event: QEvent) -> bool:
        """Take Esc from the window's shortcut."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, Esc closes the bar."""
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.replacement.hasFocus():
            self.replace()
        else:
            self.go(-1 if back else 1)

    def _search(self) -> None:
        """Select the first match from the cursor on."""
        cursor = self._area.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._area.setTextCursor(cursor)
        self.go(1)

    def _matches(self) -> list[QTextCursor]:
        wanted, document = self.wanted.text(), self._area.document()
        flags = QTextDocument.FindFlag.FindCaseSensitively if self.exact.isChecked() else _NONE
        found: list[QTextCursor] = []
        at = document.find(wanted, 0, flags) if wanted else QTextCursor()
        while not at.isNull():
            found.append(at)
            at = document.find(wanted, at, flags)
        return found

    def _count(self, matches: list[QTextCursor], number: int = 0) -> None:
        none = "no match" if self.wanted.text() else ""
        self.found.setText(f"{number} of {len(matches)}" if matches else none)


def _range(cursor: QTextCursor) -> tuple[int, int]:
    return cursor.selectionStart(), cursor.selectionEnd()
