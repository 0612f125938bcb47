"""Sweeps: the occupancy of one block against registers per thread, and against shared memory per block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kernels.errors import LaunchError
from kernels.launch import WARP_SIZE
from kernels.occupancy.calculate import occupancy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.occupancy.calculate import Occupancy


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
