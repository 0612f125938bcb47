"""Canvas: paints a scene and reports the thread or element under the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.explore.packing.layout import block_at, hit
from gui.explore.packing.text_size import fitting_line
from gui.explore.stage.crop import follow
from gui.explore.stage.focus import NOTHING
from gui.explore.stage.paint_motion import MovingPicture
from gui.explore.stage.still import Still, Surface, paint_still
from gui.explore.stage.text_painter import TextPainter
from gui.theming.style import TEXT_PT
from kernels.control_characters import escape_lines

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QContextMenuEvent, QHideEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from gui.explore.packing.layout import Layout
    from gui.explore.stage.focus import Focus
    from gui.explore.stage.scene import Scene
    from gui.theming.theme import Theme


_NOTCH = 120
"""Angle of a notch of the mouse wheel, in Qt's eighths of a degree."""

_MAX_LINES = 32
"""Lines of text in the height of the picture, at most: in a larger picture the text grows."""


class Canvas(QWidget):
    """Widget that paints one scene, and the motion that leads to it.

    Signals
    -------
    hover_changed(Focus)
        The thing under the pointer changed (or there is none).
    clicked(Focus)
        A thread or element was clicked and stays in focus.
    block_chosen(int)
        Another block was clicked (linear number).
    zoomed(int)
        Ctrl and the wheel: one level in (1) or out (-1).
    menu_requested(Focus, int or None, QPoint)
        The right button was pressed on a thing, and on a block (linear number), at a place of the screen.
    wheel_turned(int)
        The mouse wheel was turned by so many notches, positive towards the user.
    painted()
        The picture or a message is on the screen.
    """

    hover_changed = Signal(object)
    clicked = Signal(object)
    block_chosen = Signal(int)
    zoomed = Signal(int)
    menu_requested = Signal(object, object, QPoint)
    wheel_turned = Signal(int)
    painted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        """Present colours."""
        self._scene: Scene | None = None
        self._still: Still | None = None
        self._motion: MovingPicture | None = None
        self.clock = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        """Time of the motion, from 0 to 1."""
        self.clock.valueChanged.connect(lambda _: self.update())
        self.clock.finished.connect(self.end_motion)
        self._message, self._part = "", 0.0
        self._hovered = NOTHING
        self._wheel = 0
        self._legend = True
        self._least_digits = 0.0
        self._followed: tuple[Scene, tuple[float, ...], Scene] | None = None
        """A scene, the measures of its picture, and the part of it that is painted."""
        self._text_painter = TextPainter(self.font().family())
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(420, 200)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Picture of the launch")

    @property
    def scene(self) -> Scene | None:
        """The painted scene; None while a message is shown."""
        return self._scene

    @property
    def painted_scene(self) -> Scene | None:
        """The part of the scene that is painted, which `picture_layout` places; None while a message is shown."""
        return self._shown() if self._scene is not None else None

    @property
    def picture_layout(self) -> Layout | None:
        """Places of everything in the painted scene; None while a message is shown."""
        return self._painted().layout if self._scene is not None else None

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(840, 560)

    @property
    def moving(self) -> bool:
        """True while something moves."""
        return self._motion is not None

    def show_scene(self, scene: Scene, motion_ms: int = 0) -> None:
        """Paint another scene at once, or after a motion from the present one to it."""
        self.end_motion()
        before = self._painted() if motion_ms and self._scene is not None and self.isVisible() else None
        self._scene, self._message = scene, ""
        self.setAccessibleDescription(scene.caption)
        if before is not None:
            self._begin_motion(before, motion_ms)
        self.update()

    def end_motion(self) -> None:
        """Show the still picture at once."""
        if self._motion is not None:
            self._motion = None
            self.clock.stop()
            self.update()

    def _begin_motion(self, before: Still, motion_ms: int) -> None:
        after = self._painted()
        if self._least_digits and [c.view for c in before.scene.cells] != [c.view for c in after.scene.cells]:
            return  # nothing moves from one window to another
        motion = MovingPicture(before, after, self._text_painter)
        if motion.moves:
            self._motion = motion
            self.clock.setDuration(motion_ms)
            self.clock.start()

    def set_legend(self, on: bool) -> None:
        """Paint pictures with a legend of their own, or without."""
        self.end_motion()
        self._legend = on
        self.update()

    def set_least_digits(self, pixels: float) -> None:
        """Show the part of each scene at which the step works, with digits of at least this height; 0 for all of it."""
        if pixels != self._least_digits:
            self.end_motion()
            self._least_digits = pixels
            self.update()

    def show_message(self, text: str, part: float = 0.0) -> None:
        """Paint a message instead of a scene, with a progress bar filled to `part` (0 to 1) unless it is 0."""
        text = escape_lines(text)
        self.end_motion()
        self._scene, self._message, self._part = None, text, part
        self.setAccessibleDescription(text)
        self._hover(NOTHING)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Change the colours."""
        self.end_motion()
        self.theme = theme
        self.update()

    @property
    def text_line(self) -> float:
        """Height of a line of text in pixels; it grows with the picture, for readability on a projector.

        Larger text of the application makes it larger where no cell becomes smaller by that.
        """
        wanted = max(QFontMetricsF(self.font()).height(), self.height() / _MAX_LINES)
        if self._scene is None:
            return wanted
        return fitting_line(self._shown(), self.width(), self.height(), self._plain_line, wanted, legend=self._legend)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the scene, or the message."""
        painter = QPainter(self)
        try:
            if self._scene is None:
                self._paint_message(painter)
            elif self._motion is not None:
                self._motion.paint(painter, self.clock.currentValue())
            else:
                painter.drawImage(0, 0, self._painted().image)
        finally:  # Qt ends the program if a painter of a widget is left open
            painter.end()
        self.painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """End the motion, whose places are those of the old size."""
        self.end_motion()
        super().resizeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """End the motion."""
        self.end_motion()
        super().hideEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the thing under the pointer if it has changed."""
        self._hover(self._hit(event))

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer is on nothing."""
        self._hover(NOTHING)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose another block, or keep the clicked thing in focus."""
        if self._scene is None or event.button() != Qt.MouseButton.LeftButton:
            return
        position = event.position()
        still = self._painted()
        block = block_at(still.scene, still.layout, position.x(), position.y())
        if block is not None and block != self._scene.block:
            self.block_chosen.emit(block)
        else:
            self.clicked.emit(self._hit(event))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Report what is under the pointer, about which there may be questions."""
        if self._scene is not None:
            x, y = event.pos().x(), event.pos().y()
            still = self._painted()
            block = block_at(still.scene, still.layout, x, y)
            self.menu_requested.emit(hit(still.scene, still.layout, x, y), block, event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scrub: by whole notches, since touchpads turn by parts of one."""
        turned = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turned:
                self.zoomed.emit(1 if turned > 0 else -1)
            return
        self._wheel -= turned
        notches = int(self._wheel / _NOTCH)
        if notches:
            self._wheel -= notches * _NOTCH
            self.wheel_turned.emit(notches)

    def _painted(self) -> Still:
        """Return the still picture of the scene, painted again only if the scene, the size or the colours changed."""
        scene, line = self._shown(), self.text_line
        surface = Surface(self.width(), self.height(), line, self.theme, self.devicePixelRatio(), self._legend)
        if self._still is None or self._still.scene is not scene or self._still.surface != surface:
            self._still = paint_still(scene, surface, self._text_painter)
        return self._still

    def _shown(self) -> Scene:
        """Return the part of the scene that is painted."""
        assert self._scene is not None
        if not self._least_digits:
            return self._scene
        measures = (self.width(), self.height(), self._plain_line, self._least_digits)
        if self._followed is None or self._followed[0] is not self._scene or self._followed[1] != measures:
            self._followed = self._scene, measures, follow(self._scene, *measures)
        return self._followed[2]

    @property
    def _plain_line(self) -> float:
        """Least height of a line of text in pixels; it grows with the picture."""
        normal = self.font()
        normal.setPointSizeF(min(normal.pointSizeF(), TEXT_PT[0]))
        return max(QFontMetricsF(normal).height(), self.height() / _MAX_LINES)

    def _hit(self, event: QMouseEvent) -> Focus:
        if self._scene is None:
            return NOTHING
        still = self._painted()
        return hit(still.scene, still.layout, event.position().x(), event.position().y())

    def _hover(self, focus: Focus) -> None:
        if focus != self._hovered:
            self._hovered = focus
            self.hover_changed.emit(focus)

    def _paint_message(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.4 * self.text_line / QFontMetricsF(font).height())
        painter.setFont(font)
        painter.setPen(QColor(self.theme.text))
        frame = self.rect().adjusted(60, 40, -60, -40)
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._message)
        if self._part:
            self._paint_bar(painter, frame)

    def _paint_bar(self, painter: QPainter, frame: QRect) -> None:
        """Paint the progress bar below the message."""
        height = round(self.text_line / 2)
        bar = QRect(0, 0, frame.width() // 2, height)
        bar.moveCenter(frame.center() + QPoint(0, min(6 * height, frame.height() // 2 - height)))
        painter.fillRect(bar, QColor(self.theme.inactive))
        bar.setWidth(round(bar.width() * self._part))
        painter.fillRect(bar, QColor(self.theme.accent))
