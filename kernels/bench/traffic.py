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
from typing import TYPE_CHECKING, Final

from kernels.analysis import LaunchCounter
from kernels.cancellation import Cancelled
from kernels.errors import InputError
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.workload import Size

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.launch import Dim3

SECTOR_BYTES: Final = 32

LARGEST_COUNTED: Final = 512
"""Lengths of a problem that is counted; at 512 the tiles at the edges are a few percent of the traffic."""

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


@lru_cache(maxsize=16384)
def counted_size(size: Size) -> Size:
    """Return the problem at which the traffic of a size is counted: itself, or a smaller one with equal remainders."""
    return Size(*(_reduced(length) for length in size))


def _reduced(length: int) -> int:
    return length if length <= LARGEST_COUNTED else LARGEST_COUNTED - (-length) % _PERIOD


def count_traffic(kernel: Kernel, block: Dim3, size: Size, seconds: float = inf) -> Traffic:
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
    options = Options(counter=counter, cancelled=lambda: monotonic() > end_s)
    late = InputError(f"the simulator needs more than {seconds:g} s for {kernel.title}, {block}, n = {size}")
    try:
        trace = trace_kernel(kernel, size, block, options=options)
    except Cancelled:
        raise late from None
    if trace.stopped:
        raise late
    found = counter.result(trace)
    moved = SECTOR_BYTES * sum(array.sectors for array in found.counts.arrays if array.space == "global")
    if not moved:
        raise InputError(f"{kernel.title} does not access global memory")
    return Traffic(size, kernel.workload.flops(size), moved)


def ideal_intensity(kernel: Kernel, size: Size) -> float:
    """Return the FLOP per byte if every array crosses the memory bus once."""
    return kernel.workload.flops(size) / kernel.workload.least_bytes(size)
