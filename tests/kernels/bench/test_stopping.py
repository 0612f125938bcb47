from __future__ import annotations

import pytest

from kernels.bench.measure.stopping import MAX_SAMPLES, MIN_SAMPLES, Stop, StopRule

RULE = StopRule(budget_s=1.0)


@pytest.mark.parametrize(
    ("times_ms", "spent_s", "reason"),
    [
        ([], 9.0, ""),  # one is always taken
        ([500.0], 9.0, "time limit"),  # one long launch used up the budget
        ([1.0] * (MIN_SAMPLES - 1), 0.1, ""),  # fewer than the minimum
        ([1.0] * MIN_SAMPLES, 0.1, "precision"),
        ([1.0] * MIN_SAMPLES, 1.0, "precision"),  # the budget was used up, but the interval is narrow
        ([1.0, 2.0] * MIN_SAMPLES, 0.1, ""),  # scattered
        ([1.0, 2.0] * MIN_SAMPLES, 1.0, "time limit"),
        ([1.0, 2.0] * (MAX_SAMPLES // 2), 0.1, "sample limit"),
    ],
)
def test_conditions_to_stop(times_ms: list[float], spent_s: float, reason: Stop) -> None:
    assert RULE.reason(times_ms, spent_s) == reason


@pytest.mark.parametrize(("half_width", "reason"), [(0.0049, "precision"), (0.0051, "")])
def test_half_a_percent_of_the_median_is_precise(half_width: float, reason: Stop) -> None:
    # Of 30 times, the 10th and the 21st are the ends of the interval.
    times = [1 - half_width] * 10 + [1.0] * 10 + [1 + half_width] * 10
    assert RULE.reason(times, 0.0) == reason


def test_the_least_number_of_samples_is_thirty() -> None:
    assert MIN_SAMPLES == 30
