"""Scene: a frozen snapshot to paint, a pure function of trace, frame, options and focus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from kernels.launch import Launch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.arrangement import Arrangement
    from gui.explore.points.points import PlanePoints
    from gui.explore.stage.block_places import Axes, Outline
    from gui.explore.stage.focus import Focus
    from gui.explore.stage.interactions import LaneReads, Queue
    from gui.explore.stage.views import Place, View
    from gui.explore.warp.warp_lanes import WarpLanes
    from kernels.analysis.order.barrier_arrivals import BarrierLine
    from kernels.frontend.ast import Span
    from kernels.launch import Dim3
    from kernels.narration.results import ResultLine

Number = int | float | bool

Zoom = Literal["grid", "block", "warp"]
"""Part of the launch in the picture: all blocks, the block shown with its shared memory and threads, or one warp."""


Colouring = Literal["block", "warp", "thread"]
"""What has a colour of its own: threads, and the elements that they access in the step, by block, warp or thread."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the picture."""

    in_shared: bool = True
    """Mark the elements whose copies lie in shared memory now."""
    zoom: Zoom = "block"
    reads: bool = False
    """Show how often each element was read from global memory, in place of its value."""
    most_reads: int = 0
    """Least number of reads that has the darkest colour: of pictures that are compared, the larger of their maxima."""
    colouring: Colouring = "block"
    warp: int | None = None
    """Number, in its block, of the warp whose steps alone are played; None if all are."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One array as cells; its masks also cover the overhang, cells that threads reach beyond the edges."""

    view: View
    tint: Place
    """Place whose colour it takes."""
    values: NDArray[np.generic]
    """[rows, columns], without the overhang."""
    written: NDArray[np.bool_]
    """Mask of initialised values, [rows, columns] without the overhang."""
    read: NDArray[np.bool_]
    """Mask of cells that the block reads in this step."""
    wrote: NDArray[np.bool_]
    """Mask of cells that the block writes in this step."""
    zero: NDArray[np.bool_]
    """Mask of values filled in without a read: in a shared array the zeros, in a global one the elements beyond the
    edges that the threads would have read."""
    in_shared: NDArray[np.bool_]
    """Mask of elements whose copies lie in the block's shared memory now."""
    focus: NDArray[np.bool_]
    """Mask of elements related to the focus."""
    cause: NDArray[np.bool_]
    """Mask of elements that hold values from which the one in focus was computed."""
    outside: NDArray[np.bool_]
    """Mask of cells beyond the edges that stand for accesses of this step to elements that do not exist."""
    landing: NDArray[np.bool_]
    """Mask of elements whose addresses such accesses have."""
    wrong: NDArray[np.bool_]
    """Mask of results that have their last value, and not the correct one."""
    reads: NDArray[np.int64] | None = None
    """Reads from global memory so far, [rows, columns] without the overhang; None to show values."""
    most_reads: int = 0
    """Reads in the whole run of the element that is read most often."""
    padding: int = 0
    """Columns at the end of each row that only lengthen it."""
    owner: int = -1
    """Lane whose copy of a local array this is."""
    block_parts: tuple[Outline, ...] = ()
    """Parts of an input strip of which each is read by one block alone; none where blocks share elements."""

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
    """Threads of the shown block; arrays have an entry for each."""

    first_lane: int
    """Lane of the first thread."""
    row: NDArray[np.int64]
    """Row of the cell on which it is drawn."""
    column: NDArray[np.int64]
    """Column of that cell."""
    visible: NDArray[np.bool_]
    """True if that cell is known, and in the picture."""
    beyond: int
    """Number of threads whose cells are known, and too far outside to be drawn."""
    stored: NDArray[np.bool_]
    """True if its result is in memory."""
    role: NDArray[np.int8]
    """Role in this step, a position in `kernels.analysis.ROLES`."""
    value: NDArray[np.generic]
    """Value of the accumulator; without one, of the result that the thread alone of its block has stored."""
    has_value: NDArray[np.bool_]
    """True if there is such a value."""
    value_name: str
    """Name of the accumulator, or of the array with the results; empty if there is neither."""
    accumulates: bool
    """True if the values are those of an accumulator, a register."""
    focus: NDArray[np.bool_]
    """True if it is related to the focus."""
    hazard: NDArray[np.bool_]
    """True if it takes part in a hazard in this step, or leaves an array."""
    index: tuple[Dim3, ...]
    """threadIdx."""

    @property
    def register_name(self) -> str:
        """Name of the accumulator; empty if there is none."""
        return self.value_name if self.accumulates else ""

    @property
    def value_words(self) -> str:
        """Noun phrase for the values, such as "their sum"; empty if there are none."""
        if not self.value_name:
            return ""
        return f"their {self.value_name}" if self.accumulates else f"their results in {self.value_name}"


