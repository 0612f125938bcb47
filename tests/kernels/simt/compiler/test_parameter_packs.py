"""Templates with parameter packs."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import lanes


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            """template <typename T> __device__ T sum(T x) { return x; }
            template <typename T, typename... Rest> __device__ T sum(T x, Rest... rest) { return x + sum(rest...); }
            template <typename... T> __device__ int count(T &&...all) { return sizeof...(T) + 10 * sizeof...(all); }
            template <typename T, typename... Rest> __device__ T last(T x, const Rest &...rest) {
                if constexpr (sizeof...(rest) > 0) return last(rest...); else return x;
            }""",
            "r = sum(t, 1, 2, 3) + 100 * count() + 100 * count(1, t, 2.f) + 10000 * last(1, 2, t);",
            [t + 6 + 3300 + 10000 * t for t in range(8)],
            id="recursion",
        ),
        pytest.param(
            """template <typename... T> __device__ int left(T... x) { return (... - x); }
            template <typename... T> __device__ int right(T... x) { return (x - ...); }
            template <typename... T> __device__ int from(T... x) { return (100 - ... - (2 * x)); }
            template <typename... T> __device__ bool all(T... x) { return (... && (x > 0)); }
            template <typename... T> __device__ void add(int &to, T... x) { ((to += x), ...); }""",
            "r = left(t, 1, 2) + 10 * right(t, 1, 2) + from(1, t) + 1000 * all(1, t) + 10000 * all(); add(r, 5, t);",
            [t - 3 + 10 * (t + 1) + 98 - 2 * t + 1000 * (t > 0) + 10000 + 5 + t for t in range(8)],
            id="folds",
        ),
        pytest.param(
            """template <int... N> struct Sizes { static constexpr int count = sizeof...(N), all = (N + ... + 0); };
            template <int N, int... Rest> struct Product { static constexpr int is = N * Product<Rest...>::is; };
            template <int N> struct Product<N> { static constexpr int is = N; };
            template <typename... T> struct List {};
            template <typename L> struct Bytes;
            template <typename... T> struct Bytes<List<T...>> { static constexpr int are = (sizeof(T) + ... + 0); };
            template <typename... T> __device__ int several(List<T...>) { return sizeof...(T); }""",
            "r = Sizes<1, 2, 3>::count + Sizes<>::all + 10 * Sizes<4, 5>::all + 1000 * Product<2, 3, 4>::is"
            " + 100000 * Bytes<List<int, double>>::are + several(List<int, float>());",
            [3 + 90 + 24000 + 1200000 + 2] * 8,
            id="of structs",
        ),
        pytest.param(
            """template <typename F, typename... A> __device__ auto call(F f, A &&...a) { return f(a...); }
            struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
            template <typename F, typename... A> __device__ void each(F &&f, A... a) { int all[] = {(f(a), 0)...}; }
            template <typename T, typename... A> __device__ T made(A... a) { return T{a * 2 ...}; }
            struct P { int x, y; };""",
            "each([&](int x) { r += x; }, t, 10, 20); r += call(Add(), t, 2) + call([](auto x) { return x; }, 5);"
            " P p = made<P>(t, 3); r += 100 * p.x + p.y;",
            [t + 30 + t + 2 + 5 + 200 * t + 6 for t in range(8)],
            id="handed on",
        ),
    ],
)
def test_packs(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return f(x);", "a parameter pack that is not expanded: write ... after it"),
        ("return f(1 ...);", "... after a pattern that names no parameter pack"),
        ("return (x + ...);", "a fold with [+] over no elements has no value"),
        ("return f((x + y)...);", "parameter packs of 0 and 1 elements in one expansion"),
    ],
)
def test_packs_that_are_refused(body: str, message: str) -> None:
    before = f"""__device__ int f(int x) {{ return x; }}
    template <typename A, typename... T> struct G {{
        template <typename... U> __device__ static int of(A, T... x, U... y) {{ {body} }}
    }};"""
    with pytest.raises(SourceError, match=message):
        lanes("r = G<int>::of(1, 2);", before=before)


def test_a_kernel_with_a_pack_takes_its_parameters_from_the_command_line() -> None:
    source = "template <typename... T> __global__ void k(int *out, T... x) { out[threadIdx.x] = (x + ... + 0); }"
    found = run(parse(source, "k.cu"), Launch(Dim3(1), Dim3(8), 0), {"out": Unwritten("int32", (8,))}, template={})
    assert found.outputs["out"].tolist() == np.zeros(8, np.int32).tolist()


def test_packs_of_values_and_of_types_together() -> None:
    before = """
    template <typename T, unsigned... Dims> class View {
        T *data;
        template <unsigned First, unsigned... Rest> __device__ static constexpr unsigned product() {
            if constexpr (sizeof...(Rest) > 0) { return First * product<Rest...>(); } else { return First; }
        }
        template <int N, unsigned First, unsigned... Rest, typename... Indices>
        __device__ unsigned place(unsigned first, Indices... rest) const {
            if constexpr (N > 0) { return first * product<Rest...>() + place<N - 1, Rest...>(rest...); }
            else { return first; }
        }
    public:
        __device__ View(T *data) : data(data) {}
        template <typename... Indices> __device__ T &operator()(Indices... indices) {
            static_assert(sizeof...(Indices) == sizeof...(Dims) && "one index for each dimension");
            return data[place<sizeof...(Dims) - 1, Dims...>(indices...)];
        }
    };"""
    body = """
    int all[8]; View<int, 2, 4> two(all); View<int, 2, 2, 2> three(all);
    for (int i = 0; i < 2; ++i) for (int j = 0; j < 4; ++j) two(i, j) = 4 * i + j;
    r = three(t / 4, t / 2 % 2, t % 2) + 10 * two(1, 3);"""
    assert lanes(body, before=before) == [70 + t for t in range(8)]
