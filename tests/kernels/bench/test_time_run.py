"""Times of a run and of a library routine that take turns: when they stop, and what is claimed from them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Self

import numpy as np
import pytest

from kernels import CUDA_FOLDER
from kernels.bench.intervals import Interval, median_interval, ratio_interval, verdict
from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.point import measure
from kernels.bench.measure.stopping import MAX_SAMPLES, MIN_SAMPLES, Stop, StopRule, joint_reason
from kernels.bench.measure.time_run import time_run
from kernels.bench.measure.worker import work
from kernels.bench.plan import Plan, baseline_of, entries, libraries
from kernels.bench.protocol import Measured
from kernels.bench.sample import Entry, Point, Sample
from kernels.catalog import find_kernel, read_source
from kernels.launch import Dim3
from kernels.workload import Size
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from kernels.workload import Arrays

CASES = Cases(__file__)

SIZE = Size(64, 64, 64)
RULE = StopRule(budget_s=60.0)


class _Run:
    """A run that notes in `log` when it is timed, and always takes as long."""

    launches_per_sample = 1
    captured = False

    def __init__(self, name: str, time_ms: float, log: list[str]) -> None:
        self._name, self._time_ms, self._log = name, time_ms, log

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def outputs(self) -> Arrays:
        return {}

    def sample_ms(self) -> Mapping[str, float]:
        self._log.append(self._name)
        return {"kernel": self._time_ms}


def test_short_samples_take_turns_in_batches_whose_first_is_not_used() -> None:
    log: list[str] = []
    timed = time_run(_Run("A", 1.0, log), _Run("B", 2.0, log), RULE, None)
    assert [(name, len(list(group))) for name, group in groupby(log)] == [("A", 1), ("B", 1)] + [("A", 6), ("B", 6)] * 6
    assert (len(timed.parts), len(timed.library_parts), timed.stopped) == (31, 31, "precision")
    assert {part["kernel"] for part in timed.library_parts} == {2.0}


def test_long_samples_take_turns_one_by_one_and_all_are_used() -> None:
    log: list[str] = []
    timed = time_run(_Run("A", 100.0, log), _Run("B", 50.0, log), RULE, None)
    assert log == ["A", "B"] * 30
    assert len(timed.parts) == 30


def test_a_run_without_a_library_uses_every_sample() -> None:
    log: list[str] = []
    timed = time_run(_Run("A", 1.0, log), None, RULE, None)
    assert (len(log), len(timed.parts), len(timed.library_parts)) == (30, 30, 0)


@pytest.mark.parametrize(("first", "second", "joint"), CASES("a_comparison_is_as_precise"))
def test_a_comparison_is_as_precise_as_its_worse_series(first: Stop, second: Stop, joint: Stop) -> None:
    assert joint_reason(first, second) == joint


@pytest.mark.parametrize(
    ("entry", "baseline"),
    [
        (Entry("cpu_sequential"), "cpu_blas"),
        (Entry("cpu_blas", threads=1), None),  # the library itself
        (Entry("matmul_tiled", Dim3(16, 16)), "cublas_sgemm"),
        (Entry("matmul_tiled", Dim3(16, 16), cold=True), None),  # the library is timed hot
        (Entry("matmul_tiled", Dim3(16, 16), memory="pinned"), None),
        (Entry("mmt_symmetric", Dim3(16, 16)), "cublas_ssyrk"),
    ],
    ids=lambda value: value.label if isinstance(value, Entry) else str(value),
)
def test_a_kernel_is_compared_with_a_library_that_does_the_same(entry: Entry, baseline: str | None) -> None:
    names = ("cpu_blas", "cublas_ssyrk", "cublas_sgemm", "cpu_sequential", "matmul_tiled")
    found = libraries(e for name in names for e in entries(find_kernel(name)))
    point = baseline_of(Point(entry, SIZE), found)
    assert (point and point.entry.kernel) == baseline


def test_two_texts_of_a_plan_take_turns() -> None:
    """The baseline is a text as well: it is compared with nothing, and keeps its name in the plan."""
    text = read_source(CUDA_FOLDER / "cpu_sequential.cu")
    given, answer = Entry("given"), Entry("answer")
    plan = Plan(
        tuple(Point(entry, SIZE) for entry in (given, answer)),
        budget_s=0.02,
        baselines=(given,),
        texts={entry.kernel: {"cpu_sequential.cu": text} for entry in (given, answer)},
    )
    samples = [message.sample for message in work(plan) if isinstance(message, Measured)]
    assert [sample.point for sample in samples] == list(plan.points)
    assert [sample.baseline for sample in samples] == ["", "given"]
    assert [bool(sample.baseline_ms) for sample in samples] == [False, True]


def test_a_point_has_the_times_of_its_baseline_and_a_speed_up() -> None:
    plan = Plan((Point(Entry("cpu_sequential"), SIZE),), budget_s=0.2, baselines=(Entry("cpu_blas", threads=1),))
    sample = measure(plan.points[0], plan, "")
    assert sample.baseline == "cpu_blas"
    assert len(sample.baseline_ms) > 6
    assert sample.speed_up is not None
    assert sample.claim in ("slower", "disturbed")  # three loops are slower than BLAS


@pytest.mark.parametrize(
    ("conditions", "baseline_ms", "claim"),
    [
        (Conditions(machine_cores=2.0, timed_threads=2.0, other_cores=0.0), 0.5, "slower"),
        (Conditions(machine_cores=2.0, timed_threads=2.0, other_cores=1.9), 20.0, "disturbed"),
        (None, 1.0, "no change"),
        (None, 2.0, "faster"),
    ],
)
def test_nothing_is_claimed_on_a_busy_machine(conditions: Conditions | None, baseline_ms: float, claim: str) -> None:
    sample = Sample(
        Point(Entry("cpu_sequential"), SIZE),
        "measured",
        (1.0,) * 30,
        baseline="cpu_blas",
        baseline_ms=(baseline_ms,) * 30,
        conditions=conditions,
    )
    assert sample.claim == claim


def test_nothing_is_claimed_from_times_that_scatter() -> None:
    point = Point(Entry("cpu_sequential"), SIZE)
    sample = Sample(point, "measured", (1.0,) * 30, baseline="cpu_blas", baseline_ms=(0.03, *[15.99] * 29))
    assert sample.claim == "disturbed"
    assert any("5 times longer than the shortest" in mark for mark in sample.marks)


def test_a_library_that_cannot_run_leaves_the_point_without_one() -> None:
    plan = Plan((Point(Entry("cpu_sequential"), SIZE),), budget_s=0.02, baselines=(Entry("cpu_blas", threads=10**6),))
    sample = measure(plan.points[0], plan, "")
    assert sample.verified
    assert (sample.baseline, sample.baseline_ms, sample.speed_up) == ("", (), None)


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


ONE_SECOND = StopRule(budget_s=1.0)


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
    assert ONE_SECOND.reason(times_ms, spent_s) == reason


@pytest.mark.parametrize(("half_width", "reason"), [(0.0049, "precision"), (0.0051, "")])
def test_half_a_percent_of_the_median_is_precise(half_width: float, reason: Stop) -> None:
    # Of 30 times, the 10th and the 21st are the ends of the interval.
    times = [1 - half_width] * 10 + [1.0] * 10 + [1 + half_width] * 10
    assert ONE_SECOND.reason(times, 0.0) == reason


def test_the_least_number_of_samples_is_thirty() -> None:
    assert MIN_SAMPLES == 30
