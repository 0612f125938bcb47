"""Paint arrays as cells: one image for the colours, batched lines and marks, cached texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF

from gui.explore.stage.colouring import SEVERAL
from gui.explore.stage.hues import HUES, hue
from gui.explore.stage.text_painter import SMALLEST_TEXT, TextPainter, fitting_size, is_vector, number_text
from gui.theming.style import ink_on, mix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from gui.explore.packing.arrangement import Part
    from gui.explore.packing.boxes import Raster
    from gui.explore.stage.scene import Cells
    from gui.theming.theme import Theme


_QUESTION_MARK_CELL = 26.0
"""Cells at least this wide show a question mark while uninitialised; smaller ones a dot."""

_SMALL = 14.0
"""Below this cell size in pixels a region is outlined as a whole."""
_NARROW: Final = 22.0
"""Width in pixels of a cell whose three digits the usual outline would touch."""

_AT_REST: Final = ("unwritten", "plain", "in_shared")
"""Kinds of cells that the step does not access."""

_OVERLAP: Final = 0.4
"""Pixels by which a cell's rectangle overlaps its neighbours, where each cell is a rectangle."""

_GROUP: Final = "group "
_OMITTED: Final = "…"
_POINTER: Final = "→"
_LEAST_SHOWN: Final = 0.5
"""Share of the values of an array, or of a member, that must fit; else none of them is shown."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Painter, theme and fonts of one painting."""

    painter: QPainter
    theme: Theme
    text_painter: TextPainter
    line: float
    over_texts: list[QPainterPath] = field(default_factory=list)
    """Areas that arrows and marks have covered since the texts were painted."""

    def cross_texts(self, path: QPainterPath, width: float) -> None:
        """Add the line of a width along a path to what was painted over texts."""
        stroker = QPainterPathStroker()
        stroker.setWidth(width)
        self.over_texts.append(stroker.createStroke(path))

    def pen(self, color: QColor | str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """Return a pen with mitred corners."""
        return _named_pen(color, width, style) if isinstance(color, str) else _pen(color, width, style)


def _pen(color: QColor, width: float, style: Qt.PenStyle) -> QPen:
    pen = QPen(color, width, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


@lru_cache(maxsize=256)  # hundreds of threads in a picture have a few pens
def _named_pen(color: str, width: float, style: Qt.PenStyle) -> QPen:
    return _pen(QColor(color), width, style)


def tint_of(theme: Theme, place: str) -> str:
    """Return the colour of a place in the picture."""
    return {
        "left": theme.matrix_a,
        "top": theme.matrix_b,
        "result": theme.matrix_c,
        "shared": theme.shared,
        "local": theme.matrix_c,
    }[place]


def cell_rects(raster: Raster, at: Iterable[tuple[int, int]], inset: float = 0.0) -> list[QRectF]:
    """Return the rectangles of cells (row, column)."""
    width, height = raster.across - 2 * inset, raster.cell - 2 * inset
    at = tuple(at)
    left = {column: raster.left(column) + inset for column in {column for _, column in at}}
    top = {row: raster.top(row) + inset for row in {row for row, _ in at}}
    return [QRectF(left[c], top[r], width, height) for r, c in at]


def part_rects(cells: Cells, raster: Raster) -> list[tuple[Part, QRectF]]:
    """Return the rectangles of cells without gaps: the matrix, the rows of a strip, or the slices."""
    return _part_rects(cells.view.parts, raster)


@lru_cache(maxsize=256)
def _part_rects(parts: tuple[Part, ...], raster: Raster) -> list[tuple[Part, QRectF]]:
    boxes = ((part, raster.rect(*part)) for part in parts)
    return [(part, QRectF(box.x, box.y, box.width, box.height)) for part, box in boxes]


def paint_cells(
    tools: Tools,
    cells: Cells,
    raster: Raster,
    skip: NDArray[np.bool_] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> None:
    """Paint one array.

    `skip` marks cells whose text is omitted because something is drawn over them; `groups` has the group of threads
    that accesses each cell, where groups have colours.
    """
    fills = _fills(tools.theme, cells) | _group_fills(tools.theme, cells, groups)
    paint_pixels(tools.painter, cells, raster, _colours(fills))
    _paint_unwritten(tools, cells, raster)
    paint_grid(tools, cells, raster)
    _paint_padding(tools, cells, raster)
    _paint_several(tools, cells, raster, groups)
    _paint_zeros(tools, cells, raster)
    _paint_outside(tools, cells, raster)
    _paint_values(tools, cells, raster, fills, skip)
    paint_marks(tools, cells, raster, skip)
    _paint_landing(tools, cells, raster)


def paint_focus(
    tools: Tools, mask: NDArray[np.bool_], raster: Raster, style: Qt.PenStyle = Qt.PenStyle.SolidLine
) -> None:
    """Outline the cells in focus: dark outside, bright inside, visible on any colour; their causes with dashes."""
    rects = cell_rects(raster, _where(mask), 1)
    if not rects:
        return
    tools.painter.setBrush(Qt.BrushStyle.NoBrush)
    solid = Qt.PenStyle.SolidLine
    for color, width, line in ((tools.theme.text, 6.0, solid), (tools.theme.highlight, 3.0, style)):
        tools.painter.setPen(tools.pen(color, min(width, max(1.5, raster.cell / 4) * width / 6), line))
        tools.painter.drawRects(rects)


def _where(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    return list(zip(*(axis.tolist() for axis in np.nonzero(mask)), strict=True)) if mask.any() else []


def _fills(theme: Theme, cells: Cells) -> dict[str, tuple[QColor, NDArray[np.bool_]]]:
    """Yield the colour of each kind of cell with its mask; later kinds cover earlier ones."""
    rows, columns = cells.values.shape
    tint = tint_of(theme, cells.tint)
    strength = 0.16 if not theme.dark else 0.26
    kinds = {
        "unwritten": (theme.panel, 0.0, cells.view.existing & ~cells.written),
        "plain": (tint, strength, cells.written),
        "in_shared": (tint, strength + 0.28, cells.in_shared[:rows, :columns]),
        "read": (tint, 0.80, cells.read[:rows, :columns]),
        "wrote": (tint, 1.0, cells.wrote[:rows, :columns]),
    }
    return {kind: (mix(theme.panel, color, share), mask) for kind, (color, share, mask) in kinds.items()}


def _group_fills(
    theme: Theme, cells: Cells, groups: NDArray[np.int64] | None
) -> dict[str, tuple[QColor, NDArray[np.bool_]]]:
    """Return the hue of each group of threads with the mask of cells that it accesses."""
    if groups is None:
        return {}
    rows, columns = cells.values.shape
    own = groups[:rows, :columns]
    shown = np.where(own >= 0, own % HUES, -1)
    fills = {
        f"{_GROUP}{number}": (QColor(hue(theme, number)), shown == number) for number in np.unique(shown[shown >= 0])
    }
    return fills | {"several": (QColor(theme.panel), own == SEVERAL)}


def _paint_several(tools: Tools, cells: Cells, raster: Raster, groups: NDArray[np.int64] | None) -> None:
    """Hatch the cells that threads of several groups access."""
    if groups is not None:
        several = groups[: cells.values.shape[0], : cells.values.shape[1]] == SEVERAL
        _hatch(tools, several, raster, tools.theme.text, Qt.BrushStyle.Dense7Pattern)


def _colours(fills: dict[str, tuple[QColor, NDArray[np.bool_]]]) -> NDArray[np.uint32]:
    # Masks overlap: a cell that is read and written in one step has the colour of the later, "wrote".
    pixels = np.zeros(fills["plain"][1].shape, np.uint32)
    for color, mask in fills.values():
        pixels[mask] = color.rgb()
    return pixels


def paint_pixels(painter: QPainter, cells: Cells, raster: Raster, pixels: NDArray[np.uint32]) -> None:
    """Paint the colour of each cell, 0xffrrggbb."""
    rows, columns = pixels.shape
    if is_vector(painter):
        _paint_squares(painter, raster, pixels, cells.view.existing)
        return
    # One pixel for each cell, enlarged: one call instead of a rectangle for each cell.
    image = QImage(pixels.tobytes(), columns, rows, columns * 4, QImage.Format.Format_RGB32)
    for part, rect in part_rects(cells, raster):
        painter.drawImage(rect, image, QRectF(part.column, part.row, part.columns, part.rows))


def _paint_squares(painter: QPainter, raster: Raster, pixels: NDArray[np.uint32], existing: NDArray[np.bool_]) -> None:
    """Paint a rectangle for each cell, or for small cells of one colour that touch.

    They are a little too large: else the ground would be seen between two of them.
    """
    painter.setPen(Qt.PenStyle.NoPen)
    colors, first = np.unique(pixels[existing], return_index=True)
    for color in colors[np.argsort(first)].tolist():  # in the same order in light and dark pictures
        painter.setBrush(QColor.fromRgb(color))
        mask = existing & (pixels == color)
        rects = cell_rects(raster, _where(mask)) if raster.cell >= _SMALL else _run_rects(mask, raster)
        painter.drawRects([rect.adjusted(0, 0, _OVERLAP, _OVERLAP) for rect in rects])


def _paint_unwritten(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint a dot in uninitialised cells that are too small for a question mark."""
    if raster.cell < _QUESTION_MARK_CELL:
        unwritten = cells.view.existing & ~cells.written & ~padding_mask(cells)
        tools.painter.setPen(Qt.PenStyle.NoPen)
        tools.painter.setBrush(QBrush(QColor(tools.theme.border), Qt.BrushStyle.Dense6Pattern))
        tools.painter.drawRects(_run_rects(unwritten, raster))


def paint_grid(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint the lines between cells, and the frame of each part."""
    painter, cell, across = tools.painter, raster.cell, raster.across
    parts = part_rects(cells, raster)
    if cell >= 8:
        color = QColor(tools.theme.border)
        color.setAlphaF(1.0 if cell >= 14 else 0.55)
        # Rectangles one pixel wide at whole pixels: Qt fills them several times faster than others, and than lines.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        lines = []
        for part, rect in parts:
            whole = rect.toRect()
            between = [round(rect.x() + c * across) for c in range(part.columns + 1)]
            if color.alpha() == 255 or is_vector(painter):
                lines += [QRect(x, whole.y(), 1, whole.height()) for x in between]
            else:
                _blend_columns(painter, whole, between, color)
            lines += [QRect(whole.x(), round(rect.y() + r * cell), whole.width(), 1) for r in range(part.rows + 1)]
        painter.drawRects(lines)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_frame(tools, cells, raster)


def _blend_columns(painter: QPainter, rect: QRect, columns: list[int], color: QColor) -> None:
    """Blend a colour into columns one pixel wide, with one row of pixels that is enlarged down the rectangle.

    Qt takes several times longer for high rectangles with such a colour.
    """
    left = min(rect.x(), columns[0])
    row = QImage(columns[-1] + 1 - left, 1, QImage.Format.Format_ARGB32_Premultiplied)
    row.fill(Qt.GlobalColor.transparent)
    for x in columns:
        row.setPixelColor(x - left, 0, color)
    painter.drawImage(QRect(left, rect.y(), row.width(), rect.height()), row)


def paint_frame(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint the frame of each part."""
    painter, parts = tools.painter, part_rects(cells, raster)
    painter.setPen(tools.pen(mix(tools.theme.text, tint_of(tools.theme, cells.tint), 0.55), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if period := cells.view.period:  # rows side by side
        box, between = raster.box, range(period, raster.columns, period)
        painter.drawLines([QLineF(x, box.y, x, box.y + box.height) for x in map(raster.left, between)])
    if len(parts) > 1 and not raster.gaps.down and not raster.gaps.across:
        path = QPainterPath()
        for _, rect in parts:
            path.addRect(rect)
        painter.drawPath(path.simplified())  # rows that touch have one frame
    else:
        painter.drawRects([rect for _, rect in parts])


def _paint_zeros(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Hatch zeros that were stored without a read; beyond an edge paint dashed cells, small ones as a whole."""
    if not cells.zero.any():
        return
    painter, theme = tools.painter, tools.theme
    _hatch(tools, cells.zero, raster, theme.warning, Qt.BrushStyle.BDiagPattern)
    # Elements beyond an edge do not exist: the dashed cell stands for the read that the guard prevents.
    beyond = cells.zero.copy()
    beyond[: cells.values.shape[0], : cells.values.shape[1]] &= ~cells.view.existing
    if not beyond.any():
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(theme.warning, 2 if raster.cell >= 16 else 1, Qt.PenStyle.DashLine))
    if raster.cell < _SMALL:
        painter.drawPath(_outline(beyond, raster))
    else:
        ghosts = _where(beyond)
        painter.drawRects(cell_rects(raster, ghosts, 2))
        paint_texts(tools, raster, ghosts, ["0"] * len(ghosts), QColor(theme.text), halo=True)


def padding_mask(cells: Cells) -> NDArray[np.bool_]:
    """Return the mask of padding, without the overhang."""
    rows, columns = cells.values.shape
    mask = np.zeros((rows, columns), bool)
    mask[:, columns - cells.padding :] = True
    return mask


def _paint_padding(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Hatch padding, which holds no value."""
    if cells.padding:
        _hatch(tools, padding_mask(cells), raster, tools.theme.muted, Qt.BrushStyle.FDiagPattern)


def _hatch(tools: Tools, mask: NDArray[np.bool_], raster: Raster, color: QColor | str, pattern: Qt.BrushStyle) -> None:
    """Paint cells with a pattern over the background; the lines between them remain, where they are large enough."""
    rects = _run_rects(mask, raster) if raster.cell < _SMALL else cell_rects(raster, _where(mask), 1)
    tools.painter.setPen(Qt.PenStyle.NoPen)
    for brush in (QBrush(QColor(tools.theme.panel)), QBrush(QColor(color), pattern)):
        tools.painter.setBrush(brush)
        tools.painter.drawRects(rects)


def _paint_outside(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Paint a dashed cell with a cross for an element that does not exist and is accessed."""
    at = _where(cells.outside)
    if not at:
        return
    painter, color = tools.painter, QColor(tools.theme.hazard)
    painter.setBrush(QColor(tools.theme.panel))
    painter.setPen(tools.pen(color, 2.5 if raster.cell >= 16 else 1, Qt.PenStyle.DashLine))
    rects = cell_rects(raster, at, 2)
    painter.drawRects(rects)
    painter.setPen(tools.pen(color, 1.5 if raster.cell >= 16 else 1))
    for rect in rects:
        painter.drawLine(rect.topLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight(), rect.bottomLeft())


def _paint_landing(tools: Tools, cells: Cells, raster: Raster) -> None:
    """Outline elements whose addresses accesses outside have."""
    if at := _where(cells.landing):
        tools.painter.setBrush(Qt.BrushStyle.NoBrush)
        tools.painter.setPen(tools.pen(tools.theme.hazard, mark_width(raster)))
        tools.painter.drawRects(cell_rects(raster, at, 2))


def _paint_values(
    tools: Tools,
    cells: Cells,
    raster: Raster,
    fills: dict[str, tuple[QColor, NDArray[np.bool_]]],
    skip: NDArray[np.bool_] | None,
) -> None:
    if fitting_size(raster.cell, "0", raster.across) == 0:
        return
    rows, columns = cells.values.shape
    texts, sizes = cell_texts(cells, raster)
    existing = cells.view.existing
    zero = cells.zero[:rows, :columns] & existing
    hidden = (zero if skip is None else zero | skip[:rows, :columns]) | padding_mask(cells)
    # Text has the colour that contrasts with its cell, and a pen is set once for all texts of a colour: setting it
    # for each of 4,096 cells would take longer than painting them.
    names = list(fills)
    kind = np.zeros((rows, columns), np.int8)
    for number, (_, mask) in enumerate(fills.values()):
        kind[mask] = number
    for number, name in enumerate(names):
        # A cell that is read before anything is written to it has no value either.
        missing = _where((kind == number) & ~hidden & existing & ~cells.written)
        used = name != "unwritten"
        if missing and raster.cell >= (_SMALL if used else _QUESTION_MARK_CELL):
            mark = max(raster.cell * (0.46 if used else 0.34), SMALLEST_TEXT)
            ink = ink_on(fills[name][0]) if used else QColor(tools.theme.muted)
            paint_texts(tools, raster, missing, ["?"] * len(missing), ink, mark, used)
        at = _where((kind == number) & ~hidden & cells.written)
        for size, some in _by_size(at, sizes):
            shown = [texts[c][r] for r, c in some]
            used = name not in _AT_REST
            bold = 0.0
            if used:  # within the outline of an access
                room = raster.across - 2 * mark_width(raster)
                bold = fitting_size(raster.cell, shown, room)
                size = min(size, bold or SMALLEST_TEXT)
            paint_texts(tools, raster, some, shown, ink_on(fills[name][0]), size, bold > 0)
    for size, some in _by_size(_where(zero), sizes):
        shown = [texts[c][r] for r, c in some]
        paint_texts(tools, raster, some, shown, QColor(tools.theme.text), size, halo=True)


def paint_texts(
    tools: Tools,
    raster: Raster,
    at: list[tuple[int, int]],
    texts: list[str],
    color: QColor,
    size: float = 0.0,
    bold: bool = False,
    halo: bool = False,
) -> None:
    """Paint a text in each cell; without a size, in the largest that fits."""
    size = size or fitting_size(raster.cell, texts, raster.across)
    if not size:
        return
    if halo:
        tools.painter.setPen(Qt.PenStyle.NoPen)
        tools.painter.setBrush(QColor(tools.theme.panel))
        side = min(size * 1.3, raster.cell * 0.7)
        tools.painter.drawRects(
            [QRectF(r.center().x() - side / 2, r.center().y() - side / 2, side, side) for r in cell_rects(raster, at)]
        )
    tools.text_painter.start(tools.painter, size, color, bold or halo)
    right, down = raster.across / 2, raster.cell / 2
    places = [(raster.left(c) + right, raster.top(r) + down) for r, c in at]
    tools.text_painter.draw_all_centred(tools.painter, places, texts, size, bold or halo)


def mark_width(raster: Raster) -> float:
    """Return the width of the outline of a cell that the step accesses: thin where three digits fill the cell."""
    if _SMALL <= raster.across < _NARROW:
        return 1.0
    return 3.5 if raster.cell >= 30 else 2.0


def paint_marks(tools: Tools, cells: Cells, raster: Raster, skip: NDArray[np.bool_] | None) -> None:
    """Outline cells that are read, fill a corner of cells that are written, dash cells present in shared memory."""
    painter, cell = tools.painter, raster.cell
    # Colour is not the only mark, for colour-blind viewers: outline for reads, filled corner for writes.
    width = mark_width(raster)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(tools.pen(mix(tools.theme.text, tint_of(tools.theme, cells.tint), 0.3), 2, Qt.PenStyle.DashLine))
    regions = (_filled(cells.in_shared, part, raster) for part in cells.view.parts if cells.in_shared.any())
    painter.drawRects([region for region in regions if region is not None])
    painter.setPen(tools.pen(tools.theme.text, width))
    shown = True if skip is None else ~skip
    for mask in (cells.read & shown, cells.wrote & shown):
        if cell < _SMALL:
            painter.drawPath(_outline(mask, raster))
        else:
            painter.drawRects(cell_rects(raster, _where(mask), width / 2))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tools.theme.text))
    part = cell * 0.28
    for rect in cell_rects(raster, _where(cells.wrote & shown)):
        corner = rect.bottomRight()
        painter.drawPolygon(QPolygonF([corner, corner - QPointF(part, 0), corner - QPointF(0, part)]))


def _run_rects(mask: NDArray[np.bool_], raster: Raster) -> list[QRectF]:
    """Return rectangles of neighbouring cells of a mask, row by row."""
    if not mask.any():
        return []
    # Where the mask changes along a row, a run of cells begins or ends.
    inside = np.zeros((mask.shape[0], mask.shape[1] + 2), bool)
    inside[:, 1:-1] = mask
    row, edge = np.nonzero(inside[:, 1:] != inside[:, :-1])
    ends = zip(row[::2].tolist(), edge[::2].tolist(), edge[1::2].tolist(), strict=True)
    runs = ((at, run) for at, first, last in ends for run in raster.runs(first, last))
    boxes = (raster.rect(at, begin, columns=end - begin) for at, (begin, end) in runs)
    return [QRectF(box.x, box.y, box.width, box.height) for box in boxes]


def _outline(mask: NDArray[np.bool_], raster: Raster) -> QPainterPath:
    """Return the outline of all cells of a mask together."""
    path = QPainterPath()
    for rect in _run_rects(mask, raster):
        path.addRect(rect)
    return path.simplified()


def _filled(mask: NDArray[np.bool_], part: Part, raster: Raster) -> QRectF | None:
    """Return the rectangle in pixels that a mask fills completely within a part, or None."""
    at = np.argwhere(mask[part.row : part.row + part.rows, part.column : part.column + part.columns])
    if not len(at):
        return None
    (top, left), (bottom, right) = at.min(axis=0).tolist(), (at.max(axis=0) + 1).tolist()
    if (bottom - top) * (right - left) != len(at):
        return None
    box = raster.rect(part.row + top, part.column + left, bottom - top, right - left)
    return QRectF(box.x, box.y, box.width, box.height)


def cell_texts(cells: Cells, raster: Raster) -> tuple[list[list[str]], list[float]]:
    """Return the text of every value and its font size in pixels, 0 where no digits fit.

    All columns have one size, except those of structs: each member has its own. A few values too long for it are
    left out. A pointer is an arrow.
    """
    columns, members = cells.values.shape[1], len(set(cells.view.heads))
    texts, sizes = [[""]] * columns, [0.0] * columns
    # What fills an uninitialised element is no value, and may be long.
    given = np.where(cells.written, cells.values.astype(object), "")
    for member in range(members or 1):
        part = slice(member, None, members or 1)
        values: list[list[float | str]] = given[:, part].T.tolist()
        if cells.view.pointers or (cells.view.members is not None and cells.view.members.pointer(member)):
            values = [[_POINTER if value else "0" for value in column] for column in values]
        texts[part], size = _value_texts(values, raster)
        sizes[part] = [size] * len(values)
    return texts, sizes


def _value_texts(values: list[list[float | str]], raster: Raster) -> tuple[list[list[str]], float]:
    """Write columns in one size with as many digits as fit; if only a few values do not fit, these are left out."""
    texts: list[list[str]] = []
    # Fewer digits are better than smaller text: 0.125 in two digits is 0.12.
    for digits in (3, 2):
        texts = [[v if isinstance(v, str) else number_text(v, digits) for v in column] for column in values]
        size = fitting_size(raster.cell, (text for column in texts for text in column), raster.across, bold=False)
        if size:
            return texts, size
    fits = {
        text: bool(fitting_size(raster.cell, [text], raster.across, bold=False)) for column in texts for text in column
    }
    shown = [text for column in texts for text in column if text]
    if sum(fits[text] for text in shown) < _LEAST_SHOWN * len(shown):
        return texts, 0.0
    texts = [[text if fits[text] else _OMITTED for text in column] for column in texts]
    return texts, fitting_size(raster.cell, (text for column in texts for text in column), raster.across, bold=False)


def _by_size(at: list[tuple[int, int]], sizes: list[float]) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """Yield (size, cells) for each font size above 0."""
    for size in sorted(set(sizes) - {0.0}):
        if chosen := [(r, c) for r, c in at if sizes[c] == size]:
            yield size, chosen
