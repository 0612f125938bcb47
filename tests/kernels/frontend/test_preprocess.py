from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import InputError, SourceError
from kernels.frontend import ast, parse, text_of
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, shape
from tests.kernels.simt.programs import lanes

CASES = Cases(__file__)


@pytest.mark.parametrize(("given", "text", "expected"), CASES("macros"))
def test_macros(given: str, text: str, expected: Any) -> None:
    statement = body(text, before=given)[0]
    assert (statement[2] if statement[0] == "=" else statement) == expected


@pytest.mark.parametrize(("given", "taken"), CASES("conditions"))
def test_conditions(given: str, taken: bool) -> None:
    ends = given.count("#if") - given.count("#endif")
    text = f"\n{given}\nn = 1;\n" + "#endif\n" * ends
    assert body(text, before="#define W 4\n#define SQ(x) x * x") == ([["=", "n", 1]] if taken else [])


@pytest.mark.parametrize(("text", "place", "words"), CASES("broken_directives", tuples=True))
def test_broken_directives(text: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    assert words in caught.value.reason
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize("text", CASES("ignored"))
def test_ignored(text: str) -> None:
    assert parse(text, "k.cu").functions == ()


@pytest.mark.parametrize(("defines", "value"), CASES("defines_from_outside", tuples=True))
def test_defines_from_outside(defines: tuple[tuple[str, str], ...], value: int) -> None:
    program = parse(
        "#ifndef TILE_WIDTH\n#define TILE_WIDTH 16\n#endif\n__constant__ float t[TILE_WIDTH];",
        "k.cu",
        defines,
    )
    assert str(program.variables[0].type) == f"float[{value}]"


@pytest.mark.parametrize("name", ["", "3", "a b(", "("])
def test_a_define_that_is_none(name: str) -> None:
    with pytest.raises(InputError, match="not a macro, use NAME=VALUE"):
        parse("", "k.cu", [(name, "1")])


def test_names_of_the_ignored_headers() -> None:
    assert body("n = INT_MAX; n = FLT_MAX; n = INFINITY;") == [
        ["=", "n", 2147483647],
        ["=", "n", ["float", pytest.approx(3.4028235e38)]],
        ["=", "n", ["__int_as_float()", 0x7F800000]],
    ]


def spans(node: Any, found: list[tuple[Any, str]] | None = None) -> list[tuple[Any, str]]:
    """Every node below one, with the text of its span."""
    found = [] if found is None else found
    if isinstance(node, tuple):
        for member in node:
            spans(member, found)
    elif hasattr(node, "span"):
        found.append((node, text_of(CASES.source("spans"), node.span)))
        for name in node.__slots__:
            if name not in ("span", "header", "type", "returns"):
                spans(getattr(node, name), found)
    return found


def test_spans_point_into_the_text_as_written() -> None:
    kernel = parse(CASES.source("spans"), "k.cu").kernels[0]
    written = [(shape(node), text) for node, text in spans(kernel.body) if isinstance(node, ast.Expr)]
    for expected in [
        (["+", ["*", "n", 16], 1], "n * W + 1"),
        (["*", "n", 16], "n * W"),
        (16, "W"),
        (["[]", "a", ["+", ["*", ["+", "n", 1], 16], 16]], "a[IDX(n + 1, W)]"),
        (["+", ["*", ["+", "n", 1], 16], 16], "IDX(n + 1, W)"),
        (["*", ["+", "n", 1], 16], "IDX(n + 1, W)"),
        (["+", "n", 1], "n + 1"),
        (["++_", "i"], "++i"),
        (["+", 1, 1], "TWO"),
        (["=", "n", ["+", 1, 1]], "n = TWO"),
        (["<", "n", 16], "n < W"),
    ]:
        assert expected in written
    statements = [
        text_of(CASES.source("spans"), node.header)
        for node, _ in spans(kernel.body)
        if isinstance(node, ast.If | ast.For | ast.While)
    ]
    assert statements == [
        "for (int i = 0; i < W; /* é */ ++i)",
        "if (n < W)",
        "while (n)",
        "while (n == W)",
    ]
    assert text_of(CASES.source("spans"), kernel.span).startswith("__global__ void k(int n")
    assert text_of(CASES.source("spans"), kernel.body.span).endswith("while (n == W);\n}")
    assert [text_of(CASES.source("spans"), p.span) for p in kernel.parameters] == ["int n", "float *a"]


def test_every_span_is_inside_the_span_of_its_parent() -> None:
    def check(outer: Any) -> None:
        for name in outer.__slots__:
            value = getattr(outer, name)
            for inner in value if isinstance(value, tuple) else (value,):
                if hasattr(inner, "span"):
                    assert (outer.span.line, outer.span.column) <= (inner.span.line, inner.span.column)
                    assert (inner.span.end_line, inner.span.end_column) <= (
                        outer.span.end_line,
                        outer.span.end_column,
                    )
                    check(inner)

    check(parse(CASES.source("spans"), "k.cu").kernels[0])


def test_an_error_after_a_macro_points_at_the_text_as_written() -> None:
    with pytest.raises(SourceError) as caught:
        parse(
            "#define LONG_NAME 1\n__global__ void k(int n) { n = LONG_NAME + LONG_NAME; throw 1; }",
            "k.cu",
        )
    assert (caught.value.line, caught.value.column) == (2, 55)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("1 and not(A >= 2 || !defined(A))", True), ("A == 1 and not A", False), ("0 or B not_eq 0", False)],
)
def test_operators_may_be_spelled_in_conditions(condition: str, holds: bool) -> None:
    program = parse(f"#define A 1\n#if {condition}\n__device__ int yes;\n#endif", "k.cu")
    assert bool(program.variables) is holds


def test_directives_among_the_arguments_of_a_macro() -> None:
    before = """
    #define RUN(flag, ...) [&] { constexpr bool on = flag; __VA_ARGS__ }()
    #define TWICE(x) (2 * (x))"""
    body = """RUN(true,
        #pragma unroll
        for (int i = 0; i < 3; ++i) r += on ? i : 100;
        #if 0
        r += 1000;
        #else
        r += 20;
        #endif
    );
    r += TWICE(t
    #ifdef TWICE
        + 1
    #endif
    );"""
    assert lanes(body, before=before) == [3 + 20 + 2 * (t + 1) for t in range(8)]
