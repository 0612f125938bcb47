"""Paint the block's threads: on the result, and magnified next to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPolygonF

from gui.explore.packing.boxes import NO_GAPS
from gui.explore.packing.constants import LABEL_CELL, TILE
from gui.explore.packing.lens import is_flat
from gui.explore.stage.colouring import thread_groups
from gui.explore.stage.hues import hue, pale_hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, is_vector, number_text
from gui.theming.style import ink_on, mix
from kernels.analysis.values.roles import ACTIVE, GUARDED_OFF, IDLE, ZERO_FILL
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintDevice

    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.paint_cells import Tools
    from gui.explore.stage.scene import Scene

_EDGES_CELL = 8.0
"""Height of a thread, pixels, from which lines separate warps."""

_INSIDE = 0.87
"""Height of a thread without its margin, in heights of its cell."""

_INSIDE_LINE = 0.86
"""Height of text in its line of a thread."""

_ALONE = 0.52
"""Height of a value in lower threads, in heights of the thread."""

_WIDE = 0.4
"""Difference in width between a wide letter, as in NaN or sum, and a digit, in letters."""

_DOT = 0.52
"""Size of a thread without a label, in sides of its cell."""

_CORNER, _CORNER_DOT = 0.2, 0.26
"""Distance from both edges, and size, of such a thread on an element with a value, which it must not cover."""

_INDEX, _VALUE = 0.34, 0.52
_LOW_INDEX, _LOW_VALUE = 0.40, 0.60
"""Height of a thread's index and of its value, in heights of the thread, and of a low one, which they fill."""

_TWO_LINES = 24.0
"""Height of a thread without its margin, pixels, from which it has room for both."""

_THREE_LINES = 56.0
"""Height of a thread, pixels, with room for its index, a value and the value's name."""

_OMITTED = "…"

_POINT = 2.0
"""Least side of an idle thread's mark, pixels."""

_LARGEST_MARK = 14.0
"""Largest corner of a thread that writes its result, pixels: a larger one would cover digits."""

_BADGE = 5.0
"""Least radius of a badge, pixels."""

Place = Literal["result", "above", "block"]
"""Threads are drawn on the elements of the result, above them, or in the magnified block."""


def paint_threads(
    tools: Tools,
    scene: Scene,
    raster: Raster,
    row: NDArray[np.integer],
    column: NDArray[np.integer],
    which: NDArray[np.bool_],
    labelled: bool,
    *,
    on_result: bool,
    above: bool = False,
) -> None:
    """Paint some threads at (row, column): on their cells of the result, above them, or in the magnified block."""
    threads, groups = scene.threads, thread_groups(scene)
    place: Place = "above" if above else "result" if on_result else "block"
    if labelled and raster.cell >= LABEL_CELL:
        _paint_tokens(tools, scene, raster, row, column, np.flatnonzero(which), place)
    else:
        drawn = np.flatnonzero(which & (labelled | above | ~threads.stored))
        beside = scene.on_values if on_result else np.zeros(len(which), bool)
        kinds = np.column_stack([threads.role, np.full(len(which), -1) if groups is None else groups, beside])[drawn]
        for role, group, in_corner in np.unique(kinds, axis=0).tolist():
            some = drawn[(kinds == (role, group, in_corner)).all(axis=1)]
            centres, side = raster.centres(row[some], column[some]), min(raster.across, raster.cell)
            if in_corner:
                centres += (_CORNER * side - raster.across / 2, _CORNER * side - raster.cell / 2)
            dot = side * (_CORNER_DOT if in_corner else _DOT)
            _paint_dots(tools, centres, dot, role, None if groups is None else group, place)
    if scene.colouring == "warp" and raster.gaps is NO_GAPS:  # the rows of a strip have titles
        at = np.full((raster.rows, raster.columns), -1, np.int64)
        at[row[which], column[which]] = np.flatnonzero(which) // WARP_SIZE
        if raster.cell >= _EDGES_CELL:
            _paint_warp_edges(tools, raster, at)
        if place == "block":
            _paint_warp_numbers(tools, raster, at)


def _paint_warp_edges(tools: Tools, raster: Raster, warps: NDArray[np.int64]) -> None:
    """Paint lines between threads of different warps; `warps` has the warp at each cell, or -1."""
    lines = []
    for down, along in ((0, 1), (1, 0)):
        one, other = warps[: raster.rows - down, : raster.columns - along], warps[down:, along:]
        for r, c in np.argwhere((one >= 0) & (other >= 0) & (one != other)).tolist():
            corner = QPointF(raster.left(c + along), raster.top(r + down))
            lines.append(QLineF(corner, corner + QPointF(down * raster.across, along * raster.cell)))
    tools.painter.setPen(tools.pen(tools.theme.text, 3.0 if raster.cell >= LABEL_CELL else 2.0))
    tools.painter.drawLines(lines)


