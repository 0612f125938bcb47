"""Paint a motion over the still picture of its later scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.explore.packing.folding import block_cells
from gui.explore.packing.lens import magnified_cells
from gui.explore.stage.motion import STILL, Flights, Motion, motion_between
from gui.explore.stage.paint_cells import Tools, tint_of
from gui.explore.stage.text_painter import fitting_size, number_text
from gui.explore.warp.paint_k_steps import moving_product, paint_k_step
from gui.theming.style import ink_on, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.still import Still
    from gui.explore.stage.text_painter import TextPainter

_MOST_DETAILED: Final = 256
"""Up to this many things of one kind have rounded corners, smooth edges and their values written on them."""

_SHARE: Final = 0.62
"""Side of a value on its way, in sides of the smaller of the cells where it starts and ends."""
_LARGEST_LINES: Final = 2.4
"""Side of the largest, in lines of text."""
_READABLE: Final = 18.0
"""Side in pixels with which a number of two digits can be read; smaller ones are as large as their cells allow."""
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
    cover: NDArray[np.int64]
    """Edges (top, left, bottom, right, number of the flight) of the cells that show the earlier picture until something
    arrives, from top to bottom and from left to right."""
    side: int
    """Side of the things on their way."""
    texts: tuple[str, ...]
    size: float
    """Height of the texts; 0 if they are not written."""
    color: QColor

    @property
    def many(self) -> bool:
        """True if there are too many for details."""
        return len(self.start) > _MOST_DETAILED

    @property
    def in_place(self) -> NDArray[np.bool_]:
        """True for things that end where they start."""
        near: NDArray[np.bool_] = np.all(np.abs(self.end - self.start)[:, :2] < self.end[:, 2:] / 2, axis=1)
        return near


class MovingPicture:
    """A motion between two stills, which can be painted at any time from 0 to 1."""

    def __init__(self, before: Still, after: Still, text_painter: TextPainter) -> None:
        fits = before.layout == after.layout and before.surface == after.surface and not after.layout.only_warp
        motion = motion_between(before.scene, after.scene) if fits else STILL
        self._after = after
        self._text_painter = text_painter
        self._before = before.image if motion.same_block else None
        self.tracks = _tracks(motion, after)
        self._product = moving_product(after.scene, after.layout) if before.surface == after.surface else None

    @property
    def moves(self) -> bool:
        """True if anything moves."""
        return bool(self.tracks) or self._product is not None

    def paint(self, painter: QPainter, time: float) -> None:
        """Paint the picture at a time; at 1 it is the later still."""
        painter.drawImage(QPointF(0, 0), self._after.image)
        if time >= 1.0:
            return
        surface = self._after.surface
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tools = Tools(painter, surface.theme, self._text_painter, self._after.layout.line)
        if self._product is not None:
            paint_k_step(tools, *self._product, time)
        for track in self.tracks:
            self._cover(tools, track, time)
        for track in self.tracks:
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
        rects = [QRectF(*rect) for rect in _runs(track.cover[waiting[track.cover[:, 4]]])]
        if self._before is None:
            tools.painter.setPen(Qt.PenStyle.NoPen)
            tools.painter.setBrush(QColor(tools.theme.panel))
            tools.painter.drawRects([rect.adjusted(1, 1, -1, -1) for rect in rects])
            return
        ratio = self._after.surface.ratio
        for rect in rects:
            part = QRectF(rect.x() * ratio, rect.y() * ratio, rect.width() * ratio, rect.height() * ratio)
            tools.painter.drawImage(rect, self._before, part)

    def _paint_raised(self, tools: Tools, track: _Track, time: float) -> None:
        """Paint things that end where they start: the cell of the later picture comes down on the earlier one."""
        if track.many:
            return
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
    # On whole pixels: the same value looks the same everywhere on its way, and compresses well in a film.
    centres = np.rint(track.start[moving, :2] * (1.0 - share) + track.end[moving, :2] * share).tolist()
    rects = [QRectF(x - side / 2, y - side / 2, side, side) for x, y in centres]
    painter = tools.painter
    if track.many:
        # Filled twice: Qt fills rectangles several times faster than it draws their outlines.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for color, inset in ((QColor(tools.theme.text), 0.0), (track.color, 1.0)):
            painter.setBrush(color)
            painter.drawRects([rect.adjusted(inset, inset, -inset, -inset) for rect in rects])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    painter.setPen(tools.pen(tools.theme.text, 1.5 if track.size else 1.0))
    painter.setBrush(track.color)
    for rect in rects:
        painter.drawRoundedRect(rect, side * 0.15, side * 0.15)
    if track.size:
        tools.text_painter.start(painter, track.size, ink_on(track.color), True)
        texts = [track.texts[n] for n in moving.tolist()]
        tools.text_painter.draw_all_centred(painter, centres, texts, track.size, True)


def _paint_rings(tools: Tools, track: _Track, time: float) -> None:
    """Paint a ring that closes around each thread as it arrives at a barrier and stays, and opens as it leaves."""
    progress = track.flights.progress(time)
    arrives = track.flights.kind == "arrive"
    moving = np.flatnonzero((progress > 0.0) & (arrives | (progress < 1.0)))
    part = progress[moving, None]
    grown = track.end[moving].copy()
    grown[:, 2:] *= 1.0 + _FAR * ((1.0 - part) if arrives else part)
    alpha = (part if arrives else 1.0 - part)[:, 0]
    painter, color = tools.painter, QColor(tools.theme.warning)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    rects = [QRectF(*rect) for rect in _corners(grown).tolist()]
    if track.many:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(tools.pen(color, 1.0))
        painter.drawRects(rects)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    for rect, opacity in zip(rects, alpha.tolist(), strict=True):
        color.setAlphaF(opacity)
        painter.setPen(tools.pen(color, 3.0 if rect.height() >= 30 else 1.5))
        painter.drawRoundedRect(rect, rect.height() * 0.12, rect.height() * 0.12)


def _tracks(motion: Motion, after: Still) -> tuple[_Track, ...]:
    scene, layout, theme = after.scene, after.layout, after.surface.theme
    drawn = [_drawn(scene, layout, flights) for flights in motion.flights]
    inward = [flights for flights in drawn if flights.kind == "read"]
    tracks = []
    for flights in drawn:
        if not len(flights.threads):
            continue
        start = _places(scene, layout, flights, flights.source, flights.start)
        end = _places(scene, layout, flights, flights.target, flights.end)
        cover = _edges(end, np.arange(len(end)))
        if flights.target is None:
            cover = np.concatenate([cover, _drawn_again(scene, layout, flights.threads)])
        cover = cover[np.lexsort((cover[:, 1], cover[:, 0]))]
        side = _side(float(np.minimum(start, end)[:, 2:].min()), _SHARE, layout.line)
        if flights.kind == "read":  # operands that arrive together lie next to each other
            end, side = end.copy(), min(side, _side(float(end[0, 2]), 0.9 / len(inward), layout.line))
            end[:, 0] += (inward.index(flights) - (len(inward) - 1) / 2) * side
        view = flights.source if flights.source is not None else flights.target
        tint = tint_of(theme, scene.cells[view].tint) if view is not None else theme.warning
        pairs = zip(flights.values.tolist(), flights.known.tolist(), strict=True)
        texts = tuple(number_text(value) if known else "" for value, known in pairs)
        size = fitting_size(side, texts, share=0.6) if len(texts) <= _MOST_DETAILED else 0.0
        color = mix(theme.panel, tint, 1.0 if flights.kind == "store" else 0.8)
        tracks.append(_Track(flights, start, end, cover, side, texts, size, color))
    return tuple(tracks)


def _side(cell: float, share: float, line: float) -> int:
    """Return the side of a value on its way, a share of its cell or enough to be read, in whole pixels."""
    readable = min(_READABLE, cell * _SHARE * 1.5)
    return round(max(_SMALLEST, min(max(cell * share, readable), line * _LARGEST_LINES)))


def _drawn(scene: Scene, layout: Layout, flights: Flights) -> Flights:
    """Leave out threads that are drawn nowhere: outside of the result, if the block is not magnified."""
    if _magnified(layout) or not flights.at_threads:
        return flights
    return flights.only(scene.threads.visible[flights.threads])


def _places(
    scene: Scene, layout: Layout, flights: Flights, view: int | None, cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the rectangles of the cells of a view, or of threads."""
    if view is not None:
        return _on_cells(layout.rasters[view], *cells.T)
    if layout.zoom is None or not _magnified(layout):
        return _on_cells(layout.thread_raster, *_cells_of(scene, flights.threads))
    row, column = block_cells(scene.block_dim)
    return _on_cells(layout.zoom, row[flights.threads], column[flights.threads])


