"""Comparison of the memory traffic of two runs, up to a frame of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernels.analysis.memory_history import MemoryHistory
    from kernels.analysis.playlist import Frame

Kind = Literal["loads", "sectors", "wavefronts", "intensity", "reads"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of both runs; None where a run has no such number."""

    kind: Kind
    own: float | None
    other: float | None
    array: str = ""
    """Name of the array whose elements are read, for reads."""

    @property
    def ratio(self) -> float | None:
        """The other number divided by the own one; None if one of them is missing or zero."""
        return self.other / self.own if self.own and self.other else None


def compare(own: MemoryHistory, frame: Frame, other: MemoryHistory, other_frame: Frame) -> tuple[Figure, ...]:
    """Compare two runs: requests, sectors, wavefronts, reads of each element of the arrays of both, and intensity."""
    a, b = own.totals(frame), other.totals(other_frame)
    mine, theirs = _reads(own, frame), _reads(other, other_frame)
    return (
        Figure("loads", a.global_loads, b.global_loads),
        Figure("sectors", a.sectors, b.sectors),
        *(Figure("reads", mine[name], theirs[name], name) for name in mine if name in theirs),
        *((Figure("wavefronts", a.wavefronts, b.wavefronts),) if a.wavefronts or b.wavefronts else ()),
        Figure("intensity", a.intensity, b.intensity),
    )


def _reads(history: MemoryHistory, frame: Frame) -> dict[str, float]:
    """Return how often each element of an array of global memory was read on average, by the array's name."""
    return {history.trace.arrays[n].name: history.reads(n, frame).average for n in history.global_inputs}
