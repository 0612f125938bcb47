"""List of experiments: title, question and publication of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPainter, QResizeEvent

    from gui.theming.theme import Theme
    from kernels.experiments import Experiment

_Index = QModelIndex | QPersistentModelIndex

_PAD: Final = 6
_FLAGS: Final = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)
_TALL: Final = 10_000


class _Text(NamedTuple):
    words: str
    font: QFont
    muted: bool


class ExperimentList(QListWidget):
    """List in which one experiment is chosen.

    Signals
    -------
    experiment_chosen(Experiment)
        The current experiment has changed.
    """

    experiment_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Experiments")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._cards = _Cards(self)
        self.setItemDelegate(self._cards)
        self.currentItemChanged.connect(self._changed)

    def offer(self, experiments: Sequence[Experiment]) -> None:
        """Fill the list and choose the first experiment."""
        for experiment in experiments:
            item = QListWidgetItem(experiment.title)
            item.setData(Qt.ItemDataRole.UserRole, experiment)
            item.setToolTip(experiment.question)
            self.addItem(item)
        self.setCurrentRow(0)

    def choose(self, id: str) -> None:
        """Choose an experiment by its id."""
        for row in range(self.count()):
            if self.item(row).data(Qt.ItemDataRole.UserRole).id == id:
                self.setCurrentRow(row)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self._cards.theme = theme
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current experiment in view: in another width or text size the cards have other heights."""
        super().resizeEvent(event)
        self.doItemsLayout()
        self.scrollToItem(self.currentItem())

    def mark_running(self, experiment: Experiment | None) -> None:
        """Mark the experiment that is being measured; None for no mark."""
        self._cards.running = experiment
        self.scheduleDelayedItemsLayout()

    def _changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.experiment_chosen.emit(item.data(Qt.ItemDataRole.UserRole))


class _Cards(QStyledItemDelegate):
    """Delegate that paints an experiment as three wrapped paragraphs."""

    def __init__(self, owner: ExperimentList) -> None:
        super().__init__(owner)
        self._list = owner
        self.theme = LIGHT
        self.running: Experiment | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the height of the texts at the width of the list."""
        width = self._list.viewport().width()
        heights = [self._height(text, width - 2 * _PAD) for text in self._texts(index)]
        return QSize(width, sum(heights) + 2 * _PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one experiment."""
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
        experiment: Experiment = index.data(Qt.ItemDataRole.UserRole)
        plain, bold = QFont(self._list.font()), QFont(self._list.font())
        bold.setBold(True)
        found = [
            _Text(experiment.title, bold, False),
            _Text(experiment.question, plain, False),
            _Text(f"{experiment.source}; {experiment.gpu}", plain, True),
        ]
        if experiment == self.running:
            found.append(_Text("running …", bold, False))
        return found

    @staticmethod
    def _height(text: _Text, width: int) -> int:
        return QFontMetrics(text.font).boundingRect(QRect(0, 0, width, _TALL), _FLAGS, text.words).height()
