"""What other people's kernels do that ours do not: each case was met in public code, and is told in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError, TilescopeError
from kernels.insight import variables
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from kernels.source import parse
from kernels.trace.file import load, save
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from pathlib import Path


def test_shared_memory_declared_outside_the_kernel() -> None:
    source = """
    __shared__ int tile[8];
    __shared__ int bonus;
    extern __shared__ int more[];
    __global__ void k(int *out) {
        int t = threadIdx.x;
        tile[t] = t;
        more[t] = 10 * t;
        if (t == 0) bonus = 100;
        __syncthreads();
        out[t] = tile[7 - t] + more[t] + bonus;
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))}, shared=32)
    assert found.outputs["out"].tolist() == [107 - t + 10 * t for t in range(8)]
    assert found.hazards == ()


@pytest.mark.parametrize("parameter", ["int rows[8][4]", "int rows[][4]", "int (*rows)[4]"])
@pytest.mark.parametrize("shape", [(8, 4), (32,)])
def test_a_parameter_that_points_to_rows(parameter: str, shape: tuple[int, ...]) -> None:
    source = f"__global__ void k({parameter}) {{ rows[threadIdx.x][1] = 10 * threadIdx.x + rows[threadIdx.x][3]; }}"
    found = trace(source, {"rows": np.ones(shape, np.int32)})
    assert found.outputs["rows"].shape == shape
    assert found.outputs["rows"].reshape(8, 4)[:, 1].tolist() == [10 * t + 1 for t in range(8)]
    assert found.hazards == ()


def test_an_array_of_structs_that_are_larger_than_their_members() -> None:
    source = """
    struct __align__(16) Slot { int first, second; };
    __global__ void k(Slot *slots) { slots[threadIdx.x].second = slots[threadIdx.x].first + 1; }"""
    found = trace(source, {"slots": np.arange(32, dtype=np.int32)})
    assert found.outputs["slots"].reshape(8, 4)[:, :2].tolist() == [[4 * t, 4 * t + 1] for t in range(8)]
    assert found.hazards == ()


