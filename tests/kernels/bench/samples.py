"""Samples for stores."""

from __future__ import annotations

from kernels.bench.environment import this_environment
from kernels.bench.sample import Entry, Point, Sample
from kernels.launch import Dim3
from kernels.workload import Size

HERE = this_environment()


POINT = Point(Entry("matmul_tiled", Dim3(16, 8, 2)), Size(2, 3, 4))


GOOD = Sample(POINT, "measured", (1.0, 2.0, 3.0), 5, 48, "every element", "", "2026-01-01T00:00:00", HERE.id)
