"""Expressions by precedence, and structs: layout, members, functions, and values made of braces."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import ast, parse, parse_expression
from kernels.frontend.types import Struct
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, function, shape

CASES = Cases(__file__)


def struct_of(text: str, name: str = "S") -> Struct:
    program = parse(f"{text}\n__device__ {name} wanted;", "k.cu")
    kind = program.variables[-1].type
    assert isinstance(kind, Struct)
    return kind


@pytest.mark.parametrize(("text", "fields", "size", "align"), CASES("layout"))
def test_layout(text: str, fields: str, size: int, align: int) -> None:
    kind = struct_of(text)
    assert ", ".join(f"{f.type} {f.name} {f.offset_bytes}" for f in kind.fields) == fields
    assert (kind.size_bytes, kind.align_bytes) == (size, align)


PAIR = "struct Pair { int a, b; }; struct Deep { Pair p; float v[3]; };"


@pytest.mark.parametrize(("text", "expected"), CASES("values"))
def test_values(text: str, expected: Any) -> None:
    assert body(text, before=PAIR)[0][1][2] == expected


def test_values_that_the_place_decides() -> None:
    assert body("float2 v; v = {1, 2};")[1] == ["=", "v", ["auto{}", 1, 2]]
    text = "__device__ float2 f(float x) { return {x, x}; }"
    assert function(text, "f") == ["float2", [["float", "x"]], [["return", ["float2{}", "x", "x"]]]]


def test_members() -> None:
    assert body("Pair p, *q = &p; p.a = q->b; (*q).a++; Deep d; d.p.a = sizeof(d.v[0]);", before=PAIR)[1:] == [
        ["=", [".", "p", "a"], [".", ["*", "q"], "b"]],
        ["_++", [".", ["*", "q"], "a"]],
        ["declare", ["Deep", "d", None]],
        ["=", [".", [".", "d", "p"], "a"], ["sizeof", ["[]", [".", "d", "v"], 0]]],
    ]


@pytest.mark.parametrize(("name", "expected"), CASES("functions_of_a_struct"))
def test_functions_of_a_struct(name: str, expected: Any) -> None:
    assert function(CASES.source("vector"), name) == expected


def test_constructors_initialise_every_member() -> None:
    nothing, two = (f for f in parse(CASES.source("vector"), "k.cu").functions if f.name == "V::V")
    assert [shape(s) for s in nothing.body.body] == [
        ["=", [".", "this", "x"], 1],
        ["=", [".", "this", "y"], 2],
    ]
    assert [shape(s) for s in two.body.body] == [
        ["=", [".", "this", "x"], "a"],
        ["=", [".", "this", "y"], "y"],
        ["*=", [".", "this", "x"], 2],
    ]
    assert str(two.returns) == "void"


def test_calls_of_functions_of_a_struct() -> None:
    terms = "v.dot(w) + p->dot(V(3, 4)) + V::scale(2) + V::N + V::RED + v(1) + v[0]"
    text = f"V v, w(1, 2), *p = &v; n = {terms}; V::Real r;"
    declared, assigned, real = body(text, before=CASES.source("vector"))
    assert [variable[2] for variable in declared[1:]] == [["V{}"], ["V{}", 1, 2], ["&", "v"]]
    value = assigned[2]
    added = []
    while value[0] == "+":
        added.append(value[2])
        value = value[1]
    assert [value, *added[::-1]] == [
        [".dot()", "v", "w"],
        [".dot()", ["*", "p"], ["V{}", 3, 4]],
        ["V::scale()", 2],
        2,
        0,
        [".operator()()", "v", 1],
        ["[]", "v", 0],
    ]
    assert real == ["declare", ["float", "r", None]]


def test_variables_without_a_value_are_constructed_where_they_can_be() -> None:
    assert body("V v; V w[2]; __shared__ V s, t[2];", before=CASES.source("vector")) == [
        ["declare", ["V", "v", ["V{}"]]],
        ["declare", ["V[2]", "w", [["V{}"], ["V{}"]]]],
        ["declare", ["shared V", "s", None], ["shared V[2]", "t", None]],
    ]


def test_functions_that_are_left_out() -> None:
    reasons = {omission.name: omission.reason for omission in parse(CASES.source("vector"), "k.cu").omissions}
    assert reasons["V::print"] == "a host function: mark it __device__"


def test_default_member_values_complete_braces() -> None:
    given = "struct S { int a; float b = 2; Q *c; int d = 4; };".replace("Q", "int")
    assert body("S s{1}, t, u = {1, 2, 0, 5};", before=given)[0][1:] == [
        ["S", "s", ["S{}", 1, 2, 0, 4]],
        ["S", "t", ["S{}", 0, 2, 0, 4]],
        ["S", "u", ["S{}", 1, 2, 0, 5]],
    ]


@pytest.mark.parametrize(("text", "place", "words"), CASES("structs_that_cannot_be_parsed", tuples=True))
def test_structs_that_cannot_be_parsed(text: str, place: tuple[int, int], words: str) -> None:
    omission = parse(text, "k.cu").omission("S")
    assert omission is None or omission.reason.startswith(f"k.cu:{place[0]}:{place[1]}: {words}")
    with pytest.raises(SourceError):
        parse(f"{text}\n__device__ S{2 * ('S2' in text) or ''} s;", "k.cu")


@pytest.mark.parametrize(("text", "column", "words"), CASES("values_that_are_refused"))
def test_values_that_are_refused(text: str, column: int, words: str) -> None:
    if not words:
        return
    with pytest.raises(SourceError) as caught:
        body(f"\n{text}", before=PAIR)
    assert caught.value.reason.startswith(words)
    assert caught.value.column == column


@pytest.mark.parametrize(("text", "expected"), CASES("shape"))
def test_shape(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(("text", "expected"), CASES("comparisons_are_no_template"))
def test_comparisons_are_no_template_calls(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected
    assert body(f"if ({text}) n = 1;") == [["if", expected, ["=", "n", 1], None]]


@pytest.mark.parametrize(("text", "value", "kind"), CASES("numbers"))
def test_number(text: str, value: float, kind: str) -> None:
    number = parse_expression(text)
    assert isinstance(number, ast.Number)
    assert (number.value, number.type.name, type(number.value)) == (value, kind, type(value))


@pytest.mark.parametrize(("text", "column", "words"), CASES("refused"))
def test_refused(text: str, column: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_expression(text)
    assert (caught.value.file, caught.value.line, caught.value.column) == ("<expression>", 1, column)
    assert words in caught.value.reason


def test_an_expression_is_parsed_once() -> None:
    assert parse_expression("(N + 15) / 16") is parse_expression("(N + 15) / 16")
