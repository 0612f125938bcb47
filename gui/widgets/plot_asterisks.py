"""Asterisks beside the marks of a plot's points whose times were disturbed, as in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from shiboken6 import wrapInstance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_ARM_PX: Final = 4.5
_OFFSET_PX: Final = (10.0, -9.0)
"""Centre of an asterisk, from that of the point's mark."""

_ANGLES: Final = (90.0, 30.0, 150.0)
"""Directions of its three strokes, degrees."""

_PEN_PX: Final = 1.8


def paint_asterisks(painter: QPainter, x: Floats, y: Floats, colour: str) -> None:
    """Paint an asterisk for each point, which have their places in pixels; points on one pixel share it."""
    if not len(x):
        return
    places = np.unique(np.stack((np.rint(x), np.rint(y)), axis=1), axis=0) + _OFFSET_PX
    angles = np.deg2rad(_ANGLES)
    arms = _ARM_PX * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    lines = np.concatenate([np.concatenate((places - arm, places + arm), axis=1) for arm in arms])
    table = np.ascontiguousarray(lines, np.float64)  # QLineF is four doubles
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), _PEN_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    first: Any = wrapInstance(table.ctypes.data, QLineF)
    painter.drawLines(first, len(table))
