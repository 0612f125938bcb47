"""Paint a motion over the still picture of its later scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.explore.painting.paint_cells import Tools, tint_of
from gui.explore.painting.text_painter import fitting_size, number_text
from gui.explore.scene.folding import block_shape
from gui.explore.scene.motion import STILL, Flights, Motion, motion_between
from gui.theming.style import ink_on, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.painting.still import Still
    from gui.explore.painting.text_painter import TextPainter
    from gui.explore.scene.boxes import Raster
    from gui.explore.scene.layout import Layout
    from gui.explore.scene.scene import Scene

_MOST_DETAILED: Final = 256
"""Up to this many things of one kind have rounded corners and their values written on them."""

_SHARE: Final = 0.62
"""Side of a value on its way, in sides of the smaller of the cells where it starts and ends."""
_LARGEST_LINES: Final = 2.4
"""Side of the largest, in lines of text."""
_SMALLEST: Final = 3.0
"""Side of the smallest, pixels."""

_RAISED: Final = 0.35
"""Growth of a cell that is stored where its thread is drawn."""

_FAR: Final = 0.45
"""Growth of the ring around a thread that begins to arrive at a barrier."""


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    """Flights in pixels; rectangles are an array entry (x, y, width, height) for each, x and y of the centre."""

    flights: Flights
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    target: NDArray[np.float64]
    """Rectangles that show the earlier picture until something arrives."""
    side: float
    """Side of the things on their way."""
    texts: tuple[str, ...]
    size: float
    """Height of the texts; 0 if they are not written."""
    color: QColor

    @property
    def in_place(self) -> NDArray[np.bool_]:
        """True for things that end where they start."""
        near: NDArray[np.bool_] = np.all(np.abs(self.end - self.start)[:, :2] < self.end[:, 2:] / 2, axis=1)
        return near


class MovingPicture:
    """A motion between two stills, which can be painted at any time from 0 to 1."""

    def __init__(self, before: Still, after: Still, text_painter: TextPainter) -> None:
        fits = before.layout == after.layout and before.surface == after.surface
        motion = motion_between(before.scene, after.scene) if fits else STILL
        self._after = after
        self._text_painter = text_painter
        self._before = before.image if motion.same_block else None
        self._tracks = _tracks(motion, after)

    @property
    def moves(self) -> bool:
        """True if anything moves."""
        return bool(self._tracks)

    def paint(self, painter: QPainter, time: float) -> None:
        """Paint the picture at a time; at 1 it is the later still."""
        painter.drawImage(QPointF(0, 0), self._after.image)
        if time >= 1.0:
            return
        surface = self._after.surface
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tools = Tools(painter, surface.theme, self._text_painter, self._after.layout.line)
        for track in self._tracks:
            self._cover(tools, track, time)
        for track in self._tracks:
            if track.flights.kind in ("arrive", "leave"):
                _paint_rings(tools, track, time)
            else:
                self._paint_raised(tools, track, time)
                _paint_tiles(tools, track, time)

    def _cover(self, tools: Tools, track: _Track, time: float) -> None:
        """Show the earlier picture of the targets at which nothing has arrived."""
        if track.flights.kind == "leave":
            return
        progress = track.flights.progress(time)
        waiting = np.where(track.in_place, progress <= 0.0, progress < 1.0)
        rects = _corners(track.target[np.tile(waiting, len(track.target) // len(waiting))])
        if self._before is None:
            tools.painter.setPen(Qt.PenStyle.NoPen)
            tools.painter.setBrush(QColor(tools.theme.panel))
            tools.painter.drawRects([QRectF(x + 1, y + 1, w - 2, h - 2) for x, y, w, h in rects.tolist()])
            return
        ratio, draw, image = self._after.surface.ratio, tools.painter.drawImage, self._before
        edges = np.rint(np.column_stack([rects[:, :2], rects[:, :2] + rects[:, 2:]])).astype(int)
        edges[:, 2:] -= edges[:, :2]
        for x, y, w, h in np.unique(edges, axis=0).tolist():
            draw(QRectF(x, y, w, h), image, QRectF(x * ratio, y * ratio, w * ratio, h * ratio))

    def _paint_raised(self, tools: Tools, track: _Track, time: float) -> None:
        """Paint things that end where they start: the cell of the later picture rises and comes down."""
        progress = track.flights.progress(time)
        moving = np.flatnonzero(track.in_place & (progress > 0.0) & (progress < 1.0))
        ratio, image = self._after.surface.ratio, self._after.image
        painter = tools.painter
        painter.setPen(tools.pen(tools.theme.text, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for n in moving.tolist():
            x, y, w, h = _corners(track.end[n : n + 1])[0].tolist()
            grown = _RAISED * (1.0 - float(progress[n])) / 2
            rect = QRectF(x - w * grown, y - h * grown, w * (1 + 2 * grown), h * (1 + 2 * grown))
            painter.drawImage(rect, image, QRectF(x * ratio, y * ratio, w * ratio, h * ratio))
            painter.drawRect(rect)


def _paint_tiles(tools: Tools, track: _Track, time: float) -> None:
    """Paint the values that are on their way."""
    progress = track.flights.progress(time)
    moving = np.flatnonzero(~track.in_place & (progress > 0.0) & (progress < 1.0))
    if not len(moving):
        return
    share, side = progress[moving, None], track.side
    centres = (track.start[moving, :2] * (1.0 - share) + track.end[moving, :2] * share).tolist()
    rects = [QRectF(x - side / 2, y - side / 2, side, side) for x, y in centres]
    painter = tools.painter
    painter.setPen(tools.pen(tools.theme.text, 1.5 if track.size else 1.0))
    painter.setBrush(track.color)
    if len(track.flights.threads) > _MOST_DETAILED:
        painter.drawRects(rects)
        return
    for rect in rects:
        painter.drawRoundedRect(rect, side * 0.15, side * 0.15)
    if track.size:
        tools.text_painter.start(painter, track.size, ink_on(track.color), True)
        texts = [track.texts[n] for n in moving.tolist()]
        tools.text_painter.draw_all_centred(painter, centres, texts, track.size, True)


def _paint_rings(tools: Tools, track: _Track, time: float) -> None:
    """Paint a ring that closes around each thread as it arrives at a barrier, and opens as it leaves."""
    progress = track.flights.progress(time)
    moving = np.flatnonzero((progress > 0.0) & (progress < 1.0))
    arrives = track.flights.kind == "arrive"
    painter, color = tools.painter, QColor(tools.theme.warning)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for n in moving.tolist():
        part = float(progress[n])
        color.setAlphaF(part if arrives else 1.0 - part)
        x, y, w, h = track.end[n].tolist()
        grown = 1.0 + _FAR * ((1.0 - part) if arrives else part)
        painter.setPen(tools.pen(color, 3.0 if h >= 30 else 1.5))
        rect = QRectF(x - w * grown / 2, y - h * grown / 2, w * grown, h * grown)
        painter.drawRoundedRect(rect, h * 0.12, h * 0.12)


def _tracks(motion: Motion, after: Still) -> tuple[_Track, ...]:
    scene, layout, theme = after.scene, after.layout, after.surface.theme
    inward = [flights for flights in motion.flights if flights.kind == "read"]
    tracks = []
    for flights in motion.flights:
        start = _places(scene, layout, flights, flights.source, flights.start)
        end = _places(scene, layout, flights, flights.target, flights.end)
        target = end
        if flights.target is None and layout.zoom is not None:  # the thread is drawn on the result as well
            target = np.concatenate([end, _on_cells(layout.thread_raster, *_cells_of(scene, flights))])
        side = float(np.minimum(start, end)[:, 2:].min()) * _SHARE
        side = max(_SMALLEST, min(side, layout.line * _LARGEST_LINES))
        if flights.kind == "read":  # operands that arrive together lie next to each other
            end = end.copy()
            end[:, 0] += (inward.index(flights) - (len(inward) - 1) / 2) * side
        view = flights.source if flights.source is not None else flights.target
        tint = tint_of(theme, scene.cells[view].tint) if view is not None else theme.warning
        pairs = zip(flights.values.tolist(), flights.known.tolist(), strict=True)
        texts = tuple(number_text(value) if known else "" for value, known in pairs)
        size = fitting_size(side, texts, share=0.6) if len(texts) <= _MOST_DETAILED else 0.0
        color = mix(theme.panel, tint, 1.0 if flights.kind == "store" else 0.8)
        tracks.append(_Track(flights, start, end, target, side, texts, size, color))
    return tuple(tracks)


def _places(
    scene: Scene, layout: Layout, flights: Flights, view: int | None, cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the rectangles of the cells of a view, or of threads."""
    if view is not None:
        return _on_cells(layout.rasters[view], *cells.T)
    if layout.zoom is None:
        return _on_cells(layout.thread_raster, *_cells_of(scene, flights))
    return _on_cells(layout.zoom, *np.divmod(flights.threads, block_shape(scene.block_dim)[1]))


def _cells_of(scene: Scene, flights: Flights) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the cells on which threads are drawn."""
    return scene.threads.row[flights.threads], scene.threads.column[flights.threads]


def _on_cells(raster: Raster, row: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    size = np.tile([raster.across, raster.cell], (len(row), 1))
    centre = np.column_stack([raster.x + (column + 0.5) * raster.across, raster.y + (row + 0.5) * raster.cell])
    return np.hstack([centre, size])


def _corners(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (x, y, width, height) with x and y of the upper left corner in place of the centre."""
    corners = places.copy()
    corners[:, :2] -= corners[:, 2:] / 2
    return corners
