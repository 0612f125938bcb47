"""Source listing: line numbers, syntax colours, executing line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QPolygonF,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from gui.theming.style import mix
from kernels.catalog import FOOTER
from kernels.frontend.listing import Listing

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from gui.theming.theme import Theme
    from kernels.frontend.ast import Span

_HANGING = 4
"""Additional indent of the continuation of a wrapped line, characters."""

_SKIPPED_INK = 0.45
"""Share of the text's colour in lines that the preprocessor left out."""


def without_footer(text: str) -> str:
    """Return a source without the launch comment at its end."""
    body, found, _ = text.rpartition(FOOTER)
    return (body if found else text).rstrip()


class CodeView(QTextEdit):
    """Read-only listing.

    Signals
    -------
    hover_changed(int)
        The pointer is on another line (counted from 1), or on none (0).
    clicked(int)
        A line was clicked.
    """

    hover_changed = Signal(int)
    clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._span: Span | None = None
        self._lines: tuple[int, ...] = ()
        self._listing = Listing("")
        self._hovered = 0
        self._gutter = _Gutter(self)
        self._colour_soon = QTimer(self, singleShot=True, interval=0)
        self._colour_soon.timeout.connect(self._colour)
        self.set_text_size(self.font().pointSizeF())
        self.setReadOnly(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._gutter.update)
        self.setAccessibleName("Source of the kernel")
        self.setViewportMargins(self._gutter.width_needed(), 0, 0, 0)

    def show_listing(self, listing: Listing) -> None:
        """Show another source, plain at first; colours follow when the window is idle."""
        self._span, self._lines, self._listing = None, (), listing
        self.setPlainText(without_footer(listing.text))
        self._indent()
        self.setViewportMargins(self._gutter.width_needed(), 0, 0, 0)
        self._mark()
        self._colour_soon.start()

    def set_text_size(self, points: float) -> None:
        """Change the text size; at least 11 points."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(max(11.0, points))
        font.setStyleHint(QFont.StyleHint.Monospace)
        if font == self.font():
            return
        self.setFont(font)
        self._indent()
        self.setViewportMargins(self._gutter.width_needed(), 0, 0, 0)
        self._gutter.update()

    def show_step(self, span: Span | None, lines: tuple[int, ...] = ()) -> None:
        """Mark the executing statement, a span of the file, and the lines related to the focus."""
        if (span, lines) == (self._span, self._lines):
            return
        moved = span != self._span
        self._span, self._lines = span, lines
        self._mark()
        if moved and span is not None:
            self._reveal(span.line)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self._mark()
        self._colour_soon.start()

    @property
    def theme(self) -> Theme:
        """Present colours."""
        return self._theme

    @property
    def executing_line(self) -> int:
        """Line with the arrow, or 0."""
        return self._span.line if self._span else 0

    def line_at(self, y: float) -> int:
        """Line at a height in the viewport, or 0 below the last."""
        y += self.verticalScrollBar().value()
        block = self.document().begin()
        while block.isValid():
            if self._block_rect(block).bottom() > y:
                return block.blockNumber() + 1
            block = block.next()
        return 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the line numbers left of the text."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self._gutter.width_needed(), inside.height()))
        if self._span is not None:
            self._reveal(self._span.line)  # other line breaks have moved it

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the line under the pointer."""
        super().mouseMoveEvent(event)
        self._hover(self.line_at(event.position().y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report the clicked line, unless text was selected."""
        super().mouseReleaseEvent(event)
        line = self.line_at(event.position().y())
        if line and not self.textCursor().hasSelection():
            self.clicked.emit(line)

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer is on no line."""
        super().leaveEvent(event)
        self._hover(0)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.hover_changed.emit(line)

    def _block_rect(self, block: QTextBlock) -> QRectF:
        return self.document().documentLayout().blockBoundingRect(block)

    def _reveal(self, line: int) -> None:
        """Scroll only if the line is not visible, and then to the middle."""
        rect = self._block_rect(self.document().findBlockByNumber(line - 1))
        bar, height = self.verticalScrollBar(), self.viewport().height()
        if rect.top() < bar.value() or rect.bottom() > bar.value() + height:
            bar.setValue(int(rect.center().y() - height / 2))

    def _indent(self) -> None:
        """Indent the continuation of a wrapped line."""
        # A left margin moves all lines of a wrapped paragraph, a negative indent its first line back.
        width = QFontMetricsF(self.font()).horizontalAdvance(" ")
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            text = block.text()
            hang = (len(text) - len(text.lstrip()) + _HANGING) * width
            layout = block.blockFormat()
            layout.setLeftMargin(hang)
            layout.setTextIndent(-hang)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(layout)
            block = block.next()
        cursor.endEditBlock()

    def _mark(self) -> None:
        marks = []
        for line in self._lines:
            marks.append(self._whole_line(line, mix(self._theme.panel, self._theme.highlight, 0.35)))
        if self._span is not None:
            share = 0.30 if self._theme.dark else 0.20
            marks.append(self._whole_line(self._span.line, mix(self._theme.panel, self._theme.accent, share)))
            marks.append(self._part(self._listing.span(self._span)))
        self.setExtraSelections(marks)
        self._gutter.update()

    def _whole_line(self, line: int, color: QColor) -> QTextEdit.ExtraSelection:
        found = QTextEdit.ExtraSelection()
        found.cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        found.cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        found.format.setBackground(color)
        found.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return found

    def _part(self, span: Span) -> QTextEdit.ExtraSelection:
        """Return the underlined selection of the executing statement."""
        found = QTextEdit.ExtraSelection()
        document = self.document()
        first = document.findBlockByNumber(span.line - 1)
        last = document.findBlockByNumber(span.end_line - 1)
        found.cursor = QTextCursor(first)
        # A recording may hold another text than the one that ran: the place need not be in it.
        found.cursor.setPosition(first.position() + max(0, min(span.column, first.length()) - 1))
        end = last.position() + max(0, min(span.end_column, last.length()) - 1)
        found.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        found.format.setFontUnderline(True)
        found.format.setUnderlineColor(QColor(self._theme.accent))
        return found

    def _colour(self) -> None:
        """Colour the tokens. Pygments is loaded here, after the first picture is painted."""
        from gui.explore.widgets.highlight import token_colours

        text, plain = self.toPlainText(), QTextCharFormat()
        plain.setForeground(QColor(self._theme.text))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # else every token lays its line out again: seconds for a line of thousands
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setCharFormat(plain)
        for start, length, color, bold in token_colours(text, self._theme):
            text_format = QTextCharFormat()
            text_format.setForeground(QColor(color))
            text_format.setFontWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(text_format)
        skipped = QTextCharFormat()
        skipped.setForeground(mix(self._theme.panel, self._theme.text, _SKIPPED_INK))
        for line in self._listing.skipped:
            block = self.document().findBlockByNumber(line - 1)
            if block.isValid():
                cursor.setPosition(block.position())
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(skipped)
        cursor.endEditBlock()


class _Gutter(QWidget):
    """Line numbers, and an arrow at the executing line."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def width_needed(self) -> int:
        """Pixels for the arrow and the largest number."""
        digits = max(2, len(str(self._view.document().blockCount())))
        return int(QFontMetricsF(self._view.font()).horizontalAdvance("0") * (digits + 2.4))

    def sizeHint(self) -> QSize:
        """As wide as needed."""
        return QSize(self.width_needed(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible line numbers."""
        painter, view, theme = QPainter(self), self._view, self._view.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.setFont(view.font())
        height = QFontMetricsF(view.font()).height()
        offset = view.verticalScrollBar().value()
        block = view.document().begin()
        while block.isValid():
            top = view.document().documentLayout().blockBoundingRect(block).top() - offset
            if top > self.height():
                break
            if top > -height * 8:
                number = block.blockNumber() + 1
                now = number == view.executing_line
                painter.setPen(QColor(theme.accent if now else theme.muted))
                area = QRectF(0, top, self.width() - height * 0.35, height)
                painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(number))
                if now:
                    self._paint_arrow(painter, top + height / 2, height * 0.36)
            block = block.next()
        painter.end()

    def _paint_arrow(self, painter: QPainter, y: float, size: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._view.theme.accent))
        painter.drawPolygon(QPolygonF([QPointF(3, y - size), QPointF(3 + size * 1.5, y), QPointF(3, y + size)]))
