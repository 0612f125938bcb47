"""The tour of `tilescope demo`, read from `resources/tour.toml`, so that no view has the name of a kernel."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from kernels import RESOURCES
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from kernels.catalog import Kernel


@dataclass(frozen=True, slots=True)
class Example:
    """One kernel at one size and block."""

    kernel: Kernel
    size: Size
    block: Dim3
    message: str
    """Shown in the message bar."""
    blocks_shown: int = 0
    """Blocks that are played; 0 for all."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Kernels that the tour measures: CPU baselines on any machine, CUDA kernels with a GPU."""

    cpu: tuple[str, ...]
    cpu_sizes: tuple[int, ...]
    gpu: tuple[str, ...]
    gpu_sizes: tuple[int, ...]
    gpu_blocks: tuple[Dim3, ...]
    message: str
    """Shown in the message bar."""


@dataclass(frozen=True, slots=True)
class Published:
    """Experiments of the tour."""

    ids: tuple[str, ...]
    """The first that can run on a machine is run."""
    message: str
    """Shown in the message bar."""


@dataclass(frozen=True, slots=True)
class Tour:
    """The whole tour, in its order."""

    explore: tuple[Example, ...]
    benchmark: Measurement
    occupancy: Example
    device: str
    """The GPU whose occupancy is shown on a machine without one."""
    experiment: Published


@cache
def tour() -> Tour:
    """Read the tour."""
    data = tomllib.loads((RESOURCES / "tour.toml").read_text(encoding="utf-8"))
    bench = data["benchmark"]
    return Tour(
        explore=tuple(_example(entry) for entry in data["explore"]),
        benchmark=Measurement(
            cpu=tuple(bench["cpu"]),
            cpu_sizes=tuple(bench["cpu_sizes"]),
            gpu=tuple(bench["gpu"]),
            gpu_sizes=tuple(bench["gpu_sizes"]),
            gpu_blocks=tuple(Dim3(*block) for block in bench["gpu_blocks"]),
            message=bench["says"],
        ),
        occupancy=_example(data["occupancy"]),
        device=data["occupancy"]["device"],
        experiment=Published(tuple(data["experiment"]["try"]), data["experiment"]["says"]),
    )


def _example(entry: dict[str, Any]) -> Example:
    return Example(
        kernel=find_kernel(entry["kernel"]),
        size=Size(*entry["size"]),
        block=Dim3(*entry["block"]),
        message=entry["says"],
        blocks_shown=entry.get("blocks_shown", 0),
    )
