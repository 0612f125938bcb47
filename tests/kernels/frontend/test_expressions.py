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
