"""Cooperative groups: what is asked of a group, in CUDA's built-in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.cooperative_groups.coalesced_group import COALESCED_FUNCTIONS
from kernels.simt.libraries.cooperative_groups.groups import in_other_words, make

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= COALESCED_FUNCTIONS
    registry.rewrites.append(in_other_words)
    registry.makers.append(make)
