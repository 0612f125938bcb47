"""Words about matrix instructions: what a warp multiplies or loads, and what one lane has to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.metrics.requests import BANK_BYTES
from kernels.analysis.values.fragments import Multiplication
from kernels.analysis.values.matrix_loads import ROW_BYTES, SIDE
from kernels.trace import element_name
from kernels.words import agree

if TYPE_CHECKING:
    from kernels.analysis.values.matrix_loads import MatrixLoad

Elements = tuple[tuple[int, int], ...]
"""(row, column) of each element in a register."""


def instruction_words(shown: Multiplication | MatrixLoad, wavefronts: int, ideal: int) -> str:
    """Say what a warp multiplies, or what it loads and the wavefronts that the load costs."""
    if isinstance(shown, Multiplication):
        a, b, sums = (f"{part.values.shape[0]}×{part.values.shape[1]}" for part in shown.matrices)
        held = [len(fragment.registers) * len(fragment.of_lane(0)[0]) for fragment in shown.matrices]
        return f"{sums} sums from {a} of A and {b} of B; each lane holds {held[0]} of A, {held[1]} of B, {held[2]} sums"
    count = f"{shown.matrices} {agree(shown.matrices, 'matrix', 'matrices')}"
    cost = f"{wavefronts} {agree(wavefronts, 'wavefront', 'wavefronts')}"
    more = f", {ideal} would do" if ideal < wavefronts else ""
    return f"{count} from {shown.array.name}, a row named by each of {SIDE * shown.matrices} lanes: {cost}{more}"


def elements_words(name: str, elements: Elements) -> str:
    """Name the neighbouring elements in one register: "A[3][2…3]"."""
    (row, column), (last_row, last_column) = elements[0], elements[-1]
    rows = f"{row}" if row == last_row else f"{row}…{last_row}"
    columns = f"{column}" if column == last_column else f"{column}…{last_column}"
    return f"{name}[{rows}][{columns}]"


def use_words(shown: Multiplication, matrix: int, row: int, column: int) -> tuple[str, str]:
    """Say in two lines what an element of a product is used for, or computed from."""
    if matrix == 0:
        return f"A[{row}][{column}] goes into", f"the 8 sums of row {row}."
    if matrix == 1:
        return f"B[{row}][{column}] goes into", f"the 16 sums of column {column}."
    return f"C[{row}][{column}] gets {shown.depth} products:", f"row {row} of A · column {column} of B."


def giver_words(shown: MatrixLoad, lane: int) -> tuple[str, ...]:
    """Say which row a lane gives the address of, and where it lies, each in one line."""
    if lane >= SIDE * shown.matrices:
        return (f"Lane {lane}: its address is not used.",)
    matrix, row = divmod(lane, SIDE)
    first = int(shown.chunks[matrix, row]) * (ROW_BYTES // BANK_BYTES)
    where = element_name(shown.array, int(shown.elements[matrix, row]))
    found = [
        f"Lane {lane} names row {row} of matrix {matrix}:",
        f"{where}, in banks {first} to {first + ROW_BYTES // BANK_BYTES - 1}",
    ]
    if shown.swizzle is not None:
        found.append(f"{shown.swizzle.text}: {shown.swizzle.of_row(lane)}")
    return tuple(found)


def gets_words(shown: MatrixLoad, lane: int) -> tuple[str, str]:
    """Say which elements of each matrix a lane gets, the same ones of all; then in fewer words."""
    (row, column), (last_row, last_column) = np.argwhere(shown.holders.lane[0] == lane).tolist()
    rows = f"row {row}" if row == last_row else f"rows {row} and {last_row}"
    columns = f"column {column}" if column == last_column else f"columns {column} and {last_column}"
    words = f"Lane {lane} gets {rows}, {columns}"
    return f"{words} of each:", f"{words.replace(' and ', ', ')}:"
