from __future__ import annotations

import pytest

from kernels.errors import InputError
from kernels.frontend import evaluate, parse_expression
from tests.cases import Cases

CASES = Cases(__file__)

NAMES = {"n": 10, "zero": 0, "x": 2.5, "yes": True, "threadIdx.x": 3}


@pytest.mark.parametrize(("text", "value"), CASES("value"))
def test_value(text: str, value: float) -> None:
    found = evaluate(parse_expression(text), NAMES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("text", "message"), CASES("expressions_without_a_constant"))
def test_expressions_without_a_constant_value(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(parse_expression(text), NAMES)
    assert message in str(caught.value)


def test_without_any_names() -> None:
    with pytest.raises(InputError, match=r"^'n' has no value here$"):
        evaluate(parse_expression("n"), {})
