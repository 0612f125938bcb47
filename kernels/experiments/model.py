"""What an experiment says: what to run, what was published, what to look for. Frozen data, read from one file each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.device import Device
    from kernels.gpu.memory import Memory
    from kernels.workload import Size

Scale = Literal["quick", "full", "cpu"]
"""quick: under a minute on a data-centre GPU. full: the sizes of the publication. cpu: without a GPU, two minutes."""

Coordinate = Literal["n", "size", "width", "threads", "kernel", "memory"]
"""What tells one measured point from another. width: threads along x of a block; size: n, or M×N×K."""

Figure = Literal["gflops", "ms", "l2"]
"""What is read off a point: a rate, the median time, or the sum of squared differences against a sequential run."""

Kind = Literal["best", "order", "ratio", "value", "largest", "correct", "occupancy"]
"""best: where along a coordinate the figure is best. order: selections from the best figure to the worst.
ratio: the first selection's figure over the second's. value: one figure. largest: the last n that runs.
correct: every selected result was verified. occupancy: a width with more resident warps is slower than another."""

SCALES: Final[tuple[Scale, ...]] = get_args(Scale)
COORDINATES: Final[tuple[Coordinate, ...]] = get_args(Coordinate)
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

LARGEST: Final = "largest"
"""As an n: the largest at which every selection of a claim, or every curve of a plot, has a point."""

SUGGESTED: Final = "suggested"
"""As a width: the side that occupancy chooses for the kernel on the device."""

At = dict[Coordinate, str | int]
"""Where a point is: all its coordinates."""

Where = dict[Coordinate, str | int | tuple[str | int, ...]]
"""Which points are meant: those with these coordinates, or with one of several values. Of several points the one
with the highest rate, the shortest time or the largest error counts."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where an experiment would run. Without a device, `missing` says in one line why."""

    device: Device | None
    missing: str
    cores: int


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the plot: what stands along it, its title with the unit, and whether it is logarithmic."""

    name: str
    title: str
    log: bool


@dataclass(frozen=True, slots=True)
class Part:
    """Points that are measured together: every kernel at every width, thread count, memory and size.

    `sizes` has none for a scale at which the part is left out. `extends` says whether larger sizes make sense.
    """

    kernels: tuple[str, ...]
    sizes: Mapping[Scale, tuple[Size, ...]]
    widths: tuple[int | str, ...] = ()
    threads: tuple[int, ...] = ()
    memory: tuple[Memory, ...] = ("device",)
    extends: bool = True


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve of ours and, where it was published, theirs: `x` (numbers, or words on an axis of words) and `y`."""

    label: str
    where: Where
    x: tuple[str | int, ...] = ()
    y: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """One published finding.

    Attributes
    ----------
    text : str
        In words, with the published figure.
    series : tuple of Where
        What it is about; `order` and `ratio` have several.
    figure : Figure
        What is compared.
    along : Coordinate
        For `best`.
    published : float or None
        The figure; None for an `order`, and where nothing was published: then ours is only told.
    within : float
        How many times more or less than published still agrees; in an order, how many times better each has to
        be than the next.
    """

    text: str
    kind: Kind
    series: tuple[Where, ...]
    figure: Figure
    along: Coordinate = "width"
    published: float | None = None
    within: float = 1.25


@dataclass(frozen=True, slots=True)
class Experiment:
    """One published table.

    Attributes
    ----------
    question : str
        What it asks, one line.
    look_for : tuple of str
        What to look for, a sentence each.
    today : tuple of str
        What today's hardware shows where it disagrees, and the counts behind it.
    source, gpu : str
        Where it was published, and on which GPU it was measured there.
    names : mapping of str to str
        What the publication calls a kernel, by id.
    fill, fmad
        What the inputs hold, and whether product and sum are rounded once.
    timed, every_element
        Whether anything is timed, or only results are compared; whether all of a large result is verified.
    """

    id: str
    title: str
    order: int
    question: str
    look_for: tuple[str, ...]
    today: tuple[str, ...]
    source: str
    gpu: str
    names: Mapping[str, str]
    x: Axis
    y: Axis
    parts: tuple[Part, ...]
    curves: tuple[Curve, ...]
    claims: tuple[Claimed, ...]
    fill: str
    fmad: bool
    timed: bool
    every_element: bool

    def named(self, kernel: str) -> str:
        """Return what the publication calls a kernel, or its id."""
        return self.names.get(kernel, kernel)
