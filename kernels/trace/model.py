"""The trace of one launch: typed columns of pure data, and queries on them.

A *step* is one statement executed once by a set of lanes (lane = linear number of a thread in the whole grid:
block number × threads per block + thread number in its block, both in CUDA's linear order). Steps are numbered
in the order of execution. A step carries *accesses*, grouped by the place in the source that made them (a
*site*): one group is what one warp-wide instruction does to memory, for every warp that took part. It also
carries the new values of the registers it assigned. Nothing else is stored: the contents of every memory at
every step follow from these columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kernels.architecture import Architecture
from kernels.number_types import bfloat_to_float
from kernels.trace.accesses import accesses_of_element, as_accessed, collect_writes, types_of_elements
from kernels.trace.records import AccessGroup, Writes, widen
from kernels.trace.sorted_columns import count_up_to, rows_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.launch import Dim3, Launch
    from kernels.trace.accesses import ElementTypes
    from kernels.trace.records import ArrayInfo, Hazard, Register, Site, Statement, Unrecorded, Value


@dataclass(frozen=True, eq=False)
class Trace:
    """The record of one launch. Columns are read-only by convention; see the module's text for the words."""

    file: str
    text: str
    """The source."""
    defines: tuple[tuple[str, str], ...]
    """Macros from outside, with those of the architecture: name and value."""
    kernel: str
    launch: Launch
    schedule: str
    scalars: Mapping[str, Value]
    """Arguments that are numbers, by parameter."""
    statements: tuple[Statement, ...]
    arrays: tuple[ArrayInfo, ...]
    sites: tuple[Site, ...]
    registers: tuple[Register, ...]
    initial: tuple[NDArray[np.generic] | None, ...]
    """Contents of each of `arrays` before the launch; None if it was uninitialised."""
    outputs: Mapping[str, NDArray[np.generic]]
    """Contents of the arrays of the grid after the launch, by name."""
    hazards: tuple[Hazard, ...]
    printf: tuple[str, ...]
    """The printed lines."""
    masks: tuple[NDArray[np.int32], ...]
    """Distinct lane sets, each sorted."""

    # One row per step.
    step_statement: NDArray[np.int32]
    """Row of `statements`."""
    step_mask: NDArray[np.int32]
    """Row of `masks`: the lanes."""
    step_phase: NDArray[np.int32]
    """Number of times that the outermost loop with a barrier has begun again; -1 outside of such a loop."""
    step_epoch: NDArray[np.int32]
    """Number of barriers that these lanes have passed."""

    # One row per access group, in execution order. The lanes of a group are `masks[group_mask]`.
    group_step: NDArray[np.int32]
    group_site: NDArray[np.int32]
    group_mask: NDArray[np.int32]
    group_first: NDArray[np.int64]
    """First row of `index` of each group, and at the end the number of its rows."""
    group_value: NDArray[np.int64]
    """Byte offset in `value_bytes` of the written values; -1 for a read."""
    index: NDArray[np.signedinteger]
    """Flat index of each accessed element in its array, for shared and local arrays in the copy of the block or thread;
    the first element where the site is wider than one."""

    # One row per assignment of a register by some lanes.
    set_step: NDArray[np.int32]
    set_register: NDArray[np.int32]
    """Row of `registers`."""
    set_mask: NDArray[np.int32]
    set_uniform: NDArray[np.bool_]
    """True if all lanes get one value, which is stored once; else one value is stored for each lane."""
    set_value: NDArray[np.int64]
    """Byte offset in `value_bytes`."""

    value_bytes: NDArray[np.uint8]
    """Values without gaps, in the type of their array or register; those of one lane are neighbours."""
    stopped: str = ""
    """Reason why the run ended early ("stopped after 2,000,000 steps"); "" if it did not."""
    included: tuple[tuple[str, str], ...] = ()
    """Local files that the source includes: name and text."""
    instances: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Instances of templates that were compiled: the function's name, and the arguments as C writes them."""
    unrecorded: Unrecorded | None = None
    """Set if the run was not recorded: all columns are then empty."""

    @property
    def architecture(self) -> Architecture:
        """The GPU whose code was run, as the macros say; sm_80 in files of programs that knew no other."""
        return Architecture.of_macros(self.defines)

    # --- sizes and positions ---------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.step_statement) if self.unrecorded is None else self.unrecorded.steps

    @property
    def access_count(self) -> int:
        """Number of single accesses recorded."""
        return len(self.index)

    @property
    def stored_bytes(self) -> int:
        """Bytes that the columns of accesses and registers take."""
        columns: tuple[NDArray[np.generic], ...] = (
            self.group_step,
            self.group_site,
            self.group_mask,
            self.group_first,
            self.group_value,
            self.index,
            self.set_step,
            self.set_register,
            self.set_mask,
            self.set_uniform,
            self.set_value,
            self.value_bytes,
            self.step_statement,
            self.step_mask,
            self.step_phase,
            self.step_epoch,
            *self.masks,
        )
        return sum(column.nbytes for column in columns)

    def block_of(self, lane: int) -> Dim3:
        """Return blockIdx of a lane."""
        return self.launch.grid.member(lane // self.launch.block.count)

    def thread_of(self, lane: int) -> Dim3:
        """Return threadIdx of a lane."""
        return self.launch.block.member(lane % self.launch.block.count)

    def array_number(self, name: str) -> int:
        """Return the position of an array in `arrays` by its name; raise KeyError if there is none."""
        for number, array in enumerate(self.arrays):
            if array.name == name:
                return number
        raise KeyError(name)

    # --- one step --------------------------------------------------------------------------------------

    def statement(self, step: int) -> Statement:
        """Return the statement that a step executes."""
        return self.statements[int(self.step_statement[step])]

    def lanes(self, step: int, block: int | None = None) -> NDArray[np.int32]:
        """Return the lanes that take part in a step, sorted; with `block`, only those of this block (linear number)."""
        lanes = self.masks[int(self.step_mask[step])]
        return lanes if block is None else lanes[self._in_block(lanes, block)]

    def accesses(self, step: int, block: int | None = None) -> tuple[AccessGroup, ...]:
        """Return the access groups of a step in execution order; with `block`, only the lanes of this block."""
        rows = rows_between(self.group_step, step, step + 1)
        groups = (self.group(g, block) for g in range(rows.start, rows.stop))
        return tuple(g for g in groups if len(g.lanes))

    def group(self, number: int, block: int | None = None) -> AccessGroup:
        """Return an access group by its number; with `block`, only the lanes of this block."""
        site = self.sites[self.group_site[number]]
        array = self.arrays[site.array]
        lanes = self.masks[self.group_mask[number]]
        index = self.index[self.group_first[number] : self.group_first[number + 1]].astype(np.int64, copy=False)
        offset = int(self.group_value[number])
        values = None if offset < 0 else self._values(offset, len(lanes) * site.width, array.dtype)
        if values is not None:
            values = as_accessed(values, widen(index, site.width), self.element_types(site.array))
            values = bfloat_to_float(values) if array.bfloat16 else values
        if values is not None and site.width > 1:
            values = values.reshape(len(lanes), site.width)
        if block is not None:
            keep = self._in_block(lanes, block)
            lanes, index = lanes[keep], index[keep]
            values = None if values is None else values[keep]
        return AccessGroup(int(self.group_step[number]), site, array, lanes, index, values)

    # --- the whole run ---------------------------------------------------------------------------------

    def block_steps(self, block: int) -> NDArray[np.int32]:
        """Return the steps in which a thread of this block (linear number) takes part, ascending."""
        if block not in self._block_steps:
            first, last = block * self.launch.block.count, (block + 1) * self.launch.block.count
            # Search the distinct lane sets, not the steps: a trace of many steps has few of them.
            inside = np.flatnonzero((self.mask_lanes >= first) & (self.mask_lanes < last))
            takes_part = np.zeros(len(self.masks), bool)
            takes_part[self._mask_at(inside)] = True
            self._block_steps[block] = np.flatnonzero(takes_part[self.step_mask]).astype(np.int32)
        return self._block_steps[block]

    def barrier_steps(self, block: int) -> NDArray[np.int32]:
        """Return those of `block_steps` that are at a barrier."""
        if block not in self._barrier_steps:
            at_barrier = np.array([statement.kind == "barrier" for statement in self.statements], bool)
            steps = self.block_steps(block)
            self._barrier_steps[block] = steps[at_barrier[self.step_statement[steps]]]
        return self._barrier_steps[block]

    def contents(self, array: int, step: int, owner: int = 0) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
        """Return the values of one copy of an array after a step (-1: before the first), and which are written.

        Parameters
        ----------
        array : int
            Position in `arrays`.
        step : int
            The last step whose writes count.
        owner : int
            Linear block number for a shared array, lane for a local one, 0 otherwise.

        Returns
        -------
        values, written : arrays of the array's shape
            Values that are not written are 0.
        """
        info, initial = self.arrays[array], self.initial[array]
        writes = self.writes(array)
        flat = np.zeros(info.size, writes.values.dtype) if initial is None else initial.reshape(-1).copy()
        written = np.full(info.size, initial is not None)
        first, last = int(writes.first[owner]), int(writes.first[owner + 1])
        last = first + count_up_to(writes.step[first:last], step)
        # Contents are not stored: they follow from the initial values and all writes up to the step.
        index = writes.index[first:last]
        flat[index] = writes.values[first:last]  # NumPy assigns in order: the last write to an element stays
        written[index] = True
        return flat.reshape(info.shape), written.reshape(info.shape)

    def writes(self, array: int) -> Writes:
        """Return the writes and atomics to elements of an array that exist; computed once."""
        if array not in self._writes:
            self._writes[array] = collect_writes(self, array)
        return self._writes[array]

    def element_types(self, array: int) -> ElementTypes:
        """Return the elements of an array that are accessed as numbers of another type; computed once."""
        if array not in self._element_types:
            self._element_types[array] = types_of_elements(self, array)
        return self._element_types[array]

    def accesses_to(self, array: int, index: int, owner: int | None = None) -> tuple[tuple[int, int, Site], ...]:
        """Return (step, lane, site) of every access to one element, in execution order."""
        return accesses_of_element(self, array, index, owner)

    @cached_property
    def register_numbers(self) -> dict[tuple[str, str, Span], int]:
        """Row in `registers` of each name, function and declaration."""
        rows = reversed(list(enumerate(self.registers)))  # of equal ones the first remains
        return {(register.name, register.function, register.span): row for row, register in rows}

    # --- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _block_steps(self) -> dict[int, NDArray[np.int32]]:
        return {}

    @cached_property
    def _barrier_steps(self) -> dict[int, NDArray[np.int32]]:
        return {}

    @cached_property
    def _writes(self) -> dict[int, Writes]:
        return {}

    @cached_property
    def _element_types(self) -> dict[int, ElementTypes]:
        return {}

    @cached_property
    def mask_lanes(self) -> NDArray[np.int32]:
        """All of `masks`, concatenated."""
        return np.concatenate([np.zeros(0, np.int32), *self.masks])

    @cached_property
    def mask_first(self) -> NDArray[np.int64]:
        """Offset of each mask in `mask_lanes`."""
        return np.cumsum([0, *(len(mask) for mask in self.masks)], dtype=np.int64)

    def _mask_at(self, positions: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the mask of each position in `mask_lanes`."""
        return np.searchsorted(self.mask_first, positions, side="right") - 1

    def _in_block(self, lanes: NDArray[np.int32], block: int) -> slice:
        # Lane sets are sorted, so the lanes of a block are a slice.
        size = self.launch.block.count
        return rows_between(lanes, block * size, (block + 1) * size)

    def _values(self, offset: int, count: int, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        return self.value_bytes[offset : offset + count * dtype.itemsize].view(dtype)
