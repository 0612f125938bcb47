"""Sentences about an `Occupancy`: its limits, and what a block takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.launch import WARP_SIZE
from kernels.occupancy.calculate import SM_QUARTERS
from kernels.words import capital, join, percent, plural

if TYPE_CHECKING:
    from kernels.occupancy.calculate import Kind, Occupancy

LIMITS: Final[dict[Kind, str]] = {
    "registers": "registers",
    "shared memory": "shared memory",
    "warps": "warp slots",
    "blocks": "block slots",
    "barriers": "barriers",
}
"""Names of the limits, the same in charts, bars, formula and sentences."""

NOT_LIMITED: Final = "not limited (full)"
"""Name of a full SM in a chart."""


def limiter_name(occupancy: Occupancy) -> str:
    """Name the limiting resources, such as "registers and warp slots"."""
    return join([LIMITS[kind] for kind in occupancy.limiters])


def sentence(occupancy: Occupancy) -> str:
    """Explain the limit of residency with the numbers."""
    result = f"{plural(occupancy.resident_blocks, 'block')} ({_share(occupancy)})"
    if occupancy.full:
        return f"The SM is full: {result} {'takes' if occupancy.resident_blocks == 1 else 'take'} every warp slot."
    # "Registers limit", but "shared memory limits".
    limits = "limit" if len(occupancy.limiters) > 1 or occupancy.limiters[0] != "shared memory" else "limits"
    reasons = join([_reason(occupancy, kind) for kind in occupancy.limiters])
    verb = "fits" if occupancy.resident_blocks == 1 else "fit"
    return f"{capital(limiter_name(occupancy))} {limits} residency: {reasons}, so {result} {verb}."


def idle_lanes(occupancy: Occupancy) -> str:
    """Say that the last warp of every block is partial; "" when it is full."""
    active = occupancy.block_threads % WARP_SIZE
    if not active:
        return ""
    return (
        f"{plural(occupancy.block_threads, 'thread')} a block: {WARP_SIZE - active} of the {WARP_SIZE} lanes of "
        "its last warp stay idle."
    )


def resources(occupancy: Occupancy) -> str:
    """List the kernel's registers, shared memory and spills."""
    needs = occupancy.resources
    text = f"{plural(needs.registers, 'register')} a thread"
    shared = needs.static_shared_bytes + occupancy.dynamic_shared_bytes
    reserved = occupancy.device.shared_reserved_bytes
    text += f", {shared:,} bytes of shared memory a block" if shared else ", no shared memory"
    text += f" (and {reserved:,} for the driver)" if reserved else ""
    if needs.spill_bytes:
        text += f", {needs.spill_bytes:,} bytes of registers spilled to memory a thread"
    return text


def _share(occupancy: Occupancy) -> str:
    return f"{occupancy.resident_warps} of {occupancy.device.warps_per_sm} warps, {percent(occupancy.fraction)}"


def _reason(occupancy: Occupancy, kind: Kind) -> str:
    limit, device = occupancy.limit(kind), occupancy.device
    if kind == "registers":
        text = f"each block needs {limit.per_block:,} of the SM's {limit.per_sm:,} registers"
        if limit.per_sm // limit.per_block != limit.resident_blocks:
            quarter = limit.per_sm // SM_QUARTERS
            whole = quarter // (limit.per_block // occupancy.warps_per_block)
            text += f" (in each quarter of the SM {quarter:,}, enough for {whole} whole warps)"
        return text
    if kind == "shared memory":
        text = f"each block takes {limit.per_block:,} of the SM's {limit.per_sm:,} bytes of shared memory"
        if device.shared_reserved_bytes:
            text += f" ({device.shared_reserved_bytes:,} of them for the driver)"
        return text
    if kind == "warps":
        return f"each block takes {limit.per_block} of the SM's {limit.per_sm} warp slots"
    if kind == "barriers":
        return f"each block takes {limit.per_block} of the SM's {limit.per_sm} barriers (0 … {limit.per_block - 1})"
    return (
        f"the SM holds {limit.per_sm} blocks at most, and a block has only {plural(occupancy.warps_per_block, 'warp')}"
    )
