"""Paint a scene: titles, arrays, threads, arrows, legend."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.explore.packing.boxes import Box, title_width
from gui.explore.packing.constants import APART, AXES_LINES, EDGE, HEADING_BASE, HEADING_LEFT, TITLE_HEIGHT, TITLE_TOP
from gui.explore.packing.folding import block_arrangement
from gui.explore.packing.layout import arrange
from gui.explore.packing.lens import magnified_cells
from gui.explore.points.paint_points import paint_points
from gui.explore.stage.block_places import magnified_axes
from gui.explore.stage.colouring import element_groups
from gui.explore.stage.legend import legend_of, paint_legend
from gui.explore.stage.paint_barrier import paint_barrier
from gui.explore.stage.paint_blocks import paint_axes, paint_blocks
from gui.explore.stage.paint_cells import Tools, paint_cells, paint_focus, tint_of
from gui.explore.stage.paint_flows import paint_arrows, paint_bands
from gui.explore.stage.paint_indices import paint_indices, paint_slice_titles
from gui.explore.stage.paint_lens import paint_lens
from gui.explore.stage.paint_map import map_box, paint_map
from gui.explore.stage.paint_queues import paint_queue_arrows, paint_queues
from gui.explore.stage.paint_race import paint_race, paint_race_arrows
from gui.explore.stage.paint_reads import paint_reads
from gui.explore.stage.paint_shuffles import paint_shuffles, paint_warp_shuffles
from gui.explore.stage.paint_threads import paint_hazards, paint_thread_focus, paint_threads
from gui.explore.stage.paint_wrong import paint_wrong
from gui.explore.stage.text_log import TextLog
from gui.explore.warp.paint_warp import paint_warp
from gui.theming.style import mix
from kernels.control_characters import escape_controls
from kernels.narration.words import vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gui.explore.packing.boxes import Raster
    from gui.explore.packing.layout import Layout
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.text_painter import TextPainter
    from gui.theming.theme import Theme


def paint_scene(
    painter: QPainter,
    scene: Scene,
    theme: Theme,
    text_painter: TextPainter,
    width: float,
    height: float,
    line: float,
    *,
    legend: bool = True,
) -> Layout:
    """Paint a scene into (0, 0, width, height) and return its layout."""
    layout = arrange(scene, width, height, line, legend=legend)
    texts = TextLog(text_painter)
    tools = Tools(painter, theme, texts, layout.line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0, 0, width, height), QColor(theme.panel))
    if layout.warp is not None:
        paint_warp(tools, scene, layout.warp)
        if layout.warp.table is not None:
            paint_warp_shuffles(tools, scene, layout.warp.table)
        texts.paint_crossed(painter, tools.over_texts)
    if layout.only_warp:
        if legend:
            paint_legend(tools, legend_of(scene, layout), layout.legend)
        return layout
    # From back to front: bands would hide numbers if they were painted after the cells, and an arrow must cross
    # everything that it passes, except for texts.
    if scene.points is not None and layout.points is not None:
        paint_points(tools, scene.points, layout.points)
    _paint_corner(tools, scene, layout)
    _paint_launch(tools, scene, layout, width)
    paint_bands(tools, scene, layout)
    skip = _thread_cells(scene, layout)
    for number, (cells, raster) in enumerate(zip(scene.cells, layout.rasters, strict=True)):
        if cells.reads is None:
            paint_cells(tools, cells, raster, skip if number == scene.result else None, element_groups(scene, number))
        else:
            paint_reads(tools, cells, raster)
        named = layout.labelled and not layout.strips
        at = map_box(cells, raster, tools.line)
        right = _right_of(layout, raster, width) if at is None else at.x - tools.line * EDGE
        _paint_title(tools, scene, number, raster, right, named=named)
        paint_map(tools, cells, raster)
        paint_indices(tools, cells, raster)
    paint_blocks(tools, scene, layout)
    _paint_threads(tools, scene, layout)
    for cells, raster in zip(scene.cells, layout.rasters, strict=True):
        paint_wrong(tools, cells.wrong, raster)
        paint_focus(tools, cells.cause, raster, Qt.PenStyle.DashLine)
        paint_focus(tools, cells.focus, raster)
    area, titles = Box(0, 0, width, layout.legend.y), _titles(tools, scene, layout)
    avoid = [*_numbers(layout), *titles]
    paint_arrows(tools, scene, layout, area, avoid)
    paint_shuffles(tools, scene, layout)
    ends = paint_race_arrows(tools, scene, layout, area, avoid)
    plates = paint_queue_arrows(tools, scene, layout, area, avoid, texts.inks()) if scene.queues else []
    texts.paint_crossed(painter, tools.over_texts)
    paint_queues(tools, scene, plates)
    if scene.barrier_line is not None:
        paint_barrier(tools, scene, layout, area, avoid, texts.inks())
    _paint_hazards(tools, scene, layout)
    _paint_output(tools, scene, layout)
    if legend:
        paint_legend(tools, legend_of(scene, layout), layout.legend)
    kept = [*ends, *(QRectF(box.x, box.y, box.width, box.height) for box in titles)]
    paint_race(tools, scene, layout, area, kept, texts.inks)
    return layout


def _thread_cells(scene: Scene, layout: Layout) -> NDArray[np.bool_] | None:
    """Return the cells of the result whose numbers are omitted because a thread is drawn on them."""
    if scene.result is None or layout.strips:
        return None
    mask = np.zeros((layout.thread_raster.rows, layout.thread_raster.columns), bool)
    threads = scene.threads
    # Labelled threads show the result themselves; a dot marks a thread until its result is stored.
    drawn = threads.visible & (layout.labelled | ~(threads.stored | scene.on_values))
    mask[threads.row[drawn], threads.column[drawn]] = True
    return mask


def _paint_corner(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint the boxes for the block's resources on an SM: shared memory, threads and their registers."""
    for box, texts, barrier in _headings(scene, layout):
        _paint_box(tools, layout, box, texts, barrier)


