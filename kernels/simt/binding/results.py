"""Check for results that a finished run has not written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.frontend.types import Array, Struct
from kernels.simt.binding.arguments import Unwritten
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.machine.hazards import Place
from kernels.trace.members import members_of
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kernels.simt.binding.arguments import Argument
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.memory import Memory
    from kernels.trace.records import ArrayInfo


def check_results(c: Context, arguments: Mapping[str, Argument]) -> None:
    """Report uninitialised arguments that the kernel writes, but has not written completely."""
    for memory in c.machine.memories:
        if memory.info.parameter and isinstance(arguments.get(memory.info.name), Unwritten):
            _check(c, memory)


def _check(c: Context, memory: Memory) -> None:
    info = memory.info
    writes = [site.span for site in c.machine.sites if site.array == memory.number and site.access != "read"]
    missing = np.flatnonzero(~memory.written_elements().reshape(-1))
    used = _member_elements(memory)
    missing = missing[used[missing % len(used)]]
    # An argument that the kernel only reads is initcheck's.
    if not writes or not len(missing):
        return
    span, first = writes[0], int(missing[0])
    members = members_of(info)
    # For structs, members are counted: padding is never written.
    count, total = len(missing), info.size
    if members is not None:
        count, total = len(np.unique(members.cells(missing))), info.size // members.words * members.count
    c.machine.hazards.report(
        "result-never-written",
        Place(span, info.space, info.name),
        c.machine.recorder.current,
        len(missing),
        (),
        lambda: (
            f"{_which(info, count, total, first)}; look at the condition in front of the write in "
            f"{span.where}, and whether grid and block have enough threads"
        ),
        first,
    )


def _member_elements(memory: Memory) -> NDArray[np.bool_]:
    """Return which elements of an object belong to members, and not to padding."""
    kind, item = memory.declared, memory.kind.size_bytes
    kind = kind.element if isinstance(kind, Array) else kind
    if not isinstance(kind, Struct):
        return np.ones(1, bool)
    used = np.zeros(max(kind.size_bytes // item, 1), bool)
    for leaf in leaves(kind):
        used[leaf.offset // item : -(-(leaf.offset + leaf.scalar.size_bytes) // item)] = True
    return used


def _which(info: ArrayInfo, missing: int, total: int, first: int) -> str:
    what = f"{total:,} {'elements' if info.struct is None else 'fields'} of {info.name}"
    if missing == total:
        return f"none of the {what} is ever written"
    verb = "is" if missing == 1 else "are"
    return f"{missing:,} of the {what} {verb} never written, the first is {element_name(info, first, flat=True)}"
