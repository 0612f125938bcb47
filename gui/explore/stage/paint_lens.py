"""Paint which part of the block a lens shows: a frame around its threads, and words below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.lens import lens_words, magnified_cells
from gui.explore.stage.text_painter import SMALLEST_TEXT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.layout import Layout
    from gui.explore.packing.lens import Lens
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene


def paint_lens(tools: Tools, scene: Scene, layout: Layout, lens: Lens) -> None:
    """Paint the frame on the result or launch, and the words."""
    threads, zoom, raster = scene.threads, layout.zoom, layout.thread_raster
    if zoom is None:
        return
    *_, shown = magnified_cells(scene.block_dim, lens)
    if shown.all():
        return
    size = max(SMALLEST_TEXT, tools.line * 0.7)
    texts = _words(scene, np.flatnonzero(shown))
    box = layout.block or layout.corner
    room = zoom.box.width if box is None else box.x + box.width - zoom.x - tools.line * 0.4
    words = next((text for text in texts if tools.text_painter.width(text, size) <= room), texts[-1])
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
    if scene.race is None:  # its labels name threads of the lens, and need the room
        tools.text_painter.draw_from(tools.painter, zoom.x, zoom.y + zoom.box.height + size * 1.3, words, size)
    at = np.flatnonzero(shown & threads.visible)
    if not len(at) or layout.strips:
        return
    top, left = int(threads.row[at].min()), int(threads.column[at].min())
    bottom, right = int(threads.row[at].max()), int(threads.column[at].max())
    if (bottom - top + 1) * (right - left + 1) != len(at):
        return  # its threads form no rectangle there
    box = raster.rect(top, left, bottom - top + 1, right - left + 1)
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for color, width in ((tools.theme.panel, 4.0), (tools.theme.accent, 2.0)):
        tools.painter.setPen(tools.pen(color, width, Qt.PenStyle.DashLine if width < 3 else Qt.PenStyle.SolidLine))
        tools.painter.drawRect(QRectF(box.x, box.y, box.width, box.height))


def _words(scene: Scene, shown: NDArray[np.int64]) -> tuple[str, str]:
    """Say which threads are shown, and how to see others, if there is room."""
    first, last = (scene.index_text(scene.threads.index[int(n)]) for n in (shown[0], shown[-1]))
    short = lens_words(first, last, scene.block_dim)
    return f"{short} threads: point at another one in the block", short
