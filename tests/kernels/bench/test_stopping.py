from __future__ import annotations

import pytest

from kernels.bench.measure import MAX_SAMPLES, StopRule

RULE = StopRule(budget_s=1.0, min_samples=4)


@pytest.mark.parametrize(
    ("times_ms", "spent_s", "enough"),
    [
        ([], 9.0, False),  # one is always taken
        ([500.0], 9.0, True),  # one long launch used up the budget
        ([1.0] * 3, 0.1, False),  # fewer than the minimum
        ([1.0] * 4, 0.1, True),  # settled at once
        ([1.0, 2.0, 1.0, 2.0], 0.1, False),  # scattered
        ([1.0, 2.0, 1.0, 2.0], 1.0, True),  # scattered, and no time left
        ([1.0, 2.0] * (MAX_SAMPLES // 2), 0.1, True),  # scattered for good
    ],
)
def test_conditions_to_stop(times_ms: list[float], spent_s: float, enough: bool) -> None:
    assert RULE.enough(times_ms, spent_s) is enough


def test_more_samples_settle_a_scattered_median() -> None:
    times = [1.0, 1.01] * 10
    assert not StopRule(9.0, 4).enough(times, 0.0)
    assert StopRule(9.0, 4).enough(times * 10, 0.0)
