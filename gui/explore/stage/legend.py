"""Legend of the picture's marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPolygonF

from gui.explore.stage.hues import hue
from gui.explore.stage.paint_wrong import paint_wrong_badge
from gui.explore.warp.paint_warp import paint_state
from gui.theming.style import mix
from kernels.analysis.order.divergence import MASKED, RETURNED, RUNS, WAITS
from kernels.analysis.values.fragments import Multiplication
from kernels.narration.words import vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.explore.packing.boxes import Box
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene
    from gui.theming.theme import Theme


Mark = Literal[
    "lane-runs",
    "lane-masked",
    "lane-waits",
    "lane-returned",
    "read",
    "wrote",
    "active",
    "guarded-off",
    "zero",
    "in-shared",
    "unwritten",
    "padding",
    "outside",
    "landing",
    "wrong",
    "hues",
    "several",
    "not-drawn",
    "no-label",
    "lit-object",
    "collides",
    "used",
    "wasted",
    "conflict",
]
"""Kinds of cells and threads that the picture draws differently."""

LANE_MARKS: Final[dict[Mark, tuple[int, str]]] = {
    "lane-runs": (RUNS, "runs"),
    "lane-masked": (MASKED, "masked"),
    "lane-waits": (WAITS, "waits at the barrier"),
    "lane-returned": (RETURNED, "has returned"),
}
"""Marks of the lanes of a warp: state and words."""

_NAMED = 2
"""Arrays without a place in the picture that are named; of more the number."""

_SMALLEST_TEXT = 10.0
_SIDE = 1.28
"""Side of a sample, in heights of the text."""

_GAP = 0.47
"""Space between a sample and its text, in heights of the text."""

_ROW_SHARE = (0.74, 0.56)
"""Size of the text, in lines of the picture's text, in a legend of one row, and of two."""


class Entry(NamedTuple):
    """Mark of a picture and its words."""

    mark: Mark
    text: str
    dot: bool = False
    """Whether the mark of a thread is a dot."""


def legend_of(scene: Scene, layout: Layout) -> tuple[Entry, ...]:
    """Return the marks that can occur in a picture; without room for arrays, those of the lanes of a warp."""
    dots = not layout.only_warp and not layout.labelled
    return tuple(
        Entry(mark, text, dots and mark in ("active", "guarded-off"))
        for mark, text in _entries(scene, layout.only_warp).items()
    )


