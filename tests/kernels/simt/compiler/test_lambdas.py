"""Lambdas: captures, init captures, barriers and races inside, as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.analysis import variables
from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.frontend.unparse.program import write
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE = """
template <typename F> __device__ int apply(F f, int x) { return f(x) + f(1); }
template <typename F> __device__ void each(int n, const F &f) { for (int i = 0; i < n; ++i) f(i); }
struct Scale { int by; __device__ int all(int x) { auto f = [this](int y) { return y * by; }; return f(x) + f(1); } };
__device__ int outer(int x) { auto twice = [](int y) { return 2 * y; }; return twice(x) + 1; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int n = 10; auto at = [&n](int y, int x) { return y * n + x; }; r = at(2, t);", lambda t: 20 + t),
        ("auto next = [](int a, int end) { return a < end - 1 ? a + 1 : 0; }; r = next(t, 8);", lambda t: (t + 1) % 8),
        ("int n = t; auto f = [=](int x) { return x + n; }; n = 50; r = f(1);", lambda t: t + 1),
        ("int n = t; auto f = [n](int x) mutable { n += x; return n; }; r = f(1) + 10 * n;", lambda t: t + 1 + 10 * t),
        ("int n = t; auto f = [&](int x) { n += x; }; f(1); f(2); r = n;", lambda t: t + 3),
        ("int a[2] = {1, t}; auto f = [&](int i) { a[i] += 1; return a[i]; }; r = f(1) + a[1];", lambda t: 2 * t + 2),
        ("each(4, [&](int i) { if (i > t) return; r += i; });", lambda t: sum(i for i in range(4) if i <= t)),
        ("if (t > 3) each(2, [&](auto i) { r += i + 10; }); else r = -1;", lambda t: 21 if t > 3 else -1),
        ("r = apply([t](int x) -> int { if (t > 4) return x * t; return x; }, 3);", lambda t: 4 * t if t > 4 else 4),
        ("r = [&]() { return t * 2; }();", lambda t: 2 * t),
        ("auto f = [&](auto x) { return x / 2; }; r = f(t) + (int)(f(3.0f) * 2);", lambda t: t // 2 + 3),
        ("auto f = [&](int x) { return x + 1; }; auto g = [&](int x) { return f(f(x)); }; r = g(t);", lambda t: t + 2),
        ("Scale s{t}; r = s.all(3);", lambda t: 4 * t),
        ("r = outer(t) + outer(1);", lambda t: 2 * t + 4),
        ("for (int i = 0; i < 3; ++i) { auto f = [i](int x) { return x * i; }; r += f(t); }", lambda t: 3 * t),
        ("double d = t; auto f = [=] { return d + 0.5; }; r = (int)(2 * f());", lambda t: 2 * t + 1),
    ],
)
def test_lambdas(body: str, expected: Callable[[int], int]) -> None:
    assert lanes(body, before=BEFORE) == [expected(t) for t in range(THREADS)]


def test_a_lambda_may_wait_at_a_barrier_and_its_steps_are_told() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        int t = threadIdx.x, mine = t;
        auto turn = [&](int by) {
            s[t] = mine * by;
            __syncthreads();
            mine = s[7 - t];
            __syncthreads();
        };
        turn(2);
        turn(10);
        out[t] = mine;
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [20 * t for t in range(8)]
    assert found.hazards == ()
    values = [{v.name: v.value for v in variables(found, step, 1)} for step in range(found.steps)]
    assert values[-1]["mine"] == 20


def test_a_race_inside_of_a_lambda_is_found() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        auto put = [&](int x) { s[threadIdx.x] = x; };
        put(threadIdx.x);
        out[threadIdx.x] = s[7 - threadIdx.x];
    }"""
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert (hazard.kind, {access.line for access in hazard.accesses}) == ("data-race", {4, 6})


def test_they_are_written_as_they_were_read() -> None:
    text = "__device__ int f(int n) { auto g = [=](int x) mutable -> int { n += x; return n; }; return g(1); }"
    assert "auto g = [=](int x) mutable -> int { n += x; return n; };" in write(parse(text, "k.cu"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("int n = 3; auto f = [&m = n]() { return m; };", "this capture of a lambda; declare a variable"),
        ("int a[2] = {1, 2}; auto f = [=] { return a[0]; };", "copy of the array 'a' in a lambda"),
        ("auto f = [](int x) { return x; }; r = f();", "this lambda takes 1 arguments, 0 are given"),
        ("int n = 1; auto f = [=] { n = 2; };", "const"),
        ("auto f = [](int... x) { };", "parameter '...'"),
    ],
)
def test_refused(body: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        lanes(f"{body} r = f();" if "f()" not in body and "= 2" in body else body, before=BEFORE)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int n = t; auto f = [n = n + 1](int x) { return n * x; }; n = 100; r = f(2);", lambda t: 2 * t + 2),
        ("auto f = [i = 0, step = t]() mutable { i += step; return i; }; f(); f(); r = f();", lambda t: 3 * t),
        (
            "int a[2] = {t, 5}; auto f = [&, p = a, t = 3] { return p[1] + a[0] + t; }; a[1] = 6; r = f();",
            lambda t: 6 + t + 3,
        ),
    ],
)
def test_init_captures(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body) == [expected(t) for t in range(8)]
