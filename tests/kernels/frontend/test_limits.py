"""Sources that double at every level are refused where a limit is passed, with what it is and what would work."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.frontend.parser import constexpr
from kernels.frontend.preprocessor.macros import MAX_EXPANDED_CHARACTERS

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
