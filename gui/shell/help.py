"""Help window: purpose of tilescope, and its keys."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from gui.widgets.controls import label
from gui.widgets.key_list import KeyList
from kernels import __version__

_ABOUT: Final = (
    "tilescope runs a CUDA kernel's source in its own simulator and shows what every thread does. Then it "
    "compiles the same file, measures it, and computes its occupancy. Edit it, and every page follows."
)

_SCREEN_SHARE: Final = 0.8
"""Most of the screen that the list of keys takes."""


class HelpWindow(QDialog):
    """Window with the help text; not modal."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"About tilescope {__version__}")
        keys = KeyList(self)
        keys.setFixedSize(keys.fit(QApplication.font().pointSizeF(), parent.screen().availableSize() * _SCREEN_SHARE))
        column = QVBoxLayout(self)
        column.addWidget(label(_ABOUT, line=True))
        column.addWidget(keys)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column.addWidget(buttons)
