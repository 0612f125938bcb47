"""The whole record of a point in words: result, time, rate, comparison, conditions, machine, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gui.measure.results.roles import device_name
from gui.measure.words import OUTCOMES, significant
from kernels.bench.measure.compiled_code import (
    arch_of,
    no_peak_words,
    other_code_words,
    peak_of,
    percent_of_peak,
)
from kernels.bench.rates import rate_of
from kernels.bench.sample import PARTS
from kernels.device import device_of_driver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.bench.measure.conditions import Conditions
    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Entry, Sample
    from kernels.bench.store.database import Row

_STOPPED: Final = {
    "precision": "until the interval was narrow enough",
    "time limit": "until the time limit",
    "sample limit": "up to the largest number of times",
}


def details(row: Row) -> tuple[str, ...]:
    """Return the record in lines."""
    sample = row.sample
    return tuple(
        line
        for line in (
            *_result(sample),
            *_times(sample, row.environment),
            *_comparison(sample),
            other_code_words(sample.point, arch_of(row.environment)) if sample.timed else "",
            *(_conditions(sample.conditions) if sample.conditions else ()),
            *(f"⚠ {mark}" for mark in sample.marks),
            *(_machine(sample.point.entry, row.environment) if row.environment else ()),
            f"measured {sample.taken[:19].replace('T', ' ')} UTC" if sample.taken else "",
        )
        if line
    )


def _result(sample: Sample) -> Iterator[str]:
    if sample.error and sample.outcome != "unverified":  # a mark says why
        yield f"{OUTCOMES[sample.outcome]}: {sample.error}"
    elif sample.outcome != "measured":
        yield OUTCOMES[sample.outcome]
    if sample.verified and sample.checked:
        yield f"✓ verified: {sample.checked}"


def _times(sample: Sample, environment: Environment | None) -> Iterator[str]:
    if not sample.timed:
        return
    interval = sample.interval
    if interval is None:
        few = len(sample.times_ms)
        yield f"median {significant(sample.median_ms)} ms of {few} time{'s' * (few > 1)}: too few for an interval"
    else:
        half = 100 * interval.relative_half_width
        yield (
            f"median {significant(interval.middle)} ms, 95 % interval {significant(interval.low)} – "
            f"{significant(interval.high)} ms (± {half:.2g} %)"
        )
    how = f"{len(sample.times_ms)} times of {sample.launches} launch{'es' * (sample.launches != 1)}"
    stopped = f", {_STOPPED[sample.stopped]}" if sample.stopped in _STOPPED else ""
    graph = ", in a CUDA graph" if sample.captured else ""
    yield f"minimum {significant(sample.min_ms)} ms; {how}{graph}{stopped}"
    if sample.parts_ms:
        times = " + ".join(significant(sample.part_ms(part), 3) or "–" for part in PARTS)
        yield f"copy in + kernel + copy out: {times} ms"
    rate = rate_of(sample.point.entry.kernel)
    if rate is not None and sample.median_ms:
        device = device_of_driver(environment.gpu) if environment and rate.by_memory else None
        bandwidth = device.bandwidth_gb_s if device else 0.0
        found = rate.of(sample.point.size, sample.median_ms)
        share = f", {100 * found / bandwidth:.1f} % of the memory's {bandwidth:,.0f} GB/s" if bandwidth else ""
        yield f"{significant(found)} {rate.unit}{share}"
    if sample.gflops:
        peak, percent = peak_of(sample.point, environment), percent_of_peak(sample, environment)
        share = "" if peak else f"; {no_peak_words(sample.point)}"
        if peak and percent:
            share = f", {percent:.1f} % of the {peak.factors} peak at the measured clock"
        yield f"{significant(sample.gflops)} GFLOPS{share}"


def _comparison(sample: Sample) -> Iterator[str]:
    ratio, claim = sample.speed_up, sample.claim
    if ratio is not None and claim is not None:
        bounds = f"{significant(ratio.low, 3)} – {significant(ratio.high, 3)}"
        yield f"{significant(ratio.middle, 3)}× {sample.baseline}, timed in turns (95 % interval {bounds}): {claim}"


def _conditions(found: Conditions) -> Iterator[str]:
    gpu = (
        f"SM clock {found.sm_clock_mhz:,.0f} MHz" if found.sm_clock_mhz else "",
        f"memory clock {found.memory_clock_mhz:,.0f} MHz" if found.memory_clock_mhz else "",
        f"{found.power_w:.0f} W" if found.power_w else "",
        f"{found.temperature_c:.0f} °C" if found.temperature_c else "",
    )
    yield ", ".join(part for part in gpu if part)
    if found.load_before is not None:
        cores = f" on {found.machine_cores:.0f} cores" if found.machine_cores else ""
        yield f"load average before: {found.load_before:.1f}{cores}"


def _machine(entry: Entry, found: Environment) -> Iterator[str]:
    yield device_name(entry, found)
    versions = (
        ("driver CUDA", found.cuda_driver),
        ("NVRTC", found.nvrtc),
        ("CuPy", found.cupy),
        ("NumPy", found.numpy),
        ("Python", found.python),
        ("tilescope", found.tilescope),
    )
    yield ", ".join(f"{name} {version}" for name, version in versions if version)
