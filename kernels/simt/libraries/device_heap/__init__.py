"""malloc, free, new and delete on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.device_heap.allocations import ALLOCATIONS

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= ALLOCATIONS