def _headings(scene: Scene, layout: Layout) -> Iterator[tuple[Box, tuple[str, ...], bool]]:
    """Yield each box with its headings, the longest first, and whether it shows a barrier."""
    block = f"Block {scene.index_text(scene.block_index)}"
    waiting = f" – {scene.barrier_words}" if scene.barrier else ""
    values = f" and {scene.threads.value_words}" if scene.threads.value_words and layout.shows_values(scene) else ""
    nouns = vocabulary_of(on_cpu=scene.on_cpu)
    named = scene.threads.value_name if layout.shows_values(scene) else ""
    plain = " · ".join(filter(None, (_capital(nouns.threads), named)))
    threads = f"{nouns.threads}{values}"
    if layout.corner is not None:
        shared = any(cells.view.place == "shared" for cells in scene.cells)
        what = _capital(threads) if scene.on_cpu else f"{block}: {'shared memory' if shared else threads}"
        least = "Shared memory" if shared else plain
        yield layout.corner, (f"{what}{waiting}", what, _capital(what.rpartition(": ")[2]), least), scene.barrier
    if layout.own is not None:
        yield layout.own, _own_words(scene, block), False
    if layout.block is not None:
        yield layout.block, (f"{block}: {threads}", _capital(threads), plain), scene.barrier


def _numbers(layout: Layout) -> list[Box]:
    """Return the rectangles of cells and of the legend, which arrows avoid."""
    rasters = [raster for raster in (*layout.rasters, layout.thread_raster, layout.zoom) if raster is not None]
    return [layout.legend, *dict.fromkeys(raster.box for raster in rasters)]


def _titles(tools: Tools, scene: Scene, layout: Layout) -> list[Box]:
    """Return the rectangles of titles and headings, which arrows avoid, and the labels of a race."""
    line, found = tools.line, []
    for cells, raster in zip(scene.cells, layout.rasters, strict=True):
        title = title_width(cells.view.title, cells.view.detail, line)
        found.append(Box(raster.x, raster.y - raster.above - line * TITLE_TOP, title, line * TITLE_HEIGHT))
    for box, texts, _ in _headings(scene, layout):
        text, size = _heading(tools, texts, _heading_room(layout, box))
        found.append(
            Box(box.x + line * HEADING_LEFT, box.y + line * APART, tools.text_painter.width(text, size, True), line)
        )
    return found


