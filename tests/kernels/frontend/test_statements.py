from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from tests.kernels.frontend.nested_lists import body, shape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (";;", []),
        ("{}", [["block"]]),
        ("{ {} { n = 1; } }", [["block", ["block"], ["block", ["=", "n", 1]]]]),
        ("n;", ["n"]),
        ("return;", [["return", None]]),
        ("if (n) n = 1;", [["if", "n", ["=", "n", 1], None]]),
        ("if (n) ; else {}", [["if", "n", ["block"], ["block"]]]),
        (
            "if (n) return; else if (a) n = 2; else n = 3;",
            [["if", "n", ["return", None], ["if", "a", ["=", "n", 2], ["=", "n", 3]]]],
        ),
        ("if (n) if (a) n = 1; else n = 2;", [["if", "n", ["if", "a", ["=", "n", 1], ["=", "n", 2]], None]]),
        (
            "for (int i = 0; i < n; ++i) a[i] = 0;",
            [["for", ["declare", ["int", "i", 0]], ["<", "i", "n"], ["++_", "i"], ["=", ["[]", "a", "i"], 0]]],
        ),
        (
            "for (int i = 0, j = n; ; i++, --j) ;",
            [
                [
                    "for",
                    ["declare", ["int", "i", 0], ["int", "j", "n"]],
                    None,
                    [",", ["_++", "i"], ["--_", "j"]],
                    ["block"],
                ]
            ],
        ),
        ("for (n = 0, n = 1; n; ) {}", [["for", [",", ["=", "n", 0], ["=", "n", 1]], "n", None, ["block"]]]),
        ("for (;;) break;", [["for", None, None, None, "break"]]),
        ("while (n) continue;", [["while", "n", "continue"]]),
        ("do n--; while (n > 0);", [["do", [">", "n", 0], ["_--", "n"]]]),
        ("#pragma unroll 4\nfor (;;) {}", [["for", None, None, None, ["block"]]]),
        ("a[0] += 1, n = 2;", [[",", ["+=", ["[]", "a", 0], 1], ["=", "n", 2]]]),
        ('static_assert(1 < 2, "words");', [["block"]]),
        ("static_assert(sizeof(float4) == 16);", [["block"]]),
        ("static_assert(sizeof(n) == 4 && sizeof a == 8);", [["block"]]),
        ("namespace other = std; n = other::min(n, 1);", [["block"], ["=", "n", ["min()", "n", 1]]]),
        ("switch (n) { }", [["switch", "n"]]),
        (
            "switch (n + 1) { case 1: n = 2; break; case 2: case 3: { n = 4; } default: ; }",
            [
                [
                    "switch",
                    ["+", "n", 1],
                    [[1], ["=", "n", 2], "break"],
                    [[2, 3], ["block", ["=", "n", 4]]],
                    [["default"]],
                ]
            ],
        ),
        (
            "switch (n) { default: case 'a': int x = 1; n = x; case -1: return; }",
            [
                [
                    "switch",
                    "n",
                    [[["char", 97], "default"], ["declare", ["int", "x", 1]], ["=", "n", "x"]],
                    [[["-", 1]], ["return", None]],
                ]
            ],
        ),
        (
            "switch (n) { case 1: switch (n) { case 2: n = 1; } break; }",
            [["switch", "n", [[1], ["switch", "n", [[2], ["=", "n", 1]]], "break"]]],
        ),
        ("switch (n) { case 1: [[fallthrough]]; case 2: ; }", [["switch", "n", [[1], ["block"]], [[2]]]]),
        ("if constexpr (2 > 1) n = 1; else unknown words;", [["=", "n", 1]]),
        ("if constexpr (1 > 2) { unknown words } else n = 2;", [["=", "n", 2]]),
        ("if constexpr (0) if (n) for (;;) while (n) do x; while (n); else y; n = 3;", [["block"], ["=", "n", 3]]),
        ("if constexpr (0) n = 1; else if constexpr (1) n = 2; else n = 3;", [["=", "n", 2]]),
        ('asm("bar.sync 0;");', [["asm", "bar.sync 0;", [], []]]),
        (
            'asm volatile ("a;\\n\\t" "b %0;" : "=r"(n), "+f"(a[0]) : "r"(n + 1) : "memory", "cc");',
            [["asm", "a;\n\tb %0;", [["=r", "n"], ["+f", ["[]", "a", 0]]], [["r", ["+", "n", 1]]]]],
        ),
        ('__asm__ __volatile__("c;" :: "l"(a) : "memory");', [["asm", "c;", [], [["l", "a"]]]]),
        ('asm("d;" : "=r"(n) :: "memory");', [["asm", "d;", [["=r", "n"]], []]]),
        ("using namespace std; using std::min; n = min(n, 1);", [["block"], ["block"], ["=", "n", ["min()", "n", 1]]]),
        ('_Pragma("unroll") for (;;) break;', [["for", None, None, None, "break"]]),
        ("[[maybe_unused]] int x = 1;", [["declare", ["int", "x", 1]]]),
        (
            "#pragma unroll\nfor (int i = 0; i < n; i++) {\n#pragma unroll 4\n}",
            [["for", ["declare", ["int", "i", 0]], ["<", "i", "n"], ["_++", "i"], ["block"]]],
        ),
    ],
)
def test_shape(text: str, expected: Any) -> None:
    assert body(f"\n{text}\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x;", ["int", "x", None]),
        ("int x = n + 1;", ["int", "x", ["+", "n", 1]]),
        ("int x(4);", ["int", "x", 4]),
        ("int x{4};", ["int", "x", 4]),
        ("float x = {};", ["float", "x", ["float", 0]]),
        ("const int x = 1;", ["const int", "x", 1]),
        ("int const x = 1;", ["const int", "x", 1]),
        ("constexpr int x = 1;", ["const int", "x", 1]),
        ("const float *p = a;", ["const float *", "p", "a"]),
        ("float *const p = a;", ["const float *", "p", "a"]),
        ("float *__restrict__ p = a;", ["float *", "p", "a"]),
        ("float **p;", ["float * *", "p", None]),
        ("float b[2][3];", ["float[2][3]", "b", None]),
        ("float b[2] = {};", ["float[2]", "b", []]),
        ("int b[4] = {1, 2};", ["int[4]", "b", [1, 2]]),
        ("int b[] = {1, 2, 3};", ["int[3]", "b", [1, 2, 3]]),
        ("int b[2][2] = {{1}, {2, 3}};", ["int[2][2]", "b", [1, 0, 2, 3]]),
        ("int b[2][2] = {1, 2, 3};", ["int[2][2]", "b", [1, 2, 3]]),
        ("int b[2][2][2] = {{}, {{1}, {2}}};", ["int[2][2][2]", "b", [0, 0, 0, 0, 1, 0, 2, 0]]),
        ("__shared__ float s[4][5];", ["shared float[4][5]", "s", None]),
        ("static __shared__ int s;", ["shared int", "s", None]),
        ("extern __shared__ float s[];", ["shared dynamic float[0]", "s", None]),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            ["shared dynamic unsigned char[0]", "s", None],
        ),
        ("__shared__ alignas(8) float s[2];", ["shared float[2]", "s", None]),
        ("volatile int x;", ["int", "x", None]),
        ("int x __attribute__((unused)) = 1;", ["int", "x", 1]),
        ("[[maybe_unused]] int x [[maybe_unused]] = 1;", ["int", "x", 1]),
        ("typedef float real; real x;", ["float", "x", None]),
        ("typedef float *row, block[4]; row x;", ["float *", "x", None]),
        ("typedef float block[4]; block x[2];", ["float[2][4]", "x", None]),
        ("using real = double; real x;", ["double", "x", None]),
        ("float4 x;", ["float4", "x", None]),
        ("uchar4 *x;", ["uchar4 *", "x", None]),
        ("__half2 x;", ["half2", "x", None]),
        ("uint3 x;", ["uint3", "x", None]),
        ("auto x = n;", ["", "x", "n"]),
        ("const auto x = 1;", ["const", "x", 1]),
        ("auto *x = a;", ["auto *", "x", "a"]),
        ("auto &x = a[0];", ["auto &", "x", ["[]", "a", 0]]),
        ("const float &x = a[0];", ["const float &", "x", ["[]", "a", 0]]),
        ("float (&x)[4] = s;", ["float[4] &", "x", "s"]),
        ("float (*x)[4];", ["float[4] *", "x", None]),
        ("float *x[4];", ["float *[4]", "x", None]),
        ("const float *const *x = nullptr;", ["const const float * *", "x", 0]),
        ("static const int x = 1;", ["const int", "x", 1]),
        ("static constexpr int x = 1;", ["const int", "x", 1]),
        ("enum class E { A, B = 4 }; E x = E::B;", ["int", "x", "E::B"]),
        ("enum E : unsigned char { A, B }; E x = E::B;", ["unsigned char", "x", "B"]),
        ("struct S { int y; }; S x{1};", ["S", "x", ["S{}", 1]]),
        ("float x = (float)(1);", ["float", "x", ["cast", "float", 1]]),
        ("std::size_t x = 1;", ["unsigned long long", "x", 1]),
        ("int x = n and 1;", ["int", "x", ["&&", "n", 1]]),
    ],
)
def test_declaration(text: str, expected: Any) -> None:
    declared = body(text)[-1]
    assert declared[0] == "declare"
    kind, name, value = declared[1]
    assert [kind, name, value] == expected


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("bool", "bool"),
        ("char", "char"),
        ("signed char", "char"),
        ("unsigned char", "unsigned char"),
        ("uint8_t", "unsigned char"),
        ("short", "short"),
        ("short int", "short"),
        ("unsigned short int", "unsigned short"),
        ("signed", "int"),
        ("unsigned", "unsigned int"),
        ("unsigned int", "unsigned int"),
        ("int unsigned", "unsigned int"),
        ("uint", "unsigned int"),
        ("uint32_t", "unsigned int"),
        ("long", "long long"),
        ("long int", "long long"),
        ("long long int", "long long"),
        ("signed long long", "long long"),
        ("int64_t", "long long"),
        ("unsigned long", "unsigned long long"),
        ("unsigned long long int", "unsigned long long"),
        ("long unsigned int", "unsigned long long"),
        ("size_t", "unsigned long long"),
        ("float", "float"),
        ("double", "double"),
        ("half", "half"),
        ("__half", "half"),
        ("std::uint8_t", "unsigned char"),
        ("unsigned long int", "unsigned long long"),
        ("clock_t", "long long"),
    ],
)
def test_type_spelling(spelling: str, kind: str) -> None:
    assert body(f"{spelling} x;") == [["declare", [kind, "x", None]]]


