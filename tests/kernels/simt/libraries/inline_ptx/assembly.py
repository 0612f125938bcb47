"""A kernel around a few lines with inline PTX: arrays to read and write, one of them shared, and results to set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

THREADS = 64
FLOATS = (np.arange(256, dtype=np.float32) * 7 % 97) - 48
WORDS = (np.arange(256, dtype=np.uint32) * 2654435761 % 4294967291).astype(np.int32)


def run(body: str, schedule: str = "lockstep") -> Trace:
    """Run the lines with 64 threads: x, y, z and w go to `out`, n and m to `numbers`."""
    source = f"""__global__ void k(const float *A, int *W, float *out, int *numbers) {{
        __shared__ __align__(16) float s[256]; int t = threadIdx.x;
        s[t] = A[t]; s[t + 64] = A[t + 64]; s[t + 128] = A[t + 128]; s[t + 192] = A[t + 192];
        __syncthreads();
        unsigned at = (unsigned)__cvta_generic_to_shared(s);
        float x = 0, y = 0, z = 0, w = 0; int n = 0, m = 0;
        {body}
        out[t] = x + 2 * y + 4 * z + 8 * w; numbers[t] = n + 3 * m; }}"""
    given: dict[str, Any] = {
        "A": FLOATS,
        "W": WORDS.copy(),
        "out": Unwritten("float32", (THREADS,)),
        "numbers": Unwritten("int32", (THREADS,)),
    }
    return trace(source, given, block=(THREADS,), schedule=schedule)
