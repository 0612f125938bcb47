"""Recorder of a run: the columns of a trace under construction (`kernels.trace.model` defines them)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.machine.observer import Checkers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from kernels.simt.machine.affine_index import AffineIndex
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import PendingRead
    from kernels.simt.machine.observer import AccessCounter, PartialBarrierKind

_POLL_EVERY: Final = 128
"""Steps between two checks of cancellation and memory."""

_MIN_STEPS_BEFORE_RERUN: Final = 1_000
"""Minimum number of steps for which a run continues after an assumption failed (`Tally.request_rerun`)."""

MAX_OUT_OF_BOUNDS: Final = 20_000
"""Number of instructions with an access out of bounds after which a run ends early."""

_FIRST_ITEMS: Final = 1 << 14
"""Initial capacity of a column in items."""


class EarlyStop(Exception):
    """The run has used up its budget, cannot end, or was cancelled."""

    def __init__(self, reason: str, kind: str, advice: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        """steps, memory, bounds, endless (loop), deadlock or cancelled."""
        self.advice = advice
        """Advice, or the reason why the run cannot end; may be empty."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a run, and its connection to the caller."""

    steps: int
    bytes: int
    """Limit of the memory of the trace and of the checkers' state."""
    cancelled: Callable[[], bool] | None = None
    """Polled regularly; True ends the run."""
    progress: Callable[[int, float], None] | None = None
    """Called regularly with the number of steps and the used part of the budget."""


