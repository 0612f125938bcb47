"""Icons of the transport buttons, drawn, so that they are the same on every system."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

Symbol = Literal["play", "pause", "forward", "back", "first", "last", "loop-start", "loop-end", "loop-clear"]

_SIDE: Final = 64
_BARS: Final[dict[Symbol, tuple[float, ...]]] = {
    "play": (),
    "pause": (0.24, 0.58),
    "forward": (0.16,),
    "back": (0.70,),
    "first": (0.12,),
    "last": (0.76,),
    "loop-start": (0.10,),
    "loop-end": (0.78,),
    "loop-clear": (0.04, 0.82),
}
_ARROWS: Final[dict[Symbol, tuple[tuple[float, float], ...]]] = {
    "play": ((0.24, 0.86),),
    "pause": (),
    "forward": ((0.38, 0.88),),
    "back": ((0.62, 0.12),),
    "first": ((0.56, 0.28), (0.90, 0.58)),
    "last": ((0.44, 0.72), (0.10, 0.42)),
    "loop-start": ((0.52, 0.92),),
    "loop-end": ((0.48, 0.08),),
    "loop-clear": (),
}
_FEET: Final[dict[Symbol, tuple[float, ...]]] = {
    "loop-start": (0.10,),
    "loop-end": (0.64,),
    "loop-clear": (0.04, 0.74),
}
"""Left ends of the feet that turn a bar into a bracket."""


def symbol(name: Symbol, color: str, disabled: str) -> QIcon:
    """Draw a symbol in two colours, for a button and for a disabled one."""
    icon = QIcon(_draw(name, color))
    icon.addPixmap(_draw(name, disabled), QIcon.Mode.Disabled)
    return icon


def _draw(name: Symbol, color: str) -> QPixmap:
    """Draw a symbol: bars, feet of brackets, arrows from (start, tip), a cross."""
    pixmap = QPixmap(_SIDE, _SIDE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    for x in _BARS[name]:
        painter.drawRect(QRectF(x * _SIDE, 0.16 * _SIDE, 0.14 * _SIDE, 0.68 * _SIDE))
    for x in _FEET.get(name, ()):
        for y in (0.08, 0.80):
            painter.drawRect(QRectF(x * _SIDE, y * _SIDE, 0.28 * _SIDE, 0.12 * _SIDE))
    for start, tip in _ARROWS[name]:
        corners = ((start, 0.14), (tip, 0.5), (start, 0.86))
        painter.drawPolygon(QPolygonF([QPointF(x * _SIDE, y * _SIDE) for x, y in corners]))
    if name == "loop-clear":
        painter.setPen(QPen(QColor(color), 0.10 * _SIDE))
        painter.drawLine(QPointF(0.32, 0.32) * _SIDE, QPointF(0.68, 0.68) * _SIDE)
        painter.drawLine(QPointF(0.68, 0.32) * _SIDE, QPointF(0.32, 0.68) * _SIDE)
    painter.end()
    return pixmap