def test_a_block_is_a_cooperative_group() -> None:
    source = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ void turn(cg::thread_group group, int *tile) {
        int mine = tile[group.size() - 1 - group.thread_rank()];
        group.sync();
        tile[group.thread_rank()] = mine;
        group.sync();
    }
    __global__ void k(int *out) {
        cg::thread_block block = cg::this_thread_block();
        __shared__ int tile[8];
        tile[block.thread_rank()] = block.group_index().x + block.thread_index().x;
        cg::sync(block);
        turn(block, tile);
        auto grid = cg::this_grid();
        out[grid.thread_rank()] = tile[block.thread_rank()] + block.num_threads();
    }"""
    found = trace(source, {"out": Unwritten("int32", (16,))}, grid=(2,))
    assert found.outputs["out"].tolist() == [8 + b + 7 - t for b in range(2) for t in range(8)]
    assert found.hazards == ()
    assert [s.kind for s in found.statements].count("barrier") == 3


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_tiles_of_a_warp_shuffle_among_themselves(size: int) -> None:
    source = f"""
    using namespace cooperative_groups;
    template <int SIZE> __device__ int sum(thread_block_tile<SIZE> tile, int x) {{
        for (int d = tile.size() / 2; d > 0; d /= 2) x += tile.shfl_down(x, d);
        return tile.shfl(x, 0);
    }}
    __global__ void k(int *out, unsigned *votes) {{
        thread_block_tile<{size}> tile = tiled_partition<{size}>(this_thread_block());
        int t = threadIdx.x;
        out[t] = sum<{size}>(tile, t) + 1000 * tile.meta_group_rank() + 100000 * tile.thread_rank();
        votes[t] = tile.ballot(tile.thread_rank() == t % 2) * tile.any(true);
    }}"""
    found = trace(
        source, {"out": Unwritten("int32", (64,)), "votes": Unwritten("uint32", (64,))}, block=(64,)
    )
    threads = np.arange(64)
    sums = threads.reshape(-1, size).sum(1).repeat(size)
    assert (
        found.outputs["out"].tolist()
        == (sums + 1000 * (threads // size) + 100000 * (threads % size)).tolist()
    )
    bits = (threads % size == threads % 2) << (threads % size)
    assert found.outputs["votes"].tolist() == bits.reshape(-1, size).sum(1).repeat(size).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("operation", "kind", "of"),
    [
        ("plus", "float", np.sum),
        ("less", "int", np.min),
        ("greater", "float", np.max),
        ("bit_or", "unsigned", None),
    ],
)
def test_reduce_over_a_tile(operation: str, kind: str, of: Any) -> None:
    source = f"""
    namespace cg = cooperative_groups;
    __global__ void k({kind} *a) {{
        auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        a[threadIdx.x] = cg::reduce(tile, a[threadIdx.x], cg::{operation}<{kind}>());
    }}"""
    dtype = {"float": np.float32, "int": np.int32, "unsigned": np.uint32}[kind]
    given = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], dtype)
    found = trace(source, {"a": given}, block=(16,))
    expected = [(of or np.bitwise_or.reduce)(part) for part in given.reshape(2, 8)]
    assert found.outputs["a"].tolist() == np.repeat(expected, 8).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cg::this_grid().shfl(1, 2);", "grid_group.shfl()"),
        ("cg::tiled_partition<64>(block).sync();", "a tile of this size; use 1, 2, 4, 8, 16 or 32 threads"),
        ("block.shfl(1, 2);", "thread_block.shfl()"),
        ("block.sync(1);", "thread_block.sync takes 0 arguments, 1 are given"),
    ],
)
def test_what_a_group_is_not_asked(line: str, message: str) -> None:
    before = "namespace cg = cooperative_groups;\n__global__ void k() { auto block = cg::this_thread_block();"

    with pytest.raises(SourceError, match=r"test.cu:3:") as caught:
        trace(f"{before}\n{line} }}")
    assert message in str(caught.value)


@pytest.mark.parametrize(("byte", "left"), [("0", 0), ("0x40", 0x40404040), ("-1", -1)])
def test_memset_and_memcpy(byte: str, left: int) -> None:
    source = f"""
    struct Pair {{ int a, b; }};
    __global__ void k(float *f, int *i, Pair *pairs, const int *from) {{
        float row[3];
        int numbers[2];
        memset(row, 0, sizeof(row));
        memset(numbers, {byte}, sizeof numbers);
        memset(&pairs[threadIdx.x], 0, sizeof(Pair));
        memcpy(numbers + 1, from + threadIdx.x, sizeof(int));
        f[threadIdx.x] = row[2];
        i[threadIdx.x] = numbers[0] + numbers[1];
    }}"""
    given: dict[str, Argument] = {"f": Unwritten("float32", (8,)), "i": Unwritten("int32", (8,))}
    given |= {"pairs": np.ones(16, np.int32), "from": np.arange(8, dtype=np.int32)}
    found = trace(source, given)
    assert not found.outputs["f"].any()
    assert found.outputs["i"].tolist() == [left + t for t in range(8)]
    assert not found.outputs["pairs"].any()
    assert found.hazards == ()


def test_memset_of_numbers_that_bytes_do_not_make() -> None:
    with pytest.raises(SourceError, match="memset of float with a byte other than 0"):
        trace("__global__ void k(float *f) { memset(f, 1, 8); }", {"f": np.ones(2, np.float32)})


def test_memcpy_through_bytes() -> None:
    source = """
    struct Bytes { unsigned char all[16]; };
    __global__ void k(int *out, const float *in) {
        int4 four;
        Bytes bytes;
        memcpy(&four, in + 4 * threadIdx.x, sizeof four);
        memcpy(&bytes, &four, sizeof(Bytes));
        memcpy(out + 4 * threadIdx.x, bytes.all, sizeof(int4));
    }"""
    given = np.arange(32, dtype=np.float32)
    found = trace(source, {"out": Unwritten("int32", (32,)), "in": given})
    assert found.outputs["out"].tolist() == given.view(np.int32).tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("to", "source", "size", "accesses"),
    [("int", "float", 8, 2), ("int4", "float", 32, 8), ("char", "float", 6, 6), ("int", "int", 5, 5)],
)  # fmt: skip
def test_memcpy_between_types(to: str, source: str, size: int, accesses: int) -> None:
    text = f"__global__ void k({to} *to, const {source} *from) {{ memcpy(to, from, {size}); }}"
    given = np.arange(32, dtype=np.uint8)
    kinds = {"int": "i4", "float": "f4", "char": "i1", "double": "f8", "int4": "i4", "short2": "i2"}
    found = trace(
        text, {"to": np.zeros(32, np.uint8).view(kinds[to]), "from": given.view(kinds[source])}, block=(1,)
    )
    copied = found.outputs["to"].view(np.uint8)
    assert copied.tolist() == [*range(size), *[0] * (32 - size)]
    assert found.access_count == 2 * accesses
    assert found.hazards == ()


def test_memcpy_with_a_null_pointer() -> None:
    with pytest.raises(SourceError, match="memcpy with a null pointer"):
        trace("__global__ void k(int *p) { memcpy(p, nullptr, 4); }", {"p": np.zeros(8, np.int32)})


def test_bits_are_seen_as_another_type_through_memcpy() -> None:
    source = """
    template <typename T> struct alignas(16) Packed {
        Packed() = default;
        __device__ explicit Packed(int4 bits) { memcpy(&values, &bits, sizeof(bits)); }
        __device__ static Packed all(T value) {
            Packed made;
            for (int i = 0; i < size; ++i) made[i] = value;
            return made;
        }
        __device__ T &operator[](int i) { return values[i]; }
        __device__ const T &operator[](int i) const { return values[i]; }
        __device__ int4 bits() const { int4 made; memcpy(&made, &values, sizeof(made)); return made; }
        static constexpr const int size = sizeof(int4) / sizeof(T);
        T values[size];
    };
    __global__ void k(float *out) {
        auto ones = Packed<float>::all(1);
        Packed<float> twice;
        for (int i = 0; i < ones.size; ++i) twice[i] = ones[i] * 2 + threadIdx.x;
        twice[1] += 10;
        Packed<float> again(twice.bits());
        out[threadIdx.x] = again[0] + again[1] + Packed<float>{}[2];
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [14 + 2 * t for t in range(8)]
    assert found.hazards == ()


def test_a_struct_whose_constructor_is_the_default_has_no_value() -> None:
    source = """
    struct S { int x; S() = default; __device__ S(int v) : x(v) {} };
    __global__ void k(int *out) { S s; out[threadIdx.x] = s.x + S(1).x + S().x; }"""
    (hazard,) = trace(source, {"out": np.zeros(8, np.int32)}).hazards
    assert hazard.kind == "uninitialised-read"


def test_references_that_functions_return_name_places() -> None:
    source = """
    struct V {
        float e[3], w;
        __device__ V(float a, float b, float c) : w(0) { e[0] = a; e[1] = b; e[2] = c; }
        __device__ float operator[](int i) const { return e[i]; }
        __device__ float &operator[](int i) { return e[i]; }
        __device__ float &x() { return e[0]; }
        __device__ V &operator+=(const V &o) { for (int i = 0; i < 3; ++i) e[i] += o.e[i]; return *this; }
        __device__ V &add(float d) { w += d; return *this; }
    };
    struct Cursor { float *p; __device__ float &operator*() { return *p; } };
    __device__ float &at(float *p, int i) { return p[i]; }
    __device__ V &self(V &v) { return v; }
    __global__ void k(float *out, float *w) {
        int t = threadIdx.x, i = 0;
        V v(1, 2, t);
        v[1] = 5;
        v[2] += v[0];
        v.x() = 7;
        at(out, t) = 3;
        at(out, t) += v[1] + v[2];
        (v += v) += v;
        self(v).e[0] += 1;
        v.add(1).add(2).add(i++).w += 4;
        float &r = at(out, t);
        r += v.x() + v[1] * 100;
        ++at(out, t);
        Cursor c{w + t};
        *c = v.w;
        *c += i;
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,)), "w": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [9 + t + 29 + 2000 + 1 for t in range(8)]
    assert found.outputs["w"].tolist() == [8] * 8
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("{ if (i) return p[0]; return p[1]; }", "at, which returns a reference from several places"),
        ("{ __syncthreads(); return p[i]; }", "at, which waits at a barrier, as a place"),
        ("{ return i ? p[0] : p[1]; }", "at, which returns a reference to a value"),
    ],
)
def test_references_that_cannot_be_followed(function: str, reason: str) -> None:
    source = f"__device__ int &at(int *p, int i) {function} __global__ void k(int *p) {{ at(p, threadIdx.x) = 1; }}"
    with pytest.raises(SourceError, match=reason):
        trace(source, {"p": np.zeros(8, np.int32)})


@pytest.mark.parametrize("const", ["", "const "])
def test_a_struct_that_turns_into_what_it_holds(const: str) -> None:
    source = f"""
    template <class T> struct Memory {{
        __device__ inline operator T *() {{ extern __shared__ int bytes[]; return (T *)bytes; }}
        __device__ inline operator const T *() const {{ extern __shared__ int bytes[]; return (T *)bytes; }}
    }};
    struct Half {{ float whole; __device__ operator float() const {{ return whole / 2; }} }};
    __global__ void k(float *a) {{
        float *all = Memory<float>();
        all[threadIdx.x] = threadIdx.x;
        __syncthreads();
        {const}float *same = Memory<float>();
        Half half{{same[7 - threadIdx.x]}};
        a[threadIdx.x] = half;
    }}"""
    found = trace(source, {"a": Unwritten("float32", (8,))}, shared=32)
    assert found.outputs["a"].tolist() == [(7 - t) / 2 for t in range(8)]
    assert found.hazards == ()


def test_functions_of_values_that_have_no_name() -> None:
    source = """
    struct Complex {
        float re, im;
        __device__ Complex(float re, float im) : re(re), im(im) {}
        __device__ float norm() { return re * re + im * im; }
        __device__ Complex operator+(const Complex &other) { return Complex(re + other.re, im + other.im); }
        __device__ Complex operator*(const Complex &o) { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    };
    __global__ void k(float *a) {
        Complex z(threadIdx.x, 1);
        a[threadIdx.x] = (z * z + z).norm();
    }"""
    found = trace(source, {"a": Unwritten("float32", (8,))})
    expected = [abs((t + 1j) * (t + 1j) + (t + 1j)) ** 2 for t in range(8)]
    assert found.outputs["a"] == pytest.approx(expected)


def test_names_for_types_with_parameters() -> None:
    source = """
    template <typename T> using out_ptr = T *__restrict__;
    template <typename T> using in_ptr = const T *__restrict__;
    template <typename T, int N> using row = T[N];
    template <typename T> __device__ void add(out_ptr<T> to, in_ptr<T> from) { *to += *from; }
    template <int N> __global__ void k(out_ptr<float> a, in_ptr<float> b) {
        row<float, N> kept = {1, 2};
        add(a + threadIdx.x, b + threadIdx.x);
        a[threadIdx.x] += kept[1];
    }"""
    program = parse(source, "test.cu")
    given: dict[str, Argument] = {"a": np.ones(8, np.float32), "b": np.arange(8, dtype=np.float32)}
    found = run(program, Launch(Dim3(1), Dim3(8)), given, template={"N": "2"})
    assert found.outputs["a"].tolist() == [t + 3 for t in range(8)]


def test_shifts_after_a_template_parameter_with_a_value() -> None:
    source = """
    template <const int WIDTH = 32> __device__ int steps() {
        int count = 0;
        for (int offset = WIDTH >> 1; offset > 0; offset >>= 1) ++count;
        return count;
    }
    __global__ void k(int *a) { a[threadIdx.x] = 10 * steps<8>() + steps(); }"""
    assert trace(source, {"a": Unwritten("int32", (8,))}).outputs["a"].tolist() == [35] * 8


SEVERAL = """
__device__ int odd(int x) { goto end; end: return x; }
__global__ void fine(int *a) { a[threadIdx.x] = 1; }
__global__ void jumps(int *a) { goto end; end: a[0] = 1; }
__global__ void calls(int *a) { a[threadIdx.x] = odd(1); }
template <typename T> __global__ void waits(T *a) { goto end; end: ; }
__constant__ Unheard table[4];
"""


def test_a_kernel_that_cannot_be_read_leaves_the_others_alone() -> None:
    program = parse(SEVERAL, "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("jumps", r"^test.cu:4:33: not supported: goto"),
        ("calls", r"^test.cu:5:50: 'odd' was left out: test.cu:2:29: not supported: goto"),
        ("waits", r"^test.cu:6:53: not supported: goto"),
        (None, r"choose one of its kernels: fine, calls, waits, jumps$"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(SEVERAL, "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_values_in_braces_of_all_sorts() -> None:
    source = """
    auto constexpr WIDTH = 4u;
    struct Step { int from; int by = 2; int rest[2]; float scale; };
    __global__ void k(float *a) {
        auto const column{threadIdx.x % WIDTH};
        const auto scale{0.5f};
        Step step = {.from = 7, .scale = scale}, second{.by{5}};
        for (auto i{0}; i < 2; ++i) step.from += step.by + second.by + step.rest[i] + second.from;
        a[threadIdx.x] = column + step.from * step.scale;
    }"""
    found = trace(source, {"a": Unwritten("float32", (8,))})
    assert found.outputs["a"].tolist() == [t % 4 + 10.5 for t in range(8)]
    assert found.hazards == ()


@pytest.mark.parametrize(
    "braces",
    ["{1, {2, 3}, {4}}", "{1, 2, 3, {4}}", "{1, {2, 3}, Inner{4}, {0}}", "{.a = 1, .b = {2, 3}, .c{4}}"],
)
def test_braces_of_a_member_that_is_an_array(braces: str) -> None:
    source = f"""
    struct Inner {{ int x; }};
    struct Mixed {{ int a; int b[2]; Inner c; int d[3]; }};
    __global__ void k(int *a) {{
        Mixed m = {braces};
        a[threadIdx.x] = 1000 * m.a + 100 * m.b[0] + 10 * m.b[1] + m.c.x + m.d[2];
    }}"""
    assert trace(source, {"a": Unwritten("int32", (8,))}).outputs["a"].tolist() == [1234] * 8


GRID = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void turn(int *a, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    a[i] = i;
    WAIT
    out[i] = a[grid.size() - 1 - i];
    WAIT
    a[i] = 0;
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:1"])
@pytest.mark.parametrize("wait", ["grid.sync();", "cg::sync(grid);"])
def test_a_barrier_of_the_whole_grid_orders_its_blocks(schedule: str, wait: str) -> None:
    given: dict[str, Argument] = {"a": Unwritten("int32", (256,)), "out": Unwritten("int32", (256,))}
    found = trace(GRID.replace("WAIT", wait), given, grid=(4,), block=(64,), schedule=schedule)
    assert found.outputs["out"].tolist() == list(range(255, -1, -1))
    assert found.hazards == ()


@pytest.mark.parametrize("wait", ["__syncthreads();", "", "cg::this_thread_block().sync();"])
def test_less_than_a_barrier_of_the_whole_grid_leaves_races(wait: str) -> None:
    given: dict[str, Argument] = {"a": Unwritten("int32", (256,)), "out": Unwritten("int32", (256,))}
    found = trace(GRID.replace("WAIT", wait), given, grid=(4,), block=(64,))
    assert {hazard.kind for hazard in found.hazards} == {"data-race"}


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("if (blockIdx.x) grid.sync();", {"barrier-divergence"}),
        ("grid.sync(); if (blockIdx.x) return; grid.sync();", {"barrier-divergence"}),
        ("int x = a[threadIdx.x]; grid.sync(); a[threadIdx.x + blockIdx.x * 8] = x;", {"uninitialised-read"}),
        ("grid.sync(); a[0] = blockIdx.x;", {"data-race"}),
        ("a[0] = blockIdx.x; grid.sync();", {"data-race"}),
        ("if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); a[grid.thread_rank()] = a[0];", {"data-race"}),
        ("if (grid.thread_rank() == 0) a[0] = 1; grid.sync(); int x = a[0]; grid.sync(); a[grid.thread_rank()] = x;",
         set()),
    ],
)  # fmt: skip
def test_what_goes_wrong_around_a_barrier_of_the_whole_grid(line: str, kinds: set[str]) -> None:
    source = f"""
    __global__ void k(int *a) {{
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        {line}
    }}"""
    found = trace(source, {"a": Unwritten("int32", (16,))}, grid=(2,))
    assert {hazard.kind for hazard in found.hazards} - {"result-never-written"} == kinds


def test_members_of_struct_parameters_are_known_before_the_first_step(tmp_path: Path) -> None:
    source = """
    typedef struct { int width; float *elements; } Matrix;
    __global__ void k(Matrix m, float2 by) {
        m.elements[threadIdx.x] = by.x * m.width;
        m.width += 1;
        m.elements[threadIdx.x] += m.width;
    }"""
    given: dict[str, Argument] = {"m.width": 3, "m.elements": np.zeros(8, np.float32), "by.x": 1.5, "by.y": 2}
    found = trace(source, given)
    assert found.outputs["m.elements"].tolist() == [8.5] * 8
    assert found.scalars == {"m.width": 3, "by.x": 1.5, "by.y": 2}
    values = [{v.name: v.value for v in variables(found, step, 1)} for step in range(found.steps)]
    assert [v["m.width"] for v in values] == [3, 4, 4]
    save(found, tmp_path / "k.trace")
    assert load(tmp_path / "k.trace").scalars == found.scalars


def test_attributes_may_stand_behind_the_parameters() -> None:
    source = """
    __device__ int five() __attribute__((always_inline));
    __device__ int five() { return 5; }
    __global__ void k(int *out) { out[threadIdx.x] = five(); }"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [5] * 8


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "float32", "int64", "float64"])
@pytest.mark.parametrize("shape", [(8, -1), (-1,)])
def test_structs_are_given_by_their_bytes(dtype: str, shape: tuple[int, ...]) -> None:
    source = """
    struct Item { float x; short n; char c; double *next; double d; };
    __global__ void k(Item *items) { Item &i = items[threadIdx.x]; i.d += i.x * i.n + i.c + (i.next == nullptr); }"""
    items = np.zeros(8, [("x", "f4"), ("n", "i2"), ("c", "i1"), ("_", "i1"), ("next", "i8"), ("d", "f8")])
    items["x"], items["n"], items["c"], items["d"] = 2, np.arange(8), 3, 100
    found = trace(source, {"items": items.view(dtype).reshape(shape)})
    assert found.hazards == ()
    output = found.outputs["items"]
    assert output.shape == items.view(dtype).reshape(shape).shape
    assert output.dtype == dtype
    assert np.ascontiguousarray(output).reshape(-1).view(items.dtype)["d"].tolist() == [
        104 + 2 * t for t in range(8)
    ]


