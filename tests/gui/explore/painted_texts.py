"""Texts of a page as people see them: those that a painter paints, and those of widgets; what is cut off or covered.

The places of painted texts come from the ways in which pictures and cards paint them, `QPainter.drawText` at a point or
in a rectangle and static texts laid out by the text painter, in device-independent pixels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPainterPathStroker
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QStyle, QStyleOptionComboBox, QWidget

from gui.explore.memory.paint_memory import paint_card
from gui.explore.memory.row import MemoryRow, cards_of
from gui.explore.packing.layout import Layout
from gui.explore.packing.warp_layout import arrange_cards
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.scene import Scene
from gui.explore.stage.text_painter import TextPainter
from gui.theming.theme import Theme

_TOUCH_PX: Final = 1.5
"""Overlap of the ink of two texts that cannot be seen."""


_WORD_JOINER: Final = "\u2060"
"""Invisible character at which no line is broken."""


_ELLIPSIS: Final = "…"


_BADGE: Final = "!"
"""Text of a mark that is repeated at many threads, of which a label may cover some in part."""


_WIDE_LINE_PX: Final = 1.0
"""Lines at least this wide make a text harder to read that they cross."""


_HIDDEN: Final = 0.7
"""A text of which a later plate covers more than this share is meant to be covered."""


_SEEN: Final = 0.12
"""A text of which a later plate covers less than this share can be read."""


@dataclass(frozen=True)
class PaintedText:
    """A text and the rectangle of its ink."""

    text: str
    ink: QRectF
    order: int
    """Number among everything painted."""


class RecordingPainter(QPainter):
    """Painter that records texts, and opaque rectangles that may cover them."""

    def __init__(self, device: QImage) -> None:
        super().__init__(device)
        self.texts: list[PaintedText] = []
        self.plates: list[tuple[int, QRectF]] = []
        self.lines: list[tuple[int, QPainterPath]] = []
        self._order = 0

    def drawText(self, *args: Any) -> Any:
        """Record a text at a point, or in a rectangle."""
        if isinstance(args[0], QPointF):
            self._record(args[1], args[0])
        elif isinstance(args[0], QRectF) and len(args) == 3:
            rect, flags, text = args
            metrics = QFontMetricsF(self.font())
            place = metrics.boundingRect(rect, int(flags), text)
            self._record(text, QPointF(place.left(), place.top() + metrics.ascent()))
        return super().drawText(*args)

    def drawPath(self, path: QPainterPath) -> None:
        """Record the stroke of a path that is not filled: an outline, or a curve."""
        if self.brush().style() == Qt.BrushStyle.NoBrush:
            self._cross(path)
        super().drawPath(path)

    def drawPolyline(self, *args: Any) -> None:
        """Record a line of several parts."""
        path = QPainterPath()
        path.addPolygon(args[0])
        self._cross(path)
        super().drawPolyline(*args)

    def drawLine(self, *args: Any) -> None:
        """Record a line between two points."""
        path = QPainterPath(args[0])
        path.lineTo(args[1])
        self._cross(path)
        super().drawLine(*args)

    def drawStaticText(self, *args: Any) -> None:
        """Record a static text, whose point is its upper left corner."""
        corner, static = args
        self._record(static.text(), corner + QPointF(0, QFontMetricsF(self.font()).ascent()))
        super().drawStaticText(*args)

    def drawRect(self, *args: Any) -> None:
        """Record a rectangle."""
        self._cover(args)
        super().drawRect(*args)

    def drawRoundedRect(self, *args: Any) -> None:
        """Record a rectangle with round corners."""
        self._cover(args)
        super().drawRoundedRect(*args)

    def drawRects(self, *args: Any) -> None:
        """Record several rectangles."""
        for rect in args[0]:
            self._cover((rect,))
        super().drawRects(*args)

    def _record(self, text: str, baseline: QPointF) -> None:
        ink = QFontMetricsF(self.font()).tightBoundingRect(text).translated(baseline)
        if text.strip():
            self.texts.append(PaintedText(text, self.transform().mapRect(ink), self._next()))

    def _cover(self, args: Sequence[Any]) -> None:
        brush = self.brush()
        if isinstance(args[0], QRectF) and brush.style() == Qt.BrushStyle.SolidPattern and brush.color().alpha() > 200:
            self.plates.append((self._next(), self.transform().mapRect(args[0])))

    def _cross(self, path: QPainterPath) -> None:
        if self.pen().style() != Qt.PenStyle.NoPen and self.pen().widthF() >= _WIDE_LINE_PX:
            stroker = QPainterPathStroker()
            stroker.setWidth(self.pen().widthF())
            self.lines.append((self._next(), self.transform().map(stroker.createStroke(path))))

    def _next(self) -> int:
        self._order += 1
        return self._order


def paint(scene: Scene, theme: Theme, width: int, height: int, line: float) -> tuple[RecordingPainter, Layout]:
    """Paint a scene; return the painter with what it recorded, and the layout."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = RecordingPainter(image)
    try:
        layout = paint_scene(painter, scene, theme, TextPainter("Sans"), width, height, line)
    finally:
        painter.end()
    return painter, layout


