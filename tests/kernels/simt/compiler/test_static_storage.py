"""Variables with static storage: `static` and `__device__` variables inside of functions."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace


@pytest.mark.parametrize(
    ("declaration", "first"),
    [
        ("static int n;", 0),
        ("static int n = 5;", 5),
        ("static auto n = 5;", 5),
        ("static __device__ int n;", 0),
        ("__device__ static int n = 7;", 7),
    ],
)
def test_all_threads_share_a_static_variable(declaration: str, first: int) -> None:
    source = f"""
    __device__ int next() {{ {declaration} return atomicAdd(&n, 1); }}
    __global__ void k(int *out) {{ out[threadIdx.x] = next(); }}"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [first + t for t in range(THREADS)]
    assert found.outputs["next_n"].tolist() == [first + THREADS]


def test_each_instance_of_a_template_has_a_static_variable_of_its_own() -> None:
    source = """
    __device__ int n = 100;
    template <int N> __device__ int next() { static int n = N; return atomicAdd(&n, N); }
    struct Counter { __device__ int next() { static int n; return atomicAdd(&n, 1); } };
    __global__ void k(int *out) {
        Counter c;
        int one = next<1>(), two = next<2>();
        auto lambda = [] { static int n = 50; return atomicAdd(&n, 0); };
        out[threadIdx.x] = one * 1000000 + two * 10000 + c.next() * 1000 + lambda() + n;
    }"""
    found = trace(source, {"out": Unwritten("int32", (3,))}, block=(3,))
    assert found.outputs["out"].tolist() == [(1 + t) * 1000000 + (2 + 2 * t) * 10000 + t * 1000 + 150 for t in range(3)]


def test_a_struct_keeps_static_variables_of_the_device() -> None:
    source = """
    struct S { static __device__ int n; static inline __device__ int m = 3; static __constant__ float w[2]; };
    __device__ int S::n = 5;
    __constant__ float S::w[2] = {1, 2};
    __global__ void k(int *out) { S s; out[threadIdx.x] = atomicAdd(&S::n, 1) + s.m + S::w[1]; }"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [10 + t for t in range(THREADS)]


def test_a_table_in_constant_memory_may_stand_in_the_kernel() -> None:
    source = """
    __global__ void k(int *out) {
        static __constant__ int table[] = {3, 1, 4};
        static __shared__ int shared[8];
        __shared__ static int other[8];
        shared[threadIdx.x] = other[threadIdx.x] = table[threadIdx.x % 3];
        out[threadIdx.x] = shared[threadIdx.x] + other[threadIdx.x];
    }"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [2 * [3, 1, 4][t % 3] for t in range(THREADS)]
    assert {a.name: a.space for a in found.arrays}["k_table"] == "constant"


@pytest.mark.parametrize("words", ["__constant__ int", "__device__ int", "constexpr int", "const int"])
def test_constexpr_functions_with_loops_and_recursion_fill_an_array(words: str) -> None:
    source = f"""
    constexpr int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}
    constexpr int sum(int n) {{ int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }}
    {words} table[2][2] = {{{{fib(6), fib(7)}}, {{sum(10), sum(20)}}}};
    __global__ void k(int *out) {{ out[threadIdx.x] = table[threadIdx.x / 2 % 2][threadIdx.x % 2]; }}"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist()[:4] == [8, 13, 55, 210]


@pytest.mark.parametrize("table", ["constexpr int table", "struct S { static constexpr int table"])
def test_assignments_inside_expressions_of_a_constexpr_function_fill_an_array(table: str) -> None:
    member, end = ("S::table", "};") if "struct" in table else ("table", "")
    source = f"""
    constexpr int power(int n) {{ int r = 1; while (n-- > 0) r *= 2; return r; }}
    constexpr int mixed(int n) {{ int a = 0, b = n, c; c = a = b++; return 100 * c + 10 * ++a + b; }}
    {table}[4] = {{power(0), power(5), mixed(2), mixed(3)}}; {end}
    __global__ void k(int *out) {{ out[threadIdx.x] = {member}[threadIdx.x % 4]; }}"""
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist()[:4] == [1, 32, 233, 344]


_MAKE = """struct Table { int v[8]; };
constexpr Table make() { Table t{}; for (int i = 0; i < 8; ++i) t.v[i] = i * i; return t; }
"""


@pytest.mark.parametrize("words", ["__constant__ Table", "constexpr Table", "const Table"])
def test_a_struct_that_a_constexpr_function_returns_is_refused_by_name(words: str) -> None:
    call = len(f"{words} T = m")
    source = f"{_MAKE}{words} T = make();\n__global__ void k(int *out) {{ out[threadIdx.x] = T.v[threadIdx.x]; }}"
    with pytest.raises(SourceError) as caught:
        trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert caught.value.reason == (
        f"'T' was left out: test.cu:3:{call}: the value of 'T' is not known before the launch: make returns Table, "
        "and only functions that return numbers are computed before the launch; declare 'T' in the kernel, or as "
        "__constant__ with its values in braces"
    )


@pytest.mark.parametrize(
    ("before", "inside"),
    [("", "constexpr Table T = make();"), ("__constant__ Table T = {{0, 1, 4, 9, 16, 25, 36, 49}};", "")],
)
def test_the_advised_declarations_of_such_a_table_work(before: str, inside: str) -> None:
    source = f"{_MAKE}{before} __global__ void k(int *out) {{ {inside} out[threadIdx.x] = T.v[threadIdx.x]; }}"
    found = trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert found.outputs["out"].tolist() == [n * n for n in range(THREADS)]


def test_threads_that_write_a_static_variable_race() -> None:
    source = "__global__ void k(int *out) { static int n; n = threadIdx.x; out[threadIdx.x] = 0; }"
    (hazard,) = trace(source, {"out": Unwritten("int32", (THREADS,))}).hazards
    assert (hazard.kind, hazard.array) == ("data-race", "k_n")


@pytest.mark.parametrize(
    ("source", "place", "reason"),
    [
        (
            "__global__ void k(int *out) { static int n = threadIdx.x; out[0] = n; }",
            (1, 68),
            "'k_n' was left out: test.cu:1:46: the value of 'k_n' is not known before the launch",
        ),
        (
            "struct S;\n__global__ void k(int *out) { __shared__ S s[4]; }",
            (2, 44),
            "S is declared and not defined: define it in this file",
        ),
        (
            "struct S;\n__global__ void k(int *out) { S s[4]; }",
            (2, 33),
            "S is declared and not defined: define it in this file",
        ),
        (
            "struct S;\n__global__ void k(S *out) { }",
            (2, 19),
            "S is declared and not defined: define it in this file",
        ),
    ],
)
def test_declarations_without_a_value_or_size_are_refused(source: str, place: tuple[int, int], reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        trace(source, {"out": Unwritten("int32", (THREADS,))})
    assert (caught.value.line, caught.value.column, caught.value.reason) == (*place, reason)


def test_a_static_variable_that_another_kernel_has_no_value_for_is_no_trouble() -> None:
    source = """
    __device__ int other() { static int n = threadIdx.x; return n; }
    __global__ void k(int *out) { out[threadIdx.x] = 1; }"""
    assert trace(source, {"out": Unwritten("int32", (THREADS,))}).hazards == ()
