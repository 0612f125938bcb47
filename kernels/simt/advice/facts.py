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
    """What a run tells about its source: the tables of its trace, and the analyses of its functions.

    `narrow` are the sites of atomics, and `block_fences` the statements of fences, that reach their own block only.
    `races` are all that were found. `ranges` gives the least and the largest element that each site touched.
    """

    source: Source
    uniformity: Uniformity
    launch: Launch
    sites: Sequence[Site]
    statements: Sequence[Statement]
    arrays: Sequence[ArrayInfo]
    block_atomics: Collection[int]
    block_fences: Collection[int]
    races: Sequence[RaceReport]
    ranges: Callable[[], Mapping[int, tuple[int, int]]]

    def path_pairs(self, race: RaceReport) -> list[tuple[Path, Path]]:
        """Return the ways to both accesses, the one found earlier first, each through one chain of calls."""
        first, second = (self.source.paths(side.span) for side in race.sides)
        return [(one, two) for one in first for two in second]