@pytest.mark.parametrize(
    "given",
    [
        "#define W 4",
        "const int W = 4;",
        "constexpr unsigned W = 2 * 2;",
        "static const int V = 9; const int W = V / 2;",
        "enum { V = 3, W };",
        "enum Sizes { W = sizeof(float) };",
        "#define W (1 << 2)",
        "enum class E { W = 4 }; const int W = E::W;",
        "struct S { static constexpr int N = 4; }; const int W = S::N;",
        "constexpr auto W = 8 / 2;",
        "__constant__ char V[4]; const int W = sizeof(V);",
        "namespace a { const int V = 4; } const int W = a::V;",
    ],
)
def test_array_lengths_are_constant_expressions(given: str) -> None:
    assert body("float b[W][W + 1];", before=given) == [["declare", ["float[4][5]", "b", None]]]


def test_an_inner_name_hides_an_outer_constant() -> None:
    assert body("{ const int W = 8; float b[W]; } float b[W];", before="const int W = 4;") == [
        ["block", ["declare", ["const int", "W", 8]], ["declare", ["float[8]", "b", None]]],
        ["declare", ["float[4]", "b", None]],
    ]
    with pytest.raises(SourceError, match="'W' is not"):
        body("int W = n; float b[W];", before="const int W = 4;")


