"""Memory spaces, and arguments of the kernel."""

from __future__ import annotations

import numpy as np

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

DYNAMIC = """__constant__ int WIDTH;
__global__ void k(float *C) {
    extern __shared__ float s[];
    float *left = s;
    float *right = s + WIDTH;
    left[threadIdx.x] = threadIdx.x;
    right[threadIdx.x] = 10;
    __syncthreads();
    C[threadIdx.x] = left[WIDTH - 1 - threadIdx.x] * right[0];
}"""


def test_dynamic_shared_memory_is_carved_by_pointers() -> None:
    found = trace(DYNAMIC, {"C": Unwritten("float32", (8,)), "WIDTH": 8}, shared=64)
    assert found.outputs["C"].tolist() == [70, 60, 50, 40, 30, 20, 10, 0]
    assert found.hazards == ()
    assert found.arrays[found.array_number("s")].shape == (16,)


def test_the_callers_arrays_stay_as_they_are() -> None:
    given = np.zeros(8, np.float32)
    found = trace("__global__ void k(float *C) { C[threadIdx.x] = 1; }", {"C": given})
    assert not given.any()
    initial = found.initial[0]
    assert initial is not None
    assert not initial.any()
    assert found.outputs["C"].all()


def test_local_arrays_belong_to_one_thread() -> None:
    source = """__global__ void k(int *C) {
        int a[4];
        for (int i = 0; i < 4; ++i) a[i] = threadIdx.x * 10 + i;
        C[threadIdx.x] = a[threadIdx.x % 4];
    }"""
    found = trace(source, {"C": Unwritten("int32", (8,))})
    assert found.outputs["C"].tolist() == [t * 10 + t % 4 for t in range(8)]
    values, written = found.contents(found.array_number("a"), found.steps - 1, owner=5)
    assert values.tolist() == [50, 51, 52, 53]
    assert written.all()


def test_addresses_do_not_overlap() -> None:
    source = """__global__ void k(char *A, double *B, float *C) {
        __shared__ char a[3]; __shared__ double b[2]; __shared__ float c;
        a[0] = 0; b[0] = 0; c = 0;
    }"""
    arrays = trace(source, {"A": np.zeros(3, np.int8), "B": np.zeros(3), "C": np.zeros(2, np.float32)}).arrays
    assert [(a.name, a.address) for a in arrays if a.space == "global"] == [("A", 0), ("B", 256), ("C", 512)]
    assert [(a.name, a.address) for a in arrays if a.space == "shared"] == [("a", 0), ("b", 8), ("c", 24)]
