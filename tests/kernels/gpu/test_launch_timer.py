"""Choice of how a launch is timed, and readings of clocks through NVML."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from kernels.gpu import timing
from kernels.gpu.telemetry import NvmlReader, Reading, Telemetry, summarize
from kernels.gpu.timing import HOT, LaunchTimer, Stopwatch, TimingMode
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = Cases(__file__)

CAPTURE = TimingMode(capture=True)
COLD = TimingMode(cold=True, capture=True)


class _Device:
    """A device whose launches take `launch_ms`, and whose queue holds `most` of them; counts launches and flushes."""

    def __init__(self, launch_ms: float, most: int = 1000) -> None:
        self.launch_ms, self.most = launch_ms, most
        self.launches = self.flushes = 0

    def launch(self) -> None:
        self.launches += 1

    def flush(self) -> None:
        self.flushes += 1

    def time_ms(
        self, work: Callable[[], None], times: int = 1, *, queued: bool = True, before: Callable[[], None] | None = None
    ) -> float:
        if before:
            before()
        earlier = self.launches
        for _ in range(times):
            work()
        return (self.launches - earlier) * self.launch_ms

    def queued_ms(self, work: Callable[[], None], times: int) -> float | None:
        return None if times > self.most else self.time_ms(work, times)

    def shorten_wait(self) -> None: ...


def _timer(device: _Device, mode: TimingMode, monkeypatch: pytest.MonkeyPatch) -> LaunchTimer:
    monkeypatch.setattr(timing, "Stopwatch", lambda: device)
    monkeypatch.setattr(timing, "_cache_flush", lambda: device.flush)

    def graph(self: LaunchTimer, launches: int) -> Callable[[], None]:
        def launch_all() -> None:
            for _ in range(launches):
                device.launch()

        return launch_all

    monkeypatch.setattr(LaunchTimer, "_graph", graph)
    return LaunchTimer(device.launch, mode)


@pytest.mark.parametrize(
    ("launch_ms", "mode", "launches", "captured"),
    [
        (0.01, HOT, 256, False),
        (0.01, CAPTURE, 256, True),
        (0.001, CAPTURE, 512, True),  # as many as a queue holds
        (0.06, CAPTURE, 64, False),  # repeated, but long enough for a queue
        (1.0, CAPTURE, 1, False),
        (0.01, COLD, 1, False),
        (30.0, COLD, 1, False),
    ],
)
def test_short_launches_are_repeated_and_captured(
    launch_ms: float, mode: TimingMode, launches: int, captured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = _Device(launch_ms)
    timer = _timer(device, mode, monkeypatch)
    assert timer.launches_per_sample == 0
    timer.sample_ms()
    before = device.launches
    assert timer.sample_ms() == pytest.approx(launch_ms)
    assert device.launches - before == launches
    assert (timer.launches_per_sample, timer.captured) == (launches, captured)


@pytest.mark.parametrize(("operations", "launches"), [(1, 512), (2, 256), (5, 128)])
def test_a_sample_has_as_many_launches_as_fit_in_the_queue(
    operations: int, launches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launch of CuPy's softmax queues several kernels, a sum the clearing of its result and the kernel."""
    device = _Device(0.001, most=1000 // operations)
    timer = _timer(device, HOT, monkeypatch)
    timer.sample_ms()
    assert timer.launches_per_sample == launches


@pytest.mark.parametrize(("needed_ns", "time_ms", "wait_ns"), CASES("a_wait_that_does_not_help"))
def test_a_wait_that_does_not_help_is_forgotten(
    needed_ns: int, time_ms: float | None, wait_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopwatch = object.__new__(Stopwatch)
    stopwatch._hold_ns = 100_000

    def try_ms(work: Callable[[], None], times: int) -> float | None:
        if stopwatch._hold_ns >= needed_ns:
            return 2.0
        stopwatch._hold_ns *= 2
        return None

    monkeypatch.setattr(stopwatch, "try_ms", try_ms)
    assert stopwatch.queued_ms(lambda: None, 2) == time_ms
    assert stopwatch._hold_ns == wait_ns


def test_the_cache_is_flushed_before_every_cold_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    cold, hot = _Device(0.01), _Device(0.01)
    for device, mode in ((cold, COLD), (hot, CAPTURE)):
        timer = _timer(device, mode, monkeypatch)
        for _ in range(3):
            timer.sample_ms()
    assert cold.flushes == cold.launches > 3
    assert hot.flushes == 0


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