def paint_legend(tools: Tools, entries: Sequence[Entry], box: Box) -> None:
    """Paint samples and words in one row or in two, whichever allows the larger text."""
    texts, half = [entry.text for entry in entries], -(-len(entries) // 2)
    one, two = _size(tools, [texts], box), _size(tools, [texts[:half], texts[half:]], box)
    rows, size = ([entries[:half], entries[half:]], two) if two > one else ([entries], one)
    side, gap, high = size * _SIDE, size * _GAP, box.height / len(rows)
    for number, row in enumerate(rows):
        x, y = box.x, box.y + number * high + (high - side) / 2
        for mark, text, dot in row:
            width = tools.text_painter.width(text, size)
            if x + side + gap + width > box.x + box.width:
                break
            paint_sample(tools, mark, QRectF(x, y, side, side))
            if dot:
                _paint_dot(tools, QPointF(x + side / 2, y + side / 2), side * 0.34, filled=mark == "active")
            tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
            tools.painter.drawText(QPointF(x + side + gap, y + side * 0.5 + size * 0.36), text)
            x += side + 3 * gap + width


def _entries(scene: Scene, only_warp: bool) -> dict[Mark, str]:
    """Return the marks that can occur in a scene, each with its words."""
    if only_warp and scene.warp is not None and scene.warp.instruction is not None:
        if isinstance(scene.warp.instruction, Multiplication):
            return {"hues": "number and colour: the lane that holds it"}
        return {"active": "lane that names the row", "hues": "lane that gets it", "conflict": "bank conflict"}
    if scene.warp is not None and any(card.lanes for card in scene.warp.cards):
        takes_part: dict[Mark, str] = {"active": "takes part", "guarded-off": "does not take part"}
        if any(card.strip is not None for card in scene.warp.cards):
            takes_part |= {"used": "bytes used", "wasted": "moved, not used"}
        return takes_part | ({"conflict": "bank conflict"} if any(card.bank for card in scene.warp.cards) else {})
    if scene.warp is not None:
        lanes: dict[Mark, str] = {mark: words for mark, (_, words) in LANE_MARKS.items()}
        return lanes if only_warp else {"read": "read", "wrote": "written", **lanes, **_hues(scene)}
    threads: dict[Mark, str] = {
        "active": f"active {vocabulary_of(on_cpu=scene.on_cpu).thread}",
        "guarded-off": "skips this",
    }
    threads |= _hues(scene)
    if not scene.cells:
        return threads
    entries: dict[Mark, str] = {"read": "read", "wrote": "written", **threads}
    if any(cells.view.place == "shared" for cells in scene.cells):
        entries |= {"zero": "fills in 0", "in-shared": "in shared memory"}
    entries["unwritten"] = "not written yet"
    if any(cells.padding for cells in scene.cells):
        entries["padding"] = "padding"
    if scene.has_outside:
        entries |= {"outside": "does not exist", "landing": "has that address"}
    if scene.has_wrong:
        entries["wrong"] = "wrong result"
    if scene.not_drawn:
        some, more = scene.not_drawn[:_NAMED], len(scene.not_drawn) - _NAMED
        entries["not-drawn"] = f"not drawn: {', '.join(some)}{f' and {more} more' if more > 0 else ''}"
    return entries | _of_points(scene)


def _of_points(scene: Scene) -> dict[Mark, str]:
    """Return the marks of objects that are points."""
    points = scene.points
    if points is None or not len(points.places):
        return {}
    lit = f"{vocabulary_of(on_cpu=scene.on_cpu).thread}'s object"
    if any(centre.place is not None for centre in points.centres):
        return {"lit-object": lit, "no-label": "no label yet"}
    return {"collides": "atomic collides", "lit-object": lit}


def _hues(scene: Scene) -> dict[Mark, str]:
    if scene.colouring == "block":
        return {}
    return {"hues": f"a colour for each {scene.colouring}", "several": f"of several {scene.colouring}s"}


def _size(tools: Tools, rows: list[list[str]], box: Box) -> float:
    """Return the largest text, in pixels, with which the rows fit into the width of the box."""
    size = tools.line * _ROW_SHARE[len(rows) - 1]

    def width(row: list[str]) -> float:
        return sum(tools.text_painter.width(text, size) + (_SIDE + 3 * _GAP) * size for text in row)

    while size > _SMALLEST_TEXT and max(map(width, rows)) > box.width:
        size -= 0.5
    return size


def _paint_dot(tools: Tools, centre: QPointF, side: float, *, filled: bool) -> None:
    """Paint a small thread: a disc, or a hollow square for one that skips the step."""
    if filled:
        tools.painter.setPen(Qt.PenStyle.NoPen)
        tools.painter.setBrush(QColor(tools.theme.thread))
        tools.painter.drawEllipse(centre, side / 2, side / 2)
    else:
        tools.painter.setPen(tools.pen(tools.theme.muted, 1))
        tools.painter.setBrush(Qt.BrushStyle.NoBrush)
        tools.painter.drawRect(QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side))


