"""Motion of an `mma.sync`: column k of A and row k of B, k after k, while all sums grow at once.

Neighbours in one register have one step: every shape has 8 steps or 4. The cells of C have a bar that is as long as the
share of the products that is done. No sum in between is written: a tensor core adds several products at once, and the
trace has the sums before and after the instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.matrix_layout import ProductLayout
from kernels.analysis.values.fragments import Multiplication

if TYPE_CHECKING:
    from gui.explore.packing.boxes import Box
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_BAR: Final = 0.2
"""Height of the bar of a sum, in heights of its cell."""


def moving_product(scene: Scene, layout: Layout) -> tuple[Multiplication, ProductLayout] | None:
    """Return the instruction of a picture, with its places, if it is an `mma.sync`."""
    places = layout.warp.matrices if layout.warp is not None else None
    shown = scene.warp.instruction if scene.warp is not None else None
    if isinstance(shown, Multiplication) and isinstance(places, ProductLayout):
        return shown, places
    return None


def paint_k_step(tools: Tools, shown: Multiplication, layout: ProductLayout, time: float) -> None:
    """Paint the step of a time from 0 to 1 over the still picture of the instruction."""
    painter, theme, (a, b, c) = tools.painter, tools.theme, layout.matrices
    packed = len(shown.left.of_lane(0)[0])
    steps = shown.depth // packed
    step = min(int(time * steps), steps - 1)
    share, k = (step + 1) / steps, step * packed
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    sums = (c.rect(row, column) for row in range(c.rows) for column in range(c.columns))
    high = c.cell * _BAR
    painter.drawRects([QRectF(box.x, box.y + box.height - high, box.width * share, high) for box in sums])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    bands = [_rect(a.rect(0, k, a.rows, packed)), _rect(b.rect(k, 0, packed, b.columns))]
    for color, width in ((theme.text, 6.0), (theme.highlight, 3.0)):
        painter.setPen(tools.pen(color, width))
        painter.drawRects(bands)
    words, size = f"k = {k}" if packed == 1 else f"k = {k}…{k + packed - 1}", tools.line
    at = bands[0].center().x(), a.y + a.cell * a.rows + tools.line * 0.5
    tools.text_painter.start(painter, size, QColor(theme.text), True)
    tools.text_painter.draw_centred(painter, *at, words, size, True)


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)
