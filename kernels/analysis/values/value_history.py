"""Value history: the definitions of elements and registers, and the accesses of single threads, looked up in a trace.

A definition is an assignment of a value to a location. The definition that a read finds is the last one before it, as
in a compiler's reaching definitions; here there is exactly one, because a trace is one execution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kernels.analysis.syntax.source import parts_at, source_of
from kernels.analysis.syntax.walk import calls_in
from kernels.analysis.values.registers import assigned_value
from kernels.frontend.ast.traversal import all_nodes
from kernels.trace.accesses import accesses_in_order
from kernels.trace.sorted_columns import count_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.frontend.ast import Function, Span
    from kernels.trace import Site, Trace
    from kernels.trace.records import ArrayInfo, Value

REGISTER = -1
"""`Location.array` of a register."""

_KEPT_ACCESSES: Final = 20_000
"""Steps of single threads whose accesses are kept for the next pictures."""


class Location(NamedTuple):
    """Storage of one value: an element of an array, or a register of a thread."""

    array: int
    """Row of `Trace.arrays`, or `REGISTER`."""
    number: int
    """Flat index of the element; of a register the row of `Trace.registers`."""
    owner: int = 0
    """Block of a shared array's copy; thread of a local array's copy and of a register; 0 for other arrays."""


class Definition(NamedTuple):
    """An assignment of a value to a location; without one, the contents before the launch."""

    location: Location
    row: int
    """Row of the array's `Trace.writes`, or of the trace's `set_` columns; -1 before the launch."""
    step: int
    """-1 before the launch."""
    lane: int
    """Thread that assigned it; -1 before the launch."""
    value: Value | None
    """None if the location is uninitialised."""

    @property
    def order(self) -> tuple[int, bool, int]:
        """Key that sorts definitions by the order of the run; an assigned register may use the step's atomics."""
        return self.step, self.location.array == REGISTER, self.row


class LaneAccess(NamedTuple):
    """One thread's access at one site in one step."""

    site: Site
    array: int
    elements: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Accesses:
    """Every access to elements of one array that exist, in execution order."""

    step: NDArray[np.int32]
    lane: NDArray[np.int32]
    index: NDArray[np.int64]
    writes: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class LaneWrites:
    """Writes of one thread from one place in the source, in execution order."""

    step: NDArray[np.int32]
    first: NDArray[np.int64]
    """First element of each."""
    width: NDArray[np.int64]
    """Number of elements of each."""

    def holds(self, number: int) -> NDArray[np.bool_]:
        """Return which of them write an element."""
        found: NDArray[np.bool_] = (self.first <= number) & (number < self.first + self.width)
        return found


