"""Points that are far slower than their neighbours, and conditions that explain them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kernels.bench.measure import machine_load, worker
from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.machine_load import LoadMeter
from kernels.bench.measure.outliers import outliers
from kernels.bench.measure.worker import work
from kernels.bench.plan import Plan
from kernels.bench.progress import Progress
from kernels.bench.protocol import Begin, End, Failed, Measured
from kernels.bench.sample import Entry, Point, Sample
from kernels.cpu.matmul import core_count, default_threads
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BLAS = Entry("cpu_blas", threads=2)


def _sample(n: int, time_ms: float, entry: Entry = BLAS) -> Sample:
    return Sample(Point(entry, Size(n, n, n)), "measured", (time_ms,), flops=2 * n**3)


def _found(times_ms: Mapping[int, float]) -> list[int]:
    return [point.size.n for point in outliers([_sample(n, time) for n, time in times_ms.items()])]


@pytest.mark.parametrize(
    ("times_ms", "expected"),
    [
        ({64: 0.004, 128: 15.99, 256: 0.15}, [128]),  # as it was once measured
        ({64: 0.004, 128: 15.99, 256: 16.0, 512: 1.2}, [128, 256]),  # two in a row
        ({64: 0.004, 128: 15.99}, [128]),  # at the end
        ({128: 15.99, 256: 0.15}, [128]),  # at the start
        ({256: 0.15, 128: 15.99, 64: 0.004}, [128]),  # in any order
        ({64: 0.004, 128: 0.023, 256: 0.15}, []),
        ({64: 0.004, 128: 0.004, 256: 0.004, 512: 0.005}, []),  # the rate grows eightfold each time
        ({512: 1.0, 1024: 32.0}, []),  # four times slower where memory limits it
        ({512: 1.0, 1024: 48.0}, [1024]),  # six times slower
        ({64: 0.0}, []),
        ({}, []),
    ],
)
def test_only_what_its_neighbours_contradict_is_measured_again(times_ms: dict[int, float], expected: list[int]) -> None:
    assert _found(times_ms) == expected


def test_other_entries_and_other_shapes_are_no_neighbours() -> None:
    other = replace(BLAS, threads=1)
    thin = Sample(Point(BLAS, Size(1, 1000, 1)), "measured", (50.0,), flops=2000)
    assert outliers([_sample(64, 0.004), _sample(128, 15.99, other), thin, _sample(256, 0.15)]) == ()


def test_times_that_scatter_are_measured_again() -> None:
    point = Point(BLAS, Size(128, 128, 128))
    sample = Sample(point, "measured", (0.055, 22.04, 22.05), flops=2 * 128**3)
    assert outliers([sample]) == (point,)
    assert sample.marks


def test_of_two_samples_the_later_counts() -> None:
    slow = [_sample(64, 0.004), _sample(128, 15.99), _sample(256, 0.15)]
    assert outliers([*slow, _sample(128, 0.023)]) == ()


@pytest.mark.parametrize(("second_ms", "repeat"), [(0.023, "recovered"), (15.98, "confirmed")])
def test_a_worker_measures_an_outlier_again_at_the_end(
    second_ms: float, repeat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {64: [0.004], 128: [15.99, second_ms], 256: [0.15]}
    monkeypatch.setattr(worker, "measure", lambda point, *_: _sample(point.size.n, times[point.size.n].pop(0)))
    plan = Plan(tuple(_sample(n, 1.0).point for n in times))
    told = list(work(plan))
    samples = [message.sample for message in told if isinstance(message, Measured)]
    assert [(sample.point.size.n, sample.repeat) for sample in samples] == [
        (64, ""),
        (128, ""),
        (256, ""),
        (128, repeat),
    ]
    assert any("also when measured again" in mark for mark in samples[-1].marks) is (repeat == "confirmed")
    assert told[-1] == End()


def test_a_point_that_fails_when_measured_again_keeps_its_first_sample() -> None:
    sample = _sample(128, 15.99)
    progress = Progress(Plan((sample.point,)))
    for message in (Begin(sample.point), Measured(sample), Begin(sample.point)):
        progress.receive(message)
    assert progress.overtime() is None
    progress.receive(Begin(sample.point))
    assert progress.worker_ended(7, "") is None
    assert progress.samples == {sample.point: sample}
    assert progress.finished


def test_points_after_the_time_limit_of_the_plan_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 1.0, 9.0, 11.0, 12.0, 13.0])
    monkeypatch.setattr(worker, "monotonic", lambda: next(now))
    monkeypatch.setattr(worker, "measure", lambda point, *_: _sample(point.size.n, 1.0))
    told = list(work(Plan(tuple(_sample(n, 1.0).point for n in (1, 2, 3)), total_s=10.0)))
    samples = [message.sample for message in told if isinstance(message, Measured | Failed)]
    assert [sample.outcome for sample in samples] == ["measured", "measured", "skipped"]
    assert "time limit for all points" in samples[-1].error


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Two endless loops for each core."""
    loop = "print(flush=True)\nwhile True: pass"
    with ExitStack() as stack:
        for _ in range(2 * core_count()):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", loop], stdout=subprocess.PIPE))
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
        yield


