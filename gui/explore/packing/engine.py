"""Packing of arrays into boxes: frames around their contents, and the scale of the picture. Pure geometry, no Qt.

A template places the arrays in global memory at a scale, which is the height of their cells, and names the free
rectangles around them. Frames with the block's shared memory, its threads and a thread's own arrays take these. The
objective is the smallest cell that must be read: the sum of 1 / cell over arrays and frames is made as small as it
gets, where cells beyond a readable size count as that. Of equals the larger scale is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from gui.explore.packing.boxes import Box, Raster, Shape
from gui.explore.packing.constants import (
    ARRAYS_WEIGHT,
    ASIDE_HEIGHT,
    AXES_LINES,
    ENOUGH_CELL,
    FRAME_HEAD,
    FRAME_PAD,
    HEAD,
    HEADINGS,
    INNER_GAP,
    INNER_GUTTER,
    LABELLED_CELL,
    LARGEST_INSIDE,
    LEAST_SCALE,
    LENS_COST,
    LENS_WORDS,
    NEXT_SCALE,
    NUMBERED_CELL,
    ONE_SCALE,
    PARTED_CELL,
    READ_CELL,
    SEEN_CELL,
    SINGLE,
    THREADS_HEAD,
    UNREAD_CELL,
    WIDER,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Kind = Literal["shared", "threads", "local"]

CELLS: Final = (*(float(n) for n in range(120, 5, -1)), 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0)
"""Heights of cells in pixels that are tried, the largest first; the last one is taken even if it does not fit."""

_FEW: Final = 6
"""Arrays of which every division into lines is tried: 32 ways."""


class Option(NamedTuple):
    """One way to arrange the contents of a frame at a scale."""

    width: float
    height: float
    lines: tuple[int, ...]
    """Number of arrays in each line."""
    aside: bool
    """True if the heading is left of the contents, and not above them."""


@dataclass(eq=False)
class Group:
    """Contents of a frame."""

    kind: Kind
    items: tuple[Shape, ...]
    line: float
    """Height of a line of text, pixels."""
    largest: float = LARGEST_INSIDE
    """Largest cell, pixels."""
    least: float = 0.0
    """Least cell that shows what it is to show; 0 for any."""
    words: bool = False
    """True if words are below the contents."""
    _options: dict[float, tuple[Option, ...]] = field(default_factory=dict)

    @property
    def _titled(self) -> bool:
        return self.kind != "threads"

    @property
    def _rooms(self) -> tuple[float, float, float]:
        """Room above a line of arrays, left of each, and between two, pixels."""
        found = (HEAD, INNER_GUTTER, INNER_GAP) if self._titled else (THREADS_HEAD, AXES_LINES, 0.0)
        head, gutter, gap = found
        return head * self.line, gutter * self.line, gap * self.line

    def _items(self, cell: float) -> tuple[Shape, ...]:
        return tuple(item.joined() for item in self.items) if cell < PARTED_CELL else self.items

    def options(self, cell: float) -> tuple[Option, ...]:
        """Return the ways to arrange the contents with cells of a height."""
        cell = min(cell, self.largest)
        if cell not in self._options:
            self._options[cell] = tuple(self._arranged(self._items(cell), cell))
        return self._options[cell]

    def _arranged(self, items: tuple[Shape, ...], cell: float) -> Iterator[Option]:
        line, (head, gutter, gap) = self.line, self._rooms
        heading, foot = HEADINGS[self.kind] * line, LENS_WORDS * line if self.words else 0.0
        right = 0.0 if self._titled else gutter / 2
        widths = [max(item.across * cell + item.gap_width, item.title) + gutter for item in items]
        heights = [item.rows * cell + item.gap_height + head for item in items]
        for lines in _divisions(len(items)):
            ends = [sum(lines[:n]) for n in range(len(lines) + 1)]
            width = max(sum(widths[a:b]) + (b - a - 1) * gap for a, b in pairwise(ends)) + right
            height = sum(max(heights[a:b]) for a, b in pairwise(ends)) + foot
            yield Option(
                max(width, heading) + 2 * FRAME_PAD * line, height + (FRAME_HEAD + FRAME_PAD) * line, lines, aside=False
            )
            if height <= ASIDE_HEIGHT * line:
                wide = width + heading + 2 * FRAME_PAD * line
                yield Option(wide, height + 1.5 * FRAME_PAD * line, lines, aside=True)

    def place(self, option: Option, x: float, y: float, cell: float) -> tuple[Raster, ...]:
        """Return the rasters of the contents in a frame with its upper left corner at (x, y)."""
        cell = min(cell, self.largest)
        line, (head, gutter, gap) = self.line, self._rooms
        left = x + FRAME_PAD * line + (HEADINGS[self.kind] * line if option.aside else 0.0)
        y += FRAME_PAD / 2 * line if option.aside else FRAME_HEAD * line
        found, rest = [], list(self._items(cell))
        for count in option.lines:
            part, rest = rest[:count], rest[count:]
            at = left
            for item in part:
                single = self._titled and item.rows == item.columns == 1
                up = SINGLE * line if single else 0.0
                found.append(
                    Raster(
                        at + gutter + item.beside,
                        y + head + item.above - up,
                        cell + up,
                        item.rows,
                        item.columns,
                        item.wide,
                        item.gaps,
                        item.above,
                    )
                )
                at += gutter + max(item.across * cell + item.gap_width, item.title) + gap
            y += head + max(item.rows * cell + item.gap_height for item in part)
        return tuple(found)

    def changed(self, items: tuple[Shape, ...], largest: float = 0.0) -> Group:
        """Return the group with other shapes, and another largest cell."""
        return replace(self, items=items, largest=largest or self.largest, _options={})


def _divisions(count: int) -> Iterator[tuple[int, ...]]:
    """Yield every division of a few items into lines; for many items, only equal lines."""
    if count <= _FEW:
        for breaks in product((False, True), repeat=count - 1):
            ends = [0, *(n + 1 for n, broken in enumerate(breaks) if broken), count]
            yield tuple(b - a for a, b in pairwise(ends))
    else:
        for across in range(1, count + 1):
            whole, rest = divmod(count, across)
            yield (across,) * whole + ((rest,) if rest else ())


class Slot(NamedTuple):
    """A free rectangle of a template."""

    box: Box
    right: bool = False
    """True if frames lie at its right edge, next to the arrays."""
    top: float = 0.0
    """Upper edge of frames, pixels, if they are not as high as to begin above it."""
    shared: bool = True
    """True for the place where a reader expects shared memory."""


class Framed(NamedTuple):
    """A frame with its contents."""

    group: Group
    box: Box
    rasters: tuple[Raster, ...]
    cell: float


def fill(groups: Sequence[Group], slot: Slot, line: float) -> tuple[Framed, ...] | None:
    """Place frames beside each other or above each other, with the largest cells; None if there is no room for them.

    The smallest cell is made as large as it gets, then each that can be larger still.
    """
    found = [tried for down in (False, True)[: len(groups)] if (tried := _filled(groups, slot, line, down=down))]
    return max(found, key=lambda framed: -cost_of(framed), default=None)


def _filled(groups: Sequence[Group], slot: Slot, line: float, *, down: bool) -> tuple[Framed, ...] | None:
    box, gap = slot.box, FRAME_PAD * line
    width, height = box.width, box.height

    def chosen(groups: Sequence[Group], cells: Sequence[float]) -> tuple[Option, ...] | None:
        """Return the options with which everything fits, with headings above the contents if possible."""
        return picked(groups, cells, aside=False) or picked(groups, cells, aside=True)

    def picked(groups: Sequence[Group], cells: Sequence[float], *, aside: bool) -> tuple[Option, ...] | None:
        """Return for each group the option that is shortest along the line of frames; None if they do not fit."""
        found: list[Option] = []
        for group, cell in zip(groups, cells, strict=True):
            options = (option for option in group.options(cell) if aside or not option.aside)
            if down:
                best = min((o for o in options if o.width <= width), key=lambda o: o.height, default=None)
            else:
                best = min((o for o in options if o.height <= height), key=lambda o: o.width, default=None)
            if best is None:
                return None
            found.append(best)
        taken = sum(o.height if down else o.width for o in found) + gap * (len(found) - 1)
        return tuple(found) if taken <= (height if down else width) else None

    def fits_all(cell: float) -> bool:
        return chosen(groups, [cell] * len(groups)) is not None

    start = bisect_left(CELLS, True, key=fits_all)
    if start == len(CELLS):
        return None
    cells = [CELLS[start]] * len(groups)
    if len(groups) > 1:
        for n in range(len(groups)):
            others = cells[:n], cells[n + 1 :]

            def fits_raised(cell: float, others: tuple[list[float], list[float]] = others) -> bool:
                return chosen(groups, [*others[0], cell, *others[1]]) is not None

            cells[n] = CELLS[bisect_left(CELLS, True, hi=start, key=fits_raised)]
    cells = [min(cell, group.largest) for group, cell in zip(groups, cells, strict=True)]
    groups = list(groups)
    for n, group in enumerate(groups):
        for readable in {item.readable for item in group.items} - {0.0}:
            for wide in WIDER:
                if cells[n] * wide <= readable:
                    items = tuple(i.stretched(wide) if i.readable == readable else i for i in groups[n].items)
                    other = [*groups[:n], groups[n].changed(items), *groups[n + 1 :]]
                    if chosen(other, cells):
                        groups = other
                        break
    options = chosen(groups, cells)
    assert options is not None
    return tuple(_framed(groups, cells, options, slot, gap, down=down))


def _framed(
    groups: Sequence[Group], cells: Sequence[float], options: Sequence[Option], slot: Slot, gap: float, *, down: bool
) -> Iterator[Framed]:
    box = slot.box
    wide = max(o.width for o in options) if down else sum(o.width for o in options) + gap * (len(options) - 1)
    high = sum(o.height for o in options) + gap * (len(options) - 1) if down else max(o.height for o in options)
    x = box.x + box.width - wide if slot.right else box.x
    y = max(box.y, min(slot.top, box.y + box.height - high))
    for group, cell, option in zip(groups, cells, options, strict=True):
        frame = Box(x, y, option.width, option.height)
        yield Framed(group, frame, group.place(option, frame.x, frame.y, cell), cell)
        x, y = (x, y + option.height + gap) if down else (x + option.width + gap, y)


def cost_of(framed: Sequence[Framed]) -> float:
    """Return how hard the contents of frames are to read."""
    return sum(_cost(one.group, one.cell) for one in framed)


def _cost(group: Group, cell: float) -> float:
    if group.kind == "threads":  # an index and a value need more height than a value
        return (LENS_COST if group.words else 1.0) * _effort(cell * READ_CELL / LABELLED_CELL)
    return _effort(cell)


def _effort(cell: float) -> float:
    """Return how hard cells are to read; without digits as hard again as with the smallest ones."""
    return 1 / min(cell, ENOUGH_CELL) + (0.0 if cell >= NUMBERED_CELL else 1 / NUMBERED_CELL)


class Base(NamedTuple):
    """Arrays in global memory as a template places them at a scale."""

    rasters: dict[int, Raster]
    """Cells by position in `Scene.cells`."""
    threads: Raster
    """Cells of the result, or of the launch."""
    slots: dict[str, Slot]
    extent: Box
    """Rectangle of the arrays with their titles and numbers."""
    labelled: bool
    """True if threads are labelled on the result, or above it."""
    names_blocks: bool = True
    fits: bool = True


class Template(NamedTuple):
    """A way to place the arrays in global memory."""

    place: Callable[[float], Base]
    """Return the arrays at a scale."""
    largest: float
    """Largest scale at which they fit."""
    cost: float = 1.0
    """Factor for the cost of arrays that are not where a reader expects them."""


class Packed(NamedTuple):
    """A finished picture."""

    base: Base
    frames: tuple[Framed, ...]
    fits: bool

    def moved(self, x: float, y: float) -> Packed:
        """Return the picture with everything moved by (x, y)."""
        rasters = {number: raster.moved(x, y) for number, raster in self.base.rasters.items()}
        frames = (
            one._replace(box=one.box.moved(x, y), rasters=tuple(raster.moved(x, y) for raster in one.rasters))
            for one in self.frames
        )
        return self._replace(
            base=self.base._replace(rasters=rasters, threads=self.base.threads.moved(x, y)), frames=tuple(frames)
        )


def pack(
    templates: Sequence[Template], groups: Sequence[Group], threads: Sequence[Group], line: float, *, one_scale: bool
) -> Packed:
    """Return the best picture of arrays, frames with `groups`, and the block's threads.

    Parameters
    ----------
    templates : sequence of Template
        Ways to place the arrays.
    groups : sequence of Group
        Contents of frames that must be there.
    threads : sequence of Group
        The block's threads, wanted where they have no labels on the result: all of them, then smaller lenses.
    line : float
        Height of a line of text, pixels.
    one_scale : bool
        Prefer a picture in which the threads lie on the result, and shared arrays have cells of the same size.
    """
    largest = max(template.largest for template in templates)
    scales = [(cell, t) for cell in _scales(largest) for t in templates if cell <= t.largest * (1 + 1e-6)]
    if one_scale:
        for scale, template in scales:
            if scale < max(LABELLED_CELL, ONE_SCALE * largest):
                break
            base = template.place(scale)
            same = [g.changed(g.items, scale) if g.kind == "shared" else g for g in groups]
            for frames in _assigned(base, same, line, {}):
                if all(one.cell >= (scale if one.group.kind == "shared" else READ_CELL) for one in frames):
                    return Packed(base, frames, base.fits)
    best, least = None, float("inf")
    capped: dict[float, list[Group]] = {}
    for scale, template in scales:
        own = ARRAYS_WEIGHT * template.cost * _effort(scale)
        if own + len(groups) / ENOUGH_CELL >= least:  # no frames can make this scale better
            continue
        base = template.place(scale)
        wanted = () if base.labelled else threads
        cap = max(scale, READ_CELL)
        if cap not in capped:
            capped[cap] = [g.changed(g.items, cap) if g.kind == "shared" else g for g in groups]
        for frames, cost in _with_threads(base, capped[cap], wanted, line):
            if own + cost < least and base.fits:
                best, least = Packed(base, frames, True), own + cost
    if best is not None:
        return best
    untitled = [group.changed(tuple(item._replace(title=0.0) for item in group.items)) for group in groups]
    if any(item.title for group in groups for item in group.items):
        return pack(templates, untitled, threads, line, one_scale=False)._replace(fits=False)
    scale, template = scales[-1]
    base = template.place(scale)
    return Packed(base, tuple(_squeezed(base, groups, line)), fits=False)


def _scales(largest: float) -> Iterator[float]:
    scale = largest
    while scale >= max(largest * LEAST_SCALE, CELLS[-1]):
        yield scale
        smaller = scale * NEXT_SCALE
        scale = min(scale - 1, float(int(smaller))) if smaller >= SEEN_CELL else smaller


_Filled = dict[tuple[str, tuple[int, ...]], tuple[Framed, ...] | None]
"""Frames in a slot of one base, by its name and the identities of their groups."""


def _assigned(base: Base, groups: Sequence[Group], line: float, known: _Filled) -> Iterator[tuple[Framed, ...]]:
    """Yield the frames for every assignment of groups to slots; `known` are those of earlier calls."""
    if not groups:
        yield ()
        return
    places = [[name for name, slot in base.slots.items() if slot.shared or group.kind != "shared"] for group in groups]
    for names in product(*places):
        frames: list[Framed] = []
        for name in dict.fromkeys(names):
            inside = [group for group, at in zip(groups, names, strict=True) if at == name]
            key = name, tuple(map(id, inside))
            if key not in known:
                known[key] = fill(inside, base.slots[name], line)
            filled = known[key]
            if filled is None:
                break
            frames += filled
        else:
            yield tuple(frames)


def _with_threads(
    base: Base, groups: Sequence[Group], threads: Sequence[Group], line: float
) -> Iterator[tuple[tuple[Framed, ...], float]]:
    """Yield frames with their costs: with the threads in the most complete form that can be read, and without."""
    known: _Filled = {}
    for frames in _assigned(base, groups, line, known):
        yield frames, cost_of(frames) + (_effort(min(base.threads.cell, UNREAD_CELL)) if threads else 0.0)
    for group in threads:
        found = False
        for frames in _assigned(base, [*groups, group], line, known):
            cell = next(one.cell for one in frames if one.group.kind == "threads")
            if cell >= group.least:
                found = True
                yield frames, cost_of(frames)
        if found:
            return


def _squeezed(base: Base, groups: Sequence[Group], line: float) -> Iterator[Framed]:
    """Yield frames with the smallest cells, which exceed the largest slot."""
    slot = max(base.slots.values(), key=lambda slot: slot.box.width * slot.box.height)
    x = slot.box.x
    for group in groups:
        option = min(group.options(CELLS[-1]), key=lambda option: option.height)
        box = Box(x, slot.box.y, option.width, option.height)
        yield Framed(group, box, group.place(option, box.x, box.y, CELLS[-1]), CELLS[-1])
        x += option.width + line * FRAME_PAD
