"""Pictures and films of scenes, painted without a window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QImage, QPainter

from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.paint_motion import MovingPicture
from gui.explore.stage.scene import Options
from gui.explore.stage.still import Surface, paint_still
from gui.explore.stage.svg import document, record
from gui.explore.stage.text_painter import TextPainter
from gui.explore.timeline.timeline import FRAME_MS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.explore.stage.scene import Scene
    from gui.explore.stage.stage import Stage
    from gui.explore.stage.still import Still
    from gui.theming.theme import Theme
    from kernels.analysis import Frame

_SAMPLED: Final = 12
"""Pictures from which the colours of a film are chosen."""

PICTURE_MS: Final = 40
"""Time of a picture of a motion, by default: browsers show a GIF at up to 50 pictures a second, older ones at 25."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a film."""

    step_ms: int
    """Time of a step, its motion included."""
    motion_ms: int = 0
    """Time of a motion; 0 for a film of stills."""
    picture_ms: int = PICTURE_MS
    """Time of one picture of a motion."""


FILM_TIMING: Final = Timing(FRAME_MS, motion_ms=200, picture_ms=50)
VIDEO_TIMING: Final = Timing(FRAME_MS, motion_ms=240)
"""Times of a GIF, whose size grows with every picture of a motion, and of an MP4."""


class Shot(NamedTuple):
    """One picture of a film."""

    image: QImage
    duration_ms: int
    step: int
    """Number of the frame that it belongs to, counted from 0."""


def line_height(height: float) -> float:
    """Return the height of a line of text in a picture of some height, in the application's font."""
    font = QGuiApplication.font()
    font.setPixelSize(max(14, round(height / 40)))
    return QFontMetricsF(font).height()


def picture(scene: Scene, size: QSize, theme: Theme) -> QImage:
    """Paint one scene with its caption below, in the application's font, scaled with the picture."""
    camera = _Camera(size, theme)
    return camera.page(camera.still(scene))


def picture_svg(scene: Scene, size: QSize, theme: Theme) -> str:
    """Return one scene with its caption below as an SVG file; sizes as in `picture`."""
    camera = _Camera(size, theme)
    drawing = record(lambda painter: camera.paint(painter, scene), size.width(), size.height())
    return document(drawing, size.width(), size.height(), scene.caption)


@dataclass(frozen=True, eq=False)
class Film:
    """Frames of a playlist as pictures, one after another."""

    stage: Stage
    frames: Sequence[Frame]
    size: QSize
    theme: Theme
    timing: Timing
    options: Options = field(default_factory=Options)
    words: bool = True
    """Whether the pictures have a caption and a legend."""

    def sample(self) -> Iterator[QImage]:
        """Paint some pictures from all parts of the film."""
        camera = _Camera(self.size, self.theme, words=self.words)
        for at in range(0, len(self.frames), max(1, len(self.frames) // _SAMPLED)):
            yield camera.page(camera.still(build_scene(self.stage, self.frames[at], self.options)))

    def shots(self) -> Iterator[Shot]:
        """Paint the film. The last picture of every step is its still."""
        camera, before = _Camera(self.size, self.theme, words=self.words), None
        for number, frame in enumerate(self.frames):
            still = camera.still(build_scene(self.stage, frame, self.options))
            page, spent = camera.page(still), 0
            if before is not None and self.timing.motion_ms:
                count = self.timing.motion_ms // self.timing.picture_ms
                for image in camera.motion(before, still, page, count):
                    yield Shot(image, self.timing.picture_ms, number)
                    spent += self.timing.picture_ms
            yield Shot(page, self.timing.step_ms - spent, number)
            before = still


class _Camera:
    """Paints scenes with their captions at one size, and the motions between them."""

    def __init__(self, size: QSize, theme: Theme, *, words: bool = True) -> None:
        self._line = line_height(size.height())
        self._size, self._theme, self._words = size, theme, words
        self._text_painter = TextPainter(QGuiApplication.font().family())
        height = size.height() - round(3 * self._line) * words
        self._surface = Surface(size.width(), height, self._line, theme, legend=words)

    def still(self, scene: Scene) -> Still:
        """Paint a scene."""
        return paint_still(scene, self._surface, self._text_painter)

    def page(self, still: Still) -> QImage:
        """Paint a still with its caption below."""
        image = QImage(self._size, QImage.Format.Format_RGB32)
        image.fill(QColor(self._theme.panel))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.drawImage(0, 0, still.image)
        if self._words:
            self._paint_caption(painter, still.scene)
        painter.end()
        return image

    def paint(self, painter: QPainter, scene: Scene) -> None:
        """Paint a scene with its caption below."""
        surface = self._surface
        painter.fillRect(0, 0, self._size.width(), self._size.height(), QColor(self._theme.panel))
        paint_scene(painter, scene, self._theme, self._text_painter, surface.width, surface.height, self._line)
        self._paint_caption(painter, scene)

    def _paint_caption(self, painter: QPainter, scene: Scene) -> None:
        line, size = self._line, self._size
        area = QRectF(line, size.height() - 2.9 * line, size.width() - 2 * line, 2.6 * line)
        painter.setFont(self._text_painter.font(line * 0.95, True))
        painter.setPen(QColor(self._theme.text))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area, int(flags), scene.caption)

    def motion(self, before: Still, after: Still, page: QImage, count: int) -> Iterator[QImage]:
        """Paint the pictures of a motion, over the page of its later still; none if nothing moves."""
        moving = MovingPicture(before, after, self._text_painter)
        for number in range(count if moving.moves else 0):
            image = page.copy()
            painter = QPainter(image)
            moving.paint(painter, (number + 0.5) / count)
            painter.end()
            yield image