@dataclass(frozen=True, slots=True)
class BlockBox:
    """Rectangle of one block on the result (or on the launch), in cells; one of several where a strip is broken."""

    number: int
    """Linear number in the grid."""
    index: Dim3
    """blockIdx."""
    row: int
    column: int
    rows: int
    columns: int
    done: bool
    """True for blocks that have been played to their end."""
    current: bool
    """True for the shown block."""


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Copies of this step from one view to another; entry i of each array is one thread's copy."""

    source_view: int
    """Position in `Scene.cells`."""
    target_view: int
    """Position in `Scene.cells`."""
    lanes: NDArray[np.int32]
    source: NDArray[np.integer]
    """(row, column) in the source view."""
    target: NDArray[np.integer]
    """(row, column) in the target view."""
    zero: NDArray[np.bool_]
    """True if the source lies outside its matrix: nothing was read, and a zero was stored."""
    focus: NDArray[np.bool_]
    """True if its thread is related to the focus."""


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """Accesses of this step to elements of one view; entry i of each array is one thread's access to one element."""

    view: int
    """Position in `Scene.cells`."""
    writes: bool
    """True for writes and atomic operations."""
    lanes: NDArray[np.int32]
    cells: NDArray[np.integer]
    """(row, column) of elements that exist."""
    values: NDArray[np.generic]
    """Values that the step finds when it reads, and leaves when it writes."""
    known: NDArray[np.bool_]
    """True if `values` has the value: it is initialised, and other blocks cannot have changed it in between."""

    def only(self, which: NDArray[np.bool_]) -> Access:
        """Return some of the accesses."""
        return replace(
            self,
            lanes=self.lanes[which],
            cells=self.cells[which],
            values=self.values[which],
            known=self.known[which],
        )


@dataclass(frozen=True, slots=True)
class RaceMark:
    """A race that the step shows: an element and two threads, each with its label."""

    view: int
    """Position in `Scene.cells`."""
    row: int
    column: int
    element: str
    """Label of the element."""
    threads: tuple[int, int]
    """Numbers of the threads in the block."""
    labels: tuple[str, str]
    """Labels of the threads."""
    reads: tuple[bool, bool]
    """True for a thread that reads the element."""


