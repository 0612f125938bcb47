"""Entries (curves), points (an entry at a size) and samples (the result of a point)."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from kernels.bench.intervals import Interval, Verdict, median_interval, ratio_interval, scattered, verdict
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import short_words
from kernels.gpu.memory import Memory
from kernels.json_fields import JsonFields
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.bench.measure.conditions import Conditions
    from kernels.bench.measure.stopping import Stop
    from kernels.verify.model import Checks

Outcome = Literal["measured", "unverified", "checked", "wrong", "refused", "failed", "overtime", "skipped"]
"""Outcome of a point.

measured: verified and timed. unverified: timed, but nothing says what the result should be, so that it has a time and
no rate. checked: verified, in a plan that times nothing. wrong: the result is not correct, so it
was not timed. refused: an illegal launch or unusable input; nothing ran. failed: the kernel broke the CUDA context or
ended the worker. overtime: the point took longer than its time limit, so its worker was killed. skipped: the time limit
of the plan was used up before.
"""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)

Repeat = Literal["", "recovered", "confirmed"]
"""Result of a second measurement, made because the first was far slower than at the adjacent sizes.

recovered: the second is not. confirmed: it is, too. "": the point was measured once, or this is the first of two.
"""

Claim = Verdict | Literal["disturbed"]

REPEATS: Final[tuple[Repeat, ...]] = get_args(Repeat)

MEMORIES: Final[tuple[Memory, ...]] = get_args(Memory)

_MEMORY_WORDS: Final[Mapping[str, str]] = {
    "device": "",
    "pageable": ", with transfers (pageable)",
    "pinned": ", with transfers (pinned)",
    "managed": ", managed memory",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One curve: a kernel with its block or its CPU threads, and the memory of its arrays."""

    kernel: str
    """An id of the catalogue, or the path of a .cu file."""
    block: Dim3 | None = None
    """None for a kernel whose block cannot be chosen, or is chosen by the kernel's own table."""
    threads: int = 0
    """CPU threads; 0 for a kernel whose number of threads cannot be chosen."""
    memory: Memory = "device"
    """Memory of the arrays, which determines the timed operations (`kernels.gpu.memory.Memory`)."""
    cold: bool = False
    """Whether the L2 cache is flushed before every launch, outside the time; only with arrays in device memory."""
    launch: str = ""
    """Launch of a file that describes none (`kernels.custom_launch`), as `CustomLaunch.settings`; "" for all others."""

    @property
    def label(self) -> str:
        """Words for a legend, such as `matmul_tiled 16×16, with transfers (pinned)` or `cpu_parallel 4 threads`."""
        name = escape_controls(Path(self.kernel).name.replace(".cu", ""))
        if self.launch:
            name += f" {escape_controls(short_words(self.launch))}"
        elif self.block:
            name += f" {self.block}"
        elif self.threads:
            name += f" {self.threads} thread{'s' * (self.threads > 1)}"
        return name + _MEMORY_WORDS[self.memory] + ", cold L2" * self.cold

    def to_json(self) -> dict[str, Any]:
        """Return plain values: kernel, block or null, threads, memory, cold; launch where there is one."""
        return {
            "kernel": self.kernel,
            "block": list(self.block) if self.block else None,
            "threads": self.threads,
            "memory": self.memory,
            "cold": self.cold,
            **({"launch": self.launch} if self.launch else {}),
        }

    @classmethod
    def from_json(cls, data: object, place: str = "") -> Entry:
        """Read the object of `to_json`, at a place of a larger one; older versions did not write `memory` and `cold`.

        Raises
        ------
        InputError
            When a field is missing or of another type.
        """
        fields = JsonFields(data, place)
        block = fields.three("block", or_null=True)
        return cls(
            kernel=fields.text("kernel"),
            block=Dim3(*block) if block else None,
            threads=fields.whole_number("threads", least=0),
            memory=fields.one_of("memory", MEMORIES, "device"),
            cold=fields.flag("cold", default=False),
            launch=fields.text("launch", ""),
        )


_SCATTERED: Final = "half of the times are more than 5 times longer than the shortest"
_CONFIRMED: Final = "more than 5 times slower than at the adjacent sizes, also when measured again"

AS_LAUNCHED: Final = Size(1, 1, 1)
"""Size of a point whose entry has its own launch: a place holder."""

PARTS: Final = ("to_device", "kernel", "to_host")
"""Parts of a time with transfers."""


@dataclass(frozen=True, slots=True)
class Point:
    """One entry at one size."""

    entry: Entry
    size: Size

    def __str__(self) -> str:
        return self.entry.label if self.entry.launch else f"{self.entry.label}, size {self.size}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values: those of the entry, and size as [M, N, K]."""
        return {**self.entry.to_json(), "size": list(self.size)}

    @classmethod
    def from_json(cls, data: object, place: str = "") -> Point:
        """Read the object of `to_json`, at a place of a larger one; raises InputError as `Entry.from_json` does."""
        return cls(Entry.from_json(data, place), Size(*JsonFields(data, place).three("size")))


