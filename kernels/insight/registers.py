"""Which value a scalar variable holds, for many lanes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.launch import Dim3
    from kernels.trace import Trace

AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Setting:
    """The last assignment of a register: one row of the trace's `set_` columns for each lane, -1 where none."""

    rows: NDArray[np.int64]
    values: NDArray[np.generic]


def last_setting(trace: Trace, register: int, step: int, lanes: NDArray[np.int32]) -> Setting:
    """Return what the last assignment up to and including `step` gave each of the lanes (sorted or not)."""
    found = Setting(np.full(len(lanes), -1, np.int64), np.zeros(len(lanes), trace.registers[register].dtype))
    last = int(np.searchsorted(trace.set_step, step, side="right"))
    missing = np.arange(len(lanes))
    for row in np.flatnonzero(trace.set_register[:last] == register)[::-1]:
        mask = trace.masks[trace.set_mask[row]]
        at = np.minimum(np.searchsorted(mask, lanes[missing]), len(mask) - 1)
        here = mask[at] == lanes[missing] if len(mask) else np.zeros(len(missing), bool)
        if not here.any():
            continue
        values = _values_of_row(trace, int(row), len(mask))
        hit = missing[here]
        found.rows[hit] = row
        found.values[hit] = values[0] if trace.set_uniform[row] else values[at[here]]
        missing = missing[~here]
        if not len(missing):
            break
    return found


@dataclass(frozen=True, eq=False)
class Names:
    """What the names of a kernel mean to some lanes after a step: a lookup, made on demand.

    Knows parameters, registers of one function, and built-ins by their C spelling (`threadIdx.x`, `warpSize`).
    """

    trace: Trace
    step: int
    lanes: NDArray[np.int32]
    function: str
    kept: dict[str, NDArray[np.generic]]

    @classmethod
    def at(cls, trace: Trace, step: int, lanes: NDArray[np.int32], function: str = "") -> Names:
        """Names in a function, the kernel unless given."""
        return cls(trace, step, lanes, function or trace.kernel, {})

    def get(self, name: str) -> NDArray[np.generic] | None:
        """One value for each lane, or None where the name is unknown or some lane has not set it yet."""
        if name not in self.kept:
            found = self._find(name)
            if found is None:
                return None
            self.kept[name] = found
        return self.kept[name]

    def _find(self, name: str) -> NDArray[np.generic] | None:
        register = self._register(name)
        if register is not None:
            return register
        if name in self.trace.scalars and self.function == self.trace.kernel:
            return np.full(len(self.lanes), self.trace.scalars[name])
        if name == "warpSize":
            return np.full(len(self.lanes), WARP_SIZE)
        return self._built_in(name)

    def _register(self, name: str) -> NDArray[np.generic] | None:
        """Value of the register of that name that was assigned last: inner scopes may use a name again."""
        best: NDArray[np.generic] | None = None
        order = np.full(len(self.lanes), -1, np.int64)
        for number, register in enumerate(self.trace.registers):
            if register.name != name or register.function != self.function:
                continue
            setting = last_setting(self.trace, number, self.step, self.lanes)
            newer = setting.rows > order
            best = setting.values if best is None else np.where(newer, setting.values, best)
            order = np.maximum(order, setting.rows)
        if best is not None and name in self.trace.scalars and self.function == self.trace.kernel:
            return np.where(order >= 0, best, self.trace.scalars[name])  # a parameter that is assigned to
        return best if best is not None and bool((order >= 0).all()) else None

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
    """One name and its value for one thread; `line` is where a register was set last, 0 for the others."""

    name: str
    value: int | float | bool
    kind: str
    line: int = 0


def variables(trace: Trace, step: int, lane: int) -> tuple[Variable, ...]:
    """Everything a thread can name after a step: built-ins, parameters, registers (kind "built-in", …)."""
    launch = trace.launch
    built_in: Mapping[str, Dim3] = {
        "threadIdx": trace.thread_of(lane), "blockIdx": trace.block_of(lane),
        "blockDim": launch.block, "gridDim": launch.grid,
    }  # fmt: skip
    found = [
        Variable(f"{name}.{axis}", value, "built-in")
        for name, dims in built_in.items()
        for axis, value, block, grid in zip(AXES, dims, launch.block, launch.grid, strict=True)
        if axis == "x" or block > 1 or grid > 1
    ]
    found += [Variable(name, value, "parameter") for name, value in trace.scalars.items()]
    lanes, newest = np.array([lane], np.int32), dict[str, tuple[int, Variable]]()
    for number, register in enumerate(trace.registers):
        setting = last_setting(trace, number, step, lanes)
        row = int(setting.rows[0])
        if row > newest.get(register.name, (-1, None))[0]:
            line = trace.statement(int(trace.set_step[row])).span.line
            newest[register.name] = row, Variable(register.name, setting.values[0].item(), "register", line)
    return (*found, *(variable for _, variable in newest.values()))


def _member(linear: NDArray[np.int32], dims: Dim3, axis: str) -> NDArray[np.generic]:
    stride = {"x": 1, "y": dims.x, "z": dims.x * dims.y}[axis]
    return linear // stride % dims[AXES.index(axis)]


def _values_of_row(trace: Trace, row: int, lanes: int) -> NDArray[np.generic]:
    dtype = trace.registers[trace.set_register[row]].dtype
    count = 1 if trace.set_uniform[row] else lanes
    offset = int(trace.set_value[row])
    return trace.value_bytes[offset : offset + count * dtype.itemsize].view(dtype)
