"""Rarely used intrinsics: directed rounding, packed integers, special functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.rare_math.directed_conversions import DIRECTED_CONVERSIONS
from kernels.simt.libraries.rare_math.directed_rounding import DIRECTED
from kernels.simt.libraries.rare_math.packed_integers import DOTS, PACKED
from kernels.simt.libraries.rare_math.special_functions import SPECIAL

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= {**DIRECTED, **DIRECTED_CONVERSIONS, **DOTS, **PACKED, **SPECIAL}
