"""Bar with the fields of the selection: kernel, options, problem size, block, device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QComboBox, QHBoxLayout, QLabel, QWidget

from gui.selection.kernel_list import LEAST_WIDTH_PX, KernelBox, name
from gui.selection.launch_check import check_selection, refusal, size_labels
from gui.selection.options_bar import OptionsBar
from gui.selection.session import plain_kernel
from gui.widgets.controls import Choice, add_parts, hbox, set_look
from kernels.errors import TilescopeError
from kernels.launch import Dim3, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gui.selection.session import Selection
    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.workload import Size


_PRESETS: Final = ((3, 4, 8, 16, 32), (512, 1024, 2048, 4096, 8192))
"""Square sizes that are offered, of pictures and of measurements."""

_LARGEST_PICTURE: Final = 64
"""Length up to which a size is one of a picture."""

_SIZE_LETTERS: Final = 8
_BLOCK_LETTERS: Final = 6
"""Letters of a size and of a block that are always seen."""

Field = Literal["shape", "device"]
"""Size, block and grid; the device."""

ALL_FIELDS: Final = get_args(Field)

BY_OCCUPANCY: Final = "by occupancy"
"""Entry in the list of blocks of a kernel whose block occupancy can choose."""

_BLOCK_TIP: Final = "Threads in x, y and z: 16,16 or 64 or 8×8×4"


class SelectionBar(QWidget):
    """Fields of a selection; it requests changes and never writes the session.

    Signals
    -------
    change_requested(dict)
        Fields of the selection with new, valid values.
    input_refused(str)
        Reason that a typed text cannot be used. The text stays in its field, marked.
    input_entered()
        A change was entered or chosen: the keyboard focus returns to the page.
    """

    change_requested = Signal(dict)
    input_entered = Signal()
    input_refused = Signal(str)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self._selection = selection
        self._fields: frozenset[Field] = frozenset(ALL_FIELDS)
        self.kernel = KernelBox()
        self.options = OptionsBar()
        self.block = Choice("Block")
        self.block.setEditable(True)
        self.block.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.block.setToolTip(_BLOCK_TIP)
        self.block.setMinimumContentsLength(_BLOCK_LETTERS)
        self.lengths = Choice()
        self.lengths.setEditable(True)
        self.lengths.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.lengths.setMinimumContentsLength(_SIZE_LETTERS)
        self.device = Choice("Device")
        self.device.setMinimumContentsLength(13)  # “Here: ” and a name
        self.device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.device.setMinimumWidth(LEAST_WIDTH_PX)

        row = hbox(self, spacing=6)
        row.addWidget(self.kernel, 1)
        add_parts(row, self.options, self.lengths)
        self._block_label = self._label(row, "&block", self.block)
        self.grid = QLabel()
        self.grid.setToolTip("Blocks in x, y and z: the kernel's launch rule computes them from size and block")
        row.addSpacing(6)
        row.addWidget(self.grid)
        self._device_label = self._label(row, "&device", self.device)

        self.kernel.activated.connect(self._kernel_picked)
        self.options.option_picked.connect(self._option_picked)
        self.device.activated.connect(self._device_picked)
        self.block.activated.connect(self._block_edited)
        self.lengths.activated.connect(self._size_edited)
        for box, entered in ((self.block, self._block_edited), (self.lengths, self._size_edited)):
            editor = box.lineEdit()
            if editor is not None:  # an editable box always has one
                editor.editingFinished.connect(entered)
        self.show_selection(selection)

    def offer(self, kernels: Sequence[Kernel], devices: Sequence[Device]) -> None:
        """Fill the lists of kernels (those with a source) and devices."""
        self.kernel.offer([kernel for kernel in kernels if kernel.file is not None])
        self.device.clear()
        for device in devices:
            self.device.addItem(("Here: " if device.present else "") + device.name, device)
        self.show_selection(self._selection)

    def show_fields(self, fields: Iterable[Field]) -> None:
        """Show the fields that act on a page, and the kernel."""
        self._fields = frozenset(fields)
        self.show_selection(self._selection)

    def show_selection(self, selection: Selection) -> None:
        """Show a selection in the fields."""
        self._selection = selection
        kernel = selection.kernel
        _point_at(self.kernel, _identity(plain_kernel(kernel)), _identity)
        self.kernel.setToolTip(f"{name(kernel)}\n{kernel.teaches} {kernel.flaw}".strip())
        self.options.show_kernel(kernel)
        _point_at(self.device, selection.device)
        self._show_size()
        on_cpu = kernel.runs_on == "cpu"
        shapes = [str(b.x) if on_cpu else str(b) for b in (kernel.block, *kernel.blocks, selection.block)]
        self.block.clear()
        self.block.addItems(list(dict.fromkeys(shapes[:-1])))
        if kernel.suggest:
            self.block.addItem(BY_OCCUPANCY)
        self.block.setEditText(shapes[-1])
        _name(self.block, "Workers" if on_cpu else "Block")
        set_look(self.block, "illegal", False)
        self._block_label.setText("&workers" if on_cpu else "&block")
        self.block.setToolTip("Number of workers" if on_cpu else _BLOCK_TIP)
        for widget in (self._block_label, self.block):
            widget.setVisible("shape" in self._fields and (kernel.threaded or not on_cpu))
        for widget in (self._device_label, self.device):
            widget.setVisible("device" in self._fields and not on_cpu)
        self.grid.setText(_grid_words(selection))
        self.grid.setVisible("shape" in self._fields and bool(self.grid.text()))

    def _show_size(self) -> None:
        """Show the lengths of the problem, and offer other ones."""
        selection, workload = self._selection, self._selection.kernel.workload
        labels = size_labels(workload)
        self.lengths.setVisible("shape" in self._fields and bool(labels))
        words = "×".join(labels.values())
        _name(self.lengths, f"Size {words}")
        self.lengths.setToolTip(f"Size of the problem, {words}: one number for all lengths, or each, such as 6×5×7")
        shown = [_size_words(selection.size, labels)]
        if all(label.lower() == axis for axis, label in labels.items()):
            squares = _PRESETS[selection.size.n > _LARGEST_PICTURE]
            offers = [workload.fit(selection.size._replace(**dict.fromkeys(labels, n))) for n in squares]
            shown += [_size_words(size, labels) for size in offers if _is_legal(replace(selection, size=size))]
        self.lengths.clear()
        self.lengths.addItems(list(dict.fromkeys(shown)))
        self.lengths.setEditText(shown[0])
        set_look(self.lengths, "illegal", False)

    def _label(self, row: QHBoxLayout, text: str, field: QWidget) -> QLabel:
        label = QLabel(text)
        label.setBuddy(field)
        row.addSpacing(6)
        add_parts(row, label, field)
        return label

    def _kernel_picked(self) -> None:
        kernel = self.kernel.currentData(Qt.ItemDataRole.UserRole)
        if kernel is not None:
            self._request(self.kernel, kernel=kernel)

    def _option_picked(self, name: str, word: str) -> None:
        s = self._selection  # size and block stay: a choice is compared with the one before it
        self._ask(self.options, kernel=s.kernel.choose(**{name: word}), size=s.size, block=s.block)

    def _device_picked(self) -> None:
        self._ask(self.device, device=self.device.currentData(Qt.ItemDataRole.UserRole))

    def _size_edited(self) -> None:
        labels, text = size_labels(self._selection.kernel.workload), self.lengths.currentText()
        try:
            numbers = whole_numbers(text)
        except TilescopeError:
            numbers = []
        if len(numbers) not in (1, len(labels)):
            each = "one whole number" if len(labels) == 1 else f"one whole number, or {'×'.join(labels.values())}"
            self._refuse(self.lengths, f"The size must be {each}, each from 1 up (it is {text or 'empty'})")
            return
        lengths = numbers * len(labels) if len(numbers) == 1 else numbers
        changed = self._selection.size._replace(**dict(zip(labels, lengths, strict=True)))
        self._ask(self.lengths, size=self._selection.kernel.workload.fit(changed))

    def _block_edited(self) -> None:
        s, text = self._selection, self.block.currentText()
        try:
            block = _block_by_occupancy(s) if s.kernel.suggest and text == BY_OCCUPANCY else Dim3.parse(text)
        except TilescopeError as error:
            self._refuse(self.block, str(error))
            return
        self._ask(self.block, block=block)

    def _ask(self, field: QWidget, **changes: Any) -> None:
        wanted = replace(self._selection, **changes)
        try:
            check_selection(wanted)
        except TilescopeError as error:
            self._refuse(field, refusal(wanted, error))
            return
        self._request(field, **changes)

    def _request(self, field: QWidget, **changes: Any) -> None:
        set_look(field, "illegal", False)
        self.change_requested.emit(changes)
        focus = QApplication.focusWidget()
        went_on = focus is not None and focus is not field and not field.isAncestorOf(focus)
        walks = any(box.walking for box in self.findChildren(Choice))
        if not went_on and not walks:
            self.input_entered.emit()

    def _refuse(self, field: QWidget, why: str) -> None:
        set_look(field, "illegal", True)
        self.input_refused.emit(why)


def _block_by_occupancy(selection: Selection) -> Dim3:
    # Imported here: few kernels need it, and the window is visible earlier.
    from kernels.occupancy.resources import shipped_resources
    from kernels.occupancy.suggest import suggest

    return suggest(selection.kernel, selection.size, selection.device, shipped_resources).block


def _size_words(size: Size, labels: Iterable[str]) -> str:
    """Write the lengths that a workload depends on, such as 6×5×7."""
    return "×".join(str(getattr(size, axis)) for axis in labels)


def _is_legal(selection: Selection) -> bool:
    try:
        check_selection(selection)
    except TilescopeError:
        return False
    return True


def _name(box: QComboBox, name: str) -> None:
    """Name an editable box and its text for screen readers."""
    box.setAccessibleName(name)
    editor = box.lineEdit()
    if editor is not None:
        editor.setAccessibleName(name)


def _grid_words(selection: Selection) -> str:
    """Return the grid of a launch, "" for a CPU baseline, which has none, or where the launch is refused."""
    if selection.kernel.runs_on != "cuda":
        return ""
    try:
        return f"grid {selection.kernel.launch(selection.size, selection.block).grid}"
    except TilescopeError:
        return ""


def _identity(kernel: Kernel | None) -> object:
    """Return what a kernel keeps when its text is edited; None for a heading."""
    return (kernel.id, kernel.file) if kernel is not None else None


def _point_at(box: QComboBox, value: object, key: Callable[[Any], object] = lambda entry: entry) -> None:
    """Make the entry with this value, or with this key, current; `findData` would compare identities."""
    entries = (box.itemData(i, Qt.ItemDataRole.UserRole) for i in range(box.count()))
    box.setCurrentIndex(next((i for i, entry in enumerate(entries) if key(entry) == value), -1))
