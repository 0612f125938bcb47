"""Samples for stores."""

from __future__ import annotations

from kernels.bench.measure.conditions import Conditions
from kernels.bench.measure.environment import this_environment
from kernels.bench.sample import Entry, Point, Sample
from kernels.launch import Dim3
from kernels.workload import Size

HERE = this_environment()


POINT = Point(Entry("matmul_tiled", Dim3(16, 8, 2)), Size(2, 3, 4))


GOOD = Sample(POINT, "measured", (1.0, 2.0, 3.0), 5, 48, "every element", "", "2026-01-01T00:00:00", HERE.id)


FULL = Sample(
    Point(Entry("matmul_tiled", Dim3(16, 16), cold=True), Size(64, 64, 64)),
    "measured",
    tuple(1.0 + n / 100 for n in range(40)),
    1,
    2 * 64**3,
    "every element",
    "",
    "2026-01-01T00:00:00",
    HERE.id,
    stopped="precision",
    captured=True,
    repeat="confirmed",
    duration_s=1.5,
    baseline="cublas_sgemm",
    baseline_ms=tuple(0.5 + n / 1000 for n in range(40)),
    conditions=Conditions(0.5, 1.0, 2.0, 1.0, 1.0, 0.25, 1500.0, 3201.0, 650.5, 61.0, ("SW power cap",), 50_000.0),
)
"""A sample with every field."""
