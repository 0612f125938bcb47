"""Points of `tilescope verify`: sizes at which kernels tend to go wrong, without those that take too long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.architecture import SM_80
from kernels.bench.plan import DEFAULT_FILL, Plan, all_entries
from kernels.bench.sample import Point
from kernels.catalog import find_kernel
from kernels.verify.published import PRINTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from kernels.architecture import Architecture
    from kernels.bench.plan import Task
    from kernels.bench.sample import Entry
    from kernels.catalog import Kernel
    from kernels.fill import Fills
    from kernels.launch import Dim3

SIZES: Final = (
    *(Size(n, n, n) for n in (1, 2, 7, 17, 31, 32, 33, 100, 127, 129, 1000, 1024, 4097)),
    Size(2051, 1027, 2051),
    Size(1, 1000, 1),
    Size(1000, 1, 1000),
)
"""Sizes around the widths of tiles and warps, primes, those of a lecture, and results of one row or one column."""

# The most products (multiplications) of a point, so that it takes a few seconds.
_MOST_SIMULATED: Final = 2**24
_MOST_ON_CPU: Final = 2**30
_MOST_PER_BLOCK_THREAD: Final = 2**33
"""On a GPU, for each thread of a block: an SM holds at most 32 blocks, so that small blocks leave it nearly empty."""


_BUDGET_S: Final = 30.0
_POINT_S: Final = 20.0
"""Where the user names no size, the simulator begins no further point after `_BUDGET_S` for each kernel, and ends one
after `_POINT_S`: the call takes less than a minute on any machine. A point's products do not tell its time:
threads that wait for each other, as the producers and consumers of matmul_specialized do, cost a hundred times as much
as those of a plain product. The smallest points come first."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Options of the command; `choose` fills in those that are empty."""

    kernels: Sequence[Kernel]
    sizes: Sequence[Size] = ()
    blocks: Sequence[Dim3] = ()
    threads: Sequence[int] = ()
    fills: Fills | None = None
    task: Task = "check"
    fmad: bool = True
    time_limit_s: float = 120.0
    one_block: bool = False
    """Whether only the first block of each kernel is checked, where the user names none."""
    architecture: Architecture = SM_80
    """The GPU whose code the simulator runs."""

    def entries(self, kernel: Kernel) -> tuple[Entry, ...]:
        """Return the blocks or numbers of threads of a kernel that are checked."""
        default = (kernel.block,) if self.one_block else ()
        return all_entries(kernel, self.blocks or default, self.threads)


@dataclass(frozen=True, slots=True)
class Work:
    """The points to check, and those that are not checked."""

    plans: tuple[Plan, ...]
    """One plan for each fill of the inputs."""
    lessons: tuple[Kernel, ...]
    """Kernels that are wrong on purpose."""
    left_out: tuple[Point, ...]
    """Points that take too long."""
    budget_s: float | None = None
    """Seconds after which no further point is begun; None for no limit."""

    @property
    def count(self) -> int:
        """Points of all plans."""
        return sum(len(plan.points) for plan in self.plans)

    def with_rest(self, checked: Container[tuple[Point, Fills]]) -> Work:
        """Return the work with the points that were not checked among those that are left out."""
        rest = [point for plan in self.plans for point in plan.points if (point, plan.fill) not in checked]
        return replace(self, left_out=(*self.left_out, *dict.fromkeys(rest)))


def choose(request: CheckRequest) -> Work:
    """Choose every point, kernel by kernel.

    Sizes that the user names are checked however long they take. If the user names neither sizes nor fills, the cases
    with results in the teaching documents come first.
    """
    points: list[Point] = []
    left_out: list[Point] = []
    correct = [kernel for kernel in request.kernels if not kernel.flaw]
    for kernel in correct:
        for entry in request.entries(kernel):
            for size in dict.fromkeys(request.sizes) or _default_sizes(kernel):
                slow = not request.sizes and _too_slow(kernel, entry, size, request.task)
                (left_out if slow else points).append(Point(entry, size))
    bounded = request.task == "simulate" and not request.sizes
    if bounded:
        request = replace(request, time_limit_s=min(request.time_limit_s, _POINT_S))
        points.sort(key=lambda point: find_kernel(point.entry.kernel).workload.flops(point.size))
    plans = []
    if not request.sizes and not request.fills:
        for case in PRINTED:
            kernels = [kernel for kernel in correct if kernel.workload.id == case.workload]
            entries = [entry for k in kernels for entry in all_entries(k, (k.block,), request.threads)]
            plans.append(_plan(request, [Point(entry, case.size) for entry in entries], case.fills))
    plans.append(_plan(request, points, request.fills or DEFAULT_FILL))
    lessons = tuple(kernel for kernel in request.kernels if kernel.flaw)
    budget_s = _BUDGET_S * len({kernel.base for kernel in correct}) if bounded else None
    return Work(tuple(plan for plan in plans if plan.points), lessons, tuple(left_out), budget_s)


def _default_sizes(kernel: Kernel) -> list[Size]:
    """List the sizes that fit the workload; a kernel without outputs is run at one size, as no result depends on it."""
    if not any(spec.output for spec in kernel.workload.arrays(kernel.size)):
        return [kernel.size]
    return [size for size in SIZES if kernel.workload.fit(size) == size]


def _too_slow(kernel: Kernel, entry: Entry, size: Size, task: Task) -> bool:
    products = kernel.workload.flops(size) // 2
    if kernel.runs_on == "cpu":
        return kernel.file is not None and products > _MOST_ON_CPU
    if task == "simulate":
        return products > _MOST_SIMULATED
    return entry.block is not None and products > _MOST_PER_BLOCK_THREAD * entry.block.count


def _plan(request: CheckRequest, points: Sequence[Point], fills: Fills) -> Plan:
    return Plan(
        tuple(points),
        time_limit_s=request.time_limit_s,
        fill=fills,
        fmad=request.fmad,
        task=request.task,
        architecture=request.architecture,
    )
