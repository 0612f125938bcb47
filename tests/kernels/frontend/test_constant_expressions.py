from __future__ import annotations

import pytest

from kernels.errors import InputError
from kernels.frontend import evaluate, parse_expression

NAMES = {"n": 10, "zero": 0, "x": 2.5, "yes": True, "threadIdx.x": 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / -2", -3),
        ("-7 / -2", 3),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("7 / 2.0", 3.5),
        ("7.0f / 2", 3.5),
        ("(n + 15) / 16 * 16", 16),
        ("n * n * n * n * n * n * n * n * n * n", 10**10),
        ("1 << 4 | 1", 17),
        ("-9 >> 1", -5),
        ("6 & 3 ^ 1", 3),
        ("~0", -1),
        ("-x", -2.5),
        ("+n", 10),
        ("threadIdx.x + 1", 4),
        ("n == 10", True),
        ("n != 10", False),
        ("n < 10 || n >= 10", True),
        ("!n", False),
        ("!!n", True),
        ("yes + yes", 2),
        ("true && 2", True),
        ("zero && 1 / zero", False),
        ("1 || 1 / zero", True),
        ("zero ? 1 / zero : 5", 5),
        ("1, 2", 2),
        ("min(n, 3) + max(n, 3)", 13),
        ("abs(-n)", 10),
        ("(int)ceil(n / 4.0)", 3),
        ("(int)floor(-x)", -3),
        ("(int)2.9", 2),
        ("(int)-2.9", -2),
        ("(unsigned char)300", 44),
        ("(char)200", -56),
        ("(unsigned)-1", 2**32 - 1),
        ("(float)0.1", 0.10000000149011612),
        ("(bool)2", True),
        ("sizeof(float) * 4", 16),
        ("sizeof(double[2][3])", 48),
        ("sizeof(float *)", 8),
        ("'a'", 97),
        ("0x10 + 010", 24),
    ],
)
def test_value(text: str, value: float) -> None:
    found = evaluate(parse_expression(text), NAMES)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m + 1", "'m' has no value here: use n, threadIdx.x, x, yes, zero"),
        ("threadIdx.y", "'threadIdx.y' has no value here"),
        ("2 * (n / zero)", "division by zero in 'n / zero'"),
        ("n % (n - 10)", "division by zero in 'n % (n - 10)'"),
        ("x % 2", "a whole number is needed in 'x % 2'"),
        ("x << 1", "a whole number is needed in 'x << 1'"),
        ("1 << 64", "shift by 64 in '1 << 64'"),
        ("1 >> -1", "shift by -1 in '1 >> -1'"),
        ("~x", "'~x' is not a constant expression"),
        ("n = 3", "'n = 3' is not a constant expression"),
        ("n++", "'n++' is not a constant expression"),
        ("a[1]", "'a[1]' is not a constant expression"),
        ("*n", "'*n' is not a constant expression"),
        ("sizeof n", "'sizeof(n)' is not a constant expression"),
        ("sizeof(void)", "sizeof(void) has no value"),
        ("(float *)n", "'(float *)n' is not a constant expression"),
        ("sqrt(n)", "'sqrt(n)' is not a constant expression: it may call only min(a, b)"),
        ("min(n)", "'min(n)' is not a constant expression: it may call only min(a, b)"),
        ("(int)(x / 1e-320)", "inf cannot become int"),
        ("ceil(1e999)", "in 'ceil("),
        ('"text"', "is not a constant expression"),
    ],
)
def test_expressions_without_a_constant_value(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(parse_expression(text), NAMES)
    assert message in str(caught.value)


def test_without_any_names() -> None:
    with pytest.raises(InputError, match=r"^'n' has no value here$"):
        evaluate(parse_expression("n"), {})
