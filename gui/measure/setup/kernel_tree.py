"""Tree of kernels with check boxes, grouped by workload, each with blocks to measure."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from gui.measure.words import title_of
from gui.selection.kernel_list import grouped
from gui.widgets.controls import bold
from kernels.bench.plan import entries
from kernels.catalog import kernel_name
from kernels.errors import TilescopeError
from kernels.launch import Dim3, Limits, check
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel
    from kernels.gpu.memory import Memory

_DATA: Final = Qt.ItemDataRole.UserRole
_ADD: Final = "add a block …"
_MARK_PX: Final = 10
"""Additional width of the style sheet's check marks, pixels."""

_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class KernelTree(QTreeWidget):
    """Tree in which a check mark means a curve to measure.

    Signals
    -------
    input_refused(str)
        Reason that a typed block cannot be used.
    """

    input_refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._able: Mapping[str, bool] = {}
        self._listed: list[Kernel] | None = None
        """Kernels in the order in which they were offered; None before the first offer."""
        self._title_px = 0
        """Width of the longest title and its check mark; 0 while it is not known."""
        self._why_not = ""
        self.changed_by_user = False
        """True once the user has changed a check mark: from then on nothing is checked automatically."""
        self.from_history = False
        """True if the check marks are those of an earlier run."""
        self.setHeaderHidden(True)
        self.setAccessibleName("Kernels and blocks to measure")
        self.setIndentation(12)
        self.header().setStretchLastSection(False)
        self.header().setResizeContentsPrecision(-1)  # measure every line, also those that are scrolled out of view
        self.setEditTriggers(
            QTreeWidget.EditTrigger.DoubleClicked
            | QTreeWidget.EditTrigger.EditKeyPressed
            | QTreeWidget.EditTrigger.SelectedClicked
        )
        self.itemClicked.connect(self._clicked)
        self.itemChanged.connect(self._changed)

    def offer(self, kernels: Sequence[Kernel]) -> None:
        """List the kernels that have a rate; check marks of kernels already listed stay."""
        listed = [kernel for kernel in kernels if kernel.measurable]
        if listed == self._listed:  # to list 200 kernels again takes 40 ms, and every selection offers the same ones
            return
        self._listed = listed
        marks = {
            kernel_name(kernel): {child.text(0): child.checkState(0) for child in _blocks(item)}
            | {"": item.checkState(0)}
            for item, kernel in self.items()
        }
        self.blockSignals(True)
        self.clear()
        for title, members in grouped(listed).items():
            head = QTreeWidgetItem([title])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.setFont(0, bold())
            self.addTopLevelItem(head)
            for kernel in members:
                self._add_kernel(head, kernel, marks.get(kernel_name(kernel)))
            head.setExpanded(True)
        self.blockSignals(False)
        self._enable()
        self._title_px = 0
        self._widen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the titles whole."""
        super().resizeEvent(event)
        self._widen()

    def changeEvent(self, event: QEvent) -> None:
        """Measure the titles again after a change of font or style."""
        super().changeEvent(event)
        self._title_px = 0

    def _widen(self) -> None:
        """Make the column as wide as the longest title and its check mark; wider than the view, it scrolls."""
        self._title_px = self._title_px or self.sizeHintForColumn(0) + _MARK_PX
        self.setColumnWidth(0, max(self.viewport().width(), self._title_px))

    def set_able(self, able: Mapping[str, bool], why_not: str) -> None:
        """Enable the kernels that can run here, by `Kernel.runs_on`, and set the reason for the rest."""
        self._able, self._why_not = able, why_not
        self._enable()

    def choose(self, kernel: Kernel) -> None:
        """Check a kernel if it is listed and can run here, else every CPU baseline."""
        self.blockSignals(True)
        found = [item for item, k in self.items() if k == kernel and self._able.get(k.runs_on)]
        for item in found or [item for item, k in self.items() if k.runs_on == "cpu"]:
            item.setCheckState(0, _CHECKED)
            item.setExpanded(True)
        self.blockSignals(False)

    def restore(self, entries: Collection[Entry]) -> None:
        """Check exactly the entries of an earlier run."""
        names = {entry.kernel for entry in entries}
        self.blockSignals(True)
        for item, kernel in self.items():
            name = kernel_name(kernel)
            item.setCheckState(0, _CHECKED if name in names else _UNCHECKED)
            item.setExpanded(name in names)
            if name in names:
                blocks = {str(entry.block) for entry in entries if entry.kernel == name and entry.block}
                for child in _blocks(item):
                    child.setCheckState(0, _CHECKED if child.text(0) in blocks else _UNCHECKED)
                    blocks.discard(child.text(0))
                for text in sorted(blocks):
                    item.insertChild(item.childCount() - 1, _block_item(text, _CHECKED))
        self.blockSignals(False)
        self.from_history = True

    def entries(self, counts: Sequence[int], memories: Sequence[Memory], *, cold: bool = False) -> tuple[Entry, ...]:
        """Return the checked entries, for these numbers of CPU threads, kinds of memory, and state of the L2 cache."""
        found: list[Entry] = []
        for item, kernel in self.items():
            if item.checkState(0) == _UNCHECKED or item.isDisabled():
                continue
            blocks = [Dim3.parse(child.text(0)) for child in _blocks(item) if child.checkState(0) == _CHECKED]
            if kernel.runs_on == "cuda" and not blocks and not kernel.block_rules:
                continue
            found += entries(kernel, blocks, counts, memories, cold=cold)
        return tuple(found)

    @property
    def ready(self) -> bool:
        """True if anything is checked that can run here."""
        return any(item.checkState(0) == _CHECKED and not item.isDisabled() for item, _ in self.items())

    def items(self) -> list[tuple[QTreeWidgetItem, Kernel]]:
        """Every listed kernel with its line."""
        heads = (self.topLevelItem(i) for i in range(self.topLevelItemCount()))
        return [(item, item.data(0, _DATA)) for head in heads if head for item in _children(head)]

    def _add_kernel(self, head: QTreeWidgetItem, kernel: Kernel, marks: dict[str, Qt.CheckState] | None) -> None:
        item = QTreeWidgetItem([title_of(kernel)])
        item.setData(0, _DATA, kernel)
        item.setCheckState(0, (marks or {}).get("", _UNCHECKED))
        head.addChild(item)
        item.setExpanded(item.checkState(0) == _CHECKED)
        if kernel.runs_on != "cuda":
            return
        presets = [] if kernel.block_rules else [str(block) for block in kernel.blocks or (kernel.block,)]
        for text in dict.fromkeys((*presets, *(t for t in marks or {} if t))):
            item.addChild(_block_item(text, (marks or {}).get(text, _CHECKED)))
        item.addChild(_NewLine())

    def _enable(self) -> None:
        self.blockSignals(True)
        for item, kernel in self.items():
            able = self._able.get(kernel.runs_on, False)
            item.setDisabled(not able)
            reason = "" if able else f"\n{self._why_not}"
            rules = "".join(f"\n{rule}" for rule in kernel.block_rules)
            item.setToolTip(0, f"{kernel.id}: {kernel.teaches}{rules}{reason}")
        self.blockSignals(False)

    def _clicked(self, item: QTreeWidgetItem) -> None:
        if item.text(0) == _ADD:
            self.editItem(item, 0)

    def _changed(self, item: QTreeWidgetItem) -> None:
        self.changed_by_user = True
        above = item.parent()
        if above is None:
            return
        if above.parent() is None:
            item.setExpanded(item.checkState(0) == _CHECKED)
        elif item.data(0, _DATA) is None:
            self._add_block(above, item)
        elif item.checkState(0) == _CHECKED:
            above.setCheckState(0, _CHECKED)

    def _add_block(self, above: QTreeWidgetItem, new_line: QTreeWidgetItem) -> None:
        """Add the block that was typed into the last line below a kernel."""
        text = new_line.text(0).strip()
        self.blockSignals(True)
        new_line.setText(0, _ADD)
        self.blockSignals(False)
        if text in ("", _ADD):
            return
        kernel: Kernel = above.data(0, _DATA)
        try:
            block = Dim3.parse(text)
            side = lcm(block.x, block.y)  # a multiple of both sides: legal for every kernel for which the block is
            check(kernel.launch(Size(side, side, side), block), Limits())
        except TilescopeError as error:
            self.input_refused.emit(error.titled)
            return
        if str(block) not in (child.text(0) for child in _blocks(above)):
            above.insertChild(above.childCount() - 1, _block_item(str(block), _CHECKED))
        above.setCheckState(0, _CHECKED)


class _NewLine(QTreeWidgetItem):
    """Line to type another block into, in the colour of placeholders."""

    def __init__(self) -> None:
        super().__init__([_ADD])
        self.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable)
        self.setToolTip(0, "Threads in x, y and z: 16,16 or 64 or 8×8×4")

    def data(self, column: int, role: int) -> Any:
        """Return the palette's colour: a stored one would have to be replaced with every theme."""
        tree = self.treeWidget()
        if role == Qt.ItemDataRole.ForegroundRole and tree is not None:
            return tree.palette().placeholderText()
        return super().data(column, role)


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(i) for i in range(item.childCount()))
    return [child for child in children if child is not None]


def _blocks(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for child in _children(item) if child.data(0, _DATA)]


def _block_item(text: str, state: Qt.CheckState) -> QTreeWidgetItem:
    child = QTreeWidgetItem([text])
    child.setData(0, _DATA, text)
    child.setCheckState(0, state)
    return child
