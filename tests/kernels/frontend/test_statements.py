"""Statements and declarations, and the sources of index expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse, render
from kernels.frontend.ast import Index, Name
from kernels.frontend.index_expressions import Indices, coordinates
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel, run
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, shape
from tests.kernels.simt.programs import trace

CASES = Cases(__file__)


@pytest.mark.parametrize(("text", "expected"), CASES("shape"))
def test_shape(text: str, expected: Any) -> None:
    assert body(f"\n{text}\n") == expected


@pytest.mark.parametrize(("text", "expected"), CASES("declaration"))
def test_declaration(text: str, expected: Any) -> None:
    declared = body(text)[-1]
    assert declared[0] == "declare"
    kind, name, value = declared[1]
    assert [kind, name, value] == expected


@pytest.mark.parametrize(("spelling", "kind"), CASES("type_spelling"))
def test_type_spelling(spelling: str, kind: str) -> None:
    assert body(f"{spelling} x;") == [["declare", [kind, "x", None]]]


@pytest.mark.parametrize("given", CASES("array_lengths_are_constant"))
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
        CASES.source("a_file"),
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


def test_attributes_after_the_parameters() -> None:
    source = """
    __device__ int five() __attribute__((always_inline));
    __device__ int five() { return 5; }
    __global__ void k(int *out) { out[threadIdx.x] = five(); }"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [5] * 8


def test_kernels_that_are_only_declared_are_not_listed() -> None:
    source = CASES.source("kernels_that_are_only_declared")
    program = parse(source, "test.cu")
    assert [template.name for template in program.templates] == ["here", "special"]


def test_types_of_bsd() -> None:
    source = "__global__ void k(u_int *out, u_int8_t x) { out[0] = (u_char)(x + 1) + sizeof(u_int64_t); }"
    assert trace(source, {"out": Unwritten("uint32", (1,)), "x": 255}, block=(1,)).outputs["out"].tolist() == [8]


def test_kernels_declared_by_a_function_type() -> None:
    output = trace(
        CASES.source("kernels_declared_by_a_function"),
        {"a": np.zeros(8, np.int32), "n": 8},
    )
    assert output.outputs["a"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_template_arguments_select_among_kernels_of_the_same_name() -> None:
    program = parse(
        """__global__ void fill(int *a) { a[threadIdx.x] = 1; }
        template <int N> __global__ void fill(int *a) { a[threadIdx.x] = N; }""",
        "test.cu",
    )
    for template, expected in (({}, 1), ({"N": "5"}, 5)):
        start, arguments = Launch(Dim3(1), Dim3(2)), {"a": np.zeros(2, np.int32)}
        output = run(program, start, arguments, kernel="fill", template=template)
        assert output.outputs["a"].tolist() == [expected] * 2


@pytest.mark.parametrize("launch", ["inner<<<1, 32>>>(a);", "inner <4> <<<1, 32>>> (a);"])
def test_launches_in_device_code_are_refused(launch: str) -> None:
    program = parse(
        f"""{"template <int N>" if "<4>" in launch else ""} __global__ void inner(float *a) {{ a[0] = 1; }}
        __global__ void outer(float *a) {{
        {launch} }}""",
        "test.cu",
    )
    with pytest.raises(SourceError, match=r"3:\d+: not supported: launch with <<< >>> in device code; trace that"):
        choose_kernel(program, "outer")


def indices() -> Indices:
    return Indices(parse(CASES.source("text"), "k.cu").kernels[0])


def index_of(read: Indices, array: str) -> Name:
    found = (node for node in read.nodes if isinstance(node, Index) and isinstance(node.base, Name))
    (index,) = (node.index for node in found if node.base == Name(node.base.span, array))
    assert isinstance(index, Name)
    return index


def test_sources_are_followed_through_variables_and_vectors() -> None:
    read = indices()
    assert read.sources(index_of(read, "b")) == {"threadIdx.y", "cols", "blockIdx.x", "threadIdx.x"}
    assert read.sources(index_of(read, "a")) == {"threadIdx.x", "k"}
    assert read.changed == {"k"}


def test_an_index_has_its_value_in_a_thread() -> None:
    read = indices()
    there = coordinates(Dim3(3, 2, 0), Dim3(1, 0, 0), Dim3(8, 4), Dim3(2))
    assert read.value(index_of(read, "b"), {**there, "cols": 16}) == 2 * 16 + 8 + 3
    assert read.value(index_of(read, "b"), there) is None


def test_bounds_of_indices_are_found() -> None:
    read = indices()
    assert [
        (render(guard.index), render(guard.bound)) for guard in sorted(read.guards, key=lambda g: render(g.index))
    ] == [
        ("at.x", "5"),
        ("i", "total"),
        ("k", "min(cols, limit)"),
    ]
    assert read.limits == {5}
