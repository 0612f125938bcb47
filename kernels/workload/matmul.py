"""C = A·B: A is M×K, B is K×N, C is M×N."""

from __future__ import annotations

from typing import Final

from kernels.reference import Product
from kernels.workload.model import ArraySpec, Length, Workload
from kernels.workload.picture import Matrices, Panel

WORKLOAD: Final = Workload(
    id="matmul",
    title="C = A·B",
    lengths=(Length("m", "M"), Length("n", "N"), Length("k", "K")),
    picture=Matrices((Panel("A", "left"), Panel("B", "top"), Panel("C", "result"))),
    arrays=lambda s: (
        ArraySpec("A", "float32", (s.m, s.k)),
        ArraySpec("B", "float32", (s.k, s.n)),
        ArraySpec("C", "float32", (s.m, s.n), output=True),
    ),
    flops=lambda s: 2 * s.m * s.n * s.k,
    results=lambda inputs, s, rows: {"C": Product(inputs["A"], inputs["B"], rows)},
)
