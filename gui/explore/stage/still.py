"""Still: a scene painted once into an image, over which things move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage, QPainter

from gui.explore.stage.paint import paint_scene

if TYPE_CHECKING:
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.text_painter import TextPainter
    from gui.theming.theme import Theme


@dataclass(frozen=True, slots=True)
class Surface:
    """Size and colours of a picture."""

    width: int
    height: int
    line: float
    """Height of a line of text."""
    theme: Theme
    ratio: float = 1.0
    """Pixels of the screen for each pixel of the picture."""
    legend: bool = True
    """Whether the picture has a legend of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A painted scene."""

    scene: Scene
    surface: Surface
    layout: Layout
    image: QImage


def paint_still(scene: Scene, surface: Surface, text_painter: TextPainter) -> Still:
    """Paint a scene into an image."""
    width, height, ratio = surface.width, surface.height, surface.ratio
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    try:
        layout = paint_scene(
            painter, scene, surface.theme, text_painter, width, height, surface.line, legend=surface.legend
        )
    finally:
        painter.end()
    return Still(scene, surface, layout, image)
