"""Painting of a run in the list: a tick, its title, and below it the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

_GAP_PX: Final = 4
_LEAST_CHARACTERS: Final = 16
"""Width that the list asks for; longer lines are elided."""


class RunRowDelegate(QStyledItemDelegate):
    """Paints the two lines of `RunListModel`, the first one bold; both are elided to the width."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint background, tick and lines."""
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        style, rect = own.widget.style(), own.rect
        title, _, facts = str(index.data()).partition("\n")
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, own, painter, own.widget)
        box = QStyleOptionViewItem(own)
        box.rect = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, own, own.widget)
        box.state &= ~QStyle.StateFlag.State_HasFocus
        checked = own.checkState == Qt.CheckState.Checked
        box.state |= QStyle.StateFlag.State_On if checked else QStyle.StateFlag.State_Off
        style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck, box, painter, own.widget)
        selected = bool(own.state & QStyle.StateFlag.State_Selected)
        left, top = box.rect.right() + 2 * _GAP_PX, rect.top() + _GAP_PX
        painter.save()
        painter.setPen(own.palette.color(QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text))
        for text, font in ((title, _bold(own.font)), (facts, own.font)):
            metrics = QFontMetrics(font)
            line = QRect(left, top, rect.right() - left - _GAP_PX, metrics.height())
            painter.setFont(font)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
            top += metrics.height()
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of two lines."""
        font: QFont = option.font
        bold = QFontMetrics(_bold(font))
        height = bold.height() + QFontMetrics(font).height() + 2 * _GAP_PX
        return QSize(_LEAST_CHARACTERS * bold.averageCharWidth(), height)


def _bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    return made
