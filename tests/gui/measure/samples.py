"""Samples without a measurement."""

from typing import Any

from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.store.database import Row
from kernels.launch import Dim3
from kernels.workload import Size


def sample(n: int, times_ms: tuple[float, ...] = (1.0,), kernel: str = "k", **fields: Any) -> Sample:
    given = {"outcome": "measured", "flops": 2 * n**3, "times_ms": times_ms, **fields}
    return Sample(Point(Entry(kernel, Dim3(8, 8)), Size(n, n, n)), **given)


def rows(*samples: Sample) -> list[Row]:
    return [Row(1, taken, None) for taken in samples]
