"""Experiments as frozen data: points to run, published figures, and findings to look for. One file each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.device import Device
    from kernels.gpu.memory import Memory
    from kernels.workload import Size

Scale = Literal["quick", "full", "cpu"]
"""quick: under a minute on a data-centre GPU. full: the sizes of the publication. cpu: two minutes without a GPU."""

Coordinate = Literal["n", "size", "width", "threads", "kernel", "memory"]
"""Coordinates of a measured point. width: threads along x of a block; size: n, or M×N×K."""

Figure = Literal["gflops", "gb_per_s", "ms", "l2"]
"""Figures of a point: a rate, in GFLOPS or, of a workload that the memory limits, in GB/s; the median time; or the sum
of squared differences against a sequential run."""

Kind = Literal["best", "order", "ratio", "value", "largest", "correct", "occupancy"]
"""best: where along a coordinate the figure is best. order: selections from the best figure to the worst.
ratio: the first selection's figure over the second's. value: one figure. largest: the last n that runs.
correct: every selected result was verified. occupancy: a width with more resident warps is slower than another."""

SCALES: Final[tuple[Scale, ...]] = get_args(Scale)
COORDINATES: Final[tuple[Coordinate, ...]] = get_args(Coordinate)
RATES: Final[tuple[Figure, ...]] = ("gflops", "gb_per_s")
"""Figures of which the largest is the best."""
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

LARGEST: Final = "largest"
"""As an n: the largest at which every selection of a claim, or every curve of a plot, has a point."""

SUGGESTED: Final = "suggested"
"""As a width: the side that occupancy chooses for the kernel on the device."""

At = dict[Coordinate, str | int]
"""All coordinates of a point."""

Where = dict[Coordinate, str | int | tuple[str | int, ...]]
"""A selection of points: those with these coordinates, or with one of several values. If several points match, the
one with the highest rate, the shortest time or the largest error is used."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine of a run."""

    device: Device | None
    """The GPU."""
    missing: str
    """The reason in one line why there is no device; else ""."""
    cores: int


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the plot."""

    name: str
    """Name of the coordinate or figure."""
    title: str
    """Title with the unit."""
    log: bool
    """Whether the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class Part:
    """Points that are measured together: every kernel at every width, thread count, memory and size."""

    kernels: tuple[str, ...]
    sizes: Mapping[Scale, tuple[Size, ...]]
    """None for a scale that omits the part."""
    widths: tuple[int | str, ...] = ()
    threads: tuple[int, ...] = ()
    memory: tuple[Memory, ...] = ("device",)
    extends: bool = True
    """Whether larger sizes than these make sense."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve of the plot."""

    label: str
    where: Where
    """The selection of our points."""
    x: tuple[str | int, ...] = ()
    """The published coordinates: numbers, or words on an axis of words; empty where none were published."""
    y: tuple[float, ...] = ()
    """The published figure at each of `x`."""


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """One published finding."""

    text: str
    """The claim in words, with the published figure."""
    kind: Kind
    series: tuple[Where, ...]
    """Selections that the claim compares; `order` and `ratio` have several."""
    figure: Figure
    """Figure that is compared."""
    along: Coordinate = "width"
    """Coordinate along which `best` is searched."""
    published: float | None = None
    """The figure; None for an `order`, and for a finding without a figure, where only ours is shown."""
    within: float = 1.25
    """Factor from the published figure, up or down, that still agrees; in an order, least ratio of each figure to the
    next."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One published table."""

    id: str
    title: str
    order: int
    question: str
    """Question of the table, one line."""
    look_for: tuple[str, ...]
    """Things to look for, a sentence each."""
    today: tuple[str, ...]
    """Results of today's hardware that disagree, with the counts that explain them."""
    source: str
    """The publication."""
    gpu: str
    """GPU of the publication."""
    names: Mapping[str, str]
    """By id: name of a kernel in the publication."""
    x: Axis
    y: Axis
    parts: tuple[Part, ...]
    curves: tuple[Curve, ...]
    claims: tuple[PublishedClaim, ...]
    fill: str
    """Fill of the inputs."""
    fmad: bool
    """Whether the compiler may fuse product and sum, which are then rounded once."""
    timed: bool
    """Whether points are timed; else only results are compared."""
    every_element: bool
    """Whether all of a large result is verified."""

    def kernel_label(self, kernel: str) -> str:
        """Return the name of a kernel in the publication, or its id."""
        return self.names.get(kernel, kernel)