def _paint_warp_numbers(tools: Tools, raster: Raster, warps: NDArray[np.int64]) -> None:
    """Paint the number of each warp right of the first row that it ends, or left of the last row that it begins."""
    size = min(tools.line * 0.7, raster.cell * 0.9)
    if size < SMALLEST_TEXT:
        return
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
    for number in np.unique(warps[warps >= 0]).tolist():
        begins, ends = np.flatnonzero(warps[:, 0] == number), np.flatnonzero(warps[:, -1] == number)
        if len(ends):  # on the right: on the left are the axes
            x, row = raster.x + raster.box.width + size * 1.1, int(ends[0])
        elif len(begins):
            x, row = raster.x - size * 1.1, int(begins[-1])
        else:
            continue
        y = raster.top(row) + raster.cell / 2
        tools.text_painter.draw_centred(tools.painter, x, y, f"w{number}", size, True)


def paint_thread_focus(
    tools: Tools,
    scene: Scene,
    raster: Raster,
    row: NDArray[np.integer],
    column: NDArray[np.integer],
    which: NDArray[np.bool_],
) -> None:
    """Outline the threads in focus."""
    threads = scene.threads
    inset = max(1.5, raster.cell * 0.05)
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    for n in np.flatnonzero(threads.focus & which):
        rect = _rect(raster, int(row[n]), int(column[n])).adjusted(inset, inset, -inset, -inset)
        for color, width in ((tools.theme.text, 6.0), (tools.theme.highlight, 3.0)):
            tools.painter.setPen(tools.pen(color, width if raster.cell >= 16 else width / 2))
            tools.painter.drawRoundedRect(rect, inset * 2, inset * 2)


def paint_hazards(
    tools: Tools,
    scene: Scene,
    raster: Raster,
    row: NDArray[np.integer],
    column: NDArray[np.integer],
    which: NDArray[np.bool_],
) -> None:
    """Paint the badges of threads with a hazard; where threads are smaller than a badge, of the first one only."""
    found = np.flatnonzero(scene.threads.hazard & which)
    small = min(raster.across, raster.cell) < 3 * _BADGE
    for n in found[:1] if small else found:
        _paint_hazard(tools, _rect(raster, int(row[n]), int(column[n])))


def _rect(raster: Raster, row: int, column: int) -> QRectF:
    box = raster.rect(row, column)
    return QRectF(box.x, box.y, box.width, box.height)


def _number(scene: Scene, n: int, place: Place) -> tuple[str, str]:
    """Return the number in a thread, and its name where the title of the panel does not name it."""
    number, name = scene.number_on_result(n) if place == "result" else (scene.number_in_thread(n), "")
    if place == "above" and not scene.threads.accumulates:  # the result itself is in the cell below
        number = None
    return ("", "") if number is None else (number_text(number), name)


class _Label(NamedTuple):
    """A line of text in a thread."""

    text: str
    share: float
    """Height of the text, in heights of the thread."""
    bold: bool


def _paint_tokens(
    tools: Tools,
    scene: Scene,
    raster: Raster,
    row: NDArray[np.integer],
    column: NDArray[np.integer],
    shown: NDArray[np.int64],
    place: Place,
) -> None:
    """Paint threads as rounded cells with their indices, and their numbers where they have room."""
    groups, body = thread_groups(scene), _body(_rect(raster, 0, 0))
    numbers = [_number(scene, n, place) for n in shown.tolist()]
    fits = not is_flat(scene.block_dim) and all(_text_size(body, value, _ALONE, True) for value, _ in numbers)
    if raster.cell < TILE[0][0] and not fits:
        numbers = [("", "")] * len(shown)  # all threads show their values, or all show their indices
    small = place == "block" and any(value for value, _ in numbers)
    centres = raster.centres(row[shown], column[shown])
    # Brush, pen and font are set once for all threads of a kind: to set them for each would take longer than to paint.
    kinds = np.column_stack(
        [
            scene.threads.role[shown],
            _writes_result(scene)[shown],
            [-1] * len(shown) if groups is None else groups[shown],
        ]
    )
    for role, wrote, group in np.unique(kinds, axis=0).tolist():
        some = np.flatnonzero((kinds == (role, wrote, group)).all(axis=1)).tolist()
        places = [QPointF(x, y) for x, y in centres[some].tolist()]
        ink = _paint_bodies(tools, raster, body, places, role, bool(wrote), None if group < 0 else group)
        labels = [_labels(scene, body, int(shown[n]), *numbers[n], small=small) for n in some]
        color = ink if role in (ACTIVE, ZERO_FILL) else QColor(tools.theme.muted)
        _paint_labels(tools, body, places, labels, color, plates=role == ZERO_FILL)


