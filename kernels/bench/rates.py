"""Rates in the unit that a kernel's workload names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.catalog import find_kernel
from kernels.errors import TilescopeError

if TYPE_CHECKING:
    from kernels.workload import Rate


def rate_of(kernel: str) -> Rate | None:
    """Return the rate of a kernel's workload, by the kernel's id or path; None for GFLOPS, or if it is not known."""
    try:
        return find_kernel(kernel).workload.rate
    except TilescopeError:
        return None
