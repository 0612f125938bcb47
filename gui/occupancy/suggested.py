"""Block chosen by occupancy, with its derivation, and a button to select it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.widgets.controls import add_parts, label, push_button, vbox

if TYPE_CHECKING:
    from kernels.launch import Dim3
    from kernels.occupancy.suggest import Suggestion


class SuggestedBlock(QWidget):
    """Panel with a suggested block.

    Signals
    -------
    block_chosen(Dim3)
        The suggested block was selected.
    """

    block_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._block: Dim3 | None = None
        self.button = push_button("Choose by occupancy", slot=lambda: self.block_chosen.emit(self._block))
        self.lines = label(line=True)
        column = vbox(self)
        add_parts(column, self.button, self.lines)

    def show_suggestion(self, suggestion: Suggestion, present: Dim3) -> None:
        """Show how the block is chosen; `present` is the selected block."""
        self._block = suggestion.block
        taken = suggestion.block == present
        self.button.setText(
            f"{suggestion.block} is the block chosen by occupancy"
            if taken
            else f"Choose by occupancy: {suggestion.block}"
        )
        self.button.setEnabled(not taken)
        self.lines.setText("\n".join(f"{n}.  {line}" for n, line in enumerate(suggestion.lines, 1)))

    def show_refusal(self, why: str) -> None:
        """Show why there is no suggestion."""
        self.button.setText("Choose by occupancy")
        self.button.setEnabled(False)
        self.lines.setText(why)
