"""One array drawn as a rectangle of cells: from flat elements to rows and columns, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import numpy as np

from gui.explore.fit import fit, lane_coordinates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.trace import Trace
    from kernels.workload import Panel

_T = TypeVar("_T", bound=np.generic)

BANKS: Final = 32
"""Of shared memory, each 4 bytes wide (CUDA C++ Programming Guide, "Shared Memory")."""

_MOST_ROWS: Final = 64
_MOST_COLUMNS: Final = 64
_FEW: Final = 4
"""An array with more rows than the first, and columns up to the last, is laid side by side."""

Place = Literal["left", "top", "result", "shared", "local"]


@dataclass(frozen=True, slots=True)
class View:
    """Array number `array`, `rows` × `columns` as drawn; `transposed` swaps them."""

    array: int
    name: str
    place: Place
    rows: int
    columns: int
    transposed: bool = False

    @property
    def title(self) -> str:
        """Name as written beside the picture."""
        return self.name + ("ᵀ" if self.transposed else "")

    @property
    def detail(self) -> str:
        """Its shape, as written behind the name; a single element has none."""
        return f"{self.rows}×{self.columns}" if self.rows * self.columns > 1 else ""

    def cells(self, index: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Rows and columns of flat elements."""
        stride = self.rows if self.transposed else self.columns
        row, column = index // stride, index % stride
        return (column, row) if self.transposed else (row, column)

    def element(self, row: int, column: int) -> int | None:
        """Flat element drawn at a row and column, or None outside."""
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        return column * self.rows + row if self.transposed else row * self.columns + column

    def draw(self, values: NDArray[_T]) -> NDArray[_T]:
        """Array contents as they are drawn: [rows, columns]."""
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
    """Return views of the arrays that each thread has of its own, up to so many rows and columns."""
    found = (
        _view(trace, number, "local")
        for number, array in enumerate(trace.arrays)
        if array.space == "local" and array.size
    )
    return tuple(view for view in found if max(view.rows, view.columns) <= largest)


def _row_length(trace: Trace, array: int) -> int:
    """Return after how many elements an array is drawn on the next line.

    Where threads fill one without rows of its own as if it had them, index = y · stride + x, those are its rows.
    Else a long one is cut: shared memory after 32 elements, one for each bank, other memory into a square, or after
    the most elements that leave no rest. Many rows of a few elements, such as vectors, are laid side by side.
    """
    info = trace.arrays[array]
    if len(info.shape) > 1:
        columns = info.shape[-1]
        rows = info.size // max(1, columns)
        return (
            columns * _divisor(rows, BANKS // columns) if rows > _MOST_ROWS and columns <= _FEW else columns
        )
    sites = [n for n, s in enumerate(trace.sites) if s.array == array and s.access == "write"]
    groups = np.flatnonzero(np.isin(trace.group_site, sites))
    if len(groups):
        access = trace.group(int(groups[0]), 0)
        threads = lane_coordinates(trace.launch)[access.lanes][:, :2]
        if found := fit(threads, access.index):
            one, stride = sorted(np.rint(found.weights[:2]).astype(int).tolist())
            if one == 1 and stride > 1 and info.size % stride == 0:
                return int(stride)
    if info.size <= BANKS:
        return info.size
    if info.space == "shared":
        cut = BANKS if info.size % BANKS == 0 else _divisor(info.size, _MOST_COLUMNS)
        return cut if cut > _FEW else info.size
    side = math.isqrt(info.size)
    return side if side * side == info.size else _divisor(info.size, BANKS)


def _divisor(count: int, most: int) -> int:
    """Return the largest number up to `most` that divides a count."""
    return max(n for n in range(1, most + 1) if count % n == 0)


def _view(trace: Trace, number: int, place: Place, transposed: bool = False) -> View:
    array, columns = trace.arrays[number], max(1, _row_length(trace, number))
    rows = max(1, array.size // columns)
    if transposed:
        rows, columns = columns, rows
    return View(number, array.name, place, rows, columns, transposed)