def _writes_result(scene: Scene) -> NDArray[np.bool_]:
    """Return the threads whose results are written in this step."""
    threads = scene.threads
    found = np.zeros(len(threads.role), bool)
    if scene.result is not None:
        at = threads.visible
        found[at] = scene.cells[scene.result].wrote[threads.row[at], threads.column[at]]
    return found


def _paint_bodies(
    tools: Tools, raster: Raster, body: QRectF, places: list[QPointF], role: int, wrote: bool, group: int | None
) -> QColor:
    """Paint threads of one kind without text, in the colour of their group if they have one; return the text's."""
    theme, painter = tools.theme, tools.painter
    side = min(raster.across, raster.cell)
    radius = side * 0.12
    width = 3.0 if side >= 40 else 2.0
    # The colour of C: while it computes, a thread stands on the element that it will write there.
    fill = mix(theme.panel, theme.matrix_c, 0.30 if not theme.dark else 0.38)
    if group is not None:
        fill = pale_hue(theme, group)
    elif wrote:
        fill = QColor(theme.matrix_c)
    painter.setBrush(fill if role == ACTIVE else QColor(theme.panel))
    style, edge = {
        ACTIVE: (Qt.PenStyle.SolidLine, theme.thread),
        ZERO_FILL: (Qt.PenStyle.SolidLine, theme.warning),
        GUARDED_OFF: (Qt.PenStyle.DashLine, theme.muted),
        IDLE: (Qt.PenStyle.DotLine, theme.muted),
    }[role]
    # Dashes are as long as the pen is wide: in a small thread two long ones would enclose the number as bars do.
    thin = 1.5 if raster.cell >= TILE[0][0] else 0.8
    painter.setPen(tools.pen(edge, width if role in (ACTIVE, ZERO_FILL) else thin, style))
    bodies = [body.translated(place - body.center()) for place in places]
    for one in bodies:
        painter.drawRoundedRect(one, radius, radius)
    painter.setPen(Qt.PenStyle.NoPen)
    if role == ZERO_FILL:
        painter.setBrush(QBrush(QColor(theme.warning), Qt.BrushStyle.BDiagPattern))
        for one in bodies:
            painter.drawRoundedRect(one, radius, radius)
    if wrote:
        part, inside = min(side * 0.22, _LARGEST_MARK), QPointF(radius / 3, radius / 3)
        painter.setBrush(QColor(theme.thread))
        for corner in (one.bottomRight() - inside for one in bodies):
            painter.drawPolygon(QPolygonF([corner, corner - QPointF(part, 0), corner - QPointF(0, part)]))
    return ink_on(fill) if wrote or group is not None else QColor(theme.text)


def _labels(scene: Scene, body: QRectF, n: int, value: str, name: str, *, small: bool) -> list[_Label]:
    """Return the lines of text in a thread: its index, and a number with its name.

    The index is `small` if other threads have a number.
    """
    label = scene.index_text(scene.threads.index[n])
    if (value or small) and body.height() >= _TWO_LINES:
        if name and body.height() >= _THREE_LINES:
            return [_Label(label, 0.27, False), _Label(value, 0.40, True), _Label(name, 0.2, False)]
        low = body.height() < _INSIDE * TILE[0][0]
        return [
            _Label(label, _LOW_INDEX if low else _INDEX, False),
            _Label(value, _LOW_VALUE if low else _VALUE, True),
        ]
    if value:  # the panel's title names the values; the index follows from the axes
        return [_Label(value, _ALONE, True)]
    return [_Label(label, 0.52 if len(label) > 3 else 0.64, False)]


