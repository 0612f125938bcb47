"""Build scenes: `build_scene` reads one frame of a trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.points.points import plane_points
from gui.explore.stage.focus import NOTHING, Focus
from gui.explore.stage.interactions import lane_reads, queues
from gui.explore.stage.links import Links, find_links
from gui.explore.stage.scene import Access, BlockBox, Cells, Flow, Options, RaceMark, Scene, Stray, Threads
from gui.explore.stage.thread_positions import stored_once
from gui.explore.stage.zoom import one_warp, whole_grid
from gui.explore.warp.warp_lanes import warp_lanes
from kernels.analysis import Frame, lane_roles
from kernels.analysis.order.barrier_arrivals import arrivals, barrier_line
from kernels.analysis.order.races import hazard_lanes, race_at
from kernels.analysis.syntax.bounds import outside_accesses
from kernels.analysis.values.roles import ACTIVE, ZERO_FILL
from kernels.launch import WARP_SIZE
from kernels.narration.divergence import warp_clause
from kernels.narration.hazards import race_labels
from kernels.narration.matrices import instruction_words
from kernels.narration.narrate import describe
from kernels.narration.results import ResultLine, result_line
from kernels.narration.words import vocabulary_of
from kernels.trace.sorted_columns import count_up_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.stage.stage import Stage
    from gui.explore.stage.views import View
    from gui.explore.warp.warp_lanes import WarpLanes
    from kernels.analysis.syntax.bounds import Outside
    from kernels.narration.narrate import Caption
    from kernels.trace import AccessGroup, Trace

_Contents = tuple["NDArray[np.generic]", "NDArray[np.bool_]"]
"""Values and their written mask, as a view draws them."""

_PLAIN = Options()
_MASKS = ("read", "wrote", "zero", "in_shared", "focus", "outside", "landing", "wrong", "cause")


def build_scene(stage: Stage, frame: Frame, options: Options = _PLAIN, focus: Focus = NOTHING) -> Scene:
    """Build the scene of one frame. Pure: the same arguments give the same scene, in any order of calls."""
    trace, step, block = stage.trace, frame.step, frame.block
    options = applicable_options(stage, options)
    # Everything below reads the trace by (step, block): no state is carried from one frame to the next, so scrubbing
    # back, jumping and exporting a film build the same scenes.
    links = find_links(stage, step, block, focus)
    statement = trace.statement(step)
    groups = trace.accesses(step, block)
    # One list for caption, marks and threads: they cannot differ.
    outside = outside_accesses(trace, step, block)
    caption = describe(trace, step, block, vocabulary_of(on_cpu=stage.on_cpu), outside)
    threads = _threads(stage, step, block, outside, links)
    strays = _strays(stage, outside, links)
    lane = _lane(threads, focus, options.warp)
    contents = tuple(stage.contents(view, step, block, lane) for view in stage.views)
    accesses = _accesses(stage, step, block, groups, lane, contents)
    printed = stage.printed
    shown = None
    words = caption.text
    if options.zoom == "warp" or options.warp is not None:
        warp = (lane - threads.first_lane) // WARP_SIZE if options.warp is None else options.warp
        shown = warp_lanes(stage, step, block, warp)
        words = f"{words}; {warp_clause(shown.state)}"
    if options.zoom == "warp" and shown is not None and shown.instruction is not None and not outside:
        words = _instruction_words(trace, caption, shown)
    if options.warp is not None:
        words = f"One warp at a time, warp {options.warp}. {words}"
    scene = Scene(
        block=block,
        block_index=trace.launch.grid.member(block),
        grid=trace.launch.grid,
        block_dim=trace.launch.block,
        step=step,
        cells=_cells(stage, step, block, contents, accesses, strays, lane, options, links),
        result=stage.result,
        launch=stage.launch,
        threads=threads,
        all_placed=stage.all_placed,
        lane=lane,
        axes=stage.axes,
        blocks=_blocks(stage, step, block),
        accesses=accesses,
        flows=_flows(stage, step, block, links),
        strays=strays,
        has_outside=stage.has_outside or bool(strays),
        has_wrong=stage.results is not None and stage.results.any_wrong,
        barrier=statement.kind == "barrier",
        arrived=len(arrivals(trace, step, block, step)[0]) if statement.kind == "barrier" else 0,
        shuffles=lane_reads(trace, step, block),
        has_shuffles=stage.has_shuffles,
        barrier_line=barrier_line(trace, step, block)
        if trace.launch.warps_per_block > 1 and not stage.on_cpu
        else None,
        queues=queues(stage, step, block),
        line=statement.span.line,
        span=statement.span,
        caption=_caption(stage, words),
        printed=trace.printf if printed is None else printed.until(stage.order, block, step),
        printed_all=printed is None,
        prints=bool(trace.printf),
        not_drawn=stage.not_drawn,
        on_cpu=stage.on_cpu,
        race=_race(stage, step, block),
        result_line=_result_line(stage, step, block),
        focus=focus,
        focus_lines=links.lines,
        zoom=options.zoom,
        colouring=options.colouring,
        warp=shown if options.zoom == "warp" else None,
        points=plane_points(stage, frame, focus, lane) if options.zoom != "warp" else None,
    )
    if options.warp is not None:
        scene = one_warp(scene, options.warp)
    return whole_grid(scene) if options.zoom == "grid" else scene


def applicable_options(stage: Stage, options: Options) -> Options:
    """Return the options without those of a warp that the launch has not, and of warps for a kernel on the CPU."""
    if stage.on_cpu:
        return replace(options, zoom="block" if options.zoom == "warp" else options.zoom, colouring="block", warp=None)
    if options.warp is not None and options.warp >= stage.trace.launch.warps_per_block:
        return replace(options, warp=None)
    return options


def _instruction_words(trace: Trace, caption: Caption, shown: WarpLanes) -> str:
    """Return the caption of a matrix instruction of one warp."""
    assert shown.instruction is not None
    places = [f"Block {trace.launch.index_text(caption.block)}"] + [f"phase {caption.phase}"] * (caption.phase >= 0)
    places += [f"{name} = {number}" for name, number in caption.counters]
    counts = [card.access.counts for card in shown.cards if card.bank is not None]
    cost = sum(access.wavefronts for access in counts[:1]), sum(access.ideal_wavefronts for access in counts[:1])
    return f"{', '.join(places)}, warp {shown.state.warp}: {instruction_words(shown.instruction, *cost)}"


def _caption(stage: Stage, text: str) -> str:
    """Prefix a caption with the GPU that recorded the trace, if any."""
    if stage.recorded_on:
        gpu = stage.recorded_on.partition(",")[0]
        return f"Recorded on the GPU, {gpu}. {text}"
    return text


def _lane(threads: Threads, focus: Focus, warp: int | None) -> int:
    """Return the thread of the details: the one in focus, else the first of the followed warp that takes part."""
    if 0 <= focus.lane - threads.first_lane < len(threads.role):
        return focus.lane
    first = 0 if warp is None else warp * WARP_SIZE
    own = threads.role[first : None if warp is None else first + WARP_SIZE]
    return threads.first_lane + first + int(np.isin(own, (ACTIVE, ZERO_FILL)).argmax())


def _accesses(
    stage: Stage, step: int, block: int, groups: tuple[AccessGroup, ...], lane: int, contents: tuple[_Contents, ...]
) -> tuple[Access, ...]:
    """Return the accesses to elements that the picture shows; of local arrays it shows the copies of `lane`."""
    found = []
    written = {group.site.array for group in groups if group.site.access != "read"}
    for group in groups:
        own, lanes, reads = group.elements, group.element_lanes, group.site.access == "read"
        if group.array.space == "local":
            own, lanes = own[lanes == lane], lanes[lanes == lane]
        for number in stage.views_of(group.site):
            view = stage.views[number]
            row, column = view.cells(own)
            exist = (own >= 0) & view.has(row, column)
            at = row[exist], column[exist]
            values, known = contents[number]
            if reads and group.site.array in written:
                values, known = _contents_before(stage, view, step, block, lane)
            found.append(Access(number, not reads, lanes[exist], np.column_stack(at), values[at], known[at]))
    return tuple(found)


def _contents_before(stage: Stage, view: View, step: int, block: int, lane: int) -> _Contents:
    """Return the contents that a step finds in an array to which it also writes.

    Those of global memory are not known where other blocks are played between this step and the block's step before.
    """
    values, written = stage.contents(view, step - 1, block, lane)
    own = view.place in ("shared", "local")
    if own or (step > 0 and stage.order.turn(block, step - 1) == stage.order.turn(block, step)):
        return values, written
    return values, np.zeros_like(written)


def _cells(
    stage: Stage,
    step: int,
    block: int,
    contents: tuple[_Contents, ...],
    accesses: tuple[Access, ...],
    strays: tuple[Stray, ...],
    lane: int,
    options: Options,
    links: Links,
) -> tuple[Cells, ...]:
    views = stage.views
    masks = {
        name: [
            np.zeros((v.rows + over[0], v.columns + over[1]), bool)
            for v, over in zip(views, stage.overhang, strict=True)
        ]
        for name in _MASKS
    }
    for access in accesses:
        _mark(masks["wrote" if access.writes else "read"][access.view], *access.cells.T)
    for number, view in enumerate(views):
        for array, index in links.elements:
            if array == view.array:
                _mark_elements(masks["focus"][number], view, index)
        for array, index in links.causes:
            if array == view.array:
                _mark_elements(masks["cause"][number], view, index)
        wrong = stage.results.wrong(view.array, block, step) if stage.results is not None else None
        if wrong is not None:
            _mark_elements(masks["wrong"][number], view, np.flatnonzero(wrong))
        if view.place == "shared" and options.in_shared:
            _mark_in_shared(stage, number, step, block, masks["in_shared"], masks["zero"])
    _mark_filled(stage, step, block, masks["zero"])
    for stray in strays:
        mine = np.ones(len(stray.lanes), bool) if views[stray.view].place != "local" else stray.lanes == lane
        _mark(masks["outside"][stray.view], *stray.named[mine].T)
        _mark(masks["landing"][stray.view], *stray.landing[mine].T)
        _mark(masks["focus"][stray.view], *stray.named[mine & stray.focus].T)
    made = tuple(
        Cells(
            view,
            stage.tints[number],
            *contents[number],
            **{name: masks[name][number] for name in _MASKS},
            reads=None,
            most_reads=0,
            padding=stage.padding[number],
            owner=lane if view.place == "local" else -1,
            block_parts=stage.input_outlines[number],
        )
        for number, view in enumerate(views)
    )
    if not options.reads:
        return made
    frame = Frame(block, step)
    return tuple(_count_reads(stage, number, cells, frame, options.most_reads) for number, cells in enumerate(made))


def _count_reads(stage: Stage, number: int, cells: Cells, frame: Frame, least: int) -> Cells:
    """Count the reads so far of an array of global memory that the run reads; threads are drawn on the result."""
    view, history = cells.view, stage.memory_history
    if view.array not in stage.global_inputs or number == stage.result:
        return cells
    reads = history.reads(view.array, frame).reads
    drawn = view.draw(reads, np.ones(reads.shape, bool))[0].astype(np.int64)
    most = max(least, history.reads(view.array, history.end).most)
    return replace(cells, reads=drawn, most_reads=most)


def _mark_elements(mask: NDArray[np.bool_], view: View, index: NDArray[np.integer]) -> None:
    """Mark elements that exist. An index past the end is no cell beyond an edge: that has a row and a column."""
    row, column = view.cells(index)
    exist = (index >= 0) & view.has(row, column)
    _mark(mask, row[exist], column[exist])


def _mark(mask: NDArray[np.bool_], row: NDArray[np.integer], column: NDArray[np.integer]) -> None:
    inside = (row >= 0) & (row < mask.shape[0]) & (column >= 0) & (column < mask.shape[1])
    mask[row[inside], column[inside]] = True


def _mark_in_shared(
    stage: Stage,
    number: int,
    step: int,
    block: int,
    in_shared: list[NDArray[np.bool_]],
    zero: list[NDArray[np.bool_]],
) -> None:
    """Mark the source elements of a shared array's contents, and the zeros that were stored without a read."""
    view, writes = stage.views[number], stage.trace.writes(stage.views[number].array)
    first, last = int(writes.first[block]), int(writes.first[block + 1])
    last = first + count_up_to(writes.step[first:last], step)
    # Of several writes to an element the last counts: NumPy assigns in the order of the indices.
    newest = np.full(stage.trace.arrays[view.array].size, -1, np.int64)
    newest[writes.index[first:last]] = np.arange(first, last)
    newest = newest[newest >= 0]
    rows = stage.loads.find(writes.step[newest], writes.lane[newest], view.array, writes.index[newest])
    rows = rows[rows >= 0]
    _mark_source(stage, rows, in_shared)
    filled = rows[stage.loads.source[rows] < 0]
    _mark(zero[number], *view.cells(stage.loads.target[filled]))


