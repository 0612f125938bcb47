"""Bar with a combo box for each option of a kernel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from gui.widgets.controls import Choice, add_parts, empty, hbox

if TYPE_CHECKING:
    from kernels.catalog import Kernel, Option


class OptionsBar(QWidget):
    """Combo boxes for the options of one kernel.

    Signals
    -------
    option_picked(str, str)
        An option's name and the chosen value.
    """

    option_picked = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._options: tuple[Option, ...] = ()
        self.boxes: dict[str, Choice] = {}
        self._row = hbox(self, (6, 0, 0, 0), spacing=6)
        self.hide()

    def show_kernel(self, kernel: Kernel) -> None:
        """Show a kernel's options and their chosen values."""
        if kernel.options != self._options:
            self._options = kernel.options
            self._rebuild()
        for option in self._options:
            word = kernel.chosen.get(option.name, option.choices[0].word)
            self.boxes[option.name].setCurrentText(word)
        self.setVisible(bool(self._options))

    def _rebuild(self) -> None:
        self.boxes.clear()
        empty(self._row)
        for option in self._options:
            label, box = QLabel(option.title), Choice()
            label.setBuddy(box)
            box.setAccessibleName(option.title)
            box.addItems([choice.word for choice in option.choices])
            box.textActivated.connect(partial(self.option_picked.emit, option.name))
            self.boxes[option.name] = box
            add_parts(self._row, label, box)
