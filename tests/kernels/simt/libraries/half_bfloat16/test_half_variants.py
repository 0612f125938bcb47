"""half and bfloat16: comparisons of pairs, and results kept in a range."""

from __future__ import annotations

import pytest

from tests.kernels.simt.programs import lanes

BOTH = pytest.mark.parametrize(("kind", "suffix"), [("half", "half"), ("__nv_bfloat16", "bfloat16")])


def value(body: str, kind: str = "float", number: str = "half") -> object:
    """Run a body in which h(x) is a half (or bfloat16) and p(x, y) a pair; returns what one thread leaves in r."""
    name = "half" if number == "half" else "bfloat16"
    pair = "half2" if number == "half" else "__nv_bfloat162"
    low = "__low2float(v)", "__high2float(v)"
    before = f"""#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ {number} h(float x) {{ return __float2{name}(x); }}
__device__ {pair} p(float x, float y) {{ return __floats2{name}2_rn(x, y); }}
__device__ float f({number} x) {{ return __{name}2float(x); }}
__device__ float both({pair} v) {{ return {low[0]} * 100.0f + {low[1]}; }}"""
    return lanes(f"float nan = __int_as_float(0x7fffffff); {body}", kind, before)[0]


@BOTH
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("r = both(__heq2(p(1, 2), p(1, 3)));", 100.0),
        ("r = both(__hltu2(p(nan, 2), p(1, 1)));", 100.0),
        ("r = both(__hlt2(p(nan, 0), p(1, 1)));", 1.0),
        ("r = both(__hne2(p(nan, 0), p(1, 1)));", 1.0),
        ("r = both(__hneu2(p(nan, 0), p(1, 0)));", 100.0),
        ("r = both(__hisnan2(p(nan, 0)));", 100.0),
        ("r = __hbge2(p(1, 2), p(1, 2)) + 2 * __hbge2(p(1, 2), p(1, 3)) + 4 * __hbgtu2(p(2, nan), p(1, 3));", 5.0),
        ("r = __hne(h(nan), h(1)) + 2 * __hneu(h(nan), h(1)) + 4 * __hequ(h(1), h(1)) + 8 * __hgeu(h(1), h(2));", 6.0),
        ("r = f(__hadd_sat(h(1), h(1))) + f(__hsub_sat(h(1), h(2))) + f(__hmul_sat(h(nan), h(1)));", 1.0),
        ("r = f(__hfma_sat(h(0.5f), h(0.5f), h(0.25f)));", 0.5),
        ("r = both(__hadd2_sat(p(1, -3), p(2, 2)));", 100.0),
        ("r = both(__hfma2_relu(p(2, -3), p(2, 2), p(1, 1)));", 500.0),
        ("r = 1.0f / f(__hfma_relu(h(-0.0f), h(1), h(-0.0f)));", float("inf")),
        ("r = isnan(f(__hmax_nan(h(nan), h(1)))) + 2 * (f(__hmin_nan(h(3), h(-1))) == -1.0f);", 3.0),
        ("r = 1.0f / f(__hmin_nan(h(0.0f), h(-0.0f)));", float("-inf")),
        ("r = both(__hcmadd(p(1, 2), p(3, 4), p(10, 20)));", 530.0),
    ],
)
def test_variants(body: str, expected: float, kind: str, suffix: str) -> None:
    assert value(body, "float", kind) == expected


def test_masks_of_pairs() -> None:
    assert value("r = __hgt2_mask(p(2, 1), p(1, 1));", "unsigned") == 0x0000FFFF
    assert value("r = __hneu2_mask(p(2, 1), p(1, nan));", "unsigned", "__nv_bfloat16") == 0xFFFFFFFF


def test_pairs_of_one_side_of_two_pairs() -> None:
    assert value("r = both(__lows2half2(p(1, 2), p(3, 4))) + 1000 * both(__highs2half2(p(1, 2), p(3, 4)));") == 204103