def picture_findings(scene: Scene, theme: Theme, width: int, height: int, line: float) -> list[str]:
    """Paint a scene, and say which texts are cut off, covered or crossed in part, or overlap."""
    painter, _ = paint(scene, theme, width, height, line)
    return _findings(painter, QRectF(0, 0, width, height))


def card_findings(row: MemoryRow, theme: Theme, width: int, line: float) -> list[str]:
    """Paint the cards of a memory row, and say which texts are cut off, or overlap."""
    cards, found = cards_of(row.accesses), []
    for card, box in zip(cards, arrange_cards(len(cards), width, line), strict=True):
        image = QImage(width, int(box.y + box.height + line), QImage.Format.Format_RGB32)
        painter = RecordingPainter(image)
        try:
            paint_card(Tools(painter, theme, TextPainter("Sans"), line), card, box, -1)
        finally:
            painter.end()
        found += [
            f"card '{card.title}': {finding}"
            for finding in _findings(painter, QRectF(box.x, box.y, box.width, box.height))
        ]
    return found


def _findings(painter: RecordingPainter, area: QRectF) -> list[str]:
    """Say which texts exceed the area or are elided, are covered or crossed in part, or overlap."""
    found = [f"'{t.text}' exceeds its area" for t in painter.texts if not area.contains(t.ink)]
    found += [f"'{t.text}' is elided" for t in painter.texts if t.text.endswith(_ELLIPSIS) and t.text != _ELLIPSIS]
    visible = []
    for text in _newest(painter.texts):
        covered = max((_covered(text, plate) for plate in painter.plates), default=0.0)
        if covered <= _HIDDEN:
            visible.append(text)
            if covered > _SEEN and text.text != _BADGE:
                found.append(f"'{text.text}' is covered in part")
            elif any(order > text.order and path.intersects(text.ink) for order, path in painter.lines):
                found.append(f"'{text.text}' is crossed by a line")
    for one, other in combinations(visible, 2):
        both = one.ink.intersected(other.ink)
        if both.width() > _TOUCH_PX and both.height() > _TOUCH_PX:
            found.append(f"'{one.text}' and '{other.text}' overlap")
    return found


def _newest(texts: list[PaintedText]) -> list[PaintedText]:
    """Return texts without those that are painted again at the same place, over what covers them or in a colour."""
    places = {(t.text, round(t.ink.x()), round(t.ink.y())): t for t in texts}
    return list(places.values())


def _covered(text: PaintedText, plate: tuple[int, QRectF]) -> float:
    """Return the share of a text's ink that a plate covers which was painted later."""
    order, rect = plate
    both = text.ink.intersected(rect)
    if order < text.order or not both.isValid() or text.ink.isEmpty():
        return 0.0
    return both.width() * both.height() / (text.ink.width() * text.ink.height())


def widget_findings(page: QWidget) -> Iterator[str]:
    """Say which visible labels, buttons and fields cannot show their whole text."""
    for widget in page.findChildren(QWidget):
        if not widget.isVisibleTo(page.window()) or widget.visibleRegion().isEmpty():
            continue
        what = f"{type(widget).__name__} '{_text(widget)[:60]}'"
        if isinstance(widget, QLabel) and widget.text():
            need = widget.sizeHint()
            if widget.wordWrap():
                longest = max(map(widget.fontMetrics().horizontalAdvance, widget.text().replace("\n", " ").split(" ")))
                if widget.heightForWidth(widget.width()) > widget.height() + 2:
                    yield f"{what} is cut off below"
                elif widget.textFormat() == Qt.TextFormat.PlainText and longest > widget.contentsRect().width() + 1:
                    yield f"{what} is cut off"
            elif need.width() > widget.width() + 1 or need.height() > widget.height() + 2:
                yield f"{what} is cut off"
            shown = widget.text().replace(_WORD_JOINER, "")
            whole = getattr(widget, "whole", shown)
            if whole != shown:
                yield f"{what} is elided"
        elif isinstance(widget, QAbstractButton) and widget.text():
            # Less padding than the style prefers cuts nothing off.
            if widget.sizeHint().width() > widget.width() + 2 or widget.fontMetrics().height() > widget.height():
                yield f"{what} is cut off"
        elif isinstance(widget, QComboBox):
            option = QStyleOptionComboBox()
            widget.initStyleOption(option)
            part = QStyle.SubControl.SC_ComboBoxEditField
            field = widget.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, widget)
            cut = widget.fontMetrics().horizontalAdvance(widget.currentText()) > field.width() + 2
            if cut and widget.currentText() not in widget.toolTip():
                yield f"{what} is cut off, and its tooltip does not say the rest"
        elif (
            isinstance(widget, QLineEdit)
            and not isinstance(widget.parent(), QComboBox)
            and widget.fontMetrics().horizontalAdvance(widget.text()) > widget.width()
        ):
            yield f"{what} is cut off"


def _text(widget: QWidget) -> str:
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return widget.text()
    return widget.currentText() if isinstance(widget, QComboBox) else ""
