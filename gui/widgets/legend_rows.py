"""Rows of a plot's legend: their model, and a view that measures and paints only the rows in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from gui.widgets.controls import bold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QFocusEvent, QIcon

ICON: Final = QSize(34, 18)
_MARGIN_PX: Final = 8

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_Flag = Qt.ItemFlag
_FLAGS: Final = _Flag.ItemIsEnabled | _Flag.ItemIsSelectable | _Flag.ItemIsUserCheckable | _Flag.ItemNeverHasChildren


class Entry(NamedTuple):
    """One curve."""

    name: str
    """Name, unique in the legend."""
    icon: Callable[[], QIcon]
    """Returns the picture in the present colours; called when the row is painted."""
    tip: str
    """Tooltip."""
    ticked: bool = True
    """Whether it is shown until the user decides."""


class LegendRows(QAbstractListModel):
    """Model of the entries: every value is computed when a row in sight asks for it.

    Parameters
    ----------
    ticks : mapping
        Whether a curve is shown, by its name.

    Signals
    -------
    ticked(str, bool)
        The user has changed the check mark of a name.
    """

    ticked = Signal(str, bool)

    def __init__(self, ticks: Mapping[str, bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ticks = ticks
        self._entries: tuple[Entry, ...] = ()
        self._bold = ""

    @property
    def names(self) -> list[str]:
        """Names in the order of the rows."""
        return [entry.name for entry in self._entries]

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Set the entries. The view keeps its place and the highlighted row unless earlier names have changed."""
        names, old = [entry.name for entry in entries], self.names
        if names[: len(old)] != old:
            self.beginResetModel()
            self._entries = tuple(entries)
            self.endResetModel()
        elif len(names) > len(old):
            self.beginInsertRows(QModelIndex(), len(old), len(names) - 1)
            self._entries = tuple(entries)
            self.endInsertRows()
        else:
            self._entries = tuple(entries)

    def emphasize(self, name: str) -> None:
        """Write a name in bold, and no other; the row may need another height."""
        changed, self._bold = {self._bold, name}, name
        for row, entry in enumerate(self._entries):
            if entry.name in changed:
                self.dataChanged.emit(self.index(row), self.index(row), [_Role.FontRole])

    def name(self, index: _Index) -> str:
        """Return the name in a row."""
        return self._entries[index.row()].name

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of entries; an entry has no children."""
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Every row can be ticked; that it has no children keeps a QTreeView from asking for their number."""
        return _FLAGS

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Name, icon, tooltip, check mark and font of a row."""
        entry = self._entries[index.row()]
        if role == _Role.DisplayRole:
            return entry.name
        if role == _Role.DecorationRole:
            return entry.icon()
        if role == _Role.CheckStateRole:
            return _CHECKED if self._ticks.get(entry.name, True) else _UNCHECKED
        if role == _Role.ToolTipRole:
            return entry.tip
        if role == _Role.FontRole and entry.name == self._bold:
            return bold()
        return None

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Report a check mark that the user has changed."""
        if role != _Role.CheckStateRole:
            return False
        self.ticked.emit(self.name(index), Qt.CheckState(value) == _CHECKED)
        return True


class LegendView(QTreeView):
    """View whose rows wrap long names.

    A QListView measures all rows, and asks for their icons, whenever one changes and with every style sheet. A
    QTreeView needs only the heights of the rows in sight.

    Signals
    -------
    pointer_left()
        The pointer or the keyboard focus has left the view.
    """

    pointer_left = Signal()

    def __init__(self, rows: LegendRows) -> None:
        super().__init__()
        self.setAccessibleName("Legend")
        self.setToolTip("Tick to show a curve. Hover or click to highlight it.")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIconSize(ICON)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(_WrappedNames(self))
        self.setModel(rows)
        self.header().sectionResized.connect(self.scheduleDelayedItemsLayout)

    def event(self, event: QEvent) -> bool:
        """Lay the rows out once, before they are painted, however often the style is set: all rows take 3 ms."""
        if event.type() != QEvent.Type.StyleChange:
            return super().event(event)
        self.scheduleDelayedItemsLayout()
        return QAbstractScrollArea.event(self, event)

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer has left."""
        super().leaveEvent(event)
        self.pointer_left.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that the keyboard focus has left."""
        super().focusOutEvent(event)
        self.pointer_left.emit()


class _WrappedNames(QStyledItemDelegate):
    """Delegate that measures a row at the width of the column."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the size of the wrapped name."""
        view = option.widget
        if isinstance(view, QTreeView):
            # An empty rectangle would not wrap. The name is painted in less width than the style measures it in.
            option.rect = QRect(0, 0, view.columnWidth(index.column()) - _MARGIN_PX, 1)
        return super().sizeHint(option, index)
