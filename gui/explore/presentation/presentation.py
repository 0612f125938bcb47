"""Presentation: the stage, the caption and, on demand, the listing fill the screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, cast

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QShortcut
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget
from shiboken6 import isValid

from gui.explore.presentation.borrowed import Borrowed
from gui.explore.presentation.controls import PresenterControls
from gui.widgets.controls import tool
from gui.widgets.keys import bind, tip

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtGui import QCloseEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from gui.explore.player import Player

CAPTION_SHARE: Final = 0.036
"""Least height of the caption's type, as a share of the screen's height."""

_LARGEST_CAPTION: Final = 0.046
_LISTING_SHARE: Final = 0.023
_TEXT_SHARE: Final = 0.018
_PICTURE_SHARE: Final = 0.022
_MEMORY_SHARE: Final = 0.022
_RESULT_SHARE: Final = 0.026
_MARGIN_SHARE: Final = 0.008
_POINTS_IN_INCH: Final = 72
_SCALES: Final = (0.8, 1.0, 1.2, 1.4)
"""Sizes of the listing and of other small text, which the keys for larger and smaller text choose."""

_SPLIT: Final = (28, 64, 36, 64)
"""Shares of the panel of a lesson, the picture, the listing, and the second picture of a comparison, of which not all
are shown."""


class Companion(Protocol):
    """Interface of a panel that is shown beside the picture, a QWidget."""

    def set_text_size(self, points: float | None) -> None:
        """Change the size of the text; None for that of the application."""


class Presentation(QWidget):
    """Full-screen window that borrows the parts and the shortcuts of a player while it is shown.

    All type has a share of the screen's height, whatever the text size of the application is.

    Signals
    -------
    ended()
        The parts are back in the player.
    """

    ended = Signal()

    def __init__(self, player: Player) -> None:
        super().__init__(player, Qt.WindowType.Window)
        self._player = player
        self._parts: list[Borrowed] = []
        self._shortcuts: list[QShortcut] = []
        self._focus: QWidget | None = None
        self._scale = 1.0
        self.listing_button = tool("Listing (L)", tip("listing"), self.show_parts)
        self.listing_button.setCheckable(True)
        self.memory_button = tool("Memory row (R)", tip("memory"), self.show_memory)
        self.memory_button.setCheckable(True)
        self.controls = PresenterControls(
            self,
            (
                self.listing_button,
                self.memory_button,
                tool("Blank (B)", tip("blank"), self.toggle_blank),
                tool("Leave (Esc)", tip("leave"), self.leave),
            ),
        )
        self.cover = _Cover(self)
        self.cover.pressed.connect(self.toggle_blank)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        # Parts hide themselves where there is nothing to show: the buttons show and hide the rooms around them.
        self._listing_room, self._memory_room = QWidget(), QWidget()
        self._listing, self._memory = (_fill(room) for room in (self._listing_room, self._memory_room))
        self._split.addWidget(self._listing_room)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._split, 1)
        self._column.addWidget(self._memory_room)
        self.setWindowTitle("tilescope: presentation")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        bind(
            self,
            {
                "leave": self.leave,
                "listing": self.listing_button.click,
                "memory": self.memory_button.click,
                "blank": self.toggle_blank,
                "larger": lambda: self.scale_text(1),
                "smaller": lambda: self.scale_text(-1),
                "normal": lambda: self.scale_text(0),
            },
        )
        player.timeline.position_changed.connect(self._uncover)

    @property
    def active(self) -> bool:
        """True while the parts are here."""
        return bool(self._parts)

    @property
    def text_points(self) -> float:
        """Size of the text of controls."""
        return round(self._points(_TEXT_SHARE * self._scale), 1)

    def begin(self) -> None:
        """Take the parts, and fill the screen on which the player is."""
        if self.active:
            return
        player = self._player
        self._focus = QApplication.focusWidget()
        self.memory_button.setChecked(False)
        self._parts = [
            Borrowed(player.stage_column, partial(self._split.insertWidget, 0)),
            Borrowed(player.listing, self._listing.addWidget),
            Borrowed(player.other, self._split.addWidget),
            *self._borrowed_companion(),
            Borrowed(player.figures, partial(self._column.insertWidget, 1), keep_place=False),
            Borrowed(player.memory, self._memory.addWidget, keep_place=False),
            Borrowed(player.timeline, self.controls.add_row),
            Borrowed(player.stage_bar, self.controls.add_before_buttons),
        ]
        player.corners.hide()
        player.memory.set_parts(accesses=True, totals=True)
        self.show_parts()
        only = Qt.FindChildOption.FindDirectChildrenOnly
        taken = {shortcut.key() for shortcut in self.findChildren(QShortcut, options=only)}
        found = player.findChildren(QShortcut, options=only)
        self._shortcuts = [shortcut for shortcut in found if shortcut.key() not in taken]
        for shortcut in self._shortcuts:
            shortcut.setParent(self)
        screen = player.screen()
        self.setScreen(screen)
        self.setGeometry(screen.geometry())
        self.showFullScreen()
        self.size_text()  # where the window has this size from the last time, it is not resized
        self.windowHandle().installEventFilter(self)
        self.activateWindow()
        self.setFocus()
        self.controls.appear()

    def leave(self) -> None:
        """Put the parts back and hide."""
        if not self.active:
            return
        player = self._player
        self.controls.stop()
        self.cover.hide()
        self.windowHandle().removeEventFilter(self)
        for shortcut in self._shortcuts:
            shortcut.setParent(player)
        for part in reversed(self._parts):
            part.give_back()
        if player.companion is not None:
            player.companion.set_text_size(None)
        player.corners.show()
        player.canvas.setFont(QFont())
        player.lesson.setFont(QFont())
        player.figures.setStyleSheet("")
        self._parts, self._shortcuts = [], []
        self.hide()
        self.ended.emit()
        player.activateWindow()
        # The focus was perhaps in a dialog that has been closed since.
        (self._focus if self._focus is not None and isValid(self._focus) else player).setFocus()
        self._focus = None

    def show_parts(self) -> None:
        """Show the parts whose buttons are checked, and a second picture as wide as the first."""
        self._listing_room.setVisible(self.listing_button.isChecked())
        self._memory_room.setVisible(self.memory_button.isChecked())
        if self.active:
            shown = (self._player.companion, self._player.stage_column, self._listing_room, self._player.other)
            parts = [(share, cast("QWidget", part)) for share, part in zip(_SPLIT, shown, strict=True) if part]
            shares = [0 if part.isHidden() else share for share, part in parts]
            self._split.setSizes([self.width() * share // sum(shares) for share in shares])
            self._player.size_accesses(self._points(_MEMORY_SHARE))

    @property
    def hides_memory(self) -> bool:
        """True if the memory row, and in a comparison the accesses of both runs, are not to be shown."""
        return not self.memory_button.isChecked()

    def _borrowed_companion(self) -> list[Borrowed]:
        """Take the panel beside the picture, at its left."""
        panel = cast("QWidget | None", self._player.companion)
        return [Borrowed(panel, partial(self._split.insertWidget, 0), keep_place=False)] if panel is not None else []

    def show_memory(self) -> None:
        """Show or hide the memory row."""
        self.show_parts()

    def scale_text(self, step: int) -> None:
        """Make the listing and other small text larger (1), smaller (-1) or normal (0); the picture keeps its size."""
        number = _SCALES.index(self._scale) + step if step else _SCALES.index(1.0)
        self._scale = _SCALES[min(max(number, 0), len(_SCALES) - 1)]
        self.size_text()

    def toggle_blank(self) -> None:
        """Blank the screen, or show it again."""
        self._player.timeline.pause()
        self.cover.setVisible(self.cover.isHidden())
        self.cover.raise_()

    def size_text(self) -> None:
        """Give all type its share of the height."""
        player, height = self._player, self.height()
        margin = round(height * _MARGIN_SHARE)
        self._column.setContentsMargins(margin, margin, margin, margin)
        # A style sheet, because fonts of widgets with one do not pass to their children. Captions size themselves.
        kinds = ".QLabel, ElidedLabel, QToolButton, QCheckBox, QComboBox, QAbstractSlider"
        sheet = f"{kinds} {{ font-size: {self.text_points}pt; }}"
        for part in (self.controls, self._split, self._memory_room, player.figures):
            part.setStyleSheet(sheet)
        # Two captions share the width, and are equally large.
        player.caption.set_text_size(self._points(_LARGEST_CAPTION), self._points(CAPTION_SHARE))
        for caption in (player.caption, player.other.caption) if player.comparison is not None else ():
            caption.set_text_size(self._points(CAPTION_SHARE), self._points(_RESULT_SHARE))
        player.other.result.set_text_size(self._points(_RESULT_SHARE))
        player.result.set_text_size(self._points(_RESULT_SHARE))
        for listing in (player.code, player.listing.area):
            listing.set_text_size(self._points(_LISTING_SHARE * self._scale))
        if player.companion is not None:
            player.companion.set_text_size(self._points(CAPTION_SHARE))
        player.memory.set_text_size(self._points(_MEMORY_SHARE))
        player.size_accesses(self._points(_MEMORY_SHARE))
        for part, share in ((player.canvas, _PICTURE_SHARE), (player.lesson, _TEXT_SHARE)):
            font = QFont(self.font())
            font.setPointSizeF(self._points(share * self._scale))
            part.setFont(font)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the type, and place what lies over the picture."""
        super().resizeEvent(event)
        self.cover.setGeometry(self.rect())
        if self.active:
            self.size_text()
            self._place_controls()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave when the window manager closes the window."""
        self.leave()
        super().closeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the controls when the mouse moves anywhere in the window."""
        if event.type() == QEvent.Type.MouseMove and self.cover.isHidden():
            self._place_controls()
            self.controls.appear()
        return False

    def _place_controls(self) -> None:
        """Place the controls at the picture's lower edge, over the legend: the caption stays readable."""
        canvas = self._player.canvas
        height = self.controls.height_in(self.width())
        top = canvas.mapTo(self, canvas.rect().bottomLeft()).y() - height
        self.controls.setGeometry(QRect(0, max(0, top), self.width(), height))

    def _points(self, share: float) -> float:
        """Return the size in points of type whose height is a share of the screen's."""
        return self.height() * share * _POINTS_IN_INCH / self.logicalDpiY()

    def _uncover(self) -> None:
        """Show the picture again when another step is shown."""
        self.cover.hide()


def _fill(room: QWidget) -> QVBoxLayout:
    """Return a layout without margins for one part."""
    layout = QVBoxLayout(room)
    layout.setContentsMargins(0, 0, 0, 0)
    return layout


class _Cover(QWidget):
    """Black widget over everything.

    Signals
    -------
    pressed()
        The mouse was pressed.
    """

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAccessibleName("Blank screen; B shows the picture again")
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint black."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report the press."""
        self.pressed.emit()