def _capital(words: str) -> str:
    """Capitalise the first letter; the rest stays as it is."""
    return words[:1].upper() + words[1:]


def _own_words(scene: Scene, block: str) -> tuple[str, ...]:
    """Return headings for the box of a thread's local arrays, the longest first."""
    number = scene.lane - scene.threads.first_lane
    thread = f"thread {scene.index_text(scene.threads.index[number])}"
    what = "Local array" + "s" * (sum(cells.view.place == "local" for cells in scene.cells) > 1)
    if scene.on_cpu:
        return (f"{what} of worker {number}",)
    return f"{what} of {thread} in {block.lower()}", f"{what} of {thread}", f"Local: {thread}"


def _heading_room(layout: Layout, box: Box) -> float:
    """Return the width for the heading of a box: up to the arrays or threads that lie beside it."""
    line, room = layout.line, box.width - layout.line
    tops = [(raster, raster.y - raster.above - 2.5 * line, 1.2) for raster in layout.rasters]
    if layout.zoom is not None:
        tops.append((layout.zoom, layout.zoom.y - 0.3 * line, AXES_LINES))
    for raster, top, left in tops:
        if box.x <= raster.x <= box.x + box.width and box.y <= top < box.y + 1.5 * line:
            room = min(room, raster.x - left * line - box.x)
    return room


def _paint_box(tools: Tools, layout: Layout, box: Box, texts: tuple[str, ...], barrier: bool) -> None:
    """Paint a box with the first heading that fits, or else with the last one in a smaller size."""
    painter, theme = tools.painter, tools.theme
    painter.setPen(tools.pen(theme.warning, 4.0) if barrier else tools.pen(theme.accent, 2.0))
    painter.setBrush(mix(theme.panel, theme.window, 0.6))
    painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height), 10, 10)
    text, size = _heading(tools, texts, _heading_room(layout, box))
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.text), True)
    left, baseline = box.x + tools.line * HEADING_LEFT, box.y + tools.line * HEADING_BASE
    tools.text_painter.draw_from(tools.painter, left, baseline, text, size, True)


def _heading(tools: Tools, texts: tuple[str, ...], room: float) -> tuple[str, float]:
    """Return the first heading that fits, or else the last one, and its size."""
    size = tools.line * 0.86
    text = next((text for text in texts if tools.text_painter.width(text, size, True) <= room), texts[-1])
    while size > 11 and tools.text_painter.width(text, size, True) > room:
        size -= 1
    return text, size


_LETTER_WIDTH = 0.56
"""Average width of a letter, in heights of the text."""

_IN_PARENTHESES: Final = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")

_LEAST_PRINTED = 0.64
"""Smallest text of printed lines, in lines of the picture's text; longer lines are broken."""


def _paint_launch(tools: Tools, scene: Scene, layout: Layout, width: float) -> None:
    """Paint the launch itself, one cell for each thread, if no array is computed."""
    if scene.result is not None:
        return
    painter, theme, thread_raster = tools.painter, tools.theme, layout.thread_raster
    right = layout.output.x if layout.output is not None else width
    details = f"{scene.grid} blocks of {scene.block_dim} threads", f"{scene.grid} blocks of {scene.block_dim}"
    room = right - thread_raster.x - title_width("Grid", "", tools.line) - tools.line
    detail = next((text for text in details if tools.text_painter.width(text, tools.line * 0.8) <= room), details[-1])
    _title(tools, thread_raster, "Grid", "" if thread_raster.beside else detail, theme.text)
    paint_slice_titles(tools, scene.launch, thread_raster)
    painter.setPen(tools.pen(theme.border, 1))
    for box in scene.blocks:
        tint = 0.20 if box.done else 0.0
        painter.setBrush(mix(theme.panel, theme.matrix_c, tint))
        for r in range(box.rows):
            for c in range(box.columns):
                cell = thread_raster.rect(box.row + r, box.column + c)
                painter.drawRect(QRectF(cell.x, cell.y, cell.width, cell.height))


