"""half and bfloat16 arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.half_bfloat16.functions import FUNCTIONS, operator_function

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= FUNCTIONS
    registry.operators.append(operator_function)
