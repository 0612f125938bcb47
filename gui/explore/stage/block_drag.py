"""Change of the block in the picture: a handle on its corner, and keys; the session follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QLabel, QWidget

from gui.explore.playback.block_sizes import BlockSizes
from gui.explore.playback.same_place import Place
from gui.explore.stage.block_handle import block_handle
from gui.widgets.keys import KEYS, bind_each

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from gui.explore.playback.block_sizes import Axis, BlockRefusal
    from gui.explore.playback.story import Story
    from gui.explore.player import Player
    from gui.explore.stage.block_handle import BlockHandle
    from gui.explore.stage.canvas import Canvas
    from gui.selection.session import Selection, Session
    from kernels.analysis import Frame
    from kernels.launch import Dim3

_SIDE_PX: Final = 12
_RIM_PX: Final = 2
_REACH_PX: Final = 3
"""Margin around the square and its rim in which a press takes hold of it."""

_NOTE_APART_PX: Final = 16
"""From the pointer to the note beside it."""

_NOTE_SHARE: Final = 0.8
"""Height of the note's text, in lines of text of the picture."""

_STEPS: Final[tuple[tuple[Axis, int], ...]] = (("x", 1), ("x", -1), ("y", 1), ("y", -1))
"""Change of the block by each of the keys "block"."""


class BlockDrag(QObject):
    """Selects another block while the handle is dragged, or by keys, and finds the same place in its run."""

    def __init__(self, player: Player, session: Session) -> None:
        super().__init__(player)
        self._player, self._session = player, session
        self._sizes: BlockSizes | None = None
        self._wanted: Selection | None = None
        """Selection that was asked for here last; None after another one."""
        self._place: Place | None = None
        """Frame from which changes of the block set out: one that is taken back ends in the same frame."""
        self._arrived: tuple[Story, Frame] | None = None
        """Story and frame that such a change has led to."""
        self._before: Dim3 | None = None
        """Block when the drag began; None while nothing is dragged."""
        self.refusal: BlockRefusal | None = None
        """Reason that the block that was asked for last is not shown."""
        self.grip = Grip(player.canvas)
        self.note = Note(player.canvas)
        self.grip.taken.connect(self._begin)
        self.grip.dragged.connect(self._drag)
        self.grip.left.connect(self._end)
        self.grip.taken_back.connect(self._take_back)
        player.canvas.painted.connect(self._follow)
        player.ready.connect(self._arrive)
        session.selection_changed.connect(self._forget)
        bind_each(player, "block", self._step)

    @property
    def active(self) -> bool:
        """True while the handle is dragged."""
        return self._before is not None

    def frame_in(self, story: Story) -> Frame | None:
        """Return the frame of a story at the same place, if it is the one that was asked for here."""
        if self._place is None or story.selection is None or story.selection != self._wanted:
            return None
        return self._place.in_run(story.stage.trace)

    # --- the picture

    def _follow(self) -> None:
        """Move the handle to the corner of the painted block, or hide it where the block cannot be changed."""
        if self._before is not None and self._player.scene is None:
            return  # hidden, the handle would lose the mouse
        handle = self._handle()
        self.grip.stand(handle)

    def _handle(self) -> BlockHandle | None:
        scene, layout = self._player.scene, self._player.canvas.picture_layout
        if scene is None or layout is None or self._shown_selection() is None:
            return None
        handle = block_handle(scene, layout)
        return handle if handle is not None and self._of_selection().several else None

    def _shown_selection(self) -> Selection | None:
        """Return the selection that is shown; None for a recording or a custom launch, and beside another run."""
        playback = self._player.playback
        return None if self._session.recording is not None or playback.comparison is not None else playback.selection

    def _of_selection(self) -> BlockSizes:
        """Return the legal blocks of the selection."""
        selection = self._session.selection
        if self._sizes is None or not self._sizes.belongs_to(selection):
            self._sizes = BlockSizes(selection)
        return self._sizes

    # --- the mouse

    def _begin(self) -> None:
        self._player.hints.heed("drag")
        self._before = self._session.selection.block
        self._set_out()

    def _drag(self, wanted: Dim3, at: QPoint) -> None:
        sizes = self._of_selection()
        block = sizes.nearest(wanted)
        self.refusal = None if block is not None else sizes.refusal(wanted)
        if self.refusal is not None:
            self.note.say(self.refusal.words, at, refused=True)
        elif block is not None:
            selection = self._session.selection
            grid = selection.kernel.launch(selection.size, block).grid
            self.note.say(f"block {block}, grid {grid}", at, refused=False)
            self._select(block)

    def _take_back(self) -> None:
        if self._before is not None:
            self._select(self._before)
        self._end()

    def _end(self) -> None:
        self._before = self.refusal = None
        self.note.hide()
        self._player.shown_in.setFocus()
        self._follow()

    # --- the keyboard

    def _step(self, number: int) -> None:
        """Select the next block along an axis, or say why there is none."""
        if self._shown_selection() is None or self._session.selection.kernel.runs_on != "cuda":
            return
        sizes, now = self._of_selection(), self._session.selection.block
        axis, direction = _STEPS[number]
        block = sizes.next(now, axis, direction)
        if block is not None:
            self._set_out()
            self._select(block)
            return
        longer = now._replace(x=now.x + direction) if axis == "x" else now._replace(y=now.y + direction)
        self.refusal = sizes.refusal(longer) if min(longer) >= 1 else None
        self._player.say(self.refusal.words if self.refusal else f"A block of {now} has no shorter side {axis}")

    # --- the session

    def _set_out(self) -> None:
        """Keep the frame that is shown, unless a change of the block has led to it."""
        story, frame = self._player.story, self._player.playback.frame
        if story is not None and frame is not None and (self._place is None or self._arrived != (story, frame)):
            self._place = Place(story.stage.trace, frame)

    def _select(self, block: Dim3) -> None:
        selection = self._session.selection
        if block != selection.block:
            self._wanted = replace(selection, block=block)
            self._session.select(block=block)

    def _forget(self, selection: Selection) -> None:
        """Forget the place when something else than a block from here is selected."""
        if selection != self._wanted:
            self._wanted = self._place = None

    def _arrive(self) -> None:
        story, frame = self._player.story, self._player.playback.frame
        self._arrived = None
        if story is not None and frame is not None and self._wanted is not None and story.selection == self._wanted:
            self._arrived = story, frame


