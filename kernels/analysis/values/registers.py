"""Values of scalar variables, for many lanes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.layouts import holds_pointers
from kernels.analysis.syntax.source import place_of
from kernels.launch import WARP_SIZE
from kernels.number_types import bfloat_to_float
from kernels.trace import element_name
from kernels.trace.members import members_of
from kernels.trace.sorted_columns import count_below, count_up_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.frontend.ast import Span
    from kernels.launch import Dim3
    from kernels.trace import Trace
    from kernels.trace.records import Value

AXES = "xyz"

_ROWS_AT_ONCE: Final = 1 << 12
"""Assignments that are searched at first."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """The last assignment of a register in each lane."""

    rows: NDArray[np.int64]
    """Row of the trace's `set_` columns for each lane, -1 for none."""
    values: NDArray[np.generic]


def last_assignment(trace: Trace, register: int, step: int, lanes: NDArray[np.int32]) -> Assignment:
    """Return the last assignment up to and including `step` in each lane; lanes need not be sorted."""
    found = Assignment(np.full(len(lanes), -1, np.int64), np.zeros(len(lanes), trace.registers[register].dtype))
    missing = np.arange(len(lanes))
    for row in _newest_first(trace, register, count_up_to(trace.set_step, step)):
        mask = trace.masks[trace.set_mask[row]]
        at = np.minimum(np.searchsorted(mask, lanes[missing]), len(mask) - 1)
        here = mask[at] == lanes[missing] if len(mask) else np.zeros(len(missing), bool)
        if not here.any():
            continue
        values = _values_of_row(trace, row, len(mask))
        hit = missing[here]
        found.rows[hit] = row
        found.values[hit] = values[0] if trace.set_uniform[row] else values[at[here]]
        missing = missing[~here]
        if not len(missing):
            break
    return Assignment(found.rows, bfloat_to_float(found.values)) if trace.registers[register].bfloat16 else found


def _newest_first(trace: Trace, register: int, end: int) -> Iterator[int]:
    """Yield the rows before `end` that assign a register, newest first: of one lane set's in a part only the last."""
    # Most lanes have assigned it a few rows ago: the parts begin small, and grow for those that have not.
    size = _ROWS_AT_ONCE
    while end:
        begin = max(0, end - size)
        rows = begin + np.flatnonzero(trace.set_register[begin:end] == register)
        newest = np.full(len(trace.masks), -1, np.int64)
        newest[trace.set_mask[rows]] = rows  # NumPy assigns in the order of the indices: the last row stays
        yield from np.sort(newest[newest >= 0])[::-1].tolist()
        end, size = begin, size * 4


def assigned_value(trace: Trace, row: int, place: int) -> Value:
    """Return the value that a row of the trace's `set_` columns gives the lane at a place in its set."""
    dtype = trace.registers[trace.set_register[row]].dtype
    offset = int(trace.set_value[row]) + (0 if trace.set_uniform[row] else place * dtype.itemsize)
    stored = trace.value_bytes[offset : offset + dtype.itemsize].view(dtype)
    if trace.registers[trace.set_register[row]].bfloat16:
        stored = bfloat_to_float(stored)
    found: Value = stored[0].item()
    return found


