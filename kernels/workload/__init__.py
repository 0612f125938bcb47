"""Problems that kernels solve: shapes, arguments, reference results, FLOP and byte counts, pictures.

A workload names its arrays and lengths; a kernel's parameters are bound to them by name. Adding a workload is one file
in this folder, and its place in `WORKLOADS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.workload import index, kmeans, matmul, mmt, none, reduce, softmax, transpose
from kernels.workload.model import Arrays, ArraySpec, Length, Rate, Size, Workload
from kernels.workload.picture import Matrices, Panel, Picture, Place, Points
from kernels.workload.verify import (
    FULL_CHECK_PRODUCTS,
    SAMPLED_ROWS,
    Verdict,
    checked_part,
    checked_rows,
    correct_results,
    verify,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FULL_CHECK_PRODUCTS",
    "SAMPLED_ROWS",
    "WORKLOADS",
    "ArraySpec",
    "Arrays",
    "Length",
    "Matrices",
    "Panel",
    "Picture",
    "Place",
    "Points",
    "Rate",
    "Size",
    "Verdict",
    "Workload",
    "checked_part",
    "checked_rows",
    "correct_results",
    "verify",
]

WORKLOADS: Final[Mapping[str, Workload]] = {
    workload.id: workload
    for workload in (
        *matmul.WORKLOADS,
        mmt.WORKLOAD,
        *index.WORKLOADS,
        *kmeans.WORKLOADS,
        *reduce.WORKLOADS,
        *transpose.WORKLOADS,
        softmax.WORKLOAD,
        none.WORKLOAD,
    )
}
"""Every workload by its id."""
