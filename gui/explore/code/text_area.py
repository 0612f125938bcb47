"""Text area of the editor: a plain text with a gutter, the executing statement, and what is wrong underlined."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeySequence,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QToolTip, QWidget

from gui.explore.code.completion import Completion
from gui.explore.code.gutter import Gutter
from gui.explore.code.line_edits import STEP, indent, indent_width, matching_bracket, next_indent, toggle_comment
from gui.explore.code.line_map import LineMap, without_footer
from gui.explore.code.text_marks import mark_line, mark_part, offset_of, underline
from gui.theming.fonts import fixed_pitch_font
from gui.theming.style import mix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent

    from gui.explore.code.highlighter import Highlighter
    from gui.explore.memory.row import GutterCount
    from gui.theming.theme import Theme
    from kernels.frontend.ast import Span

_TOKEN: Final = re.compile(r"\w+|\S")

_LEAST_CODE: Final = 36
"""Characters of code that counts leave in a line; in a narrower editor some columns are left out."""

_OURS: Final = frozenset(
    {
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_Escape,
    }
)
"""Keys that act in the text, and not on the page, while it has the focus."""


class TextArea(QPlainTextEdit):
    """Text that is edited.

    Lines of the executing statement, counts and errors are those of the text that ran; they move with the edits, and
    are left out where a line has changed since.

    Signals
    -------
    edited()
        The text is another one; Qt's `textChanged` also comes with other colours.
    line_clicked(int)
        The number of a line was clicked: the line of the text that ran. A line that has changed since is in no step.
    left()
        Esc: the keyboard focus returns to the page.
    """

    edited = Signal()
    line_clicked = Signal(int)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        """Present colours."""
        self._text = ""
        self._ran = ""
        self._map = LineMap.between("", "")
        self._span: Span | None = None
        self._counts: tuple[GutterCount, ...] = ()
        self._wrong: QTextCursor | None = None
        self._message = ""
        self.gutter = Gutter(self)
        self.gutter.clicked.connect(self._choose_line)
        self.completion = Completion(self)
        self._highlighter: Highlighter | None = None
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Source of the kernel, editable")
        self.setAccessibleDescription("Tab indents; Esc returns to the page")
        self.set_text_size(self.font().pointSizeF())
        self.textChanged.connect(self._compare_text)
        self.cursorPositionChanged.connect(self._mark)
        self.updateRequest.connect(lambda: self.gutter.update())
        self.blockCountChanged.connect(lambda: self._place_gutter())
        self._place_gutter()

    # --- what the gutter reads ---------------------------------------------------------------------------

    @property
    def executing_line(self) -> int:
        """Line with the arrow, or 0."""
        return self._map.edited_line(self._span.line) if self._span else 0

    def line_tops(self) -> Iterator[tuple[int, float]]:
        """Yield each visible line and its upper edge in the viewport."""
        block, offset = self.firstVisibleBlock(), self.contentOffset()
        while block.isValid():
            yield block.blockNumber() + 1, self.blockBoundingGeometry(block).translated(offset).top()
            block = block.next()

    def line_at(self, y: float) -> int:
        """Line at a height in the viewport, or 0 below the last."""
        block, offset = self.firstVisibleBlock(), self.contentOffset()
        while block.isValid():
            if self.blockBoundingGeometry(block).translated(offset).bottom() > y:
                return block.blockNumber() + 1
            block = block.next()
        return 0

    # --- what is shown -----------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text."""
        return self._text

    def open(self, text: str) -> None:
        """Show another text, of which nothing can be undone."""
        if self._highlighter is None:
            # Pygments is loaded here, and not for the window's first picture.
            from gui.explore.code.highlighter import Highlighter

            self._highlighter = Highlighter(self.document(), self.theme)
        self.setPlainText(text)

    def replace_text(self, text: str) -> None:
        """Replace the text as one edit, which can be undone; the cursor stays at its line."""
        cursor, now = self.textCursor(), self.text
        if text == now:
            return
        line, column = cursor.blockNumber(), cursor.positionInBlock()
        changed = LineMap.between(now, text)
        edit = QTextCursor(self.document())
        # Only the lines that differ: undo then selects what has changed, and the view does not jump.
        first = min(changed.first, changed.before - 1)
        lines = text.split("\n")[first : changed.after - changed.last]
        edit.beginEditBlock()
        edit.setPosition(self.document().findBlockByNumber(first).position())
        if changed.last:
            last = self.document().findBlockByNumber(changed.before - changed.last)
            edit.setPosition(last.position(), QTextCursor.MoveMode.KeepAnchor)
            edit.insertText("".join(f"{each}\n" for each in lines))
        else:
            edit.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            edit.insertText("\n".join(lines))
        edit.endEditBlock()
        block = self.document().findBlockByNumber(min(line, self.document().blockCount() - 1))
        cursor.setPosition(block.position() + min(column, block.length() - 1))
        self.setTextCursor(cursor)

    def show_ran(self, text: str) -> None:
        """Take a text as the one that the following steps and counts are of."""
        self._ran = without_footer(text)
        self._follow_text()

    def show_step(self, span: Span | None) -> None:
        """Mark the executing statement, a span of the text that ran."""
        if span == self._span:
            return
        self._span = span
        self._mark()
        if not self.hasFocus() and (line := self.executing_line):
            self._reveal(line)

    def show_counts(self, counts: tuple[GutterCount, ...]) -> None:
        """Show counts beside the lines; none hides their columns."""
        self._counts = counts
        self._show_counts()

    def show_error(self, line: int, column: int, message: str) -> None:
        """Underline what is at a place of the text."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        text = block.text()
        tokens = [*_TOKEN.finditer(text)]
        found = next((token for token in tokens if token.start() < column <= token.end()), None)
        if found is None:  # something is missing after a token
            found = next((token for token in reversed(tokens) if token.end() < column), None)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + (found.start() if found else 0))
        cursor.setPosition(block.position() + (found.end() if found else len(text)), QTextCursor.MoveMode.KeepAnchor)
        self._wrong, self._message = cursor, message
        self._mark()

    def clear_error(self) -> None:
        """Remove the underline."""
        self._wrong, self._message = None, ""
        self._mark()

    def go_to_line(self, line: int) -> None:
        """Move the cursor to the first letter of a line, in the middle of the view."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + indent_width(block.text()))
            self.setTextCursor(cursor)
            self.centerCursor()

    def go_to_error(self) -> None:
        """Move the cursor to the error."""
        if self._wrong is not None:
            cursor = QTextCursor(self._wrong)
            cursor.setPosition(cursor.selectionStart())
            self.setTextCursor(cursor)
            self.centerCursor()
            self.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.theme = theme
        if self._highlighter is not None:
            self._highlighter.set_theme(theme)
        self._mark()

    def set_text_size(self, points: float) -> None:
        """Change the text size; at least 11 points."""
        font = fixed_pitch_font(max(11.0, points))
        if font != self.font():
            self.setFont(font)
            self._place_gutter()
            self.gutter.update()

    # --- edits ---------------------------------------------------------------------------------------------

    def toggle_comment(self) -> None:
        """Comment the selected lines out, or in again."""
        self._edit_lines(toggle_comment)

    def indent(self, direction: int) -> None:
        """Move the selected lines one step to the right (1) or to the left (-1)."""
        self._edit_lines(lambda lines: indent(lines, direction))

    def _edit_lines(self, edit: Callable[[Sequence[str]], list[str]]) -> None:
        """Replace the selected lines as one edit, and keep them selected."""
        cursor, document = self.textCursor(), self.document()
        first = document.findBlock(cursor.selectionStart())
        last = document.findBlock(cursor.selectionEnd())
        if last.position() == cursor.selectionEnd() and last.blockNumber() > first.blockNumber():
            last = last.previous()  # the selection ends before this line
        selected = cursor.hasSelection()
        from_end = document.characterCount() - cursor.position()
        cursor.setPosition(first.position())
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        before = cursor.selection().toPlainText()
        after = "\n".join(edit(before.split("\n")))
        if after == before:
            return
        start = cursor.selectionStart()
        cursor.insertText(after)
        if selected:
            cursor.setPosition(start)
            cursor.setPosition(start + len(after), QTextCursor.MoveMode.KeepAnchor)
        else:
            cursor.setPosition(max(start, document.characterCount() - from_end))
        self.setTextCursor(cursor)

    def event(self, event: QEvent) -> bool:
        """Take the keys that act in the text from the page's shortcuts; explain an error under the pointer."""
        if event.type() == QEvent.Type.ShortcutOverride:
            pressed = cast("QKeyEvent", event)
            if pressed.key() in _OURS and not pressed.modifiers() & Qt.KeyboardModifier.AltModifier:
                event.accept()
                return True
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Explain an error under the pointer."""
        if event.type() == QEvent.Type.ToolTip and self._wrong is not None:
            asked = cast("QHelpEvent", event)
            at = self.cursorForPosition(asked.pos()).position()
            if self._wrong.selectionStart() <= at <= self._wrong.selectionEnd():
                QToolTip.showText(asked.globalPos(), self._message, self)
                return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent new lines as the one before, and selected lines by Tab; Esc leaves."""
        if self.completion.take_key(event):
            return
        cursor = self.textCursor()
        match event.key():
            case Qt.Key.Key_Escape:
                self.left.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                line, at = cursor.block().text(), cursor.positionInBlock()
                cursor.insertText("\n" + next_indent(line[:at], line[at:]))
                self.ensureCursorVisible()
            case Qt.Key.Key_Tab if cursor.hasSelection():
                self.indent(1)
            case Qt.Key.Key_Tab:
                cursor.insertText(" " * (STEP - cursor.positionInBlock() % STEP))
            case Qt.Key.Key_Backtab:
                self.indent(-1)
            case _ if event.text() == "}" and not cursor.block().text()[: cursor.positionInBlock()].strip():
                self._close_brace(cursor)
            case _ if event.matches(QKeySequence.StandardKey.InsertLineSeparator):
                cursor.insertText("\n")
            case _:
                super().keyPressEvent(event)
                self.completion.follow_typing(event)

    def _close_brace(self, cursor: QTextCursor) -> None:
        """Write a brace as the first letter of a line, one step further to the left."""
        cursor.beginEditBlock()
        at = cursor.positionInBlock()
        for _ in range(min(STEP, at)):
            cursor.deletePreviousChar()
        cursor.insertText("}")
        cursor.endEditBlock()

    def _choose_line(self, line: int) -> None:
        if ran := self._map.ran_line(line):
            self.line_clicked.emit(ran)

    # --- inside ----------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the gutter left of the text."""
        super().resizeEvent(event)
        self._place_gutter()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Place the cursor."""
        super().mousePressEvent(event)
        self.setFocus()

    def _place_gutter(self) -> None:
        inside, gutter = self.contentsRect(), self.gutter
        character = self.fontMetrics().horizontalAdvance("0")
        bar = self.verticalScrollBar().sizeHint().width()
        gutter.fit(inside.width() - bar - _LEAST_CODE * character)
        width, top = gutter.width_needed(), gutter.heading_height()
        gutter.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))
        if self.viewportMargins().left() != width or self.viewportMargins().top() != top:
            self.setViewportMargins(width, top, 0, 0)
            # Qt lays the lines out for the new width only when the mode changes.
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setTabStopDistance(STEP * character)

    def _compare_text(self) -> None:
        text = self.toPlainText()
        if text != self._text:
            self._text = text
            self._follow_text()
            self.edited.emit()

    def _follow_text(self) -> None:
        """Move the marks of the text that ran to where their lines are now."""
        self._map = LineMap.between(self._ran, without_footer(self.text))
        self._show_counts()
        self._mark()

    def _show_counts(self) -> None:
        moved = ((count, self._map.edited_line(count.line)) for count in self._counts)
        if self.gutter.show_counts(tuple(replace(count, line=line) for count, line in moved if line)):
            self._place_gutter()

    def _reveal(self, line: int) -> None:
        """Scroll only if the line is not visible, and then to the middle; the cursor stays."""
        shown = [number for number, top in self._shown_lines() if top >= 0]
        if shown and not shown[0] <= line < shown[-1]:
            # The scroll bar counts rows: a long line has several.
            row = self.document().findBlockByNumber(line - 1).firstLineNumber()
            rows = self.viewport().height() // self.fontMetrics().lineSpacing()
            self.verticalScrollBar().setValue(max(0, row - rows // 2))

    def _shown_lines(self) -> Iterator[tuple[int, float]]:
        height = self.viewport().height()
        for number, top in self.line_tops():
            if top > height:
                return
            yield number, top

    def _mark(self) -> None:
        theme, document = self.theme, self.document()
        here, now = mix(theme.panel, theme.text, 0.06), mix(theme.panel, theme.accent, 0.30 if theme.dark else 0.20)
        marks = [mark_line(document, self.textCursor().blockNumber() + 1, here, rows=False)]
        if self._span is not None and (line := self.executing_line):
            marks.append(mark_line(document, line, now, rows=False))
            start = offset_of(document, line, self._span.column)
            end = offset_of(document, self._map.edited_line(self._span.end_line), self._span.end_column)
            if start < end:
                marks.append(mark_part(document, start, end, underline(QColor(theme.accent))))
        if (pair := matching_bracket(self.text, self.textCursor().position())) is not None:
            look = QTextCharFormat()
            look.setBackground(mix(theme.panel, theme.highlight, 0.45))
            look.setFontWeight(QFont.Weight.Bold)
            marks += [mark_part(document, place, place + 1, look) for place in pair]
        if self._wrong is not None:
            look = underline(QColor(theme.hazard), QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setBackground(mix(theme.panel, theme.hazard, 0.22))
            marks.append(mark_part(document, self._wrong.selectionStart(), self._wrong.selectionEnd(), look))
        self.setExtraSelections(marks)
        self.gutter.update()
