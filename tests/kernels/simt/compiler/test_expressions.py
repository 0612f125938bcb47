"""Results of C's operators and conversions, value by value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.simt.programs import lanes

BIG = 2**31 - 1


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / -2", -3),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("2147483647 + 1", -(2**31)),
        ("65536 * 65536", 0),
        ("1 << 31", -(2**31)),
        ("-8 >> 1", -4),
        ("-1 & 255", 255),
        ("5 ^ 3", 6),
        ("~0", -1),
        ("!5", 0),
        ("3 > 2 > 1", 0),
        ("(1, 2)", 2),
        ("1 ? 2 : 3", 2),
        ("(int)sizeof(0 ? 1.0 : 1)", 8),
        ("0 ? 7 / 0 : 5", 5),
        ("sizeof(float) * 2", 8),
        ("(int)3.99", 3),
        ("(int)-3.99", -3),
        ("(int)1e20", BIG),
        ("(unsigned char)300", 44),
        ("(char)200", -56),
        ("(int)(-1 < 1u)", 0),
        ("min(3, -2)", -2),
        ("max(3, 9)", 9),
        ("abs(-4)", 4),
        ("abs(-2147483647 - 1)", -(2**31)),
        ("max(1u, 2147483648u) == 2147483648u", 1),
        ("(int)(min(18446744073709551615ULL, 9ULL))", 9),
        ("warpSize", 32),
        ("blockDim.x + gridDim.y", 9),
        ("'a'", 97),
        ("0x10 | 1", 17),
    ],
)
def test_known_value_and_lane_values_agree(expression: str, expected: int) -> None:
    assert lanes(f"r = {expression};") == [expected] * 8


@pytest.mark.parametrize(
    ("expression", "x", "y", "expected"),
    [
        ("x + y", [BIG, -1], [1, 1], [-(2**31), 0]),
        ("x * y", [65536, 3], [65536, 5], [0, 15]),
        ("x / y", [7, -7], [2, 2], [3, -3]),
        ("x % y", [7, -7], [-3, 3], [1, -1]),
        ("x << y", [1, 3], [31, 1], [-(2**31), 6]),
        ("x >> y", [-8, 8], [1, 1], [-4, 4]),
        ("-x", [-(2**31), 5], [0, 0], [-(2**31), -5]),
        ("x < y", [1, 2], [2, 1], [1, 0]),
        ("x && y", [1, 0], [0, 1], [0, 0]),
        ("x || y", [1, 0], [0, 0], [1, 0]),
        ("x ? y : -y", [1, 0], [4, 4], [4, -4]),
        ("min(x, y) + max(x, y)", [1, 9], [5, 2], [6, 11]),
        ("(char)x", [200, 5], [0, 0], [-56, 5]),
        ("x > 0u", [-1, 0], [0, 0], [1, 0]),
    ],
)
def test_lane_values(expression: str, x: list[int], y: list[int], expected: list[int]) -> None:
    assert lanes(f"r = {expression};", x=("int", x), y=("int", y))[:2] == expected


@pytest.mark.parametrize(
    ("expression", "x", "expected"),
    [
        ("x - 1", 0, 2**32 - 1),
        ("x / 2", 2**32 - 1, BIG),
        ("x >> 31", 2**31, 1),
        ("x << 32", 1, 0),
        ("-x", 1, 2**32 - 1),
        ("(unsigned)-1 - x", 5, 2**32 - 6),
    ],
)
def test_unsigned_wraps(expression: str, x: int, expected: int) -> None:
    assert lanes(f"r = {expression};", "unsigned", x=("unsigned", [x]))[0] == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0.1f + 0.2f", float(np.float32(0.1) + np.float32(0.2))),
        ("0.1 + 0.2", float(np.float32(0.1 + 0.2))),
        ("16777216.0f + 1.0f", 16777216.0),
        ("1 / 2", 0.0),
        ("1 / 2.0f", 0.5),
        ("1.0f / 0.0f", math.inf),
        ("sqrtf(2.0f)", float(np.sqrt(np.float32(2)))),
        ("fmaxf(1.0f, 2.0f) - fminf(1.0f, 2.0f)", 1.0),
        ("fabsf(-1.5f)", 1.5),
        ("floorf(-1.5f)", -2.0),
        ("roundf(2.5f) + rintf(2.5f)", 5.0),
        ("max(1.5f, 1)", 1.5),
        ("(float)16777217", 16777216.0),
    ],
)
def test_floating_point(expression: str, expected: float) -> None:
    assert lanes(f"r = {expression};", "float") == [expected] * 8


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("int a = 3; r = a++ + a;", 7),
        ("int a = 3; r = ++a * 2;", 8),
        ("int a = 3; a += 4; a *= 2; a -= 1; a /= 2; a %= 4; r = a;", 2),
        ("int a = 1; a <<= 4; a |= 3; a &= ~1; a ^= 1; a >>= 1; r = a;", 9),
        ("int a, b; a = b = 5; r = a + b;", 10),
        ("unsigned char a = 255; a++; r = a;", 0),
        ("short a = 32767; a += 1; r = a;", -32768),
        ("bool a = 7; r = a + a;", 2),
        ("float f = 7; f /= 2; r = (int)(f * 10);", 35),
        ("int a[3] = {1, 2}; a[2] += 5; r = a[0] + a[1] * 10 + a[2] * 100;", 521),
        ("int a[2][3] = {1, 2, 3, 4, 5, 6}; r = a[1][0] * 10 + a[0][2];", 43),
        ("int a[3] = {1, 2, 3}, i = 0; r = a[i++, 2] * 10 + i;", 31),
        ("int a[4] = {1, 2, 3, 4}; int *p = a + 1; p++; r = *p * 10 + p[1]; r += (int)(p - a) * 100;", 234),
        ("int a[4] = {0}; a[t % 4]++; r = a[0] + a[1] + a[2] + a[3];", 1),
        ("const int c = 4; r = c;", 4),
        ("int a = 1; { int a = 2; r += a; } r += a;", 3),
    ],
)
def test_statements_of_one_thread(statements: str, expected: int) -> None:
    assert lanes(statements) == [expected] * 8


def test_right_side_is_not_evaluated_where_the_left_decides() -> None:
    body = "int n = 0; if (t < 4 && ++n) r = n; if (t < 4 || ++n) r += 10; r += n * 100;"
    assert lanes(body) == [111] * 4 + [110] * 4


def test_division_in_an_untaken_branch_is_no_hazard() -> None:
    assert lanes("r = t != 0 ? 12 / t : -1;") == [-1, 12, 6, 4, 3, 2, 2, 1]
