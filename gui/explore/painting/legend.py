"""Legend of the picture's marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPolygonF

from gui.theming.style import mix
from kernels.narration.words import vocabulary_of

if TYPE_CHECKING:
    from gui.explore.painting.paint_cells import Tools
    from gui.explore.scene.boxes import Box
    from gui.explore.scene.scene import Scene


def paint_legend(tools: Tools, scene: Scene, box: Box) -> None:
    """Paint samples and words in one line, in the largest text that fits."""
    entries = ["read", "written", "active thread", "skips this"]
    if any(cells.view.place == "shared" for cells in scene.cells):
        entries += ["fills in 0", "held in shared memory"]
    if scene.cells:
        entries.append("not written yet")
    else:
        entries = ["active thread", "skips this"]
    texts = {"active thread": f"active {vocabulary_of(on_cpu=scene.on_cpu).thread}"}
    size = tools.line * 0.74
    side = tools.line * 0.95
    gap = tools.line * 0.35
    while size > 10 and sum(_width(tools, texts.get(e, e), size) + side + 3 * gap for e in entries) > box.width:
        size -= 0.5
    x, y = box.x, box.y + (box.height - side) / 2
    for entry in entries:
        text = texts.get(entry, entry)
        if x + side + gap + _width(tools, text, size) > box.x + box.width:
            break
        _paint_sample(tools, entry, QRectF(x, y, side, side))
        tools.letters.start(tools.painter, size, QColor(tools.theme.muted))
        tools.painter.drawText(QPointF(x + side + gap, y + side * 0.5 + size * 0.36), text)
        x += side + 3 * gap + _width(tools, text, size)


def _width(tools: Tools, text: str, size: float) -> float:
    return tools.letters.width(text, size)


def _paint_sample(tools: Tools, entry: str, rect: QRectF) -> None:
    painter, theme = tools.painter, tools.theme
    inner = rect.adjusted(1.5, 1.5, -1.5, -1.5)
    painter.setBrush(mix(theme.panel, theme.matrix_a, 0.8))
    painter.setPen(tools.pen(theme.text, 2.5))
    if entry == "written":
        painter.setBrush(QColor(theme.matrix_a))
        painter.drawRect(inner)
        corner, part = inner.bottomRight(), inner.width() * 0.5
        painter.setBrush(QColor(theme.text))
        painter.drawPolygon(QPolygonF([corner, corner - QPointF(part, 0), corner - QPointF(0, part)]))
    elif entry == "read":
        painter.drawRect(inner)
    elif entry == "held in shared memory":
        painter.setBrush(mix(theme.panel, theme.matrix_a, 0.42))
        painter.setPen(tools.pen(theme.border, 1))
        painter.drawRect(inner)
    elif entry == "not written yet":
        painter.setBrush(QColor(theme.panel))
        painter.setPen(tools.pen(theme.border, 1))
        painter.drawRect(inner)
        tools.letters.start(painter, rect.height() * 0.7, QColor(theme.muted))
        tools.letters.centred(painter, rect.center().x(), rect.center().y(), "?", rect.height() * 0.7)
    elif entry == "active thread":
        painter.setBrush(mix(theme.panel, theme.matrix_c, 0.3))
        painter.drawRoundedRect(inner, 4, 4)
    elif entry == "skips this":
        painter.setBrush(QColor(theme.panel))
        painter.setPen(tools.pen(theme.muted, 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(inner, 4, 4)
    else:
        painter.setBrush(QColor(theme.panel))
        painter.setPen(tools.pen(theme.warning, 2))
        painter.drawRect(inner)
        painter.setBrush(QBrush(QColor(theme.warning), Qt.BrushStyle.BDiagPattern))
        painter.drawRect(inner)
