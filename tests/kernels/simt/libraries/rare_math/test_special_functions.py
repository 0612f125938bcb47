"""Inverse functions, norms, exponents, and what a pointer points to."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable

X = [0.0, 1e-9, 0.3, -0.49, 0.5, -0.7, 0.999999, -0.25]
Q = [1e-300, 1e-9, 0.3, 0.5, 1.0, 1.3, 1.7, 1.999]


def of(function: Callable[[float], float], inverse: list[float], numbers: list[float]) -> list[float]:
    """Return how far, relatively, a function takes values away from the numbers whose inverses they are."""
    return [abs(function(y) - x) / max(abs(x), 1e-300) for y, x in zip(inverse, numbers, strict=True)]


def test_inverses() -> None:
    assert max(of(math.erf, lanes("r = erfinv(x);", "double", x=("double", X)), X)) < 3e-16
    assert max(of(math.erfc, lanes("r = erfcinv(x);", "double", x=("double", Q)), Q)) < 2e-13  # steep near 0
    halves = [q / 2 for q in Q]
    found = lanes("r = normcdfinv(x);", "double", x=("double", halves))
    assert max(of(lambda y: math.erfc(-y / math.sqrt(2)) / 2, found, halves)) < 5e-13
    assert lanes("r = erfinvf(x);", "float", x=("float", [0.5])) == pytest.approx([0.4769362762044699] * 8, 1e-7)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("erfinv(1.0)", math.inf),
        ("erfcinv(2.0)", -math.inf),
        ("erfinv(1.5)", math.nan),
        ("normcdfinv(0.5)", 0.0),
        ("erfcx(0.0)", 1.0),
        ("erfcx(1.0)", math.e * math.erfc(1)),
        ("erfcx(11.99)", math.exp(11.99**2) * math.erfc(11.99)),
        ("erfcx(12.01)", math.exp(12.01**2) * math.erfc(12.01)),
        ("erfcx(1e10)", 1e-10 / math.sqrt(math.pi)),
        ("erfcx(-40.0)", math.inf),
        ("norm4d(1.0, 2.0, 2.0, 4.0)", 5.0),
        ("rnorm3df(2.0f, 3.0f, 6.0f)", float(np.float32(1) / np.float32(7))),
        ("rnorm4df(1.0f, 2.0f, 2.0f, 4.0f)", float(np.float32(0.2))),
        ("ilogb(0.75) + 100 * ilogbf(1024.0f)", 999.0),
        ("ilogb(0.0)", -(2.0**31)),
        ("ilogbf(INFINITY)", 2.0**31 - 1),
        ('nan("")', math.nan),
        ("(double)__nv_bswap32(0x01020304u)", float(0x04030201)),
        ("(double)__nv_bswap16(0x0102)", float(0x0201)),
        ("(double)(__nv_bswap64(0x0102030405060708ull) >> 32)", float(0x08070605)),
        ("__fmaf_ieee_rd(1.0f, 1.0f, 1e-10f)", 1.0),
    ],
)
def test_known_values(expression: str, expected: float) -> None:
    assert lanes(f"r = {expression};", "double")[0] == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_functions_that_store() -> None:
    body = "int q; double p = remquo(x, 3.0, &q); float s, k; sincospif(0.25f, &s, &k); r = p * 1000 + q + (s == k);"
    numbers = [7.0, -7.0, 4.5, 100.0, 1.0, -1.0, 0.0, 3.0]
    near = [round(Fraction(x) / 3) for x in numbers]
    wanted = [(x - 3 * n) * 1000 + math.copysign(abs(n) & 7, n) + 1 for x, n in zip(numbers, near, strict=True)]
    assert lanes(body, "double", x=("double", numbers)) == wanted
    body = "double a[3] = {2, 3, 6}; float b[2] = {3, 4}; r = norm(3, a) + rnormf(2, b); __prof_trigger(1);"
    assert lanes(body, "double") == pytest.approx([7.2] * 8)


POINTERS = """
__constant__ int table[4];
__global__ void k(const int *in, unsigned *out, int which) {
    __shared__ int s[8];
    int local[2] = {1, 2};
    int t = threadIdx.x;
    s[t] = t;
    const int *p = which == 0 ? in : which == 1 ? s : which == 2 ? local : table;
    out[t] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p) + 16 * __isGlobal(in)
        + 32 * __isShared(out) + 64 * __isGridConstant(in);
}"""


@pytest.mark.parametrize("which", range(4))
def test_what_memory_a_pointer_points_to(which: int) -> None:
    found = trace(POINTERS, {"in": np.zeros(8, np.int32), "out": Unwritten("uint32", (8,)), "which": which})
    assert found.outputs["out"].tolist() == [16 + 2**which] * 8


def test_pointers_and_the_numbers_of_their_space() -> None:
    body = """__shared__ int s[8]; int own = 7 + t;
    s[t] = t; __syncthreads();
    int *p = (int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[7 - t]));
    int *q = (int *)__cvta_local_to_generic(__cvta_generic_to_local(&own));
    int *g = (int *)__cvta_global_to_generic(__cvta_generic_to_global(result + t));
    *g = 5; r = *p * 100 + *q * 10 + *g;"""
    assert lanes(body) == [(7 - t) * 100 + (7 + t) * 10 + 5 for t in range(8)]


def test_bessel_functions_are_refused_by_name() -> None:
    with pytest.raises(SourceError, match="not supported: function 'j0f'"):
        lanes("r = j0f(1.0f);")
