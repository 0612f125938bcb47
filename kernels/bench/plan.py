"""Measurement plans: points, and the time to spend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from kernels.architecture import DEFAULT, SM_80, Architecture
from kernels.bench.measure.stopping import MIN_SAMPLES
from kernels.bench.sample import AS_LAUNCHED, Entry, Point
from kernels.catalog import catalog, find_kernel, kernel_name
from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.json_fields import JsonFields

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kernels.catalog import Kernel
    from kernels.custom_launch.model import CustomLaunch
    from kernels.gpu.memory import Memory
    from kernels.launch import Dim3
    from kernels.workload import Size

DEFAULT_FILL: Final = Fills(Fill("random", (1,)))
"""Random inputs: zeros would draw less power and run at a higher clock."""

MOST_SHARDS: Final = 100_000
"""More tasks than a cluster's queue takes; every part of a plan needs memory, also one without points."""

Task = Literal["time", "check", "simulate"]
TASKS: Final[tuple[Task, ...]] = get_args(Task)


@dataclass(frozen=True, slots=True)
class Plan:
    """Points in the order in which they are measured, and the conditions."""

    points: tuple[Point, ...]
    budget_s: float = 1.0
    """Maximum seconds of timing for one point; a single launch may take longer."""
    min_samples: int = MIN_SAMPLES
    """Minimum number of samples of one point, as far as the budget allows."""
    time_limit_s: float = 60.0
    """Maximum seconds for one point, including compilation and verification; a worker that takes longer is killed."""
    fill: Fills = DEFAULT_FILL
    """Fill of the inputs."""
    fmad: bool = True
    """Whether the compiler may fuse a multiplication and an addition."""
    task: Task = "time"
    """Work at each point: `time` verifies the result and times the kernel; `check` makes all checks of the
    result, without timing; `simulate` makes the same checks of the simulator's result."""
    every_element: bool = False
    """Whether all rows of a large result are verified before timing, instead of a sample of the rows."""
    baselines: tuple[Entry, ...] = ()
    """Library routines, or kernels that others are compared with: `baseline_of` a point is timed in turns with it, so
    that both run under the same conditions."""
    total_s: float | None = None
    """Maximum seconds for all points; those that have not begun then are skipped. None for no limit."""
    graphs: bool = True
    """Whether launches below 50 µs are captured in a CUDA graph."""
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Texts of its CUDA kernels (`kernels.bench.kernel_texts`), for another machine; empty: the files are here."""
    shards: int = 1
    """Number of parts in which it is measured (`kernels.bench.hosts.shards`)."""
    run: str = ""
    """Id of the run that the shards form together; "" for a plan that is measured in one piece."""
    architecture: Architecture = SM_80
    """The GPU whose code the simulator runs."""

    def __post_init__(self) -> None:
        limits = {"budget": self.budget_s, "time limit": self.time_limit_s, "time limit of the plan": self.total_s}
        for name, value in limits.items():
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(f"the {name} is {value:g} s: give a finite number of seconds, above 0")
        if self.min_samples < 1:
            raise InputError(f"the least number of samples must be a whole number from 1 up (it is {self.min_samples})")
        if not 1 <= self.shards <= MOST_SHARDS:
            most = f"{MOST_SHARDS:,}"
            raise InputError(f"the number of shards must be a whole number from 1 to {most} (it is {self.shards})")

    def divided(self, shards: int, run: str) -> Plan:
        """Return the plan in that many parts, which form the run of this id together."""
        return replace(self, shards=shards, run=run)

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "points": [point.to_json() for point in self.points],
            "budget_s": self.budget_s,
            "min_samples": self.min_samples,
            "time_limit_s": self.time_limit_s,
            "total_s": self.total_s,
            "fill": str(self.fill),
            "fmad": self.fmad,
            "task": self.task,
            "every_element": self.every_element,
            "baselines": [entry.to_json() for entry in self.baselines],
            **({} if self.graphs else {"graphs": False}),
            **({"texts": {name: dict(files) for name, files in self.texts.items()}} if self.texts else {}),
            **({"shards": self.shards} if self.shards > 1 else {}),
            **({"run": self.run} if self.run else {}),
            **({"architecture": str(self.architecture)} if self.architecture != SM_80 else {}),
        }

    @classmethod
    def from_json(cls, data: object) -> Plan:
        """Read the object of `to_json`, of this or an older version.

        Raises
        ------
        InputError
            When a field is missing, of another type or out of its range.
        """
        try:
            fields = JsonFields(data)
            return cls(
                points=fields.members("points", Point.from_json),
                budget_s=fields.positive("budget_s"),
                min_samples=fields.whole_number("min_samples", least=1),
                time_limit_s=fields.positive("time_limit_s"),
                total_s=fields.positive("total_s", None, or_null=True),
                fill=fields.parsed("fill", Fills.parse),
                fmad=fields.flag("fmad"),
                task=fields.one_of("task", TASKS, "time"),
                every_element=fields.flag("every_element", default=False),
                baselines=fields.members("baselines", Entry.from_json, ()),
                graphs=fields.flag("graphs", default=True),
                texts={name: files.texts() for name, files in fields.tables("texts").items()},
                shards=fields.whole_number("shards", 1, least=1),
                run=fields.text("run", ""),
                architecture=Architecture.parse(fields.text("architecture", DEFAULT)),
            )
        except InputError as error:
            raise InputError(f"this is not a plan: {error}") from error


def entries(
    kernel: Kernel,
    blocks: Sequence[Dim3] = (),
    threads: Sequence[int] = (),
    memories: Sequence[Memory] = (),
    *,
    cold: bool = False,
) -> tuple[Entry, ...]:
    """Return the curves of one kernel.

    Without `blocks`, a CUDA kernel has a curve for each of its `Kernel.blocks`, or one where a table chooses among
    them; without `threads`, a threaded baseline uses every core; without `memories` the kernel alone is timed. With
    `cold`, the L2 cache is flushed before every launch of a kernel with arrays in device memory.
    Parameters that do not apply to a kernel are ignored.

    Raises
    ------
    InputError
        When the kernel has no rate.
    """
    require_rate(kernel)
    return all_entries(kernel, blocks, threads, memories, cold=cold)


def require_rate(kernel: Kernel) -> None:
    """Refuse a kernel that has no rate: a lesson, which is wrong on purpose, or one without arithmetic.

    Raises
    ------
    InputError
        With the reason, and the kernels that can be measured.
    """
    if kernel.flaw:
        raise InputError(f"{kernel.id} is a lesson: it is wrong on purpose: {kernel.flaw}")
    if not kernel.measurable:
        raise InputError(f"{kernel.id} does no arithmetic, so it has no rate: measure another, such as matmul_tiled")


def all_entries(
    kernel: Kernel,
    blocks: Sequence[Dim3] = (),
    threads: Sequence[int] = (),
    memories: Sequence[Memory] = (),
    *,
    cold: bool = False,
) -> tuple[Entry, ...]:
    """Return the curves of one kernel as `entries` does, also for a kernel without a rate, for checks of its result."""
    name = kernel_name(kernel)
    if kernel.runs_on == "cpu":
        from kernels.cpu.matmul import default_threads

        counts = (threads or (default_threads(kernel.id),)) if kernel.threaded else (0,)
        return tuple(Entry(name, threads=count) for count in counts)
    # A kernel written for managed memory runs in no other; library routines run in any.
    places = ("managed",) if kernel.memory == "managed" else tuple(memories) or ("device",)
    shapes: Sequence[Dim3 | None] = blocks or kernel.blocks or (kernel.block,)
    if kernel.runs_on != "cuda" or (kernel.block_rules and not blocks):
        shapes = (None,)
    return tuple(
        Entry(name, block, memory=place, cold=cold and place == "device") for place in places for block in shapes
    )


def libraries(curves: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries of library routines, the baselines of all others."""
    known = {kernel.id for kernel in catalog() if kernel.file is None}
    return tuple(entry for entry in dict.fromkeys(curves) if entry.kernel in known)


