"""Theoretical occupancy: resident blocks per SM, computed as NVIDIA's `cuda_occupancy.h` does.

Four resources limit the number of resident blocks on an SM, and barriers do where a block uses more than one; the
smallest limit counts. Their names are Nsight Compute's. As there, shared memory is assumed to have its largest share of
the L1 cache. For example, blocks of 256 threads with 40 registers each take 8 warps × 1,280 registers: 65,536 registers
are enough for 6 blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from kernels.errors import LaunchError
from kernels.launch import WARP_SIZE, Dim3, Launch, check

if TYPE_CHECKING:
    from kernels.device import Device

Kind = Literal["registers", "shared memory", "warps", "blocks", "barriers"]

SM_QUARTERS: Final = 4
"""Sub-partitions of an SM, each with its own registers (cuda_occupancy.h, capability 7.0 and newer)."""


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources of a compiled kernel."""

    registers: int
    """Per thread."""
    static_shared_bytes: int
    """Per block."""
    spill_bytes: int
    """Per thread."""
    origin: str
    """Compiler and architecture, in words."""
    barriers: int = 0
    """Per block: the highest number of a barrier (`bar.sync`) plus one; 0 where only `__syncthreads()`, number 0, is
    used."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of one resource."""

    kind: Kind
    per_block: int
    """Registers, bytes, warps, blocks or barriers allocated for one block."""
    per_sm: int
    """Registers, bytes, warps, blocks or barriers of an SM."""
    resident_blocks: int | None
    """Number of blocks that the resource allows; None if a block uses none of it."""

    @property
    def title(self) -> str:
        """Nsight Compute's name of the limit."""
        return {
            "registers": "Block Limit Registers",
            "shared memory": "Block Limit Shared Mem",
            "warps": "Block Limit Warps",
            "blocks": "Block Limit SM",
            "barriers": "Block Limit Barriers",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The limits of one launch on one device, and the occupancy that follows from them."""

    device: Device
    resources: Resources
    block_threads: int
    dynamic_shared_bytes: int
    limits: tuple[Limit, ...]

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the last one possibly partial."""
        return _warps(self.block_threads)

    @property
    def resident_blocks(self) -> int:
        """Resident blocks of an SM."""
        return min(limit.resident_blocks for limit in self.limits if limit.resident_blocks is not None)

    @property
    def resident_warps(self) -> int:
        """Resident warps of an SM."""
        return self.resident_blocks * self.warps_per_block

    @property
    def fraction(self) -> float:
        """Theoretical occupancy: resident warps over the SM's warp slots."""
        return self.resident_warps / self.device.warps_per_sm

    @property
    def limiters(self) -> tuple[Kind, ...]:
        """The resources with the fewest blocks: one, or several with an equal limit."""
        return tuple(limit.kind for limit in self.limits if limit.resident_blocks == self.resident_blocks)

    @property
    def full(self) -> bool:
        """Return whether every warp slot is taken."""
        return self.resident_warps == self.device.warps_per_sm

    def limit(self, kind: Kind) -> Limit:
        """Return the limit of that kind."""
        return next(limit for limit in self.limits if limit.kind == kind)


def occupancy(device: Device, resources: Resources, block_threads: int, dynamic_shared_bytes: int = 0) -> Occupancy:
    """Compute the occupancy of blocks of `block_threads` threads on a device.

    Dynamic shared memory beyond 48 KiB per block is assumed to be enabled (cudaFuncSetAttribute).

    Raises
    ------
    LaunchError
        When the device refuses such a block: too many threads, registers or bytes of shared memory.
    """
    limits = replace(device.limits, shared_per_block_bytes=shared_limit_bytes(device, dynamic_shared_bytes))
    check(Launch(Dim3(), Dim3(block_threads), dynamic_shared_bytes), limits, resources.static_shared_bytes)
    return Occupancy(
        device,
        resources,
        block_threads,
        dynamic_shared_bytes,
        (
            _by_registers(device, resources.registers, block_threads),
            _by_shared_memory(device, resources.static_shared_bytes + dynamic_shared_bytes),
            _by_warps(device, block_threads),
            Limit("blocks", 1, device.blocks_per_sm, device.blocks_per_sm),
            *_by_barriers(device, resources.barriers),
        ),
    )


def shared_limit_bytes(device: Device, dynamic_shared_bytes: int) -> int:
    """Return the maximum shared memory of a block: only dynamic shared memory may exceed 48 KiB."""
    return device.shared_per_block_optin_bytes if dynamic_shared_bytes else device.shared_per_block_bytes


def most_registers(device: Device, block_threads: int, blocks: int) -> int:
    """Return the most registers per thread with which an SM has enough for that many blocks."""
    warps_per_quarter = -(-blocks * _warps(block_threads) // SM_QUARTERS)
    per_warp = device.registers_per_sm // SM_QUARTERS // warps_per_quarter
    return min(per_warp // device.register_unit * device.register_unit // WARP_SIZE, device.registers_per_thread)


def _warps(threads: int) -> int:
    return -(-threads // WARP_SIZE)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _by_registers(device: Device, registers: int, threads: int) -> Limit:
    """Compute the limit by registers, which are allocated to whole warps in units, in one quarter of the SM."""
    warps = _warps(threads)
    per_warp = _round_up(registers * WARP_SIZE, device.register_unit)
    # The hardware's check assumes that registers are allocated in all quarters at once, so the number of warps is
    # rounded up to a multiple of four (cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit).
    needed = per_warp * _round_up(warps, SM_QUARTERS)
    if registers > device.registers_per_thread or needed > device.registers_per_block:
        most = device.registers_per_block // per_warp // SM_QUARTERS * SM_QUARTERS * WARP_SIZE
        raise LaunchError(
            f"a block of {threads:,} threads with {registers} registers each needs {needed:,} registers, "
            f"the device allows {device.registers_per_block:,} a block: choose at most {most:,} threads"
        )
    resident = None
    if per_warp:
        # Each quarter has its own registers: 65,536 / 4 = 16,384 hold 12 warps of 1,280 registers, not 12.8.
        resident = device.registers_per_sm // SM_QUARTERS // per_warp * SM_QUARTERS // warps
    return Limit("registers", per_warp * warps, device.registers_per_sm, resident)


def _by_shared_memory(device: Device, block_bytes: int) -> Limit:
    """Compute the limit by shared memory, allocated in units; from sm_80 on the driver reserves some in every block."""
    allocated = _round_up(block_bytes + device.shared_reserved_bytes, device.shared_unit_bytes)
    resident = device.shared_per_sm_bytes // allocated if allocated else None
    return Limit("shared memory", allocated, device.shared_per_sm_bytes, resident)


def _by_warps(device: Device, threads: int) -> Limit:
    warps = _warps(threads)
    return Limit("warps", warps, device.warps_per_sm, device.warps_per_sm // warps)


def _by_barriers(device: Device, barriers: int) -> tuple[Limit, ...]:
    """Compute the limit by barriers, if there is one: an SM has at least one barrier for each block slot."""
    if not barriers or not device.barriers_per_sm:
        return ()
    return (Limit("barriers", barriers, device.barriers_per_sm, device.barriers_per_sm // barriers),)
