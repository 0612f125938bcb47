"""P = M·Mᵀ: M and P are n×n."""

from __future__ import annotations

from typing import Final

from kernels.reference import Product
from kernels.workload.model import ArraySpec, Length, Workload
from kernels.workload.picture import Matrices, Panel

WORKLOAD: Final = Workload(
    id="mmt",
    title="P = M·Mᵀ",
    lengths=(Length("n", "n"),),
    picture=Matrices((Panel("M", "left"), Panel("M", "top", transposed=True), Panel("P", "result"))),
    arrays=lambda s: (
        ArraySpec("M", "float32", (s.n, s.n)),
        ArraySpec("P", "float32", (s.n, s.n), output=True),
    ),
    # Effective FLOPs: those of the whole product, also for a kernel that computes one triangle.
    flops=lambda s: 2 * s.n**3,
    results=lambda inputs, s, rows: {"P": Product(inputs["M"], inputs["M"].T, rows)},
)
