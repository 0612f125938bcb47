"""half and half2: every operation rounds to 11 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Halves = NDArray[np.float16]

A = np.array([0.1, 1.0, 2048.0, -0.75, 60000.0, 1e-5, 3.14, -7.0], np.float16)
B = np.array([0.3, 3.0, 1.0, 0.125, 60000.0, 1e-3, -2.72, 0.5], np.float16)


def run(body: str, kind: str = "half", *, contract: bool = True) -> list[float]:
    """Each of 8 threads has a and b, and leaves r."""
    source = f"""#include <cuda_fp16.h>
        __global__ void k(const __half *A, const __half *B, {kind} *R) {{
        int t = threadIdx.x; half a = A[t], b = B[t]; {kind} r; {body} R[t] = r; }}"""
    dtype = {"half": "float16", "float": "float32", "int": "int32"}[kind]
    found = trace(source, {"A": A, "B": B, "R": Unwritten(dtype, (8,))}, contract=contract)
    assert found.hazards == ()
    return list(found.outputs["R"].tolist())


EXPRESSIONS: list[tuple[str, Callable[[Halves, Halves], Halves]]] = [
    ("a + b", lambda a, b: a + b),
    ("__hadd(a, b)", lambda a, b: a + b),
    ("a - b", lambda a, b: a - b),
    ("__hmul(a, b)", lambda a, b: a * b),
    ("a / b", lambda a, b: a / b),
    ("-a", lambda a, b: -a),
    ("__hneg(b)", lambda a, b: -b),
    ("__hmin(a, b)", lambda a, b: np.minimum(a, b)),
    ("__hmax(a, b)", lambda a, b: np.maximum(a, b)),
    ("hrsqrt(a * a)", lambda a, b: (1 / np.sqrt((a * a).astype(np.float64))).astype(np.float16)),
    ("hexp(b)", lambda a, b: np.exp(b.astype(np.float64)).astype(np.float16)),
    ("__float2half(__half2float(a) * 3.0f)", lambda a, b: (a.astype(np.float32) * 3).astype(np.float16)),
    ("a < b ? a : b", lambda a, b: np.minimum(a, b)),
    ("__hgt(a, b) ? a : b", lambda a, b: np.maximum(a, b)),
    ("__halves2half2(a, b).y", lambda a, b: b),
]


@pytest.mark.parametrize(("expression", "expected"), EXPRESSIONS)
def test_each_operation_rounds_to_half(expression: str, expected: Callable[[Halves, Halves], Halves]) -> None:
    with np.errstate(all="ignore"):
        assert run(f"r = {expression};") == expected(A, B).tolist()


def test_a_product_goes_into_a_sum_unrounded() -> None:
    with np.errstate(all="ignore"):
        exact = (A.astype(np.float64) * B + A).astype(np.float16).tolist()
        apart = (A * B + A).tolist()
    assert exact != apart
    for expression in ("a * b + a", "__hadd(__hmul(a, b), a)", "__hfma(a, b, a)"):
        assert run(f"r = {expression};") == exact
    assert run("r = a * b + a;", contract=False) == apart


PAIRS: list[tuple[str, Callable[[Halves, Halves], Halves]]] = [
    ("x + y", lambda a, b: a + b),
    ("__hsub2(x, y)", lambda a, b: a - b),
    ("__hmul2(x, y)", lambda a, b: a * b),
    ("__h2div(x, y)", lambda a, b: a / b),
    ("x * y + x", lambda a, b: (a.astype(np.float64) * b + a).astype(np.float16)),
    ("x - x * y", lambda a, b: (a - a.astype(np.float64) * b).astype(np.float16)),
    ("__hsub2(__hmul2(x, y), y)", lambda a, b: (a.astype(np.float64) * b - b).astype(np.float16)),
    ("__hfma2(x, y, x)", lambda a, b: (a.astype(np.float64) * b + a).astype(np.float16)),
    ("__hmax2(x, y)", lambda a, b: np.maximum(a, b)),
    ("__hneg2(x)", lambda a, b: -a),
]


@pytest.mark.parametrize(("expression", "expected"), PAIRS)
def test_pairs_work_member_by_member(expression: str, expected: Callable[[Halves, Halves], Halves]) -> None:
    """x is (a, b), y is (b, a); the sum of the results' members is left in float."""
    body = f"""half2 x = __halves2half2(a, b), y = __halves2half2(b, a), z = {expression};
        r = __low2float(z) + __high2float(z);"""
    with np.errstate(all="ignore"):
        low, high = expected(A, B), expected(B, A)
        wanted = (low.astype(np.float32) + high.astype(np.float32)).tolist()
    assert run(body, "float") == pytest.approx(wanted, nan_ok=True, rel=0)
