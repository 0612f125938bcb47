"""Cooperative groups, lowered to CUDA's built-in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.cooperative_groups.groups import CONSTRUCTORS, construct, lower

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= dict.fromkeys(CONSTRUCTORS, construct)
    registry.rewrites.append(lower)
