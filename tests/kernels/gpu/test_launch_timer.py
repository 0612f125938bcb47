"""Choice of how a launch is timed, with a stopwatch that computes the time; `tests/gpu` uses a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.gpu import timing
from kernels.gpu.timing import HOT, LaunchTimer, TimingMode

if TYPE_CHECKING:
    from collections.abc import Callable

CAPTURE = TimingMode(capture=True)
COLD = TimingMode(cold=True, capture=True)


class _Device:
    """A device whose launches take `launch_ms`; it counts launches and cache flushes."""

    def __init__(self, launch_ms: float) -> None:
        self.launch_ms = launch_ms
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


def test_the_cache_is_flushed_before_every_cold_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    cold, hot = _Device(0.01), _Device(0.01)
    for device, mode in ((cold, COLD), (hot, CAPTURE)):
        timer = _timer(device, mode, monkeypatch)
        for _ in range(3):
            timer.sample_ms()
    assert cold.flushes == cold.launches > 3
    assert hot.flushes == 0
