"""Baselines that run anywhere. Importing this is cheap: `kernels.cpu.matmul` loads Numba when used."""

from __future__ import annotations

from typing import Final

from kernels.baseline import Baseline

BASELINES: Final[tuple[Baseline, ...]] = (
    Baseline(
        id="cpu_sequential",
        title="Three loops on one core",
        teaches="One dot product per element of C, row by row: O(n³), so twice the n takes 8×.",
        workload="matmul",
        order=1,
        runs_on="cpu",
    ),
    Baseline(
        id="cpu_parallel",
        title="Rows shared by threads",
        teaches="The rows of C are split over T threads; each runs the same three loops on its own rows.",
        workload="matmul",
        order=2,
        runs_on="cpu",
        threaded=True,
    ),
    Baseline(
        id="cpu_blas",
        title="The machine's BLAS",
        teaches="What a tuned library reaches on the same cores.",
        workload="matmul",
        order=3,
        runs_on="cpu",
        threaded=True,
    ),
)
"""What the catalogue lists and `kernels.cpu.matmul` runs."""
