"""Packing of arrays into boxes: frames around their contents, and the scale of the picture. Pure geometry, no Qt.

A template places the arrays in global memory at a scale, which is the height of their cells, and names the free
rectangles around them. Frames with the block's shared memory, its threads and a thread's own arrays take these. The
objective is the smallest cell that must be read: the sum of 1 / cell over arrays and frames is made as small as it
gets, where cells beyond a readable size count as that. Of equals the larger scale is taken.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, Literal, NamedTuple

from gui.explore.packing.boxes import Box, Raster, Shape
from gui.explore.packing.constants import (
    ARRAYS_WEIGHT,
    ASIDE_HEIGHT,
    AXES_LINES,
    CELLS,
    ENOUGH_CELL,
    FEW_ARRAYS,
    FEW_SCALES,
    FILLED,
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
    SPARSE_COST,
    THREADS_HEAD,
    UNREAD_CELL,
    WIDER,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Kind = Literal["shared", "threads", "local"]

Headings = Literal["above", "filled", "anywhere"]
"""Places of headings: above contents, or also left of those that fill their frame, or of any low ones."""


class Option(NamedTuple):
    """One way to arrange the contents of a frame at a scale."""

    width: float
    height: float
    lines: tuple[int, ...]
    """Number of arrays in each line."""
    aside: bool
    """True if the heading is left of the contents, and not above them."""
    wider: float = 1.0
    """Growth of the width of cells, so that contents fill a frame that its heading makes wide."""
    sparse: bool = False
    """True if contents that take less than `FILLED` of the width are right of the heading."""


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
    _options: dict[float, dict[Headings, tuple[Option, ...]]] = field(default_factory=dict)
    """By the height of cells."""

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

    def options(self, cell: float, headings: Headings) -> tuple[Option, ...]:
        """Return ways to arrange the contents with cells of a height, from the narrowest to the lowest."""
        cell = min(cell, self.largest)
        if cell not in self._options:
            found = sorted(self._arranged(cell))
            self._options[cell] = {
                "above": _front(option for option in found if not option.aside),
                "filled": _front(option for option in found if not option.sparse),
                "anywhere": _front(found),
            }
        return self._options[cell][headings]

    def _arranged(self, cell: float) -> Iterator[Option]:
        line, (head, gutter, gap), items = self.line, self._rooms, self._items(cell)
        heading, foot = HEADINGS[self.kind] * line, LENS_WORDS * line if self.words else 0.0
        right = 0.0 if self._titled else gutter / 2
        heights = [item.rows * cell + item.gap_height + head for item in items]
        factors = [f for f in (*WIDER, 1.0) if f == 1.0 or f * max(item.wide for item in items) <= WIDER[0]]
        widths = {1.0: [self._width(item, cell) + gutter + gap for item in items]}
        untitled = [item.across * cell + item.gap_width + gutter + gap for item in items]

        def wider(factor: float, parts: tuple[slice, ...]) -> float:
            if factor not in widths:
                widths[factor] = [self._width(item, cell * factor) + gutter + gap for item in items]
            return max([sum(widths[factor][part]) for part in parts]) - gap + right

        for lines, parts in _divisions(len(items)):
            width = wider(1.0, parts)
            filled = max([sum(untitled[part]) for part in parts]) - gap + right
            height = sum([max(heights[part]) for part in parts]) + foot
            above, room = height + (FRAME_HEAD + FRAME_PAD) * line, max(width, heading)
            grown = 1.0
            if filled < FILLED * room:
                grown = next(f for f in factors if f == 1.0 or wider(f, parts) <= room)
            yield Option(room + 2 * FRAME_PAD * line, above, lines, aside=False, wider=grown)
            if height > ASIDE_HEIGHT * line:
                continue
            least = heading * FILLED / (1 - FILLED)
            wide = 1.0 if width >= least else next((f for f in reversed(factors) if wider(f, parts) >= least), None)
            across = wider(wide or grown, parts) + heading + 2 * FRAME_PAD * line
            beside = height + 1.5 * FRAME_PAD * line
            yield Option(across, beside, lines, aside=True, wider=wide or grown, sparse=wide is None)

    @staticmethod
    def _width(item: Shape, cell: float) -> float:
        """Return the width of an array with its title; the room of its numbers is not included."""
        return max(item.across * cell + item.gap_width, item.title)

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
                        item.wide * option.wider,
                        item.gaps,
                        item.above,
                    )
                )
                at += gutter + self._width(item, cell * option.wider) + gap
            y += head + max(item.rows * cell + item.gap_height for item in part)
        return tuple(found)

    def capped(self, largest: float) -> Group:
        """Return the group with another largest cell."""
        return replace(self, largest=largest)

    def changed(self, items: tuple[Shape, ...]) -> Group:
        """Return the group with other shapes."""
        return replace(self, items=items, _options={})


def _front(options: Iterable[Option]) -> tuple[Option, ...]:
    """Return the options of which no narrower one is as low."""
    front: list[Option] = []
    for option in options:
        if not front or option.height < front[-1].height:
            front.append(option)
    return tuple(front)


@lru_cache(maxsize=16)
def _divisions(count: int) -> tuple[tuple[tuple[int, ...], tuple[slice, ...]], ...]:
    """Return every division of a few items into lines, of many into equal ones: numbers of items, and slices."""
    if count <= FEW_ARRAYS:
        breaks = product((False, True), repeat=count - 1)
        ends = [(0, *(n + 1 for n, broken in enumerate(some) if broken), count) for some in breaks]
    else:
        ends = [(*range(0, count, across), count) for across in range(1, count + 1)]
    return tuple((tuple(b - a for a, b in pairwise(e)), tuple(slice(a, b) for a, b in pairwise(e))) for e in ends)


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


class Plan(NamedTuple):
    """Frames in a slot, with the size of their cells."""

    groups: tuple[Group, ...]
    cells: tuple[float, ...]
    slot: Slot
    down: bool
    """True if they are above each other, and not side by side."""
    may_be_sparse: bool = False
    """True if headings may be left of contents that leave their frame rather empty."""

    def chosen(self) -> tuple[Option, ...] | None:
        """Return the option of each group with which all fit, with headings above contents if possible; else None."""
        return (
            self._picked("above")
            or self._picked("filled")
            or (self._picked("anywhere") if self.may_be_sparse else None)
        )

    @property
    def fits(self) -> bool:
        """True if all have room, wherever headings are: they fit left of contents if they fit above them."""
        return self._picked("anywhere" if self.may_be_sparse else "filled") is not None

    def _picked(self, headings: Headings) -> tuple[Option, ...] | None:
        """Return for each group the option that is shortest along the line of frames; None if they do not fit."""
        width, height, gap = self.slot.box.width, self.slot.box.height, FRAME_PAD * self.groups[0].line
        found: list[Option] = []
        left = (height if self.down else width) + gap
        for group, cell in zip(self.groups, self.cells, strict=True):
            options = group.options(cell, headings)
            if self.down:
                best = next((o for o in reversed(options) if o.width <= width), None)
            else:
                best = next((o for o in options if o.height <= height), None)
            if best is None:
                return None
            left -= (best.height if self.down else best.width) + gap
            found.append(best)
        return tuple(found) if left >= 0 else None

    def largest(self) -> Plan | None:
        """Return the plan with the smallest cell as large as it gets, then each other; None if there is no room."""

        def at(cell: float) -> Plan:
            return self._replace(cells=(cell,) * len(self.groups))

        start = bisect_left(CELLS, True, key=lambda cell: at(cell).fits)
        if start == len(CELLS):
            return None
        plan = at(CELLS[start])
        for n in range(len(self.groups) if len(self.groups) > 1 else 0):
            plan = plan._raised(n, start)
        return plan._replace(cells=tuple(min(c, g.largest) for c, g in zip(plan.cells, plan.groups, strict=True)))

    def _raised(self, number: int, start: int) -> Plan:
        """Return the plan with one cell as large as it gets; it has the size `CELLS[start]`."""

        def at(cell: float) -> Plan:
            return self._replace(cells=(*self.cells[:number], cell, *self.cells[number + 1 :]))

        return at(CELLS[bisect_left(CELLS, True, hi=start, key=lambda cell: at(cell).fits)])

    def widened(self) -> Plan:
        """Return the plan with cells as wide as their values need where that has room."""
        plan = self
        for n, cell in enumerate(self.cells):
            for readable in {item.readable for item in self.groups[n].items} - {0.0}:
                for wide in WIDER:
                    group = plan.groups[n]
                    items = tuple(item.stretched(wide) if item.readable == readable else item for item in group.items)
                    groups = (*plan.groups[:n], group.changed(items), *plan.groups[n + 1 :])
                    if cell * wide <= readable and plan._replace(groups=groups).chosen():
                        plan = plan._replace(groups=groups)
                        break
        return plan

    def frames(self) -> Iterator[Framed]:
        """Yield the frames: as large as their contents, next to the arrays."""
        plan = self.widened()
        options, box, gap = plan.chosen(), self.slot.box, FRAME_PAD * self.groups[0].line
        assert options is not None
        wide, high = (sum(sizes) + gap * (len(options) - 1) for sizes in zip(*(o[:2] for o in options), strict=True))
        if self.down:
            wide = max(option.width for option in options)
        else:
            high = max(option.height for option in options)
        x = box.x + box.width - wide if self.slot.right else box.x
        y = max(box.y, min(self.slot.top, box.y + box.height - high))
        for group, cell, option in zip(plan.groups, plan.cells, options, strict=True):
            frame = Box(x, y, option.width, option.height)
            yield Framed(group, frame, group.place(option, x, y, cell), cell)
            x, y = (x, y + option.height + gap) if self.down else (x + option.width + gap, y)

    @property
    def cost(self) -> float:
        """Effort to read the contents."""
        costs = [_cost(group, cell) for group, cell in zip(self.groups, self.cells, strict=True)]
        if self.may_be_sparse and (options := self.chosen()) is not None:
            costs = [cost * (SPARSE_COST if o.sparse else 1.0) for cost, o in zip(costs, options, strict=True)]
        return sum(costs)


def plan_frames(groups: Sequence[Group], slot: Slot) -> Plan | None:
    """Return the better plan of frames side by side and above each other; None if there is no room for them.

    A frame may be rather empty where its contents would otherwise have no digits.
    """
    ways = [Plan(tuple(groups), (), slot, down) for down in (False, True)[: len(groups)]]
    found = [plan for way in ways if (plan := way.largest()) is not None]
    if not found or (len(groups) == 1 and found[0].cells[0] < NUMBERED_CELL):
        found += [plan for way in ways if (plan := way._replace(may_be_sparse=True).largest()) is not None]
    return min(found, key=lambda plan: plan.cost, default=None)


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
    """Factor for the cost of arrays that are not where, or of the shape that, a reader expects."""
    wide: float = 1.0
    """Width of the cells of matrices, in their heights: those of shared arrays are of the same shape."""


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
    templates: Sequence[Template], groups: Sequence[Group], threads: Sequence[Group], *, one_scale: bool
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
    one_scale : bool
        Prefer a picture in which the threads lie on the result, and shared arrays have cells of the same size.
    """
    largest = max(template.largest for template in templates)
    scales = [(cell, t) for cell in _scales(largest) for t in templates if cell <= t.largest * (1 + 1e-6)]
    capped: dict[tuple[float, float], list[Group]] = {}

    def shaped(cap: float, wide: float) -> list[Group]:
        if (cap, wide) not in capped:
            capped[cap, wide] = [_shaped(group, cap, wide) for group in groups]
        return capped[cap, wide]

    for scale, template in scales if one_scale else ():
        if scale < ONE_SCALE * largest:
            break
        base = template.place(scale)
        if not base.labelled:
            continue
        slots = _Slots(base, shaped(scale, template.wide))
        for plans in map(slots.plans, slots.assignments(slots.groups)):
            if plans is None:
                continue
            cells = [(group.kind, cell) for plan in plans for group, cell in zip(plan.groups, plan.cells, strict=True)]
            if all(cell >= (scale if kind == "shared" else READ_CELL) for kind, cell in cells):
                return _packed(base, plans)
    bound = _bound(scales, groups)

    @cache
    def slots_at(number: int) -> _Slots:
        scale, template = scales[number]
        return _Slots(template.place(scale), shaped(max(scale, READ_CELL), template.wide))

    def cheapest(numbers: Iterable[int], least: float) -> tuple[float, tuple[Base, Sequence[Plan]] | None]:
        """Return the first picture with the least cost, and the cost; `least` if none costs less."""
        best: tuple[Base, Sequence[Plan]] | None = None
        for number in numbers:
            scale, template = scales[number]
            own = ARRAYS_WEIGHT * template.cost * _effort(scale)
            if own + bound >= least or not (slots := slots_at(number)).base.fits:
                continue
            if (found := slots.best(() if slots.base.labelled else threads, least - own)) is not None:
                best, least = (slots.base, found[0]), own + found[1]
        return least, best

    # A few scales give a limit that spares most of the work for the others.
    limit, _ = cheapest(range(0, len(scales), FEW_SCALES), float("inf"))
    _, best = cheapest(range(len(scales)), limit * (1 + 1e-9))
    if best is not None:
        return _packed(*best)
    untitled = [group.changed(tuple(item._replace(title=0.0) for item in group.items)) for group in groups]
    if any(item.title for group in groups for item in group.items):
        return pack(templates, untitled, threads, one_scale=False)._replace(fits=False)
    scale, template = scales[-1]
    base = template.place(scale)
    return Packed(base, tuple(_squeezed(base, groups)), fits=False)


