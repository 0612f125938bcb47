"""Scene: a frozen snapshot to paint, a pure function of trace, frame, options and focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.scene.focus import Focus
    from gui.explore.scene.views import Place, View
    from kernels.frontend.ast import Span
    from kernels.launch import Dim3


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the picture."""

    held: bool = True
    """Keep the elements outlined that lie in shared memory now."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One array as cells.

    `values` and `written` are [rows, columns]; every mask includes the overhang beyond them. `tint`: the
    place whose colour it takes. `read` and `wrote`: by the block in this step. `zero`: holds (shared) or
    stands for (global, overhanging) a value filled in without reading. `held`: lies in the block's shared
    memory now. `focus`: touched by what is pointed at. `owner`: lane whose copy of a local array this is.
    """

    view: View
    tint: Place
    values: NDArray[np.generic]
    written: NDArray[np.bool_]
    read: NDArray[np.bool_]
    wrote: NDArray[np.bool_]
    zero: NDArray[np.bool_]
    held: NDArray[np.bool_]
    focus: NDArray[np.bool_]
    owner: int = -1

    @property
    def rows(self) -> int:
        """Rows with the overhang."""
        return int(self.read.shape[0])

    @property
    def columns(self) -> int:
        """Columns with the overhang."""
        return int(self.read.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Threads:
    """The shown block's threads: position, role and value of each.

    `shown`: inside the picture. `stored`: its result is in memory. `role`: position in `kernels.analysis.ROLES`.
    `value`: running value of the result, where there is one, in the register `value_name`.
    """

    first_lane: int
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    shown: NDArray[np.bool_]
    stored: NDArray[np.bool_]
    role: NDArray[np.int8]
    value: NDArray[np.generic]
    has_value: NDArray[np.bool_]
    value_name: str
    focus: NDArray[np.bool_]
    hazard: NDArray[np.bool_]
    index: tuple[Dim3, ...]

    @property
    def beyond(self) -> int:
        """Number of threads too far outside to be drawn."""
        return int(np.count_nonzero(~self.shown))


@dataclass(frozen=True, slots=True)
class BlockBox:
    """Rectangle of one block on the result (or on the launch), in cells."""

    number: int
    index: Dim3
    row: int
    column: int
    rows: int
    columns: int
    done: bool
    current: bool


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Copies of this step from one view to another; row i of each column is one thread's copy.

    `source` and `target` hold (row, column). `zero`: the source lies outside its matrix; nothing was read
    and a zero was stored.
    """

    source_view: int
    target_view: int
    lanes: NDArray[np.int32]
    source: NDArray[np.integer]
    target: NDArray[np.integer]
    zero: NDArray[np.bool_]
    focus: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Contents of one picture.

    `result` is the position in `cells` of the matrix that threads live on, or None:
    then they live on the launch, `launch_rows` × `launch_columns` threads. `lane` is the thread whose own
    arrays are shown: the one pointed at, else the first that takes part.
    """

    block: int
    block_index: Dim3
    grid: Dim3
    block_dim: Dim3
    step: int
    cells: tuple[Cells, ...]
    result: int | None
    launch_rows: int
    launch_columns: int
    threads: Threads
    lane: int
    blocks: tuple[BlockBox, ...]
    flows: tuple[Flow, ...]
    barrier: bool
    line: int
    span: Span
    caption: str
    printed: tuple[str, ...]
    prints: bool
    on_cpu: bool
    focus: Focus
    focus_lines: tuple[int, ...]
