from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QStandardItemModel

from gui.widgets.controls import Table

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_rows_are_as_high_as_before_when_the_text_is_normal_again(qtbot: QtBot) -> None:
    table = Table("Numbers")
    qtbot.addWidget(table)
    table.setModel(QStandardItemModel(2, 2, table))
    table.show()
    heights = []
    for points in (11.0, 20.0, 11.0):
        font = table.font()
        font.setPointSizeF(points)
        table.setFont(font)
        heights.append(table.rowHeight(0))
    assert heights[0] == heights[2] < heights[1]
