"""Views: arrays drawn as rectangles of cells; maps flat elements to rows and columns, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import numpy as np

from gui.explore.packing.arrangement import Arrangement, Part
from gui.explore.packing.folding import slices_across, strip_wrap
from gui.explore.stage.flat_shapes import flat_shape
from kernels.analysis.syntax.layouts import holds_pointers
from kernels.launch import WARP_SIZE
from kernels.trace.members import Members, members_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.analysis.values.elements import Elements
    from kernels.trace import Trace
    from kernels.workload import Panel

_T = TypeVar("_T", bound=np.generic)

BANKS: Final = 32
"""Of shared memory, each 4 bytes wide (CUDA C++ Programming Guide, "Shared Memory")."""

_MOST_ROWS: Final = 64
_MOST_COLUMNS: Final = 64
_FEW_LINES: Final = 16
_FEW: Final = 4
"""An array with more rows than the first, and columns up to the last, is laid side by side."""

_LONGER: Final = 1.25
"""A shared strip up to this many rows long is not broken: it is a row of the block's elements and their neighbours."""

_TALL_STRIP: Final = 16
"""Rows of a shared strip that are too many for its box: then rows have 64 elements, twice the number of banks."""

_TALLEST_STRIP: Final = 96
"""Rows of a shared strip that would exceed its box however small they are: then rows are longer still."""

_WHOLE: Final = 1.4
_HALF: Final = 0.5
"""Ratios of width to height of the room for slices: in the whole picture, and next to another array and a box."""

_MOST_BEFORE: Final = 4
"""Rows and columns in front of an array that are drawn, at most."""

_NOWHERE: Final = -(1 << 40)
"""Coordinate of elements without a place."""

Place = Literal["left", "top", "result", "shared", "local"]


