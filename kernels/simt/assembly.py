"""Compiles `asm` statements: asynchronous copies and what tensor cores are fed with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.simt.code import Code, constant
from kernels.simt.copies import COPY, commit, issue, pointer_to_shared, wait
from kernels.simt.matrices import instruction
from kernels.simt.operators import convert
from kernels.simt.steps import Step
from kernels.source.types import INT

if TYPE_CHECKING:
    from kernels.simt.code import Run
    from kernels.simt.context import Context
    from kernels.simt.lanes import Active, Group
    from kernels.source.nodes import Assembly

_WAIT: Final = re.compile(r"cp\.async\.wait_group\s+(%?\d+)\s*;?")


def assembly(c: Context, node: Assembly) -> Step:
    """Compile an asm statement; what is not known here is refused."""
    number, begin_step = c.new_statement(node.span, "do"), c.recorder.step
    run = _instruction(c, node)

    def step(group: Group, mask: Active) -> Active:
        begin_step(number, group, mask)
        run(group, mask)
        return mask

    return Step(step)


def _instruction(c: Context, node: Assembly) -> Run:
    text = " ".join(node.template.split())
    given = [expression for _, expression in (*node.outputs, *node.inputs)]

    def operand(word: str) -> Code:
        if not word.startswith("%"):
            return constant(int(word), INT)
        if int(word[1:]) >= len(given):
            raise c.refuse(node.span, f'asm("{text}") has no operand {word}')
        return c.compile(given[int(word[1:])])

    if re.fullmatch(r"cp\.async\.commit_group\s*;?", text):
        return commit(c)
    if re.fullmatch(r"cp\.async\.wait_all\s*;?", text):
        return wait(c, constant(-1, INT))
    waits, copy = _WAIT.fullmatch(text), COPY.fullmatch(text)
    if waits:
        return wait(c, convert(c, operand(waits[1]), INT, node.span))
    matrices = instruction(c, node, text)
    if matrices is not None:
        return matrices
    if copy:
        size = operand(copy[3]).constant
        source = operand(f"%{copy[2]}")
        taken = convert(c, operand(copy[4]), INT, node.span) if copy[4] else None
        return issue(
            c, pointer_to_shared(c, operand(f"%{copy[1]}"), node.span), source, size, taken, node.span
        )
    raise c.unsupported(
        node.span,
        f'asm("{text}"); only cp.async, ldmatrix, stmatrix and mma.sync are run; write it in CUDA C',
    )
