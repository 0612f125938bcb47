from __future__ import annotations

import numpy as np
import pytest

from kernels.bench.measure.point import measure
from kernels.bench.measure.worker import work
from kernels.bench.plan import Plan
from kernels.bench.protocol import End, Failed, Measured
from kernels.bench.sample import Entry, Point, Sample
from kernels.cpu.matmul import CpuRun
from kernels.errors import InputError
from kernels.workload import Arrays, Size

SIZE = Size(9, 17, 33)


def _plan(*points: Point) -> Plan:
    return Plan(points, budget_s=0.05, min_samples=3)


@pytest.mark.parametrize(
    "entry",
    [Entry("cpu_sequential"), Entry("cpu_parallel", threads=3), Entry("cpu_blas", threads=1)],
    ids=str,
)
def test_a_point_is_verified_and_timed(entry: Entry) -> None:
    point = Point(entry, SIZE)
    sample = measure(point, _plan(point), "here")
    assert sample.point == point
    assert sample.verified
    assert sample.checked == "every element"
    assert len(sample.times_ms) >= 3
    assert sample.flops == 2 * 9 * 17 * 33
    assert sample.gflops is not None
    assert sample.gflops == pytest.approx(sample.flops / np.median(sample.times_ms) / 1e6)
    assert sample.environment == "here"


def test_a_wrong_result_gets_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    right = CpuRun.outputs

    def one_element_off(self: CpuRun) -> Arrays:
        found = right(self)
        found["C"][2, 3] += 1
        return found

    monkeypatch.setattr(CpuRun, "outputs", one_element_off)
    point = Point(Entry("cpu_sequential"), SIZE)
    sample = measure(point, _plan(point), "")
    assert sample.outcome == "wrong"
    assert "C[2][3]" in sample.error
    assert sample.times_ms == ()
    assert sample.gflops is None


def test_no_threads_are_refused() -> None:
    point = Point(Entry("cpu_parallel"), SIZE)
    with pytest.raises(InputError, match="from 1 up"):
        measure(point, _plan(point), "")


def test_a_square_problem_is_not_quietly_measured_at_another_size() -> None:
    point = Point(Entry("mmt_symmetric"), SIZE)
    with pytest.raises(InputError, match="square"):
        measure(point, _plan(point), "")


def test_a_worker_goes_on_after_a_point_that_is_refused() -> None:
    plan = _plan(
        Point(Entry("cpu_parallel"), SIZE),
        Point(Entry("no_such"), SIZE),
        Point(Entry("cpu_blas", None, 1), SIZE),
    )
    told = list(work(plan))
    samples = [message.sample for message in told if isinstance(message, Measured | Failed)]
    assert [sample.outcome for sample in samples] == ["refused", "refused", "measured"]
    assert "no_such" in samples[1].error
    assert told[-1] == End()


@pytest.mark.parametrize(("percent", "expected"), [("p10_ms", 1.1), ("median_ms", 1.5), ("p90_ms", 1.9)])
def test_percentiles_come_from_the_raw_times(percent: str, expected: float) -> None:
    sample = Sample(Point(Entry("k"), SIZE), "measured", (1.0, 2.0))
    assert getattr(sample, percent) == pytest.approx(expected)
