"""Wash of a block: its colour over what belongs to it, where the picture shows the whole grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gui.explore.stage.hues import hue
from gui.theming.style import mix

if TYPE_CHECKING:
    from PySide6.QtCore import QRectF

    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_SHARE: Final = 0.2
"""Opacity of the colour."""


def has_washes(scene: Scene, blocks: int) -> bool:
    """Return whether blocks have colours: several of them, in the picture of the grid."""
    return scene.zoom == "grid" and scene.colouring == "block" and blocks > 1


def washed(tools: Tools, ground: QColor, block: int) -> QColor:
    """Return the colour of the ground under the wash of a block."""
    return mix(ground.name(), hue(tools.theme, block), _SHARE)


def paint_wash(tools: Tools, rect: QRectF, block: int) -> None:
    """Paint the wash of a block (linear number)."""
    color = QColor(hue(tools.theme, block))
    color.setAlphaF(_SHARE)
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(color)
    tools.painter.drawRect(rect)
