"""Legend of a plot: its curves by name, to show, hide or highlight."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gui.widgets.controls import bold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFocusEvent, QIcon

ICON: Final = QSize(34, 18)
WIDTH_PX: Final = 272
"""Width of the legend at the normal text size."""

_NONE: Final = ""
_CHECK: Final = Qt.ItemDataRole.CheckStateRole


class Entry(NamedTuple):
    """One curve: `name` is unique, `tip` is its tooltip."""

    name: str
    icon: QIcon
    tip: str


class _Names(QListWidget):
    """List that reports when pointer or keyboard focus leaves it."""

    pointer_left = Signal()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer has left."""
        super().leaveEvent(event)
        self.pointer_left.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that the keyboard focus has left."""
        super().focusOutEvent(event)
        self.pointer_left.emit()


class Legend(QWidget):
    """List of curves with check boxes; the user's choice for a name persists.

    Parameters
    ----------
    most : int
        Number of curves that are shown at first; all for 0.

    Signals
    -------
    curves_changed()
        The set of shown curves has changed.
    highlight_changed()
        The highlighted curve has changed: the one under the pointer, else the clicked one.
    """

    curves_changed = Signal()
    highlight_changed = Signal()

    def __init__(self, most: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = most
        self._ticks: dict[str, bool] = {}
        self._published = True
        self._entries: tuple[Entry, ...] = ()
        self._hovered, self._clicked_name, self._just_ticked = _NONE, _NONE, False
        self.all = QCheckBox()
        self.all.clicked.connect(self._tick_all)
        self.published = QCheckBox("Published: dashed, hollow")
        self.published.clicked.connect(self._tick_published)
        self.list = _Names()
        self.list.setAccessibleName("Legend")
        self.list.setToolTip("Tick to show a curve. Hover or click to highlight it.")
        self.list.setIconSize(ICON)
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.pointer_left.connect(lambda: self._hover(_NONE))
        self.list.itemEntered.connect(lambda item: self._hover(_name(item)))
        self.list.currentItemChanged.connect(lambda item: self._hover(_name(item)) if item else None)
        self.list.itemChanged.connect(self._tick)
        self.list.itemClicked.connect(self._clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (self.all, self.published, self.list):
            column.addWidget(widget)

    @property
    def focus(self) -> str:
        """Name of the highlighted curve; empty for none."""
        wanted = self._hovered or self._clicked_name
        return wanted if self._ticks.get(wanted, False) else _NONE

    @property
    def shows_published(self) -> bool:
        """True if published curves are shown."""
        return self.published.isChecked()

    def shows(self, name: str) -> bool:
        """Return whether a curve is shown."""
        return self._ticks.get(name, True)

    def reset(self) -> None:
        """Discard the user's choices, for other curves."""
        self._ticks.clear()
        self._published = True
        self._hovered = self._clicked_name = _NONE

    def offer(self, entries: Sequence[Entry], *, ours: bool, theirs: bool) -> None:
        """List curves; `ours` and `theirs` say whether there are measured and published ones."""
        for number, entry in enumerate(entries):
            self._ticks.setdefault(entry.name, not self._most or number < self._most)
        self.published.setVisible(ours and theirs)
        self.published.setChecked(not ours or self._published)
        self.list.blockSignals(True)
        if [entry.name for entry in entries] != [_name(item) for item in self._items()]:
            # The list is filled again only for other names: this keeps the highlighted entry.
            self.list.clear()
            self._entries = ()
            self.list.addItems([entry.name for entry in entries])
        for item, entry, old in zip_longest(self._items(), entries, self._entries[: len(entries)]):
            # Each change of an item makes the list lay out all of its items.
            if old is None or entry.icon is not old.icon:
                item.setIcon(entry.icon)
            if old is None or entry.tip != old.tip:
                item.setToolTip(entry.tip)
        self._entries = tuple(entries)
        self.list.blockSignals(False)
        self._show_ticks()

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _show_ticks(self) -> None:
        items = self._items()
        self.list.blockSignals(True)
        for item in items:
            state = Qt.CheckState.Checked if self.shows(_name(item)) else Qt.CheckState.Unchecked
            if item.data(_CHECK) is None or item.checkState() != state:
                item.setCheckState(state)
            if item.font().bold() != (_name(item) == self._clicked_name):
                item.setFont(QFont() if item.font().bold() else bold())
        self.list.blockSignals(False)
        ticked = sum(self.shows(_name(item)) for item in items)
        some = Qt.CheckState.PartiallyChecked if ticked else Qt.CheckState.Unchecked
        self.all.setCheckState(Qt.CheckState.Checked if ticked == len(items) else some)
        self.all.setText(f"{ticked} of {len(items)} curves" if ticked < len(items) else f"All {len(items)} curves")
        self.all.setVisible(len(items) > 1)

    def _tick_all(self) -> None:
        wanted = not all(self._ticks.values())
        self._ticks = dict.fromkeys(self._ticks, wanted)
        self._show_ticks()
        self.curves_changed.emit()

    def _tick_published(self, on: bool) -> None:
        self._published = on
        self.curves_changed.emit()

    def _tick(self, item: QListWidgetItem) -> None:
        self._just_ticked = True
        self._ticks[_name(item)] = item.checkState() == Qt.CheckState.Checked
        self._show_ticks()
        self.curves_changed.emit()

    def _clicked(self, item: QListWidgetItem) -> None:
        if not self._just_ticked:
            self._clicked_name = _NONE if _name(item) == self._clicked_name else _name(item)
            self._show_ticks()
            self.highlight_changed.emit()
        self._just_ticked = False

    def _hover(self, name: str) -> None:
        if name != self._hovered:
            self._hovered = name
            self.highlight_changed.emit()


def _name(item: QListWidgetItem) -> str:
    return item.text()
