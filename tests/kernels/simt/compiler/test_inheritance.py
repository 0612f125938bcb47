"""Structs that inherit from one other, and constructors of templates."""

from __future__ import annotations

import pytest

from kernels.frontend import parse

BEFORE = """
struct A {
    int x, n;
    __device__ A(int v) : x(v), n(1) {}
    __device__ int get() const { return x; }
    __device__ void add(int d) { x += d; }
    __device__ int who() { return 1; }
    __device__ bool operator==(const A &o) const { return x == o.x; }
};
struct B : public A {
    int y;
    __device__ B(int a, int b) : A(a), y(b) {}
    __device__ int sum() const { return get() + y + A::get(); }
    __device__ int who() { return 10 + A::who(); }
};
struct C : B { int z[2]; __device__ C() : B(1, 2) { z[0] = z[1] = 5; add(100); } };
struct V : int2 { __device__ int s() const { return x + y; } };
struct G0 { double d; char c; };
struct G : G0 { char e; };
struct G2 : int2 { double d; char c; };
struct D { int a = 7, b = 8; };
struct E : D { int c = 9; };
struct Empty { __device__ int one() const { return 1; } };
struct F : private Empty {
    int v;
    __device__ F(int v) : Empty(), v(v) {}
    __device__ int f() const { return one() + v; }
};
template <typename T> struct Base { T v; __device__ T twice() const { return 2 * v; } };
template <typename T> struct Der : Base<T> { T w; __device__ T all() const { return this->twice() + this->v + w; } };
template <typename T, int N = 2> struct Scaled { T v; __device__ Scaled(T x) : v(N * x) {} };
__device__ int use(const A &a) { return a.get(); }
__device__ int by_value(A a) { return ++a.x; }
__device__ void bump(A *a) { a->x += 1; a->add(1); }
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("struct X : A, D { };", "several bases"),
        ("struct X : virtual D { };", "virtual inheritance"),
        ("struct X : A { int z; };", "X without a constructor, but its base A has one"),
        ("struct X : D { int a; };", "member a of a base and of X"),
        ("class P { public: double d; char c; }; struct X : P { char e; };", "which ends in padding"),
        ("struct P { double d; char c = 1; }; struct X : P { char e; };", "which ends in padding"),
        ("struct X : int { };", "inheritance from int"),
        ("struct X; struct Y : X { };", "the base X is not complete"),
        ("struct X { struct Y : X { }; };", "the base X is not complete"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    program = parse(f"{BEFORE}{text}", "k.cu")
    assert any(reason in omission.reason for omission in program.omissions), program.omissions
