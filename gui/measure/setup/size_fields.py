"""Fields for the sizes of a plan: a rule with its range, or a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QWidget

from gui.measure.setup.choice import MOST_SIZES, listed_sizes, rule_of, sizes
from gui.widgets.controls import field, label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.bench.sizes import SizeRule
    from kernels.workload import Size

_Choice = Literal["doubling", "odd", "steps", "list"]

_WORDS: Final[Mapping[_Choice, str]] = {
    "doubling": "doubling",
    "odd": "doubling, less 1 (odd)",
    "steps": "in steps of",
    "list": "these sizes",
}


class SizeFields(QWidget):
    """Fields that make sizes.

    Signals
    -------
    changed()
        A field has changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.first = field("n from", "64")
        self.last = field("n to", "512")
        self.rule = QComboBox()
        self.rule.setAccessibleName("Steps of n")
        for choice, words in _WORDS.items():
            self.rule.addItem(words, choice)
        self.rule.setToolTip("Odd sizes are one less than those of doubling: no tile divides them, every edge has part")
        self.step = field("Step", "64")
        self.these = field(
            "Sizes", "512; 2051,1027,2051", "n, or M,N,K, one after another with semicolons between them"
        )
        self._range = (label("n from"), self.first, label("to"), self.last)
        ends = QHBoxLayout()
        ends.setSpacing(6)
        for widget in self._range:
            ends.addWidget(widget)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 1)
        grid.addLayout(ends, 0, 0, 1, 2)
        grid.addWidget(self.these, 0, 0, 1, 2)
        grid.addWidget(self.rule, 1, 0)
        grid.addWidget(self.step, 1, 1)
        self.rule.currentIndexChanged.connect(self._rule_chosen)
        for line in (self.first, self.last, self.step, self.these):
            line.textChanged.connect(self.changed)
        self._rule_chosen()

    def sizes(self) -> tuple[Size, ...]:
        """Return the sizes, from small to large unless they are a list; raises InputError for unusable fields."""
        choice: _Choice = self.rule.currentData()
        if choice == "list":
            return listed_sizes(self.these.text())
        return sizes(choice, self.first.text(), self.last.text(), self.step.text())

    def restore(self, measured: Sequence[Size]) -> None:
        """Set the fields to the sizes of an earlier run; more than a list may have are left out."""
        found = rule_of(measured)
        if found is None:
            if len(measured) <= MOST_SIZES:
                self._choose("list")
                texts = (",".join(map(str, size)) if len(set(size)) > 1 else str(size.n) for size in measured)
                self.these.setText("; ".join(texts))
            return
        rule, first, last, step = found
        self._choose(rule)
        self.first.setText(str(first))
        self.last.setText(str(last))
        if step:
            self.step.setText(str(step))

    def _choose(self, choice: SizeRule | _Choice) -> None:
        self.rule.setCurrentIndex(self.rule.findData(choice))

    def _rule_chosen(self) -> None:
        choice = self.rule.currentData()
        for widget in self._range:
            widget.setVisible(choice != "list")
        self.these.setVisible(choice == "list")
        self.step.setVisible(choice == "steps")
        self.changed.emit()
