"""Occupancy of an experiment: at its measured points, and of the block sides that the calculator suggests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.catalog import find_kernel
from kernels.device import find_device
from kernels.errors import TilescopeError
from kernels.experiments.model import SUGGESTED
from kernels.occupancy.curve import occupancy_of
from kernels.occupancy.resources import shipped_resources
from kernels.occupancy.suggest import suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.experiments.model import Experiment
    from kernels.experiments.points import Observation
    from kernels.occupancy.suggest import Suggestion
    from kernels.workload import Size


def suggest_side(kernel: Kernel, size: Size, device: Device) -> Suggestion:
    """Let occupancy choose the side of a block, by the register counts that come with tilescope.

    Raises
    ------
    InputError, UnavailableError
        When the kernel's block cannot be chosen so, or there are no such counts.
    """
    return suggest(kernel, size, device, shipped_resources)


def occupancy_at(place: Observation) -> float | None:
    """Return the theoretical occupancy of a point; None where nothing shipped tells it."""
    point = place.sample.point
    if point.entry.block is None:
        return None
    try:
        kernel, device = find_kernel(point.entry.kernel), device_by_name(place.gpu)
        return occupancy_of(kernel, point.size, point.entry.block, device, shipped_resources).fraction
    except TilescopeError:
        return None


def derivation(experiment: Experiment, found: Sequence[Observation]) -> tuple[str, ...]:
    """Say how the side of each kernel was chosen on the GPU that was measured; nothing where none was."""
    lines: dict[str, None] = {}
    kernels = [name for part in experiment.parts if SUGGESTED in part.widths for name in part.kernels]
    for place in found:
        if place.at["kernel"] in kernels and place.gpu:
            try:
                device = device_by_name(place.gpu)
                told = suggest_side(find_kernel(str(place.at["kernel"])), place.sample.point.size, device)
            except TilescopeError as error:
                return (str(error),)
            lines |= dict.fromkeys(told.lines)
    return tuple(lines)


def device_by_name(gpu: str) -> Device:
    """Find the shipped device that a driver calls so: `NVIDIA H200`; raises InputError when there is none."""
    return find_device(gpu.removeprefix("NVIDIA "))
