"""Loops, conditions and small words of C++ in other people's kernels, told in our words."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[3] = {1, 2, t}; for (int x : a) r += x; for (auto &x : a) x *= 2; r += 100 * a[1];", 403),
        ("for (int x : {1, 2, 3}) { if (x == 2) continue; r += x + t; }", 4),
        ("struct P { int v[2]; } p = {{t, 5}}; for (const auto &x : p.v) r += x;", 5),
        ("float a[2][2] = {{1, 2}, {3, t}}; for (auto &row : a) for (float x : row) { if (x > 2) break; r += x; }", 3),
    ],
)
def test_a_loop_over_an_array(body: str, expected: int) -> None:
    found = lanes(body)
    assert found[0] == expected


def test_a_loop_over_what_a_struct_gives() -> None:
    before = """
    struct At {
        int i, step;
        __device__ int operator*() const { return i; }
        __device__ At &operator++() { i += step; return *this; }
        __device__ bool operator!=(const At &other) const { return i < other.i; }
    };
    struct Every {
        int from, to, step;
        __device__ At begin() const { return {from, step}; }
        __device__ At end() const { return {to, step}; }
    };
    __device__ Every every(int to, int step) { return {0, to, step}; }
    """
    body = "Every two{t, 8, 2}; for (auto i : two) r += i; for (int i : every(9, 4)) r += 100 * i;"
    assert lanes(body, before=before) == [1200 + sum(range(t, 8, 2)) for t in range(8)]


def test_a_loop_over_a_pointer() -> None:
    with pytest.raises(SourceError, match=r"5:1: .*for over int \*; use for \(int i = 0"):
        lanes("int a[2] = {}, *p = a;\nfor (int x : p) r += x;")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (int x = t / 4) r = x; else r = -1;", lambda t: t // 4 or -1),
        (
            "if (t < 2) r = 9; else if (int x = t - 3; x > 1) r = x; else r = -x;",
            lambda t: 9 if t < 2 else t - 3 if t > 4 else 3 - t,
        ),
        (
            "int n = t; while (int x = n--) { if (x == 3) continue; r += x; }",
            lambda t: sum(x for x in range(1, t + 1) if x != 3),
        ),
        ("if (r = 5; t > 3) r += t;", lambda t: 5 + t * (t > 3)),
    ],
)
def test_names_that_a_condition_declares(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body) == [expected(t) for t in range(8)]


def test_what_the_compiler_may_take_for_granted() -> None:
    body = """
    __builtin_assume(t >= 0); __assume(t < 8);
    if (__builtin_expect(t > 7, 0)) __builtin_unreachable();
    int *same = (int *)__builtin_assume_aligned(&r, 4);
    *same = __builtin_popcount(t) + __builtin_clz(1);"""
    assert lanes(body) == [31 + t.bit_count() for t in range(8)]


def test_what_was_taken_for_granted_and_does_not_hold() -> None:
    source = "__global__ void k(int *out) { __builtin_assume(threadIdx.x != 3); out[threadIdx.x] = 1; }"
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert (hazard.kind, hazard.count) == ("assertion", 1)
    assert hazard.message.startswith("__builtin_assume(threadIdx.x != 3) does not hold")


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", "decltype(t) x = t; decltype(x * 1.5f) y = x; r = sizeof(y) + y / 2 * 2;", [4 + t for t in range(8)]),
        (
            "__device__ int f(int x) { decltype(x) y = -x; return y; }",
            "decltype(threadIdx.x) u = -1; decltype(warpSize / 2) w = -1; r = f(t) + (u > 0) * 10 + (w > 0) * 100;",
            [10 - t for t in range(8)],
        ),
        (
            "",
            "short s[2] = {3, 4}; typeof(s[0] + 0l) x = s[t & 1]; decltype(&s[1]) p = s; r = x * sizeof x + *p;",
            [27, 35] * 4,
        ),
        (
            "template <class A, class B> __device__ auto add(A a, B b) -> decltype(a + b) { return a + b; }",
            "r = add(t, 0.5f) * 2;",
            [2 * t + 1 for t in range(8)],
        ),
        (
            "struct V { float x; __device__ float operator[](int i) const { return x * i; } };",
            "V v{1.5f}; decltype(v[2]) y = v[3] + t; r = y * 2;",
            [9 + 2 * t for t in range(8)],
        ),
    ],
)
def test_the_type_of_an_expression(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_a_type_that_the_text_does_not_tell() -> None:
    same = "template <class T> __device__ T same"
    before = f"{same}(T x) {{ return x; }}\n{same}(T *x) {{ return *x; }}"
    with pytest.raises(SourceError, match=r"decltype\(same\(t\)\); write the type, or auto"):
        lanes("decltype(same(t)) x = 1; r = x;", before=before)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("", 'const char s[] = "ab\\n"; r = s[t % 4] + 1000 * sizeof(s);', [4000 + c for c in b"ab\n\0"] * 2),
        (
            '__constant__ char word[6] = "hey"; __device__ const char other[] = "x" "y";',
            "r = word[t % 4] + other[1];",
            [ord("y") + c for c in b"hey\0"] * 2,
        ),
        ("", 'printf(R"(a "b" %d\\n)", t); r = 1;', [1] * 8),
    ],
)
def test_texts(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


def test_texts_that_pointers_find() -> None:
    source = """
    __constant__ char days[2][4] = {"mon", "tue"};
    __device__ void say(const char *who, int n) { printf("%s:%d %5s;", who, n, n < 2 ? "few" : "many"); }
    __device__ int length(const char *s) { int n = 0; while (s[n]) ++n; return n; }
    __global__ void k(int *out) {
        int t = threadIdx.x;
        const char *name = t == 1 ? "one" : "other";
        if (t & 1) say(name, t); else say("even", t);
        const char *rest[] = {"wed", "sun"};
        printf("%s|", t < 2 ? days[t] : rest[1]);
        out[t] = length(name) + name[0];
    }"""
    found = trace(source, {"out": Unwritten("int32", (4,))}, block=(4,))
    assert found.outputs["out"].tolist() == [5 + ord("o"), 3 + ord("o"), 5 + ord("o"), 5 + ord("o")]
    assert found.hazards == ()
    assert "".join(found.printf) == "one:1   few;other:3  many;even:0   few;even:2  many;mon|tue|sun|sun|"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('const char s[] = "ab"; printf("%s", s);', "%s of local memory; print its characters with %c"),
        ("char *s = (char *)\"ab\"; s[0] = 'c';", "const|read"),
    ],
)
def test_texts_that_are_not_there(body: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        lanes(body)


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
def test_variables_of_a_lambdas_own(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body) == [expected(t) for t in range(8)]


def test_a_barrier_that_is_named_and_not_called_does_nothing() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        s[threadIdx.x] = threadIdx.x;
        __syncthreads;
        out[threadIdx.x] = s[7 - threadIdx.x];
    }"""
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert hazard.kind == "data-race"


def test_what_orders_grids_does_nothing_in_one() -> None:
    body = "cudaGridDependencySynchronize(); r = t; cudaTriggerProgrammaticLaunchCompletion();"
    assert lanes(body) == list(range(8))


def test_a_for_goes_over_what_a_function_returns() -> None:
    source = """
    template <typename T> struct At {
        T value, step;
        __device__ T operator*() const { return value; }
        __device__ At &operator++() { value += step; return *this; }
        __device__ bool operator!=(const At &end) const { return value < end.value; }
    };
    template <typename T> struct Range {
        T first, last, step;
        __device__ At<T> begin() const { return {first, step}; }
        __device__ At<T> end() const { return {last, step}; }
    };
    template <typename T> __device__ Range<T> strided(T n) { return {T(threadIdx.x), n, T(blockDim.x)}; }
    __global__ void k(int *out, int n) {
        for (auto i : strided<unsigned>(n)) out[i] = i;
        for (auto i : strided(n)) out[i] *= 2;
        auto all = strided(n);
        for (int i : all) out[i] += 1;
    }"""
    found = trace(source, {"out": Unwritten("int32", (20,)), "n": 20})
    assert found.outputs["out"].tolist() == [2 * i + 1 for i in range(20)]
    assert found.hazards == ()
