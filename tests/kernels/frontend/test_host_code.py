"""Host code is left out by name; namespaces are flat."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import ast, parse
from kernels.frontend.types import Struct
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, function, shape
from tests.kernels.simt.programs import lanes, trace

CASES = Cases(__file__)


def skipped(text: str) -> dict[str, str]:
    return {omission.name: omission.reason for omission in parse(text, "k.cu").omissions}


def test_host_code_is_skipped() -> None:
    program = parse(CASES.source("host"), "k.cu")
    assert [f.name for f in program.functions] == ["kernel"]
    assert program.variables == ()
    reasons = {omission.name: omission.reason for omission in program.omissions}
    assert reasons["N"] == "a host variable: make it const, __constant__ or __device__"
    assert reasons["table"] == reasons["title"] == reasons["index"] == reasons["N"]
    assert reasons["helper"] == "a host function: mark it __device__"
    assert reasons["prototype"] == reasons["each"] == reasons["operator*"] == reasons["helper"]
    assert reasons["Shape"] == "k.cu:25:23: not supported: virtual function; use a template, or an if"
    assert reasons["Square"] == (
        "k.cu:26:17: type 'Shape' was left out: k.cu:25:23: not supported: virtual function; use a template, or an if"
    )
    assert "main" not in reasons


@pytest.mark.parametrize(("text", "names"), CASES("device_functions_are_found"))
def test_device_functions_are_found(text: str, names: list[str]) -> None:
    assert [f.name for f in parse(text, "k.cu").functions] == names


def test_namespaces_are_flat() -> None:
    inside = "const int W = 4; struct S { int x; }; __device__ int f(int x) { return x; }"
    given = f"namespace a {{ namespace b {{ {inside} }} }}"
    assert body("a::b::S s; n = a::b::f(a::b::W) + b::f(::a::b::W);", before=given) == [
        ["declare", ["S", "s", None]],
        ["=", "n", ["+", ["f()", "W"], ["f()", "W"]]],
    ]


@pytest.mark.parametrize(("text", "kind"), CASES("variables_that_device_code"))
def test_variables_that_device_code_may_use(text: str, kind: str) -> None:
    assert [shape(v)[:2] for v in parse(text, "k.cu").variables] == [[kind, "n"]]


@pytest.mark.parametrize(("text", "reason"), CASES("omitted_declarations"))
def test_omitted_declarations_have_a_reason(text: str, reason: str) -> None:
    assert skipped(text)["n"].startswith(reason)


@pytest.mark.parametrize(("text", "words"), CASES("uses_of_omitted_declarations"))
def test_uses_of_omitted_declarations_are_refused(text: str, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    assert caught.value.reason.startswith(words)


@pytest.mark.parametrize(("text", "place", "words"), CASES("broken_device_code_is_an_error", tuples=True))
def test_broken_device_code_is_an_error(text: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text, "k.cu")
    assert caught.value.reason.startswith(words)
    assert (caught.value.line, caught.value.column) == place


def test_a_default_argument_of_a_prototype_is_kept() -> None:
    text = "__device__ int f(int a, int b = 2); __device__ int f(int a, int b) { return a + b; }"
    (found,) = parse(text, "k.cu").functions
    assert [shape(p.default) for p in found.parameters] == [None, 2]


def test_parameters_of_device_functions() -> None:
    text = "__device__ void f(const float4 &v, int (&m)[4], half h = 1, float2 p = {1, 2}, float *const q = nullptr) {}"
    assert function(text, "f")[1] == [
        ["const float4 &", "v"],
        ["int[4] &", "m"],
        ["half", "h"],
        ["float2", "p"],
        ["float *", "q"],
    ]
    defaults = [shape(p.default) for p in parse(text, "k.cu").functions[0].parameters]
    assert defaults == [None, None, 1, ["float2{}", 1, 2], 0]


def test_vector_types_are_structs() -> None:
    (variable,) = parse("__constant__ float4 v[3];", "k.cu").variables
    assert isinstance(variable.type.element, Struct)  # type: ignore[union-attr]
    assert variable.type.size_bytes == 48  # type: ignore[union-attr]
    assert isinstance(variable, ast.Variable)


def test_library_names_can_be_ordinary_identifiers() -> None:
    source = CASES.source("library_names_can_be_ordinary")
    found = trace(source, {"out": np.zeros(8, np.int32), "texture": 1, "matrix_a": 4, "precision": 7})
    assert set(found.outputs["out"].tolist()) == {7 + 4 + 1 + 1 + 6 + 1 + 1}


@pytest.mark.parametrize(("before", "body", "expected"), CASES("namespaces_that_declare_the_same"))
def test_namespaces_that_declare_the_same_names(before: str, body: str, expected: list[int]) -> None:
    assert lanes(body, before=before) == expected


@pytest.mark.parametrize("end", ["using }", "namespace }", "namespace {", "namespace a { using"])
def test_unfinished_namespaces_are_refused(end: str) -> None:
    with pytest.raises(SourceError):
        parse(f"namespace a {{ int x; }} namespace b {{ int x; }} __global__ void k() {{ }} {end}", "k.cu")