def test_part_of_a_struct_is_refused() -> None:
    source = "struct S { int a; float b; }; __global__ void k(S *s) { s->a = 1; }"
    with pytest.raises(TilescopeError, match=r"S.*8 bytes.*12 bytes are given; give whole ones, as in u8"):
        trace(source, {"s": np.zeros(12, np.uint8)})


def test_vectors_are_not_given_by_other_floating_point_numbers() -> None:
    source = "__global__ void k(float4 *v) { v[threadIdx.x].x = 1; }"
    assert trace(source, {"v": np.zeros((8, 16), np.uint8)}).hazards == ()
    with pytest.raises(TilescopeError, match="give an array of float32, not of float64"):
        trace(source, {"v": np.zeros((8, 2), np.float64)})


def test_what_functions_return_may_be_left_to_them() -> None:
    source = """
    template <typename T> __device__ T next(T i);
    template <> __device__ float next(float x) { return x * 2; }
    template <> __device__ int next<int>(int x) { return x + 100; }
    struct Part { float a, b; };
    __device__ Part join(Part x, const Part &y) { return {x.a + y.a, x.b * y.b}; }
    __device__ auto half_of(int n) { return n / 2.0; }
    __device__ auto from(const float *p, int i) { if (i > 2) return p + i; return p; }
    __device__ auto nothing(int n) { if (n > 2) return; }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        __shared__ float s[8];
        s[t] = t;
        __syncthreads();
        nothing(t);
        Part part = join(Part{1, 2}, {(float)t, 3.0f});
        out[t] = next(1.5f) + next(t) + part.a + part.b + half_of(t) + *from(s, t);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [110 + 2.5 * t + (t if t > 2 else 0) for t in range(8)]
    assert found.hazards == ()


def test_a_template_that_is_only_declared() -> None:
    source = """
    template <typename T> __device__ T next(T i);
    template <> __device__ float next(float x) { return x * 2; }
    __global__ void k(int *out) { out[0] = next(1); }"""
    with pytest.raises(SourceError, match="2:5: next<int> is declared and not defined"):
        trace(source, {"out": np.zeros(1, np.int32)})


def test_templates_inside_of_structs() -> None:
    source = """
    template <typename T, int N> struct Row {
        T v[N];
        template <int K> __device__ T at(int i) const { return v[i] * K; }
        template <typename F> __device__ void each(F f) { for (int i = 0; i < N; ++i) v[i] = f(v[i]); }
        template <typename U> static __device__ U as(T x) { return (U)x; }
        __device__ T all(int i) { return at<2>(i) + this->template at<3>(i) + at<N>(i); }
    };
    struct Sum { float x; template <typename T> __device__ T add(T y) { x += y; return x; } };
    struct Minus { __device__ float operator()(float x) const { return -x; } };
    __device__ int two(int x) { return 2 * x; }
    template <int (*f)(int)> __device__ int twice(int x) { return f(f(x)); }
    __global__ void k(float *out) {
        int t = threadIdx.x;
        Row<float, 4> row;
        for (int i = 0; i < 4; ++i) row.v[i] = i + t;
        row.each(Minus());
        Sum sum{1};
        int whole = sum.add(2.5f);
        sum.add<float>(1);
        Row<int, 2> other;
        other.v[1] = twice<two>(t);
        out[t] = row.all(1) + other.at<10>(1) + sum.x + whole + Row<float, 4>::as<int>(2.7f);
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [-9 * (1 + t) + 40 * t + 4.5 + 3 + 2 for t in range(8)]
    assert found.hazards == ()
    last = {v.name: v.value for v in variables(found, found.steps - 1, 1)}
    assert (last["t"], last["whole"]) == (1, 3)


def test_structs_that_point_to_each_other() -> None:
    source = """
    struct Tree;
    struct Node { int key; Node *next; Tree *tree; };
    __device__ int first(const Tree *tree);
    struct Tree { Node *head; int n[2]; Node *list[2]; };
    __device__ int first(const Tree *tree) { return tree->head->key; }
    __device__ int sum(const Node *n) { int s = 0; while (n) { s += n->key; n = n->next; } return s; }
    __global__ void k(int *out) {
        __shared__ Node pool[8];
        __shared__ Tree trees[1];
        int t = threadIdx.x;
        pool[t].key = t;
        pool[t].next = t ? &pool[t - 1] : nullptr;
        pool[t].tree = trees;
        if (t == 0) { trees[0].head = pool + 7; trees[0].n[1] = 5; trees[0].list[1] = &pool[3]; }
        __syncthreads();
        Node *p = pool[t].next, mine = {9, p, trees};
        Node *q = &mine;
        q = q->next;
        out[t] = sum(pool + t) + (p ? p->key : 100) + first(mine.tree) + trees->list[1]->next->key;
        out[t] += mine.tree->n[1] + (q == p) + (pool[7].next->next - pool);
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [
        sum(range(t + 1)) + (t - 1 if t else 100) + 7 + 2 + 5 + 1 + 5 for t in range(8)
    ]
    assert found.hazards == ()


def test_a_struct_that_is_only_declared() -> None:
    source = "struct S; __global__ void k(S *s) { s->x = 1; }"
    with pytest.raises(SourceError, match=r"1:38: .*S is declared and not defined|parameter of type S \\*"):
        trace(source, {"s": np.zeros(8, np.int32)})


def test_a_kernel_takes_a_struct_that_can_be_called_as_its_template_argument() -> None:
    source = """
    struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
    struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
    template <typename Op> __global__ void k(int *out) { out[threadIdx.x] = Op()(threadIdx.x, 3); }"""
    program = parse(source, "k.cu")
    launch = Launch(Dim3(1), Dim3(8), 0)
    for name, expected in (("Add", [t + 3 for t in range(8)]), ("Larger", [max(t, 3) for t in range(8)])):
        found = run(program, launch, {"out": Unwritten("int32", (8,))}, template={"Op": name})
        assert found.outputs["out"].tolist() == expected
    with pytest.raises(TilescopeError, match="'Less' is not a type"):
        run(program, launch, {"out": Unwritten("int32", (8,))}, template={"Op": "Less"})


def test_pointers_to_pointers_are_given_row_by_row() -> None:
    source = """
    __global__ void k(float **rows, const int *const *index, float *out, void **raw) {
        int t = threadIdx.x;
        float *mine = rows[t % 3];
        mine[t] += index[1][t];
        out[t] = rows[1][t] + ((int *)raw[0])[t];
        if (t == 7) rows[2][8] = 1;
    }"""
    given: dict[str, Argument] = {
        "rows": np.arange(24, dtype=np.float32).reshape(3, 8),
        "index": np.arange(16, dtype=np.int32).reshape(2, 8),
        "raw": np.ones((1, 8), np.int32),
        "out": Unwritten("float32", (8,)),
    }
    found = trace(source, given)
    mine = [8 + t + (8 + t if t % 3 == 1 else 0) for t in range(8)]
    assert found.outputs["rows[1]"].tolist() == mine
    assert found.outputs["out"].tolist() == [value + 1 for value in mine]
    (hazard,) = found.hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("out-of-bounds", "rows[2]", 8)
    for wrong in (np.zeros(8, np.float32), np.zeros((65, 2), np.float32)):
        with pytest.raises(
            TilescopeError, match=r"'rows' points to pointers .* give a row for each, up to 64"
        ):
            trace(source, {**given, "rows": wrong})


def test_constant_memory_has_functions_that_are_not_const() -> None:
    source = """
    struct Ball { float x, r; __device__ float hit(float at, float *side) { *side = at - x; return r - *side; } };
    __constant__ Ball balls[2] = {{1, 2}, {3, 4}};
    __global__ void k(float *out) { float side; out[threadIdx.x] = balls[threadIdx.x & 1].hit(5, &side) + side; }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [2, 4] * 4
    assert found.hazards == ()


def test_libraries_leave_their_names_to_others() -> None:
    source = """
    struct Order { int row_major, accumulator; __device__ int area() { return row_major * accumulator; } };
    __device__ int barrier(int x) { return x; }
    __device__ int atomic(int x) { return x < 3; }
    template <bool col_major> __device__ int fragment() { return col_major ? 1 : 2; }
    __global__ void k(int *out, int texture, int matrix_a, int precision) {
        int surface = texture < 2, thread_scope = 1, wmma = matrix_a < 5 && surface > 0;
        auto accumulator = 0;
        accumulator += surface * precision;
        Order order{2, 3};
        out[threadIdx.x] = accumulator + barrier(matrix_a) + atomic(2) + fragment<true>() + order.area()
            + thread_scope + wmma;
    }"""
    found = trace(source, {"out": np.zeros(8, np.int32), "texture": 1, "matrix_a": 4, "precision": 7})
    assert set(found.outputs["out"].tolist()) == {7 + 4 + 1 + 1 + 6 + 1 + 1}
