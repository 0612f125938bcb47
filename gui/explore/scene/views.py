"""Views: arrays drawn as rectangles of cells; maps flat elements to rows and columns, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import numpy as np

from gui.explore.scene.affine_fit import fit, lane_coordinates
from kernels.trace.members import Members, members_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.analysis.elements import Elements
    from kernels.trace import Trace
    from kernels.workload import Panel

_T = TypeVar("_T", bound=np.generic)

BANKS: Final = 32
"""Of shared memory, each 4 bytes wide (CUDA C++ Programming Guide, "Shared Memory")."""

_MOST_ROWS: Final = 64
_MOST_COLUMNS: Final = 64
_FEW_ROWS: Final = 32
_FEW: Final = 4
"""An array with more rows than the first, and columns up to the last, is laid side by side."""

Place = Literal["left", "top", "result", "shared", "local"]


@dataclass(frozen=True, slots=True)
class View:
    """An array as a rectangle of cells."""

    array: int
    """Position in the trace."""
    name: str
    place: Place
    rows: int
    """Rows as drawn."""
    columns: int
    """Columns as drawn."""
    transposed: bool = False
    """True if rows and columns are swapped."""
    members: Members | None = None
    """Layout of the structs in an array of structs, whose cells are the numbers in them."""
    step: int = 1
    """Structs from one row to the next, for the row numbers."""

    @property
    def title(self) -> str:
        """Name as written above the picture."""
        return self.name + ("ᵀ" if self.transposed else "")

    @property
    def detail(self) -> str:
        """Shape, as written after the name; empty for a single element."""
        if self.heads and self.members is not None:
            count = self.rows * self.columns // self.members.count
            name = self.members.struct.name
            return f"{name}[{count}]" if count > 1 else name if name != self.name else ""
        return f"{self.rows}×{self.columns}" if self.rows * self.columns > 1 else ""

    @property
    def heads(self) -> tuple[str, ...]:
        """Names of the members above the columns, repeated for each struct in a line; else none."""
        if self.members is None or self.members.count == 1 or self.transposed:
            return ()
        return self.members.struct.heads * (self.columns // self.members.count)

    def cells(self, index: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Rows and columns of flat elements."""
        index = index if self.members is None else self.members.cells(index)
        stride = self.rows if self.transposed else self.columns
        row, column = index // stride, index % stride
        return (column, row) if self.transposed else (row, column)

    def cells_outside(self, elements: Elements) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Rows and columns of elements that do not exist, next to those that do; -1 where they have no place.

        An element has a place if its coordinates are row and column of the picture, or if it comes after the end.
        """
        nowhere = np.full(len(elements.flat), -1, np.int64)
        if self.members is not None:
            return nowhere, nowhere
        if len(elements.coordinates) < 2:
            if self.rows == 1 or self.columns == 1:  # a line goes on in its direction
                along = np.where(elements.flat < 0, -1, elements.flat)
                return (along * 0, along) if self.rows == 1 else (along, along * 0)
            row, column = self.cells(elements.flat)
            return np.where(elements.flat < 0, -1, row), column
        shape = (self.columns, self.rows) if self.transposed else (self.rows, self.columns)
        if elements.array.shape != shape:
            return nowhere, nowhere
        row, column = elements.coordinates
        return (column, row) if self.transposed else (row, column)

    def element(self, row: int, column: int) -> int | None:
        """Flat element drawn at a row and column, the first of several, or None outside."""
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        cell = column * self.rows + row if self.transposed else row * self.columns + column
        return cell if self.members is None else self.members.word(cell)

    def draw(
        self, values: NDArray[np.generic], written: NDArray[np.bool_]
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """Array contents as they are drawn, and which are written: [rows, columns]."""
        if self.members is not None:
            values, written = self.members.values(values), self.members.written_cells(written)
        return self._laid_out(values), self._laid_out(written)

    def _laid_out(self, values: NDArray[_T]) -> NDArray[_T]:
        if self.transposed:
            return values.reshape(self.columns, self.rows).T
        return values.reshape(self.rows, self.columns)


def panel_views(trace: Trace, panels: Iterable[Panel]) -> tuple[View, ...]:
    """Return views of the workload's panels whose arrays the kernel has."""
    numbers = {array.name: number for number, array in enumerate(trace.arrays)}
    return tuple(_view(trace, numbers[p.array], p.place, p.transposed) for p in panels if p.array in numbers)


