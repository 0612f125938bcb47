"""Table of samples: entry, time, rate and verification of each."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from gui.measure.results.record import details
from gui.measure.results.series import THIS
from gui.measure.words import OUTCOMES, choices, kernel_title, label, significant
from gui.widgets.controls import TextModel
from kernels.bench.measure.compiled_code import percent_of_peak
from kernels.bench.sample import PARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from PySide6.QtCore import QObject

    from gui.measure.results.series import Origin
    from kernels.bench.sample import Entry, Sample
    from kernels.bench.store.database import Row

_Index = QModelIndex | QPersistentModelIndex

COLUMNS: Final = (
    "run",
    "kernel",
    "block / threads",
    "n",
    "median ms",
    "GFLOPS",
    "result",
    "± (95 %)",
    "min ms",
    "of peak",
    "against library",
    "SM MHz",
    "in + run + out, ms",
)
_OPTIONAL: Final = frozenset(("run", "of peak", "against library", "SM MHz", "in + run + out, ms"))
"""Columns that are hidden while all of their cells are empty."""

_WORDS: Final = frozenset(("run", "kernel", "block / threads", "against library", "result"))
"""Columns of words; they have few distinct texts."""

NUMBERS: Final = frozenset(COLUMNS) - _WORDS - {"in + run + out, ms"}

_Key = tuple[bool, float, str]


class _Record(NamedTuple):
    """A row of the table."""

    number: int
    """Position in the order of arrival."""
    row: Row
    origin: Origin
    texts: tuple[str, ...]


def cells(row: Row, titles: Mapping[str, str], origin: Origin = THIS) -> tuple[str, ...]:
    """Return a row's texts, one for each of `COLUMNS`."""
    sample = row.sample
    entry, interval, conditions = sample.point.entry, sample.interval, sample.conditions
    peak, clock = percent_of_peak(sample, row.environment), conditions.sm_clock_mhz if conditions else None
    return (
        origin.name,
        kernel_title(entry.kernel, titles),
        _choice(entry),
        "as launched" if entry.launch else str(sample.point.size),
        significant(sample.median_ms),
        significant(sample.gflops),
        OUTCOMES[sample.outcome] + " *" * bool(sample.marks),
        f"{100 * interval.relative_half_width:.2f} %" if interval else "",
        significant(sample.min_ms),
        f"{peak:.1f} %" if peak else "",
        _comparison(sample),
        f"{clock:,.0f}" if clock else "",
        parts(sample),
    )


def _choice(entry: Entry) -> str:
    """Return the block or the number of CPU threads, and the memory, shorter than in a legend."""
    place = "" if entry.memory == "device" else entry.memory
    return ", ".join(part for part in (choices(replace(entry, memory="device")), place) if part)


def _comparison(sample: Sample) -> str:
    """Return what the times in turns with a library routine say."""
    ratio, claim = sample.speed_up, sample.claim
    if ratio is None or claim is None:
        return ""
    return f"{significant(ratio.middle, 3)}×, {claim}"


def parts(sample: Sample) -> str:
    """Return the median times of copy in, kernel and copy out; empty if they were not measured."""
    times = [significant(sample.part_ms(part), 3) or "–" for part in PARTS]
    return " + ".join(times) if sample.parts_ms else ""


def _cube(sample: Sample) -> float:
    size = sample.point.size
    return float(size.m) * size.n * size.k


_VALUES: Final[Mapping[str, Callable[[Row], float | None]]] = {
    "n": lambda row: _cube(row.sample),
    "median ms": lambda row: row.sample.median_ms,
    "± (95 %)": lambda row: row.sample.interval.relative_half_width if row.sample.interval else None,
    "min ms": lambda row: row.sample.min_ms,
    "GFLOPS": lambda row: row.sample.gflops,
    "of peak": lambda row: percent_of_peak(row.sample, row.environment),
    "against library": lambda row: row.sample.speed_up.middle if row.sample.speed_up else None,
    "SM MHz": lambda row: row.sample.conditions.sm_clock_mhz if row.sample.conditions else None,
}
"""Values by which columns of numbers are sorted."""


def _sort_key(record: _Record, column: str) -> _Key:
    """Return a key by which a column is sorted: numbers by value, empty cells last, words by the alphabet."""
    if column in _VALUES:
        value = _VALUES[column](record.row)
        known = value is not None and isfinite(value)
        return not known, value if value is not None and known else inf, ""
    text = record.texts[COLUMNS.index(column)]
    return not text, 0.0, text.casefold()


