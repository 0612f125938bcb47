"""Text that is not CUDA C, not supported, or too much is refused by name and position."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import CUDA_FOLDER
from kernels.errors import SourceError, TilescopeError
from kernels.frontend import ast, parse, render
from kernels.frontend.lexer.tokens import MAX_CHARACTERS, MAX_NESTING
from kernels.frontend.parser import constexpr
from kernels.frontend.preprocessor.macros import MAX_EXPANDED_CHARACTERS
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.cases import Cases

CASES = Cases(__file__)


def joined(pieces: list[str | list[Any]]) -> str:
    """Return a text of pieces, of which some are repeated: [text, times]."""
    return "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in pieces)


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


@pytest.mark.parametrize("pieces", CASES("deep_nesting"))
def test_deep_nesting(pieces: list[str | list[Any]]) -> None:
    error = refusal(f"__global__ void k(int n, float *a) {{ {joined(pieces)} }}")
    assert error.reason.endswith(f"nested deeper than {MAX_NESTING} levels")


CASES_OF_A_SWITCH = "switch (n) {" + "".join(f"case {i}: n = 1; break;" for i in range(2_000)) + "}"


@pytest.mark.parametrize("pieces", [*CASES("long_is_no_fault"), [CASES_OF_A_SWITCH]])
def test_long_is_no_fault(pieces: list[str | list[Any]]) -> None:
    text = f"template <class T> struct S {{ }}; __global__ void k(int n, float *a) {{ {joined(pieces)} }}"
    program = parse(text, "k.cu")
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


def error_of(text: str) -> SourceError | None:
    try:
        parse(text, "k.cu")
    except SourceError as error:
        return error
    return None


@pytest.mark.parametrize("length", range(0, 1289, 29))  # as far as its comment
def test_a_file_cut_off_anywhere(length: int) -> None:
    tiled = (CUDA_FOLDER / "matmul_tiled.cu").read_text(encoding="utf-8")
    error = error_of(tiled[:length])
    if error is not None:
        assert 1 <= error.line <= tiled.count("\n") + 1
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


def test_an_unsupported_kernel_does_not_affect_the_others() -> None:
    program = parse(CASES.source("several"), "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(("kernel", "message"), CASES("an_unsupported_construct"))
def test_an_unsupported_construct_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(CASES.source("several"), "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_lines_with_only_an_unknown_macro_are_skipped() -> None:
    source = CASES.source("lines_with_only_an_unknown_macro")
    program = parse(source, "k.cu")
    arguments: dict[str, Argument] = {"out": Unwritten("int32", (4,)), "s.x": 4}
    assert run(program, Launch(Dim3(1), Dim3(4)), arguments).outputs["out"].tolist() == [8] * 4


QUOTED_BACKSLASH = r'"\\"'
KERNEL = "__global__ void k(float *a) {{ {} }}"


def levels(first: str, level: str, count: int = 24) -> str:
    """Write a first line, then one for each level: `$` is its number, `@` that of the level before."""
    lines = (level.replace("$", str(n)).replace("@", str(n - 1)) for n in range(1, count + 1))
    return "\n".join([first.replace("$", "0"), *lines, ""])


def nested(call: str, inside: str, count: int = 24) -> str:
    return call * count + inside + ")" * count


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (
            levels("#define A0 1", "#define A$ A@ + A@") + KERNEL.format("a[0] = A24;"),
            (26, 38),
            "the macros of this file expand to more than 100,000 tokens, here by A",
        ),
        (
            "#define S(x) #x\n#define T(x) S(x)\n" + KERNEL.format(f"printf({nested('T(', QUOTED_BACKSLASH)});"),
            None,
            f"the macros of this file expand to more than {MAX_EXPANDED_CHARACTERS:,} characters, here by",
        ),
        (
            "#define C(x) x##x\n#define E(x) C(x)\n" + KERNEL.format(f"a[0] = {nested('E(', '1', 26)};"),
            None,
            f"the macros of this file expand to more than {MAX_EXPANDED_CHARACTERS:,} characters, here by",
        ),
        (
            levels("struct S$ { float x; };", "struct S$ { S@ a, b; };") + KERNEL.format("S24 s;"),
            (26, 31),
            "type 'S24' was left out: k.cu:12:12: S11 has 6,143 members, at most 4,096 are read",
        ),
        (
            levels("struct S$ { float x; };", "struct S$ { S@ a[1000]; };", 4) + KERNEL.format("S4 s;"),
            (6, 31),
            "type 'S4' was left out: k.cu:4:11: S3 has 1,000,000,000 numbers, at most 1,048,576 are read",
        ),
        (
            "template <class T> struct P { T a, b; };\n" + KERNEL.format("P<" * 24 + "float" + ">" * 24 + " p;"),
            (1, 29),
            "P<P<P<P<P<P<P<P<P<P<P<P<float>>>>>>>>>>>> has 8,191 members, at most 4,096 are read",
        ),
        (
            "template <class A, class B> struct P { };\n"
            + levels("using T$ = P<int, int>;", "using T$ = P<T@, T@>;")
            + KERNEL.format("T24 t;"),
            None,
            "type 'T24' was left out: k.cu:1:1: an instance of P has a name of ",
        ),
        (
            "template <int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n"
            "template <int M> struct F<0, M> { static const int v = 1; };\n" + KERNEL.format("a[0] = F<20, 0>::v;"),
            None,
            "more than 5,000 instances of templates, here of F",
        ),
        (
            "template <int N> constexpr int v = N == 0 ? 1 : v<N - 1> + v<N - 1>;\n" + KERNEL.format("a[0] = v<20>;"),
            None,
            "variable templates nested deeper than 128 levels",
        ),
        (
            "template <class T, class U> struct first { using type = T; };\ntemplate <class T> using A0 = T;\n"
            + levels("", "template <class T> using A$ = typename first<A@<T>, A@<T>>::type;", 20)
            + KERNEL.format("A20<float> x;"),
            None,
            "more than 5,000 instances of templates, here of A1",
        ),
        (
            levels("struct S$ { float x = 1; };", "struct S$ { float x = S@().x, y = S@().x; };")
            + KERNEL.format("S24 s;"),
            None,
            "type 'S24' was left out: k.cu:",
        ),
        (KERNEL.format(f"float b{'[1]' * 10_000};"), None, "a declaration with more than 12 of * and []"),
        (KERNEL.format(f"int i = {'9' * 5000};"), None, "syntax error: a number of 5,000 digits does not fit"),
        (KERNEL.format("(" * 10_000 + "1" + ")" * 10_000), None, "brackets nested deeper than 256 levels"),
        (KERNEL.format("{" * 10_000 + "}" * 10_000), None, "brackets nested deeper than 256 levels"),
        (KERNEL.format(f"a[0] = 1{' + 1' * 50_000};"), None, "nested deeper than 256 levels"),
        (KERNEL.format("// " + "x" * 1_000_000), (1, 1), "the source has 1,000,035 characters, at most 524,288"),
    ],
    ids=[
        "macros",
        "quoted",
        "pasted",
        "structs",
        "arrays",
        "pairs",
        "names",
        "instances",
        "constants",
        "aliases",
        "defaults",
        "dimensions",
        "digits",
        "parentheses",
        "blocks",
        "terms",
        "long line",
    ],
)
def test_unbounded_expansion_and_nesting_are_refused(text: str, place: tuple[int, int] | None, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    error = caught.value
    assert error.reason.startswith(words)
    assert "\n" not in str(error)
    assert place is None or (error.line, error.column) == place


TWICE = "constexpr int f(int n) { return n == 0 ? 1 : f(n - 1) + f(n - 1); }\n"


def test_a_constexpr_function_that_calls_itself_twice_is_ended() -> None:
    with pytest.raises(SourceError) as caught:
        parse(TWICE + KERNEL.format("float b[f(22)];"), "k.cu")
    assert caught.value.reason == (
        "this constexpr function runs more than 10,000 statements; write the value as a number"
    )
    assert caught.value.line == 2


def test_all_constexpr_functions_of_a_file_have_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = 0
    run = constexpr.Constexpr.run

    def counted(*arguments: object) -> object:
        nonlocal ran
        ran += 1
        return run(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(constexpr.Constexpr, "run", counted)
    text = TWICE + "".join(f"constexpr int v{n} = f(22);\n" for n in range(100))
    program = parse(text + KERNEL.format("a[0] = 1;"), "k.cu")
    assert ran <= constexpr.MAX_FILE_STEPS + 200
    assert "the constexpr functions of this file run more than 100,000 statements" in program.omissions[-1].reason


def test_types_that_returns_tell_are_found_out_once() -> None:
    """Twenty-two levels of functions that return the sum of two calls: the type of each is asked for once."""
    text = levels("__device__ auto f$(float x) { return x; }", "__device__ auto f$(float x) { return f@(x) + f@(x); }")
    program = parse(text + KERNEL.format("decltype(f24(1.f)) x = 1; a[0] = x;"), "k.cu")
    assert [kernel.name for kernel in program.kernels] == ["k"]
