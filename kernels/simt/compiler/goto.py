"""Goto: a block with labels runs part by part, and lanes that jump wait at the label.

The lanes at the first label in the source continue first, so that lanes that jumped forward join the others there, and
lanes that jumped back repeat the part. Waiting lanes keep the values of their variables: in functions with goto every
assignment is masked.

Example: `a(); if (p) goto end; b(); end: c();` with p true in lanes 0-3 of 8. All lanes run a(); lanes 0-3 wait at
`end`, lanes 4-7 run b() and arrive at `end`, and all 8 run c() together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.simt.machine.lanes import EMPTY, Active, Group
from kernels.simt.machine.steps import Step, sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kernels.frontend.ast import Statement
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Barrier


def has_labels(node: ast.Block) -> bool:
    """Return whether a block has labels, not counting those of inner blocks."""
    return any(isinstance(child, ast.Label) for child in node.body)


def labelled_block(c: Context, node: ast.Block) -> Step:
    """Compile a block with labels.

    Raises
    ------
    SourceError
        For a label that the function has twice.
    """
    labels = c.frames[-1].labels
    parts: list[list[Statement]] = [[]]
    slots: list[int] = []
    for child in node.body:
        if not isinstance(child, ast.Label):
            parts[-1].append(child)
            continue
        if child.name in labels:
            raise c.refuse(child.span, f"the label '{child.name}' is declared twice")
        labels[child.name] = c.slot()
        slots.append(labels[child.name])
        parts.append([])
    # One level deeper: no variable declared before the block is assigned as a whole, because lanes may be waiting.
    with c.scope(deeper=1):
        steps = [sequence([c.compile_step(child) for child in part]) for part in parts]
    for child in node.body:
        if isinstance(child, ast.Label):
            del labels[child.name]
    jumps = any(step.jumps for step in steps)
    if any(step.waiting for step in steps):
        return Step(None, _waiting(steps, slots), jumps)
    return Step(_plain(steps, slots), None, jumps)


def _plain(steps: Sequence[Step], slots: Sequence[int]) -> Callable[[Group, Active], Active]:
    runs = [step.plain for step in steps]

    def run(group: Group, mask: Active) -> Active:
        out, part = _begin(group, slots), 0
        while True:
            plain = runs[part]
            assert plain is not None
            out = _arrive(group, slots, part, plain(group, mask), out)
            part, mask = _next(group, slots)
            if mask is EMPTY:
                return out

    return run


def _waiting(
    steps: Sequence[Step], slots: Sequence[int]
) -> Callable[[Group, Active], Generator[Barrier, None, Active]]:
    runs = [step.generator() for step in steps]

    def wait(group: Group, mask: Active) -> Generator[Barrier, None, Active]:
        out, part = _begin(group, slots), 0
        while True:
            left = yield from runs[part](group, mask)
            out = _arrive(group, slots, part, left, out)
            part, mask = _next(group, slots)
            if mask is EMPTY:
                return out

    return wait


def _begin(group: Group, slots: Sequence[int]) -> Active:
    for slot in slots:
        group.values[slot] = EMPTY
    return EMPTY


def _arrive(group: Group, slots: Sequence[int], part: int, mask: Active, out: Active) -> Active:
    """Move lanes to the label after a part; returns the lanes that have left the last part."""
    if part == len(slots):
        return group.union(out, mask)
    group.values[slots[part]] = group.union(group.values[slots[part]], mask)
    return out


def _next(group: Group, slots: Sequence[int]) -> tuple[int, Active]:
    """Return the first part at whose label lanes wait, and these lanes."""
    # The first label in the source, not the one that was reached first: lanes behind catch up before any lane goes on.
    for part, slot in enumerate(slots, 1):
        mask = group.values[slot]
        if mask is not EMPTY:
            group.values[slot] = EMPTY
            return part, mask
    return 0, EMPTY


def goto(c: Context, node: ast.Goto) -> Step:
    """Compile `goto label;`.

    Raises
    ------
    SourceError
        If no block around the goto has the label.
    """
    frame = c.frames[-1]
    slot = frame.labels.get(node.name)
    if slot is None:
        raise c.unsupported(
            node.span, f"goto '{node.name}', a label that no enclosing block has; use a loop with break"
        )
    number, begin = c.new_statement(node.span, "jump"), c.machine.recorder.step
    for loop in frame.loops[-1:]:
        loop.returns = True  # lanes may leave it without a break

    def jump(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        group.values[slot] = group.union(group.values[slot], mask)
        return EMPTY

    return Step(jump, None, True)
