"""Help window: purpose of tilescope, and its keys."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QVBoxLayout, QWidget

from gui.widgets.controls import label
from kernels import __version__

KEYS: Final = (
    ("Space", "play or pause"),
    ("← →", "one step back or forward"),
    ("Shift+← Shift+→", "one phase back or forward"),
    ("Home End", "first or last step"),
    ("PageUp PageDown", "one step back or forward, by a presenter remote"),
    ("Z Shift+Z, Ctrl+wheel", "zoom in or out: grid, block"),
    ("M", "motion between steps on or off"),
    ("Ctrl+1 … Ctrl+4", "Explore, Benchmark, Occupancy, Experiments"),
    ("Ctrl+O", "open a .cu file or a saved .trace; dropping it on the window does the same"),
    ("Alt+letter", "the button, box or field whose letter is underlined; Tab goes through them"),
    ("Ctrl+Plus Ctrl+Minus", "larger or smaller text, for a projector; Ctrl+0 for normal text"),
    ("F11, Esc", "full screen, and back"),
    ("F1", "this help"),
    ("Ctrl+Q", "quit"),
)

_ABOUT: Final = (
    "tilescope runs a CUDA kernel's source in its own simulator and shows what every thread does. Then it "
    "compiles the same file, measures it, and computes its occupancy. Edit it, and every page follows."
)


class HelpWindow(QDialog):
    """Window with the help text; not modal."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"About tilescope {__version__}")
        column = QVBoxLayout(self)
        about = label(_ABOUT, line=True)
        about.setMinimumWidth(520)
        column.addWidget(about)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setColumnStretch(1, 1)
        for row, (keys, does) in enumerate(KEYS):
            grid.addWidget(label(keys, "heading"), row, 0)
            grid.addWidget(label(does), row, 1)
        column.addLayout(grid)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column.addWidget(buttons)
