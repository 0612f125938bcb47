"""Type traits, iterators, pairs and arrays of the standard headers."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Argument, Unwritten
from tests.cases import Cases
from tests.kernels.simt.programs import lanes, trace

CASES = Cases(__file__)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        pytest.param(
            """template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
            __device__ int sort(T) { return 1; }
            template <typename T, std::enable_if_t<std::is_floating_point_v<T>, bool> = true>
            __device__ int sort(T) { return 2; }
            template <typename T, typename std::enable_if<!std::is_same<float, T>::value>::type * = nullptr>
            __device__ int other(T) { return 7; }
            template <typename T, typename std::enable_if<std::is_same<float, T>::value>::type * = nullptr>
            __device__ int other(T) { return 8; }
            template <typename T> __device__ std::enable_if_t<(sizeof(T) > 4), int> wide(T) { return 1; }
            template <typename T>
            __device__ typename std::enable_if<sizeof(T) <= 4, int>::type wide(T) { return 0; }""",
            "r = sort(t) + 10 * sort(1.5f) + 100 * wide(t) + 1000 * wide(1.0)"
            " + 10000 * other(t) + 100000 * other(1.5f);",
            [871021] * 8,
            id="enable_if",
        ),
        pytest.param(
            """template <typename T> struct Sum {
                using type = typename std::conditional<std::is_same<T, float>::value, double, T>::type;
                using half = std::conditional_t<(sizeof(T) > 4), float, short>;
            };
            template <typename T> using plain = std::remove_reference_t<std::decay_t<T>>;""",
            "plain<int &> x = t; std::common_type_t<short, float> y = x + 0.5f; r = y * 2"
            " + 100 * sizeof(Sum<float>::type) + 1000 * sizeof(typename Sum<int>::type)"
            " + 10000 * sizeof(Sum<double>::half);",
            [2 * t + 1 + 800 + 4000 + 40000 for t in range(8)],
            id="types from types",
        ),
        pytest.param(
            """template <typename T> __device__ unsigned hash(T v) {
                auto u = static_cast<std::make_unsigned_t<T>>(v);
                return u / 2 % 1000;
            }
            template <typename T> __device__ auto below(T v) -> std::make_signed_t<T> { return v; }""",
            "r = hash(-2 - t) + hash(7u) * 1000 + hash((short)-2) * 10000 + (below(0u - 1) < 0) * 10;",
            [(2**32 - 2 - t) // 2 % 1000 + 3000 + 10000 * 767 + 10 for t in range(8)],
            id="signed and unsigned",
        ),
        pytest.param(
            """__device__ int f(std::true_type) { return 1; }
            __device__ int f(std::false_type) { return 2; }
            template <typename T> __device__ int g(T) {
                return f(std::is_same<T, int>()) + 10 * f(std::is_signed<T>{});
            }
            template <int N> struct Five : std::integral_constant<int, N + 5> {};""",
            "r = g(t) + 100 * g(1u) + Five<1>::value * 1000 + std::integral_constant<int, 3>()();",
            [11 + 2200 + 6000 + 3] * 8,
            id="true and false as types",
        ),
        pytest.param(
            """template <typename T> constexpr T pi = T(3.14159);
            template <int N> inline constexpr int square = N * N;
            template <typename T> constexpr bool small = std::is_same_v<T, short> || sizeof(T) == 1;
            template <typename T> __device__ int f() {
                if constexpr (small<T>) return square<3>; else return pi<T>;
            }""",
            "r = f<char>() + 10 * f<double>() + pi<float> * 1000;",
            [9 + 30 + 3141] * 8,
            id="constants with parameters",
        ),
        pytest.param(
            """constexpr float halved(float x) { return x / 2; }
            template <typename T = float> constexpr T two = 2;
            const float quarter = halved(0.5f) + 0 * two<>;""",
            "r = quarter * 4 + t;",
            [1 + t for t in range(8)],
            id="constants that are computed",
        ),
        pytest.param(
            "",
            "std::array<int, 3> a{1, 2, t}; a[1] = 7;"
            " auto p = thrust::make_pair(t, 2.5f); cuda::std::pair<int, int> q{3, 4};"
            " std::swap(p.first, q.second); for (int x : a) r += x;"
            " r += a.size() + p.first * 100 + q.second * 1000 + p.second * 2 + std::exchange(q.first, 9) + q.first;",
            [8 + t + 3 + 400 + 1000 * t + 5 + 3 + 9 for t in range(8)],
            id="arrays and pairs",
        ),
        pytest.param(
            """template <int... I>
            __device__ int sum(const int *a, std::integer_sequence<int, I...>) { return (a[I] + ...); }
            template <size_t... I> __device__ int at(std::index_sequence<I...>) { return ((I + 1) * ... * 1); }""",
            "int a[4] = {1, 2, t, 100}; auto q = thrust::make_tuple(t, 2.5f, 30);"
            " r = sum(a, std::make_integer_sequence<int, 3>{}) + at(std::make_index_sequence<4>())"
            " + thrust::get<0>(q) + std::get<2>(q) + std::get<1>(q) * 2;",
            [3 + t + 24 + t + 30 + 5 for t in range(8)],
            id="sequences and tuples",
        ),
        pytest.param(
            """struct V { int x; };
            __device__ int f(const V &) { return 1; }
            __device__ int f(V &&) { return 2; }
            template <typename T> __device__ int g(T &&v) { return f(std::forward<T>(v)); }""",
            "V v{t}; V w = std::move(v); r = w.x + std::numeric_limits<unsigned>::digits + g(v);",
            [t + 32 + 1 for t in range(8)],
            id="moved",
        ),
        pytest.param(
            """template <typename T> struct pair { T both; };
            template <typename A, typename B> struct conditional { static constexpr int is = 3; };""",
            "std::enable_if_t<true, int> one = 1; pair<int> p{t}; r = p.both + one + conditional<int, int>::is;",
            [t + 4 for t in range(8)],
            id="names that are the program's own",
        ),
    ],
)
def test_the_standard_headers(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize(("body", "message"), CASES("unsuitable_arguments_are_refused"))
def test_unsuitable_arguments_are_refused(body: str, message: str) -> None:
    before = "template <class T> __device__ std::enable_if_t<std::is_integral<T>::value, int> only(T) { return 1; }"
    with pytest.raises(SourceError, match=message):
        lanes(body, before=before)


def test_iterators_have_a_value_type() -> None:
    source = """
    template <typename T> struct At : std::iterator<std::input_iterator_tag, T> { T x; };
    template <typename I> __device__ int bytes(I from) {
        using V = typename std::iterator_traits<I>::value_type;
        return sizeof(V);
    }
    __global__ void k(double *in, const short *more, int *out) {
        out[0] = bytes(in) + 10 * bytes(more) + 100 * sizeof(typename At<char>::value_type);
    }"""
    given: dict[str, Argument] = {
        "in": np.zeros(1),
        "more": np.zeros(1, np.int16),
        "out": Unwritten("int32", (1,)),
    }
    assert trace(source, given, block=(1,)).outputs["out"].tolist() == [8 + 20 + 100]


def test_iterator_traits_of_other_types_are_refused() -> None:
    with pytest.raises(SourceError, match=r"test.cu:4:\d+: iterator_traits<float> has no type 'value_type'"):
        lanes("typename std::iterator_traits<float>::value_type x = 1; r = x;")


def test_using_namespace_std_declares_pairs_and_arrays() -> None:
    before = """
    using namespace std;
    __device__ void halves(int x, pair<int, int> *to) { to->first = x / 2; to->second = x % 2; }"""
    body = "array<int, 2> a; pair<int, int> p; halves(t, &p); a[0] = p.first; a[1] = p.second; r = 10 * a[0] + a[1];"
    assert lanes(body, before=before) == [10 * (t // 2) + t % 2 for t in range(8)]


def test_a_declared_pair_hides_that_of_the_standard() -> None:
    before = """
    using namespace std;
    template <typename T, typename U> struct pair { T x; U y; __device__ int both() const { return x + y; } };"""
    assert lanes("pair<int, int> p = {t, 2}; r = p.both();", before=before) == [t + 2 for t in range(8)]


OWN_TRAITS = """
template <typename T> struct Wide { static const bool value = sizeof(T) > 4; };
template <typename T> struct Listed { enum { value = sizeof(T) == 2 }; };
template <typename T, int N> struct Bytes { static constexpr bool value = sizeof(T) == N; static const int n = N; };
"""


@pytest.mark.parametrize(("functions", "expected"), CASES("declared_traits_choose_functions"))
def test_declared_traits_choose_functions(functions: str, expected: list[int]) -> None:
    body = "r = f(t) + 10 * f(1.0) + 100 * f(short(1));"
    (first, *_) = lanes(body, before=OWN_TRAITS + functions)
    assert [first % 10, first // 10 % 10, first // 100] == expected


TILES = """
template <int N> struct Window {
    using Fragment = float[N];
    const float *from;
    __device__ Window(const float *a, int at) : from(a + at) {}
    __device__ void load(Fragment &to) const { for (int i = 0; i < N; ++i) to[i] = from[i]; }
    __device__ Window &operator++() { from += N; return *this; }
};
struct Fast {};
struct Slow {};
template <int N> struct Traits {
    static constexpr int width = N;
    using WindowA = Window<N>;
    using Number = int;
    using Way = Fast;
    template <typename T> struct Of { using type = T; };
};
__device__ int way(Fast) { return 1; }
__device__ int way(Slow) { return 2; }
template <typename T> __device__ float rows(const float *a, int t) {
    auto window = typename T::WindowA(a, t);
    alignas(T::width * sizeof(float)) float sums[T::width] = {0};
    typename T::WindowA::Fragment each;
    for (int k = 0; k < 3; ++k, ++window) {
        window.load(each);
        for (int i = 0; i < T::width; ++i) sums[i] += each[i];
    }
    typename T::template Of<float>::type sum = 0;
    for (float each : sums) sum += each;
    typename T::Number whole = typename T::Number(sum) + way(typename T::Way{}) * typename T::Number{1000};
    typename T::Number *at = &whole;
    return (typename T::Number)(*at + 0.75f);
}
"""


@pytest.mark.parametrize(("width", "expected"), [(1, 3), (2, 15)])
def test_types_of_traits_make_values_and_tags(width: int, expected: int) -> None:
    body = f"float a[16]; for (int i = 0; i < 16; ++i) a[i] = i; r = rows<Traits<{width}>>(a, t);"
    numbers = lanes(body, before=TILES)
    assert numbers == [1000 + expected + 3 * width * t for t in range(8)]


def test_storage_of_so_many_bytes_is_loaded_at_once() -> None:
    source = """
    template <typename T, int N> using Bytes = typename std::aligned_storage<N * sizeof(T), N * sizeof(T)>::type;
    template <typename T, int N> union Pack {
        static_assert(sizeof(Bytes<T, N>) == N * sizeof(T) && alignof(std::aligned_storage_t<16, 4>) == 4, "");
        __device__ Pack() {}
        Bytes<T, N> all;
        T each[N];
    };
    template <typename T> struct Loader {
        const T *from;
        template <int N> __device__ void load(T *to, int at) const {
            Pack<T, N> pack;
            pack.all = *(reinterpret_cast<const Bytes<T, N> *>(from) + at);
            for (int i = 0; i < N; ++i) to[i] = pack.each[i];
        }
    };
    __global__ void k(Loader<float> loader, float *out) {
        loader.template load<4>(out + 4 * threadIdx.x, threadIdx.x);
    }"""
    numbers = np.arange(32, dtype=np.float32)
    found = trace(source, {"loader.from": numbers, "out": Unwritten("float32", (32,))})
    assert found.outputs["out"].tolist() == numbers.tolist()
    assert found.hazards == ()
    assert [site.width for site in found.sites if found.arrays[site.array].name == "loader.from"] == [16]


def test_pointers_of_thrust() -> None:
    source = """#include <thrust/device_ptr.h>
    __global__ void k(thrust::device_ptr<const float> in, thrust::device_ptr<float> out) {
        float *raw = thrust::raw_pointer_cast(out);
        raw[threadIdx.x] = in[threadIdx.x] + *(in + 1);
    }"""
    found = trace(source, {"in": np.arange(8, dtype=np.float32), "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [t + 1 for t in range(8)]
