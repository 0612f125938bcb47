"""Templates: what they take, what their instances are, and where `<` compares."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import Instances, parse, parse_with_instances
from kernels.frontend.parse import parse_with_parser
from kernels.frontend.types import DOUBLE, FLOAT, INT, CType, Pointer
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, run
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, function, shape, signature

if TYPE_CHECKING:
    from kernels.frontend.ast import Function, Program, Template

CASES = Cases(__file__)

TILE = CASES.source("tile")


TYPES: dict[Any, CType] = {"int": INT, "float": FLOAT, "double": DOUBLE, "float *": Pointer(FLOAT)}


def types(arguments: list[Any]) -> tuple[CType | float, ...]:
    """Return template arguments, types by their names."""
    return tuple(TYPES.get(argument, argument) for argument in arguments)


def template(text: str, name: str = "f") -> Template:
    (found,) = (t for t in parse(text, "k.cu").templates if t.name == name)
    return found


def instantiate(text: str, *arguments: CType | float, name: str = "f") -> Function:
    program, instances = parse_with_instances(text, "k.cu")
    (found,) = (t for t in program.templates if t.name == name)
    return instances.instantiate(found, arguments)


def instance(text: str, *arguments: CType | float, name: str = "f") -> list[Any]:
    made = instantiate(text, *arguments, name=name)
    return [*signature(made), [shape(statement) for statement in made.body.body]]


def test_template_arguments() -> None:
    found = template(
        "template <typename T, class U = float, int N = 2 * 8, bool B = true, unsigned = 3>"
        "__device__ T f(const T *a, U &b, int n = N, T c[N] = nullptr) { return c[0]; }"
    )
    assert [
        (p.name, str(p.type), p.default and shape(p.default) if p.type else str(p.default)) for p in found.parameters
    ] == [
        ("T", "None", "None"),
        ("U", "None", "float"),
        ("N", "int", 16),
        ("B", "bool", ["bool", 1]),
        ("", "unsigned int", 3),
    ]
    assert signature(found) == [["const T *", "a"], ["U &", "b"], ["int", "n"], ["T *", "c"]]
    assert not found.kernel


def test_a_template_kernel() -> None:
    text = "template <int B> __global__ void __launch_bounds__(B) k(float *a) { a[B] = B; }"
    program, instances = parse_with_instances(text, "k.cu")
    (found,) = program.templates
    assert (found.name, found.kernel, program.functions) == ("k", True, ())
    made = instances.instantiate(found, (32,))
    assert (made.kernel, made.template, made.name) == (True, (32,), "k")
    assert shape(made.body) == ["block", ["=", ["[]", "a", 32], 32]]
    assert instances.instantiate(found, (32,)) is made
    assert instances.instantiate(found, (64,)) is not made


@pytest.mark.parametrize(("text", "arguments", "expected"), CASES("instances"))
def test_instances(text: str, arguments: list[Any], expected: Any) -> None:
    assert instance(text, *types(arguments)) == expected


def test_a_specialisation_replaces_an_instance() -> None:
    text = (
        "template <typename T> __device__ T f(T x) { return x; }\n"
        "template <> __device__ float f<float>(float x) { return 1; }"
    )
    assert instance(text, FLOAT)[2] == [["return", 1]]
    assert instance(text, INT)[2] == [["return", "x"]]


def test_arguments_of_a_specialisation_are_deduced_from_its_parameters() -> None:
    text = (
        "template <typename T> __device__ T f(const T *x, T &y) { return y; }\n"
        "template <> __device__ float f(const float *x, float &y) { return 1; }"
    )
    assert instance(text, FLOAT)[2] == [["return", 1]]
    assert instantiate(text, FLOAT).template == (FLOAT,)
    assert instance(text, INT)[2] == [["return", "y"]]


def test_templates_of_one_name() -> None:
    program = parse(
        "template <typename T> __device__ T f(T a) { return a; }"
        "template <typename T> __device__ T f(T a, T b) { return a + b; }"
        "__device__ int f(int a) { return 1; }",
        "k.cu",
    )
    assert [len(t.signature) for t in program.templates] == [1, 2]
    assert [f.name for f in program.functions] == ["f"]


@pytest.mark.parametrize(("arguments", "place", "words"), CASES("arguments_that_do_not_fit"))
def test_arguments_that_do_not_fit(arguments: list[Any], place: list[int], words: str) -> None:
    text = "template <typename T, int N>\n__device__ T f() { T a[N]; if constexpr (N == 2) float b[nothing]; }"
    program, instances = parse_with_instances(text, "k.cu")
    (found,) = program.templates
    with pytest.raises(SourceError) as caught:
        instances.instantiate(found, types(arguments))
    assert words in caught.value.reason
    assert caught.value.line == place[0]
    instances.instantiate(found, (FLOAT, 3))  # an error leaves the parser as it was


@pytest.mark.parametrize(("text", "expected"), CASES("angle_brackets_and_comparisons"))
def test_angle_brackets_and_comparisons(text: str, expected: Any) -> None:
    given = f"const int W = 8; {TILE} template <typename T, int N> __device__ int f(int n) {{ return n; }}"
    assert body(f"n = {text};", before=given) == [["=", "n", expected]]


def test_an_inner_variable_hides_a_template() -> None:
    given = "template <int N> __device__ int f(int n) { return n; }"
    assert body("int f = 1; n = f < 2 > (3);", before=given)[1] == ["=", "n", [">", ["<", "f", 2], 3]]


def test_struct_templates() -> None:
    text = f"{TILE} __global__ void k() {{ Tile<float, 2> t; Tile<char, 1> c; t.twice().at(1) = t.SIZE; }}"
    program = parse(text, "k.cu")
    assert [f.name for f in program.functions] == [
        "Tile<float, 2>::Tile",
        "Tile<float, 2>::at",
        "Tile<float, 2>::twice",
        "Tile<float, 2>::self",
        "k",
    ]
    assert function(text, "Tile<float, 2>::at")[2] == [
        ["return", ["[]", ["[]", [".", "this", "data"], ["/", "i", 2]], ["%", "i", 2]]]
    ]
    assert function(text, "Tile<float, 2>::twice")[0] == "Tile<float, 2>"
    declared = function(text, "k")[2]
    assert declared[0] == ["declare", ["Tile<float, 2>", "t", ["Tile<float, 2>{}"]]]
    assert declared[1] == ["declare", ["Tile<char, 1>", "c", None]]


def test_functions_of_a_struct_that_an_instance_names_first() -> None:
    text = f"{TILE} template <int N> __global__ void k() {{ Tile<int, N> t; t.at(0) = N; }}"
    program, instances = parse_with_instances(text, "k.cu")
    assert (program.functions, list(instances.functions)) == ((), [])
    instances.instantiate(program.templates[0], (3,))
    assert program.functions == ()
    assert "Tile<int, 3>::at" in [f.name for f in instances.functions]


def test_a_signature_names_open_parameters() -> None:
    found = template(
        f"{TILE} template <typename T, int N> __device__ void f(Tile<T, N> &t, typename T::U u, float (&a)[N]) {{}}"
    )
    assert signature(found)[:2] == [["Tile<T, N> &", "t"], ["T::U", "u"]]


@pytest.mark.parametrize(("text", "words"), CASES("templates_that_are_refused"))
def test_templates_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    assert words in caught.value.reason


def test_explicit_instantiations_are_skipped() -> None:
    text = "template <class T> __global__ void k(T *a) {} template __global__ void k<float>(float *a);"
    program = parse(text, "k.cu")
    assert [t.name for t in program.templates] == ["k"]
    assert program.functions == ()


TEXT = CASES.source("text")

LAUNCH = Launch(Dim3(1), Dim3(2))


def outputs(program: Program, instances: Instances | None = None) -> object:
    given: dict[str, Argument] = {"out": np.zeros(2, np.int32)}
    return run(program, LAUNCH, given, kernel="k", template={"N": "3"}, instances=instances).outputs["out"].tolist()


def test_a_run_leaves_the_program_as_it_was() -> None:
    program, instances = parse_with_instances(TEXT, "k.cu")
    before = copy.deepcopy(program)
    assert before == program
    assert outputs(program, instances) == [37, 43]
    assert program == before
    assert [name for name in instances.statics if name not in program.statics] == ["Tile<3>::SIZE"]
    assert [name for name in instances.constants if name not in program.constants] == ["Tile<3>::ODD"]
    assert [f.name for f in instances.functions] == ["Tile<3>::at"]
    assert [t.name for t in instances.templates] == ["Tile<3>::scaled"]


def test_a_program_is_data() -> None:
    program = parse(TEXT, "k.cu")
    assert [name for name, _ in program.kernel_errors] == ["unreadable"]
    again = pickle.loads(pickle.dumps(program))
    assert again == program == parse(TEXT, "k.cu")
    assert outputs(again) == outputs(program) == [37, 43]


def test_the_text_is_parsed_again_for_the_first_template_only(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(f"{TEXT} __global__ void plain(int *out) {{ out[threadIdx.x] = 1; }}", "k.cu")
    parsed: list[str] = []

    def count(text: str, *rest: object, **more: object) -> object:
        parsed.append(text)
        return parse_with_parser(text, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("kernels.frontend.instances.parse_with_parser", count)
    instances = Instances(program)
    given: dict[str, Argument] = {"out": np.zeros(2, np.int32)}
    run(program, LAUNCH, given, kernel="plain", instances=instances)
    assert parsed == []
    assert outputs(program, instances) == outputs(program, instances) == [37, 43]
    assert parsed == [program.text]


def test_objects_of_one_program_are_independent() -> None:
    program = parse(TEXT, "k.cu")
    one, other = Instances(program), Instances(program)
    made = one.instantiate(program.templates[1], (3,))
    assert made is one.instantiate(program.templates[1], (3,))
    assert (len(one.functions), len(other.functions)) == (1, 0)
    assert other.instantiate(program.templates[1], (3,)) == made
