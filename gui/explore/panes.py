"""Panes of the page, shown on demand: listing, card of a thread, memory row, totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.explore.playback.stage_state import PANES, Pane
from gui.widgets.controls import StageButton, hbox
from gui.widgets.keys import bind, tip

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FIRST: Final[frozenset[Pane]] = frozenset({"code"})
"""Panes that are shown at the first start."""

_KEYS: Final[Mapping[Pane, str]] = {"code": "listing", "thread": "thread", "memory": "memory", "totals": "totals"}
"""Names of their keys."""


class Panes(QWidget):
    """A toggle for each pane, at the stage's lower edge.

    Parameters
    ----------
    keys : QWidget
        The widget in which the keys act.

    Signals
    -------
    changed()
        Other panes are shown.
    chosen()
        The user chose other panes, which are to be remembered.
    """

    changed = Signal()
    chosen = Signal()

    def __init__(self, keys: QWidget) -> None:
        super().__init__(keys)
        self.setAccessibleName("Panes")
        self.buttons: dict[Pane, StageButton] = {}
        row = hbox(self, spacing=4)
        for pane in PANES:
            button = StageButton(pane.capitalize(), tip(_KEYS[pane]))
            button.setCheckable(True)
            button.setProperty("part", "pill")
            button.toggled.connect(self.changed)
            button.clicked.connect(self.chosen)
            self.buttons[pane] = button
            row.addWidget(button)
        bind(keys, {_KEYS[pane]: button.click for pane, button in self.buttons.items()})
        self.show_only(FIRST)

    @property
    def shown(self) -> frozenset[Pane]:
        """Panes that are shown."""
        return frozenset(pane for pane, button in self.buttons.items() if button.isChecked())

    def offer(self, panes: Collection[Pane]) -> None:
        """Offer the toggles of some panes; the others, and their keys, have nothing to show."""
        for pane, button in self.buttons.items():
            button.setVisible(pane in panes)
            button.setEnabled(pane in panes)

    def open(self, pane: Pane) -> None:
        """Show one more pane."""
        self.show_only(self.shown | {pane})

    def show_only(self, panes: Iterable[Pane]) -> None:
        """Show exactly some panes."""
        wanted = frozenset(panes)
        if wanted == self.shown:
            return
        for pane, button in self.buttons.items():
            button.blockSignals(True)  # one change, not four
            button.setChecked(pane in wanted)
            button.blockSignals(False)
        self.changed.emit()
