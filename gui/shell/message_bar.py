"""Message bar of the window, for errors and notices; not modal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy

from gui.widgets.controls import add_parts, hbox, label, set_look, tool
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    Kind = Literal["information", "error"]


class MessageBar(QFrame):
    """Bar with one message and its details in the tooltip; hidden while there is none.

    Signals
    -------
    cancel_requested()
        Cancel was pressed, which is shown with messages about work that can be cancelled.
    """

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._text = label(line=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.cancel = tool("Cancel", "Stop this work", self.cancel_requested.emit)
        close = tool("×", "Hide this message", self.clear)
        close.setAccessibleName("Hide this message")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row = hbox(self, (10, 3, 4, 3))
        add_parts(row, self._text, self.cancel, close)
        self.hide()

    @property
    def text(self) -> str:
        """The message; empty while the bar is hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(self, text: str, kind: Kind = "information", details: str = "", *, cancellable: bool = False) -> None:
        """Show a message with its details as tooltip, and a Cancel button if `cancellable`."""
        self.cancel.setVisible(cancellable)
        mark = "⚠ " if kind == "error" else ""
        self._text.setText(mark + escape_controls(text))
        self._text.setToolTip(details)
        set_look(self, "kind", kind)
        self.show()
        self.raise_()

    def clear(self) -> None:
        """Hide the bar."""
        self._text.clear()
        self.hide()
