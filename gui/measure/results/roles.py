"""Facts of a series by its kernel: role in comparisons, unit of its rates, axis of its sizes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kernels.bench.measure.compiled_code import factors_of
from kernels.bench.rates import rate_of
from kernels.catalog import find_kernel
from kernels.errors import TilescopeError
from kernels.number_types import FLOAT32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.measure.results.series import Estimates, Floats, Series
    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel
    from kernels.workload import Rate

Role = Literal["sequential", "parallel", "library", "kernel"]


@lru_cache(maxsize=4096)
def kernel_of(name: str) -> Kernel | None:
    """Return the kernel with the id or path of a sample; None if it is not known here."""
    try:
        return find_kernel(name)
    except TilescopeError:
        return None


def role(entry: Entry) -> Role:
    """Return the role by the catalogue; an unknown kernel is one of a GPU."""
    kernel = kernel_of(entry.kernel)
    if kernel is None or kernel.runs_on == "cuda":
        return "kernel"
    if kernel.runs_on == "library":
        return "library"
    return "parallel" if kernel.threaded else "sequential"


def on_cpu(entry: Entry) -> bool:
    """Return whether the entry runs on the CPU."""
    return role(entry) in ("sequential", "parallel")


def workload(entry: Entry) -> str:
    """Return the id of the problem that the entry solves; "" if it is not known."""
    kernel = kernel_of(entry.kernel)
    return kernel.workload.id if kernel else ""


def device_name(entry: Entry, environment: Environment) -> str:
    """Return the name of the processor on which the entry ran."""
    return environment.cpu if on_cpu(entry) else environment.device


GFLOPS: Final = "GFLOPS"
SIZE_AXIS: Final = "n"


def unit(series: Series) -> str:
    """Return the unit of a series' rates; of operations on other numbers than floats, with their type."""
    rate = _rate(series)
    return rate.unit if rate else gflops_of(factors_of(series.entry.kernel))


def gflops_of(factors: str) -> str:
    """Return the unit of rates of operations on numbers of a type."""
    return GFLOPS if factors == FLOAT32 else f"{GFLOPS} ({factors})"


def in_operations(series: Series) -> bool:
    """Return whether the rates of a series are operations, and no unit of its workload."""
    return _rate(series) is None


def rates(series: Series) -> Estimates:
    """Return the rates of a series in its unit."""
    rate = _rate(series)
    if rate is None:
        return series.gflops
    amounts = np.array([rate.amount(row.sample.point.size) for row in series.rows], np.float64)
    return series.time_ms.reciprocal(amounts * 1e3)


def sizes(series: Series) -> Floats:
    """Return a series' places on the axis of sizes: a length that its workload names, else n."""
    rate = _rate(series)
    if rate is None:
        return series.n
    return np.array([getattr(row.sample.point.size, rate.axis) for row in series.rows], np.float64)


def limited_by_memory(series: Series) -> bool:
    """Return whether the memory's bandwidth limits the rates of a series; else a peak of operations does."""
    rate = _rate(series)
    return rate is not None and rate.by_memory


def elsewhere(series: Sequence[Series], shown: str, tabs: str) -> tuple[str, ...]:
    """Say which curves are not in a chart, as their rates have another unit; `tabs` says where they are."""
    others = {unit(each): each.name for each in series if unit(each) != shown}
    return tuple(f"Curves in {other} are {tabs}, such as {name}." for other, name in others.items())


def size_axis(series: Sequence[Series]) -> str:
    """Return the title of the axis of sizes, if all series agree on it; else that of n."""
    titles = {_axis_title(each) for each in series}
    return titles.pop() if len(titles) == 1 else SIZE_AXIS


def _axis_title(series: Series) -> str:
    kernel = kernel_of(series.entry.kernel)
    if kernel is None or kernel.workload.rate is None:
        return SIZE_AXIS
    axis = kernel.workload.rate.axis
    return next(length.label for length in kernel.workload.lengths if length.axis == axis)


def _rate(series: Series) -> Rate | None:
    return rate_of(series.entry.kernel)