def _mark_filled(stage: Stage, step: int, block: int, zero: list[NDArray[np.bool_]]) -> None:
    """Mark, outside the matrices, the elements that threads filling in zeros would have read."""
    rows = _load_rows(stage, step, block)
    rows = rows[stage.loads.source[rows] < 0]
    for site in np.unique(stage.loads.site[rows]):
        for number, row, column, known in stage.source_cells(rows[stage.loads.site[rows] == site], int(site)):
            _mark(zero[number], row[known], column[known])


def _mark_source(stage: Stage, rows: NDArray[np.int64], in_shared: list[NDArray[np.bool_]]) -> None:
    rows = rows[stage.loads.source[rows] >= 0]
    for site in np.unique(stage.loads.site[rows]):
        for number, row, column, _ in stage.source_cells(rows[stage.loads.site[rows] == site], int(site)):
            _mark(in_shared[number], row, column)


def _load_rows(stage: Stage, step: int, block: int) -> NDArray[np.int64]:
    threads = stage.trace.launch.block.count
    rows = stage.loads.rows(step, block * threads, (block + 1) * threads)
    return np.arange(rows.start, rows.stop)


def _strays(stage: Stage, outside: tuple[Outside, ...], links: Links) -> tuple[Stray, ...]:
    """Return the accesses outside, for each view of their array."""
    strays = []
    for found in outside:
        for number in stage.views_of(found.group.site):
            view, flat = stage.views[number], found.elements.flat
            landing = np.column_stack(view.cells(flat))
            landing[~found.lands] = -1
            named = np.column_stack(view.cells_outside(found.elements))
            strays.append(Stray(number, found.lanes, named, landing, np.isin(found.lanes, links.lanes)))
    return tuple(strays)


