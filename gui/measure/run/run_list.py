"""List of runs: the model, with a tick for those that are shown, and the painting of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.widgets.controls import bold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtCore import QObject

    from gui.measure.run.entries import RunEntry

_GAP_PX: Final = 4
_LEAST_CHARACTERS: Final = 16
"""Width that the list asks for; longer lines are elided."""


class RunRowDelegate(QStyledItemDelegate):
    """Paints the two lines of `RunListModel`, the first one bold; both are elided to the width."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint background, tick and lines."""
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        style, rect = own.widget.style(), own.rect
        title, _, facts = str(index.data()).partition("\n")
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, own, painter, own.widget)
        box = QStyleOptionViewItem(own)
        box.rect = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, own, own.widget)
        box.state &= ~QStyle.StateFlag.State_HasFocus
        checked = own.checkState == Qt.CheckState.Checked
        box.state |= QStyle.StateFlag.State_On if checked else QStyle.StateFlag.State_Off
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck, box, painter, own.widget)
        selected = bool(own.state & QStyle.StateFlag.State_Selected)
        left, top = box.rect.right() + 2 * _GAP_PX, rect.top() + _GAP_PX
        painter.save()
        painter.setPen(own.palette.color(QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text))
        for text, font in ((title, bold(own.font)), (facts, own.font)):
            metrics = QFontMetrics(font)
            line = QRect(left, top, rect.right() - left - _GAP_PX, metrics.height())
            painter.setFont(font)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
            top += metrics.height()
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of two lines."""
        font: QFont = option.font
        title = QFontMetrics(bold(font))
        height = title.height() + QFontMetrics(font).height() + 2 * _GAP_PX
        return QSize(_LEAST_CHARACTERS * title.averageCharWidth(), height)


_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole


class RunListModel(QAbstractListModel):
    """Runs that match the search, each with a tick. A tick stays while a search hides its run.

    Signals
    -------
    ticked(RunEntry, bool)
        The user has ticked a run, or cleared its tick.
    """

    ticked = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[RunEntry, ...] = ()
        """All runs that are not deleted."""
        self._visible: tuple[RunEntry, ...] = ()
        self._search = ""
        self._ticks: set[str] = set()
        self._this = ""

    @property
    def ticked_entries(self) -> tuple[RunEntry, ...]:
        """Runs with a tick."""
        return tuple(entry for entry in self.entries if entry.id in self._ticks)

    def offer(self, entries: Iterable[RunEntry]) -> None:
        """List runs; ticks of runs that are still there stay."""
        self.entries = tuple(entry for entry in entries if not entry.deleted)
        self._ticks &= {entry.id for entry in self.entries}
        self._filter()

    def search(self, text: str) -> None:
        """List only the runs that match a text."""
        self._search = text
        self._filter()

    def tick(self, id: str, ticked: bool = True) -> None:
        """Set a tick without a signal."""
        (self._ticks.add if ticked else self._ticks.discard)(id)
        self.dataChanged.emit(self.index(0), self.index(max(0, len(self._visible) - 1)), [_Role.CheckStateRole])

    def set_this(self, id: str) -> None:
        """Mark the page's run, by its id; "" for none."""
        self._this = id
        self.dataChanged.emit(self.index(0), self.index(max(0, len(self._visible) - 1)))

    def entry(self, index: _Index) -> RunEntry | None:
        """Return the run of a row; None for an index outside the list."""
        return self._visible[index.row()] if index.isValid() and index.row() < len(self._visible) else None

    def index_of(self, id: str) -> QModelIndex:
        """Return the row of a run; an invalid index if it is not listed."""
        rows = [row for row, entry in enumerate(self._visible) if entry.id == id]
        return self.index(rows[0]) if rows else QModelIndex()

    def _filter(self) -> None:
        self.beginResetModel()
        self._visible = tuple(entry for entry in self.entries if entry.matches(self._search))
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of listed runs."""
        return 0 if parent.isValid() else len(self._visible)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Every run can be selected and ticked."""
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Return title and facts, the tick, and a tooltip."""
        entry = self.entry(index)
        if entry is None:
            return None
        facts = f"this run · {entry.facts}" if entry.id == self._this else entry.facts
        if role == _Role.DisplayRole:
            return f"{entry.title}\n{facts}"
        if role == _Role.ToolTipRole:
            return f"{entry.title}\n{facts}\nTick it to show it in the plots and in the table."
        if role == _Role.AccessibleTextRole:
            return f"{entry.title}, {facts}"
        if role == _Role.CheckStateRole:
            return Qt.CheckState.Checked if entry.id in self._ticks else Qt.CheckState.Unchecked
        return None

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Tick a run."""
        entry = self.entry(index)
        if entry is None or role != _Role.CheckStateRole:
            return False
        ticked = Qt.CheckState(value) == Qt.CheckState.Checked
        if ticked != (entry.id in self._ticks):
            self.tick(entry.id, ticked)
            self.ticked.emit(entry, ticked)
        return True
