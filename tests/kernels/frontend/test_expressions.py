from __future__ import annotations

from typing import Any

import pytest

from kernels.errors import SourceError
from kernels.frontend import ast, parse_expression
from tests.cases import Cases
from tests.kernels.frontend.nested_lists import body, shape

CASES = Cases(__file__)


@pytest.mark.parametrize(("text", "expected"), CASES("shape"))
def test_shape(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected


@pytest.mark.parametrize(("text", "expected"), CASES("comparisons_are_no_template"))
def test_comparisons_are_no_template_calls(text: str, expected: Any) -> None:
    assert shape(parse_expression(text)) == expected
    assert body(f"if ({text}) n = 1;") == [["if", expected, ["=", "n", 1], None]]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("0", 0, "int"),
        ("017", 15, "int"),
        ("0x1F", 31, "int"),
        ("0b101", 5, "int"),
        ("1'000'000", 1_000_000, "int"),
        ("2147483647", 2**31 - 1, "int"),
        ("2147483648", 2**31, "long long"),
        ("0xffffffff", 2**32 - 1, "unsigned int"),
        ("0x100000000", 2**32, "long long"),
        ("0xffffffffffffffff", 2**64 - 1, "unsigned long long"),
        ("1u", 1, "unsigned int"),
        ("4294967296U", 2**32, "unsigned long long"),
        ("1l", 1, "long long"),
        ("1LLU", 1, "unsigned long long"),
        ("1ull", 1, "unsigned long long"),
        ("1.", 1.0, "double"),
        (".5", 0.5, "double"),
        ("1e-3", 1e-3, "double"),
        ("1.5f", 1.5, "float"),
        ("1.F", 1.0, "float"),
        ("0.1f", 0.10000000149011612, "float"),
        ("1e10f", 1e10, "float"),
        ("0x1p-3", 0.125, "double"),
        ("0x1.8p1f", 3.0, "float"),
    ],
)
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
