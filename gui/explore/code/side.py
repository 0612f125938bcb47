"""Side bar above the listing: detail, order of warps and blocks, hazards, export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.explore.code.hazard_list import HazardList
from gui.widgets.controls import label, tool

if TYPE_CHECKING:
    from kernels.trace import Trace

SCHEDULES = {
    "Order: lockstep": "lockstep",
    "Order: warp by warp": "warps",
    "Order: reversed": "reversed",
    "Order: random 1": "shuffle:1",
    "Order: random 2": "shuffle:2",
    "Order: random 3": "shuffle:3",
}
"""Orders in which a GPU may run warps and blocks; a picture must be right in all of them."""

_ORDER_LETTERS = 12
"""Letters of the order that are always seen."""


class SideBar(QWidget):
    """Choice of detail and order, list of hazards, and the Export button.

    Signals
    -------
    detail_changed()
        The detail was changed: every statement, or memory steps only.
    schedule_changed()
        Another order of warps and blocks was chosen.
    rerun_requested()
        The cancelled run is requested again.
    hazard_chosen(Hazard)
        A hazard in the list was clicked.
    cancel_requested()
        Cancel was pressed.
    """

    detail_changed = Signal()
    schedule_changed = Signal()
    rerun_requested = Signal()
    hazard_chosen = Signal(object)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail = QCheckBox("E&very statement", self)
        self._detail.setToolTip("Off: only steps that access an array or wait at a barrier")
        self._detail.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._detail.toggled.connect(self.detail_changed)
        self._detail.clicked.connect(self._decide)
        self._detail_chosen = False
        self.order = QComboBox(self)
        self.order.addItems(list(SCHEDULES))
        # Larger text makes the box no wider than its share: what does not fit is elided, and whole in the open list.
        self.order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.order.setMinimumContentsLength(_ORDER_LETTERS)
        self.order.setAccessibleName("Order of warps and blocks")
        self._describe_order()
        self.order.currentIndexChanged.connect(self._describe_order)
        self.order.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.order.activated.connect(self.schedule_changed)
        self.cancel = tool("&Cancel", "Stop this run (Alt+C)", self.cancel_requested.emit)
        self.again = tool("&Run again", "Run the cancelled kernel again (Alt+R)", self.rerun_requested.emit)
        self.export_button = tool("", "")
        self.show_export("", "")
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.badge = QLabel(self)
        self.badge.setProperty("role", "warning")
        self.badge.setToolTip(
            "Errors of this run, or errors that can occur on a GPU or in another order of warps "
            "even if this result is correct."
        )
        self.badge.hide()
        self.other_code = label(role="muted", line=True)
        self.other_code.hide()
        self.hazards = HazardList(self)
        self.hazards.hazard_chosen.connect(self.hazard_chosen)
        row = QHBoxLayout()
        row.addWidget(self._detail)
        row.addWidget(self.order, 1)
        for button in (self.cancel, self.again, self.export_button):
            # They take no focus, since Space plays: Alt and the underlined letter presses them.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            row.addWidget(button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(4, 0, 0, 0)
        outer.addLayout(row)
        outer.addWidget(self.other_code)
        outer.addWidget(self.badge)
        outer.addWidget(self.hazards)
        self.set_busy(False)

    @property
    def every_statement(self) -> bool:
        """True if statements that touch no array are shown too."""
        return self._detail.isChecked()

    @property
    def schedule(self) -> str:
        """The chosen order of warps and blocks, as the simulator calls it."""
        return SCHEDULES[self.order.currentText()]

    def set_schedule(self, schedule: str) -> None:
        """Choose the order of warps and blocks, as the simulator calls it."""
        self.order.setCurrentText(next(words for words, known in SCHEDULES.items() if known == schedule))

    def set_every_statement(self, on: bool) -> None:
        """Choose the detail."""
        self._detail.setChecked(on)

    def propose_every_statement(self, on: bool) -> None:
        """Choose the detail, unless the user has chosen it."""
        if not self._detail_chosen:
            self._detail.blockSignals(True)
            self._detail.setChecked(on)
            self._detail.blockSignals(False)

    @property
    def busy(self) -> bool:
        """True while Cancel is shown."""
        return not self.cancel.isHidden()

    def set_busy(self, busy: bool, *, cancelled: bool = False) -> None:
        """Show Cancel while a run is in progress, Run again after it was `cancelled`, else Export."""
        self.cancel.setVisible(busy)
        self.again.setVisible(cancelled)
        self.export_button.setVisible(not busy and not cancelled)

    def show_export(self, doing: str, left: str) -> None:
        """Show Export, or the file being written and the time left."""
        self.export_button.setText(doing or "E&xport")
        self.export_button.setToolTip(left or "Save the run, a picture or a film (Alt+X)")

    def say_other_code(self, words: str) -> None:
        """Say that the selected GPU runs other lines of the listing than the picture; "" where it does not."""
        self.other_code.setText(words)
        self.other_code.setVisible(bool(words))

    def show_trace(self, trace: Trace | None) -> None:
        """List the hazards of a run."""
        self.export_button.setEnabled(trace is not None)
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
        self.badge.setWordWrap(True)
        self.badge.setVisible(bool(found or stopped))

    def _decide(self) -> None:
        self._detail_chosen = True

    def _describe_order(self) -> None:
        """Say in the tooltip what is chosen, too: large text may leave the box too narrow for it."""
        tip = "Order in which warps and blocks run. A GPU guarantees no order."
        self.order.setToolTip(f"{self.order.currentText()}\n{tip}")
