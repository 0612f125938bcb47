"""cuRAND's device functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.curand.functions import FUNCTIONS

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= FUNCTIONS
