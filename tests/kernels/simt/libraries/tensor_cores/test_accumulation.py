"""Accumulation in a tensor core: truncation of the terms, and rounding of the sum."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.simt.libraries.tensor_cores import accumulation
from kernels.simt.libraries.tensor_cores.accumulation import accumulate
from kernels.simt.libraries.tensor_cores.wgmma import AT_ONCE


def dot(terms: list[float], onto: float = 0.0, factors: str = "f16", sums: Any = np.float32, block: int = 16) -> float:
    """Return onto + Σ terms, each a factor times 1 of a product that is 16 deep."""
    row = np.zeros((1, 1, 16))
    row[0, 0, : len(terms)] = terms
    found = accumulate(row, np.ones((1, 16, 1)), np.full((1, 1, 1), onto), factors, sums, block)
    return float(found[0, 0, 0])


@pytest.mark.parametrize(
    ("terms", "onto", "expected"),
    [
        ([1.0] * 16, 2.0**24, 2.0**24 + 16),  # one by one nothing would be accumulate
        ([2.0**-26] * 8, 2.0, 2.0),  # 28 bits below the largest: each is cut off
        ([2.0**-23] * 8, 2.0, 2.0 + 2.0**-20),  # 24 bits below, none is
        ([2.0**-24 + 2.0**-25] * 8, 2.0, 2.0 + 2.0**-21),  # of each the upper half, which is 25 bits below
        ([2.0**-23], 1.0, 1 + 2.0**-23),
        ([2.0**-24, 2.0**-25], 1.0, 1.0),  # kept, but the sum is rounded towards zero
        ([-(2.0**-24), -(2.0**-25)], -1.0, -1.0),
        ([-(2.0**-25)], 1.0, 1 - 2.0**-24),
        ([-(2.0**-26)], 1.0, 1.0),  # cut towards zero, so that nothing is taken off
        ([1.0, -1.0, 2.0**-24], 0.0, 2.0**-24),
        ([60000.0, -60000.0, 2.0**-14], 0.0, 0.0),
        ([2.0**127, 2.0**127], 0.0, np.inf),
        ([2.0**127, 2.0**126, 2.0**125], -(2.0**104), 2.0**128 - 2.0**125 - 2.0**104),
        ([2.0**127] * 2, -(2.0**103), 2.0**128 - 2.0**104),
        ([np.inf, 1.0], 0.0, np.inf),
        ([np.inf, -np.inf], 0.0, np.nan),
    ],
)
def test_sums_in_float(terms: list[float], onto: float, expected: float) -> None:
    assert dot(terms, onto) == pytest.approx(expected, rel=0, nan_ok=True)


@pytest.mark.parametrize(
    ("terms", "onto", "expected"),
    [
        ([1.0, 0.5, 0.25], 2048.0, 2050.0),  # one by one it would stay at 2048
        ([1.0], 2048.0, 2048.0),
        ([-(2.0**-24) / 4], 0.0, 0.0),
        ([65504.0, 16.0], 0.0, np.inf),
    ],
)
def test_sums_in_half_are_rounded_to_the_nearest(terms: list[float], onto: float, expected: float) -> None:
    found = dot(terms, onto, sums=np.float16)
    assert (found, np.signbit(found)) == (expected, False)


def test_products_that_are_added_in_several_steps_are_rounded_in_each() -> None:
    terms = [2.0**-23, 2.0**-24, 0, 0, 2.0**-24]
    assert dot(terms, 1.0, "tf32", block=8) == 1 + 2.0**-22
    assert dot(terms, 1.0, "tf32", block=4) == 1 + 2.0**-23


def test_subnormal_factors_count_as_the_smallest_normal_ones() -> None:
    """2⁻²⁴ is 2⁻¹⁰·2⁻¹⁴ as a half: its product with 2¹⁵ is taken for one between 2 and 4."""
    a, b = np.array([[[2.0**-24, 1.5 * 2.0**-12]]]), np.array([[[2.0**15], [2.0**-12]]])
    for factors, kept in (("f16", 1.0), ("bf16", 1.5)):
        found = accumulate(a, b, np.zeros((1, 1, 1)), factors, np.float32, 16)
        assert found.item() == 2.0**-9 + kept * 2.0**-24


def test_sums_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    tiles: list[Any] = [
        random.integers(-99, 100, shape).astype(float) for shape in ((40, 16, 16), (40, 16, 8), (40, 16, 8))
    ]
    a, b, c = tiles
    expected = a @ b + c
    for numbers, quick in (
        (tiles, True),
        ([tiles[0] / 3, *tiles[1:]], False),
        ([*tiles[:2], tiles[2] * 2.0**-30], False),
    ):
        assert accumulation._is_exact(*numbers) == quick
    assert np.array_equal(accumulate(a, b, c, "f16", np.float32, 16), expected)
    monkeypatch.setattr(accumulation, "_is_exact", lambda *_: False)
    assert np.array_equal(accumulate(a, b, c, "f16", np.float32, 16), expected)


def random_inputs(factors: str, depth: int, digits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a [64, depth], b [8, depth] and c [64, 8] with exponents spread so that most sums lose bits."""
    random = np.random.default_rng(7)
    spread, bits = 6 if factors == "f16" else 20, 8 if factors == "bf16" else 11

    def numbers(shape: tuple[int, int], low: int, high: int, digits: int) -> np.ndarray:
        mantissa = random.integers(1 << digits - 1, 1 << digits, shape).astype(np.float64) / (1 << digits - 1)
        found: np.ndarray = mantissa * 2.0 ** random.integers(low, high, shape) * random.choice([-1.0, 1.0], shape)
        return found

    a, b = (numbers((rows, depth), -spread // 2, spread // 2, bits) for rows in (64, 8))
    return a, b, numbers((64, 8), -spread, spread, digits)


@pytest.mark.parametrize(
    ("name", "depth", "sums"),
    [("tf32", 8, np.float32), ("bf16", 16, np.float32), ("f16", 16, np.float32), ("f16_f16", 16, np.float16)],
)
def test_wgmma_adds_to_the_bit_as_an_h200(name: str, depth: int, sums: Any) -> None:
    recorded = tomllib.loads(Path(__file__).with_name("wgmma_h200.toml").read_text(encoding="utf-8"))
    factors = name.partition("_")[0]
    a, b, c = random_inputs(factors, depth, 11 if sums == np.float16 else 24)
    onto = c.astype(sums).astype(np.float64)
    found = accumulate(a[None], b.T[None], onto[None], factors, sums, AT_ONCE[factors])
    assert found[0].astype(sums).tobytes().hex() == recorded[name]