def shared_views(trace: Trace) -> tuple[View, ...]:
    """Return views of every shared array, in the order of their declaration."""
    return tuple(
        _view(trace, number, "shared")
        for number, array in enumerate(trace.arrays)
        if array.space == "shared" and array.size
    )


def local_views(trace: Trace, largest: int) -> tuple[View, ...]:
    """Return views of local arrays with at most `rows` rows and `columns` columns."""
    found = (
        _view(trace, number, "local")
        for number, array in enumerate(trace.arrays)
        if array.space == "local" and array.size
    )
    return tuple(view for view in found if max(view.rows, view.columns) <= largest)


def _row_length(trace: Trace, array: int) -> int:
    """Return the number of elements in a line of an array's picture.

    Where threads fill one without rows of its own as if it had them, index = y · stride + x, those are its rows.
    A long one is divided: shared memory after 32 elements, one for each bank, other memory into a square, or after
    the most elements that leave no rest. Many rows of a few elements, and structs, are laid side by side.
    """
    info, members = trace.arrays[array], members_of(trace.arrays[array])
    if members is not None and members.count > 1:
        return _structs_a_line(info.objects, members.count) * members.count
    shape, size = info.objects, math.prod(info.objects)
    if len(shape) > 1:
        columns = shape[-1]
        rows = size // max(1, columns)
        return columns * _divisor(rows, BANKS // columns) if rows > _MOST_ROWS and columns <= _FEW else columns
    # For example index = threadIdx.y · 8 + threadIdx.x: the fit has the weights 8 and 1, so a row has 8 elements.
    sites = [n for n, s in enumerate(trace.sites) if s.array == array and s.access == "write"]
    groups = np.flatnonzero(np.isin(trace.group_site, sites))
    if len(groups):
        access = trace.group(int(groups[0]), 0)
        threads = lane_coordinates(trace.launch)[access.lanes][:, :2]
        if found := fit(threads, access.index if members is None else members.cells(access.index)):
            one, stride = sorted(np.rint(found.weights[:2]).astype(int).tolist())
            if one == 1 and stride > 1 and size % stride == 0:
                return int(stride)
    if size <= BANKS:
        return size
    if info.space == "shared":
        cut = BANKS if size % BANKS == 0 else _divisor(size, _MOST_COLUMNS)
        return cut if cut > _FEW else size
    side = math.isqrt(size)
    return side if side * side == size else _divisor(size, BANKS)


def _structs_a_line(objects: tuple[int, ...], members: int) -> int:
    """Return the number of structs in a line: a row of a matrix of structs, else as few as give few lines."""
    if len(objects) > 1 and objects[-1] * members <= _MOST_COLUMNS:
        return objects[-1]
    count = math.prod(objects)
    numbers = [n for n in range(1, max(1, BANKS // members) + 1) if count % n == 0]
    return next((n for n in numbers if count // n <= _FEW_ROWS), numbers[-1])


def _divisor(count: int, most: int) -> int:
    """Return the largest number up to `most` that divides a count."""
    return max(n for n in range(1, most + 1) if count % n == 0)


def _view(trace: Trace, number: int, place: Place, transposed: bool = False) -> View:
    array, columns = trace.arrays[number], max(1, _row_length(trace, number))
    members = members_of(array)
    cells = array.size if members is None else array.size // members.words * members.count
    rows = max(1, cells // columns)
    step = 1 if members is None else max(1, columns // members.count)
    if len(array.objects) > 1 and step == array.objects[-1]:  # rows of a matrix are numbered as such
        step = 1
    if transposed:
        rows, columns = columns, rows
    return View(number, array.name, place, rows, columns, transposed, members, step)
