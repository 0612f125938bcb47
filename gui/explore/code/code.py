"""Source listing: line numbers and counts, syntax colours, executing line."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from gui.explore.code.gutter import Gutter
from gui.explore.code.line_map import without_footer
from gui.explore.code.text_marks import mark_line, mark_part, offset_of, underline
from gui.theming.fonts import fixed_pitch_font
from gui.theming.style import mix
from kernels.frontend.listing import Listing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QResizeEvent, QShowEvent

    from gui.explore.memory.row import GutterCount
    from gui.theming.theme import Theme
    from kernels.frontend.ast import Span

_HANGING = 4
"""Additional indent of the continuation of a wrapped line, characters."""

_MOST_HANGING = 14
"""Indent of a continuation at most, characters: parameters aligned far to the right would leave room for one letter."""

_INDENT_SHARE = 0.5
"""Width of the spaces at the beginning of a line: deeply nested code keeps room beside the counts."""

_LEAST_CODE = 26
"""Characters of code that counts leave in a line; in a narrower listing some columns are left out."""

_SKIPPED_INK = 0.45
"""Share of the text's colour in lines that the preprocessor left out."""

_TOKENS = 100
"""Tokens that are found in one turn of the event loop: some 10 milliseconds."""

_IDLE_MS = 15
"""Time before colours follow a new text, milliseconds: the picture is painted first."""


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
        self.theme = theme
        """Present colours."""
        self._span: Span | None = None
        self._lines: tuple[int, ...] = ()
        self._listing = Listing("")
        self._hovered = 0
        self.gutter = Gutter(self)
        self._colour_soon = QTimer(self, singleShot=True)
        self._colour_soon.timeout.connect(self._colour_some)
        self._colouring: Iterator[None] = iter(())
        self.set_text_size(self.font().pointSizeF())
        self.setReadOnly(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self.gutter.update)
        self.setAccessibleName("Source of the kernel")
        self._place_gutter()

    def show_listing(self, listing: Listing) -> None:
        """Show another source, plain at first; colours follow when the window is idle."""
        before = self._listing
        self._span, self._lines, self._listing = None, (), listing
        if listing.text != before.text:
            self.setPlainText(without_footer(listing.text))
            self._indent()
            self._place_gutter()
        self._mark()
        if listing != before:  # the same text, of another launch of the kernel, stays where it was scrolled to
            self._begin_colours()

    def set_text_size(self, points: float) -> None:
        """Change the text size; at least 11 points."""
        font = fixed_pitch_font(max(11.0, points))
        if font == self.font():
            return
        self.setFont(font)
        self._indent()
        self._place_gutter()
        self.gutter.update()

    def show_step(self, span: Span | None, lines: tuple[int, ...] = ()) -> None:
        """Mark the executing statement, a span of the file, and the lines related to the focus."""
        if (span, lines) == (self._span, self._lines):
            return
        moved = span != self._span
        self._span, self._lines = span, lines
        self._mark()
        if moved and span is not None:
            self._reveal(span.line)

    def show_counts(self, counts: tuple[GutterCount, ...]) -> None:
        """Show counts beside the lines; none hides their columns."""
        if self.gutter.show_counts(counts):
            self._place_gutter()
        now = next((count.text for count in counts if count.line == self.executing_line), "")
        self.setAccessibleDescription(now)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.theme = theme
        self._mark()
        self._begin_colours()

    def finish_colours(self) -> None:
        """Colour the listing now: a picture of it cannot wait until the window is idle."""
        self._colour_soon.stop()
        for _ in self._colouring:
            pass

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

    def line_tops(self) -> Iterator[tuple[int, float]]:
        """Yield each line and its upper edge in the viewport."""
        scrolled, block = self.verticalScrollBar().value(), self.document().begin()
        while block.isValid():
            yield block.blockNumber() + 1, self._block_rect(block).top() - scrolled
            block = block.next()

    def showEvent(self, event: QShowEvent) -> None:
        """Colour what was listed meanwhile."""
        super().showEvent(event)
        self._colour_soon.start(_IDLE_MS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the line numbers left of the text."""
        super().resizeEvent(event)
        self._place_gutter()
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
        if line and event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.clicked.emit(line)

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer is on no line."""
        super().leaveEvent(event)
        self._hover(0)

    def _place_gutter(self) -> None:
        """Leave room for the gutter and its heading, as wide as the code allows."""
        inside, gutter = self.contentsRect(), self.gutter
        character = QFontMetricsF(self.font()).horizontalAdvance("0")
        bar = self.verticalScrollBar().sizeHint().width()
        gutter.fit(int(inside.width() - bar - _LEAST_CODE * character))
        width, top = gutter.width_needed(), gutter.heading_height()
        self.setViewportMargins(width, top, 0, 0)
        gutter.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.hover_changed.emit(line)

    def _block_rect(self, block: QTextBlock) -> QRectF:
        return self.document().documentLayout().blockBoundingRect(block)

    def _reveal(self, line: int) -> None:
        """Scroll only if the line is not visible, and then to the middle."""
        # After a change of width, QTextDocument lays out only its beginning, and the rest when the event loop is idle.
        # Until it reports its whole height, the bar's range is too short to scroll to the last lines.
        layout = self.document().documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())
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
            hang = min((len(text) - len(text.lstrip())) * _INDENT_SHARE + _HANGING, _MOST_HANGING) * width
            layout = block.blockFormat()
            layout.setLeftMargin(hang)
            layout.setTextIndent(-hang)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(layout)
            block = block.next()
        self._narrow_indents(cursor)
        cursor.endEditBlock()

    def _narrow_indents(self, cursor: QTextCursor) -> None:
        narrow = QTextCharFormat()
        narrow.setFontLetterSpacingType(QFont.SpacingType.PercentageSpacing)
        narrow.setFontLetterSpacing(100 * _INDENT_SHARE)
        block = self.document().begin()
        while block.isValid():
            text = block.text()
            if indent := len(text) - len(text.lstrip()):
                cursor.setPosition(block.position())
                cursor.setPosition(block.position() + indent, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(narrow)
            block = block.next()

    def _mark(self) -> None:
        theme, document = self.theme, self.document()
        marks = [mark_line(document, line, mix(theme.panel, theme.highlight, 0.35)) for line in self._lines]
        if self._span is not None:
            now = mix(theme.panel, theme.accent, 0.3 if theme.dark else 0.2)
            marks.append(mark_line(document, self._span.line, now))
            # A recording may hold another text than the one that ran: the place need not be in it.
            span = self._listing.span(self._span)
            start = offset_of(document, span.line, span.column)
            end = offset_of(document, span.end_line, span.end_column)
            marks.append(mark_part(document, start, end, underline(QColor(theme.accent))))
        self.setExtraSelections(marks)
        self.gutter.update()

    def _begin_colours(self) -> None:
        self._colouring = self._colours()
        self._colour_soon.start(_IDLE_MS)

    def _colour_some(self) -> None:
        """Find tokens for some milliseconds, and go on when the event loop has had its turn; then colour them."""
        if self.isVisible() and any(True for _ in islice(self._colouring, 1)):  # else it is coloured when it is shown
            self._colour_soon.start(0)

    def _colours(self) -> Iterator[None]:
        """Find the tokens, in several turns, and colour them. Pygments is loaded here, after the first picture."""
        from gui.explore.code.highlighter import token_colours

        yield
        found: list[tuple[int, int, str, bool]] = []
        tokens = token_colours(self.toPlainText(), self.theme)
        while some := tuple(islice(tokens, _TOKENS)):
            found += some
            yield
        plain = QTextCharFormat()
        plain.setForeground(QColor(self.theme.text))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # else every token lays its line out again: seconds for a line of thousands
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setCharFormat(plain)
        for start, length, color, bold in found:
            text_format = QTextCharFormat()
            text_format.setForeground(QColor(color))
            text_format.setFontWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(text_format)
        skipped = QTextCharFormat()
        skipped.setForeground(mix(self.theme.panel, self.theme.text, _SKIPPED_INK))
        for line in self._listing.skipped:
            block = self.document().findBlockByNumber(line - 1)
            if block.isValid():
                cursor.setPosition(block.position())
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(skipped)
        self._narrow_indents(cursor)
        cursor.endEditBlock()
