"""Predicted duration of a plan: from earlier samples where there are any, else from operations and rough rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.bench.plan import baseline_of
from kernels.bench.sample import Point
from kernels.catalog import find_kernel
from kernels.errors import InputError
from kernels.workload import checked_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.bench.plan import Plan
    from kernels.bench.sample import Entry, Sample
    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.workload import Size

START_S: Final = 5.0
"""Python, CuPy and the CUDA context."""

POINT_S: Final = 0.12
"""Compiling, copying, warming up, for one point."""

CHECK_GFLOPS: Final = 100.0
"""Rate of the float64 reference."""

_CPU_GFLOPS: Final = 0.6
"""Three plain loops on one core, at a size whose columns miss the caches."""

_BLAS_GFLOPS: Final = 30.0
_GPU_GFLOPS: Final = 10_000.0
"""Peak of a GPU that is not known."""

_TEACHING_SHARE: Final = 0.06
"""Fraction of a GPU's peak that a plain kernel reaches in blocks 16 wide; narrower ones reach less in proportion."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted duration of a plan."""

    seconds: float
    known_points: int
    """Number of points that were measured before; the others are estimated from rough rates or other sizes."""
    point_count: int


class Predictor:
    """Predicts the durations of the points of a plan.

    Parameters
    ----------
    plan : Plan
    earlier : iterable of Sample
        Samples of this machine; the later of two of one point counts.
    cores : int
        Cores of this machine.
    device : Device, optional
    """

    def __init__(
        self, plan: Plan, earlier: Iterable[Sample] = (), *, cores: int = 1, device: Device | None = None
    ) -> None:
        self._plan, self._cores, self._device = plan, cores, device
        self._samples = {sample.point: sample for sample in earlier if sample.median_ms and sample.flops}
        self._by_entry: dict[Entry, list[Sample]] = {}
        for sample in self._samples.values():
            self._by_entry.setdefault(sample.point.entry, []).append(sample)
        self._known: dict[Entry, tuple[Kernel, int] | None] = {}

    def knows(self, point: Point) -> bool:
        """Return whether the point was measured before."""
        return point in self._samples

    def seconds(self, point: Point) -> float:
        """Return the predicted duration of a point, up to its time limit."""
        same = self._samples.get(point)
        known_s = same.duration_s if same else 0.0
        return min(known_s or self._estimate(point), self._plan.time_limit_s)

    def _estimate(self, point: Point) -> float:
        """Estimate the seconds of a point that was not measured before."""
        found = self._kernel(point.entry)
        if found is None:
            return POINT_S
        kernel, series = found
        launch_s = self._launch_s(kernel, point)
        fixed_s = POINT_S + check_s(kernel, point.size, every_element=self._plan.every_element) + series * launch_s
        return fixed_s + max(series * launch_s, series * self._plan.budget_s)

    def _kernel(self, entry: Entry) -> tuple[Kernel, int] | None:
        """Return the kernel, and 2 if it takes turns with a baseline, else 1; None if it cannot be read any more."""
        if entry not in self._known:
            try:
                kernel = find_kernel(entry.kernel)
                compared = baseline_of(Point(entry, kernel.size), self._plan.baselines) is not None
                self._known[entry] = kernel, 1 + compared
            except InputError:
                self._known[entry] = None
        return self._known[entry]

    def _launch_s(self, kernel: Kernel, point: Point) -> float:
        """Scale the time of the nearest measured size of the entry by the operations; else use a rough rate."""
        measured = self._by_entry.get(point.entry, ())
        if not measured:
            return rough_launch_s(kernel, point, self._cores, self._device)
        flops = kernel.workload.flops(point.size)
        nearest = min(measured, key=lambda sample: abs(sample.flops - flops))
        return (nearest.median_ms or 0.0) / 1e3 * flops / nearest.flops


def predict(plan: Plan, earlier: Iterable[Sample] = (), *, cores: int = 1, device: Device | None = None) -> Prediction:
    """Predict how long a plan takes; the parameters are those of `Predictor`."""
    predictor = Predictor(plan, earlier, cores=cores, device=device)
    seconds = START_S + sum(map(predictor.seconds, plan.points))
    if plan.total_s is not None:
        seconds = min(seconds, START_S + plan.total_s)
    return Prediction(seconds, sum(map(predictor.knows, plan.points)), len(plan.points))


def check_s(kernel: Kernel, size: Size, *, every_element: bool) -> float:
    """Estimate the seconds of the float64 reference of a point."""
    height = next((spec.shape[0] for spec in kernel.workload.arrays(size) if spec.output), 0)
    rows, _ = checked_rows(kernel.workload, size, every_element=every_element)
    return 2 * kernel.workload.flops(size) * len(rows) / max(height, 1) / CHECK_GFLOPS / 1e9


def rough_launch_s(kernel: Kernel, point: Point, cores: int, device: Device | None) -> float:
    """Estimate the seconds of one launch from a rough rate."""
    entry = point.entry
    peak = device.peak_fp32_gflops if device else _GPU_GFLOPS
    if kernel.runs_on == "cpu":
        rate = min(max(1, entry.threads), cores) * (_BLAS_GFLOPS if kernel.file is None else _CPU_GFLOPS)
    elif kernel.runs_on == "library":
        rate = peak / 2
    else:
        rate = peak * _TEACHING_SHARE * min(16, entry.block.x if entry.block else 16) / 16
    return kernel.workload.flops(point.size) / rate / 1e9
