"""Lists of lessons, exercises and experiments: cards with a title, a sentence and a muted line, and links."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.theming.theme import LIGHT
from gui.widgets.controls import bold, fit_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QPainter, QResizeEvent

    from gui.theming.theme import Theme

_Index = QModelIndex | QPersistentModelIndex

_PAD: Final = 6
_FLAGS: Final = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)
_TALL: Final = 10_000


@dataclass(frozen=True, slots=True)
class Card:
    """Texts of one entry."""

    id: str
    title: str
    text: str
    foot: str
    mark: str = ""
    """Bold line at the end, such as "running …"; "" for none."""


class _Text(NamedTuple):
    words: str
    font: QFont
    muted: bool


class CardList(QListWidget):
    """List in which one card is chosen.

    Signals
    -------
    card_chosen(str)
        The current card has changed: its id.
    card_opened(str)
        Enter was pressed on a card, or it was double-clicked.
    """

    card_chosen = Signal(str)
    card_opened = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._painter = _Cards(self)
        self.setItemDelegate(self._painter)
        self.currentItemChanged.connect(self._changed)
        self.itemActivated.connect(lambda item: self.card_opened.emit(_card(item).id))

    @property
    def current(self) -> str:
        """Id of the current card; "" if there is none."""
        return _card(self.currentItem()).id if self.currentRow() >= 0 else ""

    def offer(self, cards: Sequence[Card]) -> None:
        """Fill the list, or change the texts of the same cards; choose the first if none is chosen."""
        for row, card in enumerate(cards):
            if row == self.count():
                self.addItem(QListWidgetItem())
            item = self.item(row)
            item.setData(Qt.ItemDataRole.UserRole, card)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, ". ".join(filter(None, (card.title, card.text, card.mark)))
            )
            item.setToolTip(card.text)
        while self.count() > len(cards):
            self.takeItem(self.count() - 1)
        if self.currentRow() < 0 and cards:
            self.setCurrentRow(0)
        self.scheduleDelayedItemsLayout()

    def choose(self, id: str) -> None:
        """Choose a card by its id."""
        for row in range(self.count()):
            if _card(self.item(row)).id == id:
                self.setCurrentRow(row)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self._painter.theme = theme
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current card in view: in another width or text size the cards have other heights."""
        super().resizeEvent(event)
        self.doItemsLayout()
        self.scrollToItem(self.currentItem())

    def _changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.card_chosen.emit(_card(item).id)


class CardsPage(QWidget):
    """Page with a list of cards at the left, which takes a share of the width within limits in pixels."""

    def __init__(self, name: str, share: float = 0.42, limits_px: tuple[int, int] = (320, 560)) -> None:
        super().__init__()
        self.list = CardList(name)
        self._share, self._limits_px = share, limits_px
        self.setFocusProxy(self.list)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self._fit()
        self.list.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the list's share of the width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        fit_width(self.list, self.width(), self._share, self._limits_px)


def _card(item: QListWidgetItem) -> Card:
    card: Card = item.data(Qt.ItemDataRole.UserRole)
    return card


class _Cards(QStyledItemDelegate):
    """Delegate that paints a card as wrapped paragraphs."""

    def __init__(self, owner: CardList) -> None:
        super().__init__(owner)
        self._list = owner
        self.theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the height of the texts at the width of the list."""
        width = self._list.viewport().width()
        heights = [self._height(text, width - 2 * _PAD) for text in self._texts(index)]
        return QSize(width, sum(heights) + 2 * _PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one card."""
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, QColor(self.theme.accent if chosen else self.theme.panel))
        y = rect.y() + _PAD
        for text in self._texts(index):
            plain = self.theme.muted if text.muted else self.theme.text
            painter.setPen(QColor(self.theme.accent_text if chosen else plain))
            painter.setFont(text.font)
            height = self._height(text, rect.width() - 2 * _PAD)
            painter.drawText(QRect(rect.x() + _PAD, y, rect.width() - 2 * _PAD, height), _FLAGS, text.words)
            y += height
        painter.setPen(QColor(self.theme.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.restore()

    def _texts(self, index: _Index) -> list[_Text]:
        card: Card = index.data(Qt.ItemDataRole.UserRole)
        plain = self._list.font()
        heavy = bold(plain)
        found = [_Text(card.title, heavy, False), _Text(card.text, plain, False), _Text(card.foot, plain, True)]
        return found + ([_Text(card.mark, heavy, False)] if card.mark else [])

    @staticmethod
    def _height(text: _Text, width: int) -> int:
        return QFontMetrics(text.font).boundingRect(QRect(0, 0, width, _TALL), _FLAGS, text.words).height()


class Links(QLabel):
    """Links, one a line, in the colours of the theme: Qt gives a text those of the time when it is set."""

    def __init__(self, before: str = "") -> None:
        super().__init__()
        self._before = before
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )

    def offer(self, places: Iterable[tuple[str, str, bool]]) -> None:
        """Show links: the id of a lesson or an exercise, its title, and whether it is done."""
        lines = (f'{"✓ " * done}{escape(self._before)}<a href="{id}">{escape(title)}</a>' for id, title, done in places)
        self.setText("<br>".join(lines))

    def changeEvent(self, event: QEvent) -> None:
        """Set the text again in other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            text = self.text()
            self.clear()
            self.setText(text)
