"""Gates on counts: the count of a launch, and the line that causes most of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import LaunchError, SourceError, UnavailableError
from kernels.exercises.findings import GateFinding
from kernels.exercises.model import REGISTERS_ARCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis import LaunchCounts, MemoryCount
    from kernels.analysis.metrics.launch_counts import StatementCount
    from kernels.exercises.model import Gate
    from kernels.trace import Trace

_READS_FILES: Final = ("include", "import", "embed")
"""Names of directives that read a file. No macro and no comment can compose them, only a continued line."""


def measure(gate: Gate, found: LaunchCounts) -> float:
    """Return the count of a launch that a gate limits."""
    counts = [count for count in found.counts.arrays if _belongs(gate, count)]
    match gate.kind:
        case "sectors":
            requests = sum(count.requests for count in counts)
            return sum(count.sectors for count in counts) / requests if requests else 0.0
        case "wavefronts":
            return sum(count.excess_wavefronts for count in counts)
        case "loads" | "shared_loads" | "atomics":
            return sum(count.accesses for count in counts)
        case "divergence":
            return sum(count.split for count in found.statements)
        case "barriers":
            launch = found.trace.launch
            waited = sum(count.warps for count in found.statements if _is_barrier(found.trace, count))
            return waited / (launch.grid.count * launch.warps_per_block)
        case _:
            raise ValueError(f"{gate.kind} is not a count of a launch")


def exceeded(gate: Gate, figure: float, limit: float, found: LaunchCounts, traces: Sequence[Trace]) -> GateFinding:
    """Return the finding for a count above its limit; `traces` are those of the cases of the same answer."""
    if gate.kind in ("divergence", "barriers"):
        return GateFinding(gate, figure, limit, _busiest_line(gate, found))
    counts = [count for count in found.counts.sites if _belongs(gate, count)]
    if not counts:
        return GateFinding(gate, figure, limit)
    worst = max(counts, key=lambda count: _share(gate, count))
    stride, whole_row = next((each for trace in traces if (each := _stride(trace, worst)) is not None), (None, False))
    return GateFinding(gate, figure, limit, worst.line, worst.array, stride, whole_row)


def registers(text: str, entry: str, defines: tuple[tuple[str, str], ...]) -> int | None:
    """Return the registers of a thread; None where nothing can be compiled, or the compiler refuses the text.

    A text that may read another file is not compiled: the compiler would follow any path.
    """
    from kernels.occupancy.resources import can_compile

    spliced = text.replace("\\\n", "").replace("\\\r\n", "")
    if any(word in spliced for word in _READS_FILES) or not can_compile():
        return None
    from kernels.gpu.compiler import compile_text

    try:
        return compile_text(text, "answer.cu", entry, defines, REGISTERS_ARCH).figures.registers
    except (UnavailableError, SourceError, LaunchError):
        return None


def _is_barrier(trace: Trace, count: StatementCount) -> bool:
    """Return whether a statement waits for threads of other warps."""
    return trace.statements[count.statement].kind in ("barrier", "group-barrier")


def _busiest_line(gate: Gate, found: LaunchCounts) -> int:
    """Return the line with most of the executions that a gate counts; the first of equals."""
    lines: Counter[int] = Counter()
    for count in found.statements:
        number = count.split if gate.kind == "divergence" else count.warps * _is_barrier(found.trace, count)
        lines[found.trace.statements[count.statement].span.line] += number
    return max(sorted(lines), key=lines.__getitem__)


def _belongs(gate: Gate, count: MemoryCount) -> bool:
    """Return whether a count is part of what a gate limits."""
    if gate.array and count.array != gate.array:
        return False
    match gate.kind:
        case "sectors":
            return count.space == "global" and count.access == gate.access
        case "wavefronts":
            return count.space == "shared"
        case "loads":
            return count.space == "global" and count.access == "read"
        case "shared_loads":
            return count.space == "shared" and count.access in ("read", "atomic")
        case "atomics":
            return count.space == "global" and count.access == "atomic"
    return False


def _share(gate: Gate, count: MemoryCount) -> float:
    match gate.kind:
        case "sectors":
            return count.sectors / max(count.requests, 1)
        case "wavefronts":
            return count.excess_wavefronts
    return count.accesses


def _stride(trace: Trace, count: MemoryCount) -> tuple[int, bool] | None:
    """Return the distance between the elements of neighbouring threads at a site, and whether it is a whole row.

    None if it varies, or if the trace has no such access.
    """
    for number, site in enumerate(trace.sites):
        if (site.span.line, site.span.column, site.access) != (count.line, count.column, count.access):
            continue
        for group in np.flatnonzero(trace.group_site == number)[:1].tolist():
            accesses = trace.group(group)
            # Lanes of one row of the block follow each other along x.
            inside = accesses.lanes // trace.launch.block.x == accesses.lanes[0] // trace.launch.block.x
            lanes, index = accesses.lanes[inside], accesses.index[inside]
            steps = np.unique(np.diff(index) // np.maximum(np.diff(lanes), 1))
            if len(steps) == 1:
                shape = accesses.array.shape
                return int(steps[0]), len(shape) > 1 and int(steps[0]) == shape[-1] > 1
    return None
