"""Routines of GPU libraries, measured as the mark to reach."""

from __future__ import annotations

from typing import Final

from kernels.catalog.baselines import Baseline

ROUTINES: Final[tuple[Baseline, ...]] = (
    Baseline(
        id="cublas_sgemm",
        title="cuBLAS",
        teaches="What NVIDIA's own library reaches on the same GPU.",
        workload="matmul",
        order=90,
        runs_on="library",
    ),
    Baseline(
        id="cublas_sgemm_mmt",
        title="cuBLAS, the whole product",
        teaches="The same library on M·Mᵀ, computed like any product.",
        workload="mmt",
        order=91,
        runs_on="library",
    ),
    Baseline(
        id="cublas_ssyrk",
        title="cuBLAS, one triangle",
        teaches="The library's routine for M·Mᵀ computes one triangle; a copy to the other one is part of the time.",
        workload="mmt",
        order=92,
        runs_on="library",
    ),
)
"""What the catalogue lists."""
