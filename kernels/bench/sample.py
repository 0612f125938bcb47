"""What is measured and what comes out: entries, points, samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

Outcome = Literal["measured", "wrong", "refused", "failed", "overtime"]
"""What became of a point.

measured: verified and timed. wrong: the result is not correct, so there is no time. refused: an illegal
launch or unusable input; nothing ran. failed: the kernel broke the CUDA context or ended the worker.
overtime: the point took longer than its time limit, so its worker was ended.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One curve: a kernel (an id of the catalogue or the path of a .cu file), its block, its CPU threads.

    `block` is None and `threads` is 0 where the kernel has none to choose.
    """

    kernel: str
    block: Dim3 | None = None
    threads: int = 0

    @property
    def label(self) -> str:
        """Words for a legend, such as `matmul_tiled 16×16` or `cpu_parallel 4 threads`."""
        name = Path(self.kernel).stem if self.kernel.endswith(".cu") else self.kernel
        if self.block:
            return f"{name} {self.block}"
        return f"{name} {self.threads} thread{'s' * (self.threads > 1)}" if self.threads else name


@dataclass(frozen=True, slots=True)
class Point:
    """One entry at one size."""

    entry: Entry
    size: Size

    def __str__(self) -> str:
        return f"{self.entry.label}, size {self.size}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values: kernel, block or null, threads, size as [M, N, K]."""
        entry = self.entry
        block = list(entry.block) if entry.block else None
        return {"kernel": entry.kernel, "block": block, "threads": entry.threads, "size": list(self.size)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Read back what `to_json` gave."""
        block = Dim3(*data["block"]) if data["block"] else None
        return cls(Entry(str(data["kernel"]), block, int(data["threads"])), Size(*data["size"]))


@dataclass(frozen=True, slots=True)
class Sample:
    """The outcome of one point.

    Attributes
    ----------
    times_ms : tuple of float
        Raw times of one launch, each the mean of `launches` back to back; empty unless verified.
    flops : int
        Floating-point operations that one launch stands for.
    checked : str
        What was compared with the float64 reference.
    error : str
        One line why there is no time; empty when there is.
    taken : str
        When, ISO 8601, UTC.
    environment : str
        Id of the `Environment` it was taken in.
    """

    point: Point
    outcome: Outcome
    times_ms: tuple[float, ...] = ()
    launches: int = 0
    flops: int = 0
    checked: str = ""
    error: str = ""
    taken: str = ""
    environment: str = ""

    @property
    def verified(self) -> bool:
        """Whether the result was found correct before the timing."""
        return self.outcome == "measured"

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

    def _percentile(self, percent: float) -> float | None:
        return float(np.percentile(self.times_ms, percent)) if self.verified and self.times_ms else None
