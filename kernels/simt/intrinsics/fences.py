"""Memory fences, as separate statements or within a statement.

A fence orders the accesses of its thread before it ahead of those after it, for the threads of the block or all
threads (CUDA C++ Programming Guide, "Memory Fence Functions").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

FENCES: Final = {"__threadfence": False, "__threadfence_block": True, "__threadfence_system": False}
"""Fences, and whether they reach the threads of the block only."""


def fence(c: Context, span: Span, *, block: bool) -> Callable[[Group, Active], None]:
    """Compile a fence within a statement; `block`: it reaches the threads of the block only."""
    caller = c.statement
    number = c.new_statement(span, "fence")
    c.statement = caller
    if block:
        c.racecheck.block_fences.add(number)
    recorder = c.machine.recorder
    return lambda group, mask: recorder.fence(number, group, mask)
