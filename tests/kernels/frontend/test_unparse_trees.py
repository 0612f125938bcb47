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
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import shape

CASES = Cases(__file__)

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


@pytest.mark.parametrize("text", CASES("calls_and_values_of_structs"))
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


@pytest.mark.parametrize(("text", "expected"), CASES("as_few_parentheses_as_it_needs"))
def test_as_few_parentheses_as_it_needs(text: str, expected: str) -> None:
    assert render(parse_expression(text)) == expected


@pytest.mark.parametrize(("text", "names", "expected"), CASES("names_are_replaced"))
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
