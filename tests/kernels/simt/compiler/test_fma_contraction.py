"""FMA contraction: the products that nvcc fuses with a sum, each rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from kernels.simt.machine.fused_multiply_add import multiply_add, multiply_add_double, multiply_add_half
from tests.kernels.simt.programs import lanes, trace

A, B, C, D = (Fraction(float(x)) for x in np.random.default_rng(1129).random(4, dtype=np.float32) + 1)
"""Numbers of 24 bits: every rounding left out shows in each of the cases below."""


def rounded(value: Fraction) -> Fraction:
    return Fraction(float(np.float32(float(value))))


def fma(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return rounded(a * b + c)


TENTHS = rounded(Fraction(float(np.float32(0.1))) * Fraction(float(np.float32(0.3))))
TENTH_OF_A = rounded(Fraction(float(A) * 0.1))
AB, CD = rounded(A * B), rounded(C * D)
CASES: list[tuple[str, Fraction, Fraction]] = [
    # what is written, fused as nvcc 13 does for sm_90, and with every operation rounded
    ("a * b + c", fma(A, B, C), rounded(AB + C)),
    ("c + a * b", fma(A, B, C), rounded(AB + C)),
    ("a * b - c", fma(A, B, -C), rounded(AB - C)),
    ("c - a * b", fma(-A, B, C), rounded(C - AB)),
    ("-(a * b) + c", fma(-A, B, C), rounded(C - AB)),
    ("(float)(a * b) + c", fma(A, B, C), rounded(AB + C)),
    ("a * b + c * d", fma(A, B, CD), rounded(AB + CD)),
    ("a * b - c * d", fma(A, B, -CD), rounded(AB - CD)),
    # of two products that which is known first; c is read, the others are parameters
    ("c * d + a * b", fma(A, B, CD), rounded(AB + CD)),
    ("c * d + (a + 1.0f) * b", fma(rounded(A + 1), B, CD), rounded(rounded(rounded(A + 1) * B) + CD)),
    ("fmaxf(c, 0.0f) * d + c * b", fma(C, B, CD), rounded(CD + rounded(C * B))),
    ("c * d - a * b", fma(C, D, -AB), rounded(CD - AB)),
    ("-(a * b) + c * d", fma(C, D, -AB), rounded(CD - AB)),
    ("a * -b + c * d", fma(C, D, -AB), rounded(CD - AB)),
    ("c * d - a * -b", fma(A, B, CD), rounded(CD + AB)),
    ("-a * b - c * d", fma(-A, B, -CD), rounded(-AB - CD)),
    ("-a * b + -(c * d)", fma(-C, D, -AB), rounded(-AB - CD)),
    # one operation on floats, and literals that float has, is done in float
    ("1.0 - a * b", fma(-A, B, Fraction(1)), rounded(1 - AB)),
    ("(float)(a * 3.0) + c", fma(A, Fraction(3), C), rounded(rounded(3 * A) + C)),
    ("(float)((double)a * b) + c", fma(A, B, C), rounded(AB + C)),
    ("(float)(a * 0.1) + c", rounded(TENTH_OF_A + C), rounded(TENTH_OF_A + C)),  # float has no 0.1
    ("a * -3.0f + c * d", fma(C, D, -rounded(3 * A)), rounded(CD - rounded(3 * A))),
    ("a * -3.0f * b + c * d", fma(-rounded(3 * A), B, CD), rounded(CD + rounded(-rounded(3 * A) * B))),
    ("c + a * b + c * d", fma(C, D, fma(A, B, C)), rounded(rounded(C + AB) + CD)),
    ("a * b + c * d + a * a", fma(A, A, fma(A, B, CD)), rounded(rounded(AB + CD) + rounded(A * A))),
    ("a * b * c + d", fma(AB, C, D), rounded(rounded(AB * C) + D)),
    ("__fmul_rn(a, b) + c", rounded(AB + C), rounded(AB + C)),
    ("__fadd_rn(a * b, c)", rounded(AB + C), rounded(AB + C)),
    ("(t >= 0 ? a * b : a) + c", rounded(AB + C), rounded(AB + C)),
    ("fmaf(a, b, c)", fma(A, B, C), fma(A, B, C)),
    ("0.1f * 0.3f + c", rounded(TENTHS + C), rounded(TENTHS + C)),  # the compiler multiplies
]


def results(body: str, contract: bool) -> list[float]:
    source = f"""__device__ float plus(float x, float y) {{ return x + y; }}
        __device__ float times(float x, float y) {{ return x * y; }}
        __device__ float named(float x, float y) {{ float p = x * y; return p; }}
        __device__ float guarded(float x, float y) {{ if (x > 9) return x; return x * y; }}
        __global__ void k(float *out, float a, float b, const float *C, float d) {{
        int t = threadIdx.x; float c = C[t]; {body} }}"""
    arguments: dict[str, Any] = {
        "out": Unwritten("float32", (8,)),
        "a": float(A),
        "b": float(B),
        "d": float(D),
        "C": np.full(8, float(C), np.float32),
    }
    found = trace(source, arguments, contract=contract)
    assert found.hazards == ()
    return list(found.outputs["out"].tolist())


@pytest.mark.parametrize(("expression", "fused", "apart"), CASES)
def test_fused_products(expression: str, fused: Fraction, apart: Fraction) -> None:
    assert results(f"out[t] = {expression};", contract=True) == [float(fused)] * 8
    assert results(f"out[t] = {expression};", contract=False) == [float(apart)] * 8


@pytest.mark.parametrize(("op", "sign"), [("+=", 1), ("-=", -1)])
def test_a_product_added_to_a_variable_or_an_element_is_fused(op: str, sign: int) -> None:
    fused, apart = fma(sign * A, B, C), rounded(C + sign * AB)
    assert fused != apart
    for body in (f"c {op} a * b; out[t] = c;", f"out[t] = c; out[t] {op} a * b;"):
        assert results(body, contract=True) == [float(fused)] * 8
        assert results(body, contract=False) == [float(apart)] * 8


THROUGH: list[tuple[str, Fraction]] = [
    ("float p = a * b; out[t] = p + c;", fma(A, B, C)),
    ("float p; p = a * b; out[t] = c - p;", fma(-A, B, C)),
    ("float p = -(a * b); out[t] = p + c;", fma(-A, B, C)),
    ("float p = a * b, q = c * d; out[t] = q - p;", fma(C, D, -AB)),
    ("float r = a * b; r += c * d; r += c; out[t] = r;", rounded(fma(A, B, CD) + C)),
    ("float p = c * d, q = a * b; out[t] = p + q;", fma(A, B, CD)),
    ("float m = -a; out[t] = m * b + c * d;", fma(C, D, -AB)),
    ("out[t] = times(c, d) + times(a, b);", fma(A, B, CD)),
    ("float p = a * b; out[t] = (p + c) * (p - d);", rounded(fma(A, B, C) * fma(A, B, -D))),
    ("float p = a * b; float q = p; out[t] = q + c;", fma(A, B, C)),
    ("float p = a * b; out[t] = p + p;", fma(A, B, AB)),
    ("for (int i = 0; i < 2; ++i) { float p = a * b; out[t] = p + c; }", fma(A, B, C)),
    ("float p = a * b; __syncthreads(); out[t] = p + c;", fma(A, B, C)),
    ("float p = a * b; a = b; out[t] = p + c;", fma(A, B, C)),
    ("out[t] = plus(a * b, c);", fma(A, B, C)),
    ("out[t] = times(a, b) + c;", fma(A, B, C)),
    ("out[t] = times(a, b) - times(c, d);", fma(A, B, -CD)),
    ("float p = named(a, b); out[t] = c; out[t] += p;", fma(A, B, C)),
    ("float p = named(a, b); out[t] = p; out[t] = c - p;", rounded(C - AB)),
    ("out[t] = c; out[t] += times(a, b);", fma(A, B, C)),
    ("out[t] = guarded(a, b) + c;", rounded(AB + C)),
    # the product is needed by itself, or elsewhere
    ("float p = a * b; out[t] = p; out[t] = p + c;", rounded(AB + C)),
    ("float p = a * b; out[t] = (p + c) * p;", rounded(rounded(AB + C) * AB)),
    ("float p = a * b; if (c < 9) out[t] = p + c;", rounded(AB + C)),
    ("float p = a * b; if (t > 9) out[0] = c; out[t] = p + c;", rounded(AB + C)),
    ("float p = a; if (c < 9) p = a * b; out[t] = p + c;", rounded(AB + C)),
    ("float p = a * b; float q = c * d; out[t] = p; out[t] = p + q;", fma(C, D, AB)),
    ("float p = a * b; p = p > 0 ? p : c; out[t] = p + c;", rounded(AB + C)),
]


def test_assignments_in_branches_are_known_after_the_branch() -> None:
    assert results("if (t > 9) a = C[0]; out[t] = a * b + c * d;", contract=True) == [float(fma(C, D, AB))] * 8


@pytest.mark.parametrize(("body", "expected"), THROUGH)
def test_products_are_followed_through_variables(body: str, expected: Fraction) -> None:
    """As nvcc does in straight code, where a product is used in nothing but sums."""
    assert results(body, contract=True) == [float(expected)] * 8


def test_double_and_mixed_sums() -> None:
    third, exact = Fraction(1 / 3), Fraction(1 / 3) ** 2
    values: dict[str, Any] = {"x": ("double", [1 / 3]), "y": ("double", [-float(exact)])}
    assert lanes("r = x * x + y;", "double", **values)[0] == float(exact - Fraction(float(exact)))
    # The product is rounded to float before it becomes a double.
    assert third == Fraction(1 / 3)
    floats: dict[str, Any] = {"x": ("float", [float(A)]), "y": ("double", [0.25])}
    assert lanes("r = x * x + y;", "double", **floats)[0] == float(rounded(A * A)) + 0.25


def nearest(a: float, b: float, c: float, dtype: type[np.floating[Any]]) -> float:
    """a·b + c, exact, then rounded once to a number of a type."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if dtype is np.float64:
        return float(exact)
    with np.errstate(over="ignore"):
        start = dtype(float(exact))
        around = [start, np.nextafter(start, dtype(np.inf)), np.nextafter(start, dtype(-np.inf))]
    finite = [x for x in around if np.isfinite(x)]
    bits = {2: np.uint16, 4: np.uint32}[np.dtype(dtype).itemsize]
    return float(min(finite, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(bits)) & 1)))


