"""bfloat16: rounding, operators and conversions, bit by bit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kernels.arguments import parse_arguments
from kernels.errors import SourceError
from kernels.number_types import bfloat_to_double, round_to_bfloat
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace

NUMBERS = [1.0, -2.5, 0.3, 1e38, 1e-40, 0.0, -0.1, 255.0]


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


@pytest.mark.parametrize(
    ("kind", "expression", "expected"),
    [
        ("float", "x", [float(bfloat_to_double(round_to_bfloat(n))) for n in NUMBERS]),
        ("float", "__bfloat162float(x) * 2", [2 * float(bfloat_to_double(round_to_bfloat(n))) for n in NUMBERS]),
        ("int", "(int)(x * __nv_bfloat16(2))", [2, -5, 0, 2147483647, 0, 0, 0, 510]),
        ("int", "x > __float2bfloat16(0.2f)", [1, 0, 1, 1, 0, 0, 0, 1]),
        ("int", "__bfloat16_as_ushort(-x)", [b ^ 0x8000 for b in bits(*NUMBERS).tolist()]),
        ("float", "half_of(x)", [float(bfloat_to_double(round_to_bfloat(n))) / 2 for n in NUMBERS]),
        (
            "float",
            "__high2float(__floats2bfloat162_rn(1, x))",
            [float(bfloat_to_double(round_to_bfloat(n))) for n in NUMBERS],
        ),
        (
            "float",
            "added(x)",
            [
                float(bfloat_to_double(round_to_bfloat(float(bfloat_to_double(round_to_bfloat(n))) + 1)))
                for n in NUMBERS
            ],
        ),
        ("float", "__shfl_sync(~0u, x, 1)", [-2.5] * 8),
    ],
)
def test_conversions(kind: str, expression: str, expected: list[float]) -> None:
    source = f"""
    __device__ float half_of(float x) {{ return x / 2; }}
    __device__ nv_bfloat16 added(nv_bfloat16 x) {{ x += __nv_bfloat16(1.0f); return x; }}
    __global__ void k(const __nv_bfloat16 *in, {kind} *r) {{
        __nv_bfloat16 x = in[threadIdx.x];
        r[threadIdx.x] = {expression};
    }}"""
    dtype = {"float": "float32", "int": "int32"}[kind]
    found = trace(source, {"in": bits(*NUMBERS), "r": Unwritten(dtype, (THREADS,))}, block=(8,))
    assert found.outputs["r"].tolist() == np.array(expected, dtype).tolist()
    assert {hazard.kind for hazard in found.hazards} <= ({"warp-mask"} if "shfl" in expression else set())


def test_an_array_on_the_command_line() -> None:
    found = parse_arguments(["a=bf16[4]:iota", "b=bf16[4]:uninit"])
    assert np.asarray(found["a"]).tolist() == bits(0, 1, 2, 3).tolist()
    assert found["b"] == Unwritten("uint16", (4,))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a[0] = a[0] + 1.0f;", "2:8: no operator + takes __nv_bfloat16 and float"),
        ("a[0] = a[0] % a[1];", "2:8: no operator % takes __nv_bfloat16 and __nv_bfloat16"),
        ("__hmax2(a[0], __halves2bfloat162(a[0], a[0]));", "2:1: __hmax2 takes __nv_bfloat162, not __nv_bfloat16"),
        ("__low2bfloat16(a[0]);", "2:1: not supported: function '__low2bfloat16'"),
    ],
)
def test_refusals(line: str, message: str) -> None:
    with pytest.raises(SourceError, match=re.escape(message)):
        trace(f"__global__ void k(__nv_bfloat16 *a) {{\n{line} }}", {"a": bits(1, 2)})


def test_nan_differs_from_everything() -> None:
    source = """__global__ void k(const __nv_bfloat16 *in, int *r) {
        __nv_bfloat16 a = in[0], b = in[1];
        r[0] = (a != a) + 2 * (a == a) + 4 * (a != b) + 8 * (b != b); }"""
    found = trace(source, {"in": bits(np.nan, 1), "r": Unwritten("int32", (1,))}, block=(1,))
    assert found.outputs["r"].tolist() == [1 + 4]
