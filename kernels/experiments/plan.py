"""From an experiment to a plan that the bench measures: which points at which scale, and about how long they take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.bench.plan import Plan, points
from kernels.bench.sample import Entry
from kernels.catalog import find_kernel
from kernels.errors import LaunchError, UnavailableError
from kernels.experiments.model import SUGGESTED, Machine
from kernels.fill import Fills
from kernels.launch import Dim3

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.bench.sample import Point
    from kernels.catalog import Kernel
    from kernels.experiments.model import Experiment, Part, Scale
    from kernels.workload import Size

_TARGET_S: Final[dict[Scale, float]] = {"quick": 45.0, "cpu": 90.0, "full": 600.0}
"""What timing may fill up to: the promise of a scale, less what a slow start takes."""

_LONGEST_BUDGET_S: Final = 1.0
_SHORTEST_BUDGET_S: Final = 0.05
_TIME_LIMIT_S: Final[dict[Scale, float]] = {"quick": 30.0, "cpu": 60.0, "full": 180.0}

_START_S: Final = 8.0
"""Python, CuPy and the CUDA context."""

_POINT_S: Final = 0.35
"""Compiling, copying, warming up, for one point."""

_CPU_GFLOPS: Final = 1.0
"""Three plain loops on one core, at a size whose columns miss the caches."""

_BLAS_GFLOPS: Final = 30.0
_CHECK_GFLOPS: Final = 40.0
_SIMULATOR_GFLOPS: Final = 0.02
_TEACHING_SHARE: Final = 0.06
"""Of a GPU's peak, what a plain kernel reaches in blocks 16 wide; narrower ones in proportion."""


def this_machine() -> Machine:
    """Describe this machine; loads CuPy where it is installed."""
    from kernels.cpu.matmul import core_count
    from kernels.gpu.device import present_device

    try:
        return Machine(present_device(), "", core_count())
    except UnavailableError as error:
        return Machine(None, str(error), core_count())


def experiment_plan(
    experiment: Experiment, scale: Scale, machine: Machine, sizes: Sequence[Size] = ()
) -> tuple[Plan, tuple[str, ...]]:
    """Choose the points of a scale.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    scale : Scale
        How much of it.
    machine : Machine
        Where: without a device only what runs on the CPU is planned.
    sizes : sequence of Size
        Instead of the experiment's own, for every part that has a scale's sizes at all.

    Returns
    -------
    The plan, which may have no points, and a line for each thing that is left out, with what it needs.

    Raises
    ------
    InputError
        When the experiment names a kernel that there is not.
    """
    chosen: list[Point] = []
    left_out: dict[str, None] = {}
    for part in experiment.parts:
        own = part.sizes.get(scale, ()) or ()
        lacking = []
        for name in part.kernels:
            kernel = find_kernel(name)
            if kernel.runs_on != "cpu" and machine.device is None and experiment.timed:
                lacking.append(name)
                continue
            entries = tuple(_entries(kernel, part, machine))
            for point in points(entries, sizes if sizes and own else own):
                refused = _refusal(kernel, point)
                if refused:
                    left_out[refused] = None
                else:
                    chosen.append(point)
        if lacking:
            left_out[f"{', '.join(lacking)}: an NVIDIA GPU is needed: {machine.missing}"] = None
    ordered = sorted(dict.fromkeys(chosen), key=lambda p: p.size.m * p.size.n * p.size.k)
    plan = Plan(
        tuple(ordered),
        budget_s=_SHORTEST_BUDGET_S,
        min_samples=5,
        time_limit_s=_TIME_LIMIT_S[scale],
        fill=Fills.parse(experiment.fill),
        fmad=experiment.fmad,
    )
    return replace(plan, budget_s=_budget_s(plan, scale, machine)), tuple(left_out)


def estimate_s(plan: Plan, machine: Machine) -> float:
    """Estimate roughly how many seconds a plan takes."""
    return _START_S + sum(_fixed_s(p, machine) + max(plan.budget_s, _once_s(p, machine)) for p in plan.points)


def _budget_s(plan: Plan, scale: Scale, machine: Machine) -> float:
    """Share what the scale's promise leaves among the points."""
    left = _TARGET_S[scale] - _START_S - sum(_fixed_s(point, machine) for point in plan.points)
    share = left / max(1, len(plan.points))
    return round(min(_LONGEST_BUDGET_S, max(_SHORTEST_BUDGET_S, share)), 3)


def _fixed_s(point: Point, machine: Machine) -> float:
    """Seconds before the first timed launch: building, the run that is verified, the reference, warming up."""
    size = point.size
    rows = min(size.m, 48) if size.m * size.n * size.k > 2**30 else size.m
    check_s = 4 * rows * size.n * size.k / _CHECK_GFLOPS / 1e9
    return _POINT_S + check_s + 2 * _once_s(point, machine)


def _once_s(point: Point, machine: Machine) -> float:
    """Seconds of one launch, by a rate that is no more than plausible."""
    kernel, entry = find_kernel(point.entry.kernel), point.entry
    cores = min(max(1, entry.threads), machine.cores)
    if kernel.runs_on == "cpu":
        rate = cores * (_BLAS_GFLOPS if kernel.id.endswith("blas") else _CPU_GFLOPS)
    elif machine.device is None:
        rate = _SIMULATOR_GFLOPS
    elif kernel.runs_on == "library":
        rate = machine.device.peak_fp32_gflops / 2
    else:
        width = min(16, entry.block.x if entry.block else 16)
        rate = machine.device.peak_fp32_gflops * _TEACHING_SHARE * width / 16
    return kernel.workload.flops(point.size) / rate / 1e9


def _entries(kernel: Kernel, part: Part, machine: Machine) -> Iterator[Entry]:
    """Yield the kernel with every choice that it has."""
    if kernel.runs_on == "cpu":
        counts = (part.threads or (machine.cores,)) if kernel.threaded else (0,)
        yield from (Entry(kernel.id, threads=count) for count in counts)
    elif kernel.runs_on == "library":
        yield Entry(kernel.id)
    else:
        widths = [_width(width, kernel, machine) for width in part.widths] or [kernel.block.x]
        yield from (Entry(kernel.id, Dim3(width, width)) for width in dict.fromkeys(widths))


def _width(width: int | str, kernel: Kernel, machine: Machine) -> int:
    if width == SUGGESTED:
        return kernel.block.x
    return int(width)


def _refusal(kernel: Kernel, point: Point) -> str:
    """Say why the kernel's own rules refuse a point; empty when they do not."""
    if kernel.runs_on != "cuda" or point.entry.block is None:
        return ""
    try:
        kernel.launch(point.size, point.entry.block)
    except LaunchError as error:
        return f"{point}: {error}"
    return ""
