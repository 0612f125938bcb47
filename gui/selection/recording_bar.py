"""Bar that replaces the selection's fields while a recording is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.selection.unread_source import UnreadSource
from gui.widgets.controls import ElidedLabel, add_parts, hbox, label, scale_with_text, tool
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import CustomLaunch

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from gui.selection.recording import Recording

_WORDS_PX: Final = 420
"""Least width of the description, which takes two lines."""

_NAME_PX: Final = 240
_NAME_SHARE: Final = 0.25
"""Width that the name of a file may have, at least, and share of the bar's width; longer names are elided."""


class RecordingBar(QWidget):
    """Read-only description of a recording.

    Signals
    -------
    close_requested()
        The recording is to be closed.
    launch_requested()
        The kernel is to be launched with other values.
    """

    close_requested = Signal()
    launch_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._kind, self._name = "", ""
        self.file = label(role="heading")
        self.words = ElidedLabel()
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setMinimumWidth(_WORDS_PX)
        self.back = tool("Back to live kernels", "Close the recording; kernel, size and block can be chosen again")
        self.back.clicked.connect(self.close_requested)
        self.launch = tool("&Launch…", "Other blocks, threads or values (Alt+L)", self.launch_requested.emit)
        row = hbox(self, (6, 0, 0, 0), spacing=12)
        row.addWidget(self.file)
        row.addWidget(self.words, 1)
        add_parts(row, self.launch, self.back)

    def show_recording(self, recording: Recording | CustomLaunch | UnreadSource) -> None:
        """Show a recording's description."""
        live = isinstance(recording, CustomLaunch)
        self.launch.setVisible(live)
        self._kind = "Launch of" if live else "Source" if isinstance(recording, UnreadSource) else "Recording"
        self._name = escape_controls(recording.file.name)
        self._show_name()
        self.file.setToolTip(escape_controls(str(recording.file)))
        self.words.say(recording.words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the file's name as there is room for."""
        super().resizeEvent(event)
        self._show_name()

    def _show_name(self) -> None:
        room = max(scale_with_text(_NAME_PX), int(self.width() * _NAME_SHARE))
        name = self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        self.file.setText(f"{self._kind}  {name}" if name else "")