class Column:
    """A vector that grows at its end, in one block of memory, so that nothing is copied when the run ends."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._data: NDArray[Any] = np.empty(_FIRST_ITEMS, dtype)
        self.length = 0

    def extend(self, count: int) -> NDArray[Any]:
        """Append `count` items; returns them, to be filled, valid until the next call."""
        end = self.length + count
        if end > len(self._data):
            # `refcheck=False`: parts returned earlier may still be referenced, but are not used any more.
            self._data.resize(max(end, len(self._data) * 5 // 4), refcheck=False)
        part = self._data[self.length : end]
        self.length = end
        return part

    def widen(self, dtype: DTypeLike) -> None:
        """Change the type of all items, present and future."""
        if self._data.dtype != dtype:
            self._data = self._data[: self.length].astype(dtype)

    def trim(self) -> NDArray[Any]:
        """Return the column without spare room; it cannot grow any more."""
        self._data.resize(self.length, refcheck=False)
        return self._data


class Tally:
    """Counts the steps, forwards accesses to racecheck and watches the budget, but records nothing."""

    records: bool = False
    skips_values: bool = False
    """True if only the values that addresses and branches depend on are computed (`machine.skipped_values`)."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.checkers = Checkers()
        """Empty while the kernel is compiled; the engine sets the checkers before the first step."""
        self.current = -1
        """Number of the current step; -1 before the first."""
        self.silent = False
        """True if registers are set without a record: parameters get their values in no step."""
        self.group: Group | None = None
        """The group of the current step, and (next) its active lanes."""
        self.mask: Active = None
        self.stored_bytes = 0
        """Bytes recorded so far."""
        self.rerun_needed = False
        """True if an assumption has failed; the engine discards the run and compiles again."""
        self._out_of_bounds = 0
        self.masks: list[NDArray[np.int32]] = []
        """The distinct lane sets; a lane set's number is its position here."""

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step; what is recorded next belongs to it."""
        self._begin(group, mask)
        observer = self.checkers.racecheck
        if observer is not None and statement in observer.observed_statements:
            observer.step(statement, self.masks[self.row(group, mask)])

    def fence(self, statement: int, group: Group, mask: Active) -> None:
        """Announce that the active lanes order their accesses in the middle of a step, as a separate fence would."""
        row = self.row(group, mask)
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.step(statement, self.masks[row])

    def end_batch(self) -> None:
        """Note that all blocks of a batch have ended."""
        # The next ones reuse the shared arrays, whose accesses must not meet these.
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.barrier()

    def count_out_of_bounds(self) -> None:
        """Count an access out of bounds; raises EarlyStop when there have been too many."""
        self._out_of_bounds += 1
        if self._out_of_bounds > MAX_OUT_OF_BOUNDS:
            raise EarlyStop(f"stopped after {MAX_OUT_OF_BOUNDS:,} steps with accesses out of bounds", "bounds")

    def request_rerun(self) -> None:
        """Note a failed assumption, and continue for as many steps again, to find other assumptions that fail.

        Example: the values of ten pointers turn out to be addresses, one after another. Continuing finds most of them
        in one run, where raising `Recompile` at the first would take ten.
        """
        if not self.rerun_needed:
            # The record and the races of this run are discarded anyway, so racecheck, the most expensive observer, is
            # removed.
            self.rerun_needed, self.checkers = True, replace(self.checkers, racecheck=None)
            # At most as many steps again: a discarded run must not take more than twice the steps to its failure.
            last = max(2 * self.current, self.current + _MIN_STEPS_BEFORE_RERUN)
            self.budget = replace(self.budget, steps=min(self.budget.steps, last))

    def leave_phase(self) -> None:
        """Mark the current step as the test that ends the loop: it begins no phase."""

    def row(self, group: Group, mask: Active) -> int:
        """Return the number of a lane set."""
        owner = group if mask is None else mask
        if owner.row < 0:
            owner.row = len(self.masks)
            self.masks.append(group.lanes if mask is None else group.lanes[mask.where])
            # A lane set is stored once, however many steps use it; loops with data-dependent branches may have many.
            self.stored_bytes += 4 * len(self.masks[-1])
        return owner.row

    def access(
        self,
        site: int,
        group: Group,
        mask: Active,
        index: Value,
        values: NDArray[Any] | None = None,
        outside: bool = False,
    ) -> None:
        """Announce the access of one site.

        Parameters
        ----------
        index : int or array
            One element index for all active lanes, or one for each.
        values : array, optional
            The stored values, for writes: one for each lane, or as many as the site is wide.
        outside : bool
            Whether some index may lie outside the array, and so not fit into 32 bits.
        """
        observer = self.checkers.racecheck
        if observer is not None and site in observer.observed_sites:
            lanes = self.masks[self.row(group, mask)]
            if type(index) is not np.ndarray:
                index = np.full(len(lanes), index, np.int64)
            observer.access(self.current, site, lanes, index, values)

    def affine_access(self, site: int, index: AffineIndex, values: NDArray[Any] | None = None) -> None:
        """Announce the access of one site at an affine index."""
        observer = self.checkers.racecheck
        if observer is not None:
            observer.affine_access(self.current, site, index.pattern, index.shift, values)

    def sync_warp(self, group: Group, mask: Active, lane_mask: Value) -> None:
        """Announce that the active lanes pass a `__syncwarp`; `lane_mask` is the mask of each lane, or of all."""
        row, observer = self.row(group, mask), self.checkers.racecheck
        if observer is not None:
            if type(lane_mask) is not np.ndarray:
                lane_mask = None
            elif mask is not None:
                lane_mask = lane_mask[mask.where]
            observer.sync_warp(self.masks[row], lane_mask)

    def partial_barrier(self, kind: PartialBarrierKind, lanes: NDArray[np.int32], at: NDArray[np.int64]) -> None:
        """Announce that lanes pass barriers of parts of a block; `at` is the number of each lane's barrier or phase."""
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.partial_barrier(kind, lanes, at)

    def proxy_fence(self, group: Group, mask: Active) -> None:
        """Announce that the active lanes execute `fence.proxy.async`."""
        row = self.row(group, mask)
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.proxy_fence(self.masks[row])

    def finish_read(self, read: PendingRead, lanes: NDArray[np.int32]) -> None:
        """Announce that the reads of some lanes are over."""
        observer = self.checkers.racecheck
        if observer is not None and read.site in observer.observed_sites:
            mine = np.isin(read.lanes, lanes, assume_unique=True)
            if mine.any():
                observer.access(self.current, read.site, read.lanes[mine], read.elements[mine], None)

    def assign(self, register: int, group: Group, mask: Active, value: Value, dtype: np.dtype[np.generic]) -> None:
        """Record a new value of a register in the active lanes."""

    def columns(self) -> dict[str, Any]:
        """Return the finished columns, by their names in `Trace`."""
        return {**Recorder(self.budget).columns(), "masks": ()}

    def _begin(self, group: Group, mask: Active) -> None:
        self.group, self.mask = group, mask
        number = self.current + 1
        if number >= self.budget.steps:
            raise EarlyStop(f"stopped after {self.budget.steps:,} steps", "steps")
        # A clock or a callback in every step would cost more than a short step itself.
        if number % _POLL_EVERY == 0 or self.stored_bytes > self.budget.bytes:
            self._poll(number)
        self.current = number

    def _poll(self, steps: int) -> None:
        """Report progress; raises EarlyStop if memory is used up or the run was cancelled."""
        budget = self.budget
        observer = self.checkers.racecheck
        used_bytes = self.stored_bytes + (observer.stored_bytes if observer is not None else 0)
        if used_bytes > budget.bytes:
            raise EarlyStop(f"stopped after recording {budget.bytes / 2**20:,.0f} MiB", "memory")
        if budget.progress is not None:
            budget.progress(steps, max(steps / budget.steps, used_bytes / budget.bytes))
        if budget.cancelled is not None and budget.cancelled():
            raise EarlyStop("stopped by the user", "cancelled")


