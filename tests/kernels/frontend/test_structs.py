"""Structs: layout, members, functions, and values made of braces."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.frontend.types import Struct
from tests.kernels.frontend.nested_lists import body, function, shape


def struct_of(text: str, name: str = "S") -> Struct:
    program = parse(f"{text}\n__device__ {name} wanted;", "k.cu")
    kind = program.variables[-1].type
    assert isinstance(kind, Struct)
    return kind


@pytest.mark.parametrize(
    ("text", "fields", "size", "align"),
    [
        ("struct S { int x; };", "int x 0", 4, 4),
        ("struct S { char a; double b; short c; };", "char a 0, double b 8, short c 16", 24, 8),
        ("struct S { float x, y; int n[3]; };", "float x 0, float y 4, int[3] n 8", 20, 4),
        ("struct __align__(16) S { float x; };", "float x 0", 16, 16),
        ("struct alignas(8) S { int x; };", "int x 0", 8, 8),
        ("typedef struct { int x; } S;", "int x 0", 4, 4),
        ("typedef struct T { int x; } S, *P;", "int x 0", 4, 4),
        ("struct T { char c; float f; }; struct S { T a; T b[2]; };", "T a 0, T[2] b 8", 24, 4),
        ("struct S { S *next; int value; };", "S * next 0, int value 8", 16, 8),
        ("struct S { struct S *next; };", "S * next 0", 8, 8),
        ("struct S { float4 v; half h; };", "float4 v 0, half h 16", 32, 16),
        (
            "struct S { const float *p; unsigned long long n; };",
            "const float * p 0, unsigned long long n 8",
            16,
            8,
        ),
        ("struct S { enum { A = 3 }; int x[A]; };", "int[3] x 0", 12, 4),
        ("struct S { static constexpr int N = 2; float x[N]; };", "float[2] x 0", 8, 4),
        ("struct S { using T = double; T x; };", "double x 0", 8, 8),
        ("class S { public: int x; private: int y; };", "int x 0, int y 4", 8, 4),
        ("struct S { };", "", 1, 1),
        ("struct __attribute__((aligned(8))) S { int x; };", "int x 0", 8, 8),
        ("struct S { int x; } __attribute__((aligned(16)));", "int x 0", 16, 16),
        (
            "#pragma pack(push, 1)\nstruct H { char c; int n; };\n#pragma pack(pop)\nstruct S { char c; int n; };",
            "char c 0, int n 4",
            8,
            4,
        ),
        ("struct S; struct S { int x; }; struct S;", "int x 0", 4, 4),
        ("struct S { int x = 3; float y{2}; };", "int x 0, float y 4", 8, 4),
    ],
)
def test_layout(text: str, fields: str, size: int, align: int) -> None:
    kind = struct_of(text)
    assert ", ".join(f"{f.type} {f.name} {f.offset_bytes}" for f in kind.fields) == fields
    assert (kind.size_bytes, kind.align_bytes) == (size, align)


PAIR = "struct Pair { int a, b; }; struct Deep { Pair p; float v[3]; };"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pair p;", None),
        ("Pair p = {1, 2};", ["Pair{}", 1, 2]),
        ("Pair p{1};", ["Pair{}", 1]),
        ("Pair p{};", ["Pair{}"]),
        ("Pair p(1, 2);", ["Pair{}", 1, 2]),
        ("Pair p = Pair{1, 2};", ["Pair{}", 1, 2]),
        ("Pair p = Pair(1, 2);", ["Pair{}", 1, 2]),
        ("Pair p = (Pair){1, 2};", ["Pair{}", 1, 2]),
        ("struct Pair p = {1, 2,};", ["Pair{}", 1, 2]),
        ("Deep d = {{1, 2}, {3, 4}};", ["Deep{}", ["Pair{}", 1, 2], ["float[3]{}", 3, 4]]),
        ("Deep d = {{1, 2}, 3, 4, 5};", ["Deep{}", ["Pair{}", 1, 2], ["float[3]{}", 3, 4, 5]]),
        ("Pair p[2] = {{1, 2}, {3}};", [["Pair{}", 1, 2], ["Pair{}", 3]]),
        ("Pair p[2][2] = {{{1, 2}}, {}};", [["Pair{}", 1, 2], ["Pair{}"], ["Pair{}"], ["Pair{}"]]),
        ("float4 v = make_float4(1, 2, 3, 4);", ["make_float4()", 1, 2, 3, 4]),
        ("float2 v = {1, 2};", ["float2{}", 1, 2]),
        ("float2 v = float2{1, 2};", ["float2{}", 1, 2]),
        ("auto v = float2{1, 2};", ["float2{}", 1, 2]),
        ("const auto &v = a[0];", ["[]", "a", 0]),
        ("dim3 v(1, 2);", ["dim3{}", 1, 2]),
        ("float x = float{1};", 1),
        ("float x = Pair{1, 2}.a;", [".", ["Pair{}", 1, 2], "a"]),
        ("float x = f({1, 2}, Pair{});", ["f()", ["auto{}", 1, 2], ["Pair{}"]]),
    ],
)
def test_values(text: str, expected: Any) -> None:
    assert body(text, before=PAIR)[0][1][2] == expected


def test_values_that_the_place_decides() -> None:
    assert body("float2 v; v = {1, 2};")[1] == ["=", "v", ["auto{}", 1, 2]]
    text = "__device__ float2 f(float x) { return {x, x}; }"
    assert function(text, "f") == ["float2", [["float", "x"]], [["return", ["float2{}", "x", "x"]]]]


def test_members() -> None:
    assert body("Pair p, *q = &p; p.a = q->b; (*q).a++; Deep d; d.p.a = sizeof(d.v[0]);", before=PAIR)[1:] == [
        ["=", [".", "p", "a"], [".", ["*", "q"], "b"]],
        ["_++", [".", ["*", "q"], "a"]],
        ["declare", ["Deep", "d", None]],
        ["=", [".", [".", "d", "p"], "a"], ["sizeof", ["[]", [".", "d", "v"], 0]]],
    ]


VECTOR = """
struct V {
    float x = 1, y;
    static constexpr int N = 2;
    enum { RED, BLUE };
    typedef float Real;
    __host__ __device__ V() : y(2) {}
    __device__ explicit V(float a, float y) : x{a}, y(y) { x *= N; }
    __device__ float dot(const V &o) const { float y = o.y; return x * o.x + this->y * y + BLUE; }
    __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); }
    __device__ V &operator+=(V o) { *this = *this + o; return *this; }
    __device__ float &operator[](int i) { return i ? y : x; }
    __device__ float operator()(float t) const { return scale(t) * dot(*this); }
    __device__ static float scale(Real t) { return 2 * t; }
    __device__ float late();
    void print() const { std::cout << x; }
    ~V() = default;
    V(const V &) = default;
    template <int I> __device__ float get() { return x; }
};
__device__ float V::late() { return y + N; }
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "V::dot",
            [
                "float",
                [["const V &", "this"], ["const V &", "o"]],
                [
                    ["declare", ["float", "y", [".", "o", "y"]]],
                    [
                        "return",
                        ["+", ["+", ["*", [".", "this", "x"], [".", "o", "x"]], ["*", [".", "this", "y"], "y"]], 1],
                    ],
                ],
            ],
        ),
        (
            "V::operator+",
            [
                "V",
                [["const V &", "this"], ["const V &", "o"]],
                [
                    [
                        "return",
                        ["V{}", ["+", [".", "this", "x"], [".", "o", "x"]], ["+", [".", "this", "y"], [".", "o", "y"]]],
                    ]
                ],
            ],
        ),
        (
            "V::operator+=",
            ["V &", [["V &", "this"], ["V", "o"]], [["=", "this", ["+", "this", "o"]], ["return", "this"]]],
        ),
        (
            "V::operator[]",
            [
                "float &",
                [["V &", "this"], ["int", "i"]],
                [["return", ["?:", "i", [".", "this", "y"], [".", "this", "x"]]]],
            ],
        ),
        (
            "V::operator()",
            [
                "float",
                [["const V &", "this"], ["float", "t"]],
                [["return", ["*", ["V::scale()", "t"], [".dot()", "this", "this"]]]],
            ],
        ),
        ("V::scale", ["float", [["float", "t"]], [["return", ["*", 2, "t"]]]]),
        ("V::late", ["float", [["V &", "this"]], [["return", ["+", [".", "this", "y"], 2]]]]),
    ],
)
def test_functions_of_a_struct(name: str, expected: Any) -> None:
    assert function(VECTOR, name) == expected