@dataclass(frozen=True, slots=True, eq=False)
class Stray:
    """Accesses of this step to elements that do not exist, and where they land; entry i is one access."""

    view: int
    """Position in `Scene.cells`."""
    lanes: NDArray[np.int32]
    named: NDArray[np.integer]
    """(row, column) that the source names; negative or far outside where the picture has no such cell."""
    landing: NDArray[np.integer]
    """(row, column) of the element with that address; (-1, -1) outside of the array."""
    focus: NDArray[np.bool_]
    """True if its thread is related to the focus."""

    @property
    def lands(self) -> NDArray[np.bool_]:
        """True if the address is that of another element."""
        found: NDArray[np.bool_] = self.landing[:, 0] >= 0
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Contents of one picture."""

    block: int
    """Linear number of the shown block."""
    block_index: Dim3
    """blockIdx of the shown block."""
    grid: Dim3
    block_dim: Dim3
    step: int
    """Step of the trace: contents are those when the block has executed it."""
    cells: tuple[Cells, ...]
    result: int | None
    """Position in `cells` of the matrix on which threads are drawn; None if they are drawn on the launch."""
    launch: Arrangement
    """Arrangement of all threads when the launch is drawn."""
    threads: Threads
    all_placed: bool
    """True if every thread of the run has a cell of its own in the picture."""
    lane: int
    """Thread whose local arrays are shown: the one in focus, else the first that takes part in the step."""
    axes: Axes
    """Directions in which threads and blocks are counted on the result or the launch."""
    blocks: tuple[BlockBox, ...]
    accesses: tuple[Access, ...]
    flows: tuple[Flow, ...]
    strays: tuple[Stray, ...]
    has_outside: bool
    """True if the run accesses elements outside an array."""
    has_wrong: bool
    """True if the run ends with a wrong result."""
    barrier: bool
    """True if the step waits at a barrier."""
    arrived: int
    """Number of threads that have arrived at the barrier of this step; 0 in other steps."""
    shuffles: LaneReads
    """Values that threads read from other lanes in this step."""
    has_shuffles: bool
    """True if any step of the run does so."""
    barrier_line: BarrierLine | None
    """Warps at a barrier that not all have passed; None for a block of one warp."""
    queues: tuple[Queue, ...]
    """Atomic operations of several threads on one element in this step, the longest first."""
    line: int
    """Source line of the step, counted from 1."""
    span: Span
    """Source range of the step."""
    caption: str
    printed: tuple[str, ...]
    """Lines printed so far, in the order played."""
    printed_all: bool
    """True if `printed` are the lines of the whole run, because their steps are not known."""
    prints: bool
    """True if the run prints anything."""
    not_drawn: tuple[str, ...]
    """Names of arrays that the run accesses and the picture leaves out."""
    on_cpu: bool
    """True for a CPU baseline, whose threads are called workers."""
    race: RaceMark | None
    """The race that the step shows, if any."""
    result_line: ResultLine | None
    """The results so far, in words; None if the correct ones are not known."""
    focus: Focus
    focus_lines: tuple[int, ...]
    """Source lines related to the focus."""
    zoom: Zoom = "block"
    colouring: Colouring = "block"
    warp: WarpLanes | None = None
    """Lanes of one warp, at the zoom "warp"."""
    points: PlanePoints | None = None
    """Objects and centres as points of the plane; None for a workload that is pictured as matrices."""

    def index_text(self, at: Dim3) -> str:
        """Write a threadIdx or blockIdx as captions do: 3, (1,0) or (1,0,0)."""
        return Launch(self.grid, self.block_dim).index_text(at)

    @property
    def barrier_words(self) -> str:
        """Say how many threads have arrived at the barrier; empty in other steps."""
        total = len(self.threads.role)
        if not self.barrier:
            return ""
        if self.barrier_line is not None and self.barrier_line.complete and self.barrier_line.at_once:
            return f"all {len(self.barrier_line.warps)} warps arrive at once"
        return (
            "all have arrived at the barrier" if self.arrived == total else f"{self.arrived} of {total} at the barrier"
        )

    @property
    def threads_detail(self) -> str:
        """Detail of the title "Threads": the shape of the block, and the name of the values in the threads."""
        name = self.threads.value_name
        return f"{self.block_dim} · {name}" if name else str(self.block_dim)

    def number_on_result(self, thread: int) -> tuple[Number | None, str]:
        """Return the number in a thread that is drawn on its cell of the result, and its name if it is a register.

        The cell shows what its array holds: the result once it is stored. Until then the number is the thread's own,
        with a name, because the title of the array does not name it.
        """
        threads = self.threads
        if threads.stored[thread] and self.result is not None:
            values, row, column = self.cells[self.result].values, int(threads.row[thread]), int(threads.column[thread])
            inside = row < values.shape[0] and column < values.shape[1]
            return (values[row, column].item() if inside else None), ""
        if not threads.accumulates:
            return None, ""
        return self.number_in_thread(thread), threads.value_name

    @property
    def on_values(self) -> NDArray[np.bool_]:
        """Mask of the threads whose element of the result has a value: an earlier one until theirs is stored."""
        threads, found = self.threads, np.zeros(len(self.threads.role), bool)
        if self.result is not None:
            written = self.cells[self.result].written
            inside = threads.visible & (threads.row < written.shape[0]) & (threads.column < written.shape[1])
            found[inside] = written[threads.row[inside], threads.column[inside]]
        return found

    def number_in_thread(self, thread: int) -> Number | None:
        """Return the number in a thread of the magnified block, whose title names it (`Threads.value_words`)."""
        threads = self.threads
        return threads.value[thread].item() if threads.has_value[thread] else None
