"""out[row][column] = row · width + column, and the same in one dimension: out[i] = i for height · width elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.reference import Exact
from kernels.workload.model import ArraySpec, Length, Workload
from kernels.workload.picture import Matrices, Panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.workload.model import Size


def _positions(size: Size, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    return (rows[:, None] * size.n + np.arange(size.n)).astype(np.int32)


MATRIX: Final = Workload(
    id="index",
    title="row · width + column",
    lengths=(Length("m", "height"), Length("n", "width")),
    picture=Matrices((Panel("out", "result"),)),
    arrays=lambda s: (ArraySpec("out", "int32", (s.m, s.n), output=True),),
    flops=lambda s: 0,
    results=lambda inputs, s, rows: {"out": Exact(_positions(s, rows))},
)

LINE: Final = Workload(
    id="index_line",
    title="out[i] = i",
    lengths=(Length("m", "height"), Length("n", "width")),
    picture=Matrices((Panel("out", "result"),)),
    arrays=lambda s: (ArraySpec("out", "int32", (s.m * s.n,), output=True),),
    flops=lambda s: 0,
    results=lambda inputs, s, rows: {"out": Exact(np.arange(s.m * s.n, dtype=np.int32))},
    by_rows=False,
)

WORKLOADS: Final = (MATRIX, LINE)
