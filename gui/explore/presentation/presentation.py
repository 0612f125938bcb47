"""Presentation: the picture and its caption fill the screen, with a slim bar of controls below them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFont, QPainter, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSplitter, QVBoxLayout, QWidget
from shiboken6 import isValid

from gui.explore.presentation.borrowed import Borrowed
from gui.explore.presentation.overlay import Overlay
from gui.widgets.controls import StageButton
from gui.widgets.keys import bind, bind_each, sequences, tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QCloseEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from gui.explore.playback.stage_state import Pane
    from gui.explore.player import Player

CAPTION_SHARE: Final = 0.036
"""Least height of the caption's type, as a share of the screen's height."""

_LARGEST_CAPTION: Final = 0.046
_LISTING_SHARE: Final = 0.023
_TEXT_SHARE: Final = 0.018
_BAR_SHARE: Final = 0.015
_PICTURE_SHARE: Final = 0.022
_FIGURES_SHARE: Final = 0.0225
"""Of the signs and figures of a comparison, which are below both pictures."""

_DIGITS_SHARE: Final = 0.03
"""Least height of the digits that a step touches in a comparison, whose pictures have half of the width each."""

_MEMORY_SHARE: Final = 0.022
_RESULT_SHARE: Final = 0.026
_CARD_SHARE: Final = 0.4
"""Largest height of the card."""

_MARGIN_SHARE: Final = 0.008
_POINTS_IN_INCH: Final = 72
_SCALES: Final = (0.8, 1.0, 1.2, 1.4)
"""Sizes of the listing and of other small text, which the keys for larger and smaller text choose."""

_SPLIT: Final = (28, 64, 36, 64)
"""Shares of the panel of a lesson, the picture, listing with card, and the second picture of a comparison, of which not
all are shown."""


class Companion(Protocol):
    """Interface of a panel that is shown beside the picture, a QWidget."""

    def set_text_size(self, points: float | None) -> None:
        """Change the size of the text; None for that of the application."""


class Presentation(QWidget):
    """Full-screen window that borrows the parts and the shortcuts of a player while it is shown.

    All type has a share of the screen's height, whatever the text size of the application is. Panes are closed at
    first, and are opened by their keys and buttons; afterwards those of the player are open again.

    Signals
    -------
    ended()
        The parts are back in the player.
    """

    ended = Signal()

    def __init__(self, player: Player) -> None:
        super().__init__(player, Qt.WindowType.Window)
        self._player = player
        self.companion: Companion | None = None
        """Panel that is shown beside the picture, if any."""
        self._parts: list[Borrowed] = []
        self._shortcuts: list[QShortcut] = []
        self._panes: frozenset[Pane] = frozenset()
        """Panes of the player before the presentation."""
        self._focus: QWidget | None = None
        self._scale = 1.0
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._words, self.bar = QWidget(), QWidget()
        self._text = QVBoxLayout(self._words)
        self._text.setContentsMargins(0, 0, 0, 0)
        self._text.addStretch(0)
        self._split.addWidget(self._words)
        self._controls = QHBoxLayout(self.bar)
        self._controls.setContentsMargins(0, 0, 0, 0)
        self._controls.setSpacing(4)
        self.bar.setMinimumWidth(1)  # the window fits the screen, however many controls there are
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._split, 1)
        self._column.addWidget(self.bar)
        self.overlay = Overlay(self, (player.canvas, player.other.canvas))
        self.cover = _Cover(self)
        self.cover.pressed.connect(self.toggle_blank)
        self.spotlight_button = self._add_tool("Spotlight", "spotlight", self.overlay.light)
        self.pen_button = self._add_tool("Pen", "pen", self.overlay.take_pen)
        self._controls.addWidget(StageButton("Leave", tip("leave"), self.leave))
        self.setWindowTitle("tilescope: presentation")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        bind(
            self,
            {
                "blank": self.toggle_blank,
                "larger": lambda: self.scale_text(1),
                "smaller": lambda: self.scale_text(-1),
                "normal": lambda: self.scale_text(0),
            },
        )
        bind_each(self, "leave", lambda number: self.leave() if number else self._put_away())
        player.timeline.position_changed.connect(self._uncover)
        player.panes.changed.connect(self.share_width)
        player.ready.connect(self.overlay.wipe)

    @property
    def active(self) -> bool:
        """True while the parts are here."""
        return bool(self._parts)

    def begin(self) -> None:
        """Take the parts, and fill the screen on which the player is."""
        if self.active:
            return
        player = self._player
        self._focus = QApplication.focusWidget()
        self._parts = [
            Borrowed(player.stage_column, partial(self._split.insertWidget, 0)),
            Borrowed(player.listing, lambda part: self._text.insertWidget(0, part, 1)),
            Borrowed(player.inspector, partial(self._text.insertWidget, 1)),
            Borrowed(player.other, self._split.addWidget),
            *self._borrowed_companion(),
            Borrowed(player.figures, partial(self._column.insertWidget, 1), keep_place=False),
            Borrowed(player.stage_bar, partial(self._controls.insertWidget, 0)),
            Borrowed(player.timeline, lambda part: self._controls.insertWidget(1, part, 1)),
            Borrowed(player.panes, partial(self._controls.insertWidget, 2)),
        ]
        self._panes = player.panes.shown
        player.panes.show_only(())
        player.corners.hide()
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
        self.share_width()
        self.overlay.raise_()  # over what was borrowed
        self.windowHandle().installEventFilter(self.overlay)
        self.activateWindow()
        self.setFocus()

    def leave(self) -> None:
        """Put the parts back and hide."""
        if not self.active:
            return
        player = self._player
        for button in (self.spotlight_button, self.pen_button):
            button.setChecked(False)
        self.overlay.wipe()
        self.cover.hide()
        self.windowHandle().removeEventFilter(self.overlay)
        for shortcut in self._shortcuts:
            shortcut.setParent(player)
        for part in reversed(self._parts):
            part.give_back()
        if self.companion is not None:
            self.companion.set_text_size(None)
        player.corners.show()
        player.canvas.setFont(QFont())
        player.lesson.setFont(QFont())
        player.figures.setStyleSheet("")
        self._parts, self._shortcuts = [], []
        player.show_digits(0.0)
        player.panes.show_only(self._panes)
        self.hide()
        self.ended.emit()
        player.activateWindow()
        # The focus was perhaps in a dialog that has been closed since.
        (self._focus if self._focus is not None and isValid(self._focus) else player).setFocus()
        self._focus = None

    def share_width(self) -> None:
        """Share the width among the parts that are shown, a second picture as wide as the first."""
        if self.active:
            self._words.setVisible(not (self._player.listing.isHidden() and self._player.inspector.isHidden()))
            shown = (self.companion, self._player.stage_column, self._words, self._player.other)
            parts = [(share, cast("QWidget", part)) for share, part in zip(_SPLIT, shown, strict=True) if part]
            shares = [0 if part.isHidden() else share for share, part in parts]
            self._split.setSizes([self.width() * share // sum(shares) for share in shares])

    def _borrowed_companion(self) -> list[Borrowed]:
        """Take the panel beside the picture, at its left."""
        panel = cast("QWidget | None", self.companion)
        return [Borrowed(panel, partial(self._split.insertWidget, 0), keep_place=False)] if panel is not None else []

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
        kinds = ".QLabel, ElidedLabel, FileName, QToolButton"
        self._split.setStyleSheet(f"{kinds} {{ font-size: {self._points(_TEXT_SHARE * self._scale):.1f}pt; }}")
        figures = self._points(_FIGURES_SHARE * max(1.0, self._scale))
        player.figures.setStyleSheet(f"{kinds}, SharedLegend {{ font-size: {figures:.1f}pt; }}")
        controls = (
            f".QLabel, QAbstractButton, QAbstractSlider, QGroupBox {{ font-size: {self._points(_BAR_SHARE):.1f}pt; }}"
        )
        self.bar.setStyleSheet(f"{controls} QAbstractButton {{ padding: 1px 6px; max-width: {self.width() // 12}px; }}")
        # Two captions share the width, and are equally large.
        player.caption.set_text_size(self._points(_LARGEST_CAPTION), self._points(CAPTION_SHARE))
        for caption in (player.caption, player.other.caption) if player.comparison is not None else ():
            caption.set_text_size(self._points(CAPTION_SHARE), self._points(_RESULT_SHARE))
        player.other.result.set_text_size(self._points(_RESULT_SHARE))
        player.result.set_text_size(self._points(_RESULT_SHARE))
        for listing in (player.code, player.listing.area):
            listing.set_text_size(self._points(_LISTING_SHARE * self._scale))
        player.inspector.set_text_size(self._points(_LISTING_SHARE * self._scale), height * _CARD_SHARE)
        if self.companion is not None:
            self.companion.set_text_size(self._points(CAPTION_SHARE))
        player.memory.set_text_size(self._points(_MEMORY_SHARE))
        player.size_accesses(self._points(_MEMORY_SHARE))
        player.show_digits(height * _DIGITS_SHARE)
        for part, share in ((player.canvas, _PICTURE_SHARE), (player.lesson, _TEXT_SHARE)):
            font = QFont(self.font())
            font.setPointSizeF(self._points(share * self._scale))
            part.setFont(font)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the type, and place what lies over the window."""
        super().resizeEvent(event)
        for part in (self.overlay, self.cover):
            part.setGeometry(self.rect())
        if self.active:
            self.size_text()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave when the window manager closes the window."""
        self.leave()
        super().closeEvent(event)

    def _add_tool(self, text: str, key: str, switch: Callable[[bool], None]) -> StageButton:
        """Add a button that is on or off. Its key, chosen in the command palette, begins the presentation."""
        button = StageButton(text, tip(key))
        button.setCheckable(True)
        button.setProperty("part", "pill")
        button.toggled.connect(switch)
        self._controls.addWidget(button)
        action = QAction(self)
        action.setShortcuts(sequences(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self.begin)
        action.triggered.connect(button.toggle)
        self.addAction(action)
        return button

    def _put_away(self) -> None:
        """Put the pen down and wipe its strokes; without them end the spotlight, and then the presentation."""
        if self.pen_button.isChecked() or self.overlay.strokes:
            self.pen_button.setChecked(False)
            self.overlay.wipe()
        elif self.spotlight_button.isChecked():
            self.spotlight_button.setChecked(False)
        else:
            self.leave()

    def _points(self, share: float) -> float:
        """Return the size in points of type whose height is a share of the screen's."""
        return self.height() * share * _POINTS_IN_INCH / self.logicalDpiY()

    def _uncover(self) -> None:
        """Show the picture again when another step is shown."""
        self.cover.hide()


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
