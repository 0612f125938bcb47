"""Atomic objects of libcu++: values, recorded accesses, and memory order."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, lanes, trace

T = np.arange(THREADS)


@pytest.mark.parametrize(
    ("call", "result", "left"),
    [
        ("x.fetch_add(2)", 10 * T, 10 * T + 2),
        ("x.fetch_sub(2)", 10 * T, 10 * T - 2),
        ("x.fetch_and(12, cuda::memory_order_relaxed)", 10 * T, 10 * T & 12),
        ("x.fetch_or(12)", 10 * T, 10 * T | 12),
        ("x.fetch_xor(12, cuda::std::memory_order_acq_rel)", 10 * T, 10 * T ^ 12),
        ("x.exchange(5)", 10 * T, T * 0 + 5),
        ("x.load(cuda::memory_order::acquire)", 10 * T, 10 * T),
        ("x = 7", T * 0 + 7, T * 0 + 7),
        ("x += 7", 10 * T + 7, 10 * T + 7),
        ("x++", 10 * T, 10 * T + 1),
        ("--x", 10 * T - 1, 10 * T - 1),
        ("x * 2", 20 * T, 10 * T),
        ("-x", -10 * T, 10 * T),
        ("x == 30 ? 1 : 0", T == 3, 10 * T),
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        "cuda::atomic<int> *a) { int t = threadIdx.x; auto &x = a[t];",
        "int *a) { int t = threadIdx.x; cuda::atomic_ref<int, cuda::thread_scope_block> x(a[t]);",
        "int *a) { int t = threadIdx.x; auto &x = *(cuda::std::atomic<int> *)(a + t);",
    ],
)
def test_operations(name: str, call: str, result: Any, left: Any) -> None:
    found = trace(
        f"#include <cuda/atomic>\n__global__ void k(int *r, {name} r[t] = {call}; }}",
        {"a": (10 * T).astype(np.int32), "r": Unwritten("int32", (THREADS,))},
    )
    assert found.outputs["r"].tolist() == result.astype(int).tolist()
    assert found.outputs["a"].tolist() == left.tolist()
    assert {site.access for site in found.sites if found.arrays[site.array].name == "a"} == {"atomic"}
    assert found.hazards == ()


@pytest.mark.parametrize("kind", ["float", "unsigned long long", "short", "double"])
def test_many_threads_change_one(kind: str) -> None:
    dtype = {"float": "float32", "unsigned long long": "uint64", "short": "int16", "double": "float64"}[kind]
    source = f"""
    __global__ void k(cuda::atomic<{kind}> *a, {kind} *old) {{ old[threadIdx.x] = a->fetch_add(threadIdx.x); }}"""
    found = trace(source, {"a": np.array([100], dtype), "old": Unwritten(dtype, (THREADS,))})
    assert found.outputs["a"].tolist() == [100 + sum(range(THREADS))]
    assert found.outputs["old"].tolist() == [100 + sum(range(t)) for t in range(THREADS)]
    assert found.hazards == ()


def test_memory_spaces_of_atomic_objects() -> None:
    source = """
    typedef cuda::atomic<int> number;
    __device__ cuda::atomic<int, cuda::thread_scope_device> total{40};
    __device__ void add(cuda::atomic<int, cuda::thread_scope_block> &to, int x) { to += x; }
    __global__ void k(int *out) {
        __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        const number mine = threadIdx.x;
        number twice = 2 * mine;
        twice += mine.load();
        add(count, twice);
        total++;
        __syncthreads();
        out[threadIdx.x] = count.load() + total;
    }"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [3 * sum(range(THREADS)) + 40 + THREADS] * THREADS
    assert found.hazards == ()


PASS_ON = """
__global__ void k(int *data, cuda::atomic<int, cuda::thread_scope_{scope}> *flag, int *out) {{
    if (threadIdx.x == 0 && blockIdx.x == 0) {{
        *data = 42;
        flag->store(1, cuda::memory_order_{order});
    }} else if (threadIdx.x == 32) {{
        if (flag->load(cuda::memory_order_{read})) {{ {after} out[blockIdx.x] = *data; }}
    }}
}}"""


@pytest.mark.parametrize(
    ("order", "read", "after", "scope", "grid", "races"),
    [
        ("release", "acquire", "", "device", 2, 0),
        ("seq_cst", "seq_cst", "", "system", 2, 0),
        ("relaxed", "acquire", "", "device", 2, 1),
        ("release", "relaxed", "", "device", 2, 1),
        ("release", "relaxed", "__threadfence();", "device", 2, 0),
        ("release", "relaxed", "__threadfence_block();", "device", 2, 1),
        ("release", "acquire", "", "block", 1, 0),
        ("release", "acquire", "", "block", 2, 2),  # on the flag as on the data
    ],
)
def test_a_flag_hands_on_what_was_written_before_if_it_releases_and_acquires(
    order: str, read: str, after: str, scope: str, grid: int, races: int
) -> None:
    source = PASS_ON.format(order=order, read=read, after=after, scope=scope)
    given = {"data": np.zeros(1, np.int32), "flag": np.zeros(1, np.int32), "out": np.zeros(2, np.int32)}
    found = trace(source, given, grid=(grid,), block=(64,))
    assert [pair.kind for hazard in found.hazards for pair in hazard.pairs] == ["data-race"] * races


