"""Paint queues of atomic operations: the threads lined up at their element, and the value that the last one leaves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gui.explore.packing.arcs import arc
from gui.explore.packing.constants import BASELINE, EDGE, PLATE_TEXT, TOKEN, TOKENS_APART
from gui.explore.stage.colouring import thread_groups
from gui.explore.stage.paint_flows import paint_arc
from gui.explore.stage.plates import (
    edges,
    lines_size,
    paint_lines,
    paint_plate,
    paint_token,
    place_words,
    taken_places,
    token_width,
)
from gui.explore.stage.text_painter import number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Box
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.interactions import Queue
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_MOST_QUEUES: Final = 3
"""Up to this many queues are drawn; of more, the longest alone, with the number of the others."""

_MOST_TOKENS: Final = 5
"""Threads of a queue that are drawn; the others are counted."""

_RING: Final = 2.5
"""Width of the outline of the element, pixels."""


class Plate(NamedTuple):
    """A queue, what is said of it, and where it is drawn."""

    queue: Queue
    lines: Sequence[str]
    box: Box
    cell: Box
    """The element."""


def paint_queue_arrows(
    tools: Tools, scene: Scene, layout: Layout, area: Box, avoid: list[Box], texts: NDArray[np.float64]
) -> list[Plate]:
    """Place the queues of the step where they cover nothing, and paint arrows from them to their elements.

    Where there is no room for the words, the threads and the value alone are placed; without room for these, nothing.

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
    taken = taken_places(layout, avoid, texts)
    plates: list[Plate] = []
    for queue in shown:
        cell = layout.rasters[queue.view].rect(queue.row, queue.column)
        rest = len(scene.queues) - len(shown)
        words = [queue.words, *([f"{rest} other elements have queues too"] if rest else [])]
        found = place_words(cell, words, partial(_size, tools, scene, queue), taken, area)
        if found is not None:
            box, lines = found
            plates.append(Plate(queue, lines, box, cell))
            taken = np.vstack([taken, edges(box)])
    for plate in plates:
        others = [other.box for other in plates if other is not plate]
        curve = arc(plate.box, plate.cell, [*avoid, *others], area)
        paint_arc(tools, curve, QColor(tools.theme.accent), 2.0)
    return plates


def paint_queues(tools: Tools, scene: Scene, plates: list[Plate]) -> None:
    """Paint queues that have their places."""
    for plate in plates:
        tools.painter.setBrush(Qt.BrushStyle.NoBrush)
        tools.painter.setPen(tools.pen(tools.theme.accent, _RING))
        tools.painter.drawRect(QRectF(plate.cell.x, plate.cell.y, plate.cell.width, plate.cell.height))
        paint_plate(tools, plate.box, tools.theme.accent)
        _paint_queue(tools, scene, plate.queue, plate.lines, plate.box)


def _texts(scene: Scene, queue: Queue) -> tuple[list[str], str, str]:
    """Return the names of the threads that are drawn, the number of the others, and the value at the end."""
    names = [scene.index_text(scene.threads.index[thread]) for thread in queue.threads[:_MOST_TOKENS].tolist()]
    rest = len(queue.threads) - len(names)
    return names, f"+{rest}" if rest else "", f"→ {number_text(queue.values[-1].item())}"


def _size(tools: Tools, scene: Scene, queue: Queue, lines: Sequence[str]) -> tuple[float, float]:
    text = tools.line * PLATE_TEXT
    names, rest, value = _texts(scene, queue)
    row = sum(token_width(tools, name) + text * TOKENS_APART for name in names)
    row += sum(tools.text_painter.width(word, text, True) + text * TOKENS_APART for word in (rest, value) if word)
    return lines_size(tools, lines, row)


def _paint_queue(tools: Tools, scene: Scene, queue: Queue, lines: Sequence[str], plate: Box) -> None:
    """Paint what the threads do, the threads in their order, and the value at the end."""
    text = tools.line * PLATE_TEXT
    left, y = plate.x + text * EDGE, paint_lines(tools, plate, lines)
    names, rest, value = _texts(scene, queue)
    groups = thread_groups(scene)
    for thread, name in zip(queue.threads.tolist(), names, strict=False):
        token = QRectF(left, y, token_width(tools, name), text * TOKEN)
        paint_token(tools, token, name, None if groups is None else int(groups[thread]))
        left += token.width() + text * TOKENS_APART
    for word in filter(None, (rest, value)):
        tools.text_painter.start(tools.painter, text, QColor(tools.theme.text), True)
        tools.text_painter.draw_from(tools.painter, left, y + text * (TOKEN / 2 + BASELINE), word, text, True)
        left += tools.text_painter.width(word, text, True) + text * TOKENS_APART
