"""Message bar of the window, for errors, notices and the offer of a lesson; not modal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy

from gui.widgets.controls import add_parts, hbox, label, tool
from kernels.control_characters import escape_controls

if TYPE_CHECKING:
    Kind = Literal["information", "error"]


class MessageBar(QFrame):
    """Bar with one message and its details in the tooltip; hidden while there is none.

    Parameters
    ----------
    wraps : bool
        True for messages that may need several lines.

    Signals
    -------
    cancel_requested()
        Cancel was pressed, which is shown with messages about work that can be cancelled.
    offer_accepted()
        The button of an offer was pressed.
    """

    cancel_requested = Signal()
    offer_accepted = Signal()

    def __init__(self, *, wraps: bool = True) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._text = label(line=True)
        self._text.setWordWrap(wraps)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.cancel = tool("Cancel", "Stop this work", self.cancel_requested.emit)
        self.offer = tool("", "", self.offer_accepted.emit)
        close = tool("×", "Hide this message", self.clear)
        close.setAccessibleName("Hide this message")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row = hbox(self, (10, 3, 4, 3))
        add_parts(row, self._text, self.cancel, self.offer, close)
        self.hide()

    @property
    def text(self) -> str:
        """The message; empty while the bar is hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(
        self,
        text: str,
        kind: Kind = "information",
        details: str = "",
        *,
        cancellable: bool = False,
        offer: str = "",
    ) -> None:
        """Show a message with its details as tooltip, a Cancel button if `cancellable`, and the button of an offer."""
        self.cancel.setVisible(cancellable)
        self.offer.setText(offer)
        self.offer.setVisible(bool(offer))
        mark = "⚠ " if kind == "error" else ""
        self._text.setText(mark + escape_controls(text))
        self._text.setToolTip(details)
        self.setProperty("kind", kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()
        self.raise_()

    def clear(self) -> None:
        """Hide the bar."""
        self._text.clear()
        self.hide()