@dataclass(frozen=True, slots=True)
class View:
    """An array as a rectangle of cells."""

    array: int
    """Position in the trace."""
    name: str
    place: Place
    arrangement: Arrangement
    """Position of its cells in memory order, before rows and columns are swapped."""
    transposed: bool = False
    """True if rows and columns are swapped."""
    members: Members | None = None
    """Layout of the structs in an array of structs, whose cells are the numbers in them."""
    step: int = 1
    """Structs, or rows of a matrix of a few columns, in a line of the picture, for the row numbers."""
    pointers: bool = False
    """True if its elements are pointers, whose numbers say nothing."""

    @property
    def rows(self) -> int:
        """Rows as drawn."""
        return self.arrangement.columns if self.transposed else self.arrangement.rows

    @property
    def columns(self) -> int:
        """Columns as drawn."""
        return self.arrangement.rows if self.transposed else self.arrangement.columns

    @property
    def before(self) -> tuple[int, int]:
        """Rows and columns in front of the first cell, for elements that do not exist."""
        rows, columns = self.arrangement.before
        return (columns, rows) if self.transposed else (rows, columns)

    @property
    def first(self) -> tuple[int, int]:
        """Numbers of the first row and column, as drawn: others than 0 where a part of a matrix is shown."""
        window = self.arrangement.window
        row, column = (0, 0) if window is None else (window.row, window.column)
        return (column, row) if self.transposed else (row, column)

    @property
    def period(self) -> int:
        """Columns of the array, where several of its rows are in a line of the picture; else 0."""
        return self.arrangement.width // self.step if self.members is None and self.step > 1 else 0

    @property
    def parts(self) -> tuple[Part, ...]:
        """Rectangles of the cells that exist."""
        if self.transposed:
            return tuple(Part(c, r, columns, rows) for r, c, rows, columns in self.arrangement.parts)
        return self.arrangement.parts

    @property
    def existing(self) -> NDArray[np.bool_]:
        """Mask of the cells that exist, [rows, columns]."""
        return self.arrangement.existing.T if self.transposed else self.arrangement.existing

    def has(self, row: NDArray[np.integer], column: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return which of some cells exist."""
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        found: NDArray[np.bool_] = inside & self.existing[np.where(inside, row, 0), np.where(inside, column, 0)]
        return found

    @property
    def title(self) -> str:
        """Name as written above the picture."""
        return self.name + ("ᵀ" if self.transposed else "")

    @property
    def detail(self) -> str:
        """Shape, as written after the name; empty for a single element."""
        shape = self.arrangement
        if self.heads and self.members is not None:
            count = shape.count // self.members.count
            name = self.members.struct.name
            return f"{name}[{count}]" if count > 1 else name if name != self.name else ""
        if shape.count == 1:
            return ""
        if shape.kind == "strip":
            return f"[{shape.count}]"
        if shape.kind == "slices":
            return f"{shape.depth}×{shape.height}×{shape.width}"
        if self.period:
            return f"{shape.height * self.step}×{self.period}"
        rows, columns = (shape.width, shape.height) if self.transposed else (shape.height, shape.width)
        return f"{rows}×{columns}"

    @property
    def heads(self) -> tuple[str, ...]:
        """Names of the members above the columns, repeated for each struct in a line; else none."""
        if self.members is None or self.members.count == 1 or self.transposed:
            return ()
        return self.members.struct.heads * (self.arrangement.width // self.members.count)

    def axes(self, index: NDArray[np.integer]) -> tuple[NDArray[np.integer], ...]:
        """Return the coordinates of flat elements, in memory order: what an affine index is affine in."""
        return self.arrangement.axes(index if self.members is None else self.members.cells(index))

    def place_of(self, axes: tuple[NDArray[np.integer], ...]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return rows and columns of coordinates, also beyond the edges; -1 where the picture has no place."""
        row, column = self.arrangement.place(axes)
        return (column, row) if self.transposed else (row, column)

    def cells(self, index: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Rows and columns of flat elements."""
        return self.place_of(self.axes(index))

    def preceded_by(self, rows: int, columns: int) -> View:
        """Return the view with rows and columns, as drawn, in front of the first element."""
        if not rows and not columns:
            return self
        before = (columns, rows) if self.transposed else (rows, columns)
        return replace(self, arrangement=replace(self.arrangement, before=before))

    def reach_before(self, several: Iterable[tuple[NDArray[np.integer], ...]]) -> tuple[int, int]:
        """Return rows and columns, as drawn, in front of the first element that coordinates reach, at most a few."""
        kind, reach = self.arrangement.kind, [0, 0]
        for axes in several if kind != "slices" else ():
            for number, axis in enumerate(axes):
                near = axis[(axis < 0) & (axis >= -_MOST_BEFORE)]
                at = 1 if kind == "strip" else number
                reach[at] = max(reach[at], -int(near.min(initial=0)))
        return (reach[1], reach[0]) if self.transposed else (reach[0], reach[1])

    def axes_outside(self, elements: Elements) -> tuple[NDArray[np.integer], ...] | None:
        """Return the coordinates of elements that do not exist; None if the picture has no coordinates for them.

        It has if the source names row and column of the picture, or if the picture is indexed flat.
        """
        shape = self.arrangement
        if self.members is not None and self.members.words > 1:
            return None
        if shape.kind == "strip":
            return (elements.flat,)
        if len(elements.coordinates) > 1:
            lengths = (shape.depth,) * (shape.kind == "slices") + (shape.height, shape.width)
            return elements.coordinates if elements.array.shape == lengths else None
        if shape.kind == "slices":
            return None
        if shape.height == 1:  # a line goes on in its direction
            return (elements.flat * 0, elements.flat)
        # Past the end, memory goes on in the next row; in front of the array there is none.
        row, column = self.axes(elements.flat)
        return (np.where(elements.flat < 0, _NOWHERE, row), column)

    def cells_outside(self, elements: Elements) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Rows and columns of elements that do not exist, next to those that do; -1 where they have no place."""
        axes = self.axes_outside(elements)
        if axes is None:
            nowhere = np.full(len(elements.flat), -1, np.int64)
            return nowhere, nowhere
        return self.place_of(axes)

    def element(self, row: int, column: int) -> int | None:
        """Flat element drawn at a row and column, the first of several, or None outside."""
        cell = self.arrangement.index(column, row) if self.transposed else self.arrangement.index(row, column)
        return cell if self.members is None or cell is None else self.members.word(cell)

    def draw(
        self, values: NDArray[np.generic], written: NDArray[np.bool_]
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """Array contents as they are drawn, and which are written: [rows, columns]; 0 where no cell exists."""
        if self.members is not None:
            values, written = self.members.values(values), self.members.written_cells(written)
        return self._laid_out(values), self._laid_out(written)

    def _laid_out(self, values: NDArray[_T]) -> NDArray[_T]:
        shape = self.arrangement
        if shape.kind == "matrix" and shape.before == (0, 0):
            drawn = values.reshape(shape.height, shape.width)
        else:
            drawn = np.zeros((shape.rows, shape.columns), values.dtype)
            drawn[shape.cells] = values.reshape(-1)
        return drawn.T if self.transposed else drawn


def panel_views(trace: Trace, panels: Iterable[Panel], wrap: int = WARP_SIZE) -> tuple[View, ...]:
    """Return views of the workload's panels whose arrays the kernel has; strips have rows of `wrap` elements."""
    numbers = {array.name: number for number, array in enumerate(trace.arrays)}
    shown = [panel for panel in panels if panel.array in numbers]
    # A lies left of C, so each has half of the width; B lies above C, and divides the height in turn.
    halved = {panel.place for panel in shown} == {"left", "result"}
    return tuple(
        _view(trace, numbers[p.array], p.place, wrap, p.transposed, _HALF if halved else _WHOLE) for p in shown
    )


def shared_views(trace: Trace, wrap: int = WARP_SIZE) -> tuple[View, ...]:
    """Return views of every shared array, in the order of their declaration."""
    return tuple(
        _view(trace, number, "shared", wrap)
        for number, array in enumerate(trace.arrays)
        if array.space == "shared" and array.size
    )


def local_views(trace: Trace, largest: int) -> tuple[View, ...]:
    """Return views of local arrays with at most `rows` rows and `columns` columns."""
    found = (
        _view(trace, number, "local", WARP_SIZE)
        for number, array in enumerate(trace.arrays)
        if array.space == "local" and array.size
    )
    return tuple(view for view in found if max(view.rows, view.columns) <= largest)


def panel_wrap(trace: Trace, panels: Iterable[Panel]) -> int:
    """Return the number of elements in a row of those of the workload's panels that are drawn as strips."""
    strips = [view for view in panel_views(trace, panels) if view.arrangement.kind == "strip"]
    if not strips:
        return WARP_SIZE
    result = sum(view.arrangement.count for view in strips if view.place == "result")
    boxed = any(array.space != "global" and array.size for array in trace.arrays)
    return strip_wrap(trace.launch, [view.arrangement.count for view in strips], result, boxed)


def _arrangement(trace: Trace, number: int, wrap: int, wide: float, transposed: bool) -> tuple[Arrangement, int]:
    """Return the arrangement of an array, and how many of its structs or rows are in a line.

    A one-dimensional array is a strip, unless threads access it as if it had rows, as in index = y · stride + x: those
    are its rows then. Arrays with more than two dimensions are slices, one for each index of all but the last two.
    Many rows of a few elements, and structs, are laid side by side.
    """
    info, members = trace.arrays[number], members_of(trace.arrays[number])
    shape, size = info.objects, math.prod(info.objects)
    if members is not None and members.count > 1:
        across = _structs_a_line(shape, members.count)
        columns = across * members.count
        if len(shape) > 1 and across == shape[-1]:  # rows of a matrix are numbered as such
            across = 1
        return Arrangement.matrix(max(1, size * members.count // columns), columns), across
    if len(shape) == 1:
        shape = flat_shape(trace, number) or shape
    if len(shape) == 1:
        if info.space == "shared":
            wrap *= 2 if wrap == WARP_SIZE and size > wrap * _TALL_STRIP else 1
            while size > wrap * _TALLEST_STRIP:
                wrap *= 2
        longest = wrap * _LONGER if info.space == "shared" else wrap
        return Arrangement.strip(size, wrap if size > longest else size), 1
    rows, columns = shape[-2:]
    if size > rows * columns and 1 not in (rows, columns):
        depth = size // (rows * columns)
        return Arrangement.slices(depth, rows, columns, slices_across(depth, rows, columns, wide)), 1
    rows = size // max(1, columns)
    across = _divisor(rows, BANKS // columns) if rows > _MOST_ROWS and columns <= _FEW and not transposed else 1
    return Arrangement.matrix(max(1, rows // across), columns * across), across


def _structs_a_line(objects: tuple[int, ...], members: int) -> int:
    """Return the number of structs in a line: a row of a matrix of structs, else as few as give few lines."""
    if len(objects) > 1 and objects[-1] * members <= _MOST_COLUMNS:
        return objects[-1]
    count = math.prod(objects)
    numbers = [n for n in range(1, max(1, BANKS // members) + 1) if count % n == 0]
    return next((n for n in numbers if count // n <= _FEW_LINES), numbers[-1])


def _divisor(count: int, most: int) -> int:
    """Return the largest number up to `most` that divides a count."""
    return max(n for n in range(1, most + 1) if count % n == 0)


def _view(trace: Trace, number: int, place: Place, wrap: int, transposed: bool = False, wide: float = _WHOLE) -> View:
    array, (arrangement, step) = trace.arrays[number], _arrangement(trace, number, wrap, wide, transposed)
    pointers = holds_pointers(trace, number)
    return View(number, array.name, place, arrangement, transposed, members_of(array), step, pointers)
