"""Paint queues of atomic operations: the threads lined up at their element, and the value that the last one leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.arcs import arc
from gui.explore.packing.boxes import Box
from gui.explore.stage.colouring import thread_groups
from gui.explore.stage.hues import pale_hue
from gui.explore.stage.paint_flows import paint_arc
from gui.explore.stage.paint_race import covered
from gui.explore.stage.text_painter import number_text
from gui.theming.style import mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.layout import Layout
    from gui.explore.stage.interactions import Queue
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_MOST_QUEUES: Final = 3
"""Up to this many queues are drawn; of more, the longest alone, with the number of the others."""

_MOST_TOKENS: Final = 5
"""Threads of a queue that are drawn; the others are counted."""

_TEXT: Final = 0.8
"""Height of the text, in lines of the picture's text; other sizes are in heights of this text."""

_TOKEN: Final = 1.6
_APART: Final = 0.3
_MARGIN: Final = 0.5

_STEP: Final = 6.0
"""Distance of the places that are tried for a queue, pixels."""

_FRAME: Final = 4.0
"""Space around a queue, pixels."""

_RING: Final = 2.5
"""Width of the outline of the element, pixels."""


class Plate(NamedTuple):
    """A queue, what is said of it, and where it is drawn."""

    queue: Queue
    lines: list[str]
    box: Box
    cell: Box
    """The element."""


def paint_queue_arrows(
    tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box], texts: NDArray[np.float64]
) -> list[Plate]:
    """Place the queues of the step where they cover nothing, and paint arrows from them to their elements.

    Parameters
    ----------
    avoid : list of Box
        Cells and titles.
    texts : array
        Edges of all texts, [n, 4].

    Returns
    -------
    list of Plate
        To be painted over the arrows; none for a step with a race, which shows that instead.
    """
    if not scene.queues or scene.race is not None:
        return []
    shown = scene.queues if len(scene.queues) <= _MOST_QUEUES else scene.queues[:1]
    plane = () if layout.points is None else (layout.points.box,)
    boxes = [box for box in (*avoid, *plane, layout.output) if box is not None]
    taken = np.concatenate([np.array([_edges(box) for box in boxes]), texts.reshape(-1, 4)])
    plates: list[Plate] = []
    for queue in shown:
        cell = layout.rasters[queue.view].rect(queue.row, queue.column)
        rest = len(scene.queues) - len(shown)
        lines = [queue.words, *([f"{rest} other elements have queues too"] if rest else [])]
        box = _free_place(cell, *_size(tools, scene, queue, lines), taken, area)
        plates.append(Plate(queue, lines, box, cell))
        taken = np.vstack([taken, _edges(box)])
    for plate in plates:
        others = [other.box for other in plates if other is not plate]
        curve = arc(plate.box, plate.cell, [*avoid, *others], area)
        paint_arc(tools, curve, QColor(tools.theme.accent), 2.0)
    return plates


def paint_queues(tools: Tools, scene: Scene, plates: list[Plate]) -> None:
    """Paint queues that have their places."""
    for plate in plates:
        _paint_plate(tools, plate.box, plate.cell)
        _paint_lines(tools, scene, plate.queue, plate.lines, plate.box)


def _edges(box: Box) -> tuple[float, float, float, float]:
    return box.x, box.y, box.x + box.width, box.y + box.height


def _free_place(cell: Box, width: float, height: float, taken: NDArray[np.float64], area: Box) -> Box:
    """Return the nearest place to a cell that covers the least of what is taken, as edges [n, 4]."""
    x = np.arange(area.x + _FRAME, max(area.x + area.width - width - _FRAME, area.x + _FRAME + 1), _STEP)
    y = np.arange(area.y + _FRAME, max(area.y + area.height - height - _FRAME, area.y + _FRAME + 1), _STEP)
    corners = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    half, middle = np.array([width, height]) / 2, (cell.x + cell.width / 2, cell.y + cell.height / 2)
    beyond = np.maximum(np.abs(corners + half - middle) - half, 0.0).sum(axis=1)
    plates = np.hstack([corners - _FRAME, corners + 2 * half + _FRAME])
    best = corners[int((covered(plates, taken).sum(axis=1) + beyond).argmin())].tolist()
    return Box(best[0], best[1], width, height)


def _texts(scene: Scene, queue: Queue) -> tuple[list[str], str, str]:
    """Return the names of the threads that are drawn, the number of the others, and the value at the end."""
    names = [scene.index_text(scene.threads.index[thread]) for thread in queue.threads[:_MOST_TOKENS].tolist()]
    rest = len(queue.threads) - len(names)
    return names, f"+{rest}" if rest else "", f"→ {number_text(queue.values[-1].item())}"


def _size(tools: Tools, scene: Scene, queue: Queue, lines: list[str]) -> tuple[float, float]:
    text = tools.line * _TEXT
    names, rest, value = _texts(scene, queue)
    row = sum(_token_width(tools, name) + text * _APART for name in names)
    row += sum(tools.text_painter.width(word, text, True) + text * _APART for word in (rest, value) if word)
    width = max(row, *(tools.text_painter.width(line, text, True) for line in lines))
    return width + 2 * text * _MARGIN, text * (1.3 * len(lines) + _TOKEN + 2 * _MARGIN)


def _token_width(tools: Tools, name: str) -> float:
    text = tools.line * _TEXT
    return max(text * _TOKEN, tools.text_painter.width(name, text * 0.9) + text * 0.5)


def _paint_plate(tools: Tools, plate: Box, cell: Box) -> None:
    """Paint the background of a queue, and the outline of its element."""
    theme, painter = tools.theme, tools.painter
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(theme.accent, _RING))
    painter.drawRect(QRectF(cell.x, cell.y, cell.width, cell.height))
    painter.setPen(tools.pen(theme.accent, 1.5))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(QRectF(plate.x, plate.y, plate.width, plate.height), 5, 5)


def _paint_lines(tools: Tools, scene: Scene, queue: Queue, lines: list[str], plate: Box) -> None:
    """Paint what the threads do, the threads in their order, and the value at the end."""
    painter, theme, text = tools.painter, tools.theme, tools.line * _TEXT
    left, y = plate.x + text * _MARGIN, plate.y + text * _MARGIN
    for number, line in enumerate(lines):
        tools.text_painter.start(painter, text, QColor(theme.muted if number else theme.text), not number)
        tools.text_painter.draw_from(painter, left, y + text, line, text, not number)
        y += text * 1.3
    names, rest, value = _texts(scene, queue)
    groups = thread_groups(scene)
    for thread, name in zip(queue.threads.tolist(), names, strict=False):
        token = QRectF(left, y, _token_width(tools, name), text * _TOKEN)
        fill = mix(theme.panel, theme.matrix_c, 0.30 if not theme.dark else 0.38)
        painter.setBrush(fill if groups is None else pale_hue(theme, int(groups[thread])))
        painter.setPen(tools.pen(theme.thread, 1.5))
        painter.drawRoundedRect(token, text * 0.2, text * 0.2)
        tools.text_painter.start(painter, text * 0.9, QColor(theme.text))
        tools.text_painter.draw_centred(painter, token.center().x(), token.center().y(), name, text * 0.9)
        left += token.width() + text * _APART
    for word in filter(None, (rest, value)):
        tools.text_painter.start(painter, text, QColor(theme.text), True)
        tools.text_painter.draw_from(painter, left, y + text * (_TOKEN / 2 + 0.36), word, text, True)
        left += tools.text_painter.width(word, text, True) + text * _APART
