"""Above the listing: how much is shown, what went wrong in the run, and the way out into files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from kernels.trace import Trace

_SHOWN_HAZARDS = 3

SCHEDULES = {
    "In step": "lockstep", "Warp by warp": "warps", "Last warp first": "reversed", "Shuffled 1": "shuffle:1",
    "Shuffled 2": "shuffle:2", "Shuffled 3": "shuffle:3",
}  # fmt: skip
"""Orders in which a GPU may run warps and blocks; a picture must be right in all of them."""


class SideBar(QWidget):
    """Detail, hazards, export.

    Signals
    -------
    detail_changed()
        Every statement, or memory steps only.
    schedule_changed()
        Another order of warps and blocks.
    hazard_chosen(Hazard)
        A hazard in the list was clicked.
    cancelled()
        The tracing under way is not wanted any more.
    """

    detail_changed = Signal()
    schedule_changed = Signal()
    hazard_chosen = Signal(object)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail = QCheckBox("Every statement", self)
        self._detail.setToolTip("Off: only steps that touch an array or wait at a barrier")
        self._detail.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._detail.toggled.connect(self.detail_changed)
        self._detail.clicked.connect(self._decide)
        self._decided = False
        self.order = QComboBox(self)
        self.order.addItems(list(SCHEDULES))
        self.order.setAccessibleName("Order of warps and blocks")
        self.order.setToolTip("Order in which warps and blocks run: a GPU promises none")
        self.order.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.order.activated.connect(self.schedule_changed)
        self._cancel = QToolButton(self)
        self._cancel.setText("Cancel")
        self._cancel.clicked.connect(self.cancelled)
        self._cancel.hide()
        self.export_button = QToolButton(self)
        self.export_button.setText("Export")
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.badge = QLabel(self)
        self.badge.setProperty("role", "warning")
        self.badge.hide()
        self.hazards = QListWidget(self)
        self.hazards.setAccessibleName("Hazards found in this run")
        self.hazards.setWordWrap(True)
        self.hazards.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.hazards.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hazards.itemClicked.connect(self._chosen)
        self.hazards.hide()
        row = QHBoxLayout()
        row.addWidget(self._detail)
        row.addStretch(1)
        row.addWidget(self.order)
        row.addWidget(self._cancel)
        row.addWidget(self.export_button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(4, 0, 0, 0)
        outer.addLayout(row)
        outer.addWidget(self.badge)
        outer.addWidget(self.hazards)

    @property
    def every_statement(self) -> bool:
        """Whether statements that touch no array are shown too."""
        return self._detail.isChecked()

    @property
    def schedule(self) -> str:
        """The chosen order of warps and blocks, as the simulator calls it."""
        return SCHEDULES[self.order.currentText()]

    def set_every_statement(self, on: bool) -> None:
        """Choose the detail."""
        self._detail.setChecked(on)

    def propose_every_statement(self, on: bool) -> None:
        """Choose the detail, unless somebody has chosen it."""
        if not self._decided:
            self._detail.blockSignals(True)
            self._detail.setChecked(on)
            self._detail.blockSignals(False)

    def set_busy(self, busy: bool) -> None:
        """Offer to cancel while something is under way."""
        self._cancel.setVisible(busy)

    def show_trace(self, trace: Trace | None) -> None:
        """List what was found in a run."""
        self.export_button.setEnabled(trace is not None)
        self.hazards.clear()
        found = trace.hazards if trace is not None else ()
        for hazard in found:
            times = f" ({hazard.count:,} times)" if hazard.count > 1 else ""
            item = QListWidgetItem(f"Line {hazard.line}: {hazard.message}{times}")
            item.setData(Qt.ItemDataRole.UserRole, hazard)
            item.setToolTip(hazard.message)
            self.hazards.addItem(item)
        stopped = trace.stopped if trace is not None else ""
        words = [f"⚠ {len(found)} hazard{'s' if len(found) > 1 else ''}: click to see where"] if found else []
        self.badge.setText("; ".join(words + ([f"⚠ {stopped}"] if stopped else [])))
        self.badge.setWordWrap(True)
        self.badge.setVisible(bool(found or stopped))
        self.hazards.setVisible(bool(found))
        line = self.hazards.fontMetrics().lineSpacing()
        self.hazards.setMaximumHeight(int(line * (2 * min(len(found), _SHOWN_HAZARDS) + 1)))

    def _decide(self) -> None:
        self._decided = True

    def _chosen(self, item: QListWidgetItem) -> None:
        self.hazard_chosen.emit(item.data(Qt.ItemDataRole.UserRole))
