"""Facts about a run and its races, from which cures are proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kernels.launch import Launch
    from kernels.simt.advice.positions import Path, Source
    from kernels.simt.advice.uniformity import Uniformity
    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.trace.records import ArrayInfo, Site, Statement


@dataclass(frozen=True, slots=True)
class Facts:
    """The tables of a run's trace, the analyses of its functions, and its races."""

    source: Source
    uniformity: Uniformity
    launch: Launch
    sites: Sequence[Site]
    statements: Sequence[Statement]
    arrays: Sequence[ArrayInfo]
    block_atomics: Collection[int]
    """Sites of atomics of block scope."""
    block_fences: Collection[int]
    """Statements of fences of block scope."""
    races: Sequence[RaceReport]
    ranges: Callable[[], Mapping[int, tuple[int, int]]]
    """Returns the least and the largest element that each site touched; may need another run."""

    def path_pairs(self, race: RaceReport) -> list[tuple[Path, Path]]:
        """Return the pairs of paths to both accesses, that of the earlier access first."""
        first, second = (self.source.paths(side.span) for side in race.sides)
        return [(one, two) for one in first for two in second]
