"""Text that is not CUDA C, or not supported, is refused by name and position."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import CUDA_FOLDER
from kernels.errors import SourceError
from kernels.frontend import ast, parse, render
from kernels.frontend.lexer.tokens import MAX_CHARACTERS, MAX_NESTING
from tests.cases import Cases

CASES = Cases(__file__)


def refusal(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    return caught.value


@pytest.mark.parametrize(("text", "column", "words"), CASES("not_supported"))
def test_not_supported(text: str, column: int, words: str) -> None:
    error = refusal(f"__global__ void k(int n, float *a) {{\n{text}\n}}")
    assert (error.file, error.line, error.column) == ("k.cu", 2, column)
    assert error.reason.startswith(f"not supported: {words}")
    assert str(error) == f"k.cu:2:{column}: {error.reason}"


@pytest.mark.parametrize(("text", "place", "words"), CASES("not_supported_in_a_file", tuples=True))
def test_not_supported_in_a_file(text: str, place: tuple[int, int], words: str) -> None:
    error = refusal(text)
    assert (error.line, error.column) == place
    assert error.reason.startswith(f"not supported: {words}")


@pytest.mark.parametrize(("text", "place", "words"), CASES("wrong", tuples=True))
def test_wrong(text: str, place: tuple[int, int], words: str) -> None:
    error = refusal(f"__global__ void k(int n, float *a) {{\n{text}\n}}")
    assert error.reason.startswith(words)
    assert (error.line, error.column) == place


def test_a_kernel_returns_nothing() -> None:
    assert refusal("__global__ int k() { return 1; }").reason == "kernel k must return void"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "n = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
        "{" * 10_000 + "}" * 10_000,
        "n = " + "- " * 10_000 + "1;",
        "n = " + "1 + " * 10_000 + "1;",
        "n = " + "(" * 200 + "1" + " + 1)" * 200 + " + 1" * 200 + ";",
        "n = " + "n = " * 10_000 + "1;",
        "n = " + "n ? " * 1_000 + "1" + " : 1" * 1_000 + ";",
        "n = " + "*" * 10_000 + "a;",
        "n = a" + "[0]" * 10_000 + ";",
        "n = a" + ".f()" * 10_000 + ";",
        "n = " + "(int)" * 10_000 + "n;",
        "n = " + "sizeof " * 10_000 + "n;",
        "n = " + "f(" * 1_000 + ")" * 1_000 + ";",
        "if (n) " * 10_000 + ";",
        "if (n) ; " + "else if (n) ; " * 2_000,
        "switch (n) { case 1: " * 1_000 + "}" * 1_000,
        "if constexpr (0) " + "do " * 5_000 + ";" + " while (1);" * 5_000,
        "int b[1] = " + "{" * 300 + "}" * 300 + ";",
        "struct S { " * 300 + "};" * 300,
    ],
)
def test_deep_nesting(text: str) -> None:
    error = refusal(f"__global__ void k(int n, float *a) {{ {text} }}")
    assert error.reason.endswith(f"nested deeper than {MAX_NESTING} levels")


@pytest.mark.parametrize(
    "text",
    [
        "n = " + "1 + " * 200 + "1;",
        "n = " + "(" * 200 + "1" + ")" * 200 + ";",
        "n = " + "f(" * 200 + "1" + ")" * 200 + ";",
        "if (n) ; " + "else if (n) ; " * 200 + "else n = 1;",
        "n = 1" + ", n = 1" * 200 + ";",
        "n = " + "n ? 1 : " * 200 + "1;",
        "S<" * 100 + "int" + ">" * 100 + " *p;",
        "n = n" + " < 1" * 200 + ";",
        "n = 1;" * 10_000,
        "switch (n) {" + "".join(f"case {i}: n = 1; break;" for i in range(2_000)) + "}",
        "int b[] = {" + "1," * 20_000 + "};",
    ],
)
def test_long_is_no_fault(text: str) -> None:
    program = parse(f"template <class T> struct S {{ }}; __global__ void k(int n, float *a) {{ {text} }}", "k.cu")
    (statement, *_) = program.kernels[0].body.body
    if isinstance(statement, ast.Do):
        assert render(statement.expression)


def test_deep_macros() -> None:
    doubling = "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(60))
    assert "the macros of this file expand to more than" in refusal(f"{doubling}\nint x = A60;").reason


def test_a_huge_file() -> None:
    error = refusal("int n;\n" * 1_500_000)
    assert (error.line, error.column) == (1, 1)
    assert error.reason == f"the source has 10,500,000 characters, at most {MAX_CHARACTERS:,} are read"


TILED = (CUDA_FOLDER / "matmul_tiled.cu").read_text(encoding="utf-8")


def error_of(text: str) -> SourceError | None:
    try:
        parse(text, "k.cu")
    except SourceError as error:
        return error
    return None


@pytest.mark.parametrize("length", range(0, TILED.index("/* tilescope"), 29))
def test_a_file_cut_off_anywhere(length: int) -> None:
    error = error_of(TILED[:length])
    if error is not None:
        assert 1 <= error.line <= TILED.count("\n") + 1
        assert error.column >= 1


LINES = ["#define M(x) x\n", "\n#if 1\n", "\n#endif\n", '\n#include "x.h"\n', "// x\n"]
WORDS = """
int float4 const auto struct S template <typename T> <int N> f<1> S{ } ( ) [ ] { ; , . -> :: < > >> = == + - * &
&& ! ? : ++ n a x 1 2.0f 'c' "s" if else for while do switch case default: break return sizeof (int) goto
__device__ __global__ void k( int n) {} __shared__ extern static operator + this using namespace typedef enum
class virtual static_cast<int>( asm( M( /* */ \\ @ é
""".split()  # noqa: SIM905 - thrice as long as a list


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS + LINES), max_size=30))
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    text = " ".join(words)
    for source in (
        text,
        f"__global__ void k(int n, float *a) {{ {text} }}",
        f"struct S {{ {text} }}; __device__ S s;",
    ):
        error = error_of(source)
        assert error is None or str(error).startswith("k.cu:")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    error = error_of(content.decode("utf-8", "replace"))
    assert error is None or str(error).startswith("k.cu:")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(alphabet="abin019 \t\n(){}[];,.<>=+-*/%&|^!~?:#\"'\\é@_", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    for source in (text, f"__global__ void k(int n, float *a) {{ {text} }}", f"#if {text}\n#endif"):
        error = error_of(source)
        assert error is None or str(error).startswith("k.cu:")
