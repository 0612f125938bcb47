"""Reports of runs that ended early: the loop that ran longest, the reason if it is known, and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.simt.machine.hazards import Place
from kernels.simt.machine.interleaving import THREADS

if TYPE_CHECKING:
    from kernels.frontend.ast import Function
    from kernels.simt.machine.machine import Machine
    from kernels.simt.machine.recorder import EarlyStop

_QUOTED_CHARACTERS: Final = 60
"""Maximum number of characters of a statement that are quoted."""

_SPACES: Final = ("global", "shared", "texture")
"""Memory that other threads can change."""

MORE_MEMORY: Final = "allow more (tilescope trace --max-memory)"

_ADVICE: Final = {
    "steps": "look for why it does not end, or allow more (tilescope trace --max-steps)",
    "bounds": "a GPU ends the kernel at the first; give larger arrays, or the size that they have",
    "memory": f"make the problem smaller, {MORE_MEMORY}, or record nothing (--no-record)",
}

_WARP_SPINS: Final = (
    "its condition waits for a value in memory, but the lanes of a warp go on together: the lane that could change "
    "the value waits behind the loop for those that spin; do that lane's work inside the loop, or let only one lane "
    "of the warp wait"
)

_NEVER_CHANGES: Final = (
    "its condition waits for a value in memory, which no thread changes any more, though each of them has its turn"
)


def needs_interleaving(machine: Machine) -> bool:
    """Return whether a run may have been too long because the threads that others wait for could not run.

    True if they are not interleaved, and a loop that may wait, or a later statement, reads memory which changes.
    """
    group = machine.recorder.group
    if machine.assumptions.interleaving or group is None or not group.loops:
        return False
    number = min(
        (loop.statement for loop in group.loops if loop.statement in machine.spin_loops),
        default=len(machine.statements),
    )
    changed = {site.array for site in machine.sites if site.access != "read"}
    inside = [site for site in machine.sites if site.statement >= number and site.access != "write"]
    return any(site.array in changed and machine.memories[site.array].info.space in _SPACES for site in inside)


def report_early_end(machine: Machine, function: Function, end: EarlyStop) -> None:
    """Report the loop that has run longest as a hazard; nothing if the user cancelled the run."""
    recorder, hazards = machine.recorder, machine.hazards
    if end.kind == "cancelled":
        return
    group, mask = recorder.group, recorder.mask
    advice = end.advice or _ADVICE.get(end.kind, _NEVER_CHANGES)
    if group is None or not group.loops:
        message = f"{end.reason}: {advice if group is not None else MORE_MEMORY}"
        hazards.report("budget-exceeded", Place(function.span), recorder.current, 1, (), lambda: message)
        return
    # The innermost loop may be short and called often; the one with the most rounds is the one that does not end.
    longest = max(group.loops, key=lambda loop: loop.rounds)
    loop = machine.statements[longest.statement]
    lane = int(group.lanes[0 if mask is None else mask.where[0]])
    if end.kind in ("steps", "deadlock"):
        advice = _advice_on_waiting(machine, longest.statement) or advice
    text = loop.text if len(loop.text) <= _QUOTED_CHARACTERS else f"{loop.text[:_QUOTED_CHARACTERS]}…"
    message = (
        f"{end.reason}: the loop in {loop.span.where} `{text}` ran {longest.rounds:,} times for "
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


def _advice_on_waiting(machine: Machine, statement: int) -> str:
    """Return advice on a loop whose head reads memory that other threads can change; empty for any other loop."""
    read = [
        s.array for s in machine.sites if s.statement == statement and machine.memories[s.array].info.space in _SPACES
    ]
    written = {site.array for site in machine.sites if site.access != "read"}
    # The head computes with registers only: nothing that another thread does could end the loop.
    if not read:
        return ""
    # A flag that the kernel never writes: mostly the host should have set it, or the wrong array is tested.
    if written.isdisjoint(read):
        return f"its condition reads {machine.memories[read[0]].info.name}, which this kernel never writes"
    return _NEVER_CHANGES if machine.assumptions.interleaving == THREADS else _WARP_SPINS
