"""Run bar: Cancel while a kernel is simulated, Run again after that, and the progress of a file being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from gui.widgets.controls import hbox, tool

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu


class RunBar(QWidget):
    """Buttons that are seen only while there is something to cancel or to run again.

    Signals
    -------
    cancel_requested()
        Cancel was pressed.
    rerun_requested()
        The cancelled run is requested again.
    """

    cancel_requested = Signal()
    rerun_requested = Signal()

    def __init__(self, export: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cancel = tool("&Cancel", "Stop this run (Alt+C)", self.cancel_requested.emit)
        self.again = tool("&Run again", "Run the cancelled kernel again (Alt+R)", self.rerun_requested.emit)
        self.writing = tool("", "")
        self.writing.setMenu(export)
        self.writing.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = hbox(self)
        for button in (self.writing, self.cancel, self.again):
            # They take no focus, since Space plays: Alt and the underlined letter presses them.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.hide()
            row.addWidget(button)

    @property
    def busy(self) -> bool:
        """True while Cancel is shown."""
        return not self.cancel.isHidden()

    def set_busy(self, busy: bool, *, cancelled: bool = False) -> None:
        """Show Cancel while a run is in progress, and Run again after it was `cancelled`."""
        self.cancel.setVisible(busy)
        self.again.setVisible(cancelled)

    def show_export(self, doing: str, left: str) -> None:
        """Show the file being written and the time left, with a menu that cancels it; nothing without one."""
        self.writing.setText(doing)
        self.writing.setToolTip(left)
        self.writing.setVisible(bool(doing))