def _threads(stage: Stage, step: int, block: int, outside: tuple[Outside, ...], links: Links) -> Threads:
    trace = stage.trace
    threads = trace.launch.block.count
    lanes = slice(block * threads, (block + 1) * threads)
    if stage.result is None:
        row, column = (cells[lanes] for cells in stage.launch_cells)
        shown, stored = np.ones(threads, bool), np.zeros(threads, bool)
    else:
        row, column, known = stage.positions.at(step, lanes)
        stored = stage.positions.stored(step, lanes)
        view, over = stage.views[stage.result], stage.overhang[stage.result]
        shown = known & (row < view.rows + over[0]) & (column < view.columns + over[1])
        # A thread beyond an edge has no element: what it stores there lands elsewhere, or nowhere.
        stored = stored & view.has(row, column)
    value: NDArray[np.generic] = np.zeros(threads, np.float32)
    has_value, name = np.zeros(threads, bool), ""
    if stage.accumulator is not None:
        name = trace.registers[stage.accumulator].name
        value, has_value = stage.registers.of_block(stage.accumulator, step, block)
    elif stage.result is not None:
        name, view = stage.views[stage.result].name, stage.views[stage.result]
        results, written = stage.contents(view, step, block)
        inside = view.has(row, column)
        at = np.where(inside, row, 0), np.where(inside, column, 0)
        value, has_value = results[at], stored & inside & written[at]
        has_value[has_value] = stored_once(np.column_stack((row, column))[has_value])
    beyond = 0 if stage.result is None else int(np.count_nonzero(known & ~shown))
    focus, hazard = np.zeros(threads, bool), np.zeros(threads, bool)
    mine = links.lanes[(links.lanes >= lanes.start) & (links.lanes < lanes.stop)]
    focus[mine - lanes.start] = True
    hazard[hazard_lanes(trace, step, block) - lanes.start] = True
    # A report names one thread for each site, and only addresses outside the array: all others are marked here.
    for stray in outside:
        hazard[stray.lanes - lanes.start] = True
    roles = lane_roles(trace, step, block).role
    return Threads(
        first_lane=lanes.start,
        row=row,
        column=column,
        visible=shown,
        beyond=beyond,
        stored=stored,
        role=roles,
        value=value,
        has_value=has_value,
        value_name=name,
        accumulates=stage.accumulator is not None,
        focus=focus,
        hazard=hazard,
        index=stage.thread_indices,
    )


