"""Setup of a measurement: kernels and blocks, sizes, kind of memory, CPU threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.measure.setup.kernel_tree import KernelTree
from gui.measure.setup.size_fields import SizeFields, parse_whole, thread_counts
from gui.widgets.controls import add_parts, field, hbox, label, primary, vbox
from kernels.bench.plan import Plan, libraries, points
from kernels.bench.sample import MEMORIES
from kernels.bench.sizes import coarse_to_fine
from kernels.cpu.matmul import core_count
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel
    from kernels.gpu.memory import Memory
    from kernels.workload import Size


class Timed(NamedTuple):
    """Series of each kernel and block: one for each memory, and for each state of the L2 cache."""

    memories: tuple[Memory, ...] = ("device",)
    cold: tuple[bool, ...] = (False,)


TIMED: Final[Mapping[str, Timed]] = {
    "kernel, hot L2 cache": Timed(),
    "kernel, cold L2 cache": Timed(cold=(True,)),
    "kernel, hot and cold": Timed(cold=(False, True)),
    "with transfers, pageable": Timed(("pageable",)),
    "with transfers, pinned": Timed(("pinned",)),
    "managed memory": Timed(("managed",)),
    "all four memories": Timed(MEMORIES),
}
"""By the words of the combo box."""


def words_of(measured: Collection[Entry]) -> str:
    """Return the words for the entries of a run; of a combination that has none, the first."""
    memories = tuple(m for m in MEMORIES if any(entry.memory == m for entry in measured))
    cold = tuple(value for value in (False, True) if any(e.cold is value for e in measured if e.memory == "device"))
    found = Timed(memories, cold or (False,))
    return next((words for words, timed in TIMED.items() if timed == found), next(iter(TIMED)))


_TIME_LIMIT_S: Final = 60
_MOST_S: Final = 86400


class SetupPanel(QWidget):
    """Panel whose check marks and fields make a plan.

    `no_gpu` is the line that says why kernels cannot be chosen; the page puts it where it has room.

    Signals
    -------
    input_refused(str)
        Reason that a typed text cannot be used.
    changed()
        A check mark or a field has changed.
    """

    input_refused = Signal(str)
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tree = KernelTree()
        self.tree.input_refused.connect(self.input_refused)
        self.no_gpu = label(role="warning", line=True)
        self.no_gpu.hide()
        self.sizes = SizeFields()
        self.timed = QComboBox()
        self.timed.setAccessibleName("What is timed")
        self.timed.addItems(list(TIMED))
        self.timed.setToolTip(
            "Of kernels that run on the GPU. Hot: the L2 cache holds what the launch before left. Cold: it is "
            "overwritten before every launch, outside the time. Transfers: copy in, run, copy out."
        )
        self.graphs = QCheckBox("CUDA graphs")
        self.graphs.setChecked(True)
        self.graphs.setToolTip(
            "Launches below 50 µs are captured in a CUDA graph, which leaves shorter gaps between them. "
            "A point says whether it was captured."
        )
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
        self.total = field("Seconds for all points", "", "Points that have not begun then are skipped; empty: no limit")
        self.total.setPlaceholderText("–")
        self._layout()
        self._connect()

    def offer(self, kernels: Sequence[Kernel]) -> None:
        """List the kernels that have a rate; check marks of kernels already listed stay."""
        self.tree.offer(kernels)
        self.changed.emit()

    def set_gpu(self, missing: str) -> None:
        """Show why no GPU can be used; empty if one can."""
        self.no_gpu.setText(f"No GPU: {missing}. The CPU baselines can be measured." if missing else "")
        self.no_gpu.setVisible(bool(missing))
        able = {"cpu": True, "cuda": not missing, "library": not missing}
        self.tree.set_able(able, self.no_gpu.text())
        for widget in (self.timed, self.graphs):
            widget.setEnabled(not missing)
        self.changed.emit()

    def restore(self, measured: Collection[Entry], sizes: Sequence[Size]) -> None:
        """Restore the fields from an earlier run; sizes beyond the fields' limits are omitted."""
        self.tree.restore(measured)
        self.timed.setCurrentText(words_of(measured))
        counts = sorted({entry.threads for entry in measured if entry.threads})
        if counts:
            self.threads.setText(",".join(map(str, counts)))
        self.sizes.restore(sizes)
        self.changed.emit()

    def entries(self) -> tuple[Entry, ...]:
        """Return the chosen curves; raises InputError for unusable CPU threads."""
        counts = thread_counts(self.threads.text(), core_count())
        memories, cold = TIMED[self.timed.currentText()]
        return tuple(dict.fromkeys(e for state in cold for e in self.tree.entries(counts, memories, cold=state)))

    def plan(self) -> Plan:
        """Return the plan.

        Raises
        ------
        InputError
            For a field that cannot be used, or when nothing is chosen.
        """
        wanted = self.sizes.sizes()
        chosen = self.entries()
        if not chosen:
            raise InputError("Nothing is chosen. Tick a kernel, and a block below it.")
        limit = parse_whole(self.limit.text(), "seconds for one point", most=_MOST_S)
        total = self.total.text().strip()
        return Plan(
            points(chosen, coarse_to_fine(wanted)),
            time_limit_s=float(limit),
            total_s=float(parse_whole(total, "seconds for all points", most=_MOST_S)) if total else None,
            baselines=libraries(chosen),
            graphs=self.graphs.isChecked(),
        )

    def _connect(self) -> None:
        self.tree.itemChanged.connect(self.changed)
        self.sizes.changed.connect(self.changed)
        self.timed.currentIndexChanged.connect(self.changed)
        self.graphs.toggled.connect(self.changed)
        for line in (self.threads, self.limit, self.total):
            line.textChanged.connect(self.changed)

    def _layout(self) -> None:
        column = vbox(self)
        column.addWidget(label("Kernels and blocks", "heading"))
        column.addWidget(self.tree, 1)
        column.addWidget(self.sizes)
        self.start = primary("Start")
        self.stop = QPushButton("Stop")
        self.stop.setEnabled(False)
        column.addLayout(_row(label("Seconds a point"), self.limit, label("in all"), self.total))
        add_parts(column, _row(label("CPU threads"), self.threads, self.graphs), _row(label("GPU time of"), self.timed))
        self.above_start = QVBoxLayout()
        """Room for a line about the plan."""
        column.addLayout(self.above_start)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start, 2)
        buttons.addWidget(self.stop, 1)
        column.addLayout(buttons)


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = hbox(spacing=6)
    for widget in widgets:
        row.addWidget(widget, 0 if isinstance(widget, (QLabel, QCheckBox)) else 1)
    return row
