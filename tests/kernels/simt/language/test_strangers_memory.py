"""Arrays, bytes and arguments in other people's kernels: each case was met in public code, and is told in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.analysis import variables
from kernels.errors import TilescopeError
from kernels.simt import Argument, Unwritten
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
)
def test_memcpy_between_types(to: str, source: str, size: int, accesses: int) -> None:
    text = f"__global__ void k({to} *to, const {source} *from) {{ memcpy(to, from, {size}); }}"
    given = np.arange(32, dtype=np.uint8)
    kinds = {"int": "i4", "float": "f4", "char": "i1", "double": "f8", "int4": "i4", "short2": "i2"}
    found = trace(text, {"to": np.zeros(32, np.uint8).view(kinds[to]), "from": given.view(kinds[source])}, block=(1,))
    copied = found.outputs["to"].view(np.uint8)
    assert copied.tolist() == [*range(size), *[0] * (32 - size)]
    assert found.access_count == 2 * accesses
    assert found.hazards == ()


@pytest.mark.parametrize("call", ["memcpy(p, nullptr, 4)", "memcpy(0, p, 4)", "memset(NULL, 1, 8)", "memset(0, 0, 4)"])
def test_bytes_at_a_null_pointer(call: str) -> None:
    source = f"__global__ void k(int *p) {{ {call}; }}"
    (hazard,) = trace(source, {"p": np.zeros(8, np.int32)}, block=(1,)).hazards
    assert hazard.kind == "out-of-bounds"
    assert "points to no array" in hazard.message


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
    assert np.ascontiguousarray(output).reshape(-1).view(items.dtype)["d"].tolist() == [104 + 2 * t for t in range(8)]


def test_part_of_a_struct_is_refused() -> None:
    source = "struct S { int a; float b; }; __global__ void k(S *s) { s->a = 1; }"
    with pytest.raises(TilescopeError, match=r"S.*8 bytes.*12 bytes are given; give whole ones, as in u8"):
        trace(source, {"s": np.zeros(12, np.uint8)})


def test_vectors_are_not_given_by_other_floating_point_numbers() -> None:
    source = "__global__ void k(float4 *v) { v[threadIdx.x].x = 1; }"
    assert trace(source, {"v": np.zeros((8, 16), np.uint8)}).hazards == ()
    with pytest.raises(TilescopeError, match="give an array of float32, not of float64"):
        trace(source, {"v": np.zeros((8, 2), np.float64)})


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
        with pytest.raises(TilescopeError, match=r"'rows' points to pointers .* give a row for each, up to 64"):
            trace(source, {**given, "rows": wrong})


def test_constant_memory_has_functions_that_are_not_const() -> None:
    source = """
    struct Ball { float x, r; __device__ float hit(float at, float *side) { *side = at - x; return r - *side; } };
    __constant__ Ball balls[2] = {{1, 2}, {3, 4}};
    __global__ void k(float *out) { float side; out[threadIdx.x] = balls[threadIdx.x & 1].hit(5, &side) + side; }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == [2, 4] * 4
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Four d; (uint4 &)d = *(const uint4 *)in; out[0] = d.v[3];", 3),
        ("Four d = {{5, 6}}; *(uint4 *)out = (const uint4 &)d;", 5),
        ("float f = 1; (int &)f += 1 << 23; out[0] = f;", 2),
        ("float v[4] = {1, 2, 3, 4}; float4 w = (float4 &)v[0]; out[0] = w.z;", 3),
        ("const float &r = (const float &)in[2]; out[0] = r;", 2),
        ("out[0] = (const float &)(in[1] + in[2]);", 3),
    ],
)
def test_a_cast_to_a_reference_names_the_place_as_another_type(body: str, expected: float) -> None:
    source = f"struct Four {{ float v[4]; }}; __global__ void k(const float *in, float *out) {{ {body} }}"
    given = {"in": np.arange(4, dtype=np.float32), "out": np.zeros(4, np.float32)}
    assert trace(source, given, block=(1,)).outputs["out"][0] == expected


def test_a_struct_that_stands_for_a_pointer_is_subscripted() -> None:
    source = """
    template <typename T> struct Shared {
        __device__ operator T *() { extern __shared__ T all[]; return (T *)(void *)all; }
        __device__ operator const T *() const { extern __shared__ T all[]; return (T *)(void *)all; }
    };
    __device__ void put(float *to, int t) { to[t] = t + 1; }
    template <typename T> __device__ T got(const T *from, int t) { return from[t ^ 1]; }
    __global__ void k(float *out) {
        Shared<float> s;
        put(s, threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = got<float>(s, threadIdx.x) + 10 * *s + s[0] - 1;
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))}, shared=32)
    assert found.outputs["out"].tolist() == [(t ^ 1) + 1 + 10 for t in range(8)]
    assert found.hazards == ()


def test_an_overload_of_one_of_cudas_functions_calls_it() -> None:
    source = """
    __device__ long long __shfl(long long x, int lane, int width = warpSize) {
        int low = x, high = x >> 32;
        low = __shfl(low, lane, width);
        high = __shfl(high, lane, width);
        return ((long long)high << 32) | (unsigned)low;
    }
    __global__ void k(long long *out) { out[threadIdx.x] = __shfl(((long long)threadIdx.x << 33) + 5, 3); }"""
    found = trace(source, {"out": Unwritten("int64", (8,))})
    assert found.outputs["out"].tolist() == [(3 << 33) + 5] * 8


def test_a_function_that_calls_itself_is_named_where_it_does() -> None:
    source = """
    __device__ int f(int n) { return n < 2 ? 1 : f(n - 1); }
    __device__ int max(int a, int b, int c) { return f(a) + max(b, c); }
    __global__ void k(int *out) { out[0] = max(1, 2, 3); }"""
    with pytest.raises(TilescopeError, match=r"test.cu:2:50: not supported: recursion: f calls itself"):
        trace(source, {"out": Unwritten("int32", (1,))})


def test_types_of_bsd() -> None:
    source = "__global__ void k(u_int *out, u_int8_t x) { out[0] = (u_char)(x + 1) + sizeof(u_int64_t); }"
    assert trace(source, {"out": Unwritten("uint32", (1,)), "x": 255}, block=(1,)).outputs["out"].tolist() == [8]
