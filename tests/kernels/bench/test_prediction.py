from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.bench.plan import Plan
from kernels.bench.prediction import START_S, predict
from kernels.bench.sample import Entry, Point, Sample
from kernels.workload import Size

SEQUENTIAL = Entry("cpu_sequential")


def _point(n: int) -> Point:
    return Point(SEQUENTIAL, Size(n, n, n))


def _sample(n: int, time_ms: float, duration_s: float = 0.0) -> Sample:
    return Sample(_point(n), "measured", (time_ms,), 1, 2 * n**3, duration_s=duration_s)


def test_a_point_that_was_measured_takes_as_long_again() -> None:
    plan = Plan((_point(64), _point(128)))
    found = predict(plan, [_sample(64, 0.1, 9.0), _sample(64, 0.1, 2.0), _sample(128, 1.0, 3.0)])
    assert found.seconds == pytest.approx(START_S + 5.0)
    assert (found.known_points, found.point_count) == (2, 2)


def test_another_size_is_scaled_by_its_operations() -> None:
    plan = Plan((_point(1024),), budget_s=0.1, time_limit_s=1e6)
    slow, fast = (predict(plan, [_sample(512, time_ms)]).seconds for time_ms in (8000.0, 1000.0))
    assert slow - fast == pytest.approx(8 * 2 * 7.0)  # the verified launch and a timed one, eight times the operations
    assert predict(plan, [_sample(512, 8000.0)]).known_points == 0


def test_without_samples_more_operations_take_longer() -> None:
    small, large = (predict(Plan((_point(n),), time_limit_s=1e6)).seconds for n in (64, 4096))
    assert START_S + 1.0 < small < START_S + 2.0  # the budget of a point
    assert large > 50 * small


def test_limits_bound_the_prediction() -> None:
    plan = Plan(tuple(map(_point, range(4096, 4106))), time_limit_s=3.0)
    assert predict(plan).seconds == pytest.approx(START_S + 30.0)
    assert predict(replace(plan, total_s=10.0)).seconds == pytest.approx(START_S + 10.0)


def test_a_comparison_takes_twice_as_long() -> None:
    plan = Plan((_point(64),), budget_s=2.0)
    compared = replace(plan, baselines=(Entry("cpu_blas", threads=1),))
    assert predict(compared).seconds - predict(plan).seconds == pytest.approx(2.0, abs=0.1)
