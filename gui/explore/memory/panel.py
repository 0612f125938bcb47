"""Memory row under the picture: the accesses of one warp, and the totals of the run so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QWidget,
    QWidgetAction,
)

from gui.explore.memory.paint_memory import paint_card, tip_at
from gui.explore.memory.row import SEPARATOR, WORDS, cards_of, fitting_facts
from gui.explore.packing.constants import CARD_LINES
from gui.explore.packing.warp_layout import arrange_cards
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.text_painter import TextPainter
from gui.widgets.controls import StageButton, hbox, label, vbox
from gui.widgets.fitted_label import FittedLabel
from gui.widgets.keys import bind, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QHelpEvent, QPaintEvent, QResizeEvent

    from gui.explore.memory.row import Card, Fact, MemoryRow
    from gui.explore.packing.boxes import Box
    from gui.theming.theme import Theme

_TOTAL_LINES: Final = 2
"""Lines of the totals."""

_TALL_PX: Final = 10_000
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


class MemoryPanel(QWidget):
    """The accesses of one warp, and the totals of the run so far, each shown on demand, with their words explained.

    They have the same height in every step, so that the picture above does not move.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: MemoryRow | None = None
        self._accesses, self._sums = False, False
        self.area = CardArea(theme)
        self.area.verticalScrollBar().rangeChanged.connect(self._name_warp)
        self.cards = self.area.cards
        self.words = StageButton("?", tip("words"))
        self.words.setAccessibleName("Words of memory row and totals")
        self.words.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.words.setMenu(self._explanation())
        self.warp = label(role="heading")
        self.totals = Totals()
        self.totals.set_lines(_TOTAL_LINES)
        head = hbox(margins=(12, 0, 4, 0), spacing=8)
        head.addWidget(self.warp)
        head.addWidget(self.totals, 1)
        head.addStretch(0)
        head.addWidget(self.words)
        outer = vbox(self, (0, 2, 0, 0), spacing=2)
        outer.addLayout(head)
        outer.addWidget(self.area)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Memory row")
        self.set_text_size(self.font().pointSizeF())
        self._apply()

    def bind_keys(self, page: QWidget) -> None:
        """Let a key of the page explain the words."""
        bind(page, {"words": self.explain})

    def set_parts(self, *, accesses: bool, totals: bool) -> None:
        """Show the accesses of a warp, the totals, both or neither."""
        self._accesses, self._sums = accesses, totals
        self._apply()

    def show_row(self, row: MemoryRow | None) -> None:
        """Show the row of a frame; show nothing for a CPU baseline, or for a run that accesses no memory."""
        self._row = row
        self.cards.show_row(row)
        if row is not None:
            self._name_warp()
            self.totals.say(row.facts)
            words, everything = ("Sector", "Wavefront", "Ideal", "Intensity"), self.totals.everything
            self.totals.setToolTip("\n".join([everything, "", *(f"{word}: {WORDS[word]}" for word in words)]))
            said = [row.heading, *(card.words for card in self.cards.shown)]
            self.setAccessibleDescription(". ".join([*said, everything]))
        self._apply()

    def explain(self) -> None:
        """Show the explanation of the words."""
        if self.isVisible():
            self.words.menu().popup(self.words.mapToGlobal(self.words.rect().bottomLeft()))

    def set_text_size(self, points: float) -> None:
        """Change the text size, and the height with it."""
        self.area.set_text_size(points)
        for part in (self.warp, self.totals):
            font = part.font()
            font.setPointSizeF(points)
            part.setFont(font)
        self.totals.set_lines(_TOTAL_LINES)

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.cards.set_theme(theme)

    def _name_warp(self) -> None:
        """Name the warp, and where cards are out of sight, say how many there are."""
        if self._row is not None:
            hidden = self.cards.minimumHeight() > self.area.maximumHeight()
            self.warp.setText(f"Warp {self._row.warp}{f', {len(self.cards.shown)} requests ↕' if hidden else ''}")

    def _apply(self) -> None:
        some = self._row is not None and self._row.run_accesses
        self.setVisible(some and (self._accesses or self._sums))
        self.area.setVisible(self._accesses)
        self.warp.setVisible(self._accesses)
        self.totals.setVisible(self._sums)

    def _explanation(self) -> QMenu:
        menu = QMenu(self)
        text = QLabel("".join(f"<p><b>{word}</b>: {sentence}</p>" for word, sentence in WORDS.items()))
        text.setWordWrap(True)
        text.setFixedWidth(self.fontMetrics().averageCharWidth() * 70)
        text.setContentsMargins(10, 2, 10, 2)
        action = QWidgetAction(menu)
        action.setDefaultWidget(text)
        menu.addAction(action)
        return menu