def _right_of(layout: Layout, raster: Raster, width: float) -> float:
    """Return the right edge of the room for a title: where the next array in its row begins."""
    others = (other.x - layout.line for other in layout.rasters if other.x > raster.x and other.y == raster.y)
    return min(others, default=width if layout.output is None else layout.output.x)


def _paint_title(tools: Tools, scene: Scene, number: int, raster: Raster, right: float, *, named: bool) -> None:
    """Paint name and shape, and if there is room the number of threads outside, or the name of `named` values in them.

    Threads on the result show the value of a register without its name where they are small.
    """
    view, reads = scene.cells[number].view, scene.cells[number].reads
    detail, outside = view.detail, scene.threads.beyond if number == scene.result else 0
    room = right - raster.x - title_width(view.title, detail, tools.line)
    more = [f"   +{outside:,} threads outside", f"   +{outside:,} outside"] if outside else []
    name = scene.threads.register_name
    if number == scene.result and named and name and scene.threads.has_value.any():
        more = [f"   {name} in {vocabulary_of(on_cpu=scene.on_cpu).threads}", f"   {name}"]
    if reads is not None:
        # The numbers in the cells are no values: the title says so, in place of the shape.
        counts = reads[view.existing]
        detail = f"read {counts.max()}×" if counts.min() == counts.max() else f"read {counts.min()}…{counts.max()}×"
    for words in more:
        if tools.text_painter.width(words, tools.line * 0.8) <= room:
            detail += words
            break
    color = mix(tools.theme.text, tint_of(tools.theme, scene.cells[number].tint), 0.35).name()
    inside = view.place in ("shared", "local")
    _title(tools, raster, view.title, detail, color, numbered=not inside or bool(view.detail or view.heads))


def _title(tools: Tools, raster: Raster, name: str, detail: str, color: str, *, numbered: bool = True) -> None:
    """Paint a title above the numbers of the columns, if there are any."""
    painter = tools.painter
    size = tools.line * 1.1
    left, y = raster.x - raster.beside, raster.y - raster.above - tools.line * (1.35 if numbered else 0.45)
    if raster.beside:  # at the level of the first row
        y = raster.y + raster.cell / 2 + size * 0.36
    tools.text_painter.start(painter, size, QColor(color), True)
    tools.text_painter.draw_from(painter, left, y, name, size, True)
    if not detail:
        return
    x, small = left + tools.text_painter.width(name, size, True) + tools.line * 0.45, tools.line * 0.8
    shape, more, outside = detail.partition("   ")
    if raster.beside and more:  # there is no room to the right: above, beside the threads
        tools.text_painter.start(painter, small, QColor(tools.theme.muted))
        tools.text_painter.draw_from(painter, left, y - size * 1.2, outside, small)
        detail = shape
    tools.text_painter.start(painter, small, QColor(tools.theme.muted))
    tools.text_painter.draw_from(painter, x, y, detail, small)


def _paint_threads(tools: Tools, scene: Scene, layout: Layout) -> None:
    threads = scene.threads
    place = threads.row, threads.column, threads.visible
    on_result = scene.result is not None and not layout.strips
    paint_threads(tools, scene, layout.thread_raster, *place, layout.labelled, on_result=on_result, above=layout.strips)
    paint_thread_focus(tools, scene, layout.thread_raster, *place)
    if not scene.on_cpu and not layout.strips:
        paint_axes(tools, scene.axes, layout.thread_raster)
    if layout.zoom is None:
        return
    row, column, shown = magnified_cells(scene.block_dim, layout.lens)  # also those without a cell on the result
    if layout.lens is None:
        _paint_warps(tools, scene, layout.zoom)
    if layout.block is None and any(cells.view.place == "shared" for cells in scene.cells):
        alone = scene.block_dim.count == 1
        detail = scene.threads_detail if layout.shows_values(scene) else str(scene.block_dim)
        if layout.zoom.beside:
            detail = scene.threads.register_name if layout.shows_values(scene) else ""
        _title(tools, layout.zoom, "Threads", detail, tools.theme.text, numbered=not alone)
    paint_threads(tools, scene, layout.zoom, row, column, shown, labelled=True, on_result=False)
    if layout.lens is not None:
        paint_lens(tools, scene, layout, layout.lens)
    if not scene.on_cpu:
        paint_axes(tools, magnified_axes(scene.block_dim), layout.zoom, beside=True)
    paint_thread_focus(tools, scene, layout.zoom, row, column, shown)


