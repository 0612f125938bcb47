from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import InputError, SourceError
from kernels.frontend import ast, parse, text_of
from tests.kernels.frontend.nested_lists import body, shape
from tests.kernels.simt.programs import lanes


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        ("#define W 4", "n = W;", 4),
        ("#define W", "n = 1 W;", 1),
        ("#define W 2 + 2", "n = W * 3;", ["+", 2, ["*", 2, 3]]),
        ("#define W V\n#define V 4", "n = W;", 4),
        ("#define W W + 1", "n = W;", ["+", "W", 1]),
        ("#define W 4\n#undef W", "n = W;", "W"),
        ("#define W 4\n#undef V\n#define W 5", "n = W;", 5),
        ("#define NEG -1", "n = -NEG;", ["-", ["-", 1]]),
        ("  #  define  W  \\\n 4 // four", "n = W;", 4),
        ("#define SQ(x) ((x) * (x))", "n = SQ(n + 1);", ["*", ["+", "n", 1], ["+", "n", 1]]),
        ("#define SQ(x) x * x", "n = SQ(1 + 2);", ["+", ["+", 1, ["*", 2, 1]], 2]),
        (
            "#define IDX(r, c) ((r) * n + (c))",
            "n = IDX(f(1, 2), IDX(3, 4));",
            ["+", ["*", ["f()", 1, 2], "n"], ["+", ["*", 3, "n"], 4]],
        ),
        ("#define F() 7", "n = F();", 7),
        ("#define F(x) 7 x", "n = F();", 7),
        ("#define F(x) x", "n = F\n(3);", 3),
        ("#define F(x) x", "n = F;", "F"),
        ("#define F (n)", "n = F;", "n"),
        ("#define A(x) B(x)\n#define B(x) x + 1", "n = A(2);", ["+", 2, 1]),
        ("#define CALL(f, x) f(x)\n#define SQ(x) x * x", "n = CALL(SQ, 3);", ["*", 3, 3]),
        ("#define P(f, ...) printf(f, __VA_ARGS__)", 'P("%d %d", 1, 2);', ["printf()", ["string", "%d %d"], 1, 2]),
        ("#define P(f, ...) printf(f, ##__VA_ARGS__)", 'P("a");', ["printf()", ["string", "a"]]),
        ("#define A 2\n#define P(f, ...) printf(f, ##__VA_ARGS__)", 'P("%d", A);', ["printf()", ["string", "%d"], 2]),
        ("#define P(f, rest...) printf(f, ##rest)", 'P("a");', ["printf()", ["string", "a"]]),
        ("#define P(rest...) printf(rest)", 'P("%d %d", 1, 2);', ["printf()", ["string", "%d %d"], 1, 2]),
        ("#define CAT(a, b) a##b", "n = CAT(n, 1);", "n1"),
        ("#define STR(x) #x", 'f(STR(a + "b"));', ["f()", ["string", 'a + "b"']]),
        ("#define LT(a, b) a < b", "n = LT(n, 3) && 4 > (n);", ["&&", ["<", "n", 3], [">", 4, "n"]]),
    ],
)
def test_macros(given: str, text: str, expected: Any) -> None:
    statement = body(text, before=given)[0]
    assert (statement[2] if statement[0] == "=" else statement) == expected


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("#if 1", True),
        ("#if 0", False),
        ("#if W == 4 && defined(W)", True),
        ("#if W > 4 || !defined W", False),
        ("#if NOTHING", False),
        ("#if (W * 2 + 1) / 3 == 3", True),
        ("#if SQ(W) == 16", True),
        ("#if 1 ? W : 0", True),
        ("#if __CUDA_ARCH__ >= 700", True),
        ("#ifdef W", True),
        ("#ifdef NOTHING", False),
        ("#ifndef NOTHING", True),
        ("#ifdef __CUDACC__", True),
        ("#if 0\n#elif W", True),
        ("#if 0\n#elif 0\n#elif 1", True),
        ("#if 1\n#elif 1", False),
        ("#if 1\n#else", False),
        ("#if 0\n#else", True),
        ("#if 0\n#if 1\n#else\n#endif\n#else", True),
        ("#if 1\n#if 0", False),
        ("#if 0\n#error not reached\n#nonsense\n#else", True),
    ],
)
def test_conditions(given: str, taken: bool) -> None:
    ends = given.count("#if") - given.count("#endif")
    text = f"\n{given}\nn = 1;\n" + "#endif\n" * ends
    assert body(text, before="#define W 4\n#define SQ(x) x * x") == ([["=", "n", 1]] if taken else [])


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("#if 1", (1, 2), "this #if has no #endif"),
        ("#endif", (1, 2), "#endif without #if"),
        ("#else", (1, 2), "#else without #if"),
        ("#if 1\n#else\n#else\n#endif", (3, 2), "#else after #else"),
        ("#if\n#endif", (1, 2), "#if needs a condition"),
        ("#if 1 +\n#endif", (1, 5), "expected a value"),
        ("#if 1 / 0\n#endif", (1, 5), "division by zero in '1 / 0'"),
        ("#if defined()\n#endif", (1, 5), "defined needs a name"),
        ("#ifdef 3\n#endif", (1, 8), "#ifdef needs a name"),
        ("#define 3", (1, 2), "#define needs a name"),
        ("#undef", (1, 2), "#undef needs a name"),
        ("#define F(x", (1, 10), "the parameters of macro F are not closed"),
        ("#define F(x y) x", (1, 10), "the parameters of macro F"),
        ("#define F(x,) x", (1, 10), "the parameters of macro F"),
        ("#define F(x) x\nconst int y = F(1, 2);", (2, 15), "macro F takes 1 arguments, 2 are given"),
        ("#define F(x) x\nconst int y = F(1;", (2, 15), "the call of macro F is never closed"),
        ("#define F(x) x ## +\nconst int y = F(1);", (2, 15), "## makes '1+', no token"),
        ("\n  #error  stop here", (2, 3), "#error stop here"),
        ("#include", (1, 2), "#include needs"),
    ],
)
def test_broken_directives(text: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    assert words in caught.value.reason
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    "text",
    [
        "#include <cuda_runtime.h>",
        '#include "cuda_runtime.h"',
        '#include "device_launch_parameters.h"',
        "#include <stdio.h>",
        "#pragma once",
        "#pragma unroll",
        "#",
        "\ufeff// begins with a byte-order mark",
        "// a comment \\\n that goes on __global__",
        "const int a = 1; /* one\n */ const int b = a;\r\n",
    ],
)
def test_ignored(text: str) -> None:
    assert parse(text, "k.cu").functions == ()


