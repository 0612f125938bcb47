"""Structs that inherit from one other, and constructors of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable

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
    ("body", "expected"),
    [
        ("B b(t, 2); r = b.sum() + b.n;", lambda t: 2 * t + 3),
        ("B b(t, 2); A &a = b; a.add(3); r = b.x + a.who() * 100 + b.who() * 1000;", lambda t: t + 3 + 11100),
        ("B b(t, 2); bump(&b); r = use(b) + by_value(b) - b.x;", lambda t: t + 3),
        ("C c; r = c.x + c.y + c.z[t & 1] + c.n;", lambda t: 101 + 2 + 5 + 1),
        ("C c; C *p = &c; A *a = p; B *b = p; a->x = t; r = b->sum() + (a == b);", lambda t: 2 * t + 3),
        ("B b(t, 2); A a = b; a.x += 5; r = a.x - b.x;", lambda t: 5),
        ("B b(t, 2), c(3, 4); r = b == c;", lambda t: t == 3),
        ("G g; g.e = t; G2 h{}; r = g.e + 100 * sizeof(G) + sizeof(h);", lambda t: t + 2400 + 24),
        ("V v; v.x = t; v.y = 2; int2 &i = v; i.x += 1; r = v.s();", lambda t: t + 3),
        ("E e; E f = {1, 2, 3}; E g = {t}; r = e.a + e.b + e.c + f.c + g.a * 100;", lambda t: 24 + 3 + 100 * t),
        ("F f(t); r = f.f() * 100 + sizeof(F);", lambda t: (t + 1) * 100 + 4),
        ("Der<int> d; d.v = t; d.w = 1; r = d.all() + sizeof(d);", lambda t: 3 * t + 9),
        ("B *b[2]; B u(t, 1), v(5, 1); b[0] = &u; b[1] = &v; r = use(*b[t & 1]);", lambda t: 5 if t & 1 else t),
        ("Scaled<int> s(t), u = Scaled<int>(3); Scaled<int, 5> w(1); r = s.v + u.v + w.v;", lambda t: 2 * t + 11),
    ],
)
def test_derived_structs(body: str, expected: Callable[[int], int]) -> None:
    assert lanes(body, before=BEFORE) == [expected(t) for t in range(THREADS)]


def test_members_of_a_base_lie_first_in_memory() -> None:
    source = """
    struct P { int a; float b; };
    struct Q : P { int c; };
    __global__ void k(Q *q) { P *p = &q[threadIdx.x]; p->a += q[threadIdx.x].c; }"""
    found = trace(source, {"q": np.arange(24, dtype=np.int32).reshape(8, 3)})
    assert found.outputs["q"][:, 0].tolist() == [6 * t + 2 for t in range(8)]
    assert found.hazards == ()


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


def test_a_struct_that_was_left_out_is_named_where_it_is_used() -> None:
    with pytest.raises(SourceError, match="not supported: several bases") as caught:
        lanes("X x;", before=BEFORE + "struct X : A, D { };")
    assert "type 'X' was left out: test.cu:35:10: " in str(caught.value)


@pytest.mark.parametrize("called", ["Base", "own::Base", "Parent", "own::Base<T>"])
def test_a_base_is_given_its_values_by_any_of_its_names(called: str) -> None:
    source = f"""
    namespace own {{ template <typename T> struct Base {{ T x; __device__ Base(T x) : x(x) {{}} }}; }}
    template <typename T> struct Derived : own::Base<T> {{
        using Parent = own::Base<T>;
        int y;
        __device__ Derived(T x) : {called}(x), y(2) {{}}
    }};
    __global__ void k(int *out) {{ Derived<int> d(3); out[0] = d.x * 10 + d.y; }}"""
    assert trace(source, {"out": Unwritten("int32", (1,))}, block=(1,)).outputs["out"].tolist() == [32]


def test_constructors_are_not_inherited() -> None:
    before = "struct A { int x; __device__ A(int v) : x(v) {} }; struct B : A { using A::A; };"
    with pytest.raises(
        SourceError, match="not supported: inheritance of constructors; write the constructors in this struct"
    ):
        lanes("B b(1); r = b.x;", before=before)