def _magnified(layout: Layout) -> bool:
    """Return whether all threads are magnified; a lens has not all of them."""
    return layout.zoom is not None and layout.lens is None


def _drawn_again(scene: Scene, layout: Layout, threads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return edges of the second drawings of threads: on the result, or through a lens."""
    if layout.zoom is None:
        return np.zeros((0, 5), np.int64)
    if _magnified(layout):
        twice = np.flatnonzero(scene.threads.visible[threads])
        return _edges(_on_cells(layout.thread_raster, *_cells_of(scene, threads[twice])), twice)
    row, column, shown = magnified_cells(scene.block_dim, layout.lens)
    twice = np.flatnonzero(shown[threads])
    return _edges(_on_cells(layout.zoom, row[threads[twice]], column[threads[twice]]), twice)


def _cells_of(scene: Scene, threads: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the cells on which threads are drawn."""
    return scene.threads.row[threads], scene.threads.column[threads]


def _on_cells(raster: Raster, row: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.hstack([raster.centres(row, column), np.tile([raster.across, raster.cell], (len(row), 1))])


def _edges(rects: NDArray[np.float64], numbers: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return (top, left, bottom, right, number) in whole pixels."""
    x, y, width, height = rects.T
    edges = np.column_stack([y - height / 2, x - width / 2, y + height / 2, x + width / 2, numbers])
    whole: NDArray[np.int64] = np.rint(edges).astype(np.int64)
    return whole


def _runs(edges: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """Return (x, y, width, height) of sorted rectangles, with neighbours in a row joined into one."""
    if not len(edges):
        return []
    top, left, bottom, right = edges[:, :4].T
    starts = np.flatnonzero((np.diff(top, prepend=-1) != 0) | (left > np.roll(right, 1) + 1))
    right = np.maximum.reduceat(right, starts)
    top, left, bottom = top[starts], left[starts], bottom[starts]
    return list(zip(left.tolist(), top.tolist(), (right - left).tolist(), (bottom - top).tolist(), strict=True))


def _corners(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (x, y, width, height) with x and y of the upper left corner in place of the centre."""
    corners = places.copy()
    corners[:, :2] -= corners[:, 2:] / 2
    return corners