def test_constructors_initialise_every_member() -> None:
    nothing, two = (f for f in parse(VECTOR, "k.cu").functions if f.name == "V::V")
    assert [shape(s) for s in nothing.body.body] == [
        ["=", [".", "this", "x"], 1],
        ["=", [".", "this", "y"], 2],
    ]
    assert [shape(s) for s in two.body.body] == [
        ["=", [".", "this", "x"], "a"],
        ["=", [".", "this", "y"], "y"],
        ["*=", [".", "this", "x"], 2],
    ]
    assert str(two.returns) == "void"


def test_calls_of_functions_of_a_struct() -> None:
    terms = "v.dot(w) + p->dot(V(3, 4)) + V::scale(2) + V::N + V::RED + v(1) + v[0]"
    text = f"V v, w(1, 2), *p = &v; n = {terms}; V::Real r;"
    declared, assigned, real = body(text, before=VECTOR)
    assert [variable[2] for variable in declared[1:]] == [["V{}"], ["V{}", 1, 2], ["&", "v"]]
    value = assigned[2]
    added = []
    while value[0] == "+":
        added.append(value[2])
        value = value[1]
    assert [value, *added[::-1]] == [
        [".dot()", "v", "w"],
        [".dot()", ["*", "p"], ["V{}", 3, 4]],
        ["V::scale()", 2],
        2,
        0,
        [".operator()()", "v", 1],
        ["[]", "v", 0],
    ]
    assert real == ["declare", ["float", "r", None]]


