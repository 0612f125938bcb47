"""The simulator against Numba's CUDA simulator, on the tiled product in 8×8 blocks, in one run.

`python -m tests.bench.simulator [--quick]`: ours records everything, Numba's records nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from kernels import CUDA_FOLDER
from kernels.catalog import read_kernel
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
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
start = time.perf_counter()
tiled[(side, side), (TILE, TILE)](values[0], values[1], out, n, n, n)
seconds = time.perf_counter() - start
wanted = values[0].reshape(n, n) @ values[1].reshape(n, n)
assert np.allclose(out.reshape(n, n), wanted, rtol=1e-4)
print(seconds)
"""


def ours(n: int, repeats: int) -> tuple[float, Trace]:
    """Best time in seconds to parse, run and record, and the trace."""
    kernel = read_kernel(CUDA_FOLDER / "matmul_tiled.cu")
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        trace = trace_kernel(kernel, Size(n, n, n), Dim3(8, 8), Fill("random", (1,)))
        best = min(best, time.perf_counter() - start)
    return best, trace


def numba(n: int) -> float:
    """Seconds that Numba's simulator takes for the launch alone, in a process of its own."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-W", "ignore", "-c", NUMBA, str(n)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Print the ratio, and cost and size against n."""
    quick = "--quick" in sys.argv[1:]
    print("tiled product, 8×8 blocks; ours records every access and register, Numba's simulator nothing")
    for n in (16, 32) if quick else (16, 32, 64):
        mine, _ = ours(n, 5)
        theirs = numba(n)
        ratio = theirs / mine
        print(f"n = {n:3}: ours {mine * 1e3:8.1f} ms, Numba's {theirs:7.2f} s: {ratio:,.0f} times faster")
    print("\n    n      time     steps     accesses   µs/step   ns/access   bytes/access")
    for n in (16, 32, 64) if quick else (16, 32, 64, 128, 256):
        seconds, trace = ours(n, 2)
        print(
            f"{n:5} {seconds * 1e3:7.1f} ms {trace.steps:8,} {trace.access_count:12,} "
            f"{seconds / trace.steps * 1e6:9.1f} {seconds / trace.access_count * 1e9:11.1f} "
            f"{trace.stored_bytes / trace.access_count:14.2f}"
        )


if __name__ == "__main__":
    main()
