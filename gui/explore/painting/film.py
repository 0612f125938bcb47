"""Rendering of scenes into images and animated GIFs, without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QImage, QPainter

from gui.explore.painting.paint import paint_scene
from gui.explore.painting.text_painter import TextPainter
from gui.explore.scene.build import build_scene
from kernels.errors import InputError
from kernels.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from PIL.Image import Image

    from gui.explore.scene.scene import Scene
    from gui.explore.scene.stage import Stage
    from gui.theming.theme import Theme
    from kernels.analysis import Frame


def picture(scene: Scene, size: QSize, theme: Theme) -> QImage:
    """Paint one scene with its caption below, in the application's font, scaled with the picture."""
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    font = QGuiApplication.font()
    font.setPixelSize(max(14, round(size.height() / 40)))
    line = QFontMetricsF(font).height()
    text_painter = TextPainter(font.family())
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    caption = QRectF(line, size.height() - 2.9 * line, size.width() - 2 * line, 2.6 * line)
    paint_scene(painter, scene, theme, text_painter, size.width(), size.height() - 3 * line, line)
    painter.setFont(text_painter.font(line * 0.95, True))
    painter.setPen(QColor(theme.text))
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(caption, int(flags), scene.caption)
    painter.end()
    return image


def render(stage: Stage, frames: Iterable[Frame], size: QSize, theme: Theme) -> Iterator[QImage]:
    """Paint frames of a playlist one after another."""
    for frame in frames:
        yield picture(build_scene(stage, frame), size, theme)


def save_gif(
    path: Path, images: Iterable[QImage], duration_ms: int, cancelled: Callable[[], bool] | None = None
) -> int:
    """Write images as an endlessly repeating GIF and return their number; write nothing if cancelled.

    Raises
    ------
    InputError
        When there is no image, or the file cannot be written.
    """
    # Pages are quantised one by one, 128 colours in place of 32 bits a pixel: a film fits in memory.
    pages: list[Image] = []
    for image in images:
        if cancelled is not None and cancelled():
            return 0
        pages.append(_page(image))
    if not pages:
        raise InputError(f"{path}: no film was written, because there are no steps to show")
    with atomic_file(path) as file:
        pages[0].save(file, "GIF", save_all=True, append_images=pages[1:], duration=duration_ms, loop=0)
    return len(pages)


def _page(image: QImage) -> Image:
    """Copy into a Pillow image with a palette of 128 colours; Pillow is loaded only here."""
    from PIL import Image as Pillow

    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    pixels = rows[:, : rgb.width() * 3].reshape(rgb.height(), rgb.width(), 3)
    return Pillow.fromarray(np.ascontiguousarray(pixels)).quantize(128)
