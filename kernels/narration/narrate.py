"""A step in plain words that a lecturer can read aloud; the same words for every kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kernels.analysis.step_view import Moment
from kernels.analysis.walk import has_print
from kernels.frontend.ast import Break, Continue, For, If, Return, While
from kernels.narration.control import (
    barrier,
    branch,
    fence,
    group_barrier,
    leave,
    loop,
    printing,
    warp_barrier,
)
from kernels.narration.memory import access
from kernels.narration.registers import arithmetic
from kernels.narration.words import block_name, each, executes

if TYPE_CHECKING:
    from kernels.launch import Dim3
    from kernels.trace import Trace

Stage = Literal["load", "compute", "store", "barrier", "branch", "index arithmetic", "loop", "print", "return", "idle"]
_ANNOUNCED = ("load", "store", "barrier", "print")
"""Stages whose word stands in the caption; the others are plain from what is said."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What happens in one step to one block.

    `text` is one sentence. `phase` is -1 outside the loop over phases; `counters` are the variables of the other
    loops around, with their values.
    """

    text: str
    stage: Stage
    block: Dim3
    phase: int = -1
    counters: tuple[tuple[str, int], ...] = ()


def describe(trace: Trace, step: int, block: int) -> Caption:
    """Say what a block (linear number) does in a step."""
    index, name = trace.launch.grid.member(block), block_name(trace, block)
    if not len(trace.lanes(step, block)):
        return Caption(f"{name} has no part in this step", "idle", index)
    moment = Moment.of(trace, step, block)
    if moment is None:
        who = each(trace, trace.lanes(step, block))
        return Caption(f"{name}: {who} {executes(trace, step)}", "compute", index)
    stage, said = _said(moment)
    if stage == "return" and said.startswith("returns"):
        return Caption(f"{name} {said}", stage, index)
    counters = moment.inner_counters
    parts = [name]
    if moment.phase >= 0:
        parts.append(f"phase {moment.phase}")
    parts += [f"{variable} = {value}" for variable, value in counters.items()]
    if stage in _ANNOUNCED:
        parts.append(stage)
    return Caption(f"{', '.join(parts)}: {said}", stage, index, moment.phase, tuple(counters.items()))


def _said(moment: Moment) -> tuple[Stage, str]:
    node = moment.place.node
    statement = moment.trace.statement(moment.step)
    if statement.kind == "barrier":
        return "barrier", barrier(moment)
    if statement.kind == "warp-barrier":
        return "barrier", warp_barrier(moment)
    if statement.kind == "group-barrier":
        return "barrier", group_barrier(moment)
    if statement.kind == "fence":
        return "barrier", fence(moment, statement.text)
    if isinstance(node, If):
        return "branch", branch(moment, node)
    if isinstance(node, For | While):
        return "loop", loop(moment, node)
    if isinstance(node, Return | Break | Continue):
        return "return" if isinstance(node, Return) else "branch", leave(moment, node)
    if has_print(node):
        return "print", printing(moment)
    return access(moment) or arithmetic(moment)
