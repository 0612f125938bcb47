"""Timing of work on the device by CUDA events.

A kernel that waits for a given time keeps the device busy while the work is queued after it, so that the events enclose
the device's work and not Python's. If queueing takes longer than the wait, the device was idle in between: the time is
discarded, the wait is doubled, and the work is timed again. In launches back to back the caches hold the data of the
previous one: these are hot times. For a cold time the L2 cache is overwritten before every launch, outside the events.
Launches below 50 µs are captured in a CUDA graph, which leaves less time between two of them than a queue does.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
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
"""The most launches in one sample: queueing onto a stream with about 1,000 queued operations blocks until one ends, and
then the wait would end before all are queued. A launch of several operations fills the queue with fewer."""

_FULL_QUEUE: Final = 8
"""If a wait that many times as long as the one for half the launches is too short as well, queueing blocks."""

CAPTURED_MS: Final = 0.05
"""A launch shorter than this is captured in a graph."""

_SHORTEST_WAIT_NS: Final = 100_000

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
        self._hold_ns = _SHORTEST_WAIT_NS

    def time_ms(
        self, work: Callable[[], None], times: int = 1, *, queued: bool = True, before: Callable[[], None] | None = None
    ) -> float:
        """Return the device's milliseconds for the work, queued `times` times; all of it may be repeated.

        `before` queues work that is not timed. `queued`: everything is queued while the device waits. Work that itself
        waits for the device, such as a copy from pageable memory, cannot be queued; its time includes the host's work.
        """
        while True:
            spent_ms = self.try_ms(work, times, queued=queued, before=before)
            if spent_ms is not None:
                return spent_ms

    def queued_ms(self, work: Callable[[], None], times: int) -> float | None:
        """Return the device's milliseconds for the work, queued `times` times; None if queueing blocks.

        The stopwatch must have timed half as many before. A wait that does not help is forgotten: it would lengthen
        every later sample.
        """
        wait_ns = self._hold_ns
        while self._hold_ns <= min(_FULL_QUEUE * wait_ns, _LONGEST_WAIT_NS // 2):
            spent_ms = self.try_ms(work, times)
            if spent_ms is not None:
                return spent_ms
        self._hold_ns = wait_ns
        return None

    def shorten_wait(self) -> None:
        """Begin again with the shortest wait, for work that is queued faster than the work before."""
        self._hold_ns = _SHORTEST_WAIT_NS

    def try_ms(
        self, work: Callable[[], None], times: int = 1, *, queued: bool = True, before: Callable[[], None] | None = None
    ) -> float | None:
        """Do the work and time it; None if the device became idle while Python was queueing, so the time is invalid."""
        import numpy as np
        from cupy.cuda import get_elapsed_time

        if queued:
            self._hold((1, 1, 1), (1, 1, 1), (np.uint64(self._hold_ns),))
        if before:
            before()
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


@dataclass(frozen=True, slots=True)
class TimingMode:
    """Conditions of a timed launch."""

    cold: bool = False
    """Whether the L2 cache is overwritten before every launch."""
    capture: bool = False
    """Whether short launches may be captured in a graph. CuPy refuses to capture calls of cuBLAS."""


HOT: Final = TimingMode()


class LaunchTimer:
    """Times one launch, which only queues work on the current stream.

    Parameters
    ----------
    launch : callable
        Queues the kernel once. It must have run before, so that it is compiled and its arguments are on the device.
    mode : TimingMode
        The conditions.
    before : callable, optional
        Queues work before every launch, outside the time. Then, as for a cold time, a sample is one launch.
    """

    def __init__(self, launch: Callable[[], None], mode: TimingMode, before: Callable[[], None] | None = None) -> None:
        self._launch = self._work = launch
        self._capture = mode.capture
        self._stopwatch = Stopwatch()
        self._before = _cache_flush() if mode.cold else before
        self._repetitions = 1
        """Times that the work is queued for one sample: once, if it is a graph."""
        self.launches_per_sample = 0
        self.captured = False

    def sample_ms(self) -> float:
        """Return the milliseconds of one launch: the mean of `launches_per_sample` back to back."""
        if not self.launches_per_sample:
            self._prepare()
        return self._time_ms() / self.launches_per_sample

    def _prepare(self) -> None:
        """Choose the number of launches in a sample, capture them if they are short, and warm up."""
        start = perf_counter()
        launches = 1
        spent_ms = self._time_ms()
        if spent_ms < SHORT_MS and self._before is None:
            while spent_ms < SAMPLE_MS and launches < _MOST_LAUNCHES:
                doubled_ms = self._stopwatch.queued_ms(self._work, 2 * launches)
                if doubled_ms is None:
                    break
                self._repetitions = launches = 2 * launches
                spent_ms = doubled_ms
        if self._capture and self._before is None and spent_ms / launches < CAPTURED_MS:
            self._work, self._repetitions, self.captured = self._graph(launches), 1, True
            self._stopwatch.shorten_wait()
        while (perf_counter() - start) * 1e3 < WARM_UP_MS:
            self._time_ms()
        self.launches_per_sample = launches

    def _graph(self, launches: int) -> Callable[[], None]:
        """Return a function that queues a graph of these launches, one after another."""
        import cupy

        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            for _ in range(launches):
                self._launch()
            graph = stream.end_capture()
        launch_graph: Callable[[], None] = graph.launch
        launch_graph()  # the first launch uploads it to the device
        return launch_graph

    def _time_ms(self) -> float:
        return self._stopwatch.time_ms(self._work, self._repetitions, before=self._before)


def _cache_flush() -> Callable[[], None]:
    """Return a function that queues a write of twice the L2 cache's size, after which the cache holds nothing else."""
    import cupy
    from cupy.cuda import runtime

    size = 2 * int(runtime.deviceGetAttribute(runtime.cudaDevAttrL2CacheSize, 0))
    buffer = cupy.empty(size, "uint8")
    return lambda: buffer.data.memset_async(0, size)
