"""Accesses that a compiler may merge: those of some places in the source to one array, and ways to merge them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from kernels.analysis.requests import requests_of
from kernels.sass.merging import joined, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kernels.analysis.requests import Requests
    from kernels.trace import Trace

Fate = Literal["merged", "in registers", "left out", "unknown"]


@dataclass(frozen=True, eq=False)
class Accesses:
    """Sites on one line (or lines that cannot be told apart) that access one array, and what became of them.

    `written` and `compiled` are requests by size. `idle` are those that a warp makes for no lane.
    """

    sites: tuple[int, ...]
    written: dict[int, Requests]
    compiled: dict[int, Requests]
    fate: Fate
    idle: int = 0


@dataclass(frozen=True, eq=False)
class Made:
    """What a pool's accesses became: requests by size, and how many instructions are executed for no lane."""

    compiled: dict[int, Requests]
    idle: int = 0


class Way(NamedTuple):
    """One way to merge: into which sizes, widest first.

    With `once`, what is accessed again is not accessed again; with `over`, the narrowest may take more than it needs.
    """

    sizes: tuple[int, ...]
    once: bool
    over: bool = False


def ways(sizes: Iterable[int]) -> list[tuple[int, ...]]:
    """List what instructions of these sizes allow to merge into."""
    ordered = sorted(sizes, reverse=True)
    return [tuple(ordered[first:]) for first in range(len(ordered))]


@dataclass(frozen=True, eq=False)
class Pool:
    """Sites that access one array."""

    trace: Trace
    sites: tuple[int, ...]

    @property
    def origin(self) -> int:
        """Where the array begins."""
        return self.trace.arrays[self.trace.sites[self.sites[0]].array].address

    @cached_property
    def asked(self) -> tuple[Requests, ...]:
        """What each site asks for."""
        return tuple(requests_of(self.trace, number) for number in self.sites)

    @cached_property
    def written(self) -> dict[int, Requests]:
        """All requests, by size."""
        return _by_size(self.asked)

    def windows(self, requests: Requests) -> NDArray[np.int64]:
        """Return a number for each stretch between two barriers of a warp."""
        epochs = int(self.trace.step_epoch.max(initial=0)) + 1
        return requests.warp * epochs + self.trace.step_epoch[requests.step]

    def became(self, made: Made) -> Accesses:
        """Say what became of the accesses."""
        return Accesses(self.sites, self.written, made.compiled, "merged", made.idle)


def by_array(trace: Trace, sites: Sequence[int]) -> list[list[int]]:
    """Part sites by the arrays that they access."""
    arrays = dict.fromkeys(trace.sites[number].array for number in sites)
    return [[number for number in sites if trace.sites[number].array == array] for array in arrays]


def by_size(trace: Trace, sites: Sequence[int]) -> dict[int, Requests]:
    """Collect the requests of several sites."""
    return _by_size([requests_of(trace, number) for number in sites])


def _by_size(asked: Sequence[Requests]) -> dict[int, Requests]:
    sizes = dict.fromkeys(r.size for r in asked)
    return {size: joined([r for r in asked if r.size == size]) for size in sizes}


def merged_in(
    parts: Sequence[tuple[Requests, NDArray[np.int64], NDArray[np.int64]]], origin: int, way: Way
) -> dict[int, Requests]:
    """Merge requests, given with the number of the window and of the time that each belongs to."""
    found: dict[int, list[Requests]] = {}
    for requests, window, time in parts:
        once = time if way.once else None
        for size, made in merged(requests, window, origin, way.sizes, once, over=way.over).items():
            found.setdefault(size, []).append(made)
    return {size: joined(several) for size, several in found.items()}