class SampleTable(TextModel):
    """Model with rows in the order of the samples, or sorted by a column; the texts of a row are computed once."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, COLUMNS)
        self.numbers = NUMBERS
        self._records: list[_Record] = []
        self._titles: Mapping[str, str] = {}
        self._count = 0
        self._column, self._descending = -1, False
        self._keys: dict[int, _Key] = {}
        """Of the records, for the sorted column."""
        self.longest: tuple[dict[str, None], ...] = ()
        """By column: the candidates for its widest text."""
        self._clear_longest()

    @property
    def titles(self) -> Mapping[str, str]:
        """Titles of the kernels."""
        return self._titles

    @titles.setter
    def titles(self, titles: Mapping[str, str]) -> None:
        before, self._titles = self._titles, titles
        names = {record.row.sample.point.entry.kernel for record in self._records}
        if all(kernel_title(name, before) == kernel_title(name, titles) for name in names):
            return  # another kernel was opened or edited: the texts of 10,000 rows take 200 ms
        self._replace([self._record(*record[:3]) for record in self._records])

    @property
    def used_columns(self) -> tuple[int, ...]:
        """Columns that have a cell to show; that of the runs only for several."""
        used = (place for place, name in enumerate(COLUMNS) if name not in _OPTIONAL or any(self.longest[place]))
        return tuple(place for place in used if COLUMNS[place] != "run" or len(self.longest[place]) > 1)

    def add(self, rows: Sequence[Row], origin: Origin = THIS) -> None:
        """Append rows, or insert them where they belong in the order of the sorted column."""
        if not rows:
            return
        first = len(self._records)
        records = [self._record(self._count + place, row, origin) for place, row in enumerate(rows)]
        self._count += len(records)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        self._records += records
        self._note_widths(records)
        self.endInsertRows()
        if self._column >= 0:
            self._arrange()

    def remove(self, origin: Origin) -> None:
        """Remove the rows of a run."""
        # `in` compares identity first: 3 ms less for 10,000 rows.
        self._replace([record for record in self._records if record.origin not in (origin,)])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of the measurement."""
        self._column, self._descending, self._keys = column, order == Qt.SortOrder.DescendingOrder, {}
        self._arrange()

    def text(self, rows: Iterable[int] | None = None) -> str:
        """Return rows, by default all, with tabs between the columns, as spreadsheets take it from the clipboard."""
        used = self.used_columns
        chosen = range(len(self._records)) if rows is None else rows
        lines = [COLUMNS, *(self._records[row].texts for row in chosen)]
        return "\n".join("\t".join(line[column] for column in used) for line in lines)

    def _record(self, number: int, row: Row, origin: Origin) -> _Record:
        return _Record(number, row, origin, cells(row, self._titles, origin))

    def _replace(self, records: list[_Record]) -> None:
        self.beginResetModel()
        self._records = records
        self._clear_longest()
        self._note_widths(records)
        self.endResetModel()

    def _arrange(self) -> None:
        """Put the rows into the chosen order; empty cells stay last in both directions. The selection follows."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        selected = [(self._records[index.row()].number, index.column()) for index in before]
        if self._column < 0:
            self._records.sort(key=lambda record: record.number)
        else:
            name = COLUMNS[self._column]
            keys = self._keys
            keys |= {r.number: _sort_key(r, name) for r in self._records if r.number not in keys}
            self._records.sort(key=lambda record: keys[record.number][1:], reverse=self._descending)
            self._records.sort(key=lambda record: keys[record.number][0])
        if before:
            rows = {record.number: row for row, record in enumerate(self._records)}
            self.changePersistentIndexList(before, [self.index(rows[number], column) for number, column in selected])
        self.layoutChanged.emit()

    def _clear_longest(self) -> None:
        self.longest = tuple({} for _ in COLUMNS)

    def _note_widths(self, records: Iterable[_Record]) -> None:
        for record in records:
            for name, text, longest in zip(COLUMNS, record.texts, self.longest, strict=True):
                if name in _WORDS:
                    longest.setdefault(text)
                elif not longest or len(text) > len(next(iter(longest))):
                    longest.clear()  # digits are equally wide: the longest text is the widest
                    longest[text] = None

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows; a cell has no children."""
        return 0 if parent.isValid() else len(self._records)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text and alignment; the whole record as a tooltip."""
        record = self._records[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return record.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            point = record.row.sample.point
            return "\n".join((f"{label(point.entry, self._titles)}, n = {point.size}", *details(record.row)))
        return self.alignment(index.column(), role)
