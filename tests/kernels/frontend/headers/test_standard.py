"""Built-in headers: the standard's, complex numbers, cub, and vectors of helper_math.h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.frontend.headers.provided import HELPER_MATH as NAMES
from kernels.simt import Argument, Unwritten
from tests.cases import Cases
from tests.kernels.simt.programs import THREADS, lanes, trace
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_types_of_complex_numbers() -> None:
    source = CASES.source("types_of_complex_numbers")
    found = trace(source, {"in": np.array([[1.5, -2.25]]), "out": Unwritten("float64", (1, 2))}, block=(1,))
    assert found.outputs["out"].tolist() == [[-0.5, 1.75]]
    assert found.hazards == ()


def test_functions_of_complex_numbers_are_refused() -> None:
    with pytest.raises(SourceError, match="not supported: function 'cuCmulf'"):
        trace(
            "#include <cuComplex.h>\n__global__ void k(cuComplex *a) { a[0] = cuCmulf(a[0], a[1]); }",
            {"a": np.ones((2, 2), np.float32)},
        )


def test_types_of_fourier_transforms() -> None:
    source = """#include <cufft.h>
    #include "cublas_v2.h"
    #include <cusolverDn.h>
    __global__ void scale(cufftComplex *a, cufftReal by) { a[threadIdx.x].x *= by; a[threadIdx.x].y *= by; }"""
    found = trace(source, {"a": np.ones((8, 2), np.float32), "by": 0.5})
    assert found.outputs["a"].tolist() == [[0.5, 0.5]] * 8


def test_pitched_memory() -> None:
    source = CASES.source("pitched_memory")
    given = np.arange(64, dtype=np.float32).reshape(8, 8)
    sizes = {"p.pitch": 32, "p.xsize": 6, "p.ysize": 8, "size.width": 6, "size.height": 8, "size.depth": 1}
    found = trace(source, {**sizes, "p.ptr": given, "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == given[:, :6].sum(1).tolist()


@pytest.mark.parametrize(("before", "expression", "expected"), CASES("first_values_of_pointers"))
def test_first_values_of_pointers(before: str, expression: str, expected: list[int]) -> None:
    source = f"{before}\n__global__ void k(int *out) {{ int t = threadIdx.x; out[t] = {expression}; }}"
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == expected[:8]
    assert found.hazards == ()


GIVEN = np.random.default_rng(1).integers(-50, 50, 128).astype(np.int32)


@pytest.mark.parametrize(
    ("call", "expected", "threads"),
    in_turn(
        [
            ("Sum(in[threadIdx.x])", lambda a: a.sum()),
            ("Reduce(in[threadIdx.x], cub::Max())", lambda a: a.max()),
            ("Reduce(in[threadIdx.x], cub::Min())", lambda a: a.min()),
            ("Reduce(in[threadIdx.x], cub::Sum())", lambda a: a.sum()),
        ],
        [32, 48, 64, 128, 20],
        first=2,
    ),
)
def test_blocks_reduce(call: str, expected: Any, threads: int) -> None:
    source = f"""
    #include <cub/cub.cuh>
    __global__ void k(const int *in, int *out) {{
        typedef cub::BlockReduce<int, {threads}> BlockReduce;
        __shared__ typename BlockReduce::TempStorage storage;
        int found = BlockReduce(storage).{call};
        if (threadIdx.x == 0) *out = found;
    }}"""
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(threads,))
    assert found.outputs["out"].tolist() == [expected(GIVEN[:threads])]
    assert found.hazards == ()


@pytest.mark.parametrize("threads", [32, 48, 128, 20])
def test_blocks_scan(threads: int) -> None:
    source = f"""
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_reduce.cuh>
    __global__ void k(const int *in, int *before, int *total) {{
        using Scan = cub::BlockScan<int, {threads}>;
        __shared__ Scan::TempStorage one, other;
        int t = threadIdx.x, a, b, c;
        Scan(one).ExclusiveSum(in[t], a);
        Scan(other).ExclusiveSum(in[t], b, c);
        before[t] = a == b ? b : -1;
        total[t] = c;
    }}"""
    shapes = {name: Unwritten("int32", (threads,)) for name in ("before", "total")}
    found = trace(source, {"in": GIVEN, **shapes}, block=(threads,))
    sums = GIVEN[:threads].cumsum()
    assert found.outputs["before"].tolist() == (sums - GIVEN[:threads]).tolist()
    assert found.outputs["total"].tolist() == [sums[-1]] * threads
    assert found.hazards == ()


def test_storage_that_is_used_again_needs_a_barrier() -> None:
    source = CASES.source("storage_that_is_used_again_needs")
    found = trace(source, {"in": GIVEN, "out": Unwritten("int32", (1,))}, block=(64,))
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


def test_structs_are_reduced_and_scanned() -> None:
    source = CASES.source("structs_are_reduced_and_scanned")
    found = trace(source, {"out": Unwritten("float64", (1, 4))}, block=(64,))
    assert found.outputs["out"].tolist() == [[2016, 64, 128, 192]]
    assert found.hazards == ()


@pytest.mark.parametrize("name", ["WarpReduce<int>", "BlockLoad<int, 64, 4>", "WarpScan<int>"])
def test_other_templates_are_refused(name: str) -> None:
    source = f"#include <cub/cub.cuh>\n__global__ void k() {{ __shared__ typename cub::{name}::TempStorage s; }}"
    with pytest.raises(SourceError, match=f"test.cu:2:.*{name.partition('<')[0]}"):
        trace(source, {})


BEFORE = f"#include <{NAMES[0]}>\n"


VALUES: Final[dict[str, Callable[[int], float]]] = {
    "dot(make_float3(t, 1, 2), make_float3(3.0f))": lambda t: 3 * t + 9,
    "length(make_float2(3.0f * t, 4.0f * t))": lambda t: 5 * t,
    "(make_float4(t) * 2.0f + make_float4(1, 2, 3, 4) / 2).w": lambda t: 2 * t + 2,
    "(2 * make_float3(make_float2(t, t + 1), 5.0f) - 1).y": lambda t: 2 * t + 1,
    "(-make_float4(make_float3(1, 2, t), 1.0f)).z": lambda t: -t,
    "cross(make_float3(1, 0, 0), make_float3(0, t, 0)).z": lambda t: t,
    "lerp(make_float2(0.0f), make_float2(2.0f * t), 0.5f).x": lambda t: t,
    "clamp(make_float3(t), 1.0f, 3.0f).x + clamp(t, 2, 4)": lambda t: min(max(t, 1), 3) + min(max(t, 2), 4),
    "(make_int2(t, 3) * 2 + make_int2(1)).x - (int)make_uint3(make_float3(2.5f)).z": lambda t: 2 * t - 1,
    "make_float3(make_float4(1, 2, 3, 4)).z + t": lambda t: 3 + t,
    "fmaxf(make_float2(t, 0), make_float2(3.0f)).x": lambda t: max(t, 3),
    "normalize(make_float3(t + 1.0f, 0, 0)).x": lambda _: 1,
    "reflect(make_float3(1, -1, 0), make_float3(0, 1, 0)).y + fabs(make_float2(-t, 0)).x": lambda t: 1 + t,
    "smoothstep(0.0f, 8.0f, (float)t)": lambda t: (t / 8) ** 2 * (3 - t / 4),
}


def test_values() -> None:
    """In one kernel, since reading the header takes most of the time."""
    stores = " ".join(f"out[{THREADS * number} + t] = {value};" for number, value in enumerate(VALUES))
    source = f"{BEFORE}__global__ void k(float *out) {{ int t = threadIdx.x; {stores} }}"
    found = trace(source, {"out": np.zeros(THREADS * len(VALUES), np.float32)}, block=(THREADS,)).outputs["out"]
    for values, (value, expected) in zip(found.reshape(-1, THREADS), VALUES.items(), strict=True):
        wanted = np.array([expected(t) for t in range(THREADS)], np.float32)
        np.testing.assert_allclose(values.astype(np.float32), wanted, rtol=1e-6, err_msg=value)


def test_changes() -> None:
    body = "float3 v = make_float3(1.0f); v += make_float3(t); v *= 2.0f; v -= 1.0f; v /= make_float3(1, 2, 4);"
    assert lanes(f"{body} r = v.z;", "float", BEFORE) == [(2 * (1 + t) - 1) / 4 for t in range(THREADS)]


@pytest.mark.parametrize(("form", "name"), in_turn(["<{}>", '"{}"', '"../inc/{}"'], NAMES, str))
def test_the_header_is_built_in(form: str, name: str) -> None:
    program = parse(f"#include {form.format(name)}\n", "k.cu")
    assert any(f.name == "cross" for f in program.functions)
    assert program.missing == ()


def test_long_sums_and_deep_calls_are_compiled_once() -> None:
    calls = "twice(" * 40 + "make_float3(1.0f)" + ")" * 40
    before = f"{BEFORE}__device__ float3 twice(float3 v) {{ return v + v; }}\n"
    body = f"float3 v = make_float3(t); r = ({' + '.join(['v'] * 60)}).x + ({calls}).y * 0;"
    assert lanes(body, "float", before) == [60 * t for t in range(THREADS)]
