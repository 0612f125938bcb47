"""Occupancy curve: the blocks that a kernel can be launched with, and the occupancy of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.errors import LaunchError, UnavailableError
from kernels.launch import WARP_SIZE, Dim3, Limits, check
from kernels.occupancy.calculate import Occupancy, occupancy, shared_limit_bytes
from kernels.occupancy.resources import resources_for
from kernels.occupancy.shipped import figures_key
from kernels.occupancy.what_if import AS_COMPILED
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.occupancy.calculate import Resources
    from kernels.occupancy.what_if import WhatIf

    GetResources = Callable[[Kernel, Size, Dim3, Device], Resources]


_MOST_THREADS: Final = Limits().threads_per_block
_WIDTHS_TO_KEEP: Final = (8, 16, 32)
"""Widths of the chosen block that the curve keeps: full rows of them give every multiple of a warp."""


@dataclass(frozen=True, slots=True)
class Point:
    """One block and its occupancy."""

    block: Dim3
    occupancy: Occupancy


def occupancy_of(
    kernel: Kernel,
    size: Size,
    block: Dim3,
    device: Device,
    get: GetResources = resources_for,
    what_if: WhatIf = AS_COMPILED,
) -> Occupancy:
    """Compute the occupancy of a kernel as it is launched with that size and block, with changes that are assumed.

    Raises
    ------
    LaunchError
        When the kernel or the device refuses the block, with what would work.
    InputError, UnavailableError, SourceError
        When `get` finds no resources.
    """
    launch = kernel.launch(size, block)
    check(replace(launch, dynamic_shared_bytes=0), device.limits)  # before anything is compiled
    compiled = get(kernel, size, block, device)
    resources, dynamic = what_if.apply(device, block.count, compiled, launch.dynamic_shared_bytes)
    most = shared_limit_bytes(device, dynamic)
    check(
        replace(launch, dynamic_shared_bytes=dynamic),
        replace(device.limits, shared_per_block_bytes=most),
        resources.static_shared_bytes,
    )
    return occupancy(device, resources, block.count, dynamic)


def curve(
    kernel: Kernel,
    size: Size,
    block: Dim3,
    device: Device,
    get: GetResources = resources_for,
    what_if: WhatIf = AS_COMPILED,
) -> tuple[Point, ...]:
    """Compute the occupancy of every candidate block that can be launched, by rising number of threads.

    Blocks without shipped numbers are left out.

    Raises
    ------
    InputError, SourceError
        When `get` finds no resources.
    """
    points = []
    for candidate in candidate_blocks(kernel, size, block):
        try:
            points.append(Point(candidate, occupancy_of(kernel, size, candidate, device, get, what_if)))
        except (LaunchError, UnavailableError):
            continue
    return tuple(points)


def candidate_blocks(kernel: Kernel, size: Size, block: Dim3) -> tuple[Dim3, ...]:
    """List the blocks of the curve, by rising number of threads.

    For a kernel that accepts only square blocks these are all squares up to 32×32, for any other the multiples of a
    warp, in rows as wide as the chosen block (or 32), and the chosen block itself.
    """
    rows = [b for b in _rows(kernel, block) if _launchable(kernel, size, b)]
    squares = [b for b in _squares() if _launchable(kernel, size, b)]
    found = set(rows) if any(b.x != b.y for b in rows) else {*rows, *squares}
    if _launchable(kernel, size, block) and block.count <= _MOST_THREADS:
        found.add(block)
    return tuple(sorted(found, key=lambda b: (b.count, b)))


def points_to_ship(kernel: Kernel) -> dict[str, tuple[Kernel, Size, Dim3]]:
    """Return a variant, a size and a block for each set of macros, by the table's key.

    The sizes are the one that the kernel opens with and those for the figures of a device.
    """
    found: dict[str, tuple[Kernel, Size, Dim3]] = {}
    for size in (kernel.size, *kernel.workload.large):
        for variant in kernel.variants():
            for block in blocks_to_ship(kernel):
                found.setdefault(figures_key(variant.defines(size, block)), (variant, size, block))
    return found


def blocks_to_ship(kernel: Kernel) -> tuple[Dim3, ...]:
    """List every block that a curve of the kernel may have, for any size."""
    widths = [*(Dim3(w, 1) for w in _WIDTHS_TO_KEEP), kernel.block, *kernel.blocks]
    found = {b for chosen in widths for b in candidate_blocks(kernel, kernel.size, chosen)}
    found |= {b for b in _squares() if _launchable(kernel, Size(b.x, b.x, b.x), b)}
    return tuple(sorted(found, key=lambda b: (b.count, b)))


def _rows(kernel: Kernel, block: Dim3) -> list[Dim3]:
    multiples = range(WARP_SIZE, _MOST_THREADS + 1, WARP_SIZE)
    if len(kernel.grid) == 1:
        return [Dim3(threads) for threads in multiples]
    width = block.x if block.x in _WIDTHS_TO_KEEP else WARP_SIZE
    return [Dim3(width, threads // width) for threads in multiples]


def _squares() -> list[Dim3]:
    return [Dim3(width, width) for width in range(1, 33)]


def _launchable(kernel: Kernel, size: Size, block: Dim3) -> bool:
    try:
        kernel.launch(size, block)
    except LaunchError:
        return False
    return True


# --- Sweeps: the occupancy of one block against registers per thread, and against shared memory per block


@dataclass(frozen=True, slots=True)
class Plateau:
    """Neighbouring values with equal resident blocks and limiters."""

    first: int
    last: int
    """The largest value, which wastes least."""
    occupancy: Occupancy
    """That of the largest value."""


def register_plateaus(current: Occupancy) -> tuple[Plateau, ...]:
    """Return the plateaus of registers per thread, from 1 up to what the device allows for this block."""
    device = current.device
    step, most = device.register_unit // WARP_SIZE, device.registers_per_thread  # allocated to a warp in units
    values = sorted({*range(step, most, step), most})
    return _plateaus(1, ((registers, _with_registers(current, registers)) for registers in values))


def shared_plateaus(current: Occupancy) -> tuple[Plateau, ...]:
    """Return the plateaus of shared memory per block in bytes, from 0 up to the device's limit with opting in."""
    device = current.device
    unit, most = device.shared_unit_bytes, device.shared_per_block_optin_bytes
    # The largest size with which each number of blocks fits; further blocks have no slot.
    sizes = {
        device.shared_per_sm_bytes // blocks // unit * unit - device.shared_reserved_bytes
        for blocks in range(1, device.blocks_per_sm + 2)
    }
    values = sorted({*(size for size in sizes if 0 <= size < most), most})
    return _plateaus(0, ((size, _with_shared(current, size)) for size in values))


def _with_registers(current: Occupancy, registers: int) -> Occupancy | None:
    resources = replace(current.resources, registers=registers)
    try:
        return occupancy(current.device, resources, current.block_threads, current.dynamic_shared_bytes)
    except LaunchError:
        return None


def _with_shared(current: Occupancy, size: int) -> Occupancy | None:
    resources = replace(current.resources, static_shared_bytes=0)
    try:
        return occupancy(current.device, resources, current.block_threads, size)
    except LaunchError:
        return None


def _plateaus(first: int, points: Iterable[tuple[int, Occupancy | None]]) -> tuple[Plateau, ...]:
    """Join neighbours, each of which ends a range of equal values; None is a value that the device refuses."""
    found: list[Plateau] = []
    for value, here in points:
        if here is None:
            continue
        before = found[-1] if found else None
        if before is not None and _key(before.occupancy) == _key(here):
            found[-1] = Plateau(before.first, value, here)
        else:
            found.append(Plateau(before.last + 1 if before else first, value, here))
    return tuple(found)


def _key(occupancy: Occupancy) -> tuple[object, ...]:
    return occupancy.resident_blocks, occupancy.limiters