def _shaped(group: Group, largest: float, wide: float) -> Group:
    """Return the group; of shared arrays, with cells at most as large as those of matrices, and of their shape."""
    if group.kind != "shared":
        return group
    found = group.capped(largest)
    return found if wide == 1.0 else found.changed(tuple(item._replace(wide=wide) for item in group.items))


def _packed(base: Base, plans: Sequence[Plan]) -> Packed:
    return Packed(base, tuple(frame for plan in plans for frame in plan.frames()), base.fits)


def _scales(largest: float) -> Iterator[float]:
    scale = largest
    while scale >= max(largest * LEAST_SCALE, CELLS[-1]):
        yield scale
        smaller = scale * NEXT_SCALE
        scale = min(scale - 1, float(int(smaller))) if smaller >= SEEN_CELL else smaller


def _bound(scales: Sequence[tuple[float, Template]], groups: Sequence[Group]) -> float:
    """Return a cost below which frames cannot be: each has the largest slot of the smallest scale for itself."""
    smallest = {id(template): template.place(scale) for scale, template in scales}
    slots = [slot for base in smallest.values() for slot in base.slots.values()]
    found = ([plan.cost for slot in slots if (plan := plan_frames([group], slot))] for group in groups)
    return sum(min(costs, default=0.0) for costs in found)


