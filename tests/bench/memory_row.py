"""Time of a memory row: the first one of a trace, which adds up the whole run, and jumps to any step.

Run as ``python -m tests.bench.memory_row``.
"""

from __future__ import annotations

import statistics
import time
from typing import Final

import numpy as np

from gui.explore.scene.memory_row import build_memory_row
from gui.explore.scene.stage import Stage
from kernels.analysis import playlist
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

_JUMPS: Final = 200

_LAUNCHES: Final = (
    ("matmul_naive", Size(64, 64, 64), Dim3(32, 32)),
    ("matmul_naive", Size(64, 64, 64), Dim3(2, 2)),
    ("matmul_naive_row_x", Size(64, 64, 64), Dim3(8, 8)),
    ("matmul_tiled", Size(64, 64, 64), Dim3(16, 16)),
    ("matmul_tiled", Size(40, 40, 40), Dim3(8, 8)),
    ("matmul_registers_2d", Size(64, 64, 64), Dim3(16, 16)),
    ("matmul_vectorized", Size(64, 64, 64), Dim3(16, 16)),
    ("mmt_tiled", Size(64, 64, 64), Dim3(8, 8)),
    ("cpu_sequential", Size(32, 32, 32), Dim3(1, 1)),
)


def main() -> None:
    """Print the median and the longest time of a jump, and the time of the first row."""
    launches = ((*launch, schedule) for launch in _LAUNCHES for schedule in ("lockstep", "shuffle:1"))
    for name, size, block, schedule in launches:
        kernel = find_kernel(name)
        trace = trace_kernel(kernel, size, block, options=Options(schedule))
        stage = Stage(trace, kernel.workload.panels)
        frames = playlist(stage.trace, "memory").frames
        begun = time.perf_counter()
        build_memory_row(stage, frames[0])
        first_ms = (time.perf_counter() - begun) * 1000
        times = []
        for number in np.random.default_rng(1).integers(0, len(frames), _JUMPS).tolist():
            begun = time.perf_counter()
            build_memory_row(stage, frames[number])
            times.append((time.perf_counter() - begun) * 1000)
        accesses = f"{stage.trace.access_count:,} accesses"
        print(
            f"{name} {size} in {block.x}×{block.y}, {schedule}, {accesses}: first {first_ms:.0f} ms, "
            f"then median {statistics.median(times):.2f} ms, longest {max(times):.2f} ms"
        )


if __name__ == "__main__":
    main()
