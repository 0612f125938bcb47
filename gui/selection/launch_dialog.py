"""Dialog for the launch of a kernel whose file does not define one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.widgets.controls import add_parts, field, label, scale_with_text
from kernels.arguments import TYPES
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import CustomLaunch
from kernels.device import devices
from kernels.fill import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QLineEdit


_SYNTAX: Final = (
    "A number, or an array as TYPE[ELEMENTS]:FILL, such as f32[64]:iota or i32[8,8]:zeros. "
    f"Types: {' '.join(TYPES)}. Fills: {WORDS}."
)
_SIZE_PX: Final = (600, 620)
_ROWS_PX: Final = 160
_OF_SCREEN: Final = 0.9


class LaunchDialog(QDialog):
    """Dialog with a field for each value of the launch of one of a file's kernels.

    Signals
    -------
    launch_requested(CustomLaunch)
        It is to be run.
    """

    launch_requested = Signal(object)

    def __init__(self, offers: Sequence[CustomLaunch], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers = tuple(offers)
        self.setWindowTitle(f"Launch a kernel of {escape_controls(offers[0].file.name)}")
        wanted = QSize(*(scale_with_text(length) for length in _SIZE_PX))
        self.resize(wanted.boundedTo(self.screen().availableSize() * _OF_SCREEN))
        self.kernel = QComboBox()
        self.kernel.setAccessibleName("Kernel")
        self.kernel.addItems([offer.entry for offer in offers])
        self.kernel.currentIndexChanged.connect(self._show_offer)
        self.grid = field("Grid", tip="Blocks in x, y and z: 2 or 2,2")
        self.block = field("Block", tip="Threads of a block in x, y and z: 32 or 8,8")
        self.shared = field("Dynamic shared memory in bytes", tip="What extern __shared__ arrays are given")
        self.defines = field("Macros", tip="Macros that the file does not define itself: TILE=16 DEBUG")
        self.arch = QComboBox()
        self.arch.setAccessibleName("Architecture")
        self.arch.setToolTip("The GPU whose code is run, where #if __CUDA_ARCH__ chooses")
        self.arch.addItem("of the selected GPU", "")
        for name in dict.fromkeys(device.architecture.name for device in devices()):
            self.arch.addItem(name, name)
        self.values: dict[str, QLineEdit] = {}
        self._rows = QScrollArea(widgetResizable=True)
        self._rows.setMinimumHeight(_ROWS_PX)
        says = "This file does not say how it is launched. These values are proposals. Change them as you like."
        head = QFormLayout()
        head.addRow("&Kernel", self.kernel)
        head.addRow("&Grid (blocks)", self.grid)
        head.addRow("&Block (threads)", self.block)
        head.addRow("&Shared memory (bytes)", self.shared)
        head.addRow("&Macros (-D)", self.defines)
        head.addRow("&Architecture", self.arch)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("&Run", QDialogButtonBox.ButtonRole.AcceptRole).setProperty("primary", "true")
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        add_parts(column, label(says, line=True), head)
        column.addWidget(self._rows, 1)
        add_parts(column, label(_SYNTAX, "muted", line=True), buttons)
        self._show_offer(0)

    @property
    def launch(self) -> CustomLaunch:
        """Launch that the fields define."""
        offer = self._offers[self.kernel.currentIndex()]
        template, wanted = (
            tuple(replace(w, text=self.values[w.name].text().strip()) for w in values)
            for values in (offer.template, offer.values)
        )
        grid, block, shared, defines = (
            each.text().strip() for each in (self.grid, self.block, self.shared, self.defines)
        )
        arch = self.arch.currentData()
        launch = CustomLaunch(
            offer.file, offer.text, offer.entry, grid, block, wanted, shared, template, defines, offer.search, arch
        )
        return offer if launch == offer else launch

    def _show_offer(self, number: int) -> None:
        offer = self._offers[number]
        self.grid.setText(offer.grid)
        self.block.setText(offer.block)
        self.shared.setText(offer.shared)
        self.defines.setText(offer.defines)
        self.arch.setCurrentIndex(max(0, self.arch.findData(offer.arch)))
        values = (*offer.template, *offer.values)
        self.values = {w.name: field(f"{w.name}, {w.kind}", w.text) for w in values}
        rows = QWidget()
        form = QFormLayout(rows)
        for w in values:
            form.addRow(f"{w.name}  ({w.kind})", self.values[w.name])
        for w in offer.template:
            self.values[w.name].setPlaceholderText("its default" if not w.text else "")
        self._rows.setWidget(rows)
        self._rows.setVisible(bool(values))

    def _accept(self) -> None:
        self.accept()
        self.launch_requested.emit(self.launch)


def ask_launch(
    offers: Sequence[CustomLaunch], current: object, then: Callable[[CustomLaunch], None], parent: QWidget
) -> None:
    """Ask for the launch of a kernel, starting from the values of `current` if it is one of them; then call `then`."""
    known = [
        current if isinstance(current, CustomLaunch) and current.has_same_parameters(offer) else offer
        for offer in offers
    ]
    dialog = LaunchDialog(known, parent)
    if current in known:
        dialog.kernel.setCurrentIndex(known.index(current))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.launch_requested.connect(then)
    dialog.open()
