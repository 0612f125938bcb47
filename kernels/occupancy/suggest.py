"""Suggestion of a block by occupancy, for square blocks whose shared memory grows with their threads.

The rule comes from a GPU lab: take the largest block with the highest occupancy, and round its threads down to a power
of 4, whose square root is the side. The first step does what cudaOccupancyMaxPotentialBlockSizeVariableSMem does: from
the largest block down, one warp less at a time, until the most resident threads are found (cuda_occupancy.h,
cudaOccMaxPotentialOccupancyBlockSize).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from kernels.errors import InputError, LaunchError
from kernels.launch import WARP_SIZE, Dim3, Limits
from kernels.occupancy.calculate import occupancy
from kernels.occupancy.resources import resources_for
from kernels.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.occupancy.calculate import Occupancy, Resources
    from kernels.occupancy.curve import GetResources
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The suggested block and its derivation."""

    threads: int
    """Threads of the largest block with the highest occupancy."""
    blocks_per_sm: int
    """Resident blocks of that size."""
    rounded: int
    """Threads, rounded down to a power of 4."""
    side: int
    """The square root of that: the block is side × side."""
    lines: tuple[str, ...]
    """The derivation in words, with the numbers."""

    @property
    def block(self) -> Dim3:
        """The suggested block."""
        return Dim3(self.side, self.side)


def best_block(device: Device, resources: Resources, shared_bytes: Callable[[int], int]) -> Occupancy | None:
    """Return the largest block with the most resident threads; None where no block can be resident.

    `shared_bytes` returns the dynamic shared memory of a block from its number of threads.
    """
    best: Occupancy | None = None
    for threads in range(Limits().threads_per_block, 0, -WARP_SIZE):
        try:
            found = occupancy(device, resources, threads, shared_bytes(threads))
        except LaunchError:
            continue
        if best is None or _resident_threads(found) > _resident_threads(best):
            best = found
        if _resident_threads(best) == device.threads_per_sm:
            break
    return best


def suggest(kernel: Kernel, size: Size, device: Device, get: GetResources = resources_for) -> Suggestion:
    """Choose the side of a kernel's block on a device.

    Raises
    ------
    InputError
        When the kernel has no such rule for its block, or `get` finds no resources.
    LaunchError
        When no block fits on the device.
    UnavailableError, SourceError
        When `get` finds no resources.
    """
    if kernel.suggest != "square":
        raise InputError(f"{kernel.id} does not have its block chosen by occupancy: give one with --block")
    resources = get(kernel, size, kernel.block, device)
    found = best_block(device, resources, lambda threads: kernel.dynamic_shared_bytes(size, Dim3(threads)))
    if found is None:
        why = f"fits on {device.name}"
        raise LaunchError(f"no block of {kernel.id} {why}", f"no block of “{kernel.title}” {why}")
    rounded = 4 ** ((found.block_threads.bit_length() - 1) // 2)  # 4^floor(log4 T)
    side = isqrt(rounded)
    chosen = occupancy(device, resources, rounded, kernel.dynamic_shared_bytes(size, Dim3(side, side)))
    lines = (
        f"{kernel.id} on {device.name}: {plural(resources.registers, 'register')} a thread and "
        f"{plural(found.dynamic_shared_bytes, 'byte')} of dynamic shared memory for "
        f"{plural(found.block_threads, 'thread')} ({resources.origin})",
        f"From {Limits().threads_per_block:,} threads down, a warp at a time, the first block that keeps most "
        f"threads resident has {found.block_threads:,}: {_words(found)}",
        f"Rounded down to a power of 4: 4^floor(log4 {found.block_threads}) = {rounded}",
        f"Its square root is the side: the block is {side}×{side}",
        f"With {rounded} threads: {_words(chosen)}",
    )
    return Suggestion(found.block_threads, found.resident_blocks, rounded, side, lines)


def _resident_threads(occupancy: Occupancy) -> int:
    return occupancy.resident_blocks * occupancy.block_threads


def _words(occupancy: Occupancy) -> str:
    return (
        f"{plural(occupancy.resident_blocks, 'block')} on an SM, {_resident_threads(occupancy):,} of "
        f"{occupancy.device.threads_per_sm:,} threads, {percent(occupancy.fraction)} occupancy"
    )