_Assignment = tuple[tuple[Group, str], ...]
"""Groups with the names of their slots."""


class _Slots:
    """Plans for the slots of one base; each is made once."""

    def __init__(self, base: Base, groups: Sequence[Group]) -> None:
        self.base, self.groups = base, groups
        self._known: dict[tuple[str, tuple[int, ...]], Plan | None] = {}
        self._framed: dict[int, tuple[Box, ...]] = {}  # by the id of a plan, which `_known` keeps

    def best(self, threads: Sequence[Group], limit: float) -> tuple[tuple[Plan, ...], float] | None:
        """Return the plans with the least cost below a limit: with the most complete form of the threads, or without.

        Assignments whose groups would cost too much if each had its slot for itself are not planned.
        """
        unseen = _effort(min(self.base.threads.cell, UNREAD_CELL)) if threads else 0.0
        best: tuple[tuple[Plan, ...], float] | None = None
        for assignment in self.assignments(self.groups):
            if self._bound(assignment) + unseen < limit and (plans := self.plans(assignment)) is not None:
                cost = sum(plan.cost for plan in plans) + unseen
                if cost < limit:
                    best, limit = (plans, cost), cost
        doubtful: list[tuple[Group, _Assignment]] = []  # more complete forms, not planned as they would cost too much
        for form in threads:
            alone = (Plan((form,), (max(form.least, CELLS[-1]),), s, down=False) for s in self.base.slots.values())
            if not any(plan.fits for plan in alone):
                continue
            found = False
            for assignment in self.assignments([*self.groups, form]):
                if self._bound(assignment) >= limit:
                    doubtful.append((form, assignment))
                elif (plans := self._readable(assignment, form)) is not None:
                    found = True
                    cost = sum(plan.cost for plan in plans)
                    if cost >= limit:
                        continue
                    if any(other is not form and self._readable(some, other) for other, some in doubtful):
                        return best
                    best, limit = (plans, cost), cost
            if found:
                break
        return best

    def assignments(self, groups: Sequence[Group]) -> Iterator[_Assignment]:
        """Yield every assignment of groups to slots."""
        slots = self.base.slots.items()
        places = [[name for name, slot in slots if slot.shared or group.kind != "shared"] for group in groups]
        return (tuple(zip(groups, names, strict=True)) for names in product(*places))

    def plans(self, assignment: _Assignment) -> tuple[Plan, ...] | None:
        """Return a plan for each slot that is used; None if one has no room, or frames would cover each other."""
        plans: list[Plan] = []
        for name in dict.fromkeys(name for _, name in assignment):
            plan = self._plan(name, [group for group, at in assignment if at == name])
            if plan is None:
                return None
            plans.append(plan)
        return None if any(self._collide(*pair) for pair in combinations(plans, 2)) else tuple(plans)

    def _collide(self, one: Plan, other: Plan) -> bool:
        """Return whether frames of two slots overlap: beside arrays and above them a corner belongs to both slots."""
        if not one.slot.box.overlaps(other.slot.box):
            return False
        return any(a.overlaps(b) for a, b in product(self._boxes(one), self._boxes(other)))

    def _boxes(self, plan: Plan) -> tuple[Box, ...]:
        if id(plan) not in self._framed:
            self._framed[id(plan)] = tuple(one.box for one in plan.frames())
        return self._framed[id(plan)]

    def _readable(self, assignment: _Assignment, form: Group) -> tuple[Plan, ...] | None:
        """Return the plans if threads have the least cell of their form."""
        if (plans := self.plans(assignment)) is None:
            return None
        cell = next(c for plan in plans for g, c in zip(plan.groups, plan.cells, strict=True) if g is form)
        return plans if cell >= form.least else None

    def _plan(self, name: str, groups: Sequence[Group]) -> Plan | None:
        key = name, tuple(map(id, groups))
        if key not in self._known:
            self._known[key] = plan_frames(groups, self.base.slots[name])
        return self._known[key]

    def _bound(self, assignment: _Assignment) -> float:
        """Return a cost below which an assignment cannot be."""
        alone = [self._plan(name, [group]) for group, name in assignment]
        return sum(float("inf") if plan is None else plan.cost for plan in alone)


def _squeezed(base: Base, groups: Sequence[Group]) -> Iterator[Framed]:
    """Yield frames with the smallest cells, which exceed the largest slot."""
    slot = max(base.slots.values(), key=lambda slot: slot.box.width * slot.box.height)
    x = slot.box.x
    for group in groups:
        option = group.options(CELLS[-1], "above")[-1]
        box = Box(x, slot.box.y, option.width, option.height)
        yield Framed(group, box, group.place(option, box.x, box.y, CELLS[-1]), CELLS[-1])
        x += option.width + group.line * FRAME_PAD