def test_a_local_enum_declares_constants() -> None:
    assert body("enum { RED, BLUE = -1, GREEN };") == [
        ["declare", ["const int", "RED", 0], ["const int", "BLUE", ["-", 1]], ["const int", "GREEN", 0]]
    ]


def test_a_file() -> None:
    program = parse(
        """
        #include <stdio.h>
        const int W = 4;
        enum { RED, BLUE };
        __constant__ float table[2] = {1.f, 2.f};
        __device__ int counter;
        static __device__ __forceinline__ float twice(float x);
        static __device__ __forceinline__ float twice(const float x) { return 2 * x; }
        extern "C" __global__ void __launch_bounds__(256, 2) first(float *a, int n[], const float (*m)[W]) {}
        extern "C" { __global__ __launch_bounds__(128) void second(void) {} }
        int main() { first(0, 0, 0); return 0; }
        """,
        "file.cu",
        [("N", "3")],
    )
    assert [shape(variable) for variable in program.variables] == [
        ["const int", "W", 4],
        ["const int", "RED", 0],
        ["const int", "BLUE", 1],
        ["constant float[2]", "table", [["float", 1], ["float", 2]]],
        ["global int", "counter", None],
    ]
    assert [f.name for f in program.functions] == ["twice", "first", "second"]
    assert [f.name for f in program.kernels] == ["first", "second"]
    twice, first, second = program.functions
    assert (str(twice.returns), str(first.returns)) == ("float", "void")
    assert [(p.name, str(p.type)) for p in twice.parameters] == [("x", "float")]
    assert [(p.name, str(p.type)) for p in first.parameters] == [
        ("a", "float *"),
        ("n", "int *"),
        ("m", "const float[4] *"),
    ]
    assert second.parameters == ()
    assert (program.file, program.defines) == ("file.cu", (("N", "3"),))


@pytest.mark.parametrize("name", ["precision", "std", "own"])
def test_a_variable_may_be_called_like_a_namespace(name: str) -> None:
    program = parse(f"namespace own {{}} __global__ void k(float *a, float {name}) {{ a[0] = {name}; }}", "k.cu")
    assert [parameter.name for parameter in program.kernels[0].parameters] == ["a", name]
