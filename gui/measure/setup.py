"""Setup of a measurement: kernels and blocks, sizes, kind of memory, CPU threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.measure.choice import MOST_SIZES, listed_sizes, parse_whole, rule_of, sizes, thread_counts
from gui.measure.kernel_tree import KernelTree
from gui.widgets.controls import field, label
from kernels.bench.plan import Plan, libraries, points
from kernels.bench.sample import MEMORIES
from kernels.bench.sizes import coarse_to_fine
from kernels.cpu.matmul import core_count
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gui.theming.theme import Theme
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel
    from kernels.gpu.memory import Memory
    from kernels.workload import Size

_TIME_LIMIT_S: Final = 60
_DOUBLING, _STEPS, _THESE = range(3)

TIMED: Final[Mapping[str, tuple[Memory, ...]]] = {
    "kernel only": ("device",),
    "with transfers, pageable": ("pageable",),
    "with transfers, pinned": ("pinned",),
    "managed memory": ("managed",),
    "all four": MEMORIES,
}
"""Kinds of memory to time, by the words of the combo box."""


class SetupPanel(QWidget):
    """Panel whose check marks and fields make a plan.

    `no_gpu` is the line that says why kernels cannot be chosen; the page puts it where it has room.

    Signals
    -------
    input_refused(str)
        Reason that a typed text cannot be used.
    """

    input_refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = KernelTree()
        self.tree.input_refused.connect(self.input_refused)
        self.no_gpu = label(role="warning", line=True)
        self.no_gpu.hide()
        self.first = field("n from", "64")
        self.last = field("n to", "512")
        self.rule = QComboBox()
        self.rule.setAccessibleName("Steps of n")
        self.rule.addItems(["doubling", "in steps of", "these sizes"])
        self.step = field("Step", "64")
        self.these = field(
            "Sizes", "512; 2051,1027,2051", "n, or M,N,K, one after another with semicolons between them"
        )
        self.rule.currentIndexChanged.connect(self._rule_chosen)
        self.timed = QComboBox()
        self.timed.setAccessibleName("What is timed")
        self.timed.addItems(list(TIMED))
        self.timed.setToolTip("Of kernels that run on the GPU. Transfers: copy in, run, copy out")
        self.threads = field(
            "CPU threads",
            str(core_count()),
            f"One or more numbers up to {core_count()}, such as 1,2,4: a curve for each",
        )
        self.limit = field(
            "Seconds for one point",
            str(_TIME_LIMIT_S),
            "A point that takes longer is skipped, and the next one is measured.",
        )
        self._layout()
        self._rule_chosen()

    def offer(self, kernels: Sequence[Kernel]) -> None:
        """List the kernels that have a rate; check marks of kernels already listed stay."""
        self.tree.offer(kernels)

    def set_gpu(self, missing: str) -> None:
        """Show why no GPU can be used; empty if one can."""
        self.no_gpu.setText(f"No GPU: {missing}. The CPU baselines can be measured." if missing else "")
        self.no_gpu.setVisible(bool(missing))
        able = {"cpu": True, "cuda": not missing, "library": not missing}
        self.tree.set_able(able, self.no_gpu.text())
        self.timed.setEnabled(not missing)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""
        self.tree.set_theme(theme)

    def restore(self, measured: Collection[Entry], sizes: Sequence[Size]) -> None:
        """Restore the fields from an earlier run; sizes beyond the fields' limits are omitted."""
        self.tree.restore(measured)
        memories = tuple(m for m in MEMORIES if any(e.memory == m for e in measured))
        self.timed.setCurrentText(next((word for word, m in TIMED.items() if m == memories), next(iter(TIMED))))
        counts = sorted({entry.threads for entry in measured if entry.threads})
        if counts:
            self.threads.setText(",".join(map(str, counts)))
        first, last, step = rule_of(sizes)
        if first and last:
            self.first.setText(first)
            self.last.setText(last)
            self.step.setText(step or self.step.text())
        elif len(sizes) <= MOST_SIZES:
            self.these.setText("; ".join(",".join(map(str, s)) if len(set(s)) > 1 else str(s.n) for s in sizes))
        else:
            return
        self.rule.setCurrentIndex((_STEPS if step else _DOUBLING) if first else _THESE)

    def entries(self) -> tuple[Entry, ...]:
        """Return the chosen curves; raises InputError for unusable CPU threads."""
        counts = thread_counts(self.threads.text(), core_count())
        return self.tree.entries(counts, TIMED[self.timed.currentText()])

    def plan(self) -> Plan:
        """Return the plan.

        Raises
        ------
        InputError
            For a field that cannot be used, or when nothing is chosen.
        """
        wanted = self._sizes()
        chosen = self.entries()
        if not chosen:
            raise InputError("Nothing is chosen. Tick a kernel, and a block below it.")
        limit = parse_whole(self.limit.text(), "seconds for one point", most=86400)
        return Plan(points(chosen, coarse_to_fine(wanted)), time_limit_s=float(limit), baselines=libraries(chosen))

    def _sizes(self) -> tuple[Size, ...]:
        rule = self.rule.currentIndex()
        if rule == _THESE:
            return listed_sizes(self.these.text())
        step = self.step.text() if rule == _STEPS else ""
        found = sizes(self.first.text(), self.last.text(), step)
        if rule == _STEPS and not step:
            raise InputError("“step” is empty: enter a whole number, or choose doubling")
        return found

    def _rule_chosen(self) -> None:
        rule = self.rule.currentIndex()
        for widget in self._range:
            widget.setVisible(rule != _THESE)
        self.step.setVisible(rule != _THESE)
        self.step.setEnabled(rule == _STEPS)
        self.these.setVisible(rule == _THESE)

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
        self._range = (label("n from"), self.first, label("to"), self.last)
        ends = QHBoxLayout()
        ends.setSpacing(6)
        for widget in self._range:
            ends.addWidget(widget)
        grid.addLayout(ends, 0, 0, 1, 4)
        grid.addWidget(self.these, 0, 0, 1, 4)
        grid.addWidget(self.rule, 1, 0, 1, 2)
        grid.addWidget(self.step, 1, 2, 1, 2)
        grid.addWidget(label("CPU threads"), 2, 0, 1, 2)
        grid.addWidget(self.threads, 2, 2, 1, 2)
        grid.addWidget(label("Seconds per point, at most"), 3, 0, 1, 3)
        grid.addWidget(self.limit, 3, 3)
        column.addLayout(grid)
        timed = QHBoxLayout()
        timed.addWidget(label("GPU time of"))
        timed.addWidget(self.timed, 1)
        column.addLayout(timed)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start, 2)
        buttons.addWidget(self.stop, 1)
        column.addLayout(buttons)
