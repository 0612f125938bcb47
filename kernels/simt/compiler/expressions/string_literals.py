"""String literals: constant arrays of characters, and the strings that pointers to characters point to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend.types import CHAR, Array
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.addresses import as_address, split_by_array
from kernels.simt.machine.arithmetic import ndarray

if TYPE_CHECKING:
    from kernels.frontend import ast
    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

_SPACES: Final = ("constant", "global")
"""Spaces with one array for all threads."""


def string_literal(c: Context, node: ast.String) -> Code:
    """Compile a string literal."""
    codes = np.frombuffer(node.value.encode() + b"\0", np.int8)
    kind = Array(CHAR, len(codes))
    memory = c.array(f'"{node.value}"', "constant", kind, node.span, (len(codes),))
    memory.load(codes)
    return Code(lambda group, mask: 0, kind, 0, True, memory)


def strings_at(c: Context, code: Code, span: Span) -> Any:
    """Compile the strings that a pointer to characters points to: a list with one string for each lane.

    Raises
    ------
    SourceError
        For a pointer into local or shared memory.
    """
    memory = code.memory
    if memory is not None and memory.info.space not in _SPACES:
        raise c.unsupported(span, f"%s of {memory.info.space} memory; print its characters with %c")
    address = as_address(code).run

    def run(group: Group, mask: Active) -> list[str]:
        found = [""] * group.size
        for number, lanes, offsets in split_by_array(group, mask, address(group, mask)):
            if number < 0 or c.machine.memories[number].info.space not in _SPACES:
                raise c.unsupported(span, "%s of this pointer; point to a string literal")
            data = c.machine.memories[number].data.view(np.uint8).tobytes()
            for lane in range(group.size) if lanes is None else lanes.where.tolist():
                start = int(offsets[lane] if type(offsets) is ndarray else offsets)
                found[lane] = data[start:].partition(b"\0")[0].decode(errors="replace") if start >= 0 else ""
        return found

    return run
