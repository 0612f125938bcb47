"""The time left is the predicted one, scaled by how long the points so far took."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.bench.plan import Plan
from kernels.bench.prediction import START_S, Predictor
from kernels.bench.sample import Entry, Point
from kernels.bench.time_left import TimeLeft
from kernels.workload import Size

PLAN = Plan(tuple(Point(Entry("cpu_sequential"), Size(n, n, n)) for n in (64, 2048, 1024, 256)))


def test_a_slow_machine_scales_what_is_left() -> None:
    left, expected = TimeLeft(PLAN), Predictor(PLAN).seconds
    small, large, middle, last = PLAN.points
    assert left.seconds == pytest.approx(START_S + sum(map(expected, PLAN.points)))
    left.add(small, 3 * expected(small))
    assert left.seconds == pytest.approx(3 * sum(map(expected, (large, middle, last))))
    for point in (large, middle, last):
        left.add(point, 3 * expected(point))
    assert left.seconds == pytest.approx(0.0, abs=1e-6)


def test_a_limit_for_all_points_bounds_it() -> None:
    left = TimeLeft(replace(PLAN, total_s=5.0))
    left.add(PLAN.points[0], 2.0)
    assert left.seconds <= 3.0


def test_of_many_points_some_stand_for_all() -> None:
    many = Plan(tuple(Point(Entry("cpu_sequential", threads=k), Size(256, 256, 256)) for k in range(10_000)))
    assert TimeLeft(many).seconds == pytest.approx(START_S + 10_000 * Predictor(many).seconds(many.points[0]))
