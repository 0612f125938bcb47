"""Baselines outside CUDA C that the catalogue lists: on the CPU, and routines of GPU libraries."""

from __future__ import annotations

from typing import Final

from kernels.catalog.model import Kernel
from kernels.workload import WORKLOADS, Size

_SIZE: Final = Size(256, 256, 256)

BASELINES: Final = (
    Kernel(
        id="cpu_blas",
        title="The machine's BLAS",
        teaches="What a tuned library reaches on the same cores.",
        workload=WORKLOADS["matmul"],
        order=14,
        runs_on="cpu",
        size=_SIZE,
        threaded=True,
    ),
    Kernel(
        id="cublas_sgemm",
        title="cuBLAS",
        teaches="What NVIDIA's own library reaches on the same GPU.",
        workload=WORKLOADS["matmul"],
        order=90,
        runs_on="library",
        size=_SIZE,
    ),
    Kernel(
        id="cublas_sgemm_mmt",
        title="cuBLAS, the whole product",
        teaches="The same library on M·Mᵀ, computed like any product.",
        workload=WORKLOADS["mmt"],
        order=91,
        runs_on="library",
        size=_SIZE,
    ),
    Kernel(
        id="cublas_ssyrk",
        title="cuBLAS, one triangle",
        teaches="The library's routine for M·Mᵀ computes one triangle; a copy to the other one is part of the time.",
        workload=WORKLOADS["mmt"],
        order=92,
        runs_on="library",
        size=_SIZE,
    ),
)
"""`kernels.cpu.matmul` and `kernels.gpu.cublas` run them."""