def _paint_labels(
    tools: Tools, body: QRectF, places: list[QPointF], labels: list[list[_Label]], color: QColor, *, plates: bool
) -> None:
    """Paint the lines of threads, on `plates` where their hatching must not run through the text.

    Lines are centred together; each is as large as its share of the height, or as the width of the thread allows.
    """
    high = body.height()
    alike: dict[tuple[float, bool], list[tuple[float, float, str]]] = {}
    for place, lines in zip(places, labels, strict=True):
        y = place.y() - high * sum(line.share for line in lines) / 2
        for words, share, bold in lines:
            text, size = words, _text_size(body, words, share, bold)
            middle = y + high * share / 2
            y += high * share
            if bold and not size:
                text, size = _OMITTED, _text_size(body, _OMITTED, share, bold)
            if size and text:
                alike.setdefault((size, bold), []).append((place.x(), middle, text))
    for (size, bold), some in alike.items():
        for x, y, text in some if plates else ():
            _paint_plate(tools, x, y, tools.text_painter.width(text, size, bold), size)
        tools.text_painter.start(tools.painter, size * _INSIDE_LINE, color, bold)
        centres, texts = [(x, y) for x, y, _ in some], [text for *_, text in some]
        tools.text_painter.draw_all_centred(tools.painter, centres, texts, size * _INSIDE_LINE, bold, measured=True)


def _body(cell: QRectF) -> QRectF:
    inset = max(2.0, min(cell.width(), cell.height()) * 0.06)
    return cell.adjusted(inset, inset, -inset, -inset)


def value_size(raster: Raster, letters: int) -> float:
    """Return the height in pixels of a value with so many digits in a labelled thread, below its index."""
    return _text_size(_body(_rect(raster, 0, 0)), "0" * letters, _VALUE, True) * _INSIDE_LINE


def _text_size(body: QRectF, text: str, share: float, bold: bool) -> float:
    """Return the size of text in a thread: a share of its height, or what its width allows; 0 if that is unreadable."""
    letters = max(1.0, len(text) + _WIDE * sum(map(text.count, "Nm")))
    size = min(body.height() * share, body.width() * 0.96 / letters / (0.62 if bold else 0.52))
    return size if size >= SMALLEST_TEXT - 1 else 0.0


def _paint_plate(tools: Tools, x: float, y: float, width: float, height: float) -> None:
    tools.painter.setPen(Qt.PenStyle.NoPen)
    tools.painter.setBrush(QColor(tools.theme.panel))
    tools.painter.drawRoundedRect(QRectF(x - width / 2 - 1, y - height / 2, width + 2, height), 3, 3)


def _paint_dots(
    tools: Tools, centres: NDArray[np.float64], side: float, role: int, group: int | None, place: Place
) -> None:
    """Paint threads without text: a disc, a hatched square, a hollow square or a point, by their role.

    An idle thread has no mark on the result: its element is seen instead.
    """
    painter, theme = tools.painter, tools.theme
    if role == ACTIVE:
        color = QColor(theme.thread if group is None else hue(theme, group))
        if is_vector(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            for x, y in centres.tolist():
                painter.drawEllipse(QPointF(x, y), side / 2, side / 2)
            return
        disc = _disc(side, color, painter.device())
        half = disc.deviceIndependentSize().width() / 2
        for x, y in (centres - half).tolist():
            painter.drawImage(QPointF(x, y), disc)
        return
    if role == ZERO_FILL:
        painter.setPen(tools.pen(theme.warning, 1.5))
        painter.setBrush(QBrush(QColor(theme.warning), Qt.BrushStyle.BDiagPattern))
    elif role == GUARDED_OFF:
        painter.setPen(tools.pen(theme.muted, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    elif place == "result":
        return
    else:
        side = max(_POINT, side * 0.3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.muted))
    painter.drawRects([QRectF(x, y, side, side) for x, y in (centres - side / 2).tolist()])


def _disc(side: float, color: QColor, device: QPaintDevice) -> QImage:
    """Paint one disc: to copy its image takes a tenth of the time of another disc."""
    ratio = device.devicePixelRatio()
    pixels = math.ceil(side * ratio) + 2
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(QPointF(pixels, pixels) / ratio / 2, side / 2, side / 2)
    painter.end()
    return image


def _paint_hazard(tools: Tools, cell: QRectF) -> None:
    """Paint a filled badge with an exclamation mark on the upper right corner."""
    radius = max(_BADGE, min(13.0, min(cell.width(), cell.height()) * 0.17))
    centre = cell.topRight() + QPointF(-radius, radius) * 0.6  # on the corner, clear of the thread's index
    tools.painter.setPen(tools.pen(tools.theme.panel, 1.5))
    tools.painter.setBrush(QColor(tools.theme.hazard))
    tools.painter.drawEllipse(centre, radius, radius)
    tools.text_painter.start(tools.painter, radius * 1.5, QColor(tools.theme.panel), True)
    tools.text_painter.draw_centred(tools.painter, centre.x(), centre.y(), "!", radius * 1.5, True)
