"""Text that is not CUDA C, or not supported, is refused by name and position."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import CUDA_FOLDER
from kernels.errors import SourceError
from kernels.frontend import ast, parse, render
from kernels.frontend.lexer.tokens import MAX_CHARACTERS, MAX_NESTING


def refusal(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    return caught.value


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("for (int v : n) ;", 1, "for over int; use for (int i = 0"),
        ("do ; while (int v = n);", 13, "declaration in this condition; declare it on the line before"),
        ("float5 v;", 1, "type 'float5'; neither this file, with what it includes"),
        ("long double d;", 1, "type 'long double'"),
        ("try { } catch (...) { }", 1, "try"),
        ("extern int z;", 1, "extern variable 'z'; define it in this file"),
        ("thread_local int z;", 1, "'thread_local'"),
        ("int b[2] = {[1] = 2};", 13, "designated initialiser; list the values in order"),
        ("switch (n) { n = 1; case 1: ; }", 14, "statement before the first case"),
        ("switch (n) { case 1: { case 2: ; } }", 24, "a case inside another statement"),
        ("switch (n) { case 1 ... 3: ; }", 21, "range of cases; write one case for each value"),
        ("switch (n) case 1: ;", 12, "switch without { }"),
        ("do ; while (n = 1; n);", 18, "statement in this condition"),
        ("decltype(sinf(n)) x;", 1, "decltype(sinf(n)); write the type, or auto"),
        ("std::vector<int> v;", 1, "type 'std::vector'"),
        ("n = typename std::wonder_t<int>(3);", 14, "type 'std::wonder_t'"),
        ("Foo *p = nullptr;", 1, "type 'Foo'"),
        ('asm goto ("x" :::: label);', 1, "asm goto"),
        ('asm("x" : [out] "=r"(n));', 11, "named operand of asm"),
        ("throw 1;", 1, "throw"),
        ("n = typeid(n);", 5, "typeid"),
        ("thrust::sort(a);", 1, "namespace thrust; write a function of your own"),
        ("n = later<float>(n);", 5, "template 'later<…>'; neither this file, with what it includes, nor the simulator"),
    ],
)
def test_not_supported(text: str, column: int, words: str) -> None:
    error = refusal(f"__global__ void k(int n, float *a) {{\n{text}\n}}")
    assert (error.file, error.line, error.column) == ("k.cu", 2, column)
    assert error.reason.startswith(f"not supported: {words}")
    assert str(error) == f"k.cu:2:{column}: {error.reason}"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("__global__ void k(float5 *a) {}", (1, 19), "type 'float5'"),
        ("__global__ void k(int n, ...) {}", (1, 26), "parameter '...'"),
        ("__device__ int f(int) { return 1; }\n__device__ int f(int x) { return 1; }", (2, 16), "second function 'f'"),
        ("#line 3", (1, 1), "#line"),
    ],
)
def test_not_supported_in_a_file(text: str, place: tuple[int, int], words: str) -> None:
    error = refusal(text)
    assert (error.line, error.column) == place
    assert error.reason.startswith(f"not supported: {words}")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("if (n) n = 1 else n = 2;", (2, 13), "syntax error: expected ';' after 'if (n) n = 1'"),
        ("n = 1", (2, 6), "syntax error: expected ';' after 'n = 1'"),
        ("n = a[1]\nn = 2;", (2, 9), "syntax error: expected ';' after 'n = a[1]'"),
        ("__syncthreads()\nn = 2;", (2, 16), "syntax error: expected ';' after '__syncthreads()'"),
        ("__shared__ float s[2]\ns[0] = 1;", (2, 22), "syntax error: expected ';' after '__shared__ float s[2]'"),
        ("float s = 0.0f // none\n  for (;;) {}", (2, 15), "syntax error: expected ';' after 'float s = 0.0f'"),
        ("if (n) { n = 1 }", (2, 15), "syntax error: expected ';' after 'if (n) { n = 1'"),
        ("return\n", (2, 7), "syntax error: expected ';' after 'return'"),
        ("n = (1;", (3, 1), "syntax error: '}' does not match the '(' of 2:5"),
        ("a[0) = 1;", (2, 4), "syntax error: ')' does not match the '[' of 2:2"),
        ("}", (3, 1), "syntax error: this '}' closes nothing"),
        ("{", (1, 36), "syntax error: this '{' is never closed"),
        ("n = 1 +;", (2, 8), "syntax error: expected a value after 'n = 1 +'"),
        ("n = = 1;", (2, 5), "syntax error near '='"),
        ("int 3x = 1;", (2, 5), "syntax error near '3x'"),
        ("f(1,,2);", (2, 5), "syntax error near ','"),
        ("else n = 1;", (2, 1), "syntax error near 'else'"),
        ("n = @;", (2, 5), "syntax error: the character '@' has no meaning in CUDA C here"),
        ("n = é;", (2, 5), "syntax error: the character 'é' has no meaning in CUDA C here"),
        ("/* n", (2, 1), "syntax error: this /* comment is never closed"),
        ('f("n);', (2, 3), 'syntax error: this " is not closed on its line'),
        ("float b[n];", (2, 9), "the length of an array must be known before the kernel runs: 'n' is not"),
        ("float b[0];", (2, 9), "the length of an array must be a whole number from 1 up, this is 0"),
        ("float b[2.5];", (2, 9), "the length of an array must be a whole number from 1 up, this is 2.5"),
        ("float b[65536][65536];", (2, 9), "array of 4,294,967,296 elements"),
        ("float b[];", (2, 7), "this array needs a length between [ and ]"),
        ("float b[2][] = {1};", (2, 7), "this array needs a length between [ and ]"),
        ("extern __shared__ float s;", (2, 25), "extern __shared__ 's' is an array without a length: s[]"),
        ("int b[2] = {1, 2, 3};", (2, 19), "too many values for int[2]"),
        ("int b[2] = 1;", (2, 12), "an array is initialised with { … }"),
        ("int b[2](1);", (2, 9), "an array is initialised with { … }"),
        ("int b[2] = {1, 2}\nn = 1;", (2, 18), "syntax error: expected ';' after 'int b[2] = {1, 2}'"),
        ("int x = {1, 2};", (2, 9), "2 values for one int"),
        ("void x;", (2, 6), "'x' cannot be void; did you mean void *x?"),
        ("enum { A = n };", (2, 12), "an enumerator needs a whole number"),
        ('static_assert(1 > 2, "no");', (2, 1), "static_assert(1 > 2) does not hold: no"),
        ("static_assert(n > 2);", (2, 15), "static_assert needs a condition that is known"),
        ("__shared__ int ***************p;", (2, 28), "a declaration with more than 12 of * and []"),
        ("switch (n) { default: ; default: ; }", (2, 36), "a switch has one default"),
        ("if constexpr (n) ;", (2, 14), "if constexpr needs a condition that is known"),
        ("int b[1 << 62];", (2, 7), "array of too many elements"),
        ("int b[2][100][100000] = {{}};", (2, 25), "a list of values for rows of 10,000,000 elements"),
        ("asm(n);", (2, 5), "syntax error near 'n'"),
        ("int x = 08;", (2, 9), "syntax error: '08' is not a number"),
        ("int x;\nfloat x y;", (3, 9), "syntax error near 'y'"),
        ("n = f(1;", (3, 1), "syntax error: '}' does not match the '(' of 2:6"),
    ],
)
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
