"""Write the small pictures of the kernels: ``python -m gui.explore.export.thumbnails``.

Each shows the step in the middle of the first block, at the size that the kernel opens with.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from gui.explore.playback.story import story_of_selection
from gui.explore.stage.build import build_scene
from gui.explore.stage.paint import paint_scene
from gui.explore.stage.text_painter import TextPainter
from gui.selection.kernel_browser import PICTURES
from gui.selection.session import Selection
from gui.theming.theme import LIGHT
from kernels.catalog import Kernel, catalog
from kernels.device import find_device

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PAINTED_PX: Final = QSize(640, 400)
_SAVED_PX: Final = QSize(216, 135)


def thumbnail(kernel: Kernel) -> QImage:
    """Paint one kernel."""
    selection = Selection(kernel, kernel.size, kernel.block, find_device("a100"))
    story = story_of_selection(selection, lambda: False, schedule=kernel.schedule)
    first = [frame for frame in story.memory.frames if frame.block == story.memory.frames[0].block]
    scene = build_scene(story.stage, first[len(first) // 2])
    image = QImage(_PAINTED_PX, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    text = TextPainter(QGuiApplication.font().family())
    paint_scene(painter, scene, LIGHT, text, _PAINTED_PX.width(), _PAINTED_PX.height(), 12)
    painter.end()
    return image.scaled(_SAVED_PX, mode=Qt.TransformationMode.SmoothTransformation)


def write_thumbnails(kernels: Iterable[Kernel]) -> None:
    """Write the pictures of these kernels, and remove those of kernels that are not in the catalogue any more."""
    _application = QGuiApplication.instance() or QGuiApplication(sys.argv)
    PICTURES.mkdir(parents=True, exist_ok=True)
    known = {kernel.id for kernel in catalog()}
    for file in PICTURES.glob("*.png"):
        if file.stem not in known:
            file.unlink()
    for kernel in kernels:
        thumbnail(kernel).save(str(picture_of(kernel)))


def picture_of(kernel: Kernel) -> Path:
    """Return the file of a kernel's picture."""
    return PICTURES / f"{kernel.id}.png"


def main() -> int:
    """Write a picture of every kernel of the catalogue that has a source."""
    write_thumbnails(kernel for kernel in catalog() if kernel.file is not None)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
