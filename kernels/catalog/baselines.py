"""Baselines outside CUDA C that the catalogue lists: on the CPU, and routines of GPU libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Baseline:
    """One routine that runs on the CPU or comes from a GPU library.

    `threaded` says that the number of threads can be chosen.
    """

    id: str
    title: str
    teaches: str
    workload: str
    order: int
    runs_on: Literal["cpu", "library"]
    threaded: bool = False


BASELINES: Final[tuple[Baseline, ...]] = (
    Baseline(
        id="cpu_blas",
        title="The machine's BLAS",
        teaches="What a tuned library reaches on the same cores.",
        workload="matmul",
        order=14,
        runs_on="cpu",
        threaded=True,
    ),
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
"""`kernels.cpu.matmul` and `kernels.gpu.cublas` run them."""
