"""Plan of an experiment for the bench: the points of each scale, and an estimate of their time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.bench.plan import Plan, all_entries, points
from kernels.bench.prediction import POINT_S, START_S, check_s, rough_launch_s
from kernels.catalog import find_kernel
from kernels.errors import LaunchError, UnavailableError
from kernels.experiments.model import SUGGESTED, Machine
from kernels.experiments.occupancy import suggest_side
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.sample import Point
    from kernels.bench.store.database import RunSummary
    from kernels.catalog import Kernel
    from kernels.experiments.model import Experiment, Part, Scale

_TARGET_S: Final[dict[Scale, float]] = {"quick": 45.0, "cpu": 90.0, "full": 600.0}
"""Seconds for timing at each scale, without the start of Python and CuPy."""

_LONGEST_BUDGET_S: Final = 1.0
_SHORTEST_BUDGET_S: Final = 0.05
_TIME_LIMIT_S: Final[dict[Scale, float]] = {"quick": 30.0, "cpu": 60.0, "full": 180.0}

_SIMULATOR_GFLOPS: Final = 0.02


def this_machine() -> Machine:
    """Describe this machine; loads CuPy where it is installed."""
    from kernels.cpu.matmul import core_count
    from kernels.gpu.device import present_device

    try:
        return Machine(present_device(), "", core_count())
    except UnavailableError as error:
        return Machine(None, str(error), core_count())


def purpose(experiment: Experiment, scale: Scale) -> str:
    """Return the purpose under which a run is stored."""
    return f"{experiment.id} {scale}"


def is_run_of(run: RunSummary, experiment: Experiment) -> bool:
    """Return whether a stored run was made for an experiment, at any scale."""
    return run.purpose.partition(" ")[0] == experiment.id


def experiment_plan(
    experiment: Experiment, scale: Scale, machine: Machine, sizes: Sequence[Size] = (), to: int | None = None
) -> tuple[Plan, tuple[str, ...]]:
    """Choose the points of a scale.

    Parameters
    ----------
    experiment, scale
        The experiment, and how much of it is measured.
    machine : Machine
        The machine; without a device only kernels for the CPU are planned.
    sizes : sequence of Size
        Sizes that replace those of every part that is measured at this scale.
    to : int, optional
        The largest n: sizes up to it are planned, and beyond the experiment's own ones further doublings.

    Returns
    -------
    The plan, which may have no points, and a line for each kernel or size that is left out, with the reason.

    Raises
    ------
    InputError
        When the experiment names an unknown kernel.
    """
    chosen: list[Point] = []
    left_out: dict[str, None] = {}
    lacking: dict[str, None] = {}
    for part in experiment.parts:
        planned = _sizes(part, scale, sizes, to)
        for kernel in map(find_kernel, part.kernels):
            if kernel.runs_on != "cpu" and machine.device is None and experiment.timed:
                lacking[kernel.id] = None
                continue
            blocks = _blocks(kernel, part, planned, machine)
            for point in points(all_entries(kernel, blocks, part.threads, part.memory), planned):
                refusal = _refusal(kernel, point)
                if refusal:
                    left_out[refusal] = None
                else:
                    chosen.append(point)
    if lacking:
        left_out[f"{', '.join(lacking)}: an NVIDIA GPU is needed: {machine.missing}"] = None
    ordered = sorted(dict.fromkeys(chosen), key=lambda p: p.size.m * p.size.n * p.size.k)
    plan = Plan(
        tuple(ordered),
        budget_s=_SHORTEST_BUDGET_S,
        time_limit_s=_TIME_LIMIT_S[scale],
        fill=Fills.parse(experiment.fill),
        fmad=experiment.fmad,
        every_element=experiment.every_element,
        task="time" if experiment.timed else "check" if machine.device else "simulate",
    )
    return replace(plan, budget_s=_budget_s(plan, scale, machine)), tuple(left_out)


def _sizes(part: Part, scale: Scale, sizes: Sequence[Size], to: int | None) -> tuple[Size, ...]:
    """Return the sizes of a part at a scale, or those that replace them; none where the part is left out."""
    default = part.sizes[scale]
    if not default:
        return ()
    return tuple(sizes) or (default if to is None else _up_to(default, to, beyond=part.extends))


def _up_to(sizes: Sequence[Size], to: int, *, beyond: bool) -> tuple[Size, ...]:
    """Limit sizes to n, or with `beyond` continue them to n by doubling; sizes that are not square stay."""
    if any(len(set(size)) > 1 for size in sizes):
        return tuple(sizes)
    numbers = {size.n for size in sizes if size.n <= to}
    n = 2 * max(size.n for size in sizes)
    while beyond and n < to:
        numbers.add(n)
        n *= 2
    if beyond or not numbers:
        numbers.add(to)
    return tuple(Size(n, n, n) for n in sorted(numbers))


def estimate_s(plan: Plan, machine: Machine) -> float:
    """Estimate roughly how many seconds a plan takes."""
    timing_s = sum(max(plan.budget_s, _once_s(point, machine)) for point in plan.points)
    return _fixed_s(plan, machine) + timing_s


def _budget_s(plan: Plan, scale: Scale, machine: Machine) -> float:
    """Divide the time of a scale, without the fixed part, among the points."""
    share = (_TARGET_S[scale] - _fixed_s(plan, machine)) / max(1, len(plan.points))
    return round(min(_LONGEST_BUDGET_S, max(_SHORTEST_BUDGET_S, share)), 3)


def _fixed_s(plan: Plan, machine: Machine) -> float:
    """Return the seconds without timing: start, compilation, the verified run, the reference, warming up."""
    total_s = START_S
    for point in plan.points:
        kernel = find_kernel(point.entry.kernel)
        check = check_s(kernel, point.size, every_element=plan.every_element)
        total_s += POINT_S + check + 2 * _once_s(point, machine)
    return total_s


def _once_s(point: Point, machine: Machine) -> float:
    """Return the seconds of one launch, on the GPU or in the simulator, from a rough rate."""
    kernel = find_kernel(point.entry.kernel)
    if kernel.runs_on != "cpu" and machine.device is None:
        return kernel.workload.flops(point.size) / _SIMULATOR_GFLOPS / 1e9
    return rough_launch_s(kernel, point, machine.cores, machine.device)


def _blocks(kernel: Kernel, part: Part, sizes: Sequence[Size], machine: Machine) -> tuple[Dim3, ...]:
    """Return the blocks of a part, square unless the grid has one dimension; a suggested width needs a device."""
    sides = [_suggested(kernel, sizes, machine) if width == SUGGESTED else int(width) for width in part.widths]
    return tuple(Dim3(side, 1 if len(kernel.grid) == 1 else side) for side in dict.fromkeys(sides) if side)


def _suggested(kernel: Kernel, sizes: Sequence[Size], machine: Machine) -> int:
    """Return the side that occupancy suggests; 0 without a device or sizes."""
    if machine.device is None or not sizes:
        return 0
    return suggest_side(kernel, sizes[0], machine.device).side


def _refusal(kernel: Kernel, point: Point) -> str:
    """Return why the kernel's launch rule refuses a point; "" when it does not."""
    if kernel.runs_on != "cuda" or point.entry.block is None:
        return ""
    try:
        kernel.launch(point.size, point.entry.block)
    except LaunchError as error:
        return f"size {point.size}: {error}"
    return ""
