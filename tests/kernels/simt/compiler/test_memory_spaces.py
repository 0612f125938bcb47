"""Memory spaces, and arguments of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import InputError, SourceError
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


def test_too_little_dynamic_shared_memory_is_out_of_bounds() -> None:
    found = trace(DYNAMIC, {"C": Unwritten("float32", (8,)), "WIDTH": 8}, shared=40)
    assert {h.kind for h in found.hazards} == {"out-of-bounds"}


def test_file_scope_constants_and_tables() -> None:
    source = """
    const int N = 4;
    __constant__ float table[3] = {1.0f, 2.5f};
    __device__ int counter;
    __global__ void k(float *C) { C[threadIdx.x] = table[threadIdx.x % 3] * N; atomicAdd(&counter, 1); }"""
    found = trace(source, {"C": np.zeros(8, np.float32)})
    assert found.outputs["C"].tolist() == [4, 10, 0, 4, 10, 0, 4, 10]
    assert found.outputs["counter"].tolist() == [8]


def test_pointers_walk() -> None:
    source = """__global__ void k(const float *A, float *C, int n) {
        const float *end = A + n;
        C += threadIdx.x;
        float sum = 0;
        for (const float *p = A; p < end; ++p) sum += *p;
        *C = sum * (int)(end - A);
        n = 0;
    }"""
    found = trace(source, {"A": np.ones(5, np.float32), "C": np.zeros(8, np.float32), "n": 5})
    assert found.outputs["C"].tolist() == [25.0] * 8
    assert found.hazards == ()


def test_the_callers_arrays_stay_as_they_are() -> None:
    given = np.zeros(8, np.float32)
    found = trace("__global__ void k(float *C) { C[threadIdx.x] = 1; }", {"C": given})
    assert not given.any()
    initial = found.initial[0]
    assert initial is not None
    assert not initial.any()
    assert found.outputs["C"].all()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"n": 1}, "no value for parameter 'A'"),
        ({"A": np.zeros(3, np.float32)}, "no value for parameter 'n'"),
        ({"A": np.zeros(3), "n": 1}, "give an array of float32, not of float64"),
        ({"A": 3, "n": 1}, "give an array"),
        ({"A": np.zeros(3, np.float32), "n": 1, "m": 2}, "no parameter 'm'.*A, n"),
        ({"A": np.zeros(3, np.float32), "n": 2**31}, "does not fit"),
        ({"A": np.zeros(3, np.float32), "n": 1.5}, "does not fit"),
        ({"A": np.zeros(3, np.float32), "n": np.zeros(3)}, "is one int"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        trace("__global__ void k(float *A, int n) { A[0] = n; }", arguments)


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


def test_extern_shared_memory_with_a_length_is_like_any_other() -> None:
    source = """__global__ void k(int *C) {
        extern __shared__ int s[8];
        s[threadIdx.x] = C[threadIdx.x];
        __syncthreads();
        C[threadIdx.x] = s[7 - threadIdx.x];
    }"""
    found = trace(source, {"C": np.arange(8, dtype=np.int32)})
    assert found.outputs["C"].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_a_plain_pointer_may_point_into_constant_memory() -> None:
    source = """struct row { int at[4]; };
    __constant__ row rows[2];
    __device__ int sum(int *of) { return of[0] + of[3]; }
    __global__ void k(int *C) {
        int *second = &rows[1].at[0];
        row own(rows[0]);
        C[0] = sum(second);
        C[1] = sum(own.at);
    }"""
    found = trace(source, {"C": Unwritten("int32", (2,)), "rows": np.arange(8, dtype=np.int32)}, block=(1,))
    assert found.outputs["C"].tolist() == [4 + 7, 0 + 3]


def test_a_constant_that_cannot_be_computed_is_no_trouble_where_nobody_names_it() -> None:
    source = """float read(const char *setting);
    const float WIDTH = read("width");
    __global__ void k(float *C) { C[0] = %s; }"""
    assert trace(source % "1", {"C": Unwritten("float32", (1,))}, block=(1,)).outputs["C"].tolist() == [1]
    with pytest.raises(SourceError, match=r"'WIDTH' is a host variable whose value is not known before"):
        trace(source % "WIDTH", {"C": Unwritten("float32", (1,))}, block=(1,))


def test_a_parameter_hides_what_the_file_calls_the_same() -> None:
    source = """__constant__ float m[2];
    __device__ float s[64];
    __device__ float of_file(int i) { return s[i] + m[i % 2]; }
    __global__ void k(const float *m, float *out, int s) {
        int t = threadIdx.x;
        out[t] = m[t] + 10 * s + 1000 * of_file(t); }"""
    arguments: dict[str, Any] = {
        "m": np.arange(8, dtype=np.float32),
        "s": 3,
        "out": Unwritten("float32", (8,)),
    }
    found = trace(source, arguments)
    assert found.outputs["out"].tolist() == [t + 30 for t in range(8)]
    assert found.hazards == ()


def test_functions_do_not_see_the_parameters_of_the_kernel() -> None:
    source = """__device__ float f(int i) { return in[i]; }
    __global__ void k(const float *in, float *out) { out[threadIdx.x] = f(threadIdx.x); }"""
    with pytest.raises(SourceError, match="1:36: unknown name 'in'"):
        trace(source, {"in": np.ones(8, np.float32), "out": Unwritten("float32", (8,))})


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


def test_member_functions_of_structs_in_constant_memory() -> None:
    source = """
    struct Ball { float x, r; __device__ float hit(float at, float *side) { *side = at - x; return r - *side; } };
    __constant__ Ball balls[2] = {{1, 2}, {3, 4}};
    __global__ void k(float *out) { float side; out[threadIdx.x] = balls[threadIdx.x & 1].hit(5, &side) + side; }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [2, 4] * 4
    assert found.hazards == ()
