"""Timing of work on the device by CUDA events.

A kernel that waits for a given time keeps the device busy while the work is queued after it, so that the events enclose
the device's work and not Python's. If queueing takes longer than the wait, the device was idle in between: the time is
discarded, the wait is doubled, and the work is timed again. In launches back to back the caches hold the data of the
previous one: these are warm times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.gpu.compiler import compile_text
from kernels.gpu.device import present_device

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT_MS: Final = 1.0
"""A shorter launch is repeated within one sample, so that its overhead does not count."""

SAMPLE_MS: Final = 2.0
"""Duration of a sample of short launches: the resolution of events, 0.5 µs, is a small fraction of it."""
WARM_UP_MS: Final = 50.0
"""Duration of the untimed work before the first sample, in which the GPU raises its clocks."""

_MOST_LAUNCHES: Final = 512
"""The most launches in one sample: a launch into a stream with about 1,000 queued ones blocks until one ends, and
then the wait would end before all are queued."""

_LONGEST_WAIT_NS: Final = 100_000_000
"""After this wait a time is used even if queueing took longer."""

_HOLD: Final = r"""
extern "C" __global__ void hold(unsigned long long nanoseconds)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}
"""


class Stopwatch:
    """Times work on the current stream, by events before and after it."""

    def __init__(self) -> None:
        from cupy.cuda import Event, function

        module = function.Module()
        module.load(compile_text(_HOLD, "hold.cu", "hold", (), present_device().arch).cubin)
        self._hold = module.get_function("hold")
        self._start, self._stop = Event(), Event()
        self._hold_ns = 100_000

    def time_ms(self, work: Callable[[], None], times: int = 1, *, queued: bool = True) -> float:
        """Return the device's milliseconds for the work, queued `times` times; all of it may be repeated.

        `queued`: everything is queued while the device waits. Work that itself waits for the device, such as a copy
        from pageable memory, cannot be queued; its time includes the host's work.
        """
        while True:
            spent_ms = self.try_ms(work, times, queued=queued)
            if spent_ms is not None:
                return spent_ms

    def try_ms(self, work: Callable[[], None], times: int = 1, *, queued: bool = True) -> float | None:
        """Do the work and time it; None if the device became idle while Python was queueing, so the time is invalid."""
        import numpy as np
        from cupy.cuda import get_elapsed_time

        if queued:
            self._hold((1, 1, 1), (1, 1, 1), (np.uint64(self._hold_ns),))
        self._start.record()
        for _ in range(times):
            work()
        self._stop.record()
        in_time = not queued or not self._start.done  # the waiting kernel has not ended yet: no gap in the queue
        self._stop.synchronize()
        if in_time or self._hold_ns >= _LONGEST_WAIT_NS:
            return float(get_elapsed_time(self._start, self._stop))
        self._hold_ns *= 2
        return None


class LaunchTimer:
    """Times one launch, which only queues work on the current stream.

    Parameters
    ----------
    launch : callable
        Queues the kernel once. It must have run before, so that it is compiled and its arguments are on the device.
    """

    def __init__(self, launch: Callable[[], None]) -> None:
        self._launch = launch
        self._stopwatch = Stopwatch()
        self.launches_per_sample = 0

    def sample_ms(self) -> float:
        """Return the milliseconds of one launch: the mean of `launches_per_sample` back to back."""
        if not self.launches_per_sample:
            self.launches_per_sample = self._launches_for_a_sample()
        return self._time_ms(self.launches_per_sample) / self.launches_per_sample

    def _launches_for_a_sample(self) -> int:
        launches = 1
        spent_ms = warm_ms = self._time_ms(launches)
        if spent_ms < SHORT_MS:
            while spent_ms < SAMPLE_MS and launches < _MOST_LAUNCHES:
                launches *= 2
                spent_ms = self._time_ms(launches)
                warm_ms += spent_ms
        while warm_ms < WARM_UP_MS:
            warm_ms += self._time_ms(launches)
        return launches

    def _time_ms(self, launches: int) -> float:
        return self._stopwatch.time_ms(self._launch, launches)
