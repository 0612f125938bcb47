"""Time of counts without a record, against a recorded run and its counts, in one process.

Run as ``python -m tests.bench.counts``. A time is from the arguments of a catalogue kernel to its counts, parsing
included; the least of a few runs, of the wall clock, which has a bar, and of the processor, which other work of the
machine does not disturb. Ratios are of processor times.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from kernels.analysis import LaunchCounter, counts
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.analysis import Counts
    from kernels.catalog import Kernel
    from kernels.trace import Trace

_BLOCK: Final = Dim3(16, 16)
_MOST_RECORDED: Final = 256
"""Largest size that is recorded for the comparison."""

_BARS_S: Final = {("matmul_naive", 256): 0.07, ("matmul_naive", 512): 0.3}
"""Seconds that a launch may take on two cores."""

_LAUNCHES: Final = (
    *(("matmul_naive", n) for n in (256, 512, 1024, 2048)),
    *(("matmul_tiled", n) for n in (256, 512, 1024)),
    *(("matmul_registers_2d", n) for n in (256, 512)),
)


def count(kernel: Kernel, size: Size) -> Counts:
    """Count a launch while it runs."""
    counter = LaunchCounter()
    return counter.result(trace_kernel(kernel, size, _BLOCK, options=Options(counter=counter))).counts


def least(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the least seconds of some calls, by the wall clock and of the processor."""
    times = []
    for _ in range(repeats):
        wall, own = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - wall, time.process_time() - own))
    return min(wall for wall, _ in times), min(own for _, own in times)


def main() -> None:
    """Print seconds and ratios for each launch."""
    print(f"blocks of {_BLOCK}; recorded: without checks of hazards; then its counts are summed\n")
    print(
        f"{'kernel':<22} {'n':>5} {'counted':>10} {'processor':>10} {'bar':>8} {'recorded':>10} {'+ counts':>10} ratio"
    )
    for name, n in _LAUNCHES:
        kernel, size = find_kernel(name), Size(n, n, n)
        wall, own = least(lambda kernel=kernel, size=size: count(kernel, size), 5)  # type: ignore[misc]
        bar = _BARS_S.get((name, n))
        row = f"{name:<22} {n:>5} {wall:>8.4f} s {own:>8.4f} s {f'{bar} s' if bar else '':>8}"
        if n <= _MOST_RECORDED:
            row += _recorded(kernel, size, own)
        print(row, flush=True)


def _recorded(kernel: Kernel, size: Size, own: float) -> str:
    """Return the columns of a recorded run, which is made once: its time is many times as long."""
    traces: list[Trace] = []
    options = Options(checkers=frozenset(), advise=False)
    _, run = least(lambda: traces.append(trace_kernel(kernel, size, _BLOCK, options=options)), 1)
    _, summed = least(lambda: counts(traces[0]), 1)
    assert counts(traces[0]) == count(kernel, size)
    return f" {run:>8.3f} s {summed:>8.3f} s {run / own:,.0f} and {(run + summed) / own:,.0f}"


if __name__ == "__main__":
    main()
