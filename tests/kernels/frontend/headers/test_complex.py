"""Complex numbers of cuComplex.h and cuFFT, pitched memory, and pointers that the file gives their first values."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_types_of_complex_numbers() -> None:
    source = """#include <cuComplex.h>
    __global__ void k(const cuDoubleComplex *in, cuDoubleComplex *out) {
        cuFloatComplex a = make_cuFloatComplex(2, 1);
        out[0] = make_cuDoubleComplex(in[0].x - a.x, in[0].y + make_cuComplex(3, 4).y);
    }"""
    found = trace(source, {"in": np.array([[1.5, -2.25]]), "out": Unwritten("float64", (1, 2))}, block=(1,))
    assert found.outputs["out"].tolist() == [[-0.5, 1.75]]
    assert found.hazards == ()


def test_functions_of_complex_numbers_are_refused() -> None:
    with pytest.raises(SourceError, match="not supported: function 'cuCmulf'"):
        trace(
            "#include <cuComplex.h>\n__global__ void k(cuComplex *a) { a[0] = cuCmulf(a[0], a[1]); }",
            {"a": np.ones((2, 2), np.float32)},
        )


def test_types_of_fourier_transforms() -> None:
    source = """#include <cufft.h>
    #include "cublas_v2.h"
    #include <cusolverDn.h>
    __global__ void scale(cufftComplex *a, cufftReal by) { a[threadIdx.x].x *= by; a[threadIdx.x].y *= by; }"""
    found = trace(source, {"a": np.ones((8, 2), np.float32), "by": 0.5})
    assert found.outputs["a"].tolist() == [[0.5, 0.5]] * 8


def test_pitched_memory() -> None:
    source = """__global__ void k(cudaPitchedPtr p, cudaExtent size, float *out) {
        const float *row = (const float *)((const char *)p.ptr + threadIdx.x * p.pitch);
        float sum = 0;
        for (size_t x = 0; x < size.width; ++x) sum += row[x];
        out[threadIdx.x] = sum;
    }"""
    given = np.arange(64, dtype=np.float32).reshape(8, 8)
    sizes = {"p.pitch": 32, "p.xsize": 6, "p.ysize": 8, "size.width": 6, "size.height": 8, "size.depth": 1}
    found = trace(source, {**sizes, "p.ptr": given, "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == given[:, :6].sum(1).tolist()


@pytest.mark.parametrize(
    ("before", "expression", "expected"),
    [
        ("__device__ int x[4] = {5, 6, 7, 8}; __device__ int *p = x + 1;", "p[t % 3]", [6, 7, 8] * 3),
        ("__device__ int x = 5, y = 6; __constant__ int *const p[2] = {&x, &y};", "*p[t % 2]", [5, 6] * 4),
        ('__constant__ const char *p[2] = {"ab", "cd"};', "p[t % 2][1]", [98, 100] * 4),
        (
            "__device__ int x[2] = {3, 4}; struct S { int n; int *p; }; __constant__ S s = {1, x};",
            "s.p[s.n]",
            [4] * 8,
        ),
    ],
)
def test_first_values_of_pointers(before: str, expression: str, expected: list[int]) -> None:
    source = f"{before}\n__global__ void k(int *out) {{ int t = threadIdx.x; out[t] = {expression}; }}"
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == expected[:8]
    assert found.hazards == ()
