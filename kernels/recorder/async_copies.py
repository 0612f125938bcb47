"""Asynchronous copies, in inline PTX and by the `__pipeline_` functions, with notes of their accesses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.unparse.expressions import ASSIGN
from kernels.recorder.log import EVERYTHING, PipelineNote
from kernels.simt.intrinsics.async_copies import COPY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Span
    from kernels.recorder.log import NoteTable
    from kernels.recorder.program_writer import ProgramWriter

_OPERAND: Final = re.compile(r"(?<![\w.:])%?\d+")
"""An operand of a PTX instruction: `%0`, or a literal number."""


class AsyncCopies:
    """Writes asynchronous copies, and the waits for them, with notes."""

    def __init__(self, writer: ProgramWriter, notes: NoteTable) -> None:
        self._writer = writer
        self._notes = notes

    def assembly(self, node: ast.Assembly) -> list[str]:
        """Return inline PTX after its notes; its operands are evaluated once, into variables."""
        lines: list[str] = []
        operands: list[str] = []
        for constraint, operand in node.inputs:
            text = self._writer.inside(operand, ASSIGN)
            operands.append(text if constraint == "n" else f"ts_{len(operands)}")
            if constraint != "n":  # "n" is a constant, which stays in the instruction
                lines.append(f"auto {operands[-1]} = {text};")
        inputs = ", ".join(f'"{c}"({text})' for (c, _), text in zip(node.inputs, operands, strict=True))
        quoted = self._writer.text(ast.String(node.span, node.template))
        template = " ".join(node.template.split())
        words = [operands[int(word[1:])] if word[0] == "%" else word for word in _OPERAND.findall(template)]
        if COPY.fullmatch(template):
            target, source, size, *source_size = words
            lines.append(self._copy(f"__cvta_shared_to_generic({target})", source, size, source_size, node.span))
        else:  # cp.async.commit_group, cp.async.wait_group N or cp.async.wait_all
            waits = template.partition("_")[0].endswith("wait")
            lines.append(self._pipeline(waits, words[0] if words else EVERYTHING))
        return ["{", *(f"    {line}" for line in lines), f'    asm volatile({quoted} : : {inputs} : "memory");', "}"]

    def pipeline_call(self, node: ast.Call) -> str:
        """Return a call of one of the `PIPELINE` functions, with notes."""
        texts = [self._writer.inside(argument, ASSIGN) for argument in node.arguments]
        if not texts:
            return f"([&] {{ {self._pipeline(False, 0)} {node.function}(); }}())"
        if len(texts) == 1:
            return f"([&] {{ {self._pipeline(True, texts[0])} {node.function}({texts[0]}); }}())"
        # The last argument is the number of bytes at the end that are filled with zeros instead.
        condition = [f"{texts[2]} > {texts[3]}"] if len(texts) > 3 else []
        notes = self._copy("ts_0", "ts_1", texts[2], condition, node.span)
        call = f"{node.function}({', '.join(('ts_0', 'ts_1', *texts[2:]))})"
        return f"([&] {{ auto ts_0 = {texts[0]}; auto ts_1 = {texts[1]}; {notes} {call}; }}())"

    def _copy(self, target: str, source: str, size: str, condition: Sequence[str], span: Span) -> str:
        """Return the notes of an asynchronous copy: a read now, and a write that takes effect at the wait."""
        read = f"ts_note({self._notes.access(span, 'read')}, {source}, {size});"
        write = self._notes.access(span, "write", deferred=True)
        test = f"if ({condition[0]}) " if condition else ""
        reads = condition[0] if condition else "true"
        return f"{test}{read} ts_copied({write}, {target}, {source}, {size}, {reads});"

    def _pipeline(self, waits: bool, groups: str | int) -> str:
        return f"ts_note({self._notes.add(PipelineNote(waits))}, nullptr, {groups});"