def paint_sample(tools: Tools, mark: Mark, rect: QRectF) -> None:
    """Paint a mark as it looks on a cell."""
    painter, theme = tools.painter, tools.theme
    inner = rect.adjusted(1.5, 1.5, -1.5, -1.5)
    if mark == "hues":
        painter.setPen(Qt.PenStyle.NoPen)
        for number in range(3):
            painter.setBrush(QColor(hue(theme, number)))
            painter.drawRect(
                QRectF(inner.x() + number * inner.width() / 3, inner.y(), inner.width() / 3, inner.height())
            )
        return
    if mark in LANE_MARKS:
        paint_state(tools, rect, LANE_MARKS[mark][0])
        return
    look = _looks(theme)[mark]
    if look.edge:
        painter.setPen(tools.pen(look.edge, look.width, look.style))
    for brush in look.brushes:
        painter.setBrush(brush)
        if look.shape == "cell":
            painter.drawRect(inner)
        elif look.shape == "thread":
            painter.drawRoundedRect(inner, 4, 4)
        else:
            painter.drawEllipse(inner)
    if mark == "wrote":
        corner, part = inner.bottomRight(), inner.width() * 0.5
        painter.setBrush(QColor(theme.text))
        painter.drawPolygon(QPolygonF([corner, corner - QPointF(part, 0), corner - QPointF(0, part)]))
    elif mark == "unwritten":
        tools.text_painter.start(painter, rect.height() * 0.7, QColor(theme.muted))
        tools.text_painter.draw_centred(painter, rect.center().x(), rect.center().y(), "?", rect.height() * 0.7)
    elif mark == "outside":
        painter.setPen(tools.pen(theme.hazard, 1.5))
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.topRight(), inner.bottomLeft())
    elif mark == "wrong":
        paint_wrong_badge(tools, inner)
    elif mark == "wasted":
        painter.setBrush(QColor(theme.matrix_a))
        painter.drawRect(QRectF(inner.x(), inner.y(), inner.width() * 0.3, inner.height()))


class _Look(NamedTuple):
    """Fill and edge of a mark."""

    brushes: tuple[QBrush | QColor | Qt.BrushStyle, ...]
    """Fills, one over the other."""
    edge: str
    """Colour of the edge; empty for that of the text before."""
    width: float
    """Width of the edge, pixels."""
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    shape: Literal["cell", "thread", "object"] = "cell"


def _looks(theme: Theme) -> dict[Mark, _Look]:
    dashed, dotted, hollow = Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.BrushStyle.NoBrush
    panel, warning = QColor(theme.panel), QColor(theme.warning)
    hatch = QBrush(warning, Qt.BrushStyle.BDiagPattern)
    return {
        "read": _Look((mix(theme.panel, theme.matrix_a, 0.8),), theme.text, 2.5),
        "wrote": _Look((QColor(theme.matrix_a),), theme.text, 2.5),
        "active": _Look((mix(theme.panel, theme.matrix_c, 0.3),), theme.text, 2.5, shape="thread"),
        "guarded-off": _Look((panel,), theme.muted, 1.5, dashed, "thread"),
        "zero": _Look((panel, hatch), theme.warning, 2),
        "in-shared": _Look((mix(theme.panel, theme.matrix_a, 0.42),), theme.border, 1),
        "unwritten": _Look((panel,), theme.border, 1),
        "padding": _Look((panel, QBrush(QColor(theme.muted), Qt.BrushStyle.FDiagPattern)), theme.border, 1),
        "outside": _Look((panel,), theme.hazard, 2, dashed),
        "landing": _Look((mix(theme.panel, theme.matrix_a, 0.16),), theme.hazard, 2.5),
        "wrong": _Look((mix(theme.panel, theme.matrix_c, 0.16),), theme.hazard, 2),
        "several": _Look((panel, QBrush(QColor(theme.text), Qt.BrushStyle.Dense7Pattern)), "", 1),
        "not-drawn": _Look((hollow,), theme.muted, 1.5, dotted),
        "no-label": _Look((hollow,), theme.muted, 1.2, shape="object"),
        "lit-object": _Look((hollow,), theme.accent, 3.0, shape="object"),
        "collides": _Look((hollow,), theme.warning, 2.5, dashed, "object"),
        "used": _Look((QColor(theme.matrix_a),), theme.text, 1),
        # A sector of which the first element alone is used; the hatch by itself means a zero that is filled in.
        "wasted": _Look((hatch,), theme.warning, 1.5),
        "conflict": _Look((warning,), theme.text, 1),
    }
