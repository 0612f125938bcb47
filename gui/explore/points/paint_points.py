"""Paint objects and centres as points of the plane, the comparisons of one thread, and a row for each centre.

Colour and shape together say which centre an object belongs to: neither repeats before both do.
"""

from __future__ import annotations

from math import cos, isfinite, pi, sin, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from gui.explore.points.points import UNLABELLED
from gui.explore.stage.hues import hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, number_text
from gui.theming.style import mix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.packing.points_layout import PointsLayout
    from gui.explore.points.points import PlanePoints
    from gui.explore.stage.paint_cells import Tools
    from kernels.analysis.values.distances import Comparison


def _corners(count: int, turn: float = 0.0) -> tuple[tuple[float, float], ...]:
    """Return the corners (x, y) of a regular shape around (0, 0), for a radius of 1; `turn` in radians."""
    angles = (turn + 2 * pi * n / count for n in range(count))
    return tuple((sin(angle), -cos(angle)) for angle in angles)


_SHAPES: Final = ((), _corners(4, pi / 4), _corners(3), _corners(4), _corners(6))
"""Corners of each shape: a disc, which has none, a square, a triangle, a diamond and a hexagon."""

SHAPES: Final = len(_SHAPES)
"""Number of shapes. It and the number of hues have no common divisor."""

_CENTRE: Final = 0.62
"""Radius of a centre, in lines of text."""

_FEW_CENTRES: Final = 12
"""Centres beyond which they become smaller."""

_TEXT: Final = 0.72
"""Size of the text, in lines of the picture's text."""