def baseline_of(point: Point, baselines: Sequence[Entry]) -> Point | None:
    """Return what a point is compared with; None for a baseline or a library routine, and where there is none.

    It solves the same problem on the same processor, with its arrays in the same memory.
    """
    if point.entry.launch or point.entry in baselines:
        return None
    kernel = find_kernel(point.entry.kernel)
    if kernel.file is None:
        return None
    for entry in baselines:
        library = find_kernel(entry.kernel)
        alike = library.workload.id == kernel.workload.id and (library.runs_on == "cpu") == (kernel.runs_on == "cpu")
        if alike and (entry.memory, entry.cold) == (point.entry.memory, point.entry.cold):
            return Point(entry, point.size)
    return None


def points(curves: Iterable[Entry], sizes: Iterable[Size]) -> tuple[Point, ...]:
    """Return a point for each curve and size, all curves at the first size first: so they can be compared early."""
    curves = tuple(dict.fromkeys(curves))
    return tuple(Point(entry, size) for size in dict.fromkeys(sizes) for entry in curves)


def plan_of_launch(launch: CustomLaunch) -> Plan:
    """Return the plan of one point: a file that does not describe itself, with the user's launch."""
    return Plan((Point(Entry(str(launch.file.resolve()), launch=launch.settings), AS_LAUNCHED),))


def remaining(plan: Plan, measured_points: Collection[Point]) -> Plan:
    """Return the plan without the points that have an outcome, for the next worker."""
    return replace(plan, points=tuple(point for point in plan.points if point not in measured_points))