def _paint_hazards(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint the badges of hazards, which nothing may cover: a thread in focus is often the one with a hazard."""
    threads, unmarked = scene.threads, np.ones(len(scene.threads.row), bool)
    if scene.race is not None:
        unmarked[list(scene.race.threads)] = False  # rings and labels mark the threads of a race
    paint_hazards(tools, scene, layout.thread_raster, threads.row, threads.column, threads.visible & unmarked)
    if layout.zoom is not None:
        row, column, shown = magnified_cells(scene.block_dim, layout.lens)
        paint_hazards(tools, scene, layout.zoom, row, column, shown & unmarked)


def _paint_warps(tools: Tools, scene: Scene, zoom: Raster) -> None:
    """Title the parts of the magnified block: a warp each row, or z."""
    shape = block_arrangement(scene.block_dim)
    if shape.kind == "slices":
        paint_slice_titles(tools, shape, zoom)
    if shape.kind != "strip" or scene.on_cpu or not (zoom.above or zoom.gaps.down):
        return
    if len(scene.shuffles.threads):
        return  # the arrows between lanes need the room above them
    size = tools.line * 0.72
    tools.text_painter.start(tools.painter, size, QColor(tools.theme.muted))
    for part in shape.parts if zoom.gaps.numbers else shape.parts[:1]:
        first = part.row * shape.width
        text = (
            f"warp {part.row}, threads {first} to {first + part.columns - 1}" if zoom.gaps.numbers else "a warp a row"
        )
        width = tools.text_painter.width(text, size)
        x, y = zoom.left(0) + width / 2, zoom.top(part.row) - tools.line * EDGE
        tools.text_painter.draw_centred(tools.painter, x, y, text, size)


def _paint_output(tools: Tools, scene: Scene, layout: Layout) -> None:
    """Paint the lines printed so far; the newest is always visible."""
    if layout.output is None:
        return
    painter, theme, box = tools.painter, tools.theme, layout.output
    frame = QRectF(box.x, box.y, box.width, box.height)
    painter.setPen(tools.pen(theme.border, 1.5))
    painter.setBrush(QColor(theme.window))
    painter.drawRoundedRect(frame, 8, 8)
    tools.text_painter.start(painter, tools.line * 0.86, QColor(theme.text), True)
    painter.drawText(QPointF(box.x, box.y - tools.line * EDGE), _printed_heading(scene))
    lines = [escape_controls(text.rstrip("\n")) for text in scene.printed]
    across = (box.width - tools.line) / _LETTER_WIDTH  # pixels, in a text one pixel high
    longest = max(map(len, lines), default=1) or 1
    # As large as the longest line allows, but neither larger than other text nor unreadably small.
    size = min(tools.line * 0.82, max(across / longest, 11.0, tools.line * _LEAST_PRINTED))
    room = int((box.height - tools.line) // (size * 1.5))
    shown: list[str] = []
    for text in reversed(lines[-room:]):
        parts = _wrapped(text, int(across / size))
        if shown and len(parts) + len(shown) > room:
            break
        shown[:0] = parts
    tools.text_painter.start(painter, size, QColor(theme.text))
    for n, text in enumerate(shown[-room:]):
        painter.drawText(QPointF(box.x + tools.line * EDGE, box.y + tools.line * EDGE + (n + 1) * size * 1.5), text)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a line at spaces, but not inside the parentheses of an index or a point, nor at the sign of a number."""
    joined = _IN_PARENTHESES.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    return wrap(joined, width, subsequent_indent="    ", break_on_hyphens=False) or [""]


def _printed_heading(scene: Scene) -> str:
    lines = len(scene.printed)
    return f"printf: {lines:,} line{'' if lines == 1 else 's'} {'in the whole run' if scene.printed_all else 'so far'}"
