"""Type traits, iterators, pairs and arrays of the standard headers."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Argument, Unwritten
from tests.cases import Cases
from tests.kernels.simt.programs import lanes, trace

CASES = Cases(__file__)


@pytest.mark.parametrize(("before", "body", "expected"), CASES("the_standard_headers"))
def test_the_standard_headers(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize(("body", "message"), CASES("unsuitable_arguments_are_refused"))
def test_unsuitable_arguments_are_refused(body: str, message: str) -> None:
    before = "template <class T> __device__ std::enable_if_t<std::is_integral<T>::value, int> only(T) { return 1; }"
    with pytest.raises(SourceError, match=message):
        lanes(body, before=before)


def test_iterators_have_a_value_type() -> None:
    source = CASES.source("iterators_have_a_value_type")
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


@pytest.mark.parametrize(("width", "expected"), [(1, 3), (2, 15)])
def test_types_of_traits_make_values_and_tags(width: int, expected: int) -> None:
    body = f"float a[16]; for (int i = 0; i < 16; ++i) a[i] = i; r = rows<Traits<{width}>>(a, t);"
    numbers = lanes(body, before=CASES.source("tiles"))
    assert numbers == [1000 + expected + 3 * width * t for t in range(8)]


def test_storage_of_so_many_bytes_is_loaded_at_once() -> None:
    source = CASES.source("storage_of_so_many_bytes")
    numbers = np.arange(32, dtype=np.float32)
    found = trace(source, {"loader.from": numbers, "out": Unwritten("float32", (32,))})
    assert found.outputs["out"].tolist() == numbers.tolist()
    assert found.hazards == ()
    assert [site.width for site in found.sites if found.arrays[site.array].name == "loader.from"] == [16]


def test_pointers_of_thrust() -> None:
    source = CASES.source("pointers_of_thrust")
    found = trace(source, {"in": np.arange(8, dtype=np.float32), "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [t + 1 for t in range(8)]
