"""Value card: where the value in focus comes from, and who reads it next, as lines that lead to their steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gui.explore.stage.focus import Focus
from kernels.analysis.values.causes import MOST_CAUSES
from kernels.analysis.values.value_history import REGISTER
from kernels.narration.causes import equation, inputs_text, origin, unknown_sentence, use_place
from kernels.narration.words import vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.explore.stage.scene import Scene
    from gui.explore.stage.stage import Stage
    from kernels.analysis.values.causes import Cause, Use
    from kernels.narration.words import Vocabulary

_MOST_CAUSES: Final = 6
_MOST_READS: Final = 3
_MOST_RESULTS: Final = 2
"""Values of one step that are explained: a copied float4 has four, all alike."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A step of a block, and what is in focus there."""

    block: int
    step: int
    focus: Focus


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of the card."""

    label: str
    """"" continues the line before."""
    text: str
    jump: Jump | None = None
    """Step that the text leads to; None for inputs and plain text."""
    place: str = ""
    """Thread and source line, after the text."""
    depth: int = 0
    """Indentation: sources are indented below their value."""


def value_card(stage: Stage, scene: Scene) -> tuple[CardLine, ...]:
    """Return the lines for a scene's focus: the value of an element, or what a thread computes in this step."""
    focus, words = scene.focus, vocabulary_of(on_cpu=stage.on_cpu)
    if focus.kind == "line":
        return ()
    if focus.kind == "element":
        at = focus.array, focus.index, scene.block, scene.step, scene.lane
        cause = stage.causes.of_element(*at)
        return (*_origin_lines(stage, scene, cause, words), *_use_lines(stage, scene, at, words))
    lane = focus.lane if focus.kind == "thread" else scene.lane
    # The card needs the values that were combined and their equations; following them to the inputs takes longer.
    levels = 1 if focus.kind == "none" else 2
    results = stage.causes.of_step(scene.step, lane, levels) if lane // scene.block_dim.count == scene.block else ()
    if focus.kind == "none":  # nobody has asked: the card has only the arithmetic, and room for the facts
        return tuple(CardLine("computes", equation(stage.trace, cause)) for cause in results[:1])
    return tuple(line for cause in results[:_MOST_RESULTS] for line in _result_lines(stage, scene, cause, words))


def _result_lines(stage: Stage, scene: Scene, cause: Cause, words: Vocabulary) -> Iterator[CardLine]:
    """Yield a value that the thread assigns in this step, and the values that it combines."""
    yield CardLine("computes", equation(stage.trace, cause))
    lines = _lines(stage, scene.block, (cause, *cause.sources), [0] + [1] * len(cause.sources), words)
    yield from _shortened(lines[1:])
    location = cause.definition.location
    if location.array != REGISTER:
        lane = cause.definition.lane
        yield from _use_lines(stage, scene, (location.array, location.number, scene.block, scene.step, lane), words)


def _origin_lines(stage: Stage, scene: Scene, cause: Cause, words: Vocabulary) -> Iterator[CardLine]:
    """Yield the assignments from which a value was computed, the latest first."""
    if cause.definition.value is None:
        return
    nodes, depths = [cause], [0]
    # A copy is followed to what it copies: `C[0][1] = sum`, and then the last sum.
    while len(nodes[-1].sources) == 1 and not nodes[-1].sources[0].is_input:
        nodes.append(nodes[-1].sources[0])
        depths.append(0)
    if len(nodes[-1].sources) > 1:
        depths += [1] * len(nodes[-1].sources)
        nodes += nodes[-1].sources
    lines = _lines(stage, scene.block, nodes, depths, words)
    first, *rest = _shortened(lines)
    yield replace(first, label="from")
    yield from rest
    inputs = [location for location in cause.inputs if location != cause.definition.location]
    if inputs:
        yield CardLine("inputs", f"{inputs_text(stage.trace, inputs)} (outlined by dashes)")
    if cause.is_cut:
        yield CardLine("", f"Only the latest {MOST_CAUSES:,} assignments were followed.")
    if sentence := unknown_sentence(cause):
        yield CardLine("", sentence)


def _lines(
    stage: Stage, block: int, causes: Sequence[Cause], depths: Sequence[int], words: Vocabulary
) -> list[CardLine]:
    """Return a line for each value.

    A block is named where it is not that of the line before; the thread of a register, which no other has, likewise.
    """
    lines, before = [], -1
    for cause, depth in zip(causes, depths, strict=True):
        lane, own = cause.definition.lane, cause.definition.location.array == REGISTER
        where = origin(stage.trace, cause, block, words, thread=not own or lane != before)
        lines.append(CardLine("", equation(stage.trace, cause), _jump_to(stage, cause), where, depth))
        if lane >= 0:
            block, before = lane // stage.trace.launch.block.count, lane
    return lines


def _jump_to(stage: Stage, cause: Cause) -> Jump | None:
    """Return the step of an assignment, with the element or the thread of the register in focus."""
    definition, location = cause.definition, cause.definition.location
    if definition.row < 0:
        return None
    focus = Focus.on_thread(definition.lane)
    if location.array != REGISTER:
        own = definition.lane if stage.trace.arrays[location.array].space == "local" else -1
        focus = Focus.on_element(location.array, location.number, own)
    return Jump(definition.lane // stage.trace.launch.block.count, definition.step, focus)


def _use_lines(stage: Stage, scene: Scene, at: tuple[int, int, int, int, int], words: Vocabulary) -> Iterator[CardLine]:
    """Yield the next reads of an element, or that there is none."""
    uses = stage.causes.uses(*at)
    space = stage.trace.arrays[at[0]].space

    def line(label: str, use: Use) -> CardLine:
        own = use.lane if space == "local" else -1
        jump = Jump(use.block, use.step, Focus.on_element(at[0], at[1], own))
        return CardLine(label, use_place(stage.trace, use, scene.block, words), jump)

    for number, use in enumerate(uses.reads[:_MOST_READS]):
        yield line("" if number else "read next", use)
    if uses.count > _MOST_READS:
        yield CardLine("", f"and {uses.count - _MOST_READS:,} more times")
    if not uses.count:
        yield CardLine("read next", f"no {words.thread} reads this value again")
        if uses.overwritten is not None:
            yield line("replaced", uses.overwritten)


def _shortened(lines: list[CardLine]) -> list[CardLine]:
    if len(lines) <= _MOST_CAUSES:
        return lines
    more = len(lines) - _MOST_CAUSES + 1
    return [*lines[: _MOST_CAUSES - 1], CardLine("", f"and {more} more values", depth=1)]
