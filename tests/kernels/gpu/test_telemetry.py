"""Readings of clocks through NVML, with a module that answers as NVML does; `tests/gpu` asks the real one."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from kernels.gpu.telemetry import NvmlReader, Reading, Telemetry, summarize


class NVMLError(Exception):
    pass


def _nvml(**changes: Any) -> Any:
    """Return a module of one GPU; a function that is None is not supported by it."""

    def refuse(*_: object) -> None:
        raise NVMLError

    functions: dict[str, Any] = {
        "nvmlDeviceGetHandleByPciBusId": lambda bus_id: bus_id,
        "nvmlDeviceGetClockInfo": lambda gpu, kind: {1: 1980, 2: 3201}[kind],
        "nvmlDeviceGetPowerUsage": lambda gpu: 654_321,
        "nvmlDeviceGetTemperature": lambda gpu, sensor: 61,
        "nvmlDeviceGetCurrentClocksEventReasons": lambda gpu: 0x4 | 0x40,
        "nvmlDeviceGetComputeRunningProcesses": lambda gpu: ["this", "another"],
    } | changes
    answers = {name: refuse if function is None else function for name, function in functions.items()}
    constants = {"NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2, "NVML_TEMPERATURE_GPU": 0, "NVMLError": NVMLError}
    return SimpleNamespace(**answers, **constants)


def test_everything_is_read_in_the_units_of_its_name() -> None:
    reading = NvmlReader(_nvml(), "0000:01:00.0").read()
    assert reading == Reading(1980, 3201, 654.321, 61, ("SW power cap", "HW thermal slowdown"))


def test_processes_are_counted_where_the_driver_tells() -> None:
    assert NvmlReader(_nvml(), "").processes == 2
    assert NvmlReader(_nvml(nvmlDeviceGetComputeRunningProcesses=None), "").processes is None


def test_what_the_gpu_does_not_tell_is_none() -> None:
    nvml = _nvml(nvmlDeviceGetPowerUsage=None, nvmlDeviceGetClockInfo=None)
    assert NvmlReader(nvml, "").read() == Reading(None, None, None, 61, ("SW power cap", "HW thermal slowdown"))


@pytest.mark.parametrize(
    ("older", "reasons"), [(lambda gpu: 0x80, ("HW power brake",)), (None, ())], ids=["older name", "neither"]
)
def test_an_older_driver_is_asked_by_the_older_name(older: Any, reasons: tuple[str, ...]) -> None:
    nvml = _nvml(nvmlDeviceGetCurrentClocksEventReasons=None, nvmlDeviceGetCurrentClocksThrottleReasons=older)
    assert NvmlReader(nvml, "").read().throttle_reasons == reasons


def test_a_summary_has_medians_and_every_reason() -> None:
    readings = [
        Reading(1000.0, None, 100.0, 50.0, ("SW power cap",)),
        Reading(1980.0, None, None, 52.0),
        Reading(1980.0, None, 300.0, 60.0, ("idle",)),
    ]
    assert summarize(readings) == Reading(1980.0, None, 200.0, 52.0, ("idle", "SW power cap"))
    assert summarize([]) == Reading()


def test_a_block_of_work_is_read_until_it_ends() -> None:
    seen = threading.Event()

    def temperature(*_: object) -> int:
        seen.set()
        return 61

    nvml = _nvml(nvmlDeviceGetTemperature=temperature)
    with Telemetry(NvmlReader(nvml, "")) as telemetry:
        assert seen.wait(60)
    assert telemetry.summary().sm_clock_mhz == 1980


def test_a_block_shorter_than_the_interval_has_one_reading() -> None:
    with Telemetry(NvmlReader(_nvml(), "")) as telemetry:
        pass
    assert telemetry.summary().power_w == 654.321


def test_without_a_reader_nothing_is_known() -> None:
    with Telemetry(None) as telemetry:
        pass
    assert telemetry.summary() == Reading()
