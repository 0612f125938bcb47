"""C++17 and C++20 in kernels: constexpr if, initialisers in conditions, designators, attributes, host types."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run
from tests.kernels.simt.programs import THREADS, trace

KERNEL = "__global__ void k(int *out) {{ int t = threadIdx.x; {} }}"


PAIR = "struct P { int x, y; };\n"


def outputs(before: str, body: str) -> list[int]:
    found = trace(before + KERNEL.format(body), {"out": Unwritten("int32", (THREADS,))})
    assert found.hazards == ()
    return list(found.outputs["out"].tolist())


@pytest.mark.parametrize(
    ("before", "body", "wanted"),
    [
        # A template may name the next of its instances without end: they are made where they are used.
        (
            "template <int N> struct Tile { using Next = Tile<N + 1>; static constexpr int n = N; int v; };",
            "Tile<1>::Next a{2}; using T = Tile<1>::Next; T::Next c{2}; out[t] = a.v + c.v + Tile<1>::Next::Next::n;",
            7,
        ),
        (
            "template <int N> struct Sum { typedef Sum<N - 1> Less; static constexpr int value = N + Less::value; };"
            "template <> struct Sum<0> { static constexpr int value = 0; };",
            "out[t] = Sum<4>::value;",
            10,
        ),
        (
            "template <typename T> struct V { template <typename U> using rebind = V<U>; T x; };",
            "V<float>::rebind<int> a{3}; out[t] = a.x;",
            3,
        ),
        # Types of calls, for decltype and names of parts.
        (
            "template <typename T> __device__ T twice(T x) { return x + x; }",
            "auto x = twice(21); decltype(x) y = x; decltype(twice(1.5f)) z = 0.5f; out[t] = y + (z > 0.4f);",
            43,
        ),
        (
            "template <typename T> struct Box { T v; };"
            "template <typename T> __device__ auto box(T v) { Box<T> made{v}; return made; }",
            "auto b = box(7); decltype(b) c = b; decltype(c.v) d = c.v; out[t] = d;",
            7,
        ),
        (
            "template <typename A, typename B> struct Two { A first; B second; };"
            "template <typename A, typename B> __device__ Two<A, B> two(A a, B b) { return {a, b}; }",
            "auto [x, y] = two(3, 4.5f); out[t] = x + (y > 4.4f);",
            4,
        ),
        (
            "template <typename F> __device__ auto call(F f, int x) -> decltype(f(x)) { return f(x); }",
            "out[t] = call([] (int x) { return x + 1; }, 4);",
            5,
        ),
        # Functions with auto parameters are templates.
        (
            "__device__ int first(const auto *p) { return p[0]; }\n__device__ int first(float *p) { return 99; }"
            "__device__ void put(auto &x, auto v) { x = v; }",
            "int a[2] = {5, 6}; float f[1] = {1}; int x; put(x, a[1]); out[t] = first(a) + first(f) + x;",
            110,
        ),
        (
            "template <typename T> concept Number = std::is_arithmetic_v<T>;"
            "__device__ auto halved(Number auto x) { return x / 2; }"
            "__device__ int one(std::integral auto x) { return x; }",
            "out[t] = halved(5) + (halved(5.0f) > 2.4f) + one(1);",
            4,
        ),
        # Braces.
        (
            PAIR + "struct Q { int n; __device__ int add(P p) const { return n + p.x + p.y; } };",
            "Q q{1}; out[t] = q.add({2, 4});",
            7,
        ),
        ("union U { int i; float f; };", "U u{5}, v = {.i = 6}; U w = u; out[t] = u.i + v.i + w.i;", 16),
        ("union U { int i; float f; };", "U u = {.f = 1.0f}; out[t] = u.i;", 0x3F800000),
        # Of several templates that fit, the one that says most.
        (
            "template <typename T> __device__ int f(T a) { return 1; }"
            "template <typename T> __device__ int f(T *a) { return 2; }"
            "template <typename T> __device__ int f(T **a) { return 3; }",
            "int *p = out; out[t] = f(1.0f) + 10 * f(out) + 100 * f(&p);",
            321,
        ),
        (
            "template <typename T> __device__ int f(T *a) { return 2; }"
            "template <typename T> __device__ int f(const T *a) { return 3; }",
            "const int *p = out; out[t] = f(p) + 10 * f(out);",
            23,
        ),
        # dim3 is 1 where nothing is given, and becomes uint3, and the other way round.
        (
            "__device__ unsigned sum(uint3 d) { return d.x + d.y + d.z; }",
            "dim3 none, one(4), braces{2}, block = blockDim, thread = threadIdx; uint3 back = one;"
            "out[t] = sum(none) + 10 * sum(one) + 100 * sum(braces) + 1000 * block.y + thread.z + 10000 * back.y;",
            11463,
        ),
        # Members for values only, and constants of constants.
        (
            "struct S { int v; __device__ int get() & { return v + 2; } __device__ int get() const & { return v; }"
            "__device__ int get() && { return v + 1; } };",
            "S s{3}; const S c{4}; out[t] = s.get() + 10 * c.get() + 100 * S{5}.get();",
            645,
        ),
        ("struct S { int v; __device__ int get() && { return v + 1; } };", "S s{3}; out[t] = std::move(s).get();", 4),
        (
            "struct C { int a, b; }; constexpr C cfg{3, 4}; constexpr int T[2] = {1, 2};"
            "constexpr int N = cfg.a + cfg.b, M = T[1];",
            "int a[N]; a[6] = M; out[t] = N + a[6];",
            9,
        ),
        # Statements.
        (PAIR, "switch (int a = 3; a) { case 3: out[t] = 1; break; default: out[t] = 2; }", 1),
        ("", "switch (auto a = 2 + 2) { case 4: out[t] = a; }", 4),
        (
            "enum class Mode { Add, Mul = 4 };\n__device__ int run(Mode m) {"
            "using enum Mode; switch (m) { case Add: return 1; case Mul: return 2; } return 3; }",
            "out[t] = run(Mode::Mul) + 10 * run(Mode::Add);",
            12,
        ),
        # Of the standard library.
        ("", "out[t] = std::clamp(7, 1, 3) + (cuda::std::bit_cast<int>(1.0f) == 0x3f800000);", 4),
        (
            "__device__ int total(cuda::std::span<const int> s) { int n = 0; for (int x : s) n += x; return n; }",
            "int a[3] = {1, 2, 3}; cuda::std::span<const int> s(a, 3); out[t] = total(s) + s.last(1)[0] + s.size();",
            12,
        ),
    ],
)
def test_modern_c(before: str, body: str, wanted: int) -> None:
    assert outputs(before, body) == [wanted] * THREADS


@pytest.mark.parametrize("length", ["", "0"])
def test_an_array_without_a_length_ends_a_struct(length: str) -> None:
    source = f"""
    struct Header {{ int n; int data[{length}]; }};
    __global__ void k(int *out) {{
        __shared__ int bytes[9];
        Header *h = reinterpret_cast<Header *>(bytes);
        h->data[threadIdx.x] = threadIdx.x;
        out[threadIdx.x] = h->data[threadIdx.x] + sizeof(Header);
    }}"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [4 + t for t in range(8)]
    (hazard, *_) = trace(source, {"out": Unwritten("int32", (9,))}, block=(9,)).hazards
    assert (hazard.kind, hazard.index) == ("out-of-bounds", 9)


