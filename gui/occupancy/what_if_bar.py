"""Bar with the assumptions of a what-if: registers, launch bounds, shared memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QSpinBox, QWidget

from gui.occupancy.explanation import unbroken
from gui.widgets.controls import ElidedLabel, add_parts, hbox, push_button, vbox
from gui.widgets.flow_layout import FlowLayout
from kernels.occupancy.what_if import AS_COMPILED, WhatIf, what_if_words

if TYPE_CHECKING:
    from kernels.occupancy import Occupancy

_FEWEST_REGISTERS: Final = 16
_MOST_SHARED: Final = 228 * 1024
"""Bytes of an SM's shared memory, on the devices that have most; a device that has less refuses the block."""

_AS_COMPILED: Final = "as compiled"


class WhatIfBar(QWidget):
    """Fields of a what-if, each of which may stay as compiled, and what they assume in words.

    Signals
    -------
    what_if_changed(WhatIf)
        The user has changed a field, or reset all.
    """

    what_if_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.what_if = AS_COMPILED
        """What is assumed."""
        self.registers = _field(
            "Registers at most", "Registers per thread, as -maxrregcount=N limits them", _FEWEST_REGISTERS, 255
        )
        self.min_blocks = _field(
            "Launch bounds", "Blocks per SM, as __launch_bounds__(threads of the block, N) demands them", 1, 32
        )
        self.min_blocks.setSuffix(" blocks")
        self.shared_bytes = _field(
            "Shared memory", "Bytes of shared memory a block, static and dynamic together", 0, _MOST_SHARED
        )
        self.shared_bytes.setSingleStep(1024)
        self.shared_bytes.setSuffix(" bytes")
        self.reset = push_button("Reset", "Show the kernel as it is compiled", lambda: self.set_what_if(AS_COMPILED))
        self.words = ElidedLabel("warning")
        fields = QWidget()
        row = FlowLayout(fields)
        row.setContentsMargins(0, 0, 0, 0)
        heading = QLabel("What if")
        heading.setProperty("role", "heading")
        row.addWidget(heading)
        for text, box in (
            ("&Registers", self.registers),
            ("&Launch bounds", self.min_blocks),
            ("&Shared memory", self.shared_bytes),
        ):
            row.addWidget(_labelled(text, box))
            box.valueChanged.connect(self._changed)
        row.addWidget(self.reset)
        column = vbox(self, spacing=4)
        add_parts(column, fields, self.words)
        self.show_words(None, None)
        self.reset.setEnabled(False)

    def set_what_if(self, what_if: WhatIf) -> None:
        """Show other assumptions, and report them."""
        for box, value in (
            (self.registers, what_if.registers),
            (self.min_blocks, what_if.min_blocks),
            (self.shared_bytes, what_if.shared_bytes),
        ):
            box.blockSignals(True)
            box.setValue(box.minimum() if value is None else value)
            box.blockSignals(False)
        self._changed()

    def change(self, **changes: int) -> None:
        """Change some assumptions."""
        self.set_what_if(replace(self.what_if, **changes))

    def show_words(self, assumed: Occupancy | None, compiled: Occupancy | None) -> None:
        """Say what is assumed, with the figures of the kernel as it is compiled."""
        text = what_if_words(self.what_if, assumed, compiled) if assumed and compiled else ""
        self.words.say(unbroken(text))
        self.words.setVisible(bool(text))

    def _changed(self) -> None:
        found = WhatIf(*(_value(box) for box in (self.registers, self.min_blocks, self.shared_bytes)))
        self.reset.setEnabled(bool(found))
        if found != self.what_if:
            self.what_if = found
            self.what_if_changed.emit(found)


def _value(box: QSpinBox) -> int | None:
    return None if box.value() == box.minimum() else box.value()


def _field(name: str, tip: str, fewest: int, most: int) -> QSpinBox:
    """Return a field whose value below the fewest stands for "as compiled"."""
    box = QSpinBox()
    box.setAccessibleName(name)
    box.setToolTip(tip)
    box.setSpecialValueText(_AS_COMPILED)
    box.setKeyboardTracking(False)
    box.setRange(fewest - 1, most)
    box.setValue(box.minimum())
    box.setGroupSeparatorShown(True)
    return box


def _labelled(text: str, box: QSpinBox) -> QWidget:
    """Return label and field, which stay together where the row breaks."""
    pair = QWidget()
    label = QLabel(text)
    label.setBuddy(box)
    row = hbox(pair, spacing=4)
    add_parts(row, label, box)
    return pair