def _race(stage: Stage, step: int, block: int) -> RaceMark | None:
    """Return the marks of the race that the step shows, if the picture has its array."""
    trace, race = stage.trace, race_at(stage.trace, step, block)
    views = [number for number, view in enumerate(stage.views) if race is not None and view.array == race.array]
    if race is None or not views:
        return None
    row, column = stage.views[views[0]].cells(np.array([race.index], np.int64))
    first, second = race.parties
    element, *labels = race_labels(trace, race)
    return RaceMark(
        views[0],
        int(row[0]),
        int(column[0]),
        element,
        (first.lane % trace.launch.block.count, second.lane % trace.launch.block.count),
        (labels[0], labels[1]),
        (first.access == "read", second.access == "read"),
    )


def _result_line(stage: Stage, step: int, block: int) -> ResultLine | None:
    if stage.results is None:
        return None
    return result_line(stage.trace, stage.results.verdict(block, step))


def _blocks(stage: Stage, step: int, block: int) -> tuple[BlockBox, ...]:
    grid, done = stage.trace.launch.grid, stage.order.done(block, step)
    return tuple(
        BlockBox(number, grid.member(number), row, column, rows, columns, bool(done[number]), number == block)
        for number, row, column, rows, columns in stage.block_outlines
    )


def _flows(stage: Stage, step: int, block: int, links: Links) -> tuple[Flow, ...]:
    """Return a flow for each shared array and each view that it is filled from in this step."""
    loads, rows = stage.loads, _load_rows(stage, step, block)
    targets = {view.array: number for number, view in enumerate(stage.views) if view.place == "shared"}
    flows = []
    for array, site in sorted(set(zip(loads.array[rows].tolist(), loads.site[rows].tolist(), strict=True))):
        mine = rows[(loads.array[rows] == array) & (loads.site[rows] == site)]
        lane = (loads.key[mine] - step * loads.lanes).astype(np.int32)
        target = np.column_stack(stage.views[targets[array]].cells(loads.target[mine]))
        for number, row, column, known in stage.source_cells(mine, site):
            flows.append(
                Flow(
                    source_view=number,
                    target_view=targets[array],
                    lanes=lane[known],
                    source=np.column_stack([row, column])[known],
                    target=target[known],
                    zero=(loads.source[mine] < 0)[known],
                    focus=np.isin(lane, links.lanes)[known],
                )
            )
    return tuple(flow for flow in flows if len(flow.lanes))
