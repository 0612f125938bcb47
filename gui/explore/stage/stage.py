"""Stage: the parts of the picture that are the same for every step of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.packing.folding import launch_arrangement
from gui.explore.playback.eligibility import LARGEST
from gui.explore.points.plane import Plane
from gui.explore.stage.accumulator import Registers
from gui.explore.stage.affine_fit import Affine, fit, lane_coordinates
from gui.explore.stage.block_places import Axes, Outline, find_axes, outlines
from gui.explore.stage.loads import Loads, collect_loads
from gui.explore.stage.printed import Printed, find_printed
from gui.explore.stage.thread_positions import ThreadPositions, find_positions
from gui.explore.stage.views import Place, View, local_views, panel_views, panel_wrap, shared_views
from kernels.analysis.metrics.memory_history import MemoryHistory
from kernels.analysis.order.play_order import play_order
from kernels.analysis.syntax.bounds import flat_padding, outside_accesses, padding
from kernels.analysis.syntax.source import parts_at
from kernels.analysis.syntax.walk import has_print
from kernels.analysis.values.causes import Causes
from kernels.analysis.values.result_check import ResultCheck, check_result
from kernels.analysis.values.shuffles import has_shuffle
from kernels.trace.accesses import accesses_in_order
from kernels.workload.picture import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.packing.arrangement import Arrangement
    from kernels.analysis.metrics.memory_history import LineCount
    from kernels.analysis.order.play_order import PlayOrder
    from kernels.analysis.syntax.bounds import Outside
    from kernels.launch import Dim3
    from kernels.trace import Site, Trace
    from kernels.workload import Panel, Workload

_SAMPLED_GROUPS = 256
_SEARCHED_GROUPS = 512
_SEARCHED_ACCESSES = 1 << 18
"""Most groups and accesses of a run that are all searched for accesses outside: 0.1 to 0.5 ms a group."""

_SAMPLED_BOUNDS = 16
"""Groups of each site that are searched in a longer run: for the room that the layout leaves, and the timeline's marks.
The marks of a picture itself never depend on a sample."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A trace, its panels, and the properties derived from them, each computed once on first use."""

    trace: Trace
    panels: tuple[Panel, ...]
    on_cpu: bool = False
    """True for a CPU baseline, whose threads are called workers."""
    recorded_on: str = ""
    """Machine whose GPU made the trace; empty for the simulator's."""
    workload: Workload | None = None
    """Problem that the kernel solves, if it is known."""

    @cached_property
    def views(self) -> tuple[View, ...]:
        """Matrices in global memory, then shared arrays, then those of each thread.

        If no thread writes the result, the launch is drawn instead.
        """
        pairs = zip(self._plain, self._before(), strict=True)
        return tuple(view.preceded_by(rows, columns) for view, (rows, columns) in pairs)

    @cached_property
    def _plain(self) -> tuple[View, ...]:
        """The views without cells in front of the first elements."""
        return self.matrices + shared_views(self.trace, self.wrap) + local_views(self.trace, LARGEST)

    def _before(self) -> tuple[tuple[int, int], ...]:
        """Return rows and columns in front of each view that accesses reach, or would reach without their guard."""
        found = [(0, 0)] * len(self._plain)
        for number, view in enumerate(self._plain):
            named = [view.axes_outside(o.elements) for o in self._outside if o.group.site.array == view.array]
            found[number] = view.reach_before([axes for axes in [*named, *self._filled_axes(view)] if axes is not None])
        # A row of A lines up with the row of C that it computes, a column of B with that of C.
        for axis, place in ((0, "left"), (1, "top")):
            pair = [n for n, view in enumerate(self._plain) if view.place in (place, "result")]
            if all(self._plain[n].arrangement.kind == "matrix" for n in pair):
                most = max((found[n][axis] for n in pair), default=0)
                for n in pair:
                    found[n] = (most, found[n][1]) if axis == 0 else (found[n][0], most)
        return tuple(found)

    def _filled_axes(self, view: View) -> list[tuple[NDArray[np.int64], ...]]:
        """Return the coordinates in an array that loads which fill in zeros would read, for each site."""
        found, loads = [], self.loads
        for site in np.unique(loads.site[loads.source < 0]).tolist():
            maps = self._formulas(site, view) if self.trace.sites[site].array == view.array else ()
            if maps:
                place = self._load_coordinates(np.flatnonzero((loads.site == site) & (loads.source < 0)))
                place = place[maps[0].determines(place)]
                found.append(tuple(axis.at(place) for axis in maps))
        return found

    def _formulas(self, site: int, view: View) -> tuple[Affine, ...]:
        """Return the formulas of the coordinates in an array that the loads of a site read; none if one is missing."""
        rows = np.flatnonzero((self.loads.site == site) & (self.loads.source >= 0))
        place = self._load_coordinates(rows)
        found = [fit(place, axis) for axis in view.axes(self.loads.source[rows])]
        return tuple(axis for axis in found if axis is not None) if all(found) else ()

    @property
    def matrices(self) -> tuple[View, ...]:
        """Matrices in global memory, the result only if a thread writes it."""
        views = panel_views(self.trace, self.panels, self.wrap)
        return tuple(v for v in views if v.place != "result" or len(self.trace.writes(v.array).lane))

    @cached_property
    def not_drawn(self) -> tuple[str, ...]:
        """Names of the arrays that the run accesses and that have no view: too large, or one too many."""
        accessed = {self.trace.sites[number].array for number in np.unique(self.trace.group_site)}
        hidden = (self.trace.arrays[array] for array in sorted(accessed - {view.array for view in self.views}))
        return tuple(info.name for info in hidden if info.parameter or info.size > 1)  # others are variables

    @property
    def wrap(self) -> int:
        """Elements in a row of one-dimensional arrays."""
        return panel_wrap(self.trace, self.panels)

    @cached_property
    def padding(self) -> tuple[int, ...]:
        """Columns of padding at the end of each view's rows."""
        return tuple(self._padding(view) for view in self.views)

    def _padding(self, view: View) -> int:
        if view.arrangement.kind != "matrix" or view.members is not None or view.period:
            return 0
        width, shape = view.arrangement.width, self.trace.arrays[view.array].shape
        if len(shape) == 1:
            return flat_padding(self.trace, view.array, width)
        return padding(self.trace, view.array) if width == shape[-1] else 0

    @cached_property
    def result(self) -> int | None:
        """Number of the view that threads are drawn on; None if the launch itself is drawn."""
        places = [n for n, view in enumerate(self.views) if view.place == "result"]
        return places[0] if places and self.positions.known.any() else None

    @cached_property
    def coordinates(self) -> NDArray[np.float64]:
        """(threadIdx, blockIdx) of every lane."""
        return lane_coordinates(self.trace.launch)

    @cached_property
    def thread_indices(self) -> tuple[Dim3, ...]:
        """Coordinates (threadIdx) of the threads of a block, in their order."""
        block = self.trace.launch.block
        return tuple(block.member(thread) for thread in range(block.count))

    @cached_property
    def loads(self) -> Loads:
        """Copies into shared memory."""
        return collect_loads(self.trace)

    # --- threads ---------------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> ThreadPositions:
        """Cells of the result that lanes compute."""
        view = next((v for v in self.views if v.place == "result"), None)
        stray = [found for found in self._outside if view is not None and found.group.site in self._writers(view)]
        return find_positions(self.trace, view, self.coordinates, stray)

    @cached_property
    def all_placed(self) -> bool:
        """True if every thread has a cell of its own in the picture, of the result or of the launch."""
        if self.result is None:
            return True
        view, (rows, columns), found = self.views[self.result], self.overhang[self.result], self.positions
        known = found.known if found.sequence is None else found.sequence.last >= 0
        inside = known & (found.row < view.rows + rows) & (found.column < view.columns + columns)
        block = np.arange(len(known)) // self.trace.launch.block.count
        cells = np.stack([block, found.row, found.column], axis=1)
        return bool(inside.all()) and len(np.unique(cells, axis=0)) == len(cells)

    def _writers(self, view: View) -> set[Site]:
        return {site for site in self.trace.sites if site.array == view.array and site.access != "read"}

    @property
    def outside_frames(self) -> tuple[tuple[int, int], ...]:
        """(block, step) of the frames with accesses outside; of a long run, those of a sample."""
        frames: set[tuple[int, int]] = set()
        for found in self._outside:
            blocks = np.unique(found.lanes // self.trace.launch.block.count)
            frames |= {(block, found.group.step) for block in blocks.tolist()}
        return tuple(sorted(frames))

    @property
    def has_outside(self) -> bool:
        """True if the run accesses elements outside an array."""
        return bool(self._outside)

    @cached_property
    def _outside(self) -> tuple[Outside, ...]:
        """Accesses outside, in execution order; of a long run a sample, with all writes of results if few."""
        trace = self.trace
        results = {view.array for view in self.matrices if view.place == "result"}
        shown = {view.array for view in self._plain}
        steps: set[int] = set()
        for number, site in enumerate(trace.sites):
            if site.array in shown:
                of_site = trace.group_step[trace.group_site == number]
                stored = site.array in results and site.access != "read"
                short = trace.access_count <= _SEARCHED_ACCESSES
                whole = len(of_site if stored else trace.group_site) <= _SEARCHED_GROUPS and (stored or short)
                every = max(1, len(of_site) // _SAMPLED_BOUNDS)
                steps |= set((of_site if whole else np.append(of_site[::every], of_site[-1:])).tolist())
        return tuple(found for step in sorted(steps) for found in outside_accesses(trace, step))

    @cached_property
    def launch(self) -> Arrangement:
        """Arrangement of all threads, when the launch itself is drawn."""
        return launch_arrangement(self.trace.launch)

    @cached_property
    def axes(self) -> Axes:
        """Directions in which threads and blocks are counted on the result or the launch."""
        launch, found = self.trace.launch, self.positions
        if self.result is None:
            return find_axes(launch, *self.launch_cells)
        if not (found.affine and found.knows_whole_blocks(launch.block.count)):
            return Axes(None, None)
        return find_axes(launch, found.row, found.column, found.known)

    @cached_property
    def launch_cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of every lane when the launch itself is drawn."""
        (x, y, z), block = self.coordinates.astype(np.int64)[:, :3].T, self.trace.launch.block
        x, y, z = (
            first * length + own
            for first, length, own in zip(self.coordinates.astype(np.int64)[:, 3:].T, block, (x, y, z), strict=True)
        )
        row, column = self.launch.place({"strip": (x,), "matrix": (y, x), "slices": (z, y, x)}[self.launch.kind])
        return row.astype(np.int64), column.astype(np.int64)

    @cached_property
    def block_outlines(self) -> tuple[Outline, ...]:
        """Rectangles of every block on the result or launch; none of a block whose cells have gaps.

        Where one formula leads all lanes to their cells, a block has the cells of its threads, also beyond the edges; a
        block to which the formula does not extend has none. Elsewhere it has the elements that it writes, unless
        another block writes any of them.
        """
        threads = self.trace.launch.block.count
        block = np.arange(self.trace.launch.thread_count) // threads
        if self.result is None:
            return outlines(block, *self.launch_cells, self.launch)
        view = self.views[self.result]
        known = self.positions.known
        if self.positions.affine and self.positions.knows_whole_blocks(threads):
            block, row, column = block[known], self.positions.row[known], self.positions.column[known]
        else:
            writes = self.trace.writes(view.array)
            inside = (writes.index >= 0) & (writes.index < self.trace.arrays[view.array].size)
            return _own_outlines(view, writes.lane[inside] // threads, writes.index[inside])
        return outlines(block, row, column, view.arrangement)

    @cached_property
    def input_outlines(self) -> tuple[tuple[Outline, ...], ...]:
        """For each view that is a strip of global memory: rectangles of the elements that each block reads.

        There are none where an element is read by several blocks, or a single block reads all.
        """
        return tuple(self._input_outlines(number, view) for number, view in enumerate(self.views))

    def _input_outlines(self, number: int, view: View) -> tuple[Outline, ...]:
        inside = view.place in ("shared", "local") or number == self.result or view.array not in self.global_inputs
        if inside or view.arrangement.kind != "strip" or self.trace.launch.grid.count == 1:
            return ()
        _, lane, index, writes = accesses_in_order(self.trace, view.array)
        return _own_outlines(view, lane[~writes] // self.trace.launch.block.count, index[~writes])

    @cached_property
    def has_shuffles(self) -> bool:
        """True if lanes read values of other lanes of their warp."""
        return any(has_shuffle(part) for n in range(len(self.trace.statements)) for part in parts_at(self.trace, n))

    @cached_property
    def registers(self) -> Registers:
        """Values of variables between the steps that set them."""
        return Registers(self.trace)

    @cached_property
    def accumulator(self) -> int | None:
        """Register that grows into each lane's result, if any."""
        return None if self.result is None else self.registers.find_accumulator(self.views[self.result].array)

    # --- memory ----------------------------------------------------------------------------------------

    @cached_property
    def memory_history(self) -> MemoryHistory:
        """Memory counts up to any frame."""
        return MemoryHistory(self.order)

    @cached_property
    def line_counts(self) -> tuple[LineCount, ...]:
        """Counts of each source line in the whole run."""
        return self.memory_history.lines(self.memory_history.end)

    @property
    def global_inputs(self) -> tuple[int, ...]:
        """Arrays of global memory that the run reads, by their positions in the trace."""
        return self.memory_history.global_inputs

    # --- matrices --------------------------------------------------------------------------------------

    def views_of(self, site: Site) -> tuple[int, ...]:
        """Return the views on which a site's accesses are shown."""
        return self.site_views[self._site_numbers[site]]

    @cached_property
    def _site_numbers(self) -> dict[Site, int]:
        return {site: number for number, site in enumerate(self.trace.sites)}

    @cached_property
    def site_views(self) -> tuple[tuple[int, ...], ...]:
        """Views on which each site's accesses are shown; several when an array is shown more than once."""
        return tuple(self._views_of_site(number) for number in range(len(self.trace.sites)))

    def _views_of_site(self, number: int) -> tuple[int, ...]:
        array = self.trace.sites[number].array
        candidates = [n for n, view in enumerate(self.views) if view.array == array]
        if len(candidates) < 2 or not self.positions.known.any():
            return tuple(candidates)
        # M·Mᵀ shows M twice, left and on top: a read belongs to the copy in whose row or column the result lies.
        scores, total = self._agreement(number, candidates)
        if self.positions.sequence is not None and max(scores) < total:
            return tuple(candidates[:1])  # read for many results: no row or column of it is a thread's
        return tuple(c for c, score in zip(candidates, scores, strict=True) if score == max(scores))

    def _agreement(self, site: int, candidates: list[int]) -> tuple[list[int], int]:
        """Return how many accesses lie in the row (left) or column (top) of their lane's result, and their total."""
        scores, total = [0] * len(candidates), 0
        groups = np.flatnonzero(self.trace.group_site == site)
        # A sample is enough: the index of a site is one expression, so its accesses agree or differ together.
        for group in groups[:: max(1, len(groups) // _SAMPLED_GROUPS)]:
            access = self.trace.group(int(group))
            total += len(access.lanes)
            lanes = slice(0, self.trace.launch.thread_count)
            home_row, home_column, known = self.positions.at(access.step, lanes)
            for n, candidate in enumerate(candidates):
                row, column = self.views[candidate].cells(access.index)
                left = self.views[candidate].place == "left"
                home = (home_row if left else home_column)[access.lanes]
                hit = (row if left else column) == home
                scores[n] += int(np.count_nonzero(hit & known[access.lanes]))
        return scores, total

    @cached_property
    def overhang(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns that threads and accesses reach beyond each view's edges, at most its own size."""
        found = [[0, 0] for _ in self.views]
        if self.result is not None:
            self._reach(found, self.result, self.positions.row, self.positions.column, self.positions.known)
        filled = np.flatnonzero(self.loads.source < 0)
        for site in np.unique(self.loads.site[filled]):
            rows = filled[self.loads.site[filled] == site]
            for number, row, column, known in self.source_cells(rows, int(site)):
                self._reach(found, number, row, column, known)
        for outside in self._outside:
            for number in self.views_of(outside.group.site):
                row, column = self.views[number].cells_outside(outside.elements)
                self._reach(found, number, row, column, (row >= 0) & (column >= 0))
        return tuple((rows, columns) for rows, columns in found)

    def source_cells(
        self, rows: NDArray[np.integer], site: int
    ) -> list[tuple[int, NDArray[np.integer], NDArray[np.integer], NDArray[np.bool_]]]:
        """Return (view, row, column, known) of the cells that loads of one site read.

        For a load that filled without reading, the cell is where the site's formula leads: what the thread
        would have read without its guard. `known` is False where there is no formula.
        """
        found = []
        source = self.loads.source[rows]
        for number in self.site_views[site]:
            row, column = self.views[number].cells(source)
            known = source >= 0
            maps = self._source_maps.get(site, {}).get(number)
            if maps and not known.all():
                place = self._load_coordinates(rows)
                named = self.views[number].place_of(tuple(axis.at(place) for axis in maps))
                row, column = np.where(known, row, named[0]), np.where(known, column, named[1])
                known = (known | maps[0].determines(place)) & (row >= 0) & (column >= 0)
            found.append((number, row, column, known))
        return found

    @cached_property
    def _source_maps(self) -> dict[int, dict[int, tuple[Affine, ...]]]:
        """For each site that loads: by view, the formulas of the coordinates that it reads."""
        # Guarded threads read nothing, but the threads that do read give a formula, such as column = 4 · phase +
        # threadIdx.x. Applied to the others it gives the cell beyond the edge that each of them skips.
        return {
            site: {number: self._formulas(site, self.views[number]) for number in self.site_views[site]}
            for site in np.unique(self.loads.site).tolist()
        }

    def _load_coordinates(self, rows: NDArray[np.integer]) -> NDArray[np.float64]:
        """(threadIdx, blockIdx, phase, place in a wide access) of loads."""
        step, lane = np.divmod(self.loads.key[rows], self.loads.lanes)
        return np.column_stack([self.coordinates[lane], self.trace.step_phase[step], self.loads.part[rows]])

    def _reach(
        self,
        extents: list[list[int]],
        number: int,
        row: NDArray[np.integer],
        column: NDArray[np.integer],
        use: NDArray[np.bool_],
    ) -> None:
        view = self.views[number]
        for axis, (position, length) in enumerate(((row[use], view.rows), (column[use], view.columns))):
            if len(position):
                beyond = min(length, int(position.max()) + 1 - length)
                extents[number][axis] = max(extents[number][axis], beyond)

    @cached_property
    def tints(self) -> tuple[Place, ...]:
        """Place whose colour each view takes: a shared array that of the matrix it is first filled from."""
        tints = [view.place for view in self.views]
        for number, view in enumerate(self.views):
            rows = np.flatnonzero(self.loads.array == view.array)
            if len(rows) and (sources := self.site_views[int(self.loads.site[rows[0]])]):
                tints[number] = self.views[sources[0]].place
        return tuple(tints)

    # --- values ----------------------------------------------------------------------------------------

    def contents(
        self, view: View, step: int, block: int, lane: int = 0
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """Return values and their written mask, as drawn, when a step of a block is over; of this lane's copy."""
        return view.draw(*self.order.contents(view.array, block, step, lane))

    @cached_property
    def printed(self) -> Printed | None:
        """Lines in the order played; None if their steps are not known."""
        numbers = range(len(self.trace.statements))
        statements = tuple(n for n in numbers if any(has_print(part) for part in parts_at(self.trace, n)))
        return find_printed(self.order, statements)

    @cached_property
    def order(self) -> PlayOrder:
        """Order in which the steps of the blocks are shown."""
        return play_order(self.trace)

    @cached_property
    def causes(self) -> Causes:
        """Where values come from, and who reads them next."""
        return Causes(self.order)

    @cached_property
    def plane(self) -> Plane | None:
        """Objects and centres of a workload that is pictured as points."""
        picture = None if self.workload is None else self.workload.picture
        return Plane(self.trace, picture, self.causes) if isinstance(picture, Points) else None

    @cached_property
    def results(self) -> ResultCheck | None:
        """Outputs compared with the correct result; None if that is not known."""
        return check_result(self.order, self.workload) if self.workload is not None else None


def _own_outlines(view: View, block: NDArray[np.integer], index: NDArray[np.integer]) -> tuple[Outline, ...]:
    """Return the outlines of the elements of each block; none if two blocks have one element."""
    pairs = np.unique(np.stack([block, index]), axis=1)
    if len(np.unique(pairs[1])) < pairs.shape[1]:
        return ()
    return outlines(pairs[0], *view.cells(pairs[1]), view.arrangement)