def test_variables_without_a_value_are_constructed_where_they_can_be() -> None:
    assert body("V v; V w[2]; __shared__ V s, t[2];", before=VECTOR) == [
        ["declare", ["V", "v", ["V{}"]]],
        ["declare", ["V[2]", "w", [["V{}"], ["V{}"]]]],
        ["declare", ["shared V", "s", None], ["shared V[2]", "t", None]],
    ]


def test_functions_that_are_left_out() -> None:
    reasons = {omission.name: omission.reason for omission in parse(VECTOR, "k.cu").omissions}
    assert reasons["V::print"] == "a host function: mark it __device__"


def test_default_member_values_complete_braces() -> None:
    given = "struct S { int a; float b = 2; Q *c; int d = 4; };".replace("Q", "int")
    assert body("S s{1}, t, u = {1, 2, 0, 5};", before=given)[0][1:] == [
        ["S", "s", ["S{}", 1, 2, 0, 4]],
        ["S", "t", ["S{}", 0, 2, 0, 4]],
        ["S", "u", ["S{}", 1, 2, 0, 5]],
    ]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("struct S { int x[]; int n; };", (1, 16), "this array needs a length"),
        ("struct S { T x; };", (1, 12), "not supported: type 'T'"),
        ("struct S { S x; };", (1, 14), "the type of member 'x' is not complete"),
        ("struct S { S x[2]; };", (1, 14), "the type of member 'x' is not complete"),
        ("struct S { static int x; };", (1, 23), "not supported: static member 'x'"),
        ("struct S { int x; __device__ ~S() { x = 0; } };", (1, 31), "not supported: destructor"),
        ("struct S { int x = ; };", (1, 19), "syntax error: expected a value"),
        ("struct S { char c; int n; } __attribute__((packed));", (1, 29), "not supported: packed struct"),
        ("#pragma pack(1)\nstruct S { char c; int n; };", (2, 27), "not supported: #pragma pack"),
    ],
)
def test_structs_that_cannot_be_parsed(text: str, place: tuple[int, int], words: str) -> None:
    omission = parse(text, "k.cu").omission("S")
    assert omission is None or omission.reason.startswith(f"k.cu:{place[0]}:{place[1]}: {words}")
    with pytest.raises(SourceError):
        parse(f"{text}\n__device__ S{2 * ('S2' in text) or ''} s;", "k.cu")


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("Pair p = {1, 2, 3};", 17, "too many values for Pair"),
        ("Pair p = {.a = 1, .a = 2};", 19, "Pair has no member 'a', or it is initialised twice"),
        ("Pair p = {1 2};", 13, "syntax error near '2'"),
        ("Pair &p;", 7, "the reference 'p' needs a value"),
        ("Pair &p = {1, 2};", 11, "not supported: { … } here"),
        ("auto p = {1, 2};", 10, "not supported: { … } here"),
        ("int p = Pair::c;", 9, "Pair has no member 'c' that is known"),
        ("int &*p = a;", 6, "a pointer to a reference"),
        ("n = this->a;", 5, ""),
    ],
)
def test_values_that_are_refused(text: str, column: int, words: str) -> None:
    if not words:
        return
    with pytest.raises(SourceError) as caught:
        body(f"\n{text}", before=PAIR)
    assert caught.value.reason.startswith(words)
    assert caught.value.column == column
