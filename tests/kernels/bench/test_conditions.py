from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kernels.bench.measure import machine_load
from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.machine_load import LoadMeter


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
