"""Browser of kernels: the open list of the kernel box, with a filter, a picture and one line of text each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.theming.fonts import fixed_pitch_font
from gui.widgets.controls import add_parts, bold, field, label, scale_with_text, vbox
from kernels import RESOURCES

if TYPE_CHECKING:
    from PySide6.QtGui import QStandardItemModel

    from kernels.catalog import Kernel

PICTURES: Final = RESOURCES / "pictures"
"""Pictures of the kernels, written by ``python -m gui.explore.export.thumbnails``."""

_PICTURE_PX: Final = QSize(72, 45)
_GAP_PX: Final = 8
_WIDTH_PX: Final = 820
_ROWS: Final = 9
_LINE_FROM_LIST: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class KernelBrowser(QFrame):
    """Popup with a filter and the list of kernels.

    Signals
    -------
    kernel_picked(int)
        Row in the model of the chosen kernel.
    """

    kernel_picked = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.filter = field("Filter kernels")
        self.filter.setPlaceholderText("Type to filter: a title, a name, or a word of what it teaches")
        self.filter.setClearButtonEnabled(True)
        self.list = QListView()
        self.list.setAccessibleName("Kernels")
        self.list.setItemDelegate(_Rows(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        column = vbox(self, (4, 4, 4, 4))
        add_parts(column, self.filter, self.list)
        self.none = label("No kernel has all of these words.", "muted")
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.none, 1)
        self.setFocusProxy(self.filter)
        self.filter.installEventFilter(self)
        self.filter.textChanged.connect(self._filter)
        self.list.clicked.connect(self._pick)
        self.list.entered.connect(self.list.setCurrentIndex)

    def open_under(self, box: QWidget, model: QStandardItemModel, row: int) -> None:
        """Show the list below a box, or above it where the screen ends, with a row selected."""
        self.list.setModel(model)
        self.filter.clear()
        self._filter("")
        self.list.setCurrentIndex(model.index(row, 0))
        screen = box.screen().availableGeometry()
        height = self.filter.sizeHint().height() + _ROWS * row_height(self.font()) + 3 * _GAP_PX
        self.resize(min(scale_with_text(_WIDTH_PX), screen.width()), min(height, screen.height()))
        corner = box.mapToGlobal(box.rect().bottomLeft())
        if corner.y() + self.height() > screen.bottom():
            corner.setY(max(screen.top(), screen.bottom() - self.height()))
        corner.setX(max(screen.left(), min(corner.x(), screen.right() - self.width())))
        self.move(corner)
        self.show()
        self.filter.setFocus()
        self.list.scrollTo(self.list.currentIndex(), QListView.ScrollHint.PositionAtCenter)

    def follow(self, model: QStandardItemModel) -> None:
        """Show another list, with the same filter and the same kernel selected where they leave it."""
        selected = _kernel(self.list.currentIndex())
        self.list.setModel(model)
        self._filter(self.filter.text())
        for row in self.rows():
            kernel = _kernel(model.index(row, 0))
            if selected is not None and kernel is not None and (kernel.id, kernel.file) == (selected.id, selected.file):
                self.list.setCurrentIndex(model.index(row, 0))

    def rows(self) -> list[int]:
        """Return the rows of the kernels that the filter leaves."""
        model = self.list.model()
        return [n for n in range(model.rowCount()) if not self.list.isRowHidden(n) and _kernel(model.index(n, 0))]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list, and choose from it, while the filter has the focus."""
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _LINE_FROM_LIST:
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._pick(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        """Hide the kernels that lack one of the words, and headings without a kernel."""
        model, words = self.list.model(), text.casefold().split()
        heading, shown = -1, -1
        for row in range(model.rowCount()):
            kernel = _kernel(model.index(row, 0))
            if kernel is None:
                heading = row
                self.list.setRowHidden(row, True)
                continue
            has = f"{kernel.title} {kernel.id} {kernel.teaches} {kernel.flaw}".casefold()
            fits = all(word in has for word in words)
            self.list.setRowHidden(row, not fits)
            if fits:
                self.list.setRowHidden(heading, False)
                shown = row if shown < 0 else shown
        found = not words or shown >= 0
        self.list.setVisible(found)
        self.none.setHidden(found)
        if words and found:
            self.list.setCurrentIndex(model.index(shown, 0))

    def _pick(self, index: QModelIndex | QPersistentModelIndex) -> None:
        if index.isValid() and not self.list.isRowHidden(index.row()) and _kernel(index) is not None:
            self.hide()
            self.kernel_picked.emit(index.row())


class _Rows(QStyledItemDelegate):
    """Painting of a row: picture, title and name, one line of text; of a heading: its words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return two lines of text, at least as high as a picture; one for a heading."""
        if _kernel(index) is None:
            return QSize(0, QFontMetrics(bold(option.font)).height() + _GAP_PX)
        return QSize(0, row_height(option.font))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one row."""
        kernel = _kernel(index)
        if kernel is None:
            painter.setFont(bold(option.font))
            painter.setPen(option.palette.color(QPalette.ColorRole.Text))
            area = option.rect.adjusted(_GAP_PX, 0, -_GAP_PX, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        ink = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        if chosen:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
        size = _picture_size()
        place = QRect(option.rect.left() + _GAP_PX, 0, size.width(), size.height())
        place.moveTop(option.rect.center().y() - size.height() // 2)
        picture = _picture(kernel.base)
        if not picture.isNull():
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, picture)
        painter.setPen(QColor(option.palette.color(ink)))
        words = option.rect.adjusted(place.right() + _GAP_PX - option.rect.left(), 0, -_GAP_PX, 0)
        half = words.height() // 2
        title = str(index.data())
        painter.setFont(bold(option.font))
        self._line(painter, QRect(words.left(), words.top(), words.width(), half), title)
        left = words.left() + painter.fontMetrics().horizontalAdvance(title) + 2 * _GAP_PX
        painter.setFont(fixed_pitch_font(option.font.pointSizeF()))
        self._line(painter, QRect(left, words.top(), max(0, words.right() - left), half), kernel.id)
        painter.setFont(option.font)
        self._line(painter, QRect(words.left(), words.top() + half, words.width(), half), kernel.flaw or kernel.teaches)

    def _line(self, painter: QPainter, area: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)


def row_height(font: QFont) -> int:
    """Return the height in pixels of a kernel's row."""
    return max(_picture_size().height(), 2 * QFontMetrics(bold(font)).height()) + _GAP_PX


def _kernel(index: QModelIndex | QPersistentModelIndex) -> Kernel | None:
    kernel: Kernel | None = index.data(Qt.ItemDataRole.UserRole)
    return kernel


def _picture_size() -> QSize:
    return QSize(scale_with_text(_PICTURE_PX.width()), scale_with_text(_PICTURE_PX.height()))


@lru_cache(maxsize=128)
def _picture(name: str) -> QPixmap:
    """Return a kernel's picture; a null one for a file of the user."""
    return QPixmap(str(PICTURES / f"{name}.png"))
