"""Advice for a higher occupancy: the best block of the kernel's own chart, fewer registers, less shared memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.occupancy.calculate import most_registers, occupancy
from kernels.words import percent, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.occupancy.calculate import Kind, Occupancy
    from kernels.occupancy.curve import Point


def best_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points of a chart with the most resident warps, by rising number of threads."""
    most = max((point.occupancy.resident_warps for point in points), default=0)
    return tuple(point for point in points if point.occupancy.resident_warps == most)


def advise(occupancy: Occupancy, points: Sequence[Point]) -> str:
    """Say what would keep more warps resident; `points` are the launches of the kernel's chart."""
    if occupancy.full:
        return "Nothing to lift: no SM of this device holds more warps."
    ways = [_resource(occupancy, kind) for kind in occupancy.limiters]
    best = [point for point in best_points(points) if point.occupancy.resident_warps > occupancy.resident_warps]
    if best:
        ways = [_block(best), *ways]
    ways = [way for way in ways if way]
    told = f"To lift it: {'; or '.join(ways)}." if ways else ""
    if best or not points:
        return told
    return f"No other block of this kernel keeps more warps resident. {told}".strip()


def _block(best: Sequence[Point]) -> str:
    """Name the smallest of the best blocks."""
    first, others = best[0], len(best) - 1
    found = first.occupancy
    more = f", or one of {plural(others, 'larger block')} of the chart" if others > 1 else ""
    more = f", or {best[1].block}" if others == 1 else more
    return (
        f"block {first.block}{more}: {found.resident_warps} of {found.device.warps_per_sm} warps, "
        f"{percent(found.fraction)}"
    )


def _resource(current: Occupancy, kind: Kind) -> str:
    """Return how much less of a resource one more block needs; "" where a block's size alone decides."""
    if kind == "registers":
        return _fewer_registers(current)
    if kind == "barriers":
        more = current.resident_blocks + 1
        most = current.device.barriers_per_sm // more
        return f"at most {plural(most, 'barrier')} a block (now {current.resources.barriers}) for {more} blocks" * (
            most > 0
        )
    if kind != "shared memory":
        return ""
    device, more = current.device, current.resident_blocks + 1
    unit = device.shared_unit_bytes
    most = device.shared_per_sm_bytes // more // unit * unit - device.shared_reserved_bytes
    now = current.resources.static_shared_bytes + current.dynamic_shared_bytes
    # Where the driver's reserve alone fills the SM, no size of shared memory helps.
    return f"at most {most:,} bytes of shared memory a block (now {now:,}) for {plural(more, 'block')}" * (most >= 0)


def _fewer_registers(current: Occupancy) -> str:
    """Return the largest number of registers per thread with which one more block would fit."""
    device = current.device
    most = most_registers(device, current.block_threads, current.resident_blocks + 1)
    step = f"at most {most} registers a thread (now {current.resources.registers})"
    eased = occupancy(
        device, replace(current.resources, registers=most), current.block_threads, current.dynamic_shared_bytes
    )
    if eased.resident_blocks > current.resident_blocks:
        step += f" for {plural(eased.resident_blocks, 'block')}"
    return step
