"""Write the moving pictures of the start page: ``python -m gui.start.pictures``.

Each plays the steps up to its answer, which comes first: it is what is seen at rest.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QImage, QPainter, QPen, QPolygonF

from gui.explore.export.film import Film, Shot, Timing
from gui.explore.export.gif import save_gif
from gui.explore.playback.story import story_of_selection
from gui.explore.stage.scene import Options
from gui.selection.session import Selection
from gui.theming.theme import DARK, LIGHT
from kernels.bench.store.recorded import recorded_runs
from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.files import make_folder
from kernels.lessons import find_frame, find_lesson
from kernels.start_tiles import PICTURES, start_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.export.gif import Moving
    from gui.explore.stage.scene import Zoom
    from gui.theming.theme import Theme
    from kernels.start_tiles import Tile

_SIZE: Final = QSize(440, 250)
_TIMING: Final = Timing(700, motion_ms=250, picture_ms=50)
_MARGIN: Final = 24.0
_STEP_MS: Final = 250
_STYLES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.DotLine)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Pictures that are painted by hand, the whole one first."""

    tile: Tile
    theme: Theme
    frames: range
    size: QSize = _SIZE

    def sample(self) -> Iterator[QImage]:
        """Paint the whole picture."""
        yield self._paint(len(self.frames))

    def shots(self) -> Iterator[Shot]:
        """Paint the whole picture, and then its growth."""
        yield Shot(self._paint(len(self.frames)), 3 * _STEP_MS, 0)
        for number in self.frames:
            yield Shot(self._paint(number + 1), _STEP_MS, number + 1)

    def _paint(self, count: int) -> QImage:
        image = QImage(self.size, QImage.Format.Format_RGB32)
        image.fill(QColor(self.theme.panel))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.tile.curves:
            _paint_curves(painter, self.tile, self.theme, count / len(self.frames))
        else:
            _paint_code(painter, self.tile, self.theme, count)
        painter.end()
        return image


def _paint_code(painter: QPainter, tile: Tile, theme: Theme, lines: int) -> None:
    font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    font.setPixelSize(26)
    painter.setFont(font)
    painter.setPen(QColor(theme.text))
    for number, text in enumerate(tile.code[:lines]):
        painter.drawText(QPointF(_MARGIN, 2.4 * _MARGIN + number * 42), text)


def _paint_curves(painter: QPainter, tile: Tile, theme: Theme, share: float) -> None:
    """Paint the best rate of each kernel at each size, on logarithmic axes, up to a share of the width."""
    best: dict[str, dict[int, float]] = {name: {} for name in tile.curves}
    for row in recorded_runs()[0].rows():
        sample, entry = row.sample, row.sample.point.entry
        n = sample.point.size.n
        plain = entry.memory == "device" and not entry.cold and sample.point.size.m == n == sample.point.size.k
        if entry.kernel in best and plain and sample.gflops:
            best[entry.kernel][n] = max(sample.gflops, best[entry.kernel].get(n, 0))
    points = [(math.log2(n), math.log2(rate)) for rates in best.values() for n, rate in rates.items()]
    (left, right), (low, high) = ((min(values), max(values)) for values in zip(*points, strict=True))
    room = QRectF(_MARGIN, _MARGIN, _SIZE.width() - 2 * _MARGIN, _SIZE.height() - 2 * _MARGIN)
    painter.setPen(QPen(QColor(theme.border), 2))
    painter.drawPolyline(QPolygonF([room.topLeft(), room.bottomLeft(), room.bottomRight()]))
    painter.setClipRect(room.adjusted(0, -4, (share - 1) * room.width(), 4))
    for number, rates in enumerate(best.values()):
        painter.setPen(QPen(QColor(theme.series[number]), 4, _STYLES[number]))
        curve = [
            QPointF(
                room.left() + (math.log2(n) - left) / (right - left) * room.width(),
                room.bottom() - (math.log2(rate) - low) / (high - low) * room.height(),
            )
            for n, rate in sorted(rates.items())
        ]
        painter.drawPolyline(QPolygonF(curve))


def moving(tile: Tile, theme: Theme) -> Moving:
    """Return the moving picture of a tile."""
    if tile.lesson:
        return _of_lesson(tile, theme)
    if tile.kernel:
        kernel = find_kernel(tile.kernel)
        story = story_of_selection(Selection(kernel, kernel.size, kernel.block, find_device("a100")), lambda: False)
        frames = list(story.memory.frames)
        shown = [frames[-1], *frames[:: max(1, len(frames) // tile.lead)]]
        return Film(story.stage, shown, _SIZE, theme, _TIMING, Options(zoom="grid"), words=False)
    return Drawn(tile, theme, range(8 if tile.curves else len(tile.code)))


def _of_lesson(tile: Tile, theme: Theme) -> Film:
    step = find_lesson(tile.lesson).steps[tile.step - 1]
    run = find_lesson(tile.lesson).runs[step.run]
    selection = Selection(run.kernel, run.size, run.block, find_device("a100"))
    story = story_of_selection(selection, lambda: False, schedule=run.schedule)
    moment = find_frame(story.stage.trace, step.at, run.kernel.workload)
    frames = list(story.memory.frames)
    if moment not in frames:
        frames = list(story.statements.frames)
    first = max(0, frames.index(moment) - tile.lead)
    shown = [moment, *frames[first : first + tile.lead + 1]]
    options = Options(zoom=cast("Zoom", step.zoom), reads=step.reads)
    return Film(story.stage, shown, _SIZE, theme, _TIMING, options, words=False)


def main() -> int:
    """Write the picture of every tile, light and dark, and remove those of others."""
    _application = QGuiApplication.instance() or QGuiApplication(sys.argv)
    make_folder(PICTURES)
    for file in PICTURES.glob("*.gif"):
        file.unlink()
    for theme in (LIGHT, DARK):
        for tile in start_tiles():
            save_gif(tile.picture(theme.name), [moving(tile, theme)])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
