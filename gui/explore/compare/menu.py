"""Menu of the launches that a picture can be compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.explore.compare.comparables import Comparable


class CompareMenu(QMenu):
    """Launches by group.

    Signals
    -------
    chosen(Selection)
        The launch to compare with.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTipsVisible(True)

    def offer(self, launches: Sequence[Comparable], why_none: str) -> None:
        """Fill the menu; without a launch, with the reason."""
        self.clear()
        group = ""
        for launch in launches:
            if launch.group != group:
                group = launch.group
                self.addSection(group)
            action = self.addAction(launch.title.replace("&", "&&"))
            action.setToolTip(launch.selection.kernel.teaches)
            action.triggered.connect(lambda _=False, made=launch.selection: self.chosen.emit(made))
        if not launches:
            self.addAction(why_none).setEnabled(False)
