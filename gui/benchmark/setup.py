"""What to measure: kernels with their blocks, the range of n, CPU threads."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.benchmark.choice import sizes, thread_counts, whole
from gui.theme import LIGHT
from gui.widgets import field, label
from kernels.bench.plan import Plan, entries, points
from kernels.cpu.matmul import core_count
from kernels.errors import InputError, TilescopeError
from kernels.launch import Dim3, Limits, check
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.theme import Theme
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel

_DATA: Final = Qt.ItemDataRole.UserRole
_ADD: Final = "add a block …"
_TIME_LIMIT_S: Final = 60
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class SetupPanel(QWidget):
    """Turns check marks and fields into a plan.

    Attributes
    ----------
    touched : bool
        Whether somebody changed a check mark: from then on nothing is checked without being asked.

    `no_gpu` is the line that says why kernels cannot be chosen; the page puts it where it has room.

    Signals
    -------
    refused(str)
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._able: dict[str, bool] = {}
        self._muted = QBrush(QColor(LIGHT.muted))
        self.touched = False
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Kernels and blocks to measure")
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.tree.setEditTriggers(
            QTreeWidget.EditTrigger.DoubleClicked
            | QTreeWidget.EditTrigger.EditKeyPressed
            | QTreeWidget.EditTrigger.SelectedClicked
        )
        self.tree.itemClicked.connect(self._clicked)
        self.tree.itemChanged.connect(self._changed)
        self.no_gpu = label(role="warning", line=True)
        self.no_gpu.hide()
        self.first = field("n from", "64")
        self.last = field("n to", "512")
        self.rule = QComboBox()
        self.rule.setAccessibleName("Steps of n")
        self.rule.addItems(["doubling", "in steps of"])
        self.step = field("Step", "64")
        self.step.setEnabled(False)
        self.rule.currentIndexChanged.connect(lambda index: self.step.setEnabled(index == 1))
        self.threads = field(
            "CPU threads",
            str(core_count()),
            f"One or more numbers up to {core_count()}, such as 1,2,4: a curve for each",
        )
        self.limit = field(
            "Seconds for one point",
            str(_TIME_LIMIT_S),
            "A point that takes longer is given up, and the next one is measured",
        )
        self._layout()

    def offer(self, kernels: Sequence[Kernel]) -> None:
        """List what a rate can be given for; check marks of kernels that were listed before stay."""
        marks = {
            (kernel.id, str(kernel.file)): {
                child.text(0): child.checkState(0) for child in self._blocks(item)
            }
            | {"": item.checkState(0)}
            for item, kernel in self._items()
        }
        self.tree.blockSignals(True)
        self.tree.clear()
        for kernel in kernels:
            if kernel.measurable:
                self._add_kernel(kernel, marks.get((kernel.id, str(kernel.file))))
        self.tree.blockSignals(False)
        self._enable()

    def set_gpu(self, missing: str) -> None:
        """Say why no GPU can be used; empty when one can."""
        self._able = {"cpu": True, "cuda": not missing, "library": not missing}
        self.no_gpu.setText(f"No GPU: {missing}. The CPU baselines run." if missing else "")
        self.no_gpu.setVisible(bool(missing))
        self._enable()

    def set_theme(self, theme: Theme) -> None:
        """Take the colour of the line that is a wish, not an entry."""
        self._muted = QBrush(QColor(theme.muted))
        self.tree.blockSignals(True)
        for item, _ in self._items():
            for child in self._children(item):
                if child.data(0, _DATA) is None:
                    child.setForeground(0, self._muted)
        self.tree.blockSignals(False)

    def choose(self, kernel: Kernel) -> None:
        """Check a kernel, when it is listed and can run here, or else every CPU baseline."""
        self.tree.blockSignals(True)
        found = [item for item, k in self._items() if k == kernel and self._able.get(k.runs_on)]
        for item in found or [item for item, k in self._items() if k.runs_on == "cpu"]:
            item.setCheckState(0, _CHECKED)
            item.setExpanded(True)
        self.tree.blockSignals(False)

    def entries(self) -> tuple[Entry, ...]:
        """Return the chosen curves; raises InputError for unusable CPU threads."""
        chosen: list[Entry] = []
        counts = thread_counts(self.threads.text(), core_count())
        for item, kernel in self._items():
            if item.checkState(0) == _UNCHECKED or item.isDisabled():
                continue
            blocks = [
                Dim3.parse(child.text(0)) for child in self._blocks(item) if child.checkState(0) == _CHECKED
            ]
            if kernel.runs_on == "cuda" and not blocks:
                continue
            chosen += entries(kernel, blocks, counts)
        return tuple(chosen)

    def plan(self) -> Plan:
        """Return what is to be measured.

        Raises
        ------
        InputError
            For a field that cannot be used, or when nothing is chosen.
        """
        step = self.step.text() if self.rule.currentIndex() == 1 else ""
        chosen_sizes = sizes(self.first.text(), self.last.text(), step)
        if self.rule.currentIndex() == 1 and not step:
            raise InputError("step '' cannot be: give a whole number, or choose doubling")
        chosen = self.entries()
        if not chosen:
            raise InputError("nothing is chosen: check a kernel, and a block below it")
        limit = whole(self.limit.text(), "seconds for one point", most=86400)
        return Plan(points(chosen, chosen_sizes), time_limit_s=float(limit))

    def _layout(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(label("Kernels and blocks", "heading"))
        column.addWidget(self.tree, 1)
        self.start = QPushButton("Start")
        self.start.setProperty("primary", "true")
        self.stop = QPushButton("Stop")
        self.stop.setEnabled(False)
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        grid.addWidget(label("n from"), 0, 0)
        grid.addWidget(self.first, 0, 1)
        grid.addWidget(label("to"), 0, 2)
        grid.addWidget(self.last, 0, 3)
        grid.addWidget(self.rule, 1, 0, 1, 2)
        grid.addWidget(self.step, 1, 2, 1, 2)
        grid.addWidget(label("CPU threads"), 2, 0, 1, 2)
        grid.addWidget(self.threads, 2, 2, 1, 2)
        grid.addWidget(label("Seconds a point, at most"), 3, 0, 1, 3)
        grid.addWidget(self.limit, 3, 3)
        column.addLayout(grid)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start, 2)
        buttons.addWidget(self.stop, 1)
        column.addLayout(buttons)

    def _items(self) -> list[tuple[QTreeWidgetItem, Kernel]]:
        items = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        return [(item, item.data(0, _DATA)) for item in items if item is not None]

    @staticmethod
    def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
        children = (item.child(i) for i in range(item.childCount()))
        return [child for child in children if child is not None]

    def _blocks(self, item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
        return [child for child in self._children(item) if child.data(0, _DATA)]

    def _add_kernel(self, kernel: Kernel, marks: dict[str, Qt.CheckState] | None) -> None:
        item = QTreeWidgetItem([kernel.title])
        item.setData(0, _DATA, kernel)
        item.setToolTip(0, f"{kernel.id}: {kernel.teaches}")
        item.setCheckState(0, (marks or {}).get("", _UNCHECKED))
        self.tree.addTopLevelItem(item)
        if kernel.runs_on != "cuda":
            return
        presets = [str(block) for block in kernel.blocks or (kernel.block,)]
        for text in dict.fromkeys((*presets, *(t for t in marks or {} if t))):
            item.addChild(self._block_item(text, (marks or {}).get(text, _CHECKED)))
        wish = QTreeWidgetItem([_ADD])
        wish.setForeground(0, self._muted)
        wish.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable)
        wish.setToolTip(0, "Threads in x, y and z: 16,16 or 64 or 8×8×4")
        item.addChild(wish)

    @staticmethod
    def _block_item(text: str, state: Qt.CheckState) -> QTreeWidgetItem:
        child = QTreeWidgetItem([text])
        child.setData(0, _DATA, text)
        child.setCheckState(0, state)
        return child

    def _enable(self) -> None:
        self.tree.blockSignals(True)
        for item, kernel in self._items():
            able = self._able.get(kernel.runs_on, False)
            item.setDisabled(not able)
            reason = "" if able else f"\n{self.no_gpu.text()}"
            item.setToolTip(0, f"{kernel.id}: {kernel.teaches}{reason}")
        self.tree.blockSignals(False)

    def _clicked(self, item: QTreeWidgetItem) -> None:
        if item.parent() is not None and item.data(0, _DATA) is None:
            self.tree.editItem(item, 0)

    def _changed(self, item: QTreeWidgetItem) -> None:
        self.touched = True
        parent = item.parent()
        if parent is None:
            item.setExpanded(item.checkState(0) == _CHECKED)
        elif item.data(0, _DATA) is None:
            self._add_block(parent, item)
        elif item.checkState(0) == _CHECKED:
            parent.setCheckState(0, _CHECKED)

    def _add_block(self, parent: QTreeWidgetItem, wish: QTreeWidgetItem) -> None:
        """Make a block of what was typed into the last line below a kernel."""
        text = wish.text(0).strip()
        self.tree.blockSignals(True)
        wish.setText(0, _ADD)
        self.tree.blockSignals(False)
        if text in ("", _ADD):
            return
        kernel: Kernel = parent.data(0, _DATA)
        try:
            block = Dim3.parse(text)
            side = lcm(block.x, block.y)  # a size that every kernel takes which takes the block at all
            check(kernel.launch(Size(side, side, side), block), Limits())
        except TilescopeError as error:
            self.refused.emit(str(error))
            return
        if str(block) not in (child.text(0) for child in self._blocks(parent)):
            parent.insertChild(parent.childCount() - 1, self._block_item(str(block), _CHECKED))
        parent.setCheckState(0, _CHECKED)
