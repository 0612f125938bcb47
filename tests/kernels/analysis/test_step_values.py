from __future__ import annotations

import numpy as np
import pytest

from kernels.analysis.step_values import step_values
from tests.kernels.analysis.traces import source, step_of

KERNEL = """
__global__ void k(float *A) {
    int x = threadIdx.x;
    float v = A[x];
    if (v > 1.0f)
        v = v * 2.0f;
    for (int i = 0; i < 2; ++i)
        A[x] = v + i;
    __syncthreads();
}
"""


@pytest.mark.parametrize(
    ("on", "name", "stored", "values"),
    [
        ("int x", "x", False, [0, 1, 2, 3]),
        ("float v", "v", False, [0.0, 1.0, 2.0, 3.0]),
        ("if (v", "v", False, [0.0, 1.0, 2.0, 3.0]),
        ("v = v", "v", False, [0.0, 1.0, 4.0, 6.0]),  # also of the lanes that skip it
        ("for", "i", False, [0, 0, 0, 0]),
        ("A[x] =", "A", True, [0.0, 1.0, 4.0, 6.0]),
    ],
)
def test_values(on: str, name: str, stored: bool, values: list[float]) -> None:
    trace = source(KERNEL, "1", "4", "A=f32[4]:iota")
    found = step_values(trace, step_of(trace, on), 0, np.arange(4, dtype=np.int32))
    assert found is not None
    assert (found.name, found.stored, found.values.tolist()) == (name, stored, values)
    assert found.known.all()


def test_a_barrier_has_none() -> None:
    trace = source(KERNEL, "1", "4", "A=f32[4]:iota")
    assert step_values(trace, step_of(trace, "__syncthreads"), 0, np.arange(4, dtype=np.int32)) is None
