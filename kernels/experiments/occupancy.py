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
    """Suggest the side of a block by occupancy, from the shipped register counts.

    Raises
    ------
    InputError, UnavailableError
        When the kernel has no such rule for its block, or no counts are shipped.
    """
    return suggest(kernel, size, device, shipped_resources)


def occupancy_at(observation: Observation) -> float | None:
    """Return the theoretical occupancy of a point; None where no figures are shipped for it."""
    point = observation.sample.point
    if point.entry.block is None:
        return None
    try:
        kernel, device = find_kernel(point.entry.kernel), device_by_name(observation.gpu)
        return occupancy_of(kernel, point.size, point.entry.block, device, shipped_resources).fraction
    except TilescopeError:
        return None


def derivation(experiment: Experiment, observations: Sequence[Observation]) -> tuple[str, ...]:
    """Explain how the side of each kernel's block was chosen on the measured GPU, line by line."""
    lines: dict[str, None] = {}
    kernels = [name for part in experiment.parts if SUGGESTED in part.widths for name in part.kernels]
    for one in observations:
        if one.at["kernel"] in kernels and one.gpu:
            try:
                device = device_by_name(one.gpu)
                suggestion = suggest_side(find_kernel(str(one.at["kernel"])), one.sample.point.size, device)
            except TilescopeError as error:
                return (str(error),)
            lines |= dict.fromkeys(suggestion.lines)
    return tuple(lines)


def device_by_name(gpu: str) -> Device:
    """Find a shipped device by its driver's name, such as `NVIDIA H200`; raises InputError when there is none."""
    return find_device(gpu.removeprefix("NVIDIA "))
