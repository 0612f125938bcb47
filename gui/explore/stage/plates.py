"""Plates: small panels over the picture, where they cover nothing, with the tokens of threads or warps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gui.explore.packing.boxes import Box
from gui.explore.packing.constants import (
    EDGE,
    PLATE_FRAME,
    PLATE_GRAIN,
    PLATE_LINE,
    PLATE_STEP,
    PLATE_TEXT,
    TOKEN,
)
from gui.explore.stage.hues import pale_hue
from gui.theming.style import mix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools


def edges(box: Box) -> tuple[float, float, float, float]:
    """Return left, upper, right and lower edge."""
    return box.x, box.y, box.x + box.width, box.y + box.height


def taken_places(layout: Layout, boxes: Sequence[Box], texts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges [n, 4] of cells and titles (`boxes`), texts, points and printed lines."""
    more = (None if layout.points is None else layout.points.box, layout.output)
    found = [edges(box) for box in (*boxes, *more) if box is not None]
    return np.concatenate([np.array(found), texts.reshape(-1, 4)])


def _free_place(near: Box, width: float, height: float, taken: NDArray[np.int32], area: Box) -> Box | None:
    """Return the nearest place to a box that covers nothing of `taken` (`_taken_sums`); None if there is none."""
    left, top = area.x + PLATE_FRAME, area.y + PLATE_FRAME
    x = np.arange(left, max(area.x + area.width - width - PLATE_FRAME, left + 1), PLATE_STEP)
    y = np.arange(top, max(area.y + area.height - height - PLATE_FRAME, top + 1), PLATE_STEP)
    corners = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    half, middle = np.array([width, height]) / 2, (near.x + near.width / 2, near.y + near.height / 2)
    beyond = np.maximum(np.abs(corners + half - middle) - half - (near.width / 2, near.height / 2), 0.0).sum(axis=1)
    plates = np.hstack([corners - PLATE_FRAME, corners + 2 * half + PLATE_FRAME])
    beyond[_covers_any(plates, taken, area)] = np.inf
    best = int(beyond.argmin())
    left, top = corners[best].tolist()
    return Box(left, top, width, height) if np.isfinite(beyond[best]) else None


def place_words(
    near: Box,
    words: Sequence[str],
    size: Callable[[Sequence[str]], tuple[float, float]],
    taken: NDArray[np.float64],
    area: Box,
) -> tuple[Box, Sequence[str]] | None:
    """Return the place of a plate with its words or, without room for these, of one with none; None without any."""
    sums = _taken_sums(taken, area)
    for lines in (words, ()):
        place = _free_place(near, *size(lines), sums, area)
        if place is not None:
            return place, lines
    return None


def _taken_sums(taken: NDArray[np.float64], area: Box) -> NDArray[np.int32]:
    """Return for each corner of a grid the number of its squares above and left of it that are taken, by edges [n, 4].

    There are thousands of edges and of plates in a large matrix: this table gives the number in any rectangle at once
    (Crow 1984, "Summed-area tables for texture mapping").
    """
    columns, rows = _squares(area)
    left, top, right, bottom = _on_grid(taken, area)
    steps = np.zeros((rows + 1, columns + 1), np.int32)
    for y, x, by in ((top, left, 1), (top, right, -1), (bottom, left, -1), (bottom, right, 1)):
        np.add.at(steps, (y, x), by)
    sums = np.zeros_like(steps)
    sums[1:, 1:] = _sums(_sums(steps)[:-1, :-1] > 0)
    return sums


def _covers_any(plates: NDArray[np.float64], sums: NDArray[np.int32], area: Box) -> NDArray[np.bool_]:
    """Return which plates, by their edges [n, 4], cover something. May be wrong by the grain of the grid."""
    left, top, right, bottom = _on_grid(plates, area)
    found: NDArray[np.bool_] = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left] > 0
    return found


def _squares(area: Box) -> tuple[int, int]:
    """Return the columns and rows of the grid on an area."""
    return max(1, round(area.width / PLATE_GRAIN)), max(1, round(area.height / PLATE_GRAIN))


def _on_grid(edges: NDArray[np.float64], area: Box) -> NDArray[np.int64]:
    """Return left, upper, right and lower edges in squares of the grid: [4, n]."""
    return np.clip(np.rint((edges - [area.x, area.y] * 2) / PLATE_GRAIN), 0, _squares(area) * 2).astype(np.int64).T


def _sums(grid: NDArray[np.generic]) -> NDArray[np.int32]:
    """Return for each square the sum of all above and left of it, with its own."""
    found: NDArray[np.int32] = np.cumsum(grid, axis=1, dtype=np.int32)
    return np.cumsum(found, axis=0, out=found)


def lines_size(tools: Tools, lines: Sequence[str], row: float) -> tuple[float, float]:
    """Return width and height of a plate with lines of text, and a row of tokens of some width below them."""
    text = tools.line * PLATE_TEXT
    widths = [tools.text_painter.width(line, text, bold=not number) for number, line in enumerate(lines)]
    return max([row, *widths]) + 2 * text * EDGE, text * (PLATE_LINE * len(lines) + TOKEN + 2 * EDGE)


def paint_lines(tools: Tools, plate: Box, lines: Sequence[str]) -> float:
    """Paint the lines of a plate, the first one bold; return the upper edge of what follows."""
    text, y = tools.line * PLATE_TEXT, plate.y + tools.line * PLATE_TEXT * EDGE
    for number, line in enumerate(lines):
        tools.text_painter.start(tools.painter, text, QColor(tools.theme.text), bold=not number)
        left = plate.x + text * EDGE
        tools.text_painter.draw_from(tools.painter, left, y + text, line, text, bold=not number)
        y += text * PLATE_LINE
    return y


def token_width(tools: Tools, name: str) -> float:
    """Return the width of a token with a name."""
    text = tools.line * PLATE_TEXT
    return max(text * TOKEN, tools.text_painter.width(name, text * 0.9) + text * 0.5)


def paint_plate(tools: Tools, plate: Box, color: str) -> None:
    """Paint the background of a plate."""
    tools.painter.setPen(tools.pen(color, 1.5))
    tools.painter.setBrush(QColor(tools.theme.panel))
    tools.painter.drawRoundedRect(QRectF(plate.x, plate.y, plate.width, plate.height), 5, 5)


def paint_token(tools: Tools, token: QRectF, name: str, group: int | None) -> None:
    """Paint the token of a thread or warp, in the colour of its group if it has one."""
    painter, theme, text = tools.painter, tools.theme, tools.line * PLATE_TEXT
    fill = mix(theme.panel, theme.matrix_c, 0.30 if not theme.dark else 0.38)
    painter.setBrush(fill if group is None else pale_hue(theme, group))
    painter.setPen(tools.pen(theme.thread, 1.5))
    painter.drawRoundedRect(token, text * 0.2, text * 0.2)
    tools.text_painter.start(painter, text * 0.9, QColor(theme.text))
    tools.text_painter.draw_centred(painter, token.center().x(), token.center().y(), name, text * 0.9)
