"""Memory row under the picture: the accesses of one warp, its totals, and the button that folds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from gui.explore.memory.paint_memory import CARD_LINES, arrange_cards, cards_of, paint_card, tip_at
from gui.explore.memory.row import WORDS
from gui.explore.memory.totals import Totals
from gui.explore.stage.paint_cells import Tools
from gui.explore.stage.text_painter import TextPainter
from gui.widgets.controls import label, tool
from gui.widgets.keys import bind, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QHelpEvent, QPaintEvent, QResizeEvent

    from gui.explore.memory.paint_memory import Card
    from gui.explore.memory.row import MemoryRow
    from gui.theming.theme import Theme

_SPACING_PX: Final = 16
"""Between picture, header, cards and caption, together."""

_OPEN_LINES: Final = 2
"""Lines of the totals above the cards; beside the button of the folded row they have one."""

_BUTTON_SHARE: Final = 0.3
"""Share of the width that the text of the button takes at most."""

LEAST_STAGE_PX: Final = 290
"""Height that the picture above keeps; in a lower window the row folds by itself."""


class MemoryPanel(QWidget):
    """The memory row with its header: button, totals, explanation of the words.

    The row has the same height in every step, so that the picture above does not move.
    """

    fold_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: MemoryRow | None = None
        self._chosen: bool | None = None
        """Folded or not, as the user has chosen; None lets the height of the window decide."""
        self._why_folded = ""
        """Why the row folds by itself; empty if it does not."""
        self.area = CardArea(theme)
        self.cards = self.area.cards
        self.button = tool("", "", self.toggle)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.words = tool("Words", tip("words"))
        self.words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.words.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.words.setMenu(self._explanation())
        self.warp = label(role="heading")
        self.totals = Totals()
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 4, 0)
        head.setSpacing(8)
        head.addWidget(self.button)
        head.addWidget(self.warp)
        head.addWidget(self.totals, 1)
        head.addWidget(self.words)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 2, 0, 0)
        outer.setSpacing(2)
        outer.addLayout(head)
        outer.addWidget(self.area)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Memory row")
        self.set_text_size(self.font().pointSizeF())

    def bind_keys(self, page: QWidget) -> None:
        """Let the keys of the page fold the row and explain its words."""
        bind(page, {"memory": self.toggle, "words": self.explain})

    @property
    def folded(self) -> bool:
        """True if only the header is shown."""
        return bool(self._why_folded) if self._chosen is None else self._chosen

    @property
    def choice(self) -> bool | None:
        """True if the user has folded the row, False if unfolded; None where the height of the window decides."""
        return self._chosen

    def choose(self, folded: bool | None) -> None:
        """Fold or unfold the row, or let the height of the window decide."""
        self._chosen = folded
        self._apply()

    def show_row(self, row: MemoryRow | None) -> None:
        """Show the row of a frame; show nothing for a CPU baseline, or for a run that accesses no memory."""
        self._row = row
        self.setVisible(row is not None and row.run_accesses)
        self.cards.show_row(row)
        if row is not None:
            hidden = self.cards.minimumHeight() > self.area.maximumHeight()
            self.warp.setText(f"Warp {row.warp}{f', {len(self.cards.shown)} requests ↕' if hidden else ''}")
            self.totals.say(row.facts)
            words, everything = ("Sector", "Wavefront", "Ideal", "Intensity"), self.totals.everything
            self.totals.setToolTip("\n".join([everything, "", *(f"{word}: {WORDS[word]}" for word in words)]))
            said = [row.heading, *(card.words for card in self.cards.shown)]
            self.setAccessibleDescription(". ".join([*said, everything]))

    def toggle(self) -> None:
        """Fold or unfold the row; the choice is kept."""
        self._chosen = not self.folded
        self._apply()
        self.fold_changed.emit(self.folded)

    def explain(self) -> None:
        """Show the explanation of the words."""
        if self.isVisible():
            self.words.menu().popup(self.words.mapToGlobal(self.words.rect().bottomLeft()))

    def fit(self, room_px: int, *, large_text: bool = False) -> None:
        """Fold for large text, or if picture and row together need more than `room_px`, unless the user has chosen."""
        low = room_px - self._open_height() < LEAST_STAGE_PX
        why = "large text" if large_text else "low window" if low else ""
        if why != self._why_folded:
            self._why_folded = why
            self._apply()

    def set_text_size(self, points: float) -> None:
        """Change the text size, and the height with it."""
        self.area.set_text_size(points)
        for part in (self.warp, self.totals):
            font = part.font()
            font.setPointSizeF(points)
            part.setFont(font)
        self._apply()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.cards.set_theme(theme)

    def _open_height(self) -> int:
        head = max(self.button.sizeHint().height(), self.totals.height_of(_OPEN_LINES))
        return self.area.maximumHeight() + head + _SPACING_PX

    def _apply(self) -> None:
        self.area.setVisible(not self.folded)
        self.totals.set_lines(1 if self.folded else _OPEN_LINES)
        self.warp.setVisible(not self.folded)
        self.words.setVisible(not self.folded)
        self._name_button()
        by_itself = self.folded and self._chosen is None
        why = f"The row is folded to leave the picture its room ({self._why_folded}). " if by_itself else ""
        self.button.setToolTip(f"{why}{tip('memory')}")
        self.button.setAccessibleName("Show the memory row" if self.folded else "Fold the memory row")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the reason for folding on the button where there is room for it."""
        super().resizeEvent(event)
        self._name_button()

    def _name_button(self) -> None:
        texts = ["▸ Memory"] if self.folded else ["▾ Memory"]
        if self.folded and self._chosen is None:
            texts.insert(0, f"▸ Memory ({self._why_folded})")
        most = self.width() * _BUTTON_SHARE
        wide = self.button.fontMetrics().horizontalAdvance
        self.button.setText(next((text for text in texts if wide(text) <= most), texts[-1]))

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
        self._row: MemoryRow | None = None
        self._text_painter = TextPainter(self.font().family())
        self.shown: tuple[Card, ...] = ()
        """A card for each request."""

    @property
    def row(self) -> MemoryRow | None:
        """Accesses that are shown."""
        return self._row

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
        self._row, self.shown = row, cards_of(row) if row is not None else ()
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
            for card, rect in zip(self.shown, self._rects(), strict=True):
                if rect.contains(x, y):
                    QToolTip.showText(asked.globalPos(), tip_at(card, rect, self.line, x, y), self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if self._row is None:
            return
        tools = Tools(painter, self._theme, self._text_painter, self.line)
        for card, rect in zip(self.shown, self._rects(), strict=True):
            paint_card(tools, card, rect, self._row.lane)
        if not self.shown:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self._row.heading)

    def _rects(self) -> list[QRectF]:
        return arrange_cards(len(self.shown), self.width(), self.line)

    def _fit(self) -> None:
        rects = self._rects()
        height = int(rects[-1].bottom() + self.line * 0.1 + 0.5) if rects else 0
        if height != self.minimumHeight():
            self.setMinimumHeight(height)