def test_plain_accesses_race_with_them() -> None:
    source = "__global__ void k(int *a) { cuda::atomic_ref<int> x(a[0]);\nif (threadIdx.x) x++;\nelse a[0] = 5; }"
    found = trace(source, {"a": np.zeros(1, np.int32)})
    assert [(hazard.kind, hazard.line) for hazard in found.hazards] == [("data-race", 3)]


@pytest.mark.parametrize(
    "body",
    [
        "cuda::atomic_ref<int> x(a[0]); x++;",
        "cuda::atomic_ref<int> x{a[0]}; x.fetch_add(1);",
        "auto x = cuda::atomic_ref<int>(*a); x.fetch_add(1);",
        "auto x = cuda::atomic_ref<int, cuda::thread_scope_device>{*a}; ++x;",
        "cuda::atomic_ref<int, cuda::thread_scope_device>(*a).fetch_add(1, cuda::memory_order_relaxed);",
        "cuda::atomic_ref<int>{a[0]}++;",
        "cuda::atomic_ref<int>(*a)++;",
        "using Shared = cuda::atomic_ref<int>; Shared(a[0]) += 1;",
    ],
)
def test_an_atomic_ref_without_a_name(body: str) -> None:
    found = trace("__global__ void k(int *a) { " + body + " }", {"a": np.zeros(2, np.int32)}, block=(64,))
    assert found.hazards == ()
    assert found.outputs["a"].tolist() == [64, 0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a->fetch_add();", "2:1: fetch_add takes 1 or 2 arguments, 0 are given"),
        ("*a *= 2;", "2:1: cuda::atomic<int> has no operator *="),
        ("a->wait(1);", "2:1: not supported: member function wait of cuda::atomic<int>"),
        ("a->fetch_max(1);", "2:1: not supported: member function fetch_max of cuda::atomic<int>"),
        (
            "int e = 0; a->compare_exchange_weak(e, 1);",
            "2:12: not supported: member function compare_exchange_weak of cuda::atomic<int>",
        ),
        (
            "cuda::atomic_thread_fence(cuda::memory_order_acquire);",
            "not supported: function 'atomic_thread_fence'",
        ),
        (
            "int v = 0; cuda::atomic_ref<int> r(v);",
            "2:34: atomic_ref<int> needs an element of an array of int",
        ),
        ("cuda::atomic<float4> v;", "2:1: not supported: type 'cuda::atomic<float4>'; write atomic<int"),
        ("atomicAdd(a, 1);", "2:1: atomicAdd does not take cuda::atomic<int>"),
    ],
)
def test_refusals(line: str, message: str) -> None:
    with pytest.raises(SourceError, match=re.escape(message)):
        trace(f"__global__ void k(cuda::atomic<int> *a) {{\n{line} }}", {"a": np.zeros(1, np.int32)})


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(cuda::atomic<int> *a) { a->store(1); }", "test.cu")
    with pytest.raises(SourceError, match=r"1:19: cuda::atomic<int> \* 'a' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(8)), {"a": np.zeros(1, np.int32)})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("V v = 2; v = t + 1; r = v.x;", [t + 1 for t in range(8)]),
        ("V v(1); v = twice(t); r = v.x;", [2 * t for t in range(8)]),
        ("r = (twice(t) + 3).x;", [2 * t + 3 for t in range(8)]),
    ],
)
def test_a_constructor_makes_a_struct_of_what_is_assigned_or_returned(body: str, expected: list[int]) -> None:
    before = """
    struct V {
        int x;
        __device__ V(int x) : x(x) {}
        __device__ V operator+(const V &v) const { return x + v.x; }
    };
    __device__ V twice(int x) { return 2 * x; }"""
    assert lanes(body, before=before) == expected


def test_arguments_that_no_constructor_takes_are_refused() -> None:
    before = "struct W {}; struct V { int x; __device__ V(int x) : x(x) {} };"
    with pytest.raises(SourceError, match="W cannot become V"):
        lanes("V v(1); W w; v = w;", before=before)


def test_of_templates_the_one_that_says_more_of_an_argument_is_meant() -> None:
    before = """
    template <class T> struct V {
        T x;
        __device__ V(T x) : x(x) {}
        __device__ V operator-() const { return V(-x); }
    };
    template <class T, class U> __device__ V<T> operator-(const V<T> &a, const V<U> &b) { return {a.x - b.x}; }
    template <class T, class U> __device__ V<T> operator-(const V<T> &a, const U b) { return {a.x - b * 10}; }"""
    body = "V<int> a(t), b(2); const V<int> c(3); r = (a - b).x * 100 + (a - 1).x + (-(a - c)).x;"
    assert lanes(body, before=before) == [(t - 2) * 100 + (t - 10) - (t - 3) for t in range(8)]
