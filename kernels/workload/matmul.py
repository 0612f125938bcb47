"""C = A·B: A is M×K, B is K×N, C is M×N, in float32; or with factors of 16 bits, of which the sums are floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.number_types import BFLOAT16, FLOAT16, FLOAT32, HALVES, numbers_of
from kernels.reference import Product
from kernels.workload.model import ArraySpec, Length, Workload
from kernels.workload.picture import Matrices, Panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from kernels.reference import Result
    from kernels.workload.model import Size


def _product(name: str, title: str, factors: str) -> Workload:
    """Return the product of matrices with factors of a type."""

    def arrays(size: Size) -> tuple[ArraySpec, ...]:
        return (
            ArraySpec("A", factors, (size.m, size.k)),
            ArraySpec("B", factors, (size.k, size.n)),
            ArraySpec("C", FLOAT32, (size.m, size.n), output=True),
        )

    def results(inputs: Mapping[str, NDArray[np.generic]], size: Size, rows: NDArray[np.int64]) -> dict[str, Result]:
        a, b = (numbers_of(factors, inputs[matrix]) for matrix in "AB")
        return {"C": Product(a, b, rows, halves=factors in HALVES)}

    return Workload(
        id=name,
        title=title,
        lengths=(Length("m", "M"), Length("n", "N"), Length("k", "K")),
        picture=Matrices((Panel("A", "left"), Panel("B", "top"), Panel("C", "result"))),
        arrays=arrays,
        flops=lambda s: 2 * s.m * s.n * s.k,
        results=results,
    )


WORKLOADS: Final = (
    _product("matmul", "C = A·B", FLOAT32),
    _product("matmul_bf16", "C = A·B in bfloat16", BFLOAT16),
    _product("matmul_f16", "C = A·B in float16", FLOAT16),
)