@dataclass(frozen=True, slots=True)
class Sample:
    """The outcome of one point."""

    point: Point
    outcome: Outcome
    times_ms: tuple[float, ...] = ()
    """Raw times, of the parts that `Memory` defines; empty unless timed. In device memory each is the mean of
    `launches` launches back to back."""
    launches: int = 0
    flops: int = 0
    """Floating-point operations of one launch."""
    checked: str = ""
    """Description of the elements that were compared with the float64 reference."""
    error: str = ""
    """Reason in one line for a point without a time; else ""."""
    taken: str = ""
    """Time of the measurement, ISO 8601, UTC."""
    environment: str = ""
    """Id of its `Environment`."""
    parts_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Parts that add up to each of `times_ms`: `to_device`, `kernel` and `to_host`, as far as they can be separated.
    Empty where the kernel alone is timed. In managed memory `kernel` contains the migration of pages to the GPU."""
    checks: Checks | None = None
    """Results of the checks; None in a plan that makes none."""
    stopped: Stop = ""
    """Reason that no more times were taken."""
    captured: bool = False
    """Whether the launches of one time were captured in a CUDA graph, as short ones are."""
    repeat: Repeat = ""
    duration_s: float = 0.0
    """Seconds that the point took, with compilation and verification; 0 in samples of older versions."""
    baseline: str = ""
    """Id of the library routine that was timed in turns with this point; "" for none."""
    baseline_ms: tuple[float, ...] = ()
    """Its times."""
    conditions: Conditions | None = None
    """Load, clocks and temperature; None in samples of older versions."""

    @property
    def verified(self) -> bool:
        """Return whether the result was found correct, before any timing."""
        return self.outcome in ("measured", "checked")

    @property
    def timed(self) -> bool:
        """Return whether its times can be shown: a wrong result has none."""
        return bool(self.times_ms) and (self.verified or self.outcome == "unverified")

    @property
    def median_ms(self) -> float | None:
        """Median time of one launch; None without times."""
        return self._percentile(50)

    @property
    def interval(self) -> Interval | None:
        """The median time with its 95 % interval; None below 6 times."""
        return median_interval(self.times_ms) if self.timed else None

    @property
    def min_ms(self) -> float | None:
        """The shortest time."""
        return min(self.times_ms) if self.timed else None

    @property
    def speed_up(self) -> Interval | None:
        """Speed-up over the baseline with its 95 % interval: the ratio of the medians, above 1 where this is faster."""
        return ratio_interval(self.times_ms, self.baseline_ms) if self.verified else None

    @property
    def percent_of_peak(self) -> float | None:
        """Rate as a percentage of the GPU's float32 peak at the clock measured meanwhile."""
        peak = self.conditions.peak_gflops if self.conditions else None
        return 100 * self.gflops / peak if self.gflops and peak else None

    @property
    def marks(self) -> tuple[str, ...]:
        """Clauses for people that say why the time may not be the kernel's."""
        found = self.conditions.marks if self.conditions else ()
        scatter = (_SCATTERED,) if self.scattered else ()
        confirmed = (_CONFIRMED,) if self.repeat == "confirmed" else ()
        unverified = (f"the result is not verified: {self.error}",) if self.outcome == "unverified" else ()
        return (*unverified, *found, *scatter, *confirmed)

    @property
    def scattered(self) -> bool:
        """Return whether half of the times, or of the baseline's, are several times longer than the shortest."""
        return scattered(self.times_ms) or scattered(self.baseline_ms)

    @property
    def claim(self) -> Claim | None:
        """What the speed-up says; None without one.

        "disturbed": other processes kept the cores busy, or the times scatter too much: the interval says nothing then.
        """
        ratio = self.speed_up
        if ratio is None:
            return None
        crowded = self.conditions is not None and self.conditions.crowded
        return "disturbed" if crowded or self.scattered else verdict(ratio)

    @property
    def p10_ms(self) -> float | None:
        """The 10th percentile of the times."""
        return self._percentile(10)

    @property
    def p90_ms(self) -> float | None:
        """The 90th percentile of the times."""
        return self._percentile(90)

    @property
    def gflops(self) -> float | None:
        """Floating-point operations per nanosecond of the median time; None without a verified time."""
        median = self.median_ms
        return self.flops / median / 1e6 if median and self.flops and self.verified else None

    def part_ms(self, part: str) -> float | None:
        """Return the median time of one part; None where it was not timed separately."""
        times_ms = self.parts_ms.get(part, ()) if self.verified else ()
        return statistics.median(times_ms) if times_ms else None

    def _percentile(self, percent: float) -> float | None:
        return percentile(self.times_ms, percent) if self.timed else None


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile, bit for bit as `np.percentile` but ten times as fast for a few numbers.

    A page computes the percentiles of ten thousand points when it opens.
    """
    if math.isnan(sum(values)):
        return math.nan
    ordered = sorted(values)
    place = (len(ordered) - 1) * (percent / 100)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    share = place - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)
