"""Default points of `tilescope verify`: sizes at which kernels go wrong, less those that take too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.bench.plan import DEFAULT_FILL, Plan, all_entries
from kernels.bench.sample import Point
from kernels.verify.published import PRINTED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

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
"""Both sides of the widths of tiles and warps, primes, a lecture's sizes, and products that are rows and columns."""

# Products that are computed within a few seconds, at most.
_SIMULATED: Final = 2**24
_IN_LOOPS_ON_THE_CPU: Final = 2**30
_A_THREAD_OF_A_BLOCK: Final = 2**33
"""On a GPU: an SM holds 32 blocks at most, so that small blocks leave it nearly empty."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A request of the user; empty fields are chosen by `choose`."""

    kernels: Sequence[Kernel]
    sizes: Sequence[Size] = ()
    blocks: Sequence[Dim3] = ()
    threads: Sequence[int] = ()
    fills: Fills | None = None
    task: Task = "check"
    fmad: bool = True
    time_limit_s: float = 120.0
    one_block: bool = False
    """Of each kernel only the block that it opens with, where none is named."""

    def entries(self, kernel: Kernel) -> tuple[Entry, ...]:
        """Return the blocks or numbers of threads of a kernel that are checked."""
        own = (kernel.block,) if self.one_block else ()
        return all_entries(kernel, self.blocks or own, self.threads)


@dataclass(frozen=True, slots=True)
class Work:
    """Plans, one for each way to fill the inputs; kernels that are wrong on purpose; points that take too long."""

    plans: tuple[Plan, ...]
    lessons: tuple[Kernel, ...]
    left_out: tuple[Point, ...]

    @property
    def count(self) -> int:
        """Points of all plans."""
        return sum(len(plan.points) for plan in self.plans)


def choose(request: CheckRequest) -> Work:
    """Choose every point, kernel by kernel: what is known of a size is kept for the next kernel.

    Sizes that the user names are not left out, however long they take. Where no inputs are named either, the cases
    are added that the documents print.
    """
    chosen: list[Point] = []
    left_out: list[Point] = []
    able = [kernel for kernel in request.kernels if not kernel.flaw]
    for kernel in able:
        for entry in request.entries(kernel):
            for size in dict.fromkeys(request.sizes) or _own_sizes(kernel):
                slow = not request.sizes and _too_slow(kernel, entry, size, request.task)
                (left_out if slow else chosen).append(Point(entry, size))
    plans = [_plan(request, chosen, request.fills or DEFAULT_FILL)]
    if not request.sizes and not request.fills:
        for case in PRINTED:
            kernels = [kernel for kernel in able if kernel.workload.id == case.workload]
            entries = [entry for k in kernels for entry in all_entries(k, (k.block,), request.threads)]
            plans.append(_plan(request, [Point(entry, case.size) for entry in entries], case.fills))
    lessons = tuple(kernel for kernel in request.kernels if kernel.flaw)
    return Work(tuple(plan for plan in plans if plan.points), lessons, tuple(left_out))


def _own_sizes(kernel: Kernel) -> list[Size]:
    """List the sizes that the workload understands; what has no output is run once, as there is nothing to check."""
    if not any(spec.output for spec in kernel.workload.arrays(kernel.size)):
        return [kernel.size]
    return [size for size in SIZES if kernel.workload.fit(size) == size]


def _too_slow(kernel: Kernel, entry: Entry, size: Size, task: Task) -> bool:
    products = kernel.workload.flops(size) // 2
    if kernel.runs_on == "cpu":
        return kernel.file is not None and products > _IN_LOOPS_ON_THE_CPU
    if task == "simulate":
        return products > _SIMULATED
    return entry.block is not None and products > _A_THREAD_OF_A_BLOCK * entry.block.count


def _plan(request: CheckRequest, points: Sequence[Point], fills: Fills) -> Plan:
    return Plan(tuple(points), time_limit_s=request.time_limit_s, fill=fills, fmad=request.fmad, task=request.task)
