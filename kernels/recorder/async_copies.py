"""Asynchronous copies, in inline PTX and by the `__pipeline_` functions, with notes of what they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.unparse.expressions import ASSIGN
from kernels.recorder.linked_program import LinkedWriter
from kernels.recorder.log import EVERYTHING, Note, Noted, Pipeline
from kernels.simt.intrinsics.async_copies import COPY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Program, Span
    from kernels.simt.linking import Linked
    from kernels.trace.records import Access

OPERAND: Final = re.compile(r"(?<![\w.:])%?\d+")


class CopyWriter(LinkedWriter):
    """Writes a program in which asynchronous copies are noted; `notes` are what the numbers in it stand for."""

    def __init__(self, program: Program, linked: Linked, threads: int) -> None:
        super().__init__(program, linked, threads)
        self.notes: list[Note] = []

    def noted(self, span: Span, access: Access) -> int:
        """Return the number of an access."""
        self.notes.append(Noted(span, access))
        return len(self.notes) - 1

    def assembly(self, node: ast.Assembly) -> list[str]:
        """Note what an asynchronous copy, or a wait for some, does; its operands are evaluated once, before."""
        held: list[str] = []
        given: list[str] = []
        for constraint, operand in node.inputs:
            text = self.inside(operand, ASSIGN)
            given.append(text if constraint == "n" else f"ts_{len(given)}")
            if constraint != "n":
                held.append(f"auto {given[-1]} = {text};")
        inputs = ", ".join(f'"{c}"({text})' for (c, _), text in zip(node.inputs, given, strict=True))
        quoted = self.write(ast.String(node.span, node.template))[0]
        template = " ".join(node.template.split())
        words = [given[int(word[1:])] if word[0] == "%" else word for word in OPERAND.findall(template)]
        if COPY.fullmatch(template):
            target, source, size, *taken = words
            held.append(self._copy(f"__cvta_shared_to_generic({target})", source, size, taken, node.span))
        else:
            held.append(self._pipeline(template.partition("_")[0].endswith("wait"), words[0] if words else EVERYTHING))
        return [
            "{",
            *(f"    {line}" for line in held),
            f'    asm volatile({quoted} : : {inputs} : "memory");',
            "}",
        ]

    def _copy(self, target: str, source: str, size: str, taken: Sequence[str], span: Span) -> str:
        """Return the notes of an asynchronous copy: a read, and a write later on."""
        read = f"ts_note({self.noted(span, 'read')}, {source}, {size});"
        self.notes.append(Noted(span, "write", deferred=True))
        condition = f"if ({taken[0]}) " if taken else ""
        whole = taken[0] if taken else "true"
        return f"{condition}{read} ts_copied({len(self.notes) - 1}, {target}, {source}, {size}, {whole});"

    def _pipeline(self, waits: bool, groups: str | int) -> str:
        self.notes.append(Pipeline(waits))
        return f"ts_note({len(self.notes) - 1}, nullptr, {groups});"

    def pipeline_call(self, node: ast.Call) -> str:
        """Return a call of one of the `PIPELINE` functions, noted."""
        texts = [self.inside(argument, ASSIGN) for argument in node.arguments]
        if not texts:
            return f"([&] {{ {self._pipeline(False, 0)} {node.function}(); }}())"
        if len(texts) == 1:
            return f"([&] {{ {self._pipeline(True, texts[0])} {node.function}({texts[0]}); }}())"
        taken = [f"{texts[2]} > {texts[3]}"] if len(texts) > 3 else []
        notes = self._copy("ts_0", "ts_1", texts[2], taken, node.span)
        call = f"{node.function}({', '.join(('ts_0', 'ts_1', *texts[2:]))})"
        return f"([&] {{ auto ts_0 = {texts[0]}; auto ts_1 = {texts[1]}; {notes} {call}; }}())"
