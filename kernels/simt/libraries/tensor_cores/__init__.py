"""Tensor cores: wmma, mma, ldmatrix and wgmma."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt.libraries.tensor_cores.mma import INSTRUCTIONS, instruction
from kernels.simt.libraries.tensor_cores.wgmma import instruction as warpgroup_instruction
from kernels.simt.libraries.tensor_cores.wmma import TENSORS

if TYPE_CHECKING:
    from kernels.simt.compiler.registry import Registry


def enter(registry: Registry) -> None:
    """Enter the library into the registry."""
    registry.functions |= TENSORS
    registry.instructions |= {**dict.fromkeys(INSTRUCTIONS, instruction), "wgmma": warpgroup_instruction}
