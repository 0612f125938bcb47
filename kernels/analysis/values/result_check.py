"""Result check: the outputs at a moment of the order played, compared with the correct result of the workload.

A kernel that adds up its results in memory writes each element several times, and all values but the last are partial
sums. An element is therefore judged after its last write in the run. Elements that are never written are judged at the
end, when no access to memory is left. An element is right within γ_K (|A||B|) of the float64 reference, as
`kernels.workload.verify` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kernels.workload import Size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.order.play_order import PlayOrder
    from kernels.reference import Reference
    from kernels.trace import Trace
    from kernels.trace.records import Value
    from kernels.workload import Workload

    Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WrongElement:
    """An element whose last value is not the correct one."""

    array: int
    """Position in `Trace.arrays`."""
    index: int
    """Flat index."""
    value: Value | None
    """None if it was never written."""
    expected: float
    block: int
    """Linear number of the block that wrote it last; -1 if none did."""
    step: int
    """Step of that write; -1 if there is none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Elements of the outputs that are right and wrong at a moment."""

    judged: int
    """Elements that have their last value."""
    wrong: int
    total: int
    first: WrongElement | None
    """The wrong element whose last write is played first; None if no element is wrong."""
    over: bool
    """True if no access to memory is left to be played."""


@dataclass(frozen=True, eq=False)
class OutputCheck:
    """One output of a run: its last value and last write, and the correct value, of each element by flat index."""

    array: int
    """Position in `Trace.arrays`."""
    values: NDArray[np.generic]
    written: Mask
    """True for elements that have a value at the end."""
    block: NDArray[np.int64]
    """Block of the last write; -1 for none."""
    step: NDArray[np.int64]
    """Step of the last write; -1 for none."""
    expected: NDArray[np.float64]
    wrong: Mask
    """True if the last value is not the correct one."""


@dataclass(frozen=True, eq=False)
class ResultCheck:
    """The outputs of a run, compared with the correct result of its workload."""

    order: PlayOrder
    outputs: tuple[OutputCheck, ...]

    @cached_property
    def any_wrong(self) -> bool:
        """True if the run ends with a wrong element."""
        return any(bool(output.wrong.any()) for output in self.outputs)

    def judged(self, block: int, step: int) -> tuple[Mask, ...]:
        """Return which elements of each output have their last value when a step of a block is over."""
        over = self.over(block, step)
        return tuple(
            np.where(output.step >= 0, self.order.happened(np.maximum(output.block, 0), output.step, block, step), over)
            for output in self.outputs
        )

    def wrong(self, array: int, block: int, step: int) -> Mask | None:
        """Return which elements of an array are judged and wrong; None if it is no output."""
        for output, judged in zip(self.outputs, self.judged(block, step), strict=True):
            if output.array == array:
                return output.wrong & judged
        return None

    def verdict(self, block: int, step: int) -> Verdict:
        """Return the verdict when a step of a block is over."""
        masks = self.judged(block, step)
        wrong = [output.wrong & judged for output, judged in zip(self.outputs, masks, strict=True)]
        return Verdict(
            sum(int(np.count_nonzero(mask)) for mask in masks),
            sum(int(np.count_nonzero(mask)) for mask in wrong),
            sum(len(mask) for mask in masks),
            self._first(wrong),
            self.over(block, step),
        )

    def over(self, block: int, step: int) -> bool:
        """Return whether every access of the run has been played when a step of a block is over."""
        blocks = np.arange(len(self._last_access))
        played = self.order.happened(blocks, np.maximum(self._last_access, 0), block, step)
        return bool((played | (self._last_access < 0)).all())

    # --- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _last_access(self) -> NDArray[np.int64]:
        """Last step of each block that accesses memory; -1 for none."""
        trace = self.order.trace
        found = np.full(trace.launch.grid.count, -1, np.int64)
        for mask in np.unique(trace.group_mask).tolist():
            last = int(trace.group_step[np.flatnonzero(trace.group_mask == mask)[-1]])
            blocks = np.unique(trace.masks[mask] // trace.launch.block.count)
            found[blocks] = np.maximum(found[blocks], last)
        return found

    def _first(self, wrong: list[Mask]) -> WrongElement | None:
        """Return the wrong element that is played first; elements without a write come last."""
        found: list[tuple[int, int, int]] = []
        for number, (output, mask) in enumerate(zip(self.outputs, wrong, strict=True)):
            if mask.any():
                rows = np.flatnonzero(mask)
                moment = self.order.moments(np.maximum(output.block[rows], 0), output.step[rows])
                moment = np.where(output.step[rows] < 0, np.iinfo(np.int64).max, moment)
                at = int(np.argmin(moment))
                found.append((int(moment[at]), number, int(rows[at])))
        if not found:
            return None
        _, number, index = min(found)
        output = self.outputs[number]
        return WrongElement(
            output.array,
            index,
            output.values[index].item() if output.written[index] else None,
            float(output.expected[index]),
            int(output.block[index]),
            int(output.step[index]),
        )


def check_result(order: PlayOrder, workload: Workload) -> ResultCheck | None:
    """Compare the outputs of a run with the correct result; None if its arguments are not those of the workload."""
    trace = order.trace
    size = problem_size(trace, workload)
    if size is None or trace.unrecorded is not None:
        return None
    numbers = {array.name: number for number, array in enumerate(trace.arrays)}
    specs = workload.arrays(size)
    inputs = {spec.name: trace.initial[numbers[spec.name]] for spec in specs if not spec.output}
    known = {name: np.asarray(values) for name, values in inputs.items() if values is not None}
    outputs = [spec for spec in specs if spec.output]
    if len(known) < len(inputs) or not outputs:
        return None
    shaped = {spec.name: known[spec.name].reshape(spec.shape) for spec in specs if not spec.output}
    results = workload.results(shaped, size, np.arange(outputs[0].shape[0]))
    return ResultCheck(
        order, tuple(_compare(trace, numbers[spec.name], results[spec.name].reference()) for spec in outputs)
    )


def problem_size(trace: Trace, workload: Workload) -> Size | None:
    """Return the size of the problem that a run solves, from its arrays and scalars; None if they fit none.

    Sizes that differ only in a length that no argument has are the same problem: the first is returned.
    """
    shapes = {array.name: array.shape for array in trace.arrays if array.space == "global"}
    scalars = {name: value for name, value in trace.scalars.items() if isinstance(value, int)}
    lengths = sorted({length for shape in shapes.values() for length in shape} | {n for n in scalars.values() if n > 0})
    for numbers in ((n, n, n) for n in lengths) if workload.square else product(lengths, repeat=3):
        size = Size(*numbers)
        named = all(scalars.get(name, value) == value for name, value in workload.scalars(size).items())
        if named and all(shapes.get(spec.name) == spec.shape for spec in workload.arrays(size)):
            return size
    return None


def _compare(trace: Trace, array: int, reference: Reference) -> OutputCheck:
    initial, writes = trace.initial[array], trace.writes(array)
    size = trace.arrays[array].size
    last = np.full(size, -1, np.int64)
    # Of several writes to an element the last in the run is the last played: NumPy assigns in this order.
    last[writes.index] = np.arange(len(writes.index))
    stored = last >= 0
    values = np.zeros(size, trace.arrays[array].dtype) if initial is None else initial.reshape(-1).copy()
    values[stored] = writes.values[last[stored]]
    written = stored if initial is None else np.ones(size, bool)
    block, step = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    block[stored] = writes.lane[last[stored]] // trace.launch.block.count
    step[stored] = writes.step[last[stored]]
    expected = reference.rows.reshape(-1)
    error = reference.error(values.astype(np.float64).reshape(reference.rows.shape)).reshape(-1)
    wrong = ~(written & (error <= reference.bound.reshape(-1)))  # written so that NaN counts as wrong
    return OutputCheck(array, values, written, block, step, expected, wrong)
