from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, shape

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