@pytest.mark.skipif(not Path("/proc/stat").is_file(), reason="this system does not count busy cores")
@pytest.mark.usefixtures("busy_machine")
def test_blas_on_a_busy_machine_is_marked() -> None:
    entry = Entry("cpu_blas", threads=default_threads("cpu_blas"))
    plan = Plan(tuple(Point(entry, Size(n, n, n)) for n in (64, 128, 256)), budget_s=0.3)
    final = {message.sample.point: message.sample for message in work(plan) if isinstance(message, Measured)}
    assert list(final) == list(plan.points)
    # A point is timed for a tenth of a second: the scheduler may give it both cores for as long.
    marks = [mark for sample in final.values() for mark in sample.marks]
    assert any("other processes kept" in mark for mark in marks), [sample.conditions for sample in final.values()]
    assert all(final[point].repeat for point in outliers(final.values()))


@pytest.mark.parametrize(
    ("conditions", "threads", "crowded"),
    [
        (Conditions(machine_cores=2.0, other_cores=0.1), 2, False),
        (Conditions(machine_cores=2.0, other_cores=1.0), 2, True),
        (Conditions(machine_cores=2.0, other_cores=1.0), 1, False),
        (Conditions(machine_cores=2.0, other_cores=2.0), 1, True),
        (Conditions(machine_cores=8.0, load_before=1.0), 1, False),
        (Conditions(machine_cores=8.0, load_before=9.0), 1, True),  # a system that counts no busy cores
        (Conditions(load_before=9.0), 1, False),
        (Conditions(), 1, False),
    ],
)
def test_threads_that_share_cores_are_marked(conditions: Conditions, threads: int, crowded: bool) -> None:
    conditions = replace(conditions, timed_threads=float(threads))
    assert conditions.crowded is crowded
    assert any("cores busy" in mark for mark in conditions.marks) is crowded


@pytest.mark.parametrize(
    ("reasons", "throttled"),
    [((), False), (("idle", "application clocks"), False), (("idle", "SW power cap"), True), (("HW slowdown",), True)],
)
def test_only_power_and_temperature_throttle(reasons: tuple[str, ...], throttled: bool) -> None:
    conditions = Conditions(throttle_reasons=reasons)
    assert conditions.throttled is throttled
    assert bool(conditions.marks) is throttled
    assert Conditions.from_json(conditions.to_json()) == conditions


@pytest.mark.parametrize(
    ("processes", "mark"),
    [(None, ()), (1.0, ()), (2.0, ("1 other process used the GPU",)), (4.0, ("3 other processes used the GPU",))],
)
def test_a_gpu_that_others_use_is_marked(processes: float | None, mark: tuple[str, ...]) -> None:
    assert Conditions(gpu_processes=processes).marks == mark


def test_a_meter_counts_the_work_of_this_process() -> None:
    meter = LoadMeter()
    sum(range(10**6))
    found = meter.conditions(2)
    assert found.machine_cores
    assert found.own_cores is not None
    assert found.own_cores > 0


def test_a_system_without_counters_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_load, "_STAT", Path("/nowhere"))
    monkeypatch.delattr("os.getloadavg")
    found = LoadMeter().conditions(1)
    assert (found.load_before, found.load_during, found.other_cores) == (None, None, None)
    assert not found.marks
