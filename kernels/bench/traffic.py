"""Global-memory traffic of a kernel, counted by the simulator without a record, and the ideal one.

The traffic is that of the requests: sectors of 32 bytes, before any cache. Larger problems take longer to count, and
their FLOP per byte hardly change: so a large problem is counted at a smaller size, which the result names. Its lengths
have the same remainders, so that rows begin at the same places of the sectors, and the last tiles are as full.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.analysis import LaunchCounter
from kernels.architecture import SM_80
from kernels.bench.measure.compiled_code import code_of
from kernels.cancellation import Cancelled
from kernels.catalog import find_kernel
from kernels.errors import InputError, TilescopeError
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from kernels.architecture import Architecture
    from kernels.bench.sample import Point
    from kernels.catalog import Kernel
    from kernels.launch import Dim3

SECTOR_BYTES: Final = 32

LARGEST_COUNTED: Final = 512
"""Lengths of a problem that is counted; at 512 the tiles at the edges are a few percent of the traffic."""

_MOST_STEPS: Final = 20_000_000
"""Steps of a run: time limits it, and a launch whose warps wait for each other takes many short ones."""

_PERIOD: Final = 128
"""Lengths with equal remainders by this have rows that begin at the same place of a sector, and equal last tiles."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Traffic of one launch."""

    size: Size
    """The problem that was counted."""
    flops: int
    """Floating-point operations of the problem: those of its rate in GFLOPS."""
    bytes: int
    """Sectors of all reads, writes and atomics in global memory, times 32 bytes."""

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flops / self.bytes


class TrafficKey(NamedTuple):
    """A launch whose traffic is counted."""

    kernel: str
    """An id of the catalogue with its options, or the path of a .cu file."""
    block: Dim3
    size: Size
    architecture: Architecture = SM_80
    """The architecture whose code is counted: sm_80 where the GPU's is the same."""


def traffic_key(point: Point, arch: str) -> TrafficKey | None:
    """Return the launch that is counted for a point that was measured on a GPU of an architecture.

    A kernel that chooses its block by a table is counted with the block of the measured size. None for what has no CUDA
    source that is known here, or no block for that size.
    """
    entry = point.entry
    if entry.launch:
        return None
    try:
        kernel = find_kernel(entry.kernel)
        if kernel.runs_on != "cuda":
            return None
        rule = kernel.chosen_rule(point.size, arch) if entry.block is None and arch else None
    except TilescopeError:
        return None
    if entry.block is None and kernel.block_rules and rule is None:
        return None
    block = entry.block or (rule.block if rule else kernel.block)
    return TrafficKey(entry.kernel, block, counted_size(point.size), code_of(point, arch))


@lru_cache(maxsize=16384)
def counted_size(size: Size) -> Size:
    """Return the problem at which the traffic of a size is counted: itself, or a smaller one with equal remainders."""
    return Size(*(_reduced(length) for length in size))


def _reduced(length: int) -> int:
    return length if length <= LARGEST_COUNTED else LARGEST_COUNTED - (-length) % _PERIOD


def count_traffic(
    kernel: Kernel, block: Dim3, size: Size, seconds: float = inf, architecture: Architecture = SM_80
) -> Traffic:
    """Run a launch in the simulator, for at most `seconds`, and count its traffic.

    Raises
    ------
    InputError
        For a kernel without a source, or without traffic in global memory, or whose launch takes longer.
    SourceError, LaunchError
        As `kernels.tracing.trace_kernel`.
    """
    if kernel.runs_on != "cuda":
        raise InputError(f"{kernel.title} has no CUDA source whose traffic could be counted")
    counter, end_s = LaunchCounter(), monotonic() + seconds
    options = Options(counter=counter, max_steps=_MOST_STEPS, cancelled=lambda: monotonic() > end_s)
    launch = f"{kernel.title}, {block}, n = {size}"
    late = InputError(f"the simulator needs more than {seconds:g} s for {launch}")
    try:
        trace = trace_kernel(kernel, size, block, options=options, architecture=architecture)
    except Cancelled:
        raise late from None
    if trace.stopped:
        raise late if monotonic() > end_s else InputError(f"the simulator stopped {launch}: {trace.stopped}")
    found = counter.result(trace)
    moved = SECTOR_BYTES * sum(array.sectors for array in found.counts.arrays if array.space == "global")
    if not moved:
        raise InputError(f"{kernel.title} does not access global memory")
    return Traffic(size, kernel.workload.flops(size), moved)


def ideal_intensity(kernel: Kernel, size: Size) -> float:
    """Return the FLOP per byte if every array crosses the memory bus once."""
    return kernel.workload.flops(size) / kernel.workload.least_bytes(size)
