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
    Kernel(
        id="cub_sum",
        title="CUB",
        teaches="What the library of CUDA's primitives reaches on the same sum: cub::DeviceReduce.",
        workload=WORKLOADS["reduce"],
        order=96,
        runs_on="library",
        size=Size(2**20, 2**20, 2**20),
    ),
    Kernel(
        id="cuda_memcpy",
        title="cudaMemcpy",
        teaches="The driver's own copy: what can be moved through the memory of this GPU.",
        workload=WORKLOADS["copy"],
        order=97,
        runs_on="library",
        size=Size(1024, 1024, 1),
    ),
    Kernel(
        id="cupy_softmax",
        title="CuPy's softmax",
        teaches="The same by array operations: each of them reads and writes the whole matrix.",
        workload=WORKLOADS["softmax"],
        order=98,
        runs_on="library",
        size=Size(1024, 1024, 1),
    ),
)
"""`kernels.cpu.matmul` and `kernels.gpu.libraries` run them."""
