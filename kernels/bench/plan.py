"""What to measure: points, and how long to spend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from kernels.bench.sample import Entry, Point
from kernels.catalog import catalog
from kernels.errors import InputError
from kernels.fill import Fill, Fills

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.workload import Size

DEFAULT_FILL: Final = Fills(Fill("random", (1,)))
"""Random inputs: zeros would draw less power and run at a higher clock."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Points in the order they are measured.

    Attributes
    ----------
    budget_s : float
        Seconds of timing for one point, at most, unless a single launch takes longer.
    min_samples : int
        Samples of one point at least, as far as the budget allows.
    time_limit_s : float
        Seconds for one point with compiling, verifying and timing; a worker that takes longer is ended.
    fill : Fills
        What the inputs hold.
    fmad : bool
        Whether the compiler may fuse a multiplication and an addition.
    """

    points: tuple[Point, ...]
    budget_s: float = 1.0
    min_samples: int = 10
    time_limit_s: float = 60.0
    fill: Fills = DEFAULT_FILL
    fmad: bool = True

    def __post_init__(self) -> None:
        for name, value in (("budget", self.budget_s), ("time limit", self.time_limit_s)):
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"the {name} is {value:g} s: give a number of seconds above 0")
        if self.min_samples < 1:
            raise InputError(f"at least {self.min_samples} samples: give a whole number from 1 up")

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "points": [point.to_json() for point in self.points],
            "budget_s": self.budget_s,
            "min_samples": self.min_samples,
            "time_limit_s": self.time_limit_s,
            "fill": str(self.fill),
            "fmad": self.fmad,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """Read back what `to_json` gave.

        Raises
        ------
        InputError
            When a field is missing or of the wrong kind.
        """
        try:
            return cls(
                points=tuple(Point.from_json(point) for point in data["points"]),
                budget_s=float(data["budget_s"]),
                min_samples=int(data["min_samples"]),
                time_limit_s=float(data["time_limit_s"]),
                fill=Fills.parse(data["fill"]),
                fmad=bool(data["fmad"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"this is not a plan: {error!r}") from error


def entries(kernel: Kernel, blocks: Sequence[Dim3] = (), threads: Sequence[int] = ()) -> tuple[Entry, ...]:
    """Return the curves of one kernel.

    Without `blocks` a CUDA kernel gets those it declares worth measuring; without `threads` a threaded
    baseline uses every core. Kernels that have no block or no threads to choose ignore them.

    Raises
    ------
    InputError
        When a rate means nothing for this kernel.
    """
    if not kernel.measurable:
        able = ", ".join(k.id for k in catalog() if k.measurable)
        raise InputError(
            f"{kernel.id} does no arithmetic that a rate could be given for: measure one of {able}"
        )
    listed = any(kernel.id == other.id and kernel.file == other.file for other in catalog())
    name = kernel.id if listed or kernel.file is None else str(kernel.file.resolve())
    if kernel.runs_on == "cuda":
        return tuple(Entry(name, block) for block in blocks or kernel.blocks or (kernel.block,))
    if kernel.runs_on == "cpu":
        from kernels.cpu.matmul import core_count

        counts = (threads or (core_count(),)) if kernel.threaded else (0,)
        return tuple(Entry(name, threads=count) for count in counts)
    return (Entry(name),)


def points(chosen: Iterable[Entry], sizes: Iterable[Size]) -> tuple[Point, ...]:
    """Every entry at every size, by size first, so that the curves grow side by side."""
    chosen = tuple(dict.fromkeys(chosen))
    return tuple(Point(entry, size) for size in dict.fromkeys(sizes) for entry in chosen)


def remaining(plan: Plan, done: Collection[Point]) -> Plan:
    """Return the plan without the points that are done: what the next worker gets."""
    return replace(plan, points=tuple(point for point in plan.points if point not in done))
