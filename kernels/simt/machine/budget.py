"""Reports of runs that ended early: the loop that ran longest, and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.hazards import Place
from kernels.simt.machine.interleaving import THREADS

if TYPE_CHECKING:
    from kernels.frontend.ast import Function
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.recorder import Stopped

_TEXT: Final = 60
"""Characters of a statement that are quoted."""

_SPACES: Final = ("global", "shared", "texture")
"""Memory that a thread can wait for another to change."""

MORE_MEMORY: Final = "allow more (tilescope trace --max-memory)"

_ADVICE: Final = {
    "steps": "look for why it does not end, or allow more (tilescope trace --max-steps)",
    "bounds": "a GPU ends the kernel at the first; give larger arrays, or the size that they have",
    "memory": f"make the problem smaller, {MORE_MEMORY}, or record nothing (--no-record)",
}

_SPINS: Final = (
    "its condition waits for a value in memory, but the lanes of a warp go on together: the lane that could change "
    "the value waits behind the loop for those that spin; do that lane's work inside the loop, or let only one lane "
    "of the warp wait"
)


_FOR_NOTHING: Final = (
    "its condition waits for a value in memory, which no thread changes any more, though each of them has its turn"
)


def out_of_turn(machine: Machine) -> bool:
    """Whether a run may have been too long because threads that others wait for had no turn."""
    group = machine.recorder.group
    if machine.assumptions.turns or group is None or not group.loops:
        return False
    number = min(
        (loop.statement for loop in group.loops if loop.statement in machine.may_wait),
        default=len(machine.statements),
    )
    changed = {site.array for site in machine.sites if site.access != "read"}
    inside = [site for site in machine.sites if site.statement >= number and site.access != "write"]
    return any(site.array in changed and machine.memories[site.array].info.space in _SPACES for site in inside)


def out_of_budget(machine: Machine, function: Function, end: Stopped) -> None:
    """Report that the budget is used up, at the loop that has run longest; cancelling is no mistake."""
    recorder, hazards = machine.recorder, machine.hazards
    if end.kind == "cancelled":
        return
    group, mask = recorder.group, recorder.mask
    advice = end.advice or _ADVICE.get(end.kind, _FOR_NOTHING)
    if group is None or not group.loops:
        message = f"{end.reason}: {advice if group is not None else MORE_MEMORY}"
        hazards.report("budget-exceeded", Place(function.span), recorder.current, 1, (), lambda: message)
        return
    longest = max(group.loops, key=lambda loop: loop.made)
    loop = machine.statements[longest.statement]
    lane = int(group.lanes[0 if mask is None else mask.where[0]])
    if end.kind in ("steps", "standstill"):
        advice = _what_it_waits_for(machine, longest.statement) or advice
    text = loop.text if len(loop.text) <= _TEXT else f"{loop.text[:_TEXT]}…"
    message = (
        f"{end.reason}: the loop in {loop.span.where} `{text}` ran {longest.made:,} times for "
        f"{hazards.name(lane)}; {advice}"
    )
    hazards.report(
        "budget-exceeded",
        Place(loop.span),
        recorder.current,
        1,
        ((lane, loop.span, "read"),),
        lambda: message,
    )


def _what_it_waits_for(machine: Machine, statement: int) -> str:
    """Say what to do about a loop whose head reads what other threads can change; nothing for any other loop."""
    read = [
        s.array for s in machine.sites if s.statement == statement and machine.memories[s.array].info.space in _SPACES
    ]
    written = {site.array for site in machine.sites if site.access != "read"}
    if not read:
        return ""
    if written.isdisjoint(read):
        return f"its condition reads {machine.memories[read[0]].info.name}, which this kernel never writes"
    return _FOR_NOTHING if machine.assumptions.turns == THREADS else _SPINS