def paint_points(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Paint the plane and the rows of the centres."""
    painter, theme, box = tools.painter, tools.theme, layout.box
    painter.setPen(tools.pen(theme.border, 1.5))
    painter.setBrush(mix(theme.panel, theme.window, 0.6))
    painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height), 10, 10)
    _heading(tools, points, layout)
    places = layout.pixels(points.places)
    _paint_lines(tools, points, layout)
    _paint_trails(tools, points, layout)
    _paint_objects(tools, points, layout, [QPointF(x, y) for x, y in places.tolist()])
    _paint_centres(tools, points, layout)
    _paint_rows(tools, points, layout)


def _heading(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Name what is drawn, and the axes."""
    box, line, theme = layout.box, layout.line, tools.theme
    texts = ("Objects and centres", "Objects") if points.array >= 0 else ("Centres",)
    if all(centre.place is None and centre.earlier is None for centre in points.centres):
        texts = ("Objects by their labels", "Objects")
    compared = dict.fromkeys(found.object for found in points.comparisons)
    if compared:
        items = " and ".join(str(item) for item in compared)
        noun = "objects" if len(compared) > 1 else "object"
        texts = (f"Objects and centres: {noun} {items}", f"{noun.capitalize()} {items}", *texts)
    text = next((t for t in texts if tools.text_painter.width(t, line * 0.86, True) <= box.width - line), "")
    tools.text_painter.start(tools.painter, line * 0.86, QColor(theme.text), True)
    tools.text_painter.draw_from(tools.painter, box.x + line * 0.7, box.y + line * 1.25, text, line * 0.86, True)
    size = max(SMALLEST_TEXT, line * 0.66)
    tools.text_painter.start(tools.painter, size, QColor(theme.muted))
    left, bottom = box.x + line * 0.7, layout.plane.y + layout.plane.height + line * 1.55
    tools.text_painter.draw_from(tools.painter, left, box.y + line * 2.3, "coordinate 1 ↑", size)
    right = left + layout.box.width - line * 1.4 - tools.text_painter.width("coordinate 0 →", size)
    tools.text_painter.draw_from(tools.painter, right, bottom, "coordinate 0 →", size)


def _is_finite(place: tuple[float, float]) -> bool:
    return isfinite(place[0]) and isfinite(place[1])


def _paint_lines(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Paint a line from an object to each centre that it was compared with, the nearest so far in bold."""
    painter, theme = tools.painter, tools.theme
    for found in sorted(points.comparisons, key=lambda c: (c.object, c.centre) in points.nearest):
        place = points.centres[found.centre].place if found.centre < len(points.centres) else None
        item = points.places[found.object].tolist()
        if place is None or not _is_finite(place) or not _is_finite(item):
            continue
        if (found.object, found.centre) in points.nearest:
            painter.setPen(tools.pen(theme.accent, 4.0))
        else:
            style = Qt.PenStyle.SolidLine if found.distance is not None else Qt.PenStyle.DotLine
            painter.setPen(tools.pen(theme.muted, 1.6, style))
        painter.drawLine(QPointF(*layout.pixel(*item)), QPointF(*layout.pixel(*place)))


def _paint_trails(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Paint an arrow from the earlier place of each centre to its new one, if that is computed."""
    painter, theme = tools.painter, tools.theme
    for number, centre in enumerate(points.centres):
        if centre.earlier is None or not _is_finite(centre.earlier):
            continue
        begin, radius = QPointF(*layout.pixel(*centre.earlier)), _radius(points, layout.line)
        painter.setPen(tools.pen(theme.muted, 1.5, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        _draw_shape(tools, number, begin, radius)
        if centre.place is None or not _is_finite(centre.place) or centre.place == centre.earlier:
            continue
        end = QPointF(*layout.pixel(*centre.place))
        away = end - begin
        length = (away.x() ** 2 + away.y() ** 2) ** 0.5
        if length <= 2 * radius:
            continue
        step = away / length
        tip = end - step * radius * 1.1
        painter.setPen(tools.pen(hue(theme, number), 2.5))
        painter.drawLine(begin, tip)
        side = QPointF(-step.y(), step.x()) * radius * 0.45
        back = tip - step * radius * 0.8
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(hue(theme, number)))
        painter.drawPolygon(QPolygonF([tip, back + side, back - side]))


def _paint_objects(tools: Tools, points: PlanePoints, layout: PointsLayout, at: list[QPointF]) -> None:
    """Paint objects: hollow without a label, with a dark edge if the step accesses them, ringed if in focus."""
    painter, theme, radius = tools.painter, tools.theme, layout.radius
    for item in np.flatnonzero(np.isfinite(points.places).all(axis=1)).tolist():
        label, active = int(points.labels[item]), bool(points.active[item])
        edge = tools.pen(theme.text, 2.5 if active else 1.0) if active or radius > 3 else Qt.PenStyle.NoPen
        if label == UNLABELLED:
            painter.setPen(tools.pen(theme.text if active else theme.muted, 2.5 if active else 1.2))
            painter.setBrush(QColor(theme.panel))
            painter.drawEllipse(at[item], radius, radius)
        else:
            painter.setPen(edge)
            painter.setBrush(QColor(hue(theme, label)))
            _draw_shape(tools, label, at[item], radius)
        if points.colliding[item]:
            painter.setPen(tools.pen(theme.warning, 2.5, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at[item], radius * 1.9, radius * 1.9)
        if points.lit[item]:
            painter.setPen(tools.pen(theme.accent, 3.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at[item], radius * 2.2, radius * 2.2)


def _paint_centres(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Paint centres: the shape of their objects, larger, with a number next to it where none is yet."""
    painter, theme, line = tools.painter, tools.theme, layout.line
    size, taken = max(SMALLEST_TEXT, line * _TEXT), list[QRectF]()
    for number, centre in enumerate(points.centres):
        place = centre.place or centre.earlier
        if place is None or not _is_finite(place):
            continue
        at, radius = QPointF(*layout.pixel(*place)), _radius(points, line)
        if centre.place is not None:
            painter.setPen(tools.pen(hue(theme, number), 3.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            _draw_shape(tools, number, at, radius)
        width = tools.text_painter.width(str(number), size, True) + size * 0.5
        lefts = at.x() + radius * 0.9, at.x() - radius * 0.9 - width
        comes_from_right = centre.earlier is not None and centre.earlier[0] > place[0]
        for left in lefts[::-1] if comes_from_right else lefts:  # beside the arrow
            plate = QRectF(left, at.y() - radius * 0.6 - size, width, size * 1.15)
            if not any(map(plate.intersects, taken)):
                taken.append(plate)
                painter.setPen(tools.pen(hue(theme, number), 1.5))
                painter.setBrush(QColor(theme.panel))
                painter.drawRect(plate)
                tools.text_painter.start(painter, size, QColor(theme.text), True)
                tools.text_painter.draw_centred(painter, *_middle(plate), str(number), size, True)
                break


def _radius(points: PlanePoints, line: float) -> float:
    """Return the radius of a centre: smaller where there are many."""
    return line * _CENTRE * min(1.0, sqrt(_FEW_CENTRES / max(1, len(points.centres))))


def _middle(rect: QRectF) -> tuple[float, float]:
    return rect.center().x(), rect.center().y()


def _paint_rows(tools: Tools, points: PlanePoints, layout: PointsLayout) -> None:
    """Paint a row for each centre with what the thread holds of it and its sums so far, and the notes."""
    painter, theme, line = tools.painter, tools.theme, layout.line
    size = max(SMALLEST_TEXT, line * _TEXT)
    lines = list(_notes(points))
    shown = max(0, min(len(points.centres), len(layout.rows) - len(lines)))
    if shown < len(points.centres) and shown:
        shown -= 1
        lines.insert(0, [f"and {len(points.centres) - shown:,} more centres"])
    # Where not all fit, the nearest ones are among those that are shown.
    nearest_ones = list(dict.fromkeys(centre for _, centre in points.nearest))
    order = dict.fromkeys([*nearest_ones, *range(len(points.centres))])
    for number, row in zip(sorted(list(order)[:shown]), layout.rows, strict=False):
        middle = row.y + row.height / 2
        at = QPointF(row.x + line * 0.5, middle)
        painter.setPen(tools.pen(theme.text, 1.0))
        painter.setBrush(QColor(hue(theme, number)))
        _draw_shape(tools, number, at, line * 0.36)
        nearest = any(centre == number for _, centre in points.nearest)
        room = row.width - line * 1.1
        text = _fitting(tools, _row_texts(points, number), size, room, nearest)
        tools.text_painter.start(painter, size, QColor(theme.text), nearest)
        tools.text_painter.draw_from(painter, row.x + line * 1.1, middle + size * 0.36, text, size, nearest)
    for texts, row in zip(lines, layout.rows[shown:], strict=False):
        tools.text_painter.start(painter, size, QColor(theme.text))
        text = _fitting(tools, texts, size, row.width, False)
        tools.text_painter.draw_from(painter, row.x, row.y + row.height / 2 + size * 0.36, text, size)


def _fitting(tools: Tools, texts: list[str], size: float, room: float, bold: bool) -> str:
    return next((text for text in texts if tools.text_painter.width(text, size, bold) <= room), "")


def _row_texts(points: PlanePoints, number: int) -> list[str]:
    """Return what is known of a centre in words, the longest first."""
    centre, parts = points.centres[number], []
    found = [c for c in points.comparisons if c.centre == number]
    held = [c for c in found if c.distance is not None]
    parts += [f"{c.name} = {number_text(c.distance or 0.0, 4)}{_nearest_word(points, c)}" for c in held]
    if found and not held:
        parts.append("being compared")
    if not found and centre.total:
        parts.append(f"sums {', '.join(number_text(value, 4) for value in centre.total)}")
    if not found and centre.count is not None:
        parts.append(f"count {centre.count}")
    texts = [f"{number}:  {' · '.join(parts[first:])}" for first in range(1 if held else len(parts))]
    bare = " and ".join(number_text(c.distance or 0.0, 4) + _nearest_word(points, c) for c in held)
    return [*texts, *([f"{number}:  {bare}"] if held else []), str(number)]


def _nearest_word(points: PlanePoints, found: Comparison) -> str:
    return " (nearest)" if (found.object, found.centre) in points.nearest else ""


def _notes(points: PlanePoints) -> Iterator[list[str]]:
    """Yield each note in several lengths, the longest first."""
    if points.collisions:
        found = [f"{len(c.lanes)} at {name}" for c, name in zip(points.collisions, points.collision_names, strict=True)]
        total, count = sum(len(c.lanes) for c in points.collisions), len(points.collisions)
        where = f"at {count} elements" if count > 1 else f"at {points.collision_names[0]}"
        listed = ", ".join(found)
        yield [
            f"Atomics collide: {listed}",
            f"Collide: {listed}",
            f"{total} atomics collide {where}",
            f"{total} collide",
        ]
    if points.more_compared:
        yield (
            ["Earlier distances are not searched", "Earlier ones are not searched"]
            if points.comparisons
            else ["Too many coordinates to search for distances", "Distances are not searched"]
        )
    if points.coordinates > 2:
        yield [f"Coordinates 0 and 1 of {points.coordinates} are drawn", f"0 and 1 of {points.coordinates} are drawn"]


def _draw_shape(tools: Tools, number: int, at: QPointF, radius: float) -> None:
    """Draw the shape of a centre with the painter's pen and brush."""
    corners = _SHAPES[number % SHAPES]
    if corners:
        x, y, size = at.x(), at.y(), radius * 1.18
        tools.painter.drawPolygon(QPolygonF([QPointF(x + right * size, y + down * size) for right, down in corners]))
    else:
        tools.painter.drawEllipse(at, radius, radius)
