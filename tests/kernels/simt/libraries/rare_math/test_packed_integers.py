"""Integers packed in a word, against Python's integers part by part."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import pytest

from tests.kernels.simt.programs import lanes

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., int]

A = [0, 0x80008000, 0x7FFF8001, 0x01FF80FE, 0xFFFFFFFF, 0x12345678, 0x7F80FF00, 0xDEADBEEF]
B = [0xFFFFFFFF, 0x00018000, 0x7FFFFFFF, 0x02018002, 0x00000001, 0x9ABCDEF0, 0x80807FFF, 0x0BADF00D]
C = [5, 0x00010002, 0x80007FFF, 0x7FFF8000, 0xFFFF0000, 0x00000000, 0x12345678, 0xFEDCBA98]


def parts(word: int, count: int, *, signed: bool) -> list[int]:
    """Take a word apart, lowest first."""
    bits = 32 // count
    values = [word >> bits * at & (1 << bits) - 1 for at in range(count)]
    return [v - (1 << bits) if signed and v >> bits - 1 else v for v in values]


def word(values: list[int], count: int) -> int:
    """Put parts together."""
    bits = 32 // count
    return sum((v & (1 << bits) - 1) << bits * at for at, v in enumerate(values))


def clamped(value: int, count: int, *, signed: bool) -> int:
    """Stop at the ends of a part's range."""
    bits = 32 // count
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(value, least), most)


ONE: list[tuple[str, bool, Function]] = [("abs", True, abs), ("neg", True, operator.neg)]
TWO: list[tuple[str, bool, Function]] = [
    ("add", True, operator.add),
    ("sub", True, operator.sub),
    ("absdiffs", True, lambda a, b: abs(a - b)),
    ("absdiffu", False, lambda a, b: abs(a - b)),
    ("avgs", True, lambda a, b: (abs(a + b) + 1) // 2 * (1 if a + b >= 0 else -1)),
    ("avgu", False, lambda a, b: (a + b + 1) // 2),
    ("haddu", False, lambda a, b: (a + b) // 2),
    ("maxs", True, max),
    ("maxu", False, max),
    ("mins", True, min),
    ("minu", False, min),
    ("seteq", True, operator.eq),
    ("setne", True, operator.ne),
    ("setlts", True, operator.lt),
    ("setltu", False, operator.lt),
    ("setges", True, operator.ge),
    ("cmpeq", True, lambda a, b: -(a == b)),
    ("cmpgts", True, lambda a, b: -(a > b)),
    ("cmpleu", False, lambda a, b: -(a <= b)),
]
STOPPING: list[tuple[str, bool, Function]] = [
    ("addss", True, operator.add),
    ("addus", False, operator.add),
    ("subss", True, operator.sub),
    ("subus", False, operator.sub),
]


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(("name", "signed", "function"), [*ONE, *TWO])
def test_part_by_part(name: str, signed: bool, function: Function, count: int) -> None:
    operands = "x" if (name, signed, function) in ONE else "x, y"
    found = lanes(f"r = __v{name}{count}({operands});", "unsigned", x=("unsigned", A), y=("unsigned", B))
    given = [
        [parts(w, count, signed=signed) for w in (a, b)[: len(operands) // 2 + 1]] for a, b in zip(A, B, strict=True)
    ]
    assert found == [word([function(*p) for p in zip(*ws, strict=True)], count) for ws in given]


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(("name", "signed", "function"), STOPPING)
def test_saturation(name: str, signed: bool, function: Function, count: int) -> None:
    found = lanes(f"r = __v{name}{count}(x, y);", "unsigned", x=("unsigned", A), y=("unsigned", B))
    given = [(parts(a, count, signed=signed), parts(b, count, signed=signed)) for a, b in zip(A, B, strict=True)]
    wanted = [[clamped(function(*p), count, signed=signed) for p in zip(*w, strict=True)] for w in given]
    assert found == [word(w, count) for w in wanted]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("__vabsss2(0x80008001u)", 0x7FFF7FFF),
        ("__vnegss4(0x80817F00u)", 0x7F7F8100),
        ("__vsadu4(0x01020304u, 0x04030201u)", 8),
        ("__vsads2(0x80007FFFu, 0x7FFF8000u)", 2 * 65535),
        ("__viaddmax_s32(-5, 3, -7)", 0xFFFFFFFE),
        ("__viaddmin_u32(5u, 3u, 9u)", 8),
        ("__viaddmax_s32_relu(-5, 3, -7)", 0),
        ("__vimax3_s32(-5, 3, -7)", 3),
        ("__vimin3_s16x2(0x0001FFFFu, 0x00020003u, 0x80000004u)", 0x8000FFFF),
        ("__viaddmax_s16x2(0x7FFF0001u, 0x00010001u, 0x00000000u)", 0x00000002),
        ("__viaddmax_u16x2(0xFFFF0001u, 0x00020001u, 0x00000000u)", 0x00010002),
        ("__vimax_s16x2_relu(0x8000FFFFu, 0x8001FFFEu)", 0),
        ("__vimin_s32_relu(4, 9)", 4),
    ],
)
def test_known_values(expression: str, expected: int) -> None:
    assert lanes(f"r = {expression};", "unsigned") == [expected] * 8


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("bool p; int m = __vibmax_s32(3, -4, &p); r = m * 10 + p;", 31),
        ("bool p; int m = __vibmin_s32(3, 3, &p); r = m * 10 + p;", 31),
        ("bool p; unsigned m = __vibmin_u32(3u, 4294967295u, &p); r = m * 10 + p;", 31),
        (
            "bool h, l; unsigned m = __vibmax_s16x2(0xFFFF0002u, 0x00010001u, &h, &l); r = m + h * 7 + l * 50000;",
            0x00010002 + 50000,
        ),
        (
            "bool h, l; unsigned m = __vibmin_u16x2(0xFFFF0002u, 0x00010001u, &h, &l); r = m + h * 7 + l * 9;",
            0x00010001,
        ),
    ],
)
def test_which_was_taken(body: str, expected: int) -> None:
    assert lanes(body, "unsigned") == [expected] * 8
