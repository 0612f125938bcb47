from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.frontend import parse, parse_expression, render, text_of
from kernels.frontend.ast import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Do,
    Expr,
    Index,
    Member,
    Name,
    Number,
    Span,
    Unary,
    Update,
)
from kernels.frontend.types import DOUBLE, FLOAT, INT, LONG, Pointer, Scalar
from tests.kernels.frontend.nested_lists import shape

HERE: Final = Span(1, 1, 1, 1)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (-3, INT, "2 - -3"),
        (-(2**31), INT, "2 - INT_MIN"),
        (-(2**63), LONG, "2 - LLONG_MIN"),
        (float("inf"), FLOAT, "2 - INFINITY"),
        (float("-inf"), DOUBLE, "2 - (double)-INFINITY"),
        (float("nan"), FLOAT, "2 - NAN"),
        (1e20, FLOAT, "2 - 1e+20f"),
    ],
)
def test_numbers_are_written_as_operands(value: float, kind: Scalar, text: str) -> None:
    number = Number(HERE, value, kind)
    assert render(Binary(HERE, "-", Number(HERE, 2, INT), number)) == text


@pytest.mark.parametrize(
    "text",
    [
        "v.dot(w).x",
        "p->f(1, a + b)",
        "f<float, 16>(x)",
        "g<const float *>(x)[2]",
        "make_float4(a, b, 0, 0).w",
        "*(float4 *)&a[0]",
        "float2{a, b}.x + S{1, float2{2, 3}}.y",
        "f({1, 2}, float4{})",
        "E::A + S::g(1)",
        "op(1)",
    ],
)
def test_calls_and_values_of_structs(text: str) -> None:
    given = (
        "enum class E { A }; struct S { int x; float2 y; __device__ static int g(int a) { return a; } };"
        "template <class T, int N = 1> __device__ T f(T x) { return x; }"
        "template <class T> __device__ T g(T x) { return x; }"
    )
    kernel = parse(f"{given} __global__ void k(S op) {{ {text}; }}", "k.cu").kernels[0]
    (statement,) = kernel.body.body
    assert isinstance(statement, Do)
    assert render(statement.expression) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("((row))*(K)+((k))", "row * K + k"),
        ("row*(K+k)", "row * (K + k)"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("a*(b/c)", "a * (b / c)"),
        ("(a&&b)||c", "a && b || c"),
        ("a&&(b||c)", "a && (b || c)"),
        ("ty+r^tx", "(ty + r) ^ tx"),
        ("a^b^c&d|e<<1", "(a ^ b ^ (c & d)) | (e << 1)"),
        ("- -a", "-(-a)"),
        ("-(a+b)", "-(a + b)"),
        ("!(a<b)", "!(a < b)"),
        ("(a?b:c)?d:e", "(a ? b : c) ? d : e"),
        ("a?b:(c?d:e)", "a ? b : c ? d : e"),
        ("a?b=c:(d=e)", "a ? b = c : (d = e)"),
        ("a=(b=c)", "a = b = c"),
        ("(a,b)+c", "(a, b) + c"),
        ("f((a,b),c=d)", "f((a, b), c = d)"),
        ("(*p).x+p->y", "p->x + p->y"),
        ("(a+b)[c]", "(a + b)[c]"),
        ("*p[i]", "*p[i]"),
        ("(*p)[i]", "(*p)[i]"),
        ("*p++ + ++*p", "*p++ + ++*p"),
        ("(float)(a+b)*c", "(float)(a + b) * c"),
        ("&s[0][1]", "&s[0][1]"),
        ("a[(b, c)]", "a[(b, c)]"),
        ("(a, b), c", "a, b, c"),
        ("a, (b, c)", "a, (b, c)"),
        ("sizeof (float)+sizeof a", "sizeof(float) + sizeof(a)"),
        ("0.0f+1e10f+.5+1u+1ll+0x10+true", "0.0f + 1e+10f + 0.5 + 1u + 1ll + 16 + true"),
        ("4294967296", "4294967296"),
        (r'f("a\n\"")', r'f("a\n\"")'),
        (r"c - 'a' + '\n' + '\'' + '\x01'", r"c - 'a' + '\n' + '\'' + '\x01'"),
        ("threadIdx.x", "threadIdx.x"),
    ],
)
def test_as_few_parentheses_as_it_needs(text: str, expected: str) -> None:
    assert render(parse_expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        (
            "row * K + t * TILE_WIDTH + tx",
            {"row": "3", "K": "8", "t": "1", "tx": "0"},
            "3 * 8 + 1 * TILE_WIDTH + 0",
        ),
        ("blockIdx.x * 16 + threadIdx.x", {"blockIdx.x": "2", "threadIdx.x": "5"}, "2 * 16 + 5"),
        ("a.x + x", {"x": "1"}, "a.x + 1"),
        ("a - b", {"b": "-1"}, "a - -1"),
        ("-b", {"b": "-1"}, "-(-1)"),
        ("b[i]", {"b": "-1", "i": "2"}, "(-1)[2]"),
        ("a * b", {"b": "c + 1"}, "a * (c + 1)"),
        ("A[i]", {"A": "-1e+20", "i": "1.5e-05f"}, "(-1e+20)[1.5e-05f]"),
        ("f(x)", {"f": "g", "x": "1"}, "f(1)"),
    ],
)
def test_names_are_replaced(text: str, names: dict[str, str], expected: str) -> None:
    assert render(parse_expression(text), names) == expected


def _trees() -> st.SearchStrategy[Expr]:
    leaves = st.one_of(
        st.sampled_from("abcn").map(lambda name: Name(HERE, name)),
        st.integers(0, 99).map(lambda value: Number(HERE, value, INT)),
        st.sampled_from([0.0, 0.5, 2.0**-30, 2.0**70]).map(lambda value: Number(HERE, value, FLOAT)),
    )

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        here = st.just(HERE)
        binary = ["+", "-", "*", "/", "%", "<<", ">>", "<", "<=", "==", "!=", "&", "^", "|", "&&", "||"]
        base = inner.filter(lambda tree: not isinstance(tree, Number | Update))
        place = st.one_of(st.builds(Name, here, st.just("p")), st.builds(Index, here, base, inner))
        return st.one_of(
            st.builds(Binary, here, st.sampled_from(binary), inner, inner),
            st.builds(Unary, here, st.sampled_from(list("-+!~*&")), inner),
            st.builds(Conditional, here, inner, inner, inner),
            st.builds(Assign, here, st.sampled_from(["=", "+=", "<<="]), place, inner),
            st.builds(Update, here, st.sampled_from(["++", "--"]), st.booleans(), place),
            place,
            st.builds(Member, here, place, st.just("x")),
            st.builds(Call, here, st.just("f"), st.lists(inner, max_size=2).map(tuple)),
            st.builds(Cast, here, st.sampled_from([FLOAT, INT, Pointer(FLOAT)]), inner),
        )

    trees = leaves
    for _ in range(3):
        trees = st.one_of(leaves, grow(trees))
    return trees


@settings(max_examples=200, deadline=None)
@given(_trees())
def test_unparsed_text_parses_to_the_same_tree(tree: Expr) -> None:
    assert shape(parse_expression(render(tree))) == shape(tree)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(1, 1, 1, 4), "one"),
        (Span(2, 3, 2, 6), "two"),
        (Span(1, 3, 3, 2), "e // first\n  two;\nt"),
        (Span(1, 4, 1, 4), ""),
        (Span(9, 1, 9, 4), ""),
    ],
)
def test_text_of_a_span(span: Span, expected: str) -> None:
    assert text_of("one // first\n  two;\nthree", span) == expected