@dataclass(frozen=True, eq=False)
class ValueHistory:
    """Lookups in one trace; what they share is computed once, when it is first needed."""

    trace: Trace

    # --- definitions -----------------------------------------------------------------------------------

    def element(self, array: int, index: int, lane: int) -> Location:
        """Return the location of an element in the copy that a thread accesses."""
        space = self.trace.arrays[array].space
        block = lane // self.trace.launch.block.count
        return Location(array, index, {"shared": block, "local": lane}.get(space, 0))

    def before(self, location: Location, step: int) -> Definition:
        """Return the definition that a read in a step finds: the last one in an earlier step."""
        count = count_below(self._steps_of(location), step)
        return self.definition(location, int(self.rows(location)[count - 1]) if count else -1)

    def previous(self, definition: Definition) -> Definition:
        """Return the definition of the same location before another one; atomics of one step follow each other."""
        rows = self.rows(definition.location)
        at = int(np.searchsorted(rows, definition.row))
        return self.definition(definition.location, int(rows[at - 1]) if at else -1)

    def own(self, location: Location, steps: Sequence[int], lane: int) -> Definition | None:
        """Return a thread's first definition of an element in some steps; None if it has none."""
        rows, writes = self.rows(location), self.trace.writes(location.array)
        own = rows[(writes.lane[rows] == lane) & np.isin(writes.step[rows], steps)]
        return self.definition(location, int(own[0])) if len(own) else None

    def rows(self, location: Location) -> NDArray[np.int64]:
        """Return the rows of all definitions of a location, in execution order."""
        if location not in self._rows:
            self._rows[location] = self._find_rows(location)
        return self._rows[location]

    def definition(self, location: Location, row: int) -> Definition:
        """Return a definition by its row; -1 for the contents before the launch."""
        trace, (array, index, owner) = self.trace, location
        if array == REGISTER:
            if row < 0:
                return Definition(location, -1, -1, -1, None)
            place = int(self._places_of(owner)[trace.set_mask[row]])
            return Definition(location, row, int(trace.set_step[row]), owner, assigned_value(trace, row, place))
        info = trace.arrays[array]
        if row < 0:
            initial = trace.initial[array]
            outside = not 0 <= index < info.size
            value = None if initial is None or outside else decode(info, index, initial.reshape(-1)[index])
            return Definition(location, -1, -1, -1, value)
        writes = trace.writes(array)
        value = decode(info, index, writes.values[row])
        return Definition(location, row, int(writes.step[row]), int(writes.lane[row]), value)

    # --- one thread ------------------------------------------------------------------------------------

    def steps(self, lane: int) -> NDArray[np.int64]:
        """Return the steps in which a thread takes part."""
        if lane not in self._lane_steps:
            self._lane_steps[lane] = np.flatnonzero(self._places_of(lane)[self.trace.step_mask] >= 0)
        return self._lane_steps[lane]

    def takes_part(self, lane: int, number: int) -> bool:
        """Return whether a lane set, by its number in `Trace.masks`, has a lane."""
        return bool(self._places_of(lane)[number] >= 0)

    def accesses(self, lane: int, step: int) -> tuple[LaneAccess, ...]:
        """Return a thread's accesses in a step, in execution order."""
        if (lane, step) not in self._lane_accesses:
            if len(self._lane_accesses) >= _KEPT_ACCESSES:
                self._lane_accesses.clear()
            self._lane_accesses[lane, step] = tuple(self._find_accesses(lane, step))
        return self._lane_accesses[lane, step]

    def writes_from(self, span: Span, lane: int) -> LaneWrites:
        """Return a thread's writes from a place in the source."""
        if (span, lane) not in self._lane_writes:
            trace = self.trace
            if span not in self._write_groups:
                sites = np.array([site.access == "write" and site.span == span for site in trace.sites], bool)
                self._write_groups[span] = np.flatnonzero(sites[trace.group_site])
            groups = self._write_groups[span]
            place = self._places_of(lane)[trace.group_mask[groups]]
            groups, place = groups[place >= 0], place[place >= 0]
            width = np.array([site.width for site in trace.sites], np.int64)[trace.group_site[groups]]
            first = trace.index[trace.group_first[groups] + place].astype(np.int64)
            self._lane_writes[span, lane] = LaneWrites(trace.group_step[groups], first, width)
        return self._lane_writes[span, lane]

    def executions(self, lane: int, statement: int) -> NDArray[np.int64]:
        """Return the steps in which a thread executes a statement, by its number in `Trace.statements`."""
        if (lane, statement) not in self._executions:
            steps = self.steps(lane)
            self._executions[lane, statement] = steps[self.trace.step_statement[steps] == statement]
        return self._executions[lane, statement]

    # --- source ----------------------------------------------------------------------------------------

    def place(self, step: int) -> Place | None:
        """Return the statement that a step executes, as `place_of` does."""
        return self._places[int(self.trace.step_statement[step])]

    def statement_around(self, span: Span) -> int | None:
        """Return the number of the smallest statement around a place; None if there is none."""
        if span not in self._around:
            statements = self.trace.statements
            around = [number for number, statement in enumerate(statements) if contains(statement.span, span)]
            begins = {number: (statements[number].span.line, statements[number].span.column) for number in around}
            self._around[span] = max(around, key=begins.__getitem__, default=None)
        return self._around[span]

    @cached_property
    def functions(self) -> dict[str, tuple[Function, ...]]:
        """Functions of the source by name, whose statements are steps of the trace; instances have one name."""
        found: dict[str, dict[int, Function]] = {}
        for place in source_of(self.trace).places.values():
            found.setdefault(place.function.name, {})[id(place.function)] = place.function
        return {name: tuple(functions.values()) for name, functions in found.items()}

    @cached_property
    def registers(self) -> dict[tuple[str, Span], tuple[int, ...]]:
        """Registers by function and declaration: several of an object in registers, one for each member."""
        found: dict[tuple[str, Span], list[int]] = {}
        for number, register in enumerate(self.trace.registers):
            found.setdefault((register.function, register.span), []).append(number)
        return {key: tuple(numbers) for key, numbers in found.items()}

    def nodes(self, step: int) -> tuple[object, ...]:
        """Return all nodes of a step's part of its statement."""
        number = int(self.trace.step_statement[step])
        if number not in self._nodes:
            self._nodes[number] = tuple(node for part in parts_at(self.trace, number) for node in all_nodes(part))
        return self._nodes[number]

    def calls(self, step: int) -> tuple[str, ...]:
        """Return the functions of the source that a step's statement calls, once for each call."""
        number = int(self.trace.step_statement[step])
        if number not in self._calls:
            calls = [call.function for part in parts_at(self.trace, number) for call in calls_in(part)]
            self._calls[number] = tuple(name for name in calls if name in self.functions)
        return self._calls[number]

    # --- all threads -----------------------------------------------------------------------------------

    def accesses_to(self, array: int) -> Accesses:
        """Return every access to an array."""
        if array not in self._accesses:
            self._accesses[array] = Accesses(*accesses_in_order(self.trace, array))
        return self._accesses[array]

    def accesses_of(self, location: Location) -> Accesses:
        """Return every access to one element of one copy."""
        if self.trace.arrays[location.array].space == "local":
            return self._accesses_of_local(location)
        found = self.accesses_to(location.array)
        rows = np.flatnonzero(found.index == location.number)
        if self.trace.arrays[location.array].space == "shared":
            rows = rows[found.lane[rows] // self.trace.launch.block.count == location.owner]
        return Accesses(found.step[rows], found.lane[rows], found.index[rows], found.writes[rows])

    # --- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> tuple[Place | None, ...]:
        places = source_of(self.trace).places
        return tuple(places.get(statement.span) for statement in self.trace.statements)

    @cached_property
    def _around(self) -> dict[Span, int | None]:
        return {}

    @cached_property
    def _rows(self) -> dict[Location, NDArray[np.int64]]:
        return {}

    @cached_property
    def _row_steps(self) -> dict[Location, NDArray[np.int32]]:
        return {}

    @cached_property
    def _lane_accesses(self) -> dict[tuple[int, int], tuple[LaneAccess, ...]]:
        return {}

    @cached_property
    def _write_groups(self) -> dict[Span, NDArray[np.int64]]:
        return {}

    @cached_property
    def _lane_writes(self) -> dict[tuple[Span, int], LaneWrites]:
        return {}

    @cached_property
    def _executions(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        return {}

    @cached_property
    def _lane_places(self) -> dict[int, NDArray[np.int64]]:
        return {}

    @cached_property
    def _first_groups(self) -> NDArray[np.int64]:
        """First access group of each step, and at the end their number."""
        return np.searchsorted(self.trace.group_step, np.arange(self.trace.steps + 1))

    @cached_property
    def _lane_steps(self) -> dict[int, NDArray[np.int64]]:
        return {}

    @cached_property
    def _lane_sets(self) -> dict[int, NDArray[np.int64]]:
        return {}

    @cached_property
    def _calls(self) -> dict[int, tuple[str, ...]]:
        return {}

    @cached_property
    def _nodes(self) -> dict[int, tuple[object, ...]]:
        return {}

    @cached_property
    def _accesses(self) -> dict[int, Accesses]:
        return {}

    def _accesses_of_local(self, location: Location) -> Accesses:
        """Return every access to an element of a thread's copy, without those of all other threads."""
        trace, lane = self.trace, location.owner
        sites = np.array([site.array == location.array for site in trace.sites], bool)
        place = self._places_of(lane)[trace.group_mask]
        groups = np.flatnonzero(sites[trace.group_site] & (place >= 0))
        first = trace.index[trace.group_first[groups] + place[groups]]
        width = np.array([site.width for site in trace.sites], np.int64)[trace.group_site[groups]]
        groups = groups[(first <= location.number) & (location.number < first + width)]
        writes = np.array([site.access != "read" for site in trace.sites], bool)[trace.group_site[groups]]
        return Accesses(
            trace.group_step[groups],
            np.full(len(groups), lane, np.int32),
            np.full(len(groups), location.number, np.int64),
            writes,
        )

    def _find_accesses(self, lane: int, step: int) -> Iterator[LaneAccess]:
        trace, places = self.trace, self._places_of(lane)
        for group in range(*self._first_groups[step : step + 2].tolist()):
            at = places[trace.group_mask[group]]
            if at >= 0:
                site, index = trace.sites[trace.group_site[group]], int(trace.index[trace.group_first[group] + at])
                yield LaneAccess(site, site.array, tuple(range(index, index + site.width)))

    def _steps_of(self, location: Location) -> NDArray[np.int32]:
        """Return the steps of all definitions of a location, in execution order."""
        if location not in self._row_steps:
            trace = self.trace
            steps = trace.set_step if location.array == REGISTER else trace.writes(location.array).step
            self._row_steps[location] = steps[self.rows(location)]
        return self._row_steps[location]

    def _find_rows(self, location: Location) -> NDArray[np.int64]:
        trace, (array, index, owner) = self.trace, location
        if array == REGISTER:
            if owner not in self._lane_sets:
                self._lane_sets[owner] = np.flatnonzero(self._places_of(owner)[trace.set_mask] >= 0)
            sets = self._lane_sets[owner]
            rows: NDArray[np.int64] = sets[trace.set_register[sets] == index]
            return rows
        writes = trace.writes(array)
        first, last = int(writes.first[owner]), int(writes.first[owner + 1])
        return np.flatnonzero(writes.index[first:last] == index) + first

    def _places_of(self, lane: int) -> NDArray[np.int64]:
        """Return the position of a lane in each lane set; -1 in those that do not have it."""
        if lane not in self._lane_places:
            trace = self.trace
            at = np.flatnonzero(trace.mask_lanes == lane)
            number = np.searchsorted(trace.mask_first, at, side="right") - 1
            found = np.full(len(trace.masks), -1, np.int64)
            found[number] = at - trace.mask_first[number]
            self._lane_places[lane] = found
        return self._lane_places[lane]


def contains(outer: Span, inner: Span) -> bool:
    """Return whether a range of a source lies in another one."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return outer.file == inner.file and begins and ends


def decode(array: ArrayInfo, index: int, word: np.generic) -> Value:
    """Return the number in an element; an element of a struct with members of several types is a word of bits."""
    if array.struct is not None:
        begin = index % array.words * array.dtype.itemsize
        for field in array.struct.fields:
            if (field.offset_bytes, field.dtype.itemsize) == (begin, array.dtype.itemsize):
                word = field.numbers(np.array([word]).view(field.dtype))[0]
    value: Value = word.item()
    return value
