"""What the steps of matrix products need that go beyond plain C: tiles as structs, addresses as numbers, PTX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import InputError, SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from kernels.simt import Argument
    from kernels.trace import Trace

TILES = """
template <int R, int C, int L = R> union Tile {
    __device__ Tile(float *x) : x(x) {}
    template <int R1, int C1, int L1>
    __device__ Tile(const Tile<R1, C1, L1> &whole, int i, int j) : x(&whole.x[i + j * L1]) {}
    float *x;
    float4 *x4;
};
"""


def _traced(source: str, arguments: dict[str, np.ndarray | Unwritten], template: dict[str, str]) -> Trace:
    program = parse(source, "test.cu")
    return run(program, Launch(Dim3(1), Dim3(8)), arguments, template=template)


def test_a_constructor_that_is_a_template_takes_a_tile_of_another_size() -> None:
    made = trace(
        TILES
        + """
        __global__ void part(float *whole, float *out) {
            Tile<8, 8> all(whole);
            Tile<4, 2, 8> few(all, 4, 3);  // rows 4 to 7 of columns 3 and 4
            Tile<4, 2, 8> same(few);       // is no template's business
            int t = threadIdx.x;
            out[t] = few.x[t % 4 + t / 4 * 8] + same.x4[0].y;
        }""",
        {"whole": np.arange(64, dtype=np.float32), "out": Unwritten("float32", (8,))},
    )
    few = np.array([28, 29, 30, 31, 36, 37, 38, 39])
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == (few + 29).tolist()


def test_constructors_that_are_templates_are_chosen_like_others() -> None:
    before = """
    template <typename T> struct Pair {
        T a, b;
        __device__ Pair(T a, T b) : a(a), b(b) {}
        template <typename U> __device__ Pair(const Pair<U> &other) : a(other.a + 1), b(other.b + 1) {}
        template <typename U> __device__ explicit Pair(U *both) : Pair(both[0], both[1]) {}
    };"""
    body = """
    float both[2] = {2.0f * t, 7.9f};
    Pair<float> f(both); Pair<int> i(f), copied(i);
    r = 100 * i.a + 10 * i.b + copied.b;"""
    assert lanes(body, before=before) == [100 * (2 * t + 1) + 88 for t in range(8)]


def test_parentheses_copy_a_struct_that_has_constructors() -> None:
    before = """
    struct Part {
        int a;
        __device__ Part(int x) : a(x) {}
        __device__ Part(int x, int y) : a(x + y) {}
        __device__ Part twice() { return Part(a, a); }
        __device__ Part self() { return Part(*this); }
    };
    struct Whole {
        Part part;
        __device__ Whole(int x) : part(x) {}
        __device__ Whole(const Part &p) : part(p) {}
    };"""
    body = """
    Part s(t); Part u(s); Part v = Part(u); Part w{v}; Part q(w.twice());
    Whole whole(q); Part z(whole.part); Whole y(z.self());
    r = y.part.a;"""
    assert lanes(body, before=before) == [2 * t for t in range(8)]


def test_memset_sets_the_bytes_of_a_struct_not_what_its_constructor_makes() -> None:
    before = "struct Sums { float4 a, b; int n; __device__ Sums() { memset(this, 0, sizeof(Sums)); n = 3; } };"
    body = "Sums s; s.a.y += t; Sums u; memset(&u, 0, sizeof u); r = s.a.y + s.b.w + 10 * s.n + 100 * u.n;"
    assert lanes(body, before=before) == [30 + t for t in range(8)]


def test_numbers_and_types_may_both_be_any_number_of_template_arguments() -> None:
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


def test_a_union_takes_the_values_that_its_first_member_has_where_it_is_declared() -> None:
    before = "template <int N> union Sums { float x[N]{1}; float4 x4[N / 4]; };"
    body = "Sums<8> sums[2][3]; sums[1][2].x[5] += t; r = sums[1][2].x4[1].y + sums[0][0].x[0] + sums[1][0].x4[1].w;"
    assert lanes(body, before=before) == [t + 1 for t in range(8)]


@pytest.mark.parametrize(
    "source",
    [
        "__device__ Place find(int t) { return {t / 4, t % 4}; }\n#define FIND find(threadIdx.x)",
        "template <int N> __device__ Place find(int t) { return {t / N, t % N}; }\n#define FIND find<M>(threadIdx.x)",
        "template <class T> __device__ T find(int t) { return {t / 4, t % 4}; }\n#define FIND find<Place>(threadIdx.x)",
    ],
    ids=["function", "template", "template's type"],
)
def test_a_kernel_that_is_a_template_names_the_parts_of_what_a_function_returns(source: str) -> None:
    kernel = """
    template <int M> __global__ void k(int *out) { auto [row, column] = FIND; out[threadIdx.x] = 10 * row + column; }"""
    made = _traced(
        f"struct Place {{ int row, column; }};\n{source}\n{kernel}",
        {"out": Unwritten("int32", (8,))},
        {"M": "4"},
    )
    assert made.outputs["out"].tolist() == [0, 1, 2, 3, 10, 11, 12, 13]


def test_an_address_is_an_unsigned_number_and_a_pointer_again() -> None:
    made = trace(
        """
        #include <cstdint>
        __global__ void k(const signed char *bytes, int *out, size_t row) {
            const size_t first = static_cast<size_t>(threadIdx.x) * row;
            const uintptr_t raw = reinterpret_cast<uintptr_t>(bytes) + first * sizeof(int);
            const signed char *at = reinterpret_cast<const signed char *>(raw);
            out[threadIdx.x] = (raw & 3) == 0 ? *reinterpret_cast<const int *>(at) : -1;
        }""",
        {"bytes": np.arange(32, dtype=np.int8), "out": Unwritten("int32", (8,)), "row": 1},
    )
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == np.arange(32, dtype=np.int8).view(np.int32).tolist()


COPY = """
__global__ void k(const float *in, float *out, float *elsewhere) {{
    constexpr int bytes = 16, parts = 4;
    __shared__ float first[8], s[32];
    first[threadIdx.x] = 0;
    union {{ float *x; float4 *x4; }} tile;
    tile.x = {pointer};
    int to = __cvta_generic_to_shared(tile.x) + threadIdx.x * bytes;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(in + 4 * threadIdx.x), "n"(bytes));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(parts / 4 - 1));
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + first[0];
}}"""


def test_a_pointer_of_a_union_is_an_address_in_shared_memory() -> None:
    numbers = np.arange(32, dtype=np.float32)
    arguments: dict[str, Argument] = {
        "in": numbers,
        "out": Unwritten("float32", (8,)),
        "elsewhere": np.zeros(8, np.float32),
    }
    made = trace(COPY.format(pointer="s"), arguments)
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == numbers[:8].tolist()
    with pytest.raises(SourceError, match="__cvta_generic_to_shared needs a pointer into shared memory"):
        trace(COPY.format(pointer="threadIdx.x > 3 ? elsewhere : s"), arguments)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "constexpr int rows = 64 / WARPS, all = 8 * rows; float sums[all];",
            "'all' is not, because WARPS is declared nowhere",
        ),
        ("float sums[8 / blockDim.x];", "'8 / blockDim.x' is not; use #define"),
        ("r = warpSum(r);", "function 'warpSum'; this file, with what it includes, does not declare it"),
    ],
)
def test_what_is_declared_nowhere_is_named(line: str, reason: str) -> None:
    with pytest.raises(SourceError) as error:
        lanes(line)
    assert reason in str(error.value)


def test_bfloat16_parameters_are_given_as_numbers() -> None:
    made = trace(
        """
        #include <cuda_bf16.h>
        struct Scale { __nv_bfloat16 by; int n; };
        __global__ void k(float *out, __nv_bfloat16 alpha, Scale s) {
            out[threadIdx.x] = __bfloat162float(alpha) * threadIdx.x + s.n * __bfloat162float(s.by);
        }""",
        {"out": Unwritten("float32", (8,)), "alpha": 1.5, "s.by": 2, "s.n": 10},
    )
    assert made.outputs["out"].tolist() == [20 + 1.5 * t for t in range(8)]


def test_an_array_behind_a_struct_is_given_as_one() -> None:
    source = """
    struct Matrix { int rows, columns; __align__(16) float data[]; };
    __global__ void k(const Matrix *in, Matrix *out) {
        int t = threadIdx.x;
        out->data[t] = in->data[t % in->rows * in->columns + t / in->rows];
    }"""
    shape: dict[str, Argument] = {"in.rows": 2, "in.columns": 4, "out.rows": 4, "out.columns": 2}
    made = trace(source, {**shape, "in.data": np.arange(8, dtype=np.float32), "out.data": np.zeros(8, np.float32)})
    assert made.hazards == ()
    held = np.frombuffer(made.outputs["out"].tobytes(), np.float32)[4:12]
    assert held.tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    with pytest.raises(InputError, match=r"'out\.data' is what lies behind one struct: give numbers"):
        trace(source, {**shape, "in.data": np.zeros(8, np.float32), "out.data": Unwritten("float32", (8,))})
