"""Limits of the devices on which series were measured: peaks by type and memory bandwidth, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.measure.results.chart import Roof
from gui.measure.results.roles import kernel_of, on_cpu
from gui.measure.words import some_of
from kernels.bench.measure.compiled_code import factors_of, no_peak_words
from kernels.device import device_of_driver
from kernels.number_types import FLOAT32
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Series
    from kernels.bench.measure.compiled_code import Peak
    from kernels.device import Device

_LEAST_SHARE: Final = 0.4
"""Share of the x axis below which a limit has no room for its label."""


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """Limits of one device for factors of a type."""

    device: Device
    factors: str
    peak_gflops: float
    clock_mhz: float
    """The clock of the peak."""
    measured: bool
    """Whether the clock is the median of those measured with the points; else it is the boost clock."""

    @property
    def peak_label(self) -> str:
        """The peak, with the clock that it is at."""
        clock = f"{self.clock_mhz:,.0f} MHz ({'measured' if self.measured else 'boost clock'})"
        return f"{self.device.name} {self.factors} peak: {self.peak_gflops / 1e3:.1f} TFLOPS at {clock}"

    @property
    def shorter_peak_labels(self) -> tuple[str, ...]:
        """The peak without its clock, without its device, and alone."""
        peak = f"{self.peak_gflops / 1e3:.1f} TFLOPS"
        return f"{self.device.name} {self.factors} peak: {peak}", f"{self.factors} peak: {peak}", f"peak: {peak}", peak

    @property
    def shorter_memory_labels(self) -> tuple[str, ...]:
        """The bandwidth without its source, without its device, and alone."""
        bandwidth = f"{self.memory_gb_s:,.0f} GB/s"
        return f"{self.device.name} memory: {bandwidth}", f"memory: {bandwidth}", bandwidth

    @property
    def memory_label(self) -> str:
        """The bandwidth, with its source."""
        source = "measured copy" if self.device.copy_gb_s else "datasheet"
        return f"{self.device.name} memory: {self.memory_gb_s:,.0f} GB/s ({source})"

    @property
    def memory_gb_s(self) -> float:
        """The bandwidth of a copy as measured on such a device, else the datasheet's."""
        return self.device.bandwidth_gb_s

    @property
    def ridge(self) -> float:
        """The intensity, FLOP per byte, from which on the peak limits."""
        return self.peak_gflops / self.memory_gb_s


def device_limits(series: Sequence[Series]) -> tuple[DeviceLimits, ...]:
    """Return the limits of every known GPU of the series, for each type of the factors on it."""
    peaks: dict[tuple[Device, Peak], list[float]] = {}
    for each in series:
        environment = each.rows[-1].environment
        if environment is None or on_cpu(each.entry) or each.peak is None:
            continue
        device = device_of_driver(environment.gpu)
        if device is not None:
            peaks.setdefault((device, each.peak), []).append(each.usual_roof_gflops)
    limits = []
    for (device, kind), found in peaks.items():
        measured = [peak for peak in found if isfinite(peak)]
        stated = device.tensor_peak_gflops(kind.factors) or device.peak_fp32_gflops
        peak = float(np.median(measured)) if measured else stated
        clock = peak / (device.peak_fp32_gflops * kind.share) * device.boost_clock_mhz
        limits.append(DeviceLimits(device, kind.factors, peak, clock, bool(measured)))
    return tuple(limits)


def without_roof_notes(series: Sequence[Series]) -> tuple[str, ...]:
    """Name the series that are not compared with a peak, and say why."""
    reasons: dict[tuple[str, str], dict[str, None]] = {}
    for each in series:
        if each.peak is None:
            point = each.rows[-1].sample.point
            reasons.setdefault((factors_of(point.entry.kernel), no_peak_words(point)), {})[each.label] = None
    return tuple(
        f"Not compared with the {factors} peak: {some_of(names)} ({why})." for (factors, why), names in reasons.items()
    )


def same_peak(series: Sequence[Series]) -> tuple[str, list[Series], tuple[str, ...]]:
    """Return the type of the first peak, the series that it limits, and notes that name those of other peaks."""
    limited = [(each, each.peak.factors) for each in series if each.peak is not None]
    first = limited[0][1] if limited else FLOAT32
    others: dict[str, list[str]] = {}
    for each, factors in limited:
        if factors != first:
            others.setdefault(factors, []).append(each.name)
    notes = (f"Compared with the {other} peak, and not drawn: {some_of(names)}." for other, names in others.items())
    return first, [each for each, factors in limited if factors == first], tuple(notes)


def memory_roofs(series: Sequence[Series]) -> tuple[Roof, ...]:
    """Return the memory bandwidth of each device."""
    return tuple(
        Roof(limit.memory_label, (), (limit.memory_gb_s,), limit.shorter_memory_labels)
        for limit in device_limits(series)
    )


def rate_roofs(series: Sequence[Series]) -> tuple[Roof, ...]:
    """Return the peak of each device, and what its memory allows if every array is moved once, against n.

    The second one depends on the problem, and is left out where several are drawn, or where it limits no size.
    """
    workloads = {kernel.workload.id: kernel.workload for each in series if (kernel := kernel_of(each.entry.kernel))}
    sizes = np.concatenate([np.empty(0), *(each.n[each.timed] for each in series)])
    roofs = []
    for limit in device_limits(series):
        roofs.append(Roof(limit.peak_label, (), (limit.peak_gflops,), limit.shorter_peak_labels))
        if len(workloads) == 1 and len(sizes):
            (workload,) = workloads.values()
            low, high = float(sizes.min()), float(sizes.max())
            n = np.geomspace(max(low, 1.0), max(high, 2.0), 24)
            whole = [Size(round(side), round(side), round(side)) for side in n]
            rate = np.array([workload.flops(s) / workload.least_bytes(s) for s in whole]) * limit.memory_gb_s
            below = rate < limit.peak_gflops
            if np.count_nonzero(below) > _LEAST_SHARE * len(n):
                x, y = tuple(n[below].tolist()), tuple(rate[below].tolist())
                shorter = limit.shorter_memory_labels
                labels = (f"{words}, every array once" for words in (limit.memory_label, shorter[0]))
                roofs.append(Roof(next(labels), x, y, (*labels, *shorter)))
    return tuple(roofs)
