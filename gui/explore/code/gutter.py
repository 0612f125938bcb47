"""Gutter of the listing: executing line, line numbers, and the counts of each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from gui.explore.memory.row import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtGui import QHelpEvent, QMouseEvent, QPaintEvent, QTextDocument

    from gui.explore.memory.row import GutterCount
    from gui.theming.theme import Theme
    from kernels.analysis import LineCount

_COUNT_SIZE: Final = 0.86
"""Size of the counts, in sizes of the code."""

_LEAST_POINTS: Final = 9.5
_EXACT: Final = 10_000
"""Counts from here on are written in thousands or millions."""


@dataclass(frozen=True, slots=True)
class Column:
    """One count of a line, with the least that the same accesses would need."""

    heading: str
    words: tuple[str, ...]
    """Words that explain it."""
    actual: Callable[[LineCount], int]
    ideal: Callable[[LineCount], int]


PIN_WORDS: Final = "A click pins the line: its threads and elements stay marked. A click on the code jumps there."
"""Explanation of what a click does."""

COLUMNS: Final = (
    Column("runs", ("Executions",), lambda c: c.executions, lambda c: c.executions),
    Column("sect.", ("Sector", "Ideal"), lambda c: c.sectors, lambda c: c.ideal_sectors),
    Column("wavef.", ("Wavefront", "Ideal"), lambda c: c.wavefronts, lambda c: c.ideal_wavefronts),
)


def short(number: int) -> str:
    """Write a count in at most four digits: 9999, 34k, 1.2M."""
    if number < _EXACT:
        return str(number)
    thousands = round(number / 1000)
    return f"{thousands}k" if thousands < 1000 else f"{number / 1e6:.2g}M"


def count_text(column: Column, count: GutterCount) -> tuple[str, bool]:
    """Return what a column says of a line so far, and whether it is more than ideal."""
    if not column.actual(count.whole):
        return "", False
    if count.now is None:
        return "0", False
    actual, ideal = column.actual(count.now), column.ideal(count.now)
    return (f"{short(actual)}/{short(ideal)}", True) if actual > ideal else (short(actual), False)


class NumberedText(Protocol):
    """Widget with a text whose lines have numbers and counts."""

    theme: Theme

    @property
    def executing_line(self) -> int:
        """Line with the arrow, or 0."""

    def line_at(self, y: float) -> int:
        """Line at a height in the viewport, or 0 below the last."""

    def line_tops(self) -> Iterator[tuple[int, float]]:
        """Yield lines and their upper edges in the viewport."""

    def font(self) -> QFont:
        """Font of the text."""

    def document(self) -> QTextDocument:
        """Text."""


class Gutter(QWidget):
    """Line numbers, an arrow at the executing line, and counts of the lines so far.

    A count that is larger than the ideal is written with it, in bold and with a triangle: ▲ 32/4. The number of a
    pinned line is framed.

    Signals
    -------
    clicked(int)
        The number or the counts of a line were clicked, to pin it or let it go.
    """

    clicked = Signal(int)

    def __init__(self, view: NumberedText) -> None:
        super().__init__(cast("QWidget", view))
        self._view = view
        self._counts: dict[int, GutterCount] = {}
        self._whole: tuple[LineCount, ...] = ()
        self.columns: tuple[Column, ...] = ()
        """Columns that are shown."""
        self._widths: dict[tuple[str, str], float] = {}
        """Width of each column, by its heading and the font."""
        self._pinned = 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_pin(self, line: int) -> None:
        """Frame the number of a line; 0 for none."""
        if line != self._pinned:
            self._pinned = line
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report the clicked line."""
        line = self._view.line_at(event.position().y() - self.heading_height())
        if line and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(line)

    def show_counts(self, counts: tuple[GutterCount, ...]) -> bool:
        """Show the counts of a frame; return whether the width may have changed."""
        whole = tuple(count.whole for count in counts)
        changed = whole != self._whole
        self._counts, self._whole = {count.line: count for count in counts}, whole
        if changed:
            self._widths.clear()
        self.update()
        return changed

    def fit(self, room_px: int) -> None:
        """Choose the columns that fit into a width: all with counts, those of memory, or one, inefficient if any is."""
        used = tuple(column for column in COLUMNS if any(column.actual(count) for count in self._whole))
        alone = sorted(used[1:], key=lambda c: not any(c.actual(count) > c.ideal(count) for count in self._whole))
        choices = (used, used[1:], *((column,) for column in alone), ())
        self.columns = next((c for c in choices if self._width_of(c) <= room_px), ())
        self.update()

    def width_needed(self) -> int:
        """Pixels for the arrow, the largest line number, and the columns."""
        return self._width_of(self.columns)

    def heading_height(self) -> int:
        """Pixels above the first line."""
        return int(QFontMetricsF(self._count_font()).height() * 1.15) if self.columns else 0

    def sizeHint(self) -> QSize:
        """As wide as needed."""
        return QSize(self.width_needed(), 0)

    def text_of(self, column: Column, line: int) -> tuple[str, bool]:
        """Return what a column says of a line so far, and whether it is more than ideal."""
        count = self._counts.get(line)
        return count_text(column, count) if count is not None else ("", False)

    def event(self, event: QEvent) -> bool:
        """Explain a heading, or give the counts of a line in words."""
        if event.type() == QEvent.Type.ToolTip:
            asked = cast("QHelpEvent", event)
            QToolTip.showText(asked.globalPos(), self._tip(asked.pos().x(), asked.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the headings, and the numbers of the visible lines."""
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:  # Qt ends the program if a painter of a widget is left open
            painter.end()

    # --- inside ----------------------------------------------------------------------------------------

    def _paint(self, painter: QPainter) -> None:
        view, theme = self._view, self._view.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(theme.window))
        height = QFontMetricsF(view.font()).height()
        top_px = self.heading_height()
        painter.setClipRect(QRectF(0, top_px, self.width(), self.height() - top_px))
        for number, top in view.line_tops():
            if top > self.height():
                break
            if top > -height * 8:
                self._paint_line(painter, number, top + top_px, height)
        painter.setClipping(False)
        self._paint_headings(painter, top_px)

    def _paint_line(self, painter: QPainter, number: int, top: float, height: float) -> None:
        view, theme = self._view, self._view.theme
        now = number == view.executing_line
        painter.setFont(view.font())
        painter.setPen(QColor(theme.accent if now else theme.muted))
        right = self._numbers_width() - height * 0.35
        painter.drawText(QRectF(0, top, right, height), Qt.AlignmentFlag.AlignRight, str(number))
        if now:
            self._paint_arrow(painter, top + height / 2, height * 0.36)
        if number == self._pinned:
            self._paint_pin(painter, QRectF(0, top, self._numbers_width(), height))
        for column, left, width in self._places(self.columns):
            text, more = self.text_of(column, number)
            if not text:
                continue
            font = self._count_font(bold=more)
            painter.setFont(font)
            painter.setPen(QColor(theme.text if more or now else theme.muted))
            area = QRectF(left, top, width, height)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            if more:
                end = area.right() - QFontMetricsF(font).horizontalAdvance(text)
                self._paint_triangle(painter, end, area.center().y())

    def _paint_headings(self, painter: QPainter, height: float) -> None:
        if not self.columns:
            return
        theme = self._view.theme
        painter.setFont(self._count_font())
        painter.setPen(QColor(theme.muted))
        for column, left, width in self._places(self.columns):
            area = QRectF(left, 0, width, height)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, column.heading)
        painter.setPen(QColor(theme.border))
        painter.drawLine(QPointF(0, height - 0.5), QPointF(self.width(), height - 0.5))

    def _paint_arrow(self, painter: QPainter, y: float, size: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._view.theme.accent))
        painter.drawPolygon(QPolygonF([QPointF(3, y - size), QPointF(3 + size * 1.5, y), QPointF(3, y + size)]))

    def _paint_pin(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(QPen(QColor(self._view.theme.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area.adjusted(area.height(), 1, -2, -1), 3, 3)

    def _paint_triangle(self, painter: QPainter, right: float, y: float) -> None:
        """Paint the mark of a count that is more than ideal, left of it."""
        side = self._mark_width() * 0.75
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._view.theme.warning))
        x = right - self._mark_width()
        corners = [QPointF(x, y + side / 2), QPointF(x + side / 2, y - side / 2), QPointF(x + side, y + side / 2)]
        painter.drawPolygon(QPolygonF(corners))

    def _tip(self, x: float, y: float) -> str:
        for column, left, width in self._places(self.columns):
            if y < self.heading_height() and left <= x <= left + width:
                ideal = " A number after / is the ideal, where fewer would do." if len(column.words) > 1 else ""
                explained = "\n".join(f"{word}: {WORDS[word]}" for word in column.words)
                return f"Counts of each line so far.{ideal}\n{explained}"
        count = self._counts.get(self._view.line_at(y - self.heading_height()))
        words = count.text if count is not None else ""
        return f"{words}\n{PIN_WORDS}".strip()

    def _count_font(self, bold: bool = False) -> QFont:
        font = QApplication.font()
        font.setPointSizeF(max(_LEAST_POINTS, self._view.font().pointSizeF() * _COUNT_SIZE))
        font.setBold(bold)
        return font

    def _mark_width(self) -> float:
        return QFontMetricsF(self._count_font()).height() * 0.62

    def _numbers_width(self) -> float:
        digits = max(2, len(str(self._view.document().blockCount())))
        return QFontMetricsF(self._view.font()).horizontalAdvance("0") * (digits + 2.4)

    def _width_of(self, columns: tuple[Column, ...]) -> int:
        places = self._places(columns)
        return int(places[-1][1] + places[-1][2] + self._gap() if places else self._numbers_width())

    def _gap(self) -> float:
        return QFontMetricsF(self._count_font()).horizontalAdvance("0")

    def _places(self, columns: tuple[Column, ...]) -> list[tuple[Column, float, float]]:
        """Return the left edge and width of some columns."""
        found, x = [], self._numbers_width()
        for column in columns:
            width = self._column_width(column)
            found.append((column, x, width))
            x += width + self._gap()
        return found

    def _column_width(self, column: Column) -> float:
        """Width of a column for every frame: counts grow to those of the whole run."""
        key = column.heading, self._count_font().toString()
        if key not in self._widths:
            self._widths[key] = self._widest(column)
        return self._widths[key]

    def _widest(self, column: Column) -> float:
        metrics, bold = QFontMetricsF(self._count_font()), QFontMetricsF(self._count_font(bold=True))
        widths = [metrics.horizontalAdvance(column.heading)]
        for count in self._whole:
            actual, ideal = column.actual(count), column.ideal(count)
            digits, fewer = ("0" * min(4, len(str(number))) for number in (actual, ideal))
            more = actual > ideal
            widths.append(
                bold.horizontalAdvance(f"{digits}/{fewer}") + self._mark_width()
                if more
                else metrics.horizontalAdvance(digits)
            )
        return max(widths)