@pytest.mark.parametrize(
    ("before", "body", "reason"),
    [
        ("", "auto f = []<typename T>(T x) { return x; };", "template lambda; write auto: [](auto x)"),
        (
            "enum class M { A };\n__device__ int f(int) { return 1; }\n__device__ int f(M) { return 2; }\n",
            "out[t] = f(M::A);",
            "'f' was left out: test.cu:3:16: not supported: second function 'f'",
        ),
        (PAIR, "int P::*m = &P::y;", "pointer to a member; pass an index and use a switch"),
        (
            "struct D { int a = 1; int b = a + 1; };",
            "D d{}; out[t] = d.b;",
            "a default member value that names other members; write a constructor",
        ),
        ("struct A { int data[]; int n; };", "A a; out[t] = a.n;", "this array needs a length between [ and ]"),
    ],
)
def test_unsupported_constructs_are_refused_with_an_alternative(before: str, body: str, reason: str) -> None:
    with pytest.raises(SourceError, match=re.escape(reason)):
        trace(before + KERNEL.format(body), {"out": np.zeros(THREADS, np.int32)})


HOST = """
struct Scene { std::vector<int> shapes; glm::mat4 view; std::unique_ptr<int> p; int n; };
struct Part { Scene *scene; int n; };
__device__ Scene *current;
__global__ void k(int *out) { Part part; part.n = 3; out[threadIdx.x] = part.n; }
__global__ void f(int *out, Scene *scene) { out[threadIdx.x] = 1; }
__global__ void g(int *out) { Part part; part.scene = (Scene *)out; out[threadIdx.x] = part.scene->n; }
"""


def test_types_of_the_host_are_no_trouble_where_nothing_in_them_is_used() -> None:
    found = run(parse(HOST, "test.cu"), Launch(Dim3(1), Dim3(8)), {"out": Unwritten("int32", (8,))}, kernel="k")
    assert found.outputs["out"].tolist() == [3] * 8


@pytest.mark.parametrize(("kernel", "place"), [("f", "6:29"), ("g", "7:56")])
def test_types_of_the_host_are_refused_where_they_are_used(kernel: str, place: str) -> None:
    reason = f"test.cu:{place}: type 'Scene' was left out: test.cu:2:16: not supported: type 'std::vector'; it is"
    with pytest.raises(SourceError, match=re.escape(reason)):
        run(parse(HOST, "test.cu"), Launch(Dim3(1), Dim3(8)), {}, kernel=kernel)
