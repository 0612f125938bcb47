"""Waves: rounds in which a device executes the blocks of a grid.

A device holds a number of blocks at once, its SMs times the resident blocks of each. Blocks of a larger grid wait: they
run in ceil(blocks / blocks at once) waves, the last one possibly partial (CUDA C++ Best Practices Guide, "Thread and
Block Heuristics").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.words import percent, plural

if TYPE_CHECKING:
    from kernels.occupancy.calculate import Occupancy


def blocks_at_once(occupancy: Occupancy) -> int:
    """Return the number of blocks that the whole device holds."""
    return occupancy.resident_blocks * occupancy.device.sm_count


def waves(occupancy: Occupancy, blocks: int) -> int:
    """Return the number of waves of a grid."""
    return -(-blocks // blocks_at_once(occupancy))


def waves_words(occupancy: Occupancy, blocks: int) -> str:
    """Count the waves of a grid: "2 waves on T4"."""
    return f"{plural(waves(occupancy, blocks), 'wave')} on {occupancy.device.name}"


def waves_details(occupancy: Occupancy, blocks: int) -> str:
    """Explain the number of waves."""
    count, at_once = waves(occupancy, blocks), blocks_at_once(occupancy)
    last = blocks - (count - 1) * at_once
    partial = f", the last of {plural(last, 'block')}" if count > 1 and last < at_once else ""
    waiting = ": blocks beyond those at once wait until others have ended" if count > 1 else ""
    return (
        f"{occupancy.device.name} has {plural(occupancy.device.sm_count, 'SM')} with {occupancy.resident_blocks} of "
        f"these blocks on each: {at_once:,}. {plural(blocks, 'block')} run in {plural(count, 'wave')}"
        f"{partial}{waiting}."
    )


def tail_words(occupancy: Occupancy, blocks: int) -> str:
    """Say what a partial last wave costs if every block takes the same time."""
    count, at_once = waves(occupancy, blocks), blocks_at_once(occupancy)
    last = blocks - (count - 1) * at_once
    if last == at_once:
        return "The last wave is full: no SM waits for others at the end, if all blocks take the same time."
    if count == 1:
        return f"The only wave fills {percent(last / at_once)} of the device's block slots."
    return (
        f"The last wave fills {percent(last / at_once)} of the device. If all blocks take the same time, the launch "
        f"lasts {plural(count, 'wave')} for the work of {blocks / at_once:.2f}: "
        f"{percent(1 - blocks / at_once / count)} of the slots stay empty."
    )
