"""Table of samples: entry, time, rate and verification of each."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from gui.measure.curves import choices
from kernels.bench.sample import PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QObject

    from kernels.bench.sample import Entry, Sample

_Index = QModelIndex | QPersistentModelIndex

COLUMNS: Final = (
    "kernel",
    "block / threads",
    "n",
    "median ms",
    "p10 – p90 ms",
    "GFLOPS",
    "result",
    "in + run + out, ms",
)
SPREAD_COLUMN: Final = COLUMNS.index("p10 – p90 ms")
PARTS_COLUMN: Final = len(COLUMNS) - 1
"""Column of the parts of a time: only times with transfers have parts."""

_WORDS: Final = frozenset(("kernel", "block / threads", "result"))
"""Columns of words; they have few distinct texts."""

_NUMBERS: Final = frozenset(("n", "median ms", "p10 – p90 ms", "GFLOPS"))
_OUTCOMES: Final = {
    "measured": "✓",
    "wrong": "✗ wrong result",
    "refused": "– refused",
    "failed": "✗ failed",
    "overtime": "✗ timed out",
    "skipped": "– skipped, no time left",
    "checked": "✓ checked",
}


def significant(value: float | None, digits: int = 4) -> str:
    """Format a number with a fixed number of significant digits and no exponent."""
    if value is None:
        return ""
    if value == 0 or not isfinite(value):
        return f"{value:g}"
    decimals = digits - 1 - int(f"{value:e}".partition("e")[2])
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def cells(sample: Sample, titles: Mapping[str, str]) -> tuple[str, ...]:
    """Return a row's texts, one for each of `COLUMNS`."""
    entry = sample.point.entry
    spread = f"{significant(sample.p10_ms)} – {significant(sample.p90_ms)}" if sample.times_ms else ""
    title = titles.get(entry.kernel, Path(entry.kernel).stem)
    return (
        title,
        _choice(entry),
        str(sample.point.size),
        significant(sample.median_ms),
        spread,
        significant(sample.gflops),
        _OUTCOMES[sample.outcome],
        parts(sample),
    )


def _choice(entry: Entry) -> str:
    """Return the block or the number of CPU threads, and the memory, shorter than in a legend."""
    place = "" if entry.memory == "device" else entry.memory
    return ", ".join(part for part in (choices(replace(entry, memory="device")), place) if part)


def parts(sample: Sample) -> str:
    """Return the median times of copy in, kernel and copy out; empty if they were not measured."""
    times = [significant(sample.part_ms(part), 3) or "–" for part in PARTS]
    return " + ".join(times) if sample.parts_ms else ""


class SampleTable(QAbstractTableModel):
    """Model with rows in the order of the samples; the texts of a row are computed once."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._samples: list[Sample] = []
        self._cells: list[tuple[str, ...]] = []
        self._titles: Mapping[str, str] = {}
        self.has_parts = False
        """True if any time has parts."""
        self.longest: tuple[dict[str, int], ...] = ()
        """By column: the candidates for its widest text, each with a row that contains it."""
        self._clear_longest()

    @property
    def titles(self) -> Mapping[str, str]:
        """Titles of the kernels."""
        return self._titles

    @titles.setter
    def titles(self, titles: Mapping[str, str]) -> None:
        if titles == self._titles:
            return
        self.beginResetModel()
        self._titles = titles
        self._clear_longest()
        self._cells = []
        self._format_rows()
        self.endResetModel()

    def clear(self) -> None:
        """Remove all rows."""
        self.beginResetModel()
        self._samples, self._cells, self.has_parts = [], [], False
        self._clear_longest()
        self.endResetModel()

    def add(self, samples: Sequence[Sample]) -> None:
        """Append rows."""
        if not samples:
            return
        row = len(self._samples)
        self.beginInsertRows(QModelIndex(), row, row + len(samples) - 1)
        self._samples += samples
        self._format_rows()
        self.has_parts = self.has_parts or any(sample.parts_ms for sample in samples)
        self.endInsertRows()

    def text(self) -> str:
        """Return the table with tabs between the columns, as spreadsheets take it from the clipboard."""
        return "\n".join("\t".join(row) for row in (COLUMNS, *self._cells))

    def _clear_longest(self) -> None:
        self.longest = tuple({} for _ in COLUMNS)

    def _format_rows(self) -> None:
        """Compute the texts of new rows."""
        for row in range(len(self._cells), len(self._samples)):
            texts = cells(self._samples[row], self._titles)
            self._cells.append(texts)
            for column, (text, longest) in enumerate(zip(texts, self.longest, strict=True)):
                if COLUMNS[column] in _WORDS:
                    longest.setdefault(text, row)
                elif not longest or len(text) > len(next(iter(longest))):
                    longest.clear()  # digits are equally wide: the longest text is the widest
                    longest[text] = row

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows; a cell has no children."""
        return 0 if parent.isValid() else len(self._samples)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name or the alignment of a column."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment and, where a point has no time, the reason as a tooltip."""
        sample = self._samples[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            summary = f"{sample.checked}; {len(sample.times_ms)} times of {sample.launches} launches"
            split = ""
            if sample.parts_ms:
                spread = f"{significant(sample.p10_ms)} – {significant(sample.p90_ms)}"
                split = f"\np10 – p90 ms: {spread}\ncopy in + kernel + copy out, ms: {parts(sample)}"
            return sample.error or summary + split
        return None

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if COLUMNS[column] in _NUMBERS else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
