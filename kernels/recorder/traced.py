"""A recording as a trace: the same columns and the same file format as the simulator's.

A GPU has no global order of events; only the order within each thread is known. The trace merges the threads as
follows. Threads of a warp share a step if they are at the same statement in the same iteration of the same loops
(`kernels.recorder.paths`), as if they reconverged after every branch. A warp proceeds from one barrier to the next
before another warp does; the first is the one whose first statement after the barrier has the earliest time stamp of
the GPU's global clock. So between two barriers the trace shows what each warp did, and which warp began first, but not
how two concurrent warps interleaved.

Statements, arrays, sites and registers are those of the simulated launch, so that the two traces can be compared; those
that only the GPU used are appended. Values are those that the GPU wrote and assigned. There are no hazards (the device
does not check for them, and a kernel with hazards is not recorded) and no printf output (the instrumented kernel prints
nothing).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend.unparse.expressions import one_line_text
from kernels.recorder.event_order import align, in_step, runs
from kernels.recorder.log import AccessNote, AssignmentNote, StepNote
from kernels.recorder.paths import paths_of
from kernels.trace.records import ArrayInfo, Register, Site, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.recorder.log_entries import Entries, LoggedArray
    from kernels.recorder.recording import Recording
    from kernels.trace import Trace


def to_trace(recording: Recording, simulated: Trace, machine: str) -> Trace:
    """Convert a recording into a trace.

    Parameters
    ----------
    recording
        A launch on a GPU.
    simulated
        The trace of the same launch in the simulator.
    machine
        The trace's schedule: the GPU and its software.
    """
    build = _Builder(recording, simulated)
    columns: dict[str, Any] = {**build.steps(), **build.accesses(), **build.assignments()}
    tables = build.tables
    new_arrays = len(tables.arrays) - len(simulated.arrays)
    return replace(
        simulated,
        schedule=machine,
        statements=tuple(tables.statements),
        arrays=tuple(tables.arrays),
        sites=tuple(tables.sites),
        registers=tuple(tables.registers),
        initial=(*simulated.initial, *(None,) * new_arrays),
        outputs=_outputs(recording.results, simulated),
        hazards=(),
        printf=(),
        masks=tuple(build.masks.found),
        value_bytes=np.concatenate(build.values),
        **columns,
    )


class _Builder:
    """Builds the columns of a trace, by their names in `Trace`."""

    def __init__(self, recording: Recording, simulated: Trace) -> None:
        self.tables = Tables(simulated, recording.entries)
        self.masks = _Masks()
        self.values: list[NDArray[np.uint8]] = []
        self._entries = entries = recording.entries
        self._paths = paths_of(entries)
        self._thread = entries.thread[self._paths.row]
        self._steps = align(entries, self._paths, recording.launch)
        numbers = [self.tables.statement(note) if isinstance(note, StepNote) else -1 for note in entries.notes]
        self._statement = np.array(numbers, np.int64)[entries.note[self._paths.row]]

    def steps(self) -> dict[str, NDArray[Any]]:
        """Return the columns of steps."""
        steps = self._steps
        return {
            "step_statement": self._statement[steps.order[steps.first[:-1]]].astype(np.int32),
            "step_mask": self.masks.of(self._thread[steps.order], steps.first),
            "step_phase": steps.phase,
            "step_epoch": steps.epoch,
        }

    def accesses(self) -> dict[str, NDArray[Any]]:
        """Return the columns of access groups."""
        entries, tables = self._entries, self.tables
        rows = np.flatnonzero(entries.array >= 0)
        found = tables.sites_of(rows, self._statement[self._step_of(rows)])
        rows, step, site, first = self._sort_by_step(rows, found)
        changes = np.array([one.access != "read" for one in tables.sites], bool)
        items = np.array([tables.arrays[one.array].dtype.itemsize for one in tables.sites], np.int64)
        widths = np.array([one.width for one in tables.sites], np.int64)
        # Only writes have values; a read gets 0 bytes and the position -1.
        place = self._store(rows, np.where(changes, widths * items, 0)[site])
        index = entries.offset[rows] // items[site]
        groups = first[:-1]
        return {
            "group_step": step[groups].astype(np.int32),
            "group_site": site[groups].astype(np.int32),
            "group_mask": self.masks.of(entries.thread[rows], first),
            "group_first": first,
            "group_value": np.where(changes[site[groups]], place[groups], -1),
            "index": index.astype(np.int32 if index.max(initial=0) < 2**31 else np.int64),
        }

    def assignments(self) -> dict[str, NDArray[Any]]:
        """Return the columns of assignments to registers; a value that is the same in all lanes is stored once."""
        entries = self._entries
        numbers = [self.tables.register(note) if isinstance(note, AssignmentNote) else -1 for note in entries.notes]
        registers = np.array(numbers, np.int64)[entries.note]
        rows = np.flatnonzero(registers >= 0)
        rows, step, register, first = self._sort_by_step(rows, registers[rows])
        uniform, stored = _uniform(entries.value[rows], first)
        place = self._store(rows, np.where(stored, entries.bytes[rows], 0))
        groups = first[:-1]
        return {
            "set_step": step[groups].astype(np.int32),
            "set_register": register[groups].astype(np.int32),
            "set_mask": self.masks.of(entries.thread[rows], first),
            "set_uniform": uniform,
            "set_value": place[groups],
        }

    def _step_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of the thread that each entry belongs to: the latest before it, or the thread's first."""
        found = np.searchsorted(self._paths.row, rows, side="right") - 1
        found[(found < 0) | (self._thread[found] != self._entries.thread[rows])] += 1
        return found

    def _sort_by_step(self, rows: NDArray[np.int64], number: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Sort entries of many threads by step.

        Returns the entries, their steps, their `number` (that of a site or register), and the position at which each
        group of simultaneous entries begins.
        """
        within = self._step_of(rows)
        step = self._steps.number[within]
        keys = (number, *in_step(step, within, self._entries.note[rows]), step)
        order = np.lexsort(keys)
        return rows[order], step[order], number[order], runs(*(key[order] for key in keys))

    def _store(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Store the first bytes of each entry's value, without gaps; return their offsets."""
        before = sum(map(len, self.values))
        values = self._entries.value[rows]
        self.values.append(values[np.arange(values.shape[1]) < sizes[:, None]])
        return before + np.cumsum(sizes) - sizes


@dataclass(slots=True)
class _Masks:
    """Distinct lane sets, in the order of their first use."""

    found: list[NDArray[np.int32]]
    _numbers: dict[bytes, int]

    def __init__(self) -> None:
        self.found, self._numbers = [], {}

    def of(self, lanes: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the number of each run of lanes."""
        narrow: NDArray[np.int32] = lanes.astype(np.int32)
        numbers = np.empty(len(first) - 1, np.int32)
        for place, (start, end) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
            part = narrow[start:end]
            number = self._numbers.setdefault(part.tobytes(), len(self.found))
            if number == len(self.found):
                self.found.append(part)
            numbers[place] = number
        return numbers


def _uniform(values: NDArray[np.uint8], first: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the groups with one value for all lanes, and the rows whose values are stored."""
    starts = first[:-1]
    if not len(starts):
        return np.zeros(0, bool), np.zeros(0, bool)
    lengths = np.diff(first)
    same = (values == np.repeat(values[starts], lengths, axis=0)).all(axis=1)
    uniform: NDArray[np.bool_] = np.logical_and.reduceat(same, starts)
    stored = ~np.repeat(uniform, lengths)
    stored[starts] = True
    return uniform, stored


def _outputs(results: Mapping[str, NDArray[np.generic]], simulated: Trace) -> dict[str, NDArray[np.generic]]:
    found = {}
    for name, values in simulated.outputs.items():
        result = results.get(name)
        if result is None:  # a variable that the kernel does not use keeps its value
            found[name] = values
            continue
        raw = np.ascontiguousarray(result).reshape(-1).view(np.uint8)
        found[name] = raw.view(values.dtype).reshape(values.shape)
    return found


# --- Tables of a recorded trace: those of the simulated one, extended by entries that only the GPU used


class Tables:
    """Statements, arrays, sites and registers by number."""

    def __init__(self, simulated: Trace, entries: Entries) -> None:
        self.statements = list(simulated.statements)
        self.sites = list(simulated.sites)
        self.registers = list(simulated.registers)
        self.arrays = list(simulated.arrays)
        self._text, self._included = simulated.text, simulated.included
        self._entries = entries
        self._array = [self._array_number(logged) for logged in entries.arrays]

    def statement(self, step: StepNote) -> int:
        """Return the number of the statement that a step executes."""
        # Statements of different kinds may share a span: the kind decides.
        found = [n for n, s in enumerate(self.statements) if s.span == step.span]
        for number in found:
            if self.statements[number].kind == step.kind:
                return number
        self.statements.append(Statement(step.span, one_line_text(self._text, step.span, self._included), step.kind))
        return len(self.statements) - 1

    def register(self, note: AssignmentNote) -> int:
        """Return the number of the register of an assigned variable."""
        for number, one in enumerate(self.registers):
            if one == Register(note.name, note.function, note.dtype, note.span):
                return number
        size = max(self._entries.bytes[self._entries.note == self._entries.notes.index(note)], default=4)
        self.registers.append(Register(note.name, note.function, np.dtype(f"u{size}"), note.span))
        return len(self.registers) - 1

    def sites_of(self, rows: NDArray[np.int64], statement: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the site of each access, given its entry and the statement of its step."""
        entries = self._entries
        columns = (statement, entries.note[rows], entries.array[rows], entries.bytes[rows])
        # Combinations as single numbers, which sort faster than rows of four.
        shape = tuple(int(column.max(initial=0)) + 1 for column in columns)
        found, inverse = np.unique(np.ravel_multi_index(columns, shape), return_inverse=True)
        combinations = zip(*(column.tolist() for column in np.unravel_index(found, shape)), strict=True)
        sites = np.array([self._site(*combination) for combination in combinations], np.int64)
        return sites[inverse]

    def _site(self, statement: int, note: int, array: int, size: int) -> int:
        access, number = self._entries.notes[note], self._array[array]
        assert isinstance(access, AccessNote)
        width = max(size // self.arrays[number].dtype.itemsize, 1)
        site = Site(access.span, statement, number, access.access, width)
        for position, other in enumerate(self.sites):
            if replace(other, dtype=None) == site:  # the log has no types
                return position
        for position, other in enumerate(self.sites):  # a conversion belongs to the statement that needs it
            if (other.span, other.array, other.access, other.width) == (site.span, number, site.access, width):
                return position
        self.sites.append(site)
        return len(self.sites) - 1

    def _array_number(self, logged: LoggedArray) -> int:
        """Return the number of an array; several of one name are in the order of their declarations."""
        key = (logged.name, logged.space)
        known = [number for number, array in enumerate(self.arrays) if (array.name, array.space) == key]
        if known:
            same = [other for other in self._entries.arrays if (other.name, other.space) == key]
            return known[min(same.index(logged), len(known) - 1)]
        self.arrays.append(ArrayInfo(logged.name, logged.space, np.dtype(np.uint8), (logged.bytes,)))
        return len(self.arrays) - 1
