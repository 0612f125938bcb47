"""Hazards of a run above the listing, and the lines that the selected GPU runs in place of those in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from gui.explore.code.hazard_list import HazardList
from gui.widgets.controls import label, vbox

if TYPE_CHECKING:
    from kernels.trace import Trace


class SideBar(QWidget):
    """Number and list of the hazards of a run.

    Signals
    -------
    hazard_chosen(Hazard)
        A hazard in the list was clicked.
    """

    hazard_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = QLabel(self)
        self.badge.setProperty("role", "warning")
        self.badge.setToolTip(
            "Errors of this run, or errors that can occur on a GPU or in another order of warps "
            "even if this result is correct."
        )
        self.badge.setWordWrap(True)
        self.badge.hide()
        self.other_code = label(role="muted", line=True)
        self.other_code.hide()
        self.hazards = HazardList(self)
        self.hazards.hazard_chosen.connect(self.hazard_chosen)
        outer = vbox(self, (4, 0, 0, 0))
        outer.addWidget(self.other_code)
        outer.addWidget(self.badge)
        outer.addWidget(self.hazards)

    @property
    def found(self) -> bool:
        """True if the run has hazards, or did not end."""
        return not self.badge.isHidden()

    def say_other_code(self, words: str) -> None:
        """Say that the selected GPU runs other lines of the listing than the picture; "" where it does not."""
        self.other_code.setText(words)
        self.other_code.setVisible(bool(words))

    def show_trace(self, trace: Trace | None) -> None:
        """List the hazards of a run."""
        if trace is None:
            self.say_other_code("")
        found = trace.hazards if trace is not None else ()
        self.hazards.show_hazards(found, trace)
        stopped = trace.stopped if trace is not None else ""
        found_words = (
            f"⚠ {len(found)} hazards: click one to see its step"
            if len(found) > 1
            else "⚠ 1 hazard: click it to see its step"
        )
        words = [found_words] if found else []
        self.badge.setText("; ".join(words + ([f"⚠ {stopped}"] if stopped else [])))
        self.badge.setVisible(bool(found or stopped))