def hard_numbers(dtype: type[np.floating[Any]]) -> list[tuple[float, float, float]]:
    """Sums that end next to the middle of two numbers, that cancel, and that are tiny."""
    eps, tiny = float(np.finfo(dtype).eps), float(np.finfo(dtype).smallest_subnormal)
    random = np.random.default_rng(5)
    cases: list[tuple[float, ...]] = [
        (1 + i * eps, eps / 2 * (1 + j * eps), k) for i in range(4) for j in range(3) for k in (1.0, 2.0)
    ]
    cases += [(x, y, -float(dtype(x * y))) for x, y in random.random((40, 2)).astype(dtype).tolist()]
    low = float(np.finfo(dtype).smallest_normal)
    cases += [(x, low, k * tiny) for x in random.random(20).astype(dtype).tolist() for k in (-3, 0, 2)]
    return [(a, b, c) for a, b, c in cases]


@pytest.mark.parametrize(
    ("function", "dtype"),
    [(multiply_add_half, np.float16), (multiply_add, np.float32), (multiply_add_double, np.float64)],
)
def test_one_rounding_in_the_hard_cases(function: Any, dtype: type[np.floating[Any]]) -> None:
    cases = hard_numbers(dtype)
    with np.errstate(all="ignore"):
        found = function(*np.array(cases, dtype).T)
    assert found.dtype == dtype
    assert found.tolist() == [nearest(*case, dtype) for case in cases]


@pytest.mark.parametrize("function", [multiply_add_half, multiply_add, multiply_add_double])
def test_infinities_and_nans(function: Any) -> None:
    dtype = function(np.float16(1), np.float16(1), np.float16(1)).dtype.type
    with np.errstate(all="ignore"):
        numbers = [dtype(x) for x in (math.inf, 0.0, -math.inf, 1.0)]
        assert np.isnan(function(numbers[0], numbers[1], numbers[3]))
        assert np.isnan(function(numbers[0], numbers[3], numbers[2]))
        assert function(numbers[3], numbers[3], numbers[2]) == -math.inf
        big = np.finfo(dtype).max
        assert function(big, dtype(2), numbers[1]) == math.inf
        assert function(big, dtype(2), -big) == big


def test_a_long_vector_is_worked_on_in_parts() -> None:
    a, b, c = np.random.default_rng(0).random((3, 20_000), dtype=np.float32)
    c[::7] = -a[::7] * b[::7]
    exact = (a.astype(np.longdouble) * b + c).astype(np.float64)
    found = multiply_add(a, b, c)
    np.testing.assert_array_equal(found[::7], exact[::7].astype(np.float32))
    np.testing.assert_allclose(found, exact, rtol=2**-24)
