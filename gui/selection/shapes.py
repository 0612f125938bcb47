"""Shapes of a launch, size and block: small ones for pictures, large ones for the figures of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from kernels.errors import TilescopeError
from kernels.launch import OPT_IN, Dim3, check

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.workload import Size

Scale = Literal["picture", "device"]
"""Launches that are executed step by step, or launches of which a device is full."""


class Shape(NamedTuple):
    """Size and block of a launch."""

    size: Size
    block: Dim3


def opening(kernel: Kernel, scale: Scale) -> Shape:
    """Return the shape that a kernel opens with: for the figures of a device, its largest block worth measuring."""
    small = Shape(kernel.size, kernel.block)
    if scale == "picture" or kernel.runs_on != "cuda":
        return small
    block = kernel.blocks[-1] if kernel.blocks else kernel.block
    candidates = (Shape(kernel.workload.fit(size), block) for size in kernel.workload.large)
    return next((shape for shape in candidates if is_legal(kernel, shape)), small)


def next_shape(kernel: Kernel, scale: Scale, before: Kernel, shape: Shape) -> Shape:
    """Return the shape for a kernel that is chosen after another one.

    A size that the user has entered is kept for another kernel of the same workload, and so is the block, where the
    kernel can be launched with them. A lesson opens with its own: at another size it may show no mistake.
    """
    opens = opening(kernel, scale)
    if kernel.flaw and scale == "picture":
        return opens
    if kernel.workload != before.workload or kernel.runs_on != before.runs_on or shape == opening(before, scale):
        return opens
    candidates = (shape, Shape(shape.size, opens.block), opens)
    return next((candidate for candidate in candidates if is_legal(kernel, candidate)), opens)


def is_legal(kernel: Kernel, shape: Shape) -> bool:
    """Return whether a kernel can be launched with a shape on some device.

    The launch rule of a file that is being edited may name a value that does not exist: then there is no such shape.
    """
    try:
        check(kernel.launch(*shape), OPT_IN)
    except TilescopeError:
        return False
    return True