class CountingTally(Tally):
    """Forwards steps and accesses to an observer that counts them; such a run has no checkers."""

    skips_values = True

    def __init__(self, budget: Budget, counter: AccessCounter) -> None:
        super().__init__(budget)
        self._counter = counter

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step, and announce it."""
        self._begin(group, mask)
        self._counter.step(statement, self.row(group, mask))

    def end_batch(self) -> None:
        """Drop the lane sets of the batch, which do not occur again."""
        self._counter.end_batch()
        self.masks.clear()
        self.stored_bytes = 0

    def access(
        self,
        site: int,
        group: Group,
        mask: Active,
        index: Value,
        values: NDArray[Any] | None = None,
        outside: bool = False,
    ) -> None:
        """Announce the access of one site (parameters: `Tally.access`)."""
        self._counter.access(site, self.row(group, mask), index, outside)

    def affine_access(self, site: int, index: AffineIndex, values: NDArray[Any] | None = None) -> None:
        """Announce the access of one site at an affine index."""
        self._counter.affine_access(site, index.pattern, index.shift)


class Recorder(Tally):
    """Columns under construction. The vectors passed in are stored: the machine never changes a vector in place."""

    records = True

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        # `array` appends a tuple of Python integers faster than NumPy, and NumPy reads its memory without a copy.
        self._steps = array("i")
        self._groups = array("q")
        self._sets = array("q")
        self._index = Column(np.int32)
        self._values = Column(np.uint8)

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step; what is recorded next belongs to it."""
        self._begin(group, mask)
        row = self.row(group, mask)
        # Four numbers a step in one flat vector, divided into columns at the end: one call instead of four.
        self._steps.extend((statement, row, group.phase, group.epoch))
        observer = self.checkers.racecheck
        if observer is not None and statement in observer.observed_statements:
            observer.step(statement, self.masks[row])

    def leave_phase(self) -> None:
        """Mark the current step as the test that ends the loop: it begins no phase."""
        self._steps[-2] = -1

    def access(
        self,
        site: int,
        group: Group,
        mask: Active,
        index: Value,
        values: NDArray[Any] | None = None,
        outside: bool = False,
    ) -> None:
        """Record the access of one site (parameters: `Tally.access`)."""
        super().access(site, group, mask, index, values, outside)
        row, first = self.row(group, mask), self._index.length
        # The number of lanes is not recorded: it follows from the lane set, whose number is.
        count = len(self.masks[row])
        self._groups.extend((self.current, site, row, first, -1 if values is None else self._values.length))
        if values is not None:
            self._append(values.reshape(-1))
        # Indices inside an array fit into 32 bits; only an index out of bounds makes the whole column 64 bits wide.
        if outside and np.abs(index).max() > np.iinfo(np.int32).max:
            self._index.widen(np.int64)
        self._index.extend(count)[:] = index
        self.stored_bytes += 32 + 4 * count

    def assign(self, register: int, group: Group, mask: Active, value: Value, dtype: np.dtype[np.generic]) -> None:
        """Record a new value of a register in the active lanes."""
        if self.silent:
            return
        # A uniform value is stored once, whatever the number of lanes.
        uniform = type(value) is not np.ndarray
        self._sets.extend((self.current, register, self.row(group, mask), uniform, self._values.length))
        if uniform:
            self._append(np.array([value], dtype))
        else:
            self._append(value if mask is None else value[mask.where])

    def columns(self) -> dict[str, Any]:
        """Return the finished columns, by their names in `Trace`."""
        steps = np.frombuffer(self._steps, np.int32).reshape(-1, 4)
        groups = np.frombuffer(self._groups, np.int64).reshape(-1, 5)
        sets = np.frombuffer(self._sets, np.int64).reshape(-1, 5)
        narrow: dict[str, NDArray[Any]] = {
            "step_statement": steps[:, 0],
            "step_mask": steps[:, 1],
            "step_phase": steps[:, 2],
            "step_epoch": steps[:, 3],
            "group_step": groups[:, 0],
            "group_site": groups[:, 1],
            "group_mask": groups[:, 2],
            "set_step": sets[:, 0],
            "set_register": sets[:, 1],
            "set_mask": sets[:, 2],
        }
        index = self._index.trim()
        return {
            **{name: column.astype(np.int32) for name, column in narrow.items()},
            "masks": tuple(self.masks),
            "group_first": np.append(groups[:, 3], len(index)),
            "group_value": groups[:, 4].copy(),
            "set_uniform": sets[:, 3].astype(bool),
            "set_value": sets[:, 4].copy(),
            "index": index,
            "value_bytes": self._values.trim(),
        }

    def _append(self, values: NDArray[Any]) -> None:
        self._values.extend(values.nbytes).view(values.dtype)[:] = values
        self.stored_bytes += values.nbytes
