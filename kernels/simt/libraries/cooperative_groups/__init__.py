"""Cooperative groups, lowered to CUDA's built-in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.cooperative_groups.coalesced_group import COALESCED_FUNCTIONS
from kernels.simt.libraries.cooperative_groups.groups import MAKERS, lower, make

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= {**COALESCED_FUNCTIONS, **dict.fromkeys(MAKERS, make)}
    registry.rewrites.append(lower)
