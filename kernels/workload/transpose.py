"""B = Aᵀ, and B = A, the copy that a transposition is compared with.

No element is changed, so that every result must be exact. A rate is in bytes that are read and written once. Nothing is
calculated: where times are predicted from operations, an element that is moved counts as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.reference import Exact
from kernels.workload.model import ArraySpec, Length, Rate, Size, Workload
from kernels.workload.picture import Matrices, Panel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Inputs = Mapping[str, NDArray[np.generic]]


def _elements(size: Size) -> int:
    return size.m * size.n


def _workload(
    name: str,
    title: str,
    shape: Callable[[Size], tuple[int, int]],
    result: Callable[[NDArray[np.generic]], NDArray[np.generic]],
) -> Workload:
    """Return the workload of a result's shape, and of the result of A."""
    return Workload(
        id=name,
        title=title,
        lengths=(Length("m", "M"), Length("n", "N")),
        picture=Matrices((Panel("A", "left"), Panel("B", "result"))),
        arrays=lambda s: (ArraySpec("A", "float32", (s.m, s.n)), ArraySpec("B", "float32", shape(s), output=True)),
        flops=_elements,
        results=lambda inputs, s, rows: {"B": Exact(result(inputs["A"])[rows])},
        rate=Rate("GB/s", "n", lambda s: 8 * _elements(s) / 1e9, by_memory=True),
        size=Size(16, 32, 1),
        large=(Size(8192, 8192, 1), Size(1024, 1024, 1)),
    )


WORKLOADS: Final = (
    _workload("copy", "B = A", lambda s: (s.m, s.n), lambda a: a),
    _workload("transpose", "B = Aᵀ", lambda s: (s.n, s.m), lambda a: a.T),
)
