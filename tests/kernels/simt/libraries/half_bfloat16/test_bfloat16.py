"""bfloat16: rounding, operators and conversions, bit by bit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kernels.arguments import parse_arguments
from kernels.number_types import bfloat_to_double, round_to_bfloat
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def bits(*numbers: float) -> Any:
    return np.array([round_to_bfloat(number) for number in numbers], np.uint16)


def nearest(exact: Fraction) -> int:
    """Return the bits of the nearest number, found by trying those around a rounded float."""
    start = int(np.float32(float(exact)).view(np.uint32)) >> 16
    around = [
        start + step for step in (-1, 0, 1, 2) if 0 <= start + step <= 0xFFFF and (start + step) & 0x7FFF < 0x7F80
    ]
    return min(around, key=lambda b: (abs(Fraction(float(bfloat_to_double(b))) - exact), b & 1))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1.0, 0x3F80),
        (1 + 2**-8, 0x3F80),
        (1 + 3 * 2**-8, 0x3F82),
        (1 + 2**-8 + 2**-40, 0x3F81),
        (-1 - 2**-8 - 2**-52, 0xBF81),
        (1 + 2**-8 - 2**-52, 0x3F80),
        (3.39e38, 0x7F7F),
        (3.4e38, 0x7F80),
        (np.inf, 0x7F80),
        (np.nan, 0x7FFF),
        (-0.0, 0x8000),
        (2**-133, 0x0001),
        (2**-134, 0x0000),
        (2**-134 + 2**-180, 0x0001),
    ],
)
def test_one_rounding_from_double(number: float, expected: int) -> None:
    assert round_to_bfloat(number) == expected


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_operators_round_once(op: str) -> None:
    random = np.random.default_rng(1)
    a, b = (round_to_bfloat(random.normal(size=256) * 2.0 ** random.integers(-12, 12, 256)) for _ in range(2))
    source = f"""
    __global__ void k(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *r, __nv_bfloat162 *r2) {{
        int t = threadIdx.x;
        r[t] = a[t] {op} b[t];
        r2[t] = __halves2bfloat162(a[t], b[t]) {op} __halves2bfloat162(b[t], b[t]);
    }}"""
    given: dict[str, Any] = {
        "a": a,
        "b": b,
        "r": Unwritten("uint16", (256,)),
        "r2": Unwritten("uint16", (256, 2)),
    }
    found = trace(source, given, block=(256,))
    compute = {
        "+": Fraction.__add__,
        "-": Fraction.__sub__,
        "*": Fraction.__mul__,
        "/": Fraction.__truediv__,
    }[op]
    exact = [
        compute(Fraction(float(x)), Fraction(float(y)))
        for x, y in zip(bfloat_to_double(a), bfloat_to_double(b), strict=True)
    ]
    assert [b & 0x7FFF for b in found.outputs["r"].tolist()] == [nearest(abs(number)) for number in exact]
    assert found.outputs["r2"][:, 0].tolist() == found.outputs["r"].tolist()
    assert found.hazards == ()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a * b + c", 59648),  # 59520 lies between two numbers, and c decides
        ("c + a * b", 59648),
        ("-c - a * b", -59648),
        ("__hfma(a, b, c)", 59648),
        ("__hadd(__hmul(a, b), c)", 59648),
        ("__hfma2(__halves2bfloat162(a, b), __halves2bfloat162(b, a), __halves2bfloat162(c, c)).x", 59648),
    ],
)
def test_a_product_and_its_sum_are_rounded_once(expression: str, expected: float) -> None:
    source = f"""
    __global__ void k(const __nv_bfloat16 *in, __nv_bfloat16 *r) {{
        __nv_bfloat16 a = in[0], b = in[1], c = in[2];
        r[0] = {expression};
    }}"""
    found = trace(source, {"in": bits(248, 240, 2**-20), "r": Unwritten("uint16", (1,))}, block=(1,))
    assert bfloat_to_double(found.outputs["r"]).tolist() == [expected]


def test_an_array_on_the_command_line() -> None:
    found = parse_arguments(["a=bf16[4]:iota", "b=bf16[4]:uninit"])
    assert np.asarray(found["a"]).tolist() == bits(0, 1, 2, 3).tolist()
    assert found["b"] == Unwritten("uint16", (4,))
