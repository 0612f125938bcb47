"""The preprocessor: macros, conditions, lines of one architecture, and the listing of a source."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.architecture import Architecture
from kernels.catalog import catalog
from kernels.errors import InputError, SourceError
from kernels.frontend import ast, parse, text_of
from kernels.frontend.architecture import Source, on_tensor_cores, other_lines, other_lines_words
from kernels.frontend.ast import Span
from kernels.frontend.lexer.tokens import Text
from kernels.frontend.listing import listing_of
from kernels.frontend.preprocessor.directives import preprocess
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, shape
from tests.kernels.simt.programs import lanes
from tests.sweeps import handful

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


@pytest.mark.parametrize(("threads", "arch", "lines"), CASES("lines_depend_on_the_macros", tuples=True))
def test_lines_depend_on_the_macros_of_the_launch_and_on_the_architecture(
    threads: str, arch: str, lines: tuple[int, ...]
) -> None:
    assert other_lines(Source(CASES.source("text"), "a.cu", (("THREADS", threads),)), arch) == lines


@pytest.mark.parametrize("text", CASES("equal_tokens_and_refused_sources"))
def test_equal_tokens_and_refused_sources_have_no_other_lines(text: str) -> None:
    assert other_lines(Source(text, "a.cu", ()), "sm_90") == ()


def test_a_branch_of_an_included_file_is_found_at_its_include() -> None:
    header = "#if __CUDA_ARCH__ >= 900\nint a;\n#endif\n"
    source = Source('int b;\n#include "a.cuh"\n', "a.cu", (), None, (("a.cuh", header),))
    assert other_lines(source, "sm_90") == (2,)


def test_the_sentence_lists_two_lines_and_names_the_compilers_target() -> None:
    source = Source(
        CASES.source("text") + "int g;\n#if __CUDA_ARCH__ >= 900\nint h;\n#endif\n", "a.cu", (("THREADS", "384"),)
    )
    assert other_lines_words(source, "sm_80") == ""
    assert other_lines_words(source, "sm_89") == ""
    assert other_lines_words(source, "sm_90") == (
        "The picture is the code for sm_80; sm_90a compiles other lines (6, 13 …)."
    )
    shown = source._replace(defines=Architecture.parse("sm_90a").among(source.defines))
    assert other_lines_words(shown, "sm_90") == ""
    assert other_lines_words(shown, "sm_100") == (
        "The picture is the code for sm_90a; sm_100 compiles other lines (6)."
    )


@pytest.mark.parametrize(("code", "found"), CASES("tensor_cores_are_known"))
def test_tensor_cores_are_known_by_their_instructions(code: str, found: bool) -> None:
    text = f"#if __CUDA_ARCH__ >= 800\n__global__ void f(float d) {{ {code} }}\n#endif\n"
    assert on_tensor_cores(Source(text, "a.cu", ()), "sm_90") is found
    assert not on_tensor_cores(Source(text, "a.cu", ()), "sm_75")


@pytest.mark.parametrize(("source", "line"), CASES("names_of_macros_that_are_code"))
def test_names_of_macros_that_are_code_are_expanded(source: str, line: str) -> None:
    shown = listing_of(source, "a.cu").text.split("\n")
    assert shown[-1] == line
    assert shown[:-1] == source.split("\n")[:-1]


def test_a_macro_from_outside_keeps_its_name() -> None:
    assert listing_of("int i = rank();", "a.cu", (("rank()", "threadIdx.x"),)).text == "int i = rank();"


def test_columns_follow_their_text() -> None:
    text = "#define ROW column\nint i = v.ROW + w.ROW + k;"
    found = listing_of(text, "a.cu")
    line = text.split("\n")[1]
    for word in ("int", "v.ROW", "w.ROW", "+ k"):
        at = line.index(word) + 1
        span = Span(2, at, 2, at + len(word))
        assert found.one_line_text(span) == word.replace("ROW", "column")


def test_branches_that_are_left_out_are_known() -> None:
    text = "#ifdef A\nint a;\n/* two\nlines */\n#if 1\nint b;\n#endif\n#else\nint c;\n#endif\n"
    assert listing_of(text, "a.cu").skipped == {2, 3, 4, 5, 6, 7}
    assert listing_of(text, "a.cu", (("A", "1"),)).skipped == {9}


def test_a_source_that_is_refused_is_listed_as_written() -> None:
    assert listing_of("#if\nint i;", "a.cu").text == "#if\nint i;"


SOURCES = [v for kernel in catalog() if kernel.file is not None for v in kernel.variants()]


@pytest.mark.parametrize("kernel", handful(SOURCES))
def test_the_listing_of_every_kernel_is_the_program_that_runs(kernel) -> None:  # type: ignore[no-untyped-def]
    defines = kernel.defines(kernel.size, kernel.block)
    found = listing_of(kernel.text, kernel.file.name, defines)
    assert "Idx.ROW" not in found.text
    assert found.text.count("\n") == kernel.text.count("\n")
    parse(found.text, kernel.file.name, defines)
    tokens = [[piece.text for piece in _pieces(text, defines)] for text in (kernel.text, found.text)]
    assert tokens[0] == tokens[1]


def _pieces(text: str, defines: tuple[tuple[str, str], ...]):  # type: ignore[no-untyped-def]
    from kernels.frontend.constant_expressions import evaluate
    from kernels.frontend.parse import parse_expression

    return preprocess(Text("a.cu", text), defines, lambda c: evaluate(parse_expression(c), {})).pieces
