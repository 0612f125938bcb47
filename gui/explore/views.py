"""One array drawn as a rectangle of cells: from flat elements to rows and columns, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kernels.trace import ArrayInfo, Trace
    from kernels.workload import Panel

_T = TypeVar("_T", bound=np.generic)

Place = Literal["left", "top", "result", "shared"]


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
    return tuple(
        _view(trace.arrays[numbers[p.array]], numbers[p.array], p.place, p.transposed)
        for p in panels
        if p.array in numbers
    )


def shared_views(trace: Trace) -> tuple[View, ...]:
    """Return views of every shared array, in the order of their declaration."""
    return tuple(
        _view(array, number, "shared", False)
        for number, array in enumerate(trace.arrays)
        if array.space == "shared" and array.size
    )


def _view(array: ArrayInfo, number: int, place: Place, transposed: bool) -> View:
    columns = array.shape[-1] if array.shape else 1
    rows = max(1, array.size // max(1, columns))
    if transposed:
        rows, columns = columns, rows
    return View(number, array.name, place, rows, columns, transposed)
