"""Confidence intervals: their ranks, their coverage on skewed times, and what is claimed from them."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.bench.intervals import Interval, median_interval, ratio_interval, verdict


@pytest.mark.parametrize(
    ("count", "ranks"),
    # Conover 1999, table A3: the binomial distribution with p = 1/2; David and Nagaraja 2003, section 7.1.
    [(6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (10, (2, 9)), (20, (6, 15)), (30, (10, 21)), (100, (40, 61))],
)
def test_ranks_are_those_of_the_tables(count: int, ranks: tuple[int, int]) -> None:
    interval = median_interval([float(n) for n in range(count, 0, -1)])
    assert interval is not None
    assert (interval.low, interval.high) == ranks
    assert interval.middle == (count + 1) / 2


@pytest.mark.parametrize("count", range(6))
def test_too_few_times_have_no_interval(count: int) -> None:
    assert median_interval([1.0] * count) is None


@pytest.mark.parametrize("count", [999, 1000, 1001, 5000])
def test_the_rank_of_many_times_is_that_of_the_normal_approximation(count: int) -> None:
    interval = median_interval([float(n) for n in range(1, count + 1)])
    assert interval is not None
    assert interval.low == pytest.approx(count / 2 - 0.98 * count**0.5, abs=1)


@pytest.mark.parametrize("count", [6, 30, 101])
def test_at_least_95_percent_of_the_intervals_contain_the_median_of_skewed_times(count: int) -> None:
    random = np.random.default_rng(1)
    times = 1 + random.lognormal(-3, 1, (2000, count))
    median = 1 + np.exp(-3)
    found = [median_interval(row) for row in times.tolist()]
    inside = sum(median in interval for interval in found if interval)
    assert len(found) == 2000
    assert inside / 2000 > 0.94  # 95 %, less two standard errors of 2,000 trials


def test_a_series_against_itself_is_no_change() -> None:
    random = np.random.default_rng(2)
    claims = 0
    for _ in range(500):
        a, b = (1 + random.lognormal(-4, 1, 40)).tolist(), (1 + random.lognormal(-4, 1, 40)).tolist()
        ratio = ratio_interval(a, b)
        assert ratio is not None
        claims += verdict(ratio) != "no change"
    assert claims <= 25  # one in twenty at most


@pytest.mark.parametrize(
    ("factor", "claim"), [(1.0, "no change"), (1.001, "no change"), (0.5, "slower"), (2.0, "faster")]
)
def test_only_a_clear_difference_is_claimed(factor: float, claim: str) -> None:
    times = [1 + n / 1000 for n in range(40)]
    ratio = ratio_interval(times, [factor * time for time in times])
    assert ratio is not None
    assert ratio.middle == pytest.approx(factor)
    assert factor in ratio
    assert verdict(ratio) == claim


def test_a_ratio_needs_seven_times_on_both_sides() -> None:
    assert ratio_interval([1.0] * 6, [1.0] * 7) is None
    assert ratio_interval([1.0] * 7, [1.0] * 6) is None
    assert ratio_interval([2.0] * 7, [1.0] * 7) == Interval(0.5, 0.5, 0.5)
