"""Recorder of a run: the columns of a trace under construction (`kernels.trace.model` defines them)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt.machine.growable_arrays import Column
from kernels.simt.machine.observer import Checkers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.simt.machine.affine_index import Strided
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.observer import MeetingKind

_ASK_EVERY: Final = 128
"""Steps between two questions whether the user gave up, or too much memory is taken."""


_A_WHILE: Final = 1_000
"""Steps that a run at least goes on for which is going to begin again."""

MOST_BEYOND: Final = 20_000
"""Accesses out of bounds, of many lanes each, after which a run has nothing more to tell."""


class Stopped(Exception):
    """The run has used up its budget, cannot end, or was cancelled; `advice` says what to do, or why."""

    def __init__(self, reason: str, kind: str, advice: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.advice = advice


@dataclass(frozen=True, slots=True)
class Budget:
    """When a run ends early: the most steps, and bytes that are kept; who is asked, and who is told, on the way."""

    steps: int
    bytes: int
    cancelled: Callable[[], bool] | None = None
    progress: Callable[[int, float], None] | None = None


class Tally:
    """Counts the steps and watches the accesses for races, but writes nothing down."""

    records: bool = False

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.checkers = Checkers()
        """None of them while the kernel is compiled; the engine sets them before the first step."""
        self.current = -1
        self.silent = False
        """Whether registers are set without a record: parameters get their values in no step."""
        self.group: Group | None = None
        self.mask: Active = None
        self.stored = 0
        self.again = False
        """Whether the run was found to need another beginning; what it still does is not kept."""
        self._beyond = 0
        self.masks: list[NDArray[np.int32]] = []

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step; what is recorded next belongs to it."""
        self._begin(group, mask)
        observer = self.checkers.racecheck
        if observer is not None and observer.orders(statement):
            observer.step(statement, self.masks[self.row(group, mask)])

    def fence(self, statement: int, group: Group, mask: Active) -> None:
        """Note that the active lanes order their accesses within a step, as a statement of its own would."""
        row = self.row(group, mask)
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.step(statement, self.masks[row])

    def beyond(self) -> None:
        """Count an access outside of an array; raises Stopped when there have been too many."""
        self._beyond += 1
        if self._beyond > MOST_BEYOND:
            raise Stopped(f"stopped after {MOST_BEYOND:,} steps with accesses out of bounds", "bounds")

    def begin_again_soon(self) -> None:
        """Let the run go on for as long as it has lasted, to find out what else there is to know, and then stop."""
        if not self.again:
            self.again, self.checkers = True, replace(self.checkers, racecheck=None)
            last = max(2 * self.current, self.current + _A_WHILE)
            self.budget = replace(self.budget, steps=min(self.budget.steps, last))

    def leave_phase(self) -> None:
        """Mark the current step as the test that ends the loop: it begins no phase."""

    def row(self, group: Group, mask: Active) -> int:
        """Return the number of a lane set."""
        owner = group if mask is None else mask
        if owner.row < 0:
            owner.row = len(self.masks)
            self.masks.append(group.lanes if mask is None else group.lanes[mask.where])
            self.stored += 4 * len(self.masks[-1])
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
        """Note what one site did.

        Parameters
        ----------
        index : int or array
            One element index for all, or one a lane.
        values : array, optional
            What was stored, for writes: one a lane, or as many as the site is wide.
        outside : bool
            Whether some index may lie outside the array, and so not fit into 32 bits.
        """
        observer = self.checkers.racecheck
        if observer is not None and observer.sees(site):
            lanes = self.masks[self.row(group, mask)]
            if type(index) is not np.ndarray:
                index = np.full(len(lanes), index, np.int64)
            observer.access(self.current, site, lanes, index, values)

    def strided(self, site: int, index: Strided, values: NDArray[Any] | None = None) -> None:
        """Note what one site did at an index that follows a pattern; nothing of that is ever recorded."""
        observer = self.checkers.racecheck
        if observer is not None:
            observer.strided(self.current, site, index.pattern, index.shift, values)

    def sync_warp(self, group: Group, mask: Active, named: Value) -> None:
        """Note that the active lanes pass a `__syncwarp`, each with those of its warp that name the same lanes."""
        row, observer = self.row(group, mask), self.checkers.racecheck
        if observer is not None:
            if type(named) is not np.ndarray:
                named = None
            elif mask is not None:
                named = named[mask.where]
            observer.sync_warp(self.masks[row], named)

    def meet(self, kind: MeetingKind, lanes: NDArray[np.int32], at: NDArray[np.int64]) -> None:
        """Note that lanes meet at barriers of which a block has several; `at` is the number of each lane's."""
        if self.checkers.racecheck is not None:
            self.checkers.racecheck.meet(kind, lanes, at)

    def assign(self, register: int, group: Group, mask: Active, value: Value, dtype: np.dtype[np.generic]) -> None:
        """Record that the active lanes got a new value of a register."""

    def columns(self) -> dict[str, Any]:
        """Return the finished columns, by the names that `Trace` gives them."""
        return {**Recorder(self.budget).columns(), "masks": ()}

    def _begin(self, group: Group, mask: Active) -> None:
        self.group, self.mask = group, mask
        number = self.current + 1
        if number >= self.budget.steps:
            raise Stopped(f"stopped after {self.budget.steps:,} steps", "steps")
        if number % _ASK_EVERY == 0 or self.stored > self.budget.bytes:
            self._ask(number)
        self.current = number

    def _ask(self, steps: int) -> None:
        """See whether the memory lasts and the user still wants to wait."""
        budget = self.budget
        observer = self.checkers.racecheck
        taken = self.stored + (observer.stored_bytes if observer is not None else 0)
        if taken > budget.bytes:
            raise Stopped(f"stopped after recording {budget.bytes / 2**20:,.0f} MiB", "memory")
        if budget.progress is not None:
            budget.progress(steps, max(steps / budget.steps, taken / budget.bytes))
        if budget.cancelled is not None and budget.cancelled():
            raise Stopped("stopped by the user", "cancelled")