@dataclass(frozen=True, eq=False)
class Names:
    """The values of names at a statement, for some lanes after a step; looked up on demand.

    Names are the kernel's parameters, variables, members of variables (`v.x`), and built-ins in their C spelling
    (`threadIdx.x`, `warpSize`).
    """

    trace: Trace
    step: int
    lanes: NDArray[np.int32]
    place: Place
    _cache: dict[str, NDArray[np.generic]]

    @classmethod
    def at(cls, trace: Trace, step: int, lanes: NDArray[np.int32], place: Place) -> Names:
        """Return the names that are visible at a statement."""
        return cls(trace, step, lanes, place, {})

    @property
    def in_kernel(self) -> bool:
        """True if the statement is in the kernel, not in a function that it calls."""
        return self.place.function.name == self.trace.kernel

    def get(self, name: str) -> NDArray[np.generic] | None:
        """Return one value per lane; None where the name is unknown or some lane has not assigned it yet."""
        if name not in self._cache:
            found = self._find(name)
            if found is None:
                return None
            self._cache[name] = found
        return self._cache[name]

    def _find(self, name: str) -> NDArray[np.generic] | None:
        register = self._register(name)
        if register is not None:
            return register
        # A parameter has its argument as value in the lanes that have not assigned it. A called function may have a
        # parameter or variable of the same name, which is a register.
        if name in self.trace.scalars and self.in_kernel:
            return np.full(len(self.lanes), self.trace.scalars[name])
        if name == "warpSize":
            return np.full(len(self.lanes), WARP_SIZE)
        return self._built_in(name)

    def _register(self, name: str) -> NDArray[np.generic] | None:
        number = declared_register(self.trace, self.place, name)
        if number is None:
            return None
        assignment = last_assignment(self.trace, number, self.step, self.lanes)
        known = assignment.rows >= 0
        if name in self.trace.scalars and self.in_kernel:
            return np.where(known, assignment.values, self.trace.scalars[name])  # an assigned parameter
        return assignment.values if bool(known.all()) else None

    def _built_in(self, name: str) -> NDArray[np.generic] | None:
        base, _, axis = name.partition(".")
        if axis not in AXES or not axis:
            return None
        launch = self.trace.launch
        threads = launch.block.count
        if base == "threadIdx":
            return _member(self.lanes % threads, launch.block, axis)
        if base == "blockIdx":
            return _member(self.lanes // threads, launch.grid, axis)
        dims = {"blockDim": launch.block, "gridDim": launch.grid}.get(base)
        return None if dims is None else np.full(len(self.lanes), dims[AXES.index(axis)])


@dataclass(frozen=True, slots=True)
class Variable:
    """A name and its value in one thread."""

    name: str
    value: int | float | bool
    kind: str
    line: int = 0
    """The line of a register's last assignment, 0 for other kinds."""


def declared_register(trace: Trace, place: Place, name: str) -> int | None:
    """Return the register of a visible variable, or of a member of one; None for other names."""
    declared = place.visible.get(name.partition(".")[0])
    return None if declared is None else trace.register_numbers.get((name, place.function.name, declared.span))


def variables(trace: Trace, step: int, lane: int) -> tuple[Variable, ...]:
    """Return everything visible to a thread after a step, in the order of declaration.

    `kind` is "built-in", "parameter", "register", or "local" for an element of a local array. Of variables with the
    same name only the innermost is listed. A thread that does not execute the step is at the last step that it
    executed.
    """
    launch = trace.launch
    built_in: Mapping[str, Dim3] = {
        "threadIdx": trace.thread_of(lane),
        "blockIdx": trace.block_of(lane),
        "blockDim": launch.block,
        "gridDim": launch.grid,
    }
    found = {
        f"{name}.{axis}": Variable(f"{name}.{axis}", value, "built-in")
        for name, dims in built_in.items()
        for axis, value, block, grid in zip(AXES, dims, launch.block, launch.grid, strict=True)
        if axis == "x" or block > 1 or grid > 1
    }
    at = _last_step(trace, step, lane, None)
    place = None if at is None else place_of(trace, at)
    if place is None or place.function.name == trace.kernel:
        found |= {name: Variable(name, value, "parameter") for name, value in trace.scalars.items()}
    if place is not None:
        for name in place.visible:
            found |= {v.name: v for v in _declared_values(trace, place, name, step, lane)}
    return tuple(found.values())


def _last_step(trace: Trace, step: int, lane: int, among: list[int] | None) -> int | None:
    """Return the last step up to this one that a lane executes, of all statements or `among` some."""
    steps = trace.block_steps(lane // trace.launch.block.count)
    steps = steps[: count_up_to(steps, step)]
    if among is not None:
        steps = steps[np.isin(trace.step_statement[steps], among)]
    for at in steps[::-1].tolist():
        lanes = trace.masks[int(trace.step_mask[at])]
        where = count_below(lanes, lane)
        if where < len(lanes) and lanes[where] == lane:
            return int(at)
    return None


def _declared_values(trace: Trace, place: Place, name: str, step: int, lane: int) -> Iterator[Variable]:
    """Yield the values of a declared name, of its members or of its elements, as far as they are assigned.

    Assignments in earlier iterations of the loop around the declaration do not count.
    """
    span, lanes = place.visible[name].span, np.array([lane], np.int32)
    start = _last_step(trace, step, lane, _iteration_start(trace, place, span)) or 0
    for number, register in enumerate(trace.registers):
        of_this = register.name == name or register.name.startswith(f"{name}.")
        if of_this and (register.function, register.span) == (place.function.name, span):
            assignment = last_assignment(trace, number, step, lanes)
            if assignment.rows[0] >= 0 and trace.set_step[assignment.rows[0]] >= start:
                line = trace.statement(int(trace.set_step[assignment.rows[0]])).span.line
                yield Variable(register.title, assignment.values[0].item(), "register", line)
    for number, array in enumerate(trace.arrays):
        if array.name == name and array.space == "local" and not holds_pointers(trace, number):
            writes = trace.writes(number)
            rows = slice(int(writes.first[lane]), int(writes.first[lane + 1]))
            during = (writes.step[rows] >= start) & (writes.step[rows] <= step)
            initial = trace.initial[number]  # the initial values of a parameter
            values = np.zeros(array.size, array.dtype) if initial is None else initial.reshape(-1).copy()
            known = np.full(array.size, initial is not None)
            index = writes.index[rows][during]
            values[index], known[index] = writes.values[rows][during], True
            members, firsts = members_of(array), np.arange(array.size)
            if members is not None:
                values, known = members.values(values), members.written_cells(known)
                firsts = np.array([members.word(cell) for cell in range(len(known))], np.int64)
            for at in np.flatnonzero(known).tolist():
                if members is not None and members.pointer(at):
                    continue
                yield Variable(element_name(array, int(firsts[at])), values[at].item(), "local")


def _iteration_start(trace: Trace, place: Place, declaration: Span) -> list[int]:
    """Return the head of the innermost loop around a declaration, where its iteration began."""
    begin, end = (declaration.line, declaration.column), (declaration.end_line, declaration.end_column)
    for loop in reversed(place.loops):
        body = loop.body.span
        if (body.line, body.column) <= begin and end <= (body.end_line, body.end_column):
            return [number for number, s in enumerate(trace.statements) if s.span == loop.header]
    return []


def _member(linear: NDArray[np.int32], dims: Dim3, axis: str) -> NDArray[np.generic]:
    stride = {"x": 1, "y": dims.x, "z": dims.x * dims.y}[axis]
    return linear // stride % dims[AXES.index(axis)]


def _values_of_row(trace: Trace, row: int, lanes: int) -> NDArray[np.generic]:
    dtype = trace.registers[trace.set_register[row]].dtype
    count = 1 if trace.set_uniform[row] else lanes
    offset = int(trace.set_value[row])
    return trace.value_bytes[offset : offset + count * dtype.itemsize].view(dtype)
