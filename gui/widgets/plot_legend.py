"""Legend of a plot: its curves by name, to show, hide or highlight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from gui.widgets.controls import add_parts, label, vbox
from gui.widgets.legend_rows import LegendRows, LegendView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QModelIndex

    from gui.widgets.legend_rows import Entry

WIDTH_PX: Final = 272
"""Width of the legend at the normal text size."""

_NONE: Final = ""

ASTERISK: Final = "∗ disturbed: point at it to see why"


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

    def __init__(self, most: int = 0) -> None:
        super().__init__()
        self._most = most
        self._ticks: dict[str, bool] = {}
        self._proposed: dict[str, bool] = {}
        """Whether the latest entry of a name was to be shown."""
        self._decided: set[str] = set()
        """Names that the user has ticked or unticked."""
        self._published = True
        self._hovered, self._clicked_name, self._just_ticked = _NONE, _NONE, False
        self.all = QCheckBox()
        self.all.clicked.connect(self._tick_all)
        self.published = QCheckBox("Published: dashed, hollow")
        self.published.clicked.connect(self._tick_published)
        self.rows = LegendRows(self._ticks, self)
        self.rows.ticked.connect(self._tick)
        self.list = LegendView(self.rows)
        self.list.pointer_left.connect(lambda: self._hover(_NONE))
        self.list.entered.connect(lambda index: self._hover(self.rows.name(index)))
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.list.pressed.connect(self._pressed)
        self.list.clicked.connect(self._clicked)
        self.asterisk = label(ASTERISK, "muted", line=True)
        self.asterisk.hide()
        column = vbox(self, spacing=4)
        add_parts(column, self.all, self.published, self.list, self.asterisk)

    @property
    def focus(self) -> str:
        """Name of the highlighted curve; empty for none."""
        wanted = self._hovered or self._clicked_name
        return wanted if self._ticks.get(wanted, False) else _NONE

    @property
    def decided(self) -> bool:
        """True once the user has ticked or unticked a curve."""
        return bool(self._decided)

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
        self._proposed.clear()
        self._decided.clear()
        self._published = True
        self._hovered = self._clicked_name = _NONE
        self.rows.emphasize(_NONE)

    def offer(self, entries: Sequence[Entry], *, ours: bool, theirs: bool) -> None:
        """List curves; `ours` and `theirs` say whether there are measured and published ones.

        A curve that was not to be shown is ticked when an entry of its name is, as when a run measures what a recorded
        one holds in addition to its first curves. Until the user decides on any, the ticks follow what is proposed.
        """
        for number, entry in enumerate(entries):
            shown = entry.ticked and (not self._most or number < self._most)
            known = self._proposed.get(entry.name)
            proposed = entry.ticked != known and (entry.ticked or not self.decided)
            if known is None or (proposed and entry.name not in self._decided):
                self._ticks[entry.name] = shown
            self._proposed[entry.name] = entry.ticked
        self.published.setVisible(ours and theirs)
        self.published.setChecked(not ours or self._published)
        self.rows.show_entries(entries)
        self._show_ticks()

    def explain_asterisks(self, *, shown: bool) -> None:
        """Say what an asterisk at a point means, if there is one."""
        self.asterisk.setVisible(shown)

    def repaint_rows(self) -> None:
        """Paint the rows in sight again; they ask for their icons and check marks."""
        self.list.viewport().update()

    def _show_ticks(self) -> None:
        self.repaint_rows()
        ticked, count = sum(self.shows(name) for name in self.rows.names), self.rows.rowCount()
        some = Qt.CheckState.PartiallyChecked if ticked else Qt.CheckState.Unchecked
        self.all.setCheckState(Qt.CheckState.Checked if ticked == count else some)
        self.all.setText(f"{ticked} of {count} curves" if ticked < count else f"All {count} curves")
        self.all.setVisible(count > 1)

    def _tick_all(self) -> None:
        wanted = not all(self._ticks.values())
        self._ticks.update(dict.fromkeys(self._ticks, wanted))
        self._decided.update(self._ticks)
        self._show_ticks()
        self.curves_changed.emit()

    def _tick_published(self, on: bool) -> None:
        self._published = on
        self.curves_changed.emit()

    def _tick(self, name: str, on: bool) -> None:
        self._just_ticked = True
        self._ticks[name] = on
        self._decided.add(name)
        self._show_ticks()
        self.curves_changed.emit()

    def _pressed(self) -> None:
        self._just_ticked = False

    def _clicked(self, index: QModelIndex) -> None:
        name = self.rows.name(index)
        if not self._just_ticked:
            self._clicked_name = _NONE if name == self._clicked_name else name
            self.rows.emphasize(self._clicked_name)
            self.highlight_changed.emit()

    def _current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self._hover(self.rows.name(index))

    def _hover(self, name: str) -> None:
        if name != self._hovered:
            self._hovered = name
            self.highlight_changed.emit()
