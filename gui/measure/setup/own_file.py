"""Line about an opened file that describes no problem: its launch can be timed; a description to add to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gui.selection.unread_source import UnreadSource
from gui.widgets.controls import hbox, label, push_button
from kernels.catalog import FOOTER
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import CustomLaunch, short_words
from kernels.workload import WORKLOADS, Size

if TYPE_CHECKING:
    from gui.selection.session import Session

_DESCRIPTION: Final = """
{footer}
title    = "My kernel"
teaches  = "What it shows."
workload = "matmul"       # or {others}; its arrays and scalars are bound to parameters by name: {names}
size     = [64, 64, 64]   # M, N, K to begin with
block    = [16, 16]
blocks   = [[8, 8], [16, 16], [32, 32]]
grid     = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
"""


def description() -> str:
    """Return a comment to edit and to put at the end of a file, so that it can be measured."""
    first, *others = WORKLOADS.values()
    size = Size(1, 1, 1)
    names = ", ".join([*(array.name for array in first.arrays(size)), *first.scalars(size)])
    return _DESCRIPTION.format(footer=FOOTER, others=", ".join(other.id for other in others), names=names)


class OwnFileLine(QWidget):
    """Shown while the window plays a file that does not say which problem it solves.

    Signals
    -------
    launch_chosen(CustomLaunch)
        It is to be timed.
    """

    launch_chosen = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.words = label(role="warning", line=True)
        self.time = push_button("Time this launch", slot=self._choose)
        self.copy = push_button("Copy a description", slot=self._copy)
        self.copy.setToolTip("A comment with problem, size, block and grid, to edit and to put at the end of the file")
        row = hbox(self)
        row.addWidget(self.words, 1)
        row.addWidget(self.time, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignVCenter)
        session.recording_changed.connect(self._show)
        self.refuse("")
        self._show()

    def refuse(self, why: str) -> None:
        """Say why nothing can be timed now; "" if it can."""
        self.time.setEnabled(not why)
        self.time.setToolTip(why or "Run it once to compare its result with the simulator's, then time it as it is")

    def _show(self) -> None:
        opened = self._session.recording
        if opened is None or isinstance(opened, UnreadSource) or opened.kernel or opened.file.suffix != ".cu":
            self.hide()
            return
        name = escape_controls(opened.file.name)
        words = f"“{name}” does not say which problem it solves: it has no rate and no curve over n. "
        if isinstance(opened, CustomLaunch):
            words += f"Its launch can be timed as it is: {escape_controls(short_words(opened.settings))}. "
        self.words.setText(f"{words}For a curve, put a description at the end of the file, and open it again.")
        self.time.setVisible(isinstance(opened, CustomLaunch))
        self.copy.setText("Copy a description")
        self.show()

    def _choose(self) -> None:
        if isinstance(self._session.recording, CustomLaunch):
            self.launch_chosen.emit(self._session.recording)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(description())
        self.copy.setText("Copied")
