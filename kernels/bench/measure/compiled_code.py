"""The code that was measured: whether another GPU has other code, and the peak that limits it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.architecture import SM_80, Architecture
from kernels.catalog import find_kernel, read_source
from kernels.custom_launch.model import CustomLaunch
from kernels.custom_launch.run import defines_of
from kernels.device import device_of_driver
from kernels.errors import TilescopeError
from kernels.frontend.architecture import (
    Source,
    listed_lines,
    on_tensor_cores,
    other_lines,
)
from kernels.number_types import FLOAT32, HALVES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Point, Sample

_NAMED: Final = 2
"""Curves that a sentence names."""

NO_FLOAT32_ROOF: Final = "runs on tensor cores: the float32 peak is not its roof"


class Peak(NamedTuple):
    """The peak that limits a point."""

    factors: str
    """Type of the numbers that are multiplied."""
    share: float
    """The peak over that of float32 at the same clock."""


FLOAT32_PEAK: Final = Peak(FLOAT32, 1.0)


def percent_of_peak(sample: Sample, environment: Environment | None) -> float | None:
    """Return the rate as a percentage of the peak of its type; None where that is not known."""
    peak, of_float32 = peak_of(sample.point, environment), sample.percent_of_peak
    return None if peak is None or of_float32 is None else of_float32 / peak.share


def peak_of(point: Point, environment: Environment | None) -> Peak | None:
    """Return the peak that limits a point; None where it is not known.

    With factors of 16 bits, it is that of the tensor cores, whether or not the source uses them; else that of float32,
    unless the source has instructions of tensor cores.
    """
    factors = factors_of(point.entry.kernel)
    if factors not in HALVES:
        return None if _on_tensor_cores(point, arch_of(environment)) else FLOAT32_PEAK
    device = device_of_driver(environment.gpu) if environment else None
    share = device.tensor_share(factors) if device else 0.0
    return Peak(factors, share) if share else None


def no_peak_words(point: Point) -> str:
    """Say why a point without a peak has none."""
    factors = factors_of(point.entry.kernel)
    return f"the {factors} peak of its GPU is not known" if factors in HALVES else NO_FLOAT32_ROOF


@lru_cache(maxsize=1 << 12)
def factors_of(kernel: str) -> str:
    """Return the type of the numbers that a kernel multiplies, by its id or path; float32 if it is not known."""
    try:
        return find_kernel(kernel).workload.factors
    except TilescopeError:
        return FLOAT32


def other_code_of_plan(points: Iterable[Point], arch: str, shown: Architecture) -> str:
    """Name the curves of a plan whose code at their last size is not that for `shown`, of the picture; "" for none."""
    found = {point.entry: point for point in points}
    names = [point.entry.label for point in found.values() if _other_lines(point, arch, shown)]
    if not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"Explore shows the code for {shown}; {Architecture.of_gpu(arch)} compiles other lines of " + (
        f"{', '.join(names[:_NAMED])}{more}."
    )


def other_code_words(point: Point, arch: str) -> str:
    """Say that a point was measured with other code than most GPUs run; "" where it was not, or that is not known."""
    lines = _other_lines(point, arch, SM_80)
    if not lines:
        return ""
    compiled, listed = Architecture.of_gpu(arch), listed_lines(lines)
    return f"{compiled} compiles other lines than {SM_80} ({listed}): select this GPU to see them on Explore."


def code_of(point: Point, arch: str) -> Architecture:
    """Return the architecture whose code a GPU runs for a point: sm_80 where that is the same, or not known."""
    return Architecture.of_gpu(arch) if _other_lines(point, arch, SM_80) else SM_80


def _other_lines(point: Point, arch: str, shown: Architecture) -> tuple[int, ...]:
    """Return the lines in which a GPU's code of a point differs from that for `shown`."""
    source = _source(point, arch) if arch else None
    return other_lines(source._replace(defines=shown.among(source.defines)), arch) if source else ()


def arch_of(environment: Environment | None) -> str:
    """Return the architecture of an environment's GPU, such as sm_90; "" where it is not known."""
    device = device_of_driver(environment.gpu) if environment else None
    return device.arch if device else ""


@lru_cache(maxsize=1 << 14)  # a table asks for every row
def _on_tensor_cores(point: Point, arch: str) -> bool:
    source = _source(point, arch, containing="mma") if arch else None
    return source is not None and on_tensor_cores(source, arch)


def _source(point: Point, arch: str, containing: str = "") -> Source | None:
    """Return the source of a point with the macros of its launch.

    None where it is not known here, or where the text and its local includes cannot have a word in it.
    """
    entry = point.entry
    try:
        if entry.launch:
            file = Path(entry.kernel)
            custom = CustomLaunch.of_settings(file, read_source(file), entry.launch)
            return Source(custom.text, file.name, defines_of(custom), file.parent)
        kernel = find_kernel(entry.kernel)
        if kernel.runs_on != "cuda" or kernel.file is None:
            return None
        if containing not in kernel.text and '#include "' not in kernel.text:
            return None
        rule = kernel.chosen_rule(point.size, arch) if entry.block is None else None
        block = entry.block or (rule.block if rule else kernel.block)
        return Source(kernel.text, kernel.file.name, kernel.defines(point.size, block), kernel.file.parent)
    except TilescopeError:
        return None
