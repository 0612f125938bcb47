"""What other people's kernels do that ours do not: each case was met in public code, and is told in our words."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize("parameter", ["int rows[8][4]", "int rows[][4]", "int (*rows)[4]"])
@pytest.mark.parametrize("shape", [(8, 4), (32,)])
def test_a_parameter_that_points_to_rows(parameter: str, shape: tuple[int, ...]) -> None:
    source = f"__global__ void k({parameter}) {{ rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3]; }}"
    found = trace(source, {"rows": np.ones(shape, np.int32)})
    assert found.outputs["rows"].shape == shape
    assert found.outputs["rows"].reshape(8, 4)[:, 1].tolist() == [10 * t + 1 for t in range(8)]
    assert found.hazards == ()


def test_an_array_of_structs_that_are_larger_than_their_members() -> None:
    source = """
    struct __align__(16) Slot { int first, second; };
    __global__ void k(Slot *slots) { slots[threadIdx.x].second = slots[threadIdx.x].first + 1; }"""
    found = trace(source, {"slots": np.arange(32, dtype=np.int32)})
    assert found.outputs["slots"].reshape(8, 4)[:, :2].tolist() == [[4 * t, 4 * t + 1] for t in range(8)]
    assert found.hazards == ()