class Recorder(Tally):
    """Columns under construction. Vectors handed in are not changed by anybody afterwards."""

    records = True

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        self._steps = array("i")
        self._groups = array("q")
        self._sets = array("q")
        self._index = Column(np.int32)
        self._values = Column(np.uint8)

    def step(self, statement: int, group: Group, mask: Active) -> None:
        """Begin a step; what is recorded next belongs to it."""
        self._begin(group, mask)
        row = self.row(group, mask)
        self._steps.extend((statement, row, group.phase, group.epoch))
        observer = self.checkers.racecheck
        if observer is not None and observer.orders(statement):
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
        """Record what one site did, as `Tally.access` says."""
        super().access(site, group, mask, index, values, outside)
        row, first = self.row(group, mask), self._index.length
        count = len(self.masks[row])
        self._groups.extend((self.current, site, row, first, -1 if values is None else self._values.length))
        if values is not None:
            self._keep(values.reshape(-1))
        if outside and np.abs(index).max() > np.iinfo(np.int32).max:
            self._index.widen(np.int64)
        self._index.room(count)[:] = index
        self.stored += 32 + 4 * count

    def assign(self, register: int, group: Group, mask: Active, value: Value, dtype: np.dtype[np.generic]) -> None:
        """Record that the active lanes got a new value of a register."""
        if self.silent:
            return
        uniform = type(value) is not np.ndarray
        self._sets.extend((self.current, register, self.row(group, mask), uniform, self._values.length))
        if uniform:
            self._keep(np.array([value], dtype))
        else:
            self._keep(value if mask is None else value[mask.where])

    def columns(self) -> dict[str, Any]:
        """Return the finished columns, by the names that `Trace` gives them."""
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
        index = self._index.finished()
        return {
            **{name: column.astype(np.int32) for name, column in narrow.items()},
            "masks": tuple(self.masks),
            "group_first": np.append(groups[:, 3], len(index)),
            "group_value": groups[:, 4].copy(),
            "set_uniform": sets[:, 3].astype(bool),
            "set_value": sets[:, 4].copy(),
            "index": index,
            "value_bytes": self._values.finished(),
        }

    def _keep(self, values: NDArray[Any]) -> None:
        self._values.room(values.nbytes).view(values.dtype)[:] = values
        self.stored += values.nbytes
