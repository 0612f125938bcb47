"""Captions: one plain sentence for each step of a block, the same for every kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from kernels.analysis.bounds import outside_accesses
from kernels.analysis.races import race_at
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
    reason_of_branch,
    returns_at_once,
    warp_barrier,
)
from kernels.narration.memory import access
from kernels.narration.outside import warning
from kernels.narration.races import race_clause
from kernels.narration.registers import arithmetic
from kernels.narration.shuffles import shuffle
from kernels.narration.step_view import StepView
from kernels.narration.words import ON_GPU, block_name, each_thread, statement_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.bounds import Outside
    from kernels.launch import Dim3
    from kernels.narration.words import Vocabulary
    from kernels.trace import Trace

Stage = Literal["load", "compute", "store", "barrier", "branch", "index arithmetic", "loop", "print", "return", "idle"]
_STAGES_IN_CAPTION: Final = ("load", "store", "barrier", "print")
"""Stages that the caption names; the sentence itself identifies the others."""


@dataclass(frozen=True, slots=True)
class Caption:
    """The caption of one step of one block."""

    text: str
    """One sentence."""
    stage: Stage
    block: Dim3
    phase: int = -1
    """-1 outside the loop over phases."""
    counters: tuple[tuple[str, int], ...] = ()
    """Variables of the other loops around the statement, with their values."""


def describe(
    trace: Trace, step: int, block: int, vocabulary: Vocabulary = ON_GPU, outside: Sequence[Outside] | None = None
) -> Caption:
    """Write the caption of a step for a block (linear number); `outside`, where known, are its `outside_accesses`."""
    index = trace.launch.grid.member(block)
    name = block_name(trace, block) if vocabulary.has_blocks else ""
    lanes = trace.lanes(step, block)
    if not len(lanes):
        return Caption(_sentence([name], "has no part in this step", " "), "idle", index)
    careful = warning(trace, outside_accesses(trace, step, block) if outside is None else outside, vocabulary)
    view = StepView.of(trace, step, block, vocabulary)
    if view is None:
        text = f"{each_thread(trace, lanes, vocabulary)} executes {statement_text(trace, step)}{careful}"
        return Caption(_sentence([name], text), "compute", index)
    if name and returns_at_once(view):
        return Caption(f"{name} returns at once{reason_of_branch(view)}{careful}", "return", index)
    shuffled = shuffle(view)
    stage, text = _stage_and_text(view) if shuffled is None else ("compute", shuffled.text)
    counters = view.inner_counters
    places = [name]
    if view.phase >= 0:
        places.append(f"phase {view.phase}")
    places += [f"{variable} = {value}" for variable, value in counters.items()]
    if stage in _STAGES_IN_CAPTION:
        places.append(stage)
    if shuffled is not None:
        places.append(shuffled.warps)
    race = race_at(trace, step, block)
    text = _sentence(places, text + careful) + (f"; {race_clause(trace, race, vocabulary)}" if race is not None else "")
    return Caption(text, stage, index, view.phase, tuple(counters.items()))


def _sentence(places: list[str], text: str, separator: str = ": ") -> str:
    """Put the known places before a text."""
    start = ", ".join(place for place in places if place)
    return f"{start}{separator}{text}" if start else text


def _stage_and_text(view: StepView) -> tuple[Stage, str]:
    node = view.place.node
    statement = view.trace.statement(view.step)
    if statement.kind == "barrier":
        return "barrier", barrier(view)
    if statement.kind == "warp-barrier":
        return "barrier", warp_barrier(view)
    if statement.kind == "group-barrier":
        return "barrier", group_barrier(view)
    if statement.kind == "fence":
        return "barrier", fence(view)
    if isinstance(node, If):
        return "branch", branch(view, node)
    if isinstance(node, For | While):
        return "loop", loop(view, node)
    if isinstance(node, Return | Break | Continue):
        return "return" if isinstance(node, Return) else "branch", leave(view, node)
    if has_print(node):
        return "print", printing(view)
    return access(view) or arithmetic(view)
