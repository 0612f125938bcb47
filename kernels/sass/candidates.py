"""Merge candidates: the accesses of several sites to one array that a compiler may merge, and strategies for that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from kernels.analysis.requests import requests_of
from kernels.sass.merging import concatenate, merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kernels.analysis.requests import Requests
    from kernels.trace import Trace

Fate = Literal["merged", "in registers", "left out", "unknown"]


@dataclass(frozen=True, eq=False)
class CompiledAccesses:
    """The accesses of some sites to one array, in the source and in the compiled code.

    The sites are those of one line, or of several lines that cannot be told apart.
    """

    sites: tuple[int, ...]
    source_requests: dict[int, Requests]
    """As written, by size in bytes."""
    compiled_requests: dict[int, Requests]
    """As compiled, by size in bytes."""
    fate: Fate
    inactive: int = 0
    """Executions of predicated instructions whose predicate is false in all lanes."""


@dataclass(frozen=True, eq=False)
class MergeOutcome:
    """The result of merging candidates."""

    requests: dict[int, Requests]
    """By size in bytes."""
    inactive: int = 0
    """Executions of predicated instructions whose predicate is false in all lanes."""


class MergeStrategy(NamedTuple):
    """One way to merge."""

    sizes: tuple[int, ...]
    """Sizes of the instructions in bytes, widest first."""
    once: bool
    """Whether a repeated access is made once."""
    over: bool = False
    """Whether the narrowest instruction may read more than is needed."""


def size_choices(sizes: Iterable[int]) -> list[tuple[int, ...]]:
    """List the sets of sizes to try: all of them, all but the widest, and so on."""
    ordered = sorted(sizes, reverse=True)
    return [tuple(ordered[first:]) for first in range(len(ordered))]


@dataclass(frozen=True, eq=False)
class CandidateGroup:
    """Sites that access one array and whose accesses may be merged."""

    trace: Trace
    sites: tuple[int, ...]

    @property
    def origin(self) -> int:
        """Address of the array."""
        return self.trace.arrays[self.trace.sites[self.sites[0]].array].address

    @cached_property
    def requests(self) -> tuple[Requests, ...]:
        """Requests of each site."""
        return tuple(requests_of(self.trace, number) for number in self.sites)

    @cached_property
    def source_requests(self) -> dict[int, Requests]:
        """All requests, by size."""
        return _by_size(self.requests)

    def windows(self, requests: Requests) -> NDArray[np.int64]:
        """Return the window of each request: a number for one warp between two barriers."""
        epochs = int(self.trace.step_epoch.max(initial=0)) + 1
        return requests.warp * epochs + self.trace.step_epoch[requests.step]

    def accesses_of(self, outcome: MergeOutcome) -> CompiledAccesses:
        """Return the accesses, merged with this outcome."""
        return CompiledAccesses(self.sites, self.source_requests, outcome.requests, "merged", outcome.inactive)


def by_array(trace: Trace, sites: Sequence[int]) -> list[list[int]]:
    """Group sites by the array that they access."""
    arrays = dict.fromkeys(trace.sites[number].array for number in sites)
    return [[number for number in sites if trace.sites[number].array == array] for array in arrays]


def by_size(trace: Trace, sites: Sequence[int]) -> dict[int, Requests]:
    """Collect the requests of several sites, by size."""
    return _by_size([requests_of(trace, number) for number in sites])


def _by_size(requests: Sequence[Requests]) -> dict[int, Requests]:
    sizes = dict.fromkeys(r.size for r in requests)
    return {size: concatenate([r for r in requests if r.size == size]) for size in sizes}


def merge_windows(
    parts: Sequence[tuple[Requests, NDArray[np.int64], NDArray[np.int64]]], origin: int, strategy: MergeStrategy
) -> dict[int, Requests]:
    """Merge requests, each with the number of its window and the number within which repetitions are left out."""
    found: dict[int, list[Requests]] = {}
    for requests, window, period in parts:
        once = period if strategy.once else None
        for size, wide in merge(requests, window, origin, strategy.sizes, once, over=strategy.over).items():
            found.setdefault(size, []).append(wide)
    return {size: concatenate(several) for size, several in found.items()}
