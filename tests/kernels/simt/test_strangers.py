"""What other people's kernels do that ours do not: each case was met in public code, and is told in our words."""

from __future__ import annotations

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_shared_memory_declared_outside_the_kernel() -> None:
    source = """
    __shared__ int tile[8];
    __shared__ int bonus;
    extern __shared__ int more[];
    __global__ void k(int *out) {
        int t = threadIdx.x;
        tile[t] = t;
        more[t] = 10 * t;
        if (t == 0) bonus = 100;
        __syncthreads();
        out[t] = tile[7 - t] + more[t] + bonus;
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))}, shared=32)
    assert found.outputs["out"].tolist() == [107 - t + 10 * t for t in range(8)]
    assert found.hazards == ()
