"""Functions on pointers: the memory that a pointer points to, and its address as a number."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

POINTERS = """
__constant__ int table[4];
__global__ void k(const int *in, unsigned *out, int which) {
    __shared__ int s[8];
    int local[2] = {1, 2};
    int t = threadIdx.x;
    s[t] = t;
    const int *p = which == 0 ? in : which == 1 ? s : which == 2 ? local : table;
    out[t] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in)
        + 32 * __isShared(out) + 64 * __isGridConstant(in);
}"""


@pytest.mark.parametrize("which", range(4))
def test_what_memory_a_pointer_points_to(which: int) -> None:
    found = trace(POINTERS, {"in": np.zeros(8, np.int32), "out": Unwritten("uint32", (8,)), "which": which})
    assert found.outputs["out"].tolist() == [16 + 2**which] * 8


def test_pointers_and_the_numbers_of_their_space() -> None:
    body = """__shared__ int s[8]; int own = 7 + t;
    s[t] = t; __syncthreads();
    int *p = (int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[7 - t]));
    int *q = (int *)__cvta_local_to_generic(__cvta_generic_to_local(&own));
    int *g = (int *)__cvta_global_to_generic(__cvta_generic_to_global(result + t));
    *g = 5; r = *p * 100 + *q * 10 + *g;"""
    assert lanes(body) == [(7 - t) * 100 + (7 + t) * 10 + 5 for t in range(8)]
