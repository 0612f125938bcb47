"""Inline PTX, lowered to operations of CUDA C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.inline_ptx.asm import assembly

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.assembly = assembly
