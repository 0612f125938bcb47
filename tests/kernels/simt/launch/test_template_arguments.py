"""Arguments of template kernels as a command gives them: types, constants and functions by the names of the file."""

from __future__ import annotations

import re

import pytest

from kernels.errors import InputError, TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run

TRAITS = """namespace lib {
template <int ROWS, typename T> struct Tile { static constexpr int rows = ROWS; using type = T; };
namespace wide { template <int ROWS> struct Tile { static constexpr int rows = 10 * ROWS; using type = short; }; }
template <typename T> struct Chosen { using Third = Tile<3, T>; };
template <typename T> struct Odd { static constexpr int rows = padding(3, 4); };
struct Plain { static constexpr int rows = 3; using type = int; };
constexpr int SIDE = 4;
template <typename Traits, int N = Traits::rows, int SCALE = 128 / sizeof(typename Traits::type), int MORE = 1>
__global__ void k(int *out) { out[threadIdx.x] = Traits::rows + 100 * N + 10000 * SCALE + 1000000 * MORE; }
}"""


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ({"Traits": "Tile<8, double>"}, 8 + 800 + 160000 + 1000000),
        ({"Traits": "lib::Tile<lib::SIDE * 2,float>", "MORE": "SIDE"}, 8 + 800 + 320000 + 4000000),
        ({"Traits": "wide::Tile<2>", "N": "5"}, 20 + 500 + 640000 + 1000000),
        ({"Traits": "lib::wide::Tile<2>", "SCALE": "7"}, 20 + 2000 + 70000 + 1000000),
        ({"Traits": "lib::Chosen<int>::Third", "N": "(SIDE + 1) * 3 % 8"}, 3 + 700 + 320000 + 1000000),
        ({"Traits": "struct Plain", "SCALE": "(SIDE > 3)"}, 3 + 300 + 10000 + 1000000),
    ],
)
def test_template_arguments_are_read_in_the_names_of_the_file(template: dict[str, str], wanted: int) -> None:
    given = {"out": Unwritten("int32", (2,))}
    found = run(parse(TRAITS, "t.cu"), Launch(Dim3(1), Dim3(2)), given, template=template)
    assert found.outputs["out"].tolist() == [wanted] * 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tile<8", "expected ',' after 'Tile<8'"),
        ("Tile<8, float>>", "syntax error near '>>'"),
        ("Tile<8, float> *)", r"this '\)' closes nothing"),
        ("Tile<8, number>", "number"),
        ("Tile<SIZE, int>", "ROWS is a whole number, SIZE is given"),
        ("Odd<float>", "static member 'rows'; padding is no constexpr function with 2 parameters"),
        ("float, int", "syntax error near ','"),
        ("Plain;", "syntax error"),
        ("SIDE", "'SIDE' is not a type such as float or int"),
        ("", "syntax error"),
    ],
)
def test_template_arguments_that_cannot_be_read(text: str, reason: str) -> None:
    program = parse(TRAITS, "t.cu")
    with pytest.raises(InputError, match=f"--template Traits={re.escape(text)}: .*{reason}"):
        run(program, Launch(Dim3(1), Dim3(1)), {}, template={"Traits": text})
    good = run(program, Launch(Dim3(1), Dim3(1)), {"out": Unwritten("int32", (1,))}, template={"Traits": "Plain"})
    assert good.outputs["out"].tolist() == [3 + 300 + 320000 + 1000000]


LAYOUTS = """
struct Rows { using value_type = float; static __device__ int size(int n) { return n; } };
template <int W> struct Columns { using value_type = float; static __device__ int size(int n) { return n * W; } };
struct Other { using value_type = float; };
struct Radix { __device__ int get_bit(int x) const { return x; } };
template <typename L> __global__ void f(typename L::value_type *out) { out[threadIdx.x] = L::size(threadIdx.x); }
template <typename K> __global__ void g(float *out) { K key; out[threadIdx.x] = key.get_bit(3); }
template <typename K> struct Held { K key; };
template <typename K> __device__ int bit(Held<K> held) { return held.key.get_bit(1); }
template <typename K> __global__ void i(float *out) { Held<K> held; out[threadIdx.x] = bit(held); }
template <typename K> __global__ void h(K *out) { out[threadIdx.x] = K::nothing; }
"""


@pytest.mark.parametrize(
    ("kernel", "template", "reason"),
    [
        ("f", {}, "--template L=VALUE (a type); it needs value_type, size: try Rows, Columns<…>"),
        ("f", {"L": "float"}, "value_type'; with --template L=float; it needs value_type, size: try Rows, Columns<…>"),
        ("g", {"K": "int"}, "no member function get_bit; with --template K=int; it needs get_bit: try Radix"),
        ("i", {"K": "int"}, "int has no member function get_bit; with --template K=int; it needs get_bit: try Radix"),
        ("h", {}, "it needs nothing: no struct of this file has that"),
    ],
)
def test_a_type_that_is_missing_or_does_not_suit_brings_up_those_that_do(
    kernel: str, template: dict[str, str], reason: str
) -> None:
    with pytest.raises(TilescopeError, match=re.escape(reason)):
        run(
            parse(LAYOUTS, "test.cu"),
            Launch(Dim3(1), Dim3(2)),
            {"out": Unwritten("float32", (2,))},
            kernel=kernel,
            template=template,
        )
