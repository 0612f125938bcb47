"""Cost of the simulator on the tiled product in 8×8 blocks: against Numba's CUDA simulator, and by size.

`python -m tests.bench.simulator [--quick]`. Ours is timed from the parsed source to the trace: compiling, every
check and the search for races are in it, parsing is told separately. Recorded means that every access and every
value of a register is kept. Numba's is timed for the launch alone, in a process of its own; it checks and records
nothing. Its first launch is not warmed up, and needs no warming: there is no compiler in it. All times are those
of the processor, so that other programs do not count; both simulators keep one core busy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.fill import Fill
from kernels.frontend import parse
from kernels.launch import Dim3
from kernels.simt import Options, Unwritten, run
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt import Argument
    from kernels.trace import Trace

NUMBA = """
import sys, time
import numpy as np
from numba import cuda, float32

TILE = 8

@cuda.jit
def tiled(A, B, C, M, N, K):
    As = cuda.shared.array((8, 8), float32)
    Bs = cuda.shared.array((8, 8), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + ty
    col = cuda.blockIdx.x * TILE + tx
    total = float32(0)
    for t in range((K + TILE - 1) // TILE):
        As[ty, tx] = A[row * K + t * TILE + tx] if row < M and t * TILE + tx < K else float32(0)
        Bs[ty, tx] = B[(t * TILE + ty) * N + col] if t * TILE + ty < K and col < N else float32(0)
        cuda.syncthreads()
        for k in range(TILE):
            total += As[ty, k] * Bs[k, tx]
        cuda.syncthreads()
    if row < M and col < N:
        C[row * N + col] = total

n = int(sys.argv[1])
values = np.random.default_rng(1).random((2, n * n), dtype=np.float32)
out = np.zeros(n * n, np.float32)
side = (n + TILE - 1) // TILE
start = time.process_time()
tiled[(side, side), (TILE, TILE)](values[0], values[1], out, n, n, n)
seconds = time.process_time() - start
wanted = values[0].reshape(n, n) @ values[1].reshape(n, n)
assert np.allclose(out.reshape(n, n), wanted, rtol=1e-4)
print(seconds)
"""


@dataclass(frozen=True, slots=True)
class Ours:
    """Best processor times in seconds, and the recorded trace."""

    parse: float
    recorded: float
    unrecorded: float
    trace: Trace


def best(work: Callable[[], object], repeats: int) -> float:
    """Shortest processor time in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ours(n: int, repeats: int) -> Ours:
    """Time parsing, a run with and one without a record."""
    kernel = read_kernel(CUDA_FOLDER / "matmul_tiled.cu")
    size, block = Size(n, n, n), Dim3(8, 8)
    launch, defines = kernel.launch(size, block), kernel.defines(size, block)
    program = parse(kernel.text, "matmul_tiled.cu", defines)
    arguments: dict[str, Argument] = {
        **kernel.workload.scalars(size),
        **kernel.workload.inputs(size, Fill("random", (1,))),
        **{s.name: Unwritten(s.dtype, s.shape) for s in kernel.workload.arrays(size) if s.output},
    }

    def go(*, record: bool) -> Trace:
        return run(program, launch, arguments, kernel=kernel.entry, options=Options(record=record))

    return Ours(
        best(lambda: parse(kernel.text, "matmul_tiled.cu", defines), repeats),
        best(lambda: go(record=True), repeats),
        best(lambda: go(record=False), repeats),
        go(record=True),
    )


def numba(n: int) -> float:
    """Processor seconds that Numba's simulator takes for the launch alone, in a process of its own."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-W", "ignore", "-c", NUMBA, str(n)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Print the ratios, and cost and size against n."""
    quick = "--quick" in sys.argv[1:]
    print("tiled product, 8×8 blocks; a run compiles, executes, checks every access and looks for races")
    print("\n    n    parse   recorded  unrecorded   Numba's launch   faster by, recorded   unrecorded")
    for n in (16, 32) if quick else (16, 32, 64):
        mine, theirs = ours(n, 9), numba(n)
        print(
            f"{n:5} {mine.parse * 1e3:5.1f} ms {mine.recorded * 1e3:7.1f} ms {mine.unrecorded * 1e3:8.1f} ms "
            f"{theirs:14.2f} s {theirs / mine.recorded:14,.0f} times {theirs / mine.unrecorded:8,.0f} times"
        )
    print("\n    n     steps     accesses   recorded   ns/access  bytes/access  unrecorded   ns/access   ratio")
    for n in (16, 32, 64) if quick else (16, 32, 64, 128, 256):
        mine = ours(n, 5)
        steps, accesses, stored = mine.trace.steps, mine.trace.access_count, mine.trace.stored_bytes
        print(
            f"{n:5} {steps:9,} {accesses:12,} {mine.recorded * 1e3:7.1f} ms "
            f"{mine.recorded / accesses * 1e9:11.1f} {stored / accesses:13.2f} {mine.unrecorded * 1e3:8.1f} ms "
            f"{mine.unrecorded / accesses * 1e9:11.1f} {mine.recorded / mine.unrecorded:7.1f}"
        )


if __name__ == "__main__":
    main()
