"""Table of texts that keeps its scroll position and selection when its contents change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from gui.widgets.controls import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

_Index = QModelIndex | QPersistentModelIndex


class _TextModel(QAbstractTableModel):
    """Model with rows of texts under a header."""

    def __init__(self, parent: QWidget, *, align: bool) -> None:
        super().__init__(parent)
        self._align = align
        self.header: tuple[str, ...] = ()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self._numbers: set[int] = set()

    def show(self, header: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
        """Replace the contents; scroll position and selection stay while the shape is the same."""
        same = (len(rows), tuple(header)) == (len(self.rows), self.header)
        if not same:
            self.beginResetModel()
        self.header, self.rows = tuple(header), tuple(rows)
        columns = range(len(header)) if self._align else ()
        self._numbers = {n for n in columns if _are_numbers([row[n] for row in rows])}
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(header) - 1))
        else:
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows; a cell has no children."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.header)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name or the alignment of a column."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.header[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, which is also its tooltip, or its alignment."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self._numbers else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


def _are_numbers(texts: Sequence[str]) -> bool:
    """Return whether all non-empty texts are numbers: such a column is aligned right."""
    found = [text.replace(",", "").replace(" … ", "") for text in texts if text and text != "not measured"]
    return bool(found) and all(text[0].isdigit() and text[-1].isdigit() for text in found)


class TextTable(Table):
    """Table of texts; `wide` columns share the width and wrap; without any, the first column stretches."""

    def __init__(self, name: str, wide: Sequence[int] = (), parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
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
