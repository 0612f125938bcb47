"""Let occupancy choose the side of a square block whose shared memory grows with its threads.

The rule is that of a GPU lab: the largest block among those that fill an SM best, rounded down to a power of 4, whose
square root is the side. Its first step is what cudaOccupancyMaxPotentialBlockSizeVariableSMem does: from the largest
block down, a warp less at a time, until the most resident threads are found (cuda_occupancy.h,
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
from kernels.occupancy.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.occupancy.calculate import Occupancy, Resources
    from kernels.occupancy.curve import GetResources
    from kernels.workload import Size


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What occupancy suggests.

    Attributes
    ----------
    threads, blocks_per_sm : int
        Largest block that fills an SM best, and how many of it an SM holds.
    rounded : int
        Its threads, rounded down to a power of 4.
    side : int
        The root of that: the block is side × side.
    lines : tuple of str
        The derivation in words, with the numbers.
    """

    threads: int
    blocks_per_sm: int
    rounded: int
    side: int
    lines: tuple[str, ...]

    @property
    def block(self) -> Dim3:
        """The block itself."""
        return Dim3(self.side, self.side)


def best_block(device: Device, resources: Resources, shared_bytes: Callable[[int], int]) -> Occupancy | None:
    """Return the largest block with the most resident threads; None where none can be resident.

    `shared_bytes` gives the dynamic shared memory of a block with so many threads.
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
        When the kernel's block is not chosen like that, or `get` finds no resources.
    LaunchError
        When no block of it fits on the device.
    UnavailableError, SourceError
        When `get` finds no resources.
    """
    if kernel.suggest != "square":
        raise InputError(f"{kernel.id} does not have its block chosen by occupancy: give one with --block")
    resources = get(kernel, size, kernel.block, device)
    found = best_block(device, resources, lambda threads: kernel.dynamic_shared_bytes(size, Dim3(threads)))
    if found is None:
        raise LaunchError(f"no block of {kernel.id} fits on {device.name}")
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


def _resident_threads(found: Occupancy) -> int:
    return found.resident_blocks * found.block_threads


def _words(found: Occupancy) -> str:
    return (
        f"{plural(found.resident_blocks, 'block')} on an SM, {_resident_threads(found):,} of "
        f"{found.device.threads_per_sm:,} threads, {percent(found.fraction)} occupancy"
    )
