"""Derivation: the formula of theoretical occupancy, step by step, beside its numbers.

The formula is that of courses and of cuda_occupancy.h: resident blocks are the smallest of what warp slots, registers,
shared memory and block slots allow, each rounded down; occupancy is their warps over the SM's warp slots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.launch import WARP_SIZE
from kernels.occupancy.calculate import SM_QUARTERS
from kernels.occupancy.waves import blocks_at_once, waves
from kernels.words import percent, plural

if TYPE_CHECKING:
    from kernels.occupancy.calculate import Kind, Limit, Occupancy


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the derivation."""

    name: str
    formula: str
    numbers: str
    """The formula with this launch's numbers."""
    result: str
    kind: Kind | None = None
    """The limit that the line computes, if any."""
    limits: bool = False
    """True if that limit is the smallest."""


def derivation(occupancy: Occupancy, grid_blocks: int | None = None) -> tuple[Step, ...]:
    """Return every step; with the number of blocks of a grid, its waves too."""
    o, device, warps = occupancy, occupancy.device, occupancy.warps_per_block
    by = {limit.kind: limit for limit in o.limits}
    steps = [
        Step(
            "Warps of a block",
            f"⌈threads ÷ {WARP_SIZE}⌉",
            f"⌈{o.block_threads:,} ÷ {WARP_SIZE}⌉",
            plural(warps, "warp"),
        ),
        _limit(o, "warps", "⌊warp slots ÷ warps of a block⌋", f"⌊{device.warps_per_sm} ÷ {warps}⌋"),
        *_registers(o, by["registers"]),
        *_shared(o, by["shared memory"]),
        _limit(o, "blocks", "block slots of an SM", f"{device.blocks_per_sm}"),
    ]
    if "barriers" in by:
        limit = by["barriers"]
        steps.append(_limit(o, "barriers", "⌊barriers of an SM ÷ of a block⌋", f"⌊{limit.per_sm} ÷ {limit.per_block}⌋"))
    known = [f"{limit.resident_blocks}" for limit in _in_order(o) if limit.resident_blocks is not None]
    steps += [
        Step(
            "Resident blocks", "the smallest of these", f"min({', '.join(known)})", plural(o.resident_blocks, "block")
        ),
        Step(
            "Occupancy",
            "blocks × warps of a block ÷ warp slots",
            f"{o.resident_blocks} × {warps} ÷ {device.warps_per_sm}",
            percent(o.fraction),
        ),
    ]
    if grid_blocks is not None:
        steps += _waves(o, grid_blocks)
    return tuple(steps)


def limit_in_numbers(occupancy: Occupancy, kind: Kind) -> str:
    """Return the steps of one limit as a sentence's part: "4 × ⌊16,384 ÷ 1,280⌋ = 48 warps, ⌊48 ÷ 9⌋ = 5 blocks"."""
    parts = {
        "registers": _registers,
        "shared memory": _shared,
    }
    limit = occupancy.limit(kind)
    steps = parts[kind](occupancy, limit) if kind in parts else [s for s in derivation(occupancy) if s.kind == kind]
    return ", ".join(f"{s.numbers} = {s.result}" if s.numbers != s.result.split()[0] else s.result for s in steps)


def _in_order(occupancy: Occupancy) -> list[Limit]:
    order: tuple[Kind, ...] = ("warps", "registers", "shared memory", "blocks", "barriers")
    return sorted(occupancy.limits, key=lambda limit: order.index(limit.kind))


def _limit(occupancy: Occupancy, kind: Kind, formula: str, numbers: str) -> Step:
    limit = occupancy.limit(kind)
    name = {
        "warps": "Warp slots allow",
        "registers": "Registers allow",
        "shared memory": "Shared memory allows",
        "blocks": "Block slots allow",
        "barriers": "Barriers allow",
    }[kind]
    blocks = limit.resident_blocks
    result = "no limit" if blocks is None else plural(blocks, "block")
    return Step(name, formula, numbers, result, kind, kind in occupancy.limiters)


def _registers(occupancy: Occupancy, limit: Limit) -> list[Step]:
    device, warps, each = occupancy.device, occupancy.warps_per_block, occupancy.resources.registers
    if limit.resident_blocks is None:
        return [_limit(occupancy, "registers", "", "a thread uses none")]
    per_warp, quarter = limit.per_block // warps, device.registers_per_sm // SM_QUARTERS
    fitting = quarter // per_warp * SM_QUARTERS
    unit = device.register_unit
    return [
        Step(
            "Registers of a warp",
            f"⌈registers × {WARP_SIZE}⌉ to a multiple of {unit}",
            f"⌈{each} × {WARP_SIZE}⌉ to {unit}",
            f"{per_warp:,} registers",
        ),
        Step(
            "Warps for which they suffice",
            f"{SM_QUARTERS} quarters × ⌊registers of a quarter ÷ of a warp⌋",
            f"{SM_QUARTERS} × ⌊{quarter:,} ÷ {per_warp:,}⌋",
            plural(fitting, "warp"),
        ),
        _limit(occupancy, "registers", "⌊those warps ÷ warps of a block⌋", f"⌊{fitting} ÷ {warps}⌋"),
    ]


def _shared(occupancy: Occupancy, limit: Limit) -> list[Step]:
    device = occupancy.device
    used = occupancy.resources.static_shared_bytes + occupancy.dynamic_shared_bytes
    if limit.resident_blocks is None:
        return [_limit(occupancy, "shared memory", "", "a block uses none")]
    reserved, unit = device.shared_reserved_bytes, device.shared_unit_bytes
    return [
        Step(
            "Shared memory of a block",
            f"⌈bytes + driver's reserve⌉ to a multiple of {unit}" if reserved else f"⌈bytes⌉ to a multiple of {unit}",
            f"⌈{used:,} + {reserved:,}⌉ to {unit}" if reserved else f"⌈{used:,}⌉ to {unit}",
            f"{limit.per_block:,} bytes",
        ),
        _limit(
            occupancy,
            "shared memory",
            "⌊bytes of an SM ÷ of a block⌋",
            f"⌊{device.shared_per_sm_bytes:,} ÷ {limit.per_block:,}⌋",
        ),
    ]


def _waves(occupancy: Occupancy, grid_blocks: int) -> list[Step]:
    device, at_once = occupancy.device, blocks_at_once(occupancy)
    return [
        Step(
            "Blocks at once",
            "resident blocks × SMs",
            f"{occupancy.resident_blocks} × {device.sm_count}",
            plural(at_once, "block"),
        ),
        Step(
            "Waves",
            "⌈blocks of the grid ÷ blocks at once⌉",
            f"⌈{grid_blocks:,} ÷ {at_once:,}⌉",
            plural(waves(occupancy, grid_blocks), "wave"),
        ),
    ]
