"""Entries (curves), points (an entry at a size) and samples (the result of a point)."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from kernels.control_characters import escape_controls
from kernels.gpu.memory import Memory
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.verify.model import Checks

Outcome = Literal["measured", "checked", "wrong", "refused", "failed", "overtime"]
"""Outcome of a point.

measured: verified and timed. checked: found right, not to be timed. wrong: the result is not correct, so there is no
time. refused: an illegal launch or unusable input; nothing ran. failed: the kernel broke the CUDA context or ended the
worker. overtime: the point took longer than its time limit, so its worker was ended.
"""

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


MEMORIES: Final[tuple[Memory, ...]] = get_args(Memory)

_MEMORY_WORDS: Final[Mapping[str, str]] = {
    "device": "",
    "pageable": ", with transfers (pageable)",
    "pinned": ", with transfers (pinned)",
    "managed": ", managed memory",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One curve: a kernel (an id of the catalogue or the path of a .cu file), its block, its CPU threads.

    `block` is None and `threads` is 0 where the kernel has none to choose. `memory` says what is timed.
    """

    kernel: str
    block: Dim3 | None = None
    threads: int = 0
    memory: Memory = "device"

    @property
    def label(self) -> str:
        """Words for a legend, such as `matmul_tiled 16×16, with transfers (pinned)` or `cpu_parallel 4 threads`."""
        name = escape_controls(Path(self.kernel).name.replace(".cu", ""))
        if self.block:
            name += f" {self.block}"
        elif self.threads:
            name += f" {self.threads} thread{'s' * (self.threads > 1)}"
        return name + _MEMORY_WORDS[self.memory]


PARTS: Final = ("to_device", "kernel", "to_host")
"""Parts of a time with transfers."""


@dataclass(frozen=True, slots=True)
class Point:
    """One entry at one size."""

    entry: Entry
    size: Size

    def __str__(self) -> str:
        return f"{self.entry.label}, size {self.size}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values: kernel, block or null, threads, memory, size as [M, N, K]."""
        entry = self.entry
        return {
            "kernel": entry.kernel,
            "block": list(entry.block) if entry.block else None,
            "threads": entry.threads,
            "memory": entry.memory,
            "size": list(self.size),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Read back what `to_json` gave; older versions did not say where the arrays live."""
        block = Dim3(*data["block"]) if data["block"] else None
        memory = read_memory(data.get("memory", "device"))
        return cls(Entry(str(data["kernel"]), block, int(data["threads"]), memory), Size(*data["size"]))


def read_memory(text: Any) -> Memory:
    """Return the word itself; raises ValueError when it is none of `MEMORIES`."""
    return MEMORIES[MEMORIES.index(text)]


@dataclass(frozen=True, slots=True)
class Sample:
    """The outcome of one point."""

    point: Point
    outcome: Outcome
    times_ms: tuple[float, ...] = ()
    """Raw times of what `Memory` says, the kernel alone as the mean of `launches` back to back; empty unless
    timed."""
    launches: int = 0
    flops: int = 0
    """Floating-point operations that one launch stands for."""
    checked: str = ""
    """Words for the elements that were compared with the float64 reference."""
    error: str = ""
    """Reason in one line for a point without a time; else empty."""
    taken: str = ""
    """Time of the measurement, ISO 8601, UTC."""
    environment: str = ""
    """Id of its `Environment`."""
    parts_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Parts that add up to each of `times_ms`: `to_device`, `kernel` and `to_host`, as far as they can be separated.
    Empty where the kernel alone is timed. In managed memory `kernel` contains the pages' way to the GPU."""
    checks: Checks | None = None
    """Findings of the checks, in a plan that makes them."""

    @property
    def verified(self) -> bool:
        """Return whether the result was found correct, before any timing."""
        return self.outcome in ("measured", "checked")

    @property
    def median_ms(self) -> float | None:
        """Median time of one launch; None without times."""
        return self._percentile(50)

    @property
    def p10_ms(self) -> float | None:
        """Time that 10 % of the launches stay below."""
        return self._percentile(10)

    @property
    def p90_ms(self) -> float | None:
        """Time that 90 % of the launches stay below."""
        return self._percentile(90)

    @property
    def gflops(self) -> float | None:
        """Operations a nanosecond, by the median time; None without a verified time."""
        median = self.median_ms
        return self.flops / median / 1e6 if median and self.flops else None

    def part_ms(self, part: str) -> float | None:
        """Return the median time of one part; None where it was not timed apart."""
        times_ms = self.parts_ms.get(part, ()) if self.verified else ()
        return statistics.median(times_ms) if times_ms else None

    def _percentile(self, percent: float) -> float | None:
        return percentile(self.times_ms, percent) if self.verified and self.times_ms else None


def percentile(values: Sequence[float], percent: float) -> float:
    """Return what `np.percentile` returns for a few numbers, bit by bit, in a tenth of its time.

    A page that opens asks for the percentiles of ten thousand points.
    """
    if math.isnan(sum(values)):
        return math.nan
    ordered = sorted(values)
    place = (len(ordered) - 1) * (percent / 100)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    share = place - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)
