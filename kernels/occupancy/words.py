"""Sentences about an `Occupancy`: the limits and their remedies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.launch import WARP_SIZE
from kernels.occupancy.calculate import SM_QUARTERS, occupancy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.occupancy.calculate import Kind, Occupancy

_SUBJECT: Final[dict[Kind, str]] = {
    "registers": "registers",
    "shared memory": "shared memory",
    "warps": "warp slots",
    "blocks": "the number of blocks",
}


def limiter_name(occupancy: Occupancy) -> str:
    """Name the limiting resources, such as "registers and warp slots"."""
    return join([_SUBJECT[kind] for kind in occupancy.limiters])


def sentence(occupancy: Occupancy) -> str:
    """Explain the limit of residency with the numbers."""
    result = f"{plural(occupancy.resident_blocks, 'block')} ({_share(occupancy)})"
    if occupancy.full:
        return f"The SM is full: {result} {'takes' if occupancy.resident_blocks == 1 else 'take'} every warp slot."
    # "Registers limit", but "shared memory limits".
    limits = "limit" if len(occupancy.limiters) > 1 or occupancy.limiters[0] in ("registers", "warps") else "limits"
    reasons = join([_reason(occupancy, kind) for kind in occupancy.limiters])
    verb = "fits" if occupancy.resident_blocks == 1 else "fit"
    return f"{_capital(limiter_name(occupancy))} {limits} residency: {reasons}, so {result} {verb}."


def remedy(occupancy: Occupancy) -> str:
    """Suggest how more blocks or warps could be resident."""
    if occupancy.full:
        return "Nothing to lift: no SM of this device holds more warps."
    kinds: tuple[Kind, ...] = occupancy.limiters
    if "warps" in kinds:
        # No second block of this size can fit. A smaller block also needs fewer of the other resources.
        kinds = tuple(k for k in kinds if k == "warps" or (k == "registers" and not _spare_registers(occupancy)))
    return f"To lift it: {join([_step(occupancy, kind) for kind in kinds])}."


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


def join(parts: Sequence[str]) -> str:
    """Join with commas and a last "and"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def plural(count: int, noun: str) -> str:
    """Count a noun: 1 block, 6 blocks."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def percent(fraction: float) -> str:
    """Write a fraction as a percentage of three digits: 75 %, 62.5 %, 33.3 %."""
    return f"{100 * fraction:.3g} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    return (
        f"the SM holds {limit.per_sm} blocks at most, and a block has only {plural(occupancy.warps_per_block, 'warp')}"
    )


def _step(occupancy: Occupancy, kind: Kind) -> str:
    device, more = occupancy.device, occupancy.resident_blocks + 1
    if kind == "registers":
        return _fewer_registers(occupancy)
    if kind == "shared memory":
        unit = device.shared_unit_bytes
        most = device.shared_per_sm_bytes // more // unit * unit - device.shared_reserved_bytes
        now = occupancy.resources.static_shared_bytes + occupancy.dynamic_shared_bytes
        if most < 0:
            return "larger blocks (the driver's reserve alone fills the SM)"
        return f"at most {most:,} bytes of shared memory a block (now {now:,}) for {plural(more, 'block')}"
    if kind == "warps":
        # The largest smaller block of which whole blocks fill all slots.
        warps = max(w for w in range(1, occupancy.warps_per_block) if device.warps_per_sm % w == 0)
        return (
            f"a block whose number of warps divides {device.warps_per_sm}, such as {warps} "
            f"({warps * WARP_SIZE} threads)"
        )
    enough = -(-device.warps_per_sm // device.blocks_per_sm) * WARP_SIZE
    return f"larger blocks, from {enough} threads"


def _fewer_registers(current: Occupancy) -> str:
    """Suggest the largest number of registers per thread with which one more block would fit."""
    device, more = current.device, current.resident_blocks + 1
    warps_per_quarter = -(-more * current.warps_per_block // SM_QUARTERS)
    per_warp = device.registers_per_sm // SM_QUARTERS // warps_per_quarter
    most = per_warp // device.register_unit * device.register_unit // WARP_SIZE
    step = f"at most {most} registers a thread (now {current.resources.registers})"
    eased = occupancy(
        device, replace(current.resources, registers=most), current.block_threads, current.dynamic_shared_bytes
    )
    if eased.resident_blocks > current.resident_blocks:
        step += f" for {plural(eased.resident_blocks, 'block')}"
    return f"{step}, or smaller blocks" if _spare_registers(current) else step


def _spare_registers(occupancy: Occupancy) -> bool:
    """Return whether the registers are enough for more warps, in smaller blocks."""
    per_warp = occupancy.limit("registers").per_block // occupancy.warps_per_block
    quarter = occupancy.device.registers_per_sm // SM_QUARTERS
    return quarter // per_warp * SM_QUARTERS > occupancy.resident_warps
