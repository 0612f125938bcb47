"""Baselines that run anywhere. Importing this is cheap: `kernels.cpu.matmul` loads Numba when used."""

from __future__ import annotations

from typing import Final

from kernels.catalog.baselines import Baseline

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
)
"""What the catalogue lists beside those that have a `.cu` file; `kernels.cpu.matmul` runs both."""
