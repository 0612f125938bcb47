"""Load of the machine before and during a measurement: from the system's counters, where it has any."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final

from kernels.bench.measure.conditions import Conditions

if TYPE_CHECKING:
    from kernels.gpu.telemetry import NvmlReader, Reading

_STAT: Final = Path("/proc/stat")

_BUSY: Final = (0, 1, 2, 5, 6, 7)
"""Columns of the first line of /proc/stat that count busy cores: user, nice, system, irq, softirq, steal (proc(5))."""


class LoadMeter:
    """Counts from its creation on."""

    def __init__(self) -> None:
        self._load_before = _load()
        self._start_s, self._own_s, self._busy_s = perf_counter(), process_time(), _busy_s()

    def conditions(self, threads: int) -> Conditions:
        """Return load and cores in use since the start; `threads` are those that were timed."""
        spent_s = max(perf_counter() - self._start_s, 1e-9)
        own_s, busy_s = process_time() - self._own_s, _busy_s()
        others = None
        if busy_s is not None and self._busy_s is not None:
            others = max(0.0, busy_s - self._busy_s - own_s) / spent_s
        return Conditions(
            load_before=self._load_before,
            load_during=_load(),
            machine_cores=float(os.cpu_count() or 1),
            timed_threads=float(threads),
            own_cores=own_s / spent_s,
            other_cores=others,
        )


def _load() -> float | None:
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):  # Windows has none
        return None


def _busy_s() -> float | None:
    """Return the seconds that all cores together have been busy since the system started; None where unknown."""
    with suppress(OSError, ValueError, IndexError):
        columns = _STAT.read_text(encoding="ascii").partition("\n")[0].split()[1:]
        return sum(int(columns[place]) for place in _BUSY) / os.sysconf("SC_CLK_TCK")
    return None


def conditions_of(meter: LoadMeter, reading: Reading, reader: NvmlReader | None, threads: int) -> Conditions:
    """Combine the load of the machine, the state of the GPU, and its peak at the measured clock."""
    peak_gflops = None
    if reading.sm_clock_mhz is not None:
        from kernels.gpu.device import present_device

        device = present_device()
        peak_gflops = device.peak_fp32_gflops * reading.sm_clock_mhz / device.boost_clock_mhz
    processes = reader.processes if reader else None
    return replace(meter.conditions(threads), **asdict(reading), gpu_processes=processes, peak_gflops=peak_gflops)
