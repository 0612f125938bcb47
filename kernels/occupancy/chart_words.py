"""Sentences about the steps of occupancy charts: the limit in numbers, and the step from the mark before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.occupancy.calculate import SM_QUARTERS
from kernels.occupancy.derivation import limit_in_numbers
from kernels.occupancy.words import idle_lanes, limiter_name
from kernels.words import percent, plural

if TYPE_CHECKING:
    from kernels.occupancy.calculate import Occupancy
    from kernels.occupancy.curve import Plateau, Point


def block_words(point: Point, before: Point | None) -> str:
    """Explain a mark of the chart against block size, line by line; `before` is the next smaller block."""
    o = point.occupancy
    lines = [
        f"{point.block}: {plural(o.block_threads, 'thread')} are {plural(o.warps_per_block, 'warp')}. {_result(o)}",
        _limits(o),
        _unused(o),
    ]
    if before is not None and before.occupancy.resident_blocks != o.resident_blocks:
        b = before.occupancy
        lines.append(
            f"Before it, {before.block}: {plural(b.resident_blocks, 'block')} of "
            f"{plural(b.warps_per_block, 'warp')}, {percent(b.fraction)}."
        )
    return "\n".join(line for line in (*lines, idle_lanes(o)) if line)


def register_words(plateau: Plateau, last: bool) -> str:
    """Explain a plateau of the chart against registers; `last` if the device refuses more registers."""
    o = plateau.occupancy
    lines = [f"{_range(plateau)} registers a thread: {_result(o)}", _limits(o), _unused(o)]
    if last and plateau.last < o.device.registers_per_thread:
        warps, rounded = o.warps_per_block, -(-o.warps_per_block // SM_QUARTERS) * SM_QUARTERS
        allocated = f", allocated as {rounded}, the same number in each quarter of the SM," if rounded > warps else ""
        lines.append(
            f"With more, the device refuses the block: its {plural(warps, 'warp')}{allocated} would need more than "
            f"{o.device.registers_per_block:,} registers."
        )
    return "\n".join(line for line in lines if line)


def shared_words(plateau: Plateau) -> str:
    """Explain a plateau of the chart against shared memory."""
    o = plateau.occupancy
    lines = [f"{_range(plateau)} bytes of shared memory a block: {_result(o)}", _limits(o)]
    reserved = o.device.shared_reserved_bytes
    if reserved:
        lines.append(f"The driver adds {reserved:,} bytes to every block.")
    return "\n".join(line for line in lines if line)


def _range(plateau: Plateau) -> str:
    return f"{plateau.last:,}" if plateau.first == plateau.last else f"{plateau.first:,} to {plateau.last:,}"


def _result(o: Occupancy) -> str:
    return (
        f"{plural(o.resident_blocks, 'block')} resident, {o.resident_warps} of {o.device.warps_per_sm} warps, "
        f"{percent(o.fraction)}."
    )


def _limits(o: Occupancy) -> str:
    """Name the limit, with its numbers."""
    if o.full:
        return "Not limited: the SM is full."
    numbers = "; ".join(limit_in_numbers(o, kind) for kind in o.limiters)
    return f"Limited by {limiter_name(o)}: {numbers}."


def _unused(o: Occupancy) -> str:
    """Say which warps stay unused because only whole blocks are resident; "" where registers do not limit."""
    if "registers" not in o.limiters:
        return ""
    per_warp = o.limit("registers").per_block // o.warps_per_block
    fitting = o.device.registers_per_sm // SM_QUARTERS // per_warp * SM_QUARTERS
    left = fitting - o.resident_warps
    if left <= 0 or o.resident_warps == o.device.warps_per_sm:
        return ""
    return f"Registers suffice for {plural(left, 'more warp')}, but only whole blocks are resident."
