"""Overloads of CUDA's own functions, and recursion."""

from __future__ import annotations

import pytest

from kernels.errors import TilescopeError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_an_overload_of_one_of_cudas_functions_calls_it() -> None:
    source = """
    __device__ long long __shfl(long long x, int lane, int width = warpSize) {
        int low = x, high = x >> 32;
        low = __shfl(low, lane, width);
        high = __shfl(high, lane, width);
        return ((long long)high << 32) | (unsigned)low;
    }
    __global__ void k(long long *out) { out[threadIdx.x] = __shfl(((long long)threadIdx.x << 33) + 5, 3); }"""
    found = trace(source, {"out": Unwritten("int64", (8,))})
    assert found.outputs["out"].tolist() == [(3 << 33) + 5] * 8


def test_recursion_is_refused_at_the_call() -> None:
    source = """
    __device__ int f(int n) { return n < 2 ? 1 : f(n - 1); }
    __device__ int max(int a, int b, int c) { return f(a) + max(b, c); }
    __global__ void k(int *out) { out[0] = max(1, 2, 3); }"""
    with pytest.raises(TilescopeError, match=r"test.cu:2:50: not supported: recursion: f calls itself"):
        trace(source, {"out": Unwritten("int32", (1,))})
