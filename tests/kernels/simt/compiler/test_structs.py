"""Structs, vector types, references, overloads, templates and switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import InputError, SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from kernels.simt import Argument


PAIR = "struct Pair { float x; int n; };\n"
T = list(range(8))


@pytest.mark.parametrize(
    ("before", "body", "wanted"),
    [
        (PAIR, "Pair p = {0.5f, t}; Pair q = p; q.n *= 2; r = p.n + q.n + (p.x == 0.5f);", [3 * t + 1 for t in T]),
        (PAIR, "Pair p; if (t < 4) { p.n = 1; } else { p = Pair{0.f, 2}; } r = p.n;", [1] * 4 + [2] * 4),
        (PAIR, "Pair a[3] = {{1.f, 1}, {2.f, 2}}; a[2].n = t; r = a[0].n + a[1].n + a[2].n;", [3 + t for t in T]),
        (PAIR, "Pair p = {1.f, t}; Pair *q = &p; q->n += 5; r = p.n;", [t + 5 for t in T]),
        (
            "struct In { int a[3]; }; struct Out { In in; int b; };",
            "Out o; o.in.a[t % 3] = 7; o.b = 1; r = o.in.a[t % 3] + o.b;",
            [8] * 8,
        ),
        (
            PAIR + "__device__ Pair twice(Pair p) { p.n *= 2; return p; }",
            "r = twice(twice(Pair{1.f, t})).n;",
            [4 * t for t in T],
        ),
        (PAIR + "__device__ Pair make(int n) { return {0.f, n}; }", "auto p = make(t); r = p.n;", T),
        (PAIR, "Pair p = t % 2 ? Pair{0.f, 10} : Pair{0.f, 20}; r = p.n;", [20, 10] * 4),
        ("", "int2 v = make_int2(t, 2 * t); r = v.x + v.y; v = {1, 2}; r += v.y;", [3 * t + 2 for t in T]),
        ("", "float4 v; v.x = 1; v.w = 4; float *p = &v.x; p[1] = 2; r = v.x + v.y + v.w;", [7] * 8),
        (
            "__device__ int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }",
            "int2 v = make_int2(1, 2) + make_int2(t, t); r = v.x * v.y;",
            [(1 + t) * (2 + t) for t in T],
        ),
        (
            "__device__ void operator+=(int2 &a, int b) { a.x += b; a.y -= b; }",
            "int2 v = make_int2(5, 5); v += t; r = v.x * 10 + v.y;",
            [(5 + t) * 10 + 5 - t for t in T],
        ),
        (
            "struct V { int x; __device__ int twice() const { return 2 * x; } "
            "__device__ void add(int n) { x += n; } };",
            "V v = {t}; v.add(3); r = v.twice();",
            [2 * (t + 3) for t in T],
        ),
        (
            "struct V { int x; __device__ V &operator+=(const V &o) { x += o.x; return *this; } };",
            "V v = {t}, w = {2}; v += w; r = (v += w).x;",
            [t + 4 for t in T],
        ),
        (
            "__device__ int &at(int *a, int i) { return a[i]; }",
            "int a[2] = {3, t}; r = at(a, 0) + at(a, 1);",
            [t + 3 for t in T],
        ),
        (
            "struct V { int x, y; __device__ V(int a) : x(a), y(a + 1) {} };",
            "V v(t); r = v.x * v.y;",
            [t * (t + 1) for t in T],
        ),
    ],
)
def test_structs(before: str, body: str, wanted: list[int]) -> None:
    assert lanes(body, before=before) == wanted


@pytest.mark.parametrize(
    ("before", "body", "wanted"),
    [
        (
            "__device__ void swap(int &a, int &b) { int c = a; a = b; b = c; }",
            "int a = t, b = 10; if (t > 3) swap(a, b); r = a;",
            [0, 1, 2, 3, 10, 10, 10, 10],
        ),
        (
            "__device__ void add(int &a) { a += 2; }",
            "int v[2] = {1, 1}; add(v[t % 2]); r = v[0] * 10 + v[1];",
            [31, 13] * 4,
        ),
        ("__device__ int sum(const int &a, const int &b) { return a + b; }", "r = sum(t, 3);", [t + 3 for t in T]),
        (
            "",
            "int v[4] = {0}; int &last = v[3]; last = t; auto &first = v[0]; first = 1; r = v[0] + v[3];",
            [t + 1 for t in T],
        ),
        ("__device__ int f(int a, int b = 10) { return a * b; }", "r = f(t) + f(t, 2);", [12 * t for t in T]),
        (
            "__device__ int f(int) { return 1; } __device__ int f(float) { return 2; }"
            "__device__ int f(const int *) { return 3; }",
            "int v[1]; r = f(t) * 100 + f(1.f) * 10 + f(v);",
            [123] * 8,
        ),
        (
            "template <typename S> __device__ S max(S a, S b, S c) { return max(max(a, b), c); }",
            "r = max(t, 3) + max(t, 1, 2) + (int)max(0.5, 1.5f);",
            [max(t, 3) + max(t, 2) + 1 for t in T],
        ),
        (
            "__device__ void atomicMax(float *a, float v) { atomicMax((int *)a, __float_as_int(v)); }",
            "__shared__ float v[8]; v[t] = 1; atomicMax(&v[t], t + 0.5f); r = v[t] * 2;",
            [max(2, 2 * t + 1) for t in T],
        ),
        (
            "template <typename S> __device__ S larger(S a, S b) { return a > b ? a : b; }",
            "r = larger(t, 4) + (int)larger<float>(t, 0.5f);",
            [max(t, 4) + int(max(t, 0.5)) for t in T],
        ),
        (
            "template <int N, typename S> __device__ S power(S x) { S y = 1; for (int i = 0; i < N; i++) y *= x;"
            " return y; }",
            "r = power<3>(t);",
            [t**3 for t in T],
        ),
        (
            "template <int N> __device__ int count() { if constexpr (N > 0) return 1 + count<N - 1>(); "
            "else return 0; }",
            "r = count<5>();",
            [5] * 8,
        ),
        (
            "template <typename S> struct Box { S v; __device__ S twice() const { return v + v; } };"
            "template <typename S> __device__ S doubled(S x) { Box<S> b = {x}; return b.twice(); }",
            "r = doubled(t);",
            [2 * t for t in T],
        ),
        ("template <typename S, int N = 2> struct Tile { S v[N]; };", "Tile<int> a; a.v[1] = t; r = a.v[1];", T),
    ],
)
def test_functions(before: str, body: str, wanted: list[int]) -> None:
    assert lanes(body, before=before) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            "switch (t % 4) { case 0: r = 1; break; case 1: r = 2; case 2: r += 10; break; default: r = 5; }",
            [1, 12, 10, 5] * 2,
        ),
        ("switch (t) { default: r = 9; break; case 3: case 4: r = 1; }", [9, 9, 9, 1, 1, 9, 9, 9]),
        (
            "for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 3: if (t > 4) break; r += 100; } r++; }",
            [103] * 5 + [3] * 3,
        ),
        ("int i = 0; while (true) { switch (i++) { case 5: break; default: continue; } break; } r = i;", [6] * 8),
        ("switch (t) { case 2: { int x = 4; r = x; } }", [0, 0, 4, 0, 0, 0, 0, 0]),
    ],
)
def test_switch(body: str, wanted: list[int]) -> None:
    assert lanes(body) == wanted


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed"])
def test_a_switch_may_wait_and_return(schedule: str) -> None:
    source = """__global__ void k(int *out, int way) {
      __shared__ int s[64];
      s[threadIdx.x] = threadIdx.x;
      switch (way) { case 1: __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x]; return; }
      out[threadIdx.x] = -1; }"""
    for way, wanted in ((1, 63 - np.arange(64)), (2, np.full(64, -1))):
        given: dict[str, Argument] = {"out": Unwritten("int32", (64,)), "way": way}
        found = trace(source, given, block=(64,), schedule=schedule)
        assert found.hazards == ()
        assert np.array_equal(found.outputs["out"], wanted)


def test_a_vector_moves_in_one_access() -> None:
    source = """__global__ void k(float4 *out, const float *in) {
      float4 v = reinterpret_cast<const float4 *>(in)[threadIdx.x];
      out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x); }"""
    values = np.arange(32, dtype=np.float32).reshape(8, 4)
    found = trace(source, {"out": Unwritten("float32", (8, 4)), "in": values.reshape(-1)})
    assert found.hazards == ()
    assert np.array_equal(found.outputs["out"], values[:, ::-1])
    assert [site.width for site in found.sites] == [4, 4]
    assert found.access_count == 16
    out = found.arrays[found.array_number("out")]
    assert out.dtype == np.float32
    assert out.shape == (8, 4)


def test_a_struct_of_different_members_moves_member_by_member() -> None:
    source = (
        PAIR
        + """__global__ void k(Pair *out) {
      __shared__ Pair s[8];
      s[threadIdx.x] = Pair{0.5f, (int)threadIdx.x};
      __syncthreads();
      out[threadIdx.x] = s[7 - threadIdx.x]; }"""
    )
    found = trace(source, {"out": Unwritten("int32", (8, 2))})
    assert found.hazards == ()
    assert found.outputs["out"][:, 1].tolist() == T[::-1]
    assert found.outputs["out"][:, 0].view(np.float32).tolist() == [0.5] * 8
    assert {site.width for site in found.sites} == {1}


def test_struct_parameters_are_given_member_by_member() -> None:
    source = """struct View { float *data; int width; };
    __global__ void k(View v, int n) { if (threadIdx.x < n) v.data[threadIdx.x * v.width] = n; }"""
    found = trace(source, {"v.data": np.zeros(16, np.float32), "v.width": 2, "n": 4})
    assert found.outputs["v.data"][::2].tolist() == [4] * 4 + [0] * 4
    with pytest.raises(InputError, match=r"no value for 'v\.width'"):
        trace(source, {"v.data": np.zeros(16, np.float32), "n": 4})


TEMPLATE = """template <typename T, int SCALE>
__global__ void k(T *out) { out[threadIdx.x] = T(threadIdx.x) / SCALE; }"""


@pytest.mark.parametrize(
    ("template", "dtype", "wanted"),
    [({"T": "int", "SCALE": "2"}, "int32", 3), ({"T": "float", "SCALE": "4"}, "float32", 1.75)],
)
def test_a_template_kernel(template: dict[str, str], dtype: str, wanted: float) -> None:
    found = run(parse(TEMPLATE, "t.cu"), Launch(Dim3(1), Dim3(8)), {"out": Unwritten(dtype, (8,))}, template=template)
    assert found.outputs["out"][7] == wanted


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ({}, "give its argument as --template T=VALUE"),
        ({"T": "int", "N": "3"}, "no template parameter 'N': its parameters are T, SCALE"),
        ({"T": "number", "SCALE": "3"}, "'number' is not a type"),
    ],
)
def test_a_template_kernel_needs_its_arguments(template: dict[str, str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        run(parse(TEMPLATE, "t.cu"), Launch(Dim3(1), Dim3(8)), {}, template=template)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            "struct P { int x; };\n__global__ void k() { P p = {1}; p.y = 2; }",
            "2:34: P has no member .y: its members are .x",
        ),
        ("struct P { int x; };\n__global__ void k() { P p = {1, 2}; }", "2:33: too many values for P"),
        ("__device__ void f(int &a) { a = 1; }\n__global__ void k() { f(3); }", "2:23: f takes"),
        (
            "__device__ int f(int a, int b) { return a; }\n__global__ void k() { f(3); }",
            "2:23: f takes 2 arguments, 1 are given",
        ),
        (
            "struct P { int x; };\n__global__ void k() { P a = {1}, b = {2}; a + b; }",
            r"2:43: no operator \+ takes P and P",
        ),
        ("__global__ void k() { switch (1.5f) { case 1: break; } }", "1:23: switch needs an integer"),
    ],
)
def test_mismatched_types_are_refused(source: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        trace(source)


def test_a_constructor_by_default_beside_another() -> None:
    source = """
    struct Pair {
        Pair() = default;
        __device__ explicit Pair(int x) : a(x), b(2 * x) {}
        int a, b = 7;
    };
    __global__ void k(int *out) {
        Pair none, one(threadIdx.x);
        none.a = 100;
        out[threadIdx.x] = none.a + 10 * none.b + one.a + one.b;
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [170 + 3 * t for t in range(8)]
    assert found.hazards == ()


UNIONS = """
union Bits { float f; unsigned u; unsigned char b[4]; };
typedef union { double d; unsigned long long l; int2 halves; } Wide;
struct Tagged { int tag; Bits value; };
__device__ unsigned bits(float x) { Bits c; c.f = x; return c.u; }
__device__ Bits made(unsigned u) { Bits c; c.u = u; return c; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("r = bits(2.0f) >> 24;", lambda _: 0x40),
        ("Bits c = made(0x40490fdb); r = (int)(c.f * 100) + c.b[0];", lambda _: 314 + 0xDB),
        ("Wide w; w.d = 1.0; w.halves.x = t; r = (int)(w.l >> 52) + (int)(w.l & 15);", lambda t: 1023 + t),
        ("union { int i; float f; } x; x.f = t; r = x.i >> 23;", lambda t: 126 + t.bit_length() if t else 0),
        ("Tagged m; m.tag = t; m.value.f = 1; auto n = m; r = n.tag + n.value.b[2];", lambda t: t + 128),
        ("Bits c[2]; c[t & 1].u = 5; c[1 - (t & 1)].u = 7; Bits *p = c; r = p[1].b[0];", lambda t: 5 if t & 1 else 7),
        ("Bits c{}; r = c.u + sizeof(Bits) + sizeof(Wide) + sizeof(Tagged);", lambda _: 20),
    ],
)
def test_unions(body: str, expected: object) -> None:
    assert callable(expected)
    assert lanes(body, before=UNIONS) == [expected(t) for t in range(8)]


def test_an_array_of_unions() -> None:
    source = UNIONS + "__global__ void k(Bits *g, Tagged *s) { g[threadIdx.x].f += 1; s[threadIdx.x].value.b[1] = 1; }"
    found = trace(source, {"g": np.zeros(8, np.float32), "s": np.zeros((8, 2), np.uint32)})
    assert found.outputs["g"].tolist() == [1] * 8
    assert found.outputs["s"].tolist() == [[0, 256]] * 8
    assert found.hazards == ()


def test_a_member_of_a_union_without_a_name_is_refused() -> None:
    with pytest.raises(SourceError, match=r"member \.f of a value: give the struct or union a name first"):
        lanes("float x = made(1).f;", before=UNIONS)


def test_a_union_takes_the_default_values_of_its_first_member() -> None:
    before = "template <int N> union Sums { float x[N]{1}; float4 x4[N / 4]; };"
    body = "Sums<8> sums[2][3]; sums[1][2].x[5] += t; r = sums[1][2].x4[1].y + sums[0][0].x[0] + sums[1][0].x4[1].w;"
    assert lanes(body, before=before) == [t + 1 for t in range(8)]
