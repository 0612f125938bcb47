"""Sentences about a `BlockTimeline`: what was recorded, the occupancy achieved, the tail, the cost of the timers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.words import percent, plural

if TYPE_CHECKING:
    from kernels.occupancy.block_timeline import BlockTimeline


def launch_words(timeline: BlockTimeline) -> str:
    """Name the launch and the GPU: "Shared-memory tiles, n = 1024, block 16×16, NVIDIA H200"."""
    m = timeline.measured
    size = f"n = {m.size.n}" if m.size.m == m.size.n == m.size.k else f"size {m.size}"
    return f"{m.title}, {size}, block {m.block}, {m.gpu}"


def achieved_words(timeline: BlockTimeline) -> str:
    """Compare the occupancy achieved with the theoretical one."""
    m = timeline.measured
    return (
        f"Achieved occupancy {percent(timeline.achieved)} of {percent(m.theoretical)} theoretical: while an SM had a "
        f"block, {timeline.achieved * m.warps_per_sm:.1f} of its {m.warps_per_sm} warp slots were taken on average. "
        f"Over the whole launch, with all {plural(m.sm_count, 'SM')}, {percent(timeline.achieved_overall)}."
    )


def tail_words(timeline: BlockTimeline) -> str:
    """Say when the last block began, and how long the launch went on without new blocks."""
    total, tail = timeline.duration_ns, timeline.duration_ns - timeline.last_start_ns
    begun = microseconds(timeline.last_start_ns)
    launched = (
        f"{plural(timeline.blocks, 'block')} on {plural(timeline.used_sms, 'SM')}, at most "
        f"{timeline.most_on_one_sm} at once on one, in {microseconds(total)}."
    )
    if timeline.last_start_ns < int(timeline.end_ns.min()):
        return f"{launched} All were resident at once: no block waited, and the last one began after {begun}."
    return (
        f"{launched} The last block began after {begun}: for the last {microseconds(tail)}, {percent(tail / total)} of "
        "the launch, no block waited, and SMs ran empty."
    )


def cost_words(timeline: BlockTimeline) -> str:
    """Say what the timers changed."""
    m = timeline.measured
    changed = []
    if m.timed_registers != m.registers:
        changed.append(f"{m.timed_registers} registers a thread instead of {m.registers}")
    if m.timed_resident_blocks != m.resident_blocks:
        changed.append(f"{plural(m.timed_resident_blocks, 'resident block')} instead of {m.resident_blocks}")
    resources = f", {' and '.join(changed)}" if changed else ", the same registers and resident blocks"
    longer = f"{percent(abs(m.overhead))} {'longer' if m.overhead >= 0 else 'shorter'}"
    return (
        f"With timers, a launch takes {microseconds(m.timed_launch_ms * 1e6)}, {longer} than without"
        f"{resources}. The clock counts in steps of "
        f"{timeline.step_ns:,} ns."
    )


def origin_words(timeline: BlockTimeline) -> str:
    """Name machine, software, clock and time of the recording."""
    m = timeline.measured
    clock = f", SM clock {m.sm_clock_mhz:,.0f} MHz" if m.sm_clock_mhz else ""
    return f"Recorded on {m.gpu}{clock}, {m.software}, {m.taken[:10]}. Result verified: {m.checked}."


def sentences(timeline: BlockTimeline) -> tuple[str, ...]:
    """Return everything but the launch."""
    return (
        achieved_words(timeline),
        tail_words(timeline),
        cost_words(timeline),
        origin_words(timeline),
    )


def microseconds(nanoseconds: float) -> str:
    """Write a time with three digits, in the unit that suits it: 812 µs, 1.25 ms."""
    for unit, factor in (("s", 1e9), ("ms", 1e6)):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.3g} {unit}"
    return f"{nanoseconds / 1e3:.3g} µs"
