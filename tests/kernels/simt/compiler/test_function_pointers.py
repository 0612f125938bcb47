"""Functions as values: pointers to them, as arguments of templates, and structs that can be called."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import InputError, SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, lanes, trace

BEFORE = """
typedef int (*op_t)(int, int);
using unary_t = int (*)(int);
typedef int plain_t(int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int inc(int x) { return x + 1; }
__device__ op_t table[2] = {add, &mul};
__constant__ op_t chosen = mul;
struct Step { op_t how; int by; };
struct Less { int by; __device__ int operator()(int x) const { return x - by; } };
template <unary_t f> __device__ int twice(int x) { return f(f(x)); }
template <int (*f)(int, int), int n = 3> __device__ int fold(int x) {
    for (int i = 0; i < n; ++i) x = f(x, 2);
    return x;
}
template <typename F> __device__ int apply(F f, int x) { return f(x); }
template <typename T, typename R> __device__ R through(R (*f)(T), T x) { return f(x); }
template <typename T> __device__ T neg(T x) { return -x; }
template <class Op> __device__ int with(int x) { Op op{2}; return op(x); }
__device__ op_t pick(int i) { if (i) return mul; return add; }
__device__ int use(plain_t *f, int x) { return f(x) + (*f)(x); }
__device__ int over(int x) { return x; }
__device__ float over(float x) { return x; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("op_t f = add; r = f(t, 2);", lambda t: t + 2),
        ("int (*f)(int, int) = &mul; r = (*f)(t, 2);", lambda t: 2 * t),
        ("int (*const f)(int, int) = mul; r = (**f)(t, 2);", lambda t: 2 * t),
        ("auto f = add; r = f(t, 2);", lambda t: t + 2),
        ("op_t f = t % 2 ? add : mul; r = f(t, 3);", lambda t: t + 3 if t % 2 else 3 * t),
        ("op_t f; if (t > 4) f = add; else f = mul; r = f(t, 3);", lambda t: t + 3 if t > 4 else 3 * t),
        ("op_t f = t > 4 ? mul : nullptr; if (f) r = f(t, t); else r = -1;", lambda t: t * t if t > 4 else -1),
        ("op_t f[] = {mul, add, mul}; r = f[t % 3](t, 5);", lambda t: t + 5 if t % 3 == 1 else 5 * t),
        ("r = table[t & 1](t, 4) + chosen(t, t);", lambda t: (4 * t if t & 1 else t + 4) + t * t),
        ("Step s = {t & 1 ? mul : add, 7}; r = s.how(t, s.by);", lambda t: 7 * t if t & 1 else t + 7),
        ("Step s[2] = {{add, 1}, {mul, 2}}; Step *p = s; r = p[1].how(t, p->by);", lambda t: t),
        ("r = pick(t & 1)(t, 2);", lambda t: 2 * t if t & 1 else t + 2),
        ("r = twice<inc>(t) + fold<mul>(t) + fold<add, 1>(t);", lambda t: t + 2 + 8 * t + t + 2),
        ("r = apply(inc, t) + apply(Less{3}, t) + apply(&inc, t);", lambda t: t + 1 + t - 3 + t + 1),
        ("r = through(neg<int>, t) + (int)through<int>(inc, t);", lambda t: 1),
        ("unary_t f = neg; r = f(t);", lambda t: -t),
        ("r = with<Less>(t) + Less{1}(t) + Less{t}(t);", lambda t: t - 2 + t - 1),
        ("r = use(inc, t);", lambda t: 2 * t + 2),
        ("int (*f)(int) = over; r = f(t);", lambda t: t),
        ("op_t f = pick(t); r = (f == add) + 2 * (f != mul) + 4 * (f == nullptr);", lambda t: 0 if t else 3),
        ("void *p = (void *)mul; op_t f = (op_t)p; r = f(t, 3);", lambda t: 3 * t),
        ("op_t *p = table; r = p[1](t, 3) + (*p)(t, 3);", lambda t: 3 * t + t + 3),
        ("r = sizeof(op_t) + sizeof(Step);", lambda _: 24),
    ],
)
def test_calls(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body, before=BEFORE) == [expected(t) for t in range(THREADS)]


