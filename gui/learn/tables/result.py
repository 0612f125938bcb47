"""Result of an experiment: measured and published values as curves and a table, and a verdict on each claim."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import QHeaderView, QSplitter, QStackedWidget, QTabWidget, QWidget

from gui.widgets.controls import BulletList, Table, TextModel, label, scrolled, vbox
from gui.widgets.plot import LinePlot
from gui.widgets.plot_curves import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from gui.theming.theme import Theme
    from kernels.experiments import Claim, Comparison, Experiment, Series
    from kernels.experiments.compare import Table as Rows

_Index = QModelIndex | QPersistentModelIndex


class _TextModel(TextModel):
    """Model with rows of texts under a header."""

    def __init__(self, parent: QWidget, *, align: bool) -> None:
        super().__init__(parent)
        self._align = align
        self.rows: tuple[tuple[str, ...], ...] = ()

    def show(self, header: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
        """Replace the contents; scroll position and selection stay while the shape is the same."""
        same = (len(rows), tuple(header)) == (len(self.rows), self.header)
        if not same:
            self.beginResetModel()
        self.header, self.rows = tuple(header), tuple(rows)
        columns = range(len(header)) if self._align else ()
        self.numbers = {header[n] for n in columns if _are_numbers([row[n] for row in rows])}
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(header) - 1))
        else:
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows; a cell has no children."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, which is also its tooltip, or its alignment."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.rows[index.row()][index.column()]
        return self.alignment(index.column(), role)


def _are_numbers(texts: Sequence[str]) -> bool:
    """Return whether all non-empty texts are numbers: such a column is aligned right."""
    found = [text.replace(",", "").replace(" … ", "") for text in texts if text and text != "not measured"]
    return bool(found) and all(text[0].isdigit() and text[-1].isdigit() for text in found)


class TextTable(Table):
    """Table of texts; `wide` columns share the width and wrap; without any, the first column stretches."""

    def __init__(self, name: str, wide: Sequence[int] = ()) -> None:
        super().__init__(name)
        self._wide = tuple(wide)
        self._texts = _TextModel(self, align=not wide)
        self.setModel(self._texts)
        self.setWordWrap(bool(wide))
        if wide:
            self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the heights of the rows to the new line breaks."""
        super().resizeEvent(event)
        if self._wide:
            self.resizeRowsToContents()

    def show_texts(self, header: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
        """Replace header and rows."""
        self._texts.show(header, rows)
        for column in range(len(header)):
            stretch = column in self._wide or (not self._wide and column == 0)
            mode = QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.ResizeToContents
            self.horizontalHeader().setSectionResizeMode(column, mode)

    def text(self) -> str:
        """Return the table with tabs between the columns, as spreadsheets take it from the clipboard."""
        return "\n".join("\t".join(row) for row in (self._texts.header, *self._texts.rows))


_INITIAL_CURVES: Final = 8
"""Number of curves shown at first: one for each colour."""

_TICK_LETTERS: Final = 8
"""Letters of a line of a tick: longer names are wrapped between words."""

_SIGNS: Final = {"agrees": "✓ agrees", "differs": "✗ differs", "not measured": "– not measured yet"}
_CLAIM_COLUMNS: Final = ("", "published claim", "published")


def lines(series: Sequence[Series]) -> list[Line]:
    """Convert series to plot lines: measured and published values of one name share colour and mark."""
    place = {name: n for n, name in enumerate(dict.fromkeys(s.name for s in series))}
    return [
        Line(
            s.label,
            place[s.name],
            np.array(s.x, np.float64),
            np.array(s.y, np.float64),
            published=not s.ours,
            group=s.name,
        )
        for s in sorted(series, key=lambda s: (place[s.name], s.ours))
    ]


def summary(claims: Sequence[Claim]) -> str:
    """Count the verdicts on the claims: `Claims: 3 agree, 1 differs`."""
    counts = {word: sum(c.verdict == word for c in claims) for word in ("agrees", "differs")}
    parts = [
        f"{count} {word if count == 1 else plural}"
        for (word, count), plural in zip(counts.items(), ("agree", "differ"), strict=True)
        if count
    ]
    return f"Claims: {', '.join(parts) or len(claims)}"


def _without_empty_columns(table: Rows) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows without empty columns."""
    used = [n for n in range(len(table.header)) if any(row[n] for row in table.rows)]
    return tuple(table.header[n] for n in used), [tuple(row[n] for n in used) for row in table.rows]


_LEAST_PX: Final = 280
"""Height of plot and table that the page leaves them."""


class ResultView(QWidget):
    """Plot, with table and claims below it."""

    def __init__(self) -> None:
        super().__init__()
        self._experiment_id = ""
        self.plot = LinePlot("", "", most=_INITIAL_CURVES)
        self.placeholder = label(role="muted")
        self.placeholder.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.placeholder.setWordWrap(True)
        self.table = TextTable("Measured and published values")
        self.claims = TextTable("Published claims", wide=(1, 2, 3))
        self.today = BulletList()
        self.today.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.today.setMargin(8)
        self._top = QStackedWidget()
        self._top.addWidget(self.plot)
        self._no_plot = scrolled(self.placeholder)
        self._top.addWidget(self._no_plot)
        self.tabs = QTabWidget()
        self.tabs.addTab(self.table, "Table")
        self.tabs.addTab(self.claims, "Claims")
        self.tabs.addTab(scrolled(self.today), "Result today, and reason")
        parts = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        parts.addWidget(self._top)
        parts.addWidget(self.tabs)
        parts.setSizes([350, 190])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        column = vbox(self)
        column.addWidget(parts)

    def sizeHint(self) -> QSize:
        """Ask for little height, and take what there is: the page scrolls only where less is left."""
        return QSize(super().sizeHint().width(), max(_LEAST_PX, self.minimumSizeHint().height()))

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size."""
        self.plot.set_theme(theme)

    @staticmethod
    def caption(experiment: Experiment, comparison: Comparison, how: str) -> str:
        """Return the explanation of the plot, whose points were `how` made; empty if there is none."""
        if not comparison.series:
            return ""
        here = f"{how}, on {comparison.device}" if comparison.device else how
        theirs = f" Dashed lines, hollow marks: published ({experiment.source}; {experiment.gpu})."
        return (
            f"Solid lines, filled marks: {here}.{'' if all(s.ours for s in comparison.series) else theirs} "
            "Only verified results are plotted. Hover over a name to highlight its curve."
        )

    def show_result(self, experiment: Experiment, comparison: Comparison, next_step: str, how: str) -> None:
        """Show a result; without samples, the published values only; without these, `next_step` as advice.

        `how` says whether the samples were measured here or recorded.
        """
        if experiment.id != self._experiment_id:
            self._experiment_id = experiment.id
            self.plot.legend.reset()
        self.plot.show_lines(())  # lines of the previous experiment do not fit the new axes
        ticks = [fill(tick, _TICK_LETTERS, break_long_words=False) for tick in comparison.ticks]
        self.plot.set_axes(experiment.x.title, experiment.y.title, ticks)
        self.plot.set_log(x=experiment.x.log and not comparison.ticks, y=experiment.y.log)
        self.plot.show_lines(lines(comparison.series))
        self.placeholder.setText(f"No published numbers to compare with, and no run yet. {next_step}")
        self._top.setCurrentWidget(self.plot if comparison.series else self._no_plot)
        self.table.show_texts(*_without_empty_columns(comparison.table))
        self.claims.show_texts(
            (*_CLAIM_COLUMNS, how),
            [(_SIGNS.get(c.verdict, c.verdict), c.text, c.published or "–", c.ours or "–") for c in comparison.claims],
        )
        self.tabs.setTabVisible(0, bool(comparison.table.rows))
        self.tabs.setTabText(1, summary(comparison.claims))
        self.tabs.setTabVisible(1, bool(comparison.claims))
        self.today.show_sentences(experiment.today)
        self.tabs.setTabVisible(2, bool(experiment.today))