class CardArea(QScrollArea):
    """Room for one row of cards; more of them are scrolled to."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self.cards = AccessCards(theme)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Accesses of a warp")
        self.setWidget(self.cards)

    def set_text_size(self, points: float) -> None:
        """Change the text size, and the height with it."""
        self.cards.set_text_size(points)
        self.setFixedHeight(self.cards.row_height)


class AccessCards(QWidget):
    """Cards of the requests of one warp."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.row: MemoryRow | None = None
        """Accesses that are shown."""
        self._text_painter = TextPainter(self.font().family())
        self.shown: tuple[Card, ...] = ()
        """A card for each request."""

    @property
    def line(self) -> float:
        """Height of a line of text."""
        return QFontMetricsF(self.font()).height()

    @property
    def row_height(self) -> int:
        """Height of one row of cards."""
        return int(CARD_LINES * self.line + 0.5)

    def show_row(self, row: MemoryRow | None) -> None:
        """Show other accesses."""
        self.row, self.shown = row, cards_of(row.accesses) if row is not None else ()
        self._fit()
        self.update()

    def set_text_size(self, points: float) -> None:
        """Change the text size."""
        font = self.font()
        font.setPointSizeF(points)
        self.setFont(font)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the cards."""
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the cards in the new width."""
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards, or say that there is none."""
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:  # Qt ends the program if a painter of a widget is left open
            painter.end()

    def event(self, event: QEvent) -> bool:
        """Explain what is under the pointer."""
        if event.type() == QEvent.Type.ToolTip:
            asked = cast("QHelpEvent", event)
            x, y = float(asked.pos().x()), float(asked.pos().y())
            for card, box in zip(self.shown, self._boxes(), strict=True):
                if box.contains(x, y):
                    QToolTip.showText(asked.globalPos(), tip_at(card, box, self.line, x, y), self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if self.row is None:
            return
        tools = Tools(painter, self._theme, self._text_painter, self.line)
        for card, box in zip(self.shown, self._boxes(), strict=True):
            paint_card(tools, card, box, self.row.lane)
        if not self.shown:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self.row.heading)

    def _boxes(self) -> list[Box]:
        return arrange_cards(len(self.shown), self.width(), self.line)

    def _fit(self) -> None:
        boxes = self._boxes()
        height = int(boxes[-1].y + boxes[-1].height + self.line * 0.1 + 0.5) if boxes else 0
        if height != self.minimumHeight():
            self.setMinimumHeight(height)


class Totals(FittedLabel):
    """The most important totals that fit; lines are broken between them only."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[Fact, ...] = ()
        self._lines = 1
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, facts: tuple[Fact, ...]) -> None:
        """Show other totals."""
        self._facts = facts
        self._fit()

    @property
    def everything(self) -> str:
        """All totals in full."""
        return _sentence(SEPARATOR.join(fact.text for fact in self._facts))

    def set_lines(self, lines: int) -> None:
        """Change number of lines, and the height with it."""
        self._lines = lines
        self.setFixedHeight(self.height_of(lines))
        self._fit()

    def height_of(self, lines: int) -> int:
        """Return the height of some lines in pixels."""
        return self._extent("\n".join("X" * lines)).height() + 2  # Qt rounds the height of each line up

    def _fit(self) -> None:
        if self._facts:
            self.setText(_unbroken(_sentence(fitting_facts(self._facts, self._fits))))

    def _fits(self, words: str) -> bool:
        extent = self._extent(_unbroken(_sentence(words)))
        return extent.width() <= self.contentsRect().width() and extent.height() <= self.height_of(self._lines)

    def _extent(self, text: str) -> QRect:
        room = QRect(0, 0, self.contentsRect().width(), _TALL_PX)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text)


def _sentence(words: str) -> str:
    return f"So far: {words}"


def _unbroken(words: str) -> str:
    """Return words whose lines are broken after separators only."""
    return f"{_NO_BREAK}· ".join(fact.replace(" ", _NO_BREAK) for fact in words.split(SEPARATOR))
