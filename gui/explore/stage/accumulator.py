"""Accumulators: the register whose value becomes a thread's result, and its values at each step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.syntax.source import parts_at
from kernels.frontend.ast import Index, Name
from kernels.frontend.ast.traversal import children
from kernels.trace.sorted_columns import count_up_to, rows_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kernels.trace import Trace

Values = tuple["NDArray[np.generic]", "NDArray[np.bool_]"]
"""A value for each lane, and which lanes have one."""


@dataclass(frozen=True, slots=True, eq=False)
class Registers:
    """Values of a trace's register variables, at any step."""

    trace: Trace
    _rows: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def find_accumulator(self, array: int) -> int | None:
        """Return the register that every lane's result was written from, if any: the one set most often.

        An operand that is added to the result atomically is no accumulator: memory holds the sum of several.
        Several elements written at once come from several registers: none of them is the result.
        """
        trace, writes = self.trace, self.trace.writes(array)
        if any(s.array == array and s.access != "read" and s.width > 1 for s in trace.sites):
            return None
        lanes, last = np.unique(writes.lane[::-1], return_index=True)
        results = writes.values[::-1][last]
        added = self._atomic_operands(array)
        best, most = None, 1
        for number, register in enumerate(trace.registers):
            rows = self._rows_of(number)
            if register.dtype != trace.arrays[array].dtype or len(rows) <= most:
                continue
            values, known = self._latest(number, rows, 0, trace.launch.thread_count)
            written = register.name in added or _same(values[lanes], results)
            if known[lanes].all() and written:
                best, most = number, len(rows)
        return best

    def of_block(self, register: int, step: int, block: int) -> Values:
        """Return a register in every thread of a block after a step."""
        threads, rows = self.trace.launch.block.count, self._rows_of(register)
        return self._latest(
            register, rows[: count_up_to(self.trace.set_step[rows], step)], block * threads, (block + 1) * threads
        )

    def _atomic_operands(self, array: int) -> set[str]:
        """Return the names in atomic statements on an array, except for those in an index."""
        statements = {s.statement for s in self.trace.sites if s.array == array and s.access == "atomic"}
        return {name for n in statements for part in parts_at(self.trace, n) for name in _names(part)}

    def _rows_of(self, register: int) -> NDArray[np.int64]:
        if register not in self._rows:
            self._rows[register] = np.flatnonzero(self.trace.set_register == register)
        return self._rows[register]

    def _latest(self, register: int, rows: NDArray[np.integer], first: int, last: int) -> Values:
        """Return the latest values of lanes first … last - 1, searching assignments from the newest."""
        trace, dtype = self.trace, self.trace.registers[register].dtype
        values, known = np.zeros(last - first, dtype), np.zeros(last - first, bool)
        # Most lanes set an accumulator in the latest step: searching backwards ends after a few assignments.
        for row in rows[::-1]:
            lanes = trace.masks[trace.set_mask[row]]
            own = rows_between(lanes, first, last)
            if own.start == own.stop:
                continue
            offset, uniform = int(trace.set_value[row]), bool(trace.set_uniform[row])
            count = 1 if uniform else len(lanes)
            stored = trace.value_bytes[offset : offset + count * dtype.itemsize].view(dtype)
            at = lanes[own] - first
            new = ~known[at]
            values[at[new]] = stored[0] if uniform else stored[own][new]
            known[at] = True
            if known.all():
                break
        return values, known


def _same(values: NDArray[np.generic], results: NDArray[np.generic]) -> bool:
    """Compare numbers; NaN, the sum of a value from outside an array, equals itself."""
    return np.array_equal(values, results, equal_nan=results.dtype.kind == "f")


def _names(node: object) -> Iterator[str]:
    """Yield the names in a tree, except for those in an index."""
    if isinstance(node, Name):
        yield node.id
    for child in (node.base,) if isinstance(node, Index) else children(node):
        yield from _names(child)
