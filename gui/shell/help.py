"""Help window: purpose of tilescope, and its keys."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from gui.widgets.controls import label, scale_with_text
from gui.widgets.key_list import KeyList
from kernels import __version__

_ABOUT: Final = (
    "tilescope runs a CUDA kernel's source in its own simulator and shows what every thread does. Then it "
    "compiles the same file, measures it, and computes its occupancy. Edit it, and every page follows."
)

_WIDTH_PX: Final = 900
"""Width at the normal text size."""


class HelpWindow(QDialog):
    """Window with the help text; not modal."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"About tilescope {__version__}")
        column = QVBoxLayout(self)
        column.addWidget(label(_ABOUT, line=True))
        column.addWidget(KeyList(self))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column.addWidget(buttons)
        width = scale_with_text(_WIDTH_PX)
        self.resize(width, column.totalHeightForWidth(width))
