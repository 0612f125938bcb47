"""Routines of GPU libraries, measured as the mark to reach."""

from __future__ import annotations

from typing import Final

from kernels.baseline import Baseline

ROUTINES: Final[tuple[Baseline, ...]] = (
    Baseline(
        id="cublas_sgemm",
        title="cuBLAS",
        teaches="What NVIDIA's own library reaches on the same GPU.",
        workload="matmul",
        order=90,
        runs_on="library",
    ),
)
"""What the catalogue lists."""
