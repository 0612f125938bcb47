"""The tab with the table: every sample of every run that is shown, to sort and to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QWidget

from gui.measure.results.series import THIS
from gui.measure.results.table import COLUMNS, SampleTable
from gui.measure.words import count_of
from gui.widgets.controls import Table, label, push_button, vbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QResizeEvent

    from gui.measure.results.series import Origin, Series
    from gui.theming.theme import Theme
    from kernels.bench.store.database import Row

_MOST_SHARES: Final = {
    COLUMNS.index("run"): 0.15,
    COLUMNS.index("kernel"): 0.28,
    COLUMNS.index("block / threads"): 0.17,
}
"""Of the width, for words where not all columns fit: the numbers matter more."""


class TableTab(QWidget):
    """Table of samples. A click on a heading sorts; a third one restores the order of the measurement.

    Signals
    -------
    copied(str)
        Rows are in the clipboard: a sentence that says so.
    """

    copied = Signal(str)

    caption = (
        "± is half of the median's 95 % interval. “Against library” compares times taken in turns. An asterisk: "
        "something disturbed the times; hover over the row for its whole record."
    )

    def __init__(self) -> None:
        super().__init__()
        self.model = SampleTable(self)
        self._follows = False
        self.view = Table("Samples")
        self.view.setModel(self.model)
        self.view.setWordWrap(False)
        header = self.view.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.view.setSortingEnabled(True)
        self.count = label(role="muted")
        self.copy_button = push_button("Copy", slot=self.copy)
        self.copy_button.setToolTip("Copy the selected rows, or all of them, for a spreadsheet (Ctrl+C)")
        shortcut = QShortcut(QKeySequence.StandardKey.Copy, self.view, context=Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy)
        tools = QHBoxLayout()
        tools.addWidget(self.count, 1)
        tools.addWidget(self.copy_button)
        column = vbox(self, (8, 8, 8, 8))
        column.addLayout(tools)
        column.addWidget(self.view, 1)
        self._fit()

    @property
    def busy(self) -> bool:
        """Nothing is computed in the background."""
        return False

    def set_measuring(self, measuring: bool) -> None:
        """Follow the rows that arrive while the page measures."""
        self._follows = measuring

    def stop_work(self) -> None:
        """End nothing."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self._fit()

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """Set the kernels' titles."""
        self.model.titles = titles
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Fit the columns to the size of the text."""
        self._fit()

    def add(self, rows: Sequence[Row], origin: Origin = THIS) -> None:
        """Append rows of a run."""
        self.model.add(rows, origin)

    def remove(self, origin: Origin) -> None:
        """Remove the rows of a run."""
        self.model.remove(origin)

    def prepare(self, series: Sequence[Series], seconds: float) -> bool:
        """Compute nothing: rows are shown as they are."""
        return True

    def show_series(self, series: Sequence[Series]) -> None:
        """Fit the columns to the rows that came."""
        self._fit()
        if self._follows and self.view.horizontalHeader().sortIndicatorSection() < 0:
            self.view.scrollToBottom()

    def copy(self) -> None:
        """Copy the selected rows, or all if none is selected."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self.model.text(rows or None))
        count = len(rows) or self.model.rowCount()
        self.copied.emit(f"{count_of(count)} copied to the clipboard.")

    def _fit(self) -> None:
        """Show the columns that have cells, wide enough for their longest text; the last one takes the rest.

        Where they do not fit, long titles of kernels are elided.

        Qt's own ResizeToContents measures up to a thousand rows whenever one is added.
        """
        view, header, used = self.view, self.view.horizontalHeader(), self.model.used_columns
        count = self.model.rowCount()
        self.count.setText(f"{count_of(count)}. Click a heading to sort." if count else "No point is measured yet.")
        self.copy_button.setEnabled(count > 0)
        for column in range(len(COLUMNS)):
            view.setColumnHidden(column, column not in used)
        metrics = view.fontMetrics()
        for column in used:
            width = header.sectionSizeHint(column)
            if count:
                cell = self.model.index(0, column)
                padding = view.sizeHintForIndex(cell).width() - metrics.horizontalAdvance(cell.data())
                widest = max(map(metrics.horizontalAdvance, self.model.longest[column]))
                width = max(width, widest + padding + 1)
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            view.setColumnWidth(column, width)
        room = view.viewport().width()
        for column, share in _MOST_SHARES.items():
            least = header.sectionSizeHint(column)
            if header.length() > room and view.columnWidth(column) > max(room * share, least):
                view.setColumnWidth(column, max(int(room * share), least))
        if header.length() < room:
            header.setSectionResizeMode(used[-1], QHeaderView.ResizeMode.Stretch)
