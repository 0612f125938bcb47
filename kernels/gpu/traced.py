"""A recording as a trace: the same words, the same columns, the same file as the simulator's.

A GPU has no global order; what is known is the order in which each thread did what it did. The trace puts it together
so: the threads of a warp make a step together where they are at the same statement in the same round of the same
loops (`kernels.gpu.paths`), as on a machine that lets them wait for each other behind each branch. A warp goes on
from one barrier to the next before another has its turn. Which is first was noted on the GPU: the one whose first
statement behind the barrier came earlier, by a clock that the whole GPU shares. So between two barriers the trace
says what each warp did, and which began first, but not how two warps that ran at the same time interleaved.

Statements, arrays, sites and registers are those of the simulated launch, so that both can be laid side by side; what
the GPU did beyond them is added. Values are those that the GPU wrote and assigned. Nothing is known of hazards (the
device checks nothing, and a kernel with hazards is not run) and of printf (the instrumented kernel prints nothing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernels.gpu.log import Assigned, Step
from kernels.gpu.order import arranged, in_step, runs
from kernels.gpu.paths import paths_of
from kernels.gpu.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.gpu.recording import Recording
    from kernels.trace import Trace


def trace_of(recording: Recording, simulated: Trace, machine: str) -> Trace:
    """Return what a recording says as a trace.

    Parameters
    ----------
    recording
        A launch on a GPU.
    simulated
        The trace of the same launch in the simulator.
    machine
        What the trace gives for its schedule: the GPU and its software.
    """
    entries, tables = recording.entries, Tables(simulated, recording.entries)
    masks = _Masks()
    paths = paths_of(entries)
    thread, note = entries.thread[paths.row], entries.note[paths.row]
    statement = np.array(
        [tables.statement(one) if isinstance(one, Step) else -1 for one in entries.notes], np.int64
    )
    steps = arranged(entries, paths, recording.launch)
    first = steps.order[steps.first[:-1]]
    # An entry belongs to the step before it; what comes before a thread's first step belongs to that.
    within = np.searchsorted(paths.row, np.arange(len(entries.note)), side="right") - 1
    early = (within < 0) | (thread[within] != entries.thread)
    within[early] += 1
    step = steps.number[np.minimum(within, len(thread) - 1)]
    made = statement[note[within.clip(max=len(thread) - 1)]]

    rows = np.flatnonzero(entries.array >= 0)
    site = tables.sites_of(rows, made[rows])
    order, begins = _together(step[rows], within[rows], entries.note[rows], site)
    rows, site = rows[order], site[order]
    kind = np.array([one.access != "read" for one in tables.sites], bool)[site]
    width = np.array([one.width for one in tables.sites], np.int64)[site]
    item = np.array([array.dtype.itemsize for array in tables.arrays], np.int64)
    item = item[np.array([one.array for one in tables.sites], np.int64)[site]]
    sizes = np.where(kind, width * item, 0)
    index = entries.offset[rows] // item
    starts = np.cumsum(sizes) - sizes
    groups = begins[:-1]

    assigned = np.array([isinstance(one, Assigned) for one in entries.notes], bool)
    sets = np.flatnonzero(assigned[entries.note])
    number = np.array([tables.register(one) if isinstance(one, Assigned) else -1 for one in entries.notes])
    register = number[entries.note[sets]]
    order, changes = _together(step[sets], within[sets], entries.note[sets], register)
    sets, register = sets[order], register[order]
    uniform, kept = _uniform(entries.value[sets], changes)
    held = np.where(kept, entries.bytes[sets], 0)
    values = np.concatenate([_packed(entries.value[rows], sizes), _packed(entries.value[sets], held)])
    places = sizes.sum() + np.cumsum(held) - held
    return replace(
        simulated,
        schedule=machine,
        statements=tuple(tables.statements), arrays=tuple(tables.arrays), sites=tuple(tables.sites),
        registers=tuple(tables.registers),
        initial=(*simulated.initial, *(None,) * (len(tables.arrays) - len(simulated.arrays))),
        outputs=_outputs(recording.results, simulated), hazards=(), printf=(),
        step_statement=statement[note[first]].astype(np.int32),
        step_mask=masks.of(thread[steps.order], steps.first),
        step_phase=steps.phase, step_epoch=steps.epoch,
        group_step=step[rows][groups].astype(np.int32), group_site=site[groups].astype(np.int32),
        group_mask=masks.of(entries.thread[rows], begins), group_first=begins,
        group_value=np.where(kind[groups], starts[groups], -1),
        index=index.astype(np.int32 if not len(index) or index.max() < 2**31 else np.int64),
        set_step=step[sets][changes[:-1]].astype(np.int32),
        set_register=register[changes[:-1]].astype(np.int32),
        set_mask=masks.of(entries.thread[sets], changes), set_uniform=uniform,
        set_value=places[changes[:-1]], value_bytes=values, masks=tuple(masks.found),
    )  # fmt: skip


@dataclass(slots=True)
class _Masks:
    """Distinct lane sets, in the order in which they are met."""

    found: list[NDArray[np.int32]]
    _numbers: dict[bytes, int]

    def __init__(self) -> None:
        self.found, self._numbers = [], {}

    def of(self, lanes: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the number of each stretch of lanes."""
        narrow: NDArray[np.int32] = lanes.astype(np.int32)
        numbers = np.empty(len(first) - 1, np.int32)
        for place, (start, end) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
            part = narrow[start:end]
            number = self._numbers.setdefault(part.tobytes(), len(self.found))
            if number == len(self.found):
                self.found.append(part)
            numbers[place] = number
        return numbers


def _together(
    step: NDArray[np.int64], within: NDArray[np.int64], note: NDArray[np.int64], what: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order in which entries of many threads stand by steps, and where each group of them begins."""
    keys = (what, *in_step(step, within, note), step)
    order = np.lexsort(keys)
    return order, runs(*(key[order] for key in keys))


def _uniform(
    values: NDArray[np.uint8], first: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which groups have one value for all, and which rows are to be kept."""
    starts = first[:-1]
    if not len(starts):
        return np.zeros(0, bool), np.zeros(0, bool)
    lengths = np.diff(first)
    same = (values == np.repeat(values[starts], lengths, axis=0)).all(axis=1)
    uniform: NDArray[np.bool_] = np.logical_and.reduceat(same, starts)
    kept = ~np.repeat(uniform, lengths)
    kept[starts] = True
    return uniform, kept


def _packed(values: NDArray[np.uint8], sizes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the first so many bytes of each row, without gaps."""
    packed: NDArray[np.uint8] = values[np.arange(values.shape[1]) < sizes[:, None]]
    return packed


def _outputs(results: Mapping[str, NDArray[np.generic]], simulated: Trace) -> dict[str, NDArray[np.generic]]:
    found = {}
    for name, values in simulated.outputs.items():
        known = results.get(name)  # a variable of the file that the kernel does not use is as it was
        seen = values if known is None else np.ascontiguousarray(known).reshape(-1).view(np.uint8)
        found[name] = values if known is None else seen.view(values.dtype).reshape(values.shape)
    return found
