"""Questions about what is drawn, each with the place in the run that answers it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.stage.focus import NOTHING, Focus
from kernels.analysis.syntax.layouts import holds_pointers
from kernels.analysis.syntax.source import source_of
from kernels.analysis.values.value_history import REGISTER, Location
from kernels.frontend.ast import If
from kernels.launch import WARP_SIZE
from kernels.narration.causes import value_text
from kernels.narration.words import block_name, thread_name, vocabulary_of
from kernels.trace import element_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.stage.scene import Scene, Zoom
    from gui.explore.stage.stage import Stage
    from kernels.trace import Trace
    from kernels.trace.records import Statement

_EFFECTS: Final = ("do", "barrier", "warp-barrier", "group-barrier", "fence")
"""Kinds of statements without which a source can still be compiled."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Place in the run, or another view of it; what is not given stays as it is."""

    focus: Focus = NOTHING
    """Is selected."""
    block: int = -1
    """Block to play (linear number)."""
    step: int = -1
    """Step of the block to show."""
    zoom: Zoom | None = None
    line: int = 0
    """Source line whose next execution is shown."""
    without: str | None = None
    """Source without `line`, to compare with."""
    card: bool = False
    """True if the card of the focus is the answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words; one without an answer says so."""

    words: str
    answer: Answer | None = None


def questions(stage: Stage, scene: Scene, focus: Focus, block: int | None = None) -> tuple[Question, ...]:
    """Return the questions about what is drawn at a place: a thread or element, and a block (linear number)."""
    found: list[Question] = []
    if focus.kind == "element" and 0 <= focus.index < stage.trace.arrays[focus.array].size:
        found += _of_element(stage, scene, focus)
    elif focus.kind == "thread":
        found += _of_thread(stage, scene, focus.lane)
    if block is not None and not stage.on_cpu:
        found += _of_block(stage, scene, block)
    return tuple(found)


def questions_of_line(trace: Trace, line: int) -> tuple[Question, ...]:
    """Return the questions about a source line, counted from 1."""
    if not any(_written_on(statement, line) for statement in trace.statements):
        return ()
    found = [
        Question(f"When is line {line} executed next?", Answer(line=line)),
        Question("Which threads execute it?", Answer(focus=Focus.on_line(line))),
    ]
    if (text := text_without(trace, line)) is not None:
        found.append(Question("Compare without this line", Answer(line=line, without=text)))
    return tuple(found)


def text_without(trace: Trace, line: int) -> str | None:
    """Return the source without the statements written on a line, as long as it was; None if others need them.

    Each becomes an empty statement, of an `if` without `else` only the condition: what it guarded is executed always.
    """
    statements = [statement for statement in trace.statements if _written_on(statement, line)]
    lines = trace.text.split("\n")
    for statement in statements:
        span, node = statement.span, source_of(trace).places.get(statement.span)
        guard = node is not None and isinstance(node.node, If) and node.node.otherwise is None
        if not (statement.kind in _EFFECTS or guard):
            return None
        for number in range(span.line, span.end_line + 1):
            text = lines[number - 1]
            first = span.column - 1 if number == span.line else 0
            last = span.end_column - 1 if number == span.end_line else len(text)
            lines[number - 1] = text[:first] + " " * (last - first) + text[last:]
        if not guard:
            text = lines[span.line - 1]
            lines[span.line - 1] = f"{text[: span.column - 1]};{text[span.column :]}"
    return "\n".join(lines) if statements else None


def _written_on(statement: Statement, line: int) -> bool:
    return not statement.span.file and statement.span.line <= line <= statement.span.end_line


def _of_element(stage: Stage, scene: Scene, focus: Focus) -> Iterator[Question]:
    trace, thread = stage.trace, vocabulary_of(on_cpu=stage.on_cpu).thread
    name = element_name(trace.arrays[focus.array], focus.index)
    at = focus.array, focus.index, scene.block, scene.step, focus.lane if focus.lane >= 0 else scene.lane
    threads, definition = trace.launch.block.count, stage.causes.definition(*at)
    if definition.row >= 0:
        value = "this" if holds_pointers(trace, focus.array) else value_text(definition.value)
        yield Question(f"Why is {name} {value}?", Answer(focus, card=True))
        lane = definition.lane
        yield Question(f"Which {thread} wrote it?", Answer(Focus.on_thread(lane), lane // threads, definition.step))
    uses = stage.causes.uses(*at)
    if uses.reads:
        use = uses.reads[0]
        yield Question(f"Who reads {name} next?", Answer(focus, use.block, use.step))
    elif definition.value is not None:
        yield Question(f"No {thread} reads {name} after this step")
    if uses.overwritten is not None:
        words = "Who writes it first?" if definition.value is None else "Who replaces it?"
        yield Question(words, Answer(focus, uses.overwritten.block, uses.overwritten.step))


def _of_thread(stage: Stage, scene: Scene, lane: int) -> Iterator[Question]:
    trace, block = stage.trace, lane // stage.trace.launch.block.count
    name, focus = thread_name(trace, lane, vocabulary_of(on_cpu=stage.on_cpu)), Focus.on_thread(lane)
    if stage.accumulator is not None:
        register = stage.causes.history.before(Location(REGISTER, stage.accumulator, lane), scene.step + 1)
        if register.row >= 0:
            words = f"Why is its {trace.registers[stage.accumulator].name} {value_text(register.value)}?"
            yield Question(words, Answer(focus, block, register.step, card=True))
    accesses = _global_accesses(trace, lane)
    loads = [step for step, writes in accesses if not writes and step <= scene.step]
    stores = [step for step, writes in accesses if writes and step > scene.step]
    if loads:
        yield Question("Go to its last load", Answer(focus, block, loads[-1]))
    if stores:
        yield Question("When does it store?", Answer(focus, block, stores[0]))
    yield Question(f"Follow {name}", Answer(focus))
    if not stage.on_cpu and scene.zoom != "warp":
        warp = lane % trace.launch.block.count // WARP_SIZE
        yield Question(f"Show its warp, number {warp}", Answer(focus, zoom="warp"))


def _global_accesses(trace: Trace, lane: int) -> list[tuple[int, bool]]:
    """Return the steps in which a thread accesses global memory, in order, and whether it writes."""
    drawn = np.array([trace.arrays[site.array].space == "global" for site in trace.sites], bool)
    groups = np.flatnonzero(drawn[trace.group_site])
    has_lane = np.array([bool((lanes == lane).any()) for lanes in trace.masks], bool)
    own = groups[has_lane[trace.group_mask[groups]]]
    return [(int(trace.group_step[g]), trace.sites[trace.group_site[g]].access != "read") for g in own.tolist()]


def _of_block(stage: Stage, scene: Scene, block: int) -> Iterator[Question]:
    name = block_name(stage.trace, block)
    if block != scene.block:
        yield Question(f"Play {name}", Answer(block=block))
    if scene.zoom == "grid":
        yield Question(f"Zoom into {name}", Answer(block=block, zoom="block"))
