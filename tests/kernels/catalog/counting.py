"""Memory counts of catalogue kernels."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kernels.analysis import counts
from tests.kernels.analysis.traces import catalogue

if TYPE_CHECKING:
    from kernels.analysis.metrics.counts import MemoryCount


@cache
def counted(kernel: str, size: str, block: str) -> tuple[MemoryCount, ...]:
    return counts(catalogue(kernel, size, block)).arrays


def total(what: str, space: str, access: str, kernel: str, size: str, block: str) -> int:
    found = [c for c in counted(kernel, size, block) if (c.space, c.access) == (space, access)]
    return sum(getattr(c, what) for c in found)
