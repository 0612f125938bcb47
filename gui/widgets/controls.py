"""Controls that all pages use: combo box, table, label, line edit, button."""

from __future__ import annotations

from bisect import bisect_right
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.theming.style import TEXT_PT
from gui.widgets.fitted_label import FittedLabel
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QKeyEvent

_ROW_GAP_PX: Final = 8
_LINES: Final = 2
_TALL_PX: Final = 10_000
_MOST_SHARE: Final = 0.38

Margins = tuple[int, int, int, int]
"""Left, upper, right and lower margin, pixels."""

Box = TypeVar("Box", bound=QBoxLayout)
Role = Literal["plain", "heading", "muted", "caption", "warning"]


class Choice(QComboBox):
    """Combo box; `walking` is True while arrow keys change it, not while its open list is used."""

    walking = False

    def __init__(self, name: str = "") -> None:
        super().__init__()
        if name:
            self.setAccessibleName(name)

    def setAccessibleName(self, name: str) -> None:
        """Set the name for screen readers, also as the description: on Linux, Qt says the current entry as the name."""
        super().setAccessibleName(name)
        self.setAccessibleDescription(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change the entry by keys."""
        self.walking = True
        try:
            super().keyPressEvent(event)
        finally:
            self.walking = False


class TextModel(QAbstractTableModel):
    """Rows under a header; a column of numbers is aligned right. A subclass has the rows."""

    def __init__(self, parent: QObject | None = None, header: tuple[str, ...] = ()) -> None:
        super().__init__(parent)
        self.header = header
        self.numbers: Collection[str] = ()
        """Names of the columns of numbers."""

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's
        """Return the number of columns; a cell has no children."""
        return 0 if parent.isValid() else len(self.header)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name or the alignment of a column."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.header[section]
        return self.alignment(section, role) if orientation == Qt.Orientation.Horizontal else None

    def alignment(self, column: int, role: int) -> Qt.AlignmentFlag | None:
        """Return the alignment of a column's cells; None for another role."""
        if role != Qt.ItemDataRole.TextAlignmentRole:
            return None
        side = Qt.AlignmentFlag.AlignRight if self.header[column] in self.numbers else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class Table(QTableView):
    """Read-only table with rows as high as the text; Tab leaves it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.verticalHeader().hide()
        # By default it is of the header's font, which becomes smaller after the font of the table.
        self.verticalHeader().setMinimumSectionSize(0)
        self._fit_rows()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the rows as high as the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + _ROW_GAP_PX)


class ElidedLabel(FittedLabel):
    """Label of at most two lines; longer text is elided and shown in the tooltip."""

    def __init__(self, role: Role = "plain") -> None:
        super().__init__()
        self.whole = ""
        """Text without elision."""
        self._lines = _LINES
        self.setProperty("role", role)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def say(self, text: str) -> None:
        """Show another text."""
        self.whole = escape_lines(text)
        self.setToolTip(self.whole)
        self._fit()

    def set_lines(self, lines: int) -> None:
        """Change the largest number of lines."""
        self._lines = lines
        self._fit()

    def _fit(self) -> None:
        width = self.contentsRect().width()
        most = self._height("\n".join("X" * self._lines), width)  # Qt rounds the height of each line up
        words, shown = self.whole.split(" "), self.whole
        if len(words) > 1 and self._height(shown, width) > most:

            def shortened(count: int) -> str:
                return " ".join(words[:count]) + " …"

            # More words are never less high.
            fits = bisect_right(range(1, len(words)), most, key=lambda count: self._height(shortened(count), width))
            shown = shortened(max(fits, 1))
        if shown != self.text():
            self.setText(shown)

    def _height(self, text: str, width: int) -> int:
        room = QRect(0, 0, width, _TALL_PX)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()


def label(text: str = "", role: Role = "plain", *, line: bool = False) -> QLabel:
    """Return a label; a `line` has changing text: it wraps and can be copied."""
    made = QLabel(text)
    made.setProperty("role", role)
    if line:
        made.setWordWrap(True)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


class BulletList(QLabel):
    """Label with a bullet before each sentence; wrapped lines are indented below the text, not below the bullet."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def show_sentences(self, sentences: Iterable[str]) -> None:
        """Replace the sentences."""
        rows = "".join(f"<tr><td>•&nbsp;&nbsp;</td><td>{escape(sentence)}</td></tr>" for sentence in sentences)
        self.setText(f"<table cellspacing='0' cellpadding='0'>{rows}</table>")


def show_text(part: QLabel, text: str) -> None:
    """Show a label with a text; hide it if the text is empty."""
    part.setText(text)
    part.setVisible(bool(text))


def scrolled(part: QWidget) -> QScrollArea:
    """Return room for a part, as wide as the room, which scrolls where the part is higher than the room."""
    room = QScrollArea(widgetResizable=True)
    room.setFrameShape(QFrame.Shape.NoFrame)
    room.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    room.setWidget(part)
    return room


def lay_on_paper(part: QWidget) -> None:
    """Give a part of the page the background of the picture."""
    part.setProperty("look", "paper")
    part.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


def set_look(part: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet tells parts apart by, and style the part again."""
    if part.property(name) != value:
        part.setProperty(name, value)
        part.style().unpolish(part)
        part.style().polish(part)


def hbox(parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None) -> QHBoxLayout:
    """Return a horizontal layout, by default without margins, and with the gaps of the style."""
    return _spaced(QHBoxLayout() if parent is None else QHBoxLayout(parent), margins, spacing)


def vbox(parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None) -> QVBoxLayout:
    """Return a vertical layout, by default without margins, and with the gaps of the style."""
    return _spaced(QVBoxLayout() if parent is None else QVBoxLayout(parent), margins, spacing)


def _spaced(made: Box, margins: Margins, spacing: int | None) -> Box:
    made.setContentsMargins(*margins)
    if spacing is not None:
        made.setSpacing(spacing)
    return made


def add_parts(layout: QLayout, *parts: QWidget | QLayout) -> None:
    """Add widgets to a layout, one after another; a box layout takes layouts as well."""
    for part in parts:
        if isinstance(part, QWidget):
            layout.addWidget(part)
        elif isinstance(layout, QBoxLayout):
            layout.addLayout(part)


def field(name: str, text: str = "", tip: str = "") -> QLineEdit:
    """Return a line edit with its name for screen readers."""
    made = QLineEdit(text)
    made.setAccessibleName(name)
    made.setToolTip(tip)
    return made


def push_button(text: str, tip: str = "", slot: Callable[..., object] | SignalInstance | None = None) -> QPushButton:
    """Return a button; `slot` is called when it is clicked."""
    made = QPushButton(text)
    made.setToolTip(tip)
    if slot is not None:
        made.clicked.connect(slot)
    return made


def primary(text: str) -> QPushButton:
    """Return the button that is most likely wanted."""
    made = QPushButton(text)
    made.setProperty("primary", "true")
    return made


def add_shown(column: QLayout, part: QWidget) -> None:
    """Add a widget to a layout that is shown already: Qt would show it some time later."""
    column.addWidget(part)
    part.show()


def empty(column: QLayout) -> None:
    """Remove the widgets of a layout."""
    while (item := column.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def tool(text: str, tip: str, slot: Callable[[], object] | None = None) -> QToolButton:
    """Return a button."""
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    if slot is not None:
        made.clicked.connect(slot)
    return made


class StageButton(QToolButton):
    """Quiet button at the edge of a picture. Tab reaches it and Enter presses it, since Space plays."""

    def __init__(self, text: str, tip: str, slot: Callable[[], object] | None = None) -> None:
        super().__init__()
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.setProperty("look", "stage")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if slot is not None:
            self.clicked.connect(slot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def radio_group(name: str) -> tuple[QGroupBox, QButtonGroup]:
    """Return a frameless box and a group for the radio buttons in it; a screen reader says the name of the box."""
    box = QGroupBox()
    box.setAccessibleName(name)
    box.setProperty("frameless", True)
    return box, QButtonGroup(box)


def radio(group: QButtonGroup, number: int, text: str, tip: str) -> QPushButton:
    """Return a button of a group in which one is checked: a radio button to a screen reader, by which Qt calls it.

    A tool button in the same place would be a check box to it.
    """
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setCheckable(True)
    made.setAutoExclusive(True)
    group.addButton(made, number)
    return made


def bold(font: QFont | None = None) -> QFont:
    """Return a font in bold; by default one for an entry of a list, whose other attributes follow the list."""
    made = QFont() if font is None else QFont(font)
    made.setBold(True)
    return made


def scale_with_text(width_px: int) -> int:
    """Scale a width from the normal to the present text size."""
    return int(width_px * QApplication.font().pointSizeF() / TEXT_PT[0])


def fit_width(part: QWidget, whole_px: int, share: float, limits_px: tuple[int, int]) -> None:
    """Set the width of a part to its share of the whole, within limits that grow with the text.

    However large the text is, the part takes at most `_MOST_SHARE` of the whole.
    """
    least, most = (scale_with_text(limit) for limit in limits_px)
    width = int(min(most, max(least, whole_px * share), whole_px * _MOST_SHARE))
    if (part.minimumWidth(), part.maximumWidth()) == (width, width):
        return
    part.setFixedWidth(width)
    parent = part.parentWidget()
    layout = parent.layout() if parent is not None else None
    if layout is not None:
        # Qt has laid the parent out with the old width before its resizeEvent, where this is called, and would do so
        # again in a later turn of the event loop, after everything was painted once in the wrong size.
        layout.activate()