@pytest.mark.parametrize(
    ("defines", "value"),
    [
        ((), 16),
        ((("TILE_WIDTH", "8"),), 8),
        ((("TILE_WIDTH", "2 * 4"),), 8),
        ((("TILE_WIDTH", "4"), ("TILE_WIDTH", "8")), 8),
    ],
)
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


SPANS = """\
#define W 16
#define IDX(r, c) ((r) * W + (c))
#define TWO 1 + 1
__global__ void k(int n, float *a)
{
    n = n * W + 1;
    a[IDX(n + 1, W)] = W;
    for (int i = 0; i < W; /* é */ ++i)
        n = TWO;
    if (n < W) n = IDX(n,
                       2); else n = 3;
    while (n) { n = 1; }
    do n = 0; while (n == W);
}
"""


def spans(node: Any, found: list[tuple[Any, str]] | None = None) -> list[tuple[Any, str]]:
    """Every node below one, with the text of its span."""
    found = [] if found is None else found
    if isinstance(node, tuple):
        for member in node:
            spans(member, found)
    elif hasattr(node, "span"):
        found.append((node, text_of(SPANS, node.span)))
        for name in node.__slots__:
            if name not in ("span", "header", "type", "returns"):
                spans(getattr(node, name), found)
    return found


def test_spans_point_into_the_text_as_written() -> None:
    kernel = parse(SPANS, "k.cu").kernels[0]
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
        text_of(SPANS, node.header) for node, _ in spans(kernel.body) if isinstance(node, ast.If | ast.For | ast.While)
    ]
    assert statements == [
        "for (int i = 0; i < W; /* é */ ++i)",
        "if (n < W)",
        "while (n)",
        "while (n == W)",
    ]
    assert text_of(SPANS, kernel.span).startswith("__global__ void k(int n")
    assert text_of(SPANS, kernel.body.span).endswith("while (n == W);\n}")
    assert [text_of(SPANS, p.span) for p in kernel.parameters] == ["int n", "float *a"]


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

    check(parse(SPANS, "k.cu").kernels[0])


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
