"""Says where a run was when its budget was used up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.hazards import Place

if TYPE_CHECKING:
    from kernels.simt.context import Context
    from kernels.simt.recorder import Stopped
    from kernels.source.nodes import Function

_TEXT: Final = 60
"""Characters of a statement that are quoted."""

_ADVICE: Final = {
    "steps": "look for why it does not end, or raise --max-steps",
    "memory": "trace a smaller problem, raise --max-memory, or use --no-record",
}

_SPINS: Final = (
    "its condition waits for a value in memory, but the lanes of a warp go on together: the lane that could change "
    "the value waits behind the loop for those that spin; do that lane's work inside the loop, or let only one lane "
    "of the warp wait"
)


def out_of_budget(c: Context, function: Function, end: Stopped) -> str:
    """Report that the budget is used up, at the loop that has run longest; returns the message."""
    recorder, hazards = c.recorder, c.hazards
    if end.kind == "cancelled":
        return end.reason
    group, mask = recorder.group, recorder.mask
    advice = _ADVICE[end.kind]
    if group is None or not group.loops:
        message = f"{end.reason}: {advice if group is not None else 'raise --max-memory'}"
        hazards.report("budget-exceeded", Place(function.span), recorder.current, 1, (), lambda: message)
        return message
    number, rounds = max(group.loops, key=lambda loop: loop[1])
    loop = c.statements[number]
    lane = int(group.lanes[0 if mask is None else mask.where[0]])
    if end.kind == "steps" and _waits(c, number):
        advice = _SPINS
    text = loop.text if len(loop.text) <= _TEXT else f"{loop.text[:_TEXT]}…"
    message = (
        f"{end.reason}: the loop in line {loop.span.line} `{text}` ran {rounds:,} times for "
        f"{hazards.name(lane)}; {advice}"
    )
    hazards.report(
        "budget-exceeded",
        Place(loop.span),
        recorder.current,
        1,
        ((lane, loop.span.line, "read"),),
        lambda: message,
    )
    return message


def _waits(c: Context, statement: int) -> bool:
    """Whether the head of a loop reads what other threads can change."""
    return any(
        site.statement == statement and c.memories[site.array].info.space in ("global", "shared")
        for site in c.sites
    )
