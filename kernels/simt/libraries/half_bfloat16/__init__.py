"""half and bfloat16 arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.half_bfloat16 import bfloat16_functions, half
from kernels.simt.libraries.half_bfloat16.bfloat16_functions import BFLOATS
from kernels.simt.libraries.half_bfloat16.half import HALVES
from kernels.simt.libraries.half_bfloat16.half_variants import HALF_VARIANTS

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= {**HALVES, **BFLOATS, **HALF_VARIANTS}
    registry.operators += [bfloat16_functions.operator_function, half.operator_function]
