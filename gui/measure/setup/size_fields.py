"""Sizes, blocks and threads as typed, and the fields for the sizes of a plan: a rule with its range, or a list."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from gui.widgets.controls import field, hbox, label
from kernels.bench.sizes import sizes_of
from kernels.errors import InputError
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.bench.sizes import SizeRule

MOST_SIZES: Final = 200
"""Maximum number of points on one curve; a larger number is more likely a typing error."""

LARGEST_N: Final = 32768
"""Largest n: three float32 matrices of this side take 12 GiB."""


def parse_whole(text: str, name: str, least: int = 1, most: int = LARGEST_N) -> int:
    """Parse a whole number.

    Raises
    ------
    InputError
        When the text is not a whole number, or out of range.
    """
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise InputError(f"“{name}” must be a whole number from {least} to {most:,} (it is {text or 'empty'})")
    return value


def sizes(rule: SizeRule, first: str, last: str, step: str = "") -> tuple[Size, ...]:
    """Parse a range of n, whose members a rule chooses; only "steps" reads `step`.

    Raises
    ------
    InputError
        When a field is not a number, or the range has no member or too many.
    """
    low, high = parse_whole(first, "n from"), parse_whole(last, "n to")
    if high < low:
        raise InputError(f"“n to” must not be smaller than “n from”: {high} is less than {low}")
    width = parse_whole(step, "step") if rule == "steps" else 1
    found = sizes_of(rule, low, high, width)
    if not found:
        raise InputError("There is no odd size in this range: “n to” must be 2 or more.")
    if len(found) > MOST_SIZES:
        raise InputError(f"{len(found):,} sizes are too many; at most {MOST_SIZES} are measured. Choose a larger step.")
    return found


def listed_sizes(text: str) -> tuple[Size, ...]:
    """Parse a list of sizes, such as `512; 2051,1027,2051`: n, or M,N,K.

    Raises
    ------
    InputError
        When one of them is not a size, or too large.
    """
    found = tuple(Size.parse(part.strip()) for part in text.split(";"))
    for size in found:
        if any(a * b > LARGEST_N**2 for a, b in combinations(size, 2)):
            raise InputError(f"The size {size} is too large: a matrix may have {LARGEST_N:,}×{LARGEST_N:,} elements.")
    return tuple(dict.fromkeys(found))


class RuleOf(NamedTuple):
    """A rule and its fields."""

    rule: SizeRule
    first: int
    last: int
    step: int = 0
    """0 for a rule without steps."""


def rule_of(sizes: Sequence[Size]) -> RuleOf | None:
    """Return the rule that gives these sizes; None for a list that follows none.

    A run from the command line may have more or larger sizes than the fields accept: then they show them,
    and report it when it is to be measured again.
    """
    numbers = sorted({size.n for size in sizes})
    if not numbers or any(len(set(size)) > 1 for size in sizes):
        return None
    first, last = numbers[0], numbers[-1]
    pairs = list(pairwise(numbers))
    if all(large == 2 * small for small, large in pairs):
        return RuleOf("doubling", first, last)
    if all(large + 1 == 2 * (small + 1) for small, large in pairs):
        return RuleOf("odd", first + 1, last + 1)
    step = numbers[1] - first
    return RuleOf("steps", first, last, step) if all(b - a == step for a, b in pairs) else None


def thread_counts(text: str, most: int) -> tuple[int, ...]:
    """Parse numbers of CPU threads, such as `4` or `1, 2, 4`.

    Raises
    ------
    InputError
        When one is not a number from 1 to `most`.
    """
    found = tuple(parse_whole(part.strip(), "CPU threads", most=most) for part in text.split(","))
    return tuple(dict.fromkeys(found))


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

    def __init__(self) -> None:
        super().__init__()
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
        ends = hbox(spacing=6)
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