class Grip(QWidget):
    """Square on the lower right corner of the shown block.

    Signals
    -------
    taken()
        The mouse took hold of it.
    dragged(Dim3, QPoint)
        The block that the drag asks for, legal or not, and the pointer's place on the canvas.
    left()
        The mouse let it go.
    taken_back()
        Escape was pressed during the drag.
    """

    taken = Signal()
    dragged = Signal(object, object)
    left = Signal()
    taken_back = Signal()

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._handle: BlockHandle | None = None
        self._held: tuple[BlockHandle, QPointF] | None = None
        """Handle and pointer when the drag began."""
        side = _SIDE_PX + 2 * (_RIM_PX + _REACH_PX)
        self.resize(side, side)
        self.setCursor(Qt.CursorShape.SizeFDiagCursor)
        self.setAccessibleName("Corner of the block")
        self.setToolTip(f"Drag: {KEYS['block'].does} ({KEYS['block'].words})")
        self.hide()

    def stand(self, handle: BlockHandle | None) -> None:
        """Move to a corner, or hide."""
        self._handle = handle
        if handle is not None:
            place = QPoint(round(handle.x), round(handle.y)) - self.rect().center()
            if place != self.pos():
                self.move(place)
        if self.isHidden() == (handle is not None):
            self.setVisible(handle is not None)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square and its rim."""
        painter = QPainter(self)
        try:
            inset = _REACH_PX + _RIM_PX / 2
            painter.setPen(QPen(QColor("white"), _RIM_PX))
            painter.setBrush(QColor(self._canvas.theme.accent))
            painter.drawRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset))
        finally:
            painter.end()

    def event(self, event: QEvent) -> bool:
        """Keep Escape for the drag while there is one."""
        overrides = event.type() == QEvent.Type.ShortcutOverride and self._held is not None
        if overrides and cast("QKeyEvent", event).key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the drag back with Escape."""
        if self._held is not None and event.key() == Qt.Key.Key_Escape:
            self._held = None
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag."""
        if self._handle is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = self._handle, event.globalPosition()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.taken.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the block that the drag has come to."""
        if self._held is not None:
            handle, begun = self._held
            way = event.globalPosition() - begun
            at = self._canvas.mapFromGlobal(event.globalPosition().toPoint())
            self.dragged.emit(handle.dragged(way.x(), way.y()), at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if self._held is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = None
            self.left.emit()


class Note(QLabel):
    """Line beside the pointer."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say(self, text: str, at: QPoint, *, refused: bool) -> None:
        """Show a text beside a point of the canvas, inside the canvas."""
        theme, room = self._canvas.theme, self._canvas.rect()
        ground = theme.hazard if refused else theme.accent
        self.setStyleSheet(
            f"background: {ground}; color: {theme.accent_text}; padding: 4px 8px; border-radius: 4px;"
            f" font-size: {round(self._canvas.text_line * _NOTE_SHARE)}px; font-weight: 600"
        )
        self.setText(text)
        self.setWordWrap(False)
        if self.sizeHint().width() > room.width():
            self.setWordWrap(True)
            self.resize(room.width(), self.heightForWidth(room.width()))
        else:
            self.resize(self.sizeHint())
        place = at + QPoint(_NOTE_APART_PX, _NOTE_APART_PX)
        x = max(0, min(place.x(), room.width() - self.width()))
        y = place.y() if place.y() + self.height() <= room.height() else at.y() - _NOTE_APART_PX - self.height()
        self.move(x, max(0, y))
        self.show()
        self.raise_()
