"""Conversion operators of structs: to pointers, to numbers, in arithmetic."""

from __future__ import annotations

import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace


def test_a_struct_that_converts_to_a_pointer_is_subscripted() -> None:
    source = """
    template <typename T> struct Shared {
        __device__ operator T *() { extern __shared__ T all[]; return (T *)(void *)all; }
        __device__ operator const T *() const { extern __shared__ T all[]; return (T *)(void *)all; }
    };
    __device__ void put(float *to, int t) { to[t] = t + 1; }
    template <typename T> __device__ T got(const T *from, int t) { return from[t ^ 1]; }
    __global__ void k(float *out) {
        Shared<float> s;
        put(s, threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = got<float>(s, threadIdx.x) + 10 * *s + s[0] - 1;
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))}, shared=32)
    assert found.outputs["out"].tolist() == [(t ^ 1) + 1 + 10 for t in range(8)]
    assert found.hazards == ()


@pytest.mark.parametrize("const", ["", "const "])
def test_conversion_operators(const: str) -> None:
    source = f"""
    template <class T> struct Memory {{
        __device__ inline operator T *() {{ extern __shared__ int bytes[]; return (T *)bytes; }}
        __device__ inline operator const T *() const {{ extern __shared__ int bytes[]; return (T *)bytes; }}
    }};
    struct Half {{ float whole; __device__ operator float() const {{ return whole / 2; }} }};
    __global__ void k(float *a) {{
        float *all = Memory<float>();
        all[threadIdx.x] = threadIdx.x;
        __syncthreads();
        {const}float *same = Memory<float>();
        Half half{{same[7 - threadIdx.x]}};
        a[threadIdx.x] = half;
    }}"""
    found = trace(source, {"a": Unwritten("float32", (8,))}, shared=32)
    assert found.outputs["a"].tolist() == [(7 - t) / 2 for t in range(8)]
    assert found.hazards == ()


KERNEL = "__global__ void k(int *out) {{ int t = threadIdx.x; {} }}"


def outputs(before: str, body: str) -> list[int]:
    found = trace(before + KERNEL.format(body), {"out": Unwritten("int32", (THREADS,))})
    assert found.hazards == ()
    return list(found.outputs["out"].tolist())


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("out[t] = n / 2 + 2 * n;", 17),
        ("out[t] = (n < m) && (m - n == 1);", 1),
        ("out[t] = -n + !n;", -7),
        ("int a[9]; a[7] = 5; out[t] = *(a + n);", 5),
        ("int a[9]; a[n] = 5; out[t] = a[7];", 5),
        ("int x = 1; x += n; x *= m; out[t] = x;", 64),
        ("switch (n) { case 7: out[t] = 3; }", 3),
    ],
)
def test_arithmetic_with_structs_that_convert_to_numbers(body: str, wanted: int) -> None:
    before = "struct I { int v; __device__ operator int() const { return v; } };\n"
    assert outputs(before, f"I n{{7}}, m{{8}}; {body}") == [wanted] * THREADS