def test_each_function_of_a_choice_runs_for_its_lanes_and_may_wait_at_a_barrier() -> None:
    source = """
    typedef void (*phase_t)(int *, int &);
    __shared__ int s[8];
    __device__ void turn(int *out, int &n) {
        s[threadIdx.x] = n; __syncthreads(); n = s[7 - threadIdx.x]; __syncthreads();
    }
    __device__ void keep(int *out, int &n) { out[threadIdx.x] = n; n += 100; }
    __global__ void k(int *out, int rounds) {
        phase_t phases[2] = {turn, keep};
        int n = threadIdx.x;
        for (int i = 0; i < rounds; ++i) phases[i % 2](out, n);
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,)), "rounds": 4})
    assert found.outputs["out"].tolist() == [t + 100 for t in range(8)]
    assert found.hazards == ()


def test_arguments_are_evaluated_once() -> None:
    assert lanes(
        "int i = 0; op_t f = t & 1 ? add : mul; int a[2] = {t, 9}; r = f(a[i++], 2) + 10 * i;", before=BEFORE
    ) == [(t + 2 if t & 1 else 2 * t) + 10 for t in range(THREADS)]


def test_a_kernel_takes_functions_by_name() -> None:
    source = """
    __device__ int add(int a, int b) { return a + b; }
    struct Rule { int (*f)(int, int); int by; };
    __global__ void k(int *out, int (*f)(int, int), Rule r) { out[threadIdx.x] = f(1, 2) + r.f(threadIdx.x, r.by); }"""
    out = Unwritten("int32", (8,))
    found = trace(source, {"out": out, "f": "add", "r.f": "add", "r.by": 5})
    assert found.outputs["out"].tolist() == [8 + t for t in range(8)]
    assert dict(found.scalars) == {"r.by": 5}
    for wrong, reason in (("sub", "there is no function 'sub'"), (7, "give its name")):
        with pytest.raises(InputError, match=reason):
            trace(source, {"out": out, "f": wrong, "r.f": "add", "r.by": 5})


def test_functions_of_cuda_have_addresses() -> None:
    source = """
    typedef float (*op)(float);
    __device__ op table[2] = {sqrtf, fabs};
    template <typename F> __device__ float fold(F f, float a, float b) { return f(a, b); }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        double (*root)(double) = sqrt;
        op f = t % 2 ? table[0] : table[1];
        out[t] = fold(fmaxf, 3, 1) + f(4.0f) + root(9.0) + sqrtf(1.0f);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [3 + (2 if t % 2 else 4) + 3 + 1 for t in range(8)]


def test_a_pointer_that_was_never_set() -> None:
    source = """
    __device__ int add(int a, int b) { return a + b; }
    __global__ void k(int *out) {
        int (*f)(int, int) = threadIdx.x < 5 ? add : nullptr;
        out[threadIdx.x] = f(1, 2);
    }"""
    (hazard,) = trace(source, {"out": np.zeros(8, np.int32)}).hazards
    assert (hazard.kind, hazard.count, hazard.line) == ("out-of-bounds", 3, 5)
    assert "points to no function" in hazard.message


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("auto f = over;", "'over' can be several functions"),
        ("op_t f = inc;", "no function 'inc' has the type int"),
        ("op_t f = sinf;", "no function 'sinf' has the type int"),
        ("op_t f = sincosf;", "unknown name 'sincosf'"),
        ("op_t f = add; r = f(1);", "takes 2 arguments, 1 are given"),
        ("op_t f = 5;", "int cannot become int"),
        ("op_t f = add; r = f + 1;", "int cannot become int"),
        ("r = t(1);", "int has no member function"),
        ("r = fold<t>(1);", "a template argument is a type, a function, or a constant"),
        ("r = fold<3>(1);", "no function 'fold' takes"),
        ("op_t f = k;", "no function 'k' has the type"),
    ],
)
def test_refused(body: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        lanes(body, before=BEFORE)
    assert caught.value.line > 1
