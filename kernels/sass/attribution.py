"""Attribution: comparison of the lines of merged accesses with those of their instructions.

An instruction merged from accesses of several lines has the line of one of them. Requests that only the lines of a set
can have made were therefore made by instructions on these lines, or on lines without accesses. For every set of lines,
its instructions must be at least as many as such requests. Example: line 10 reads A[i] and line 11 reads A[i + 1]. A
64-bit load of both on line 11 agrees; a 32-bit load of A[i] on line 11 does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.requests import NO_ADDRESS, Requests, cut
from kernels.sass.merging import hash_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.sass.candidates import CandidateGroup, MergeOutcome

    Numbers = NDArray[np.int64]


def is_attributable(
    groups: Sequence[CandidateGroup],
    outcomes: Sequence[MergeOutcome],
    place: Sequence[Sequence[int]],
    count: Sequence[int],
    *,
    in_loop: bool,
) -> bool:
    """Return whether accesses of several lines agree with their instructions.

    Parameters
    ----------
    place : int[groups][sites]
        The line of each site of each group, from 0.
    count : int[lines + 1]
        Instructions on each line; last, those on other lines.
    in_loop : bool
        Whether this is code in a loop, where only the proportions of the lines are compared.
    """
    parts = [_windows_and_lines(*part) for part in zip(groups, outcomes, place, strict=True)]
    window, lines = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    for subset in np.unique(lines[lines > 0]).tolist():
        own = (lines & ~subset == 0) & (lines > 0)
        instructions = sum(n for line, n in enumerate(count[:-1]) if subset >> line & 1) + count[-1]
        # In a loop instructions execute many times: compare the share of requests with that of instructions.
        if in_loop and own.sum() * sum(count) > len(lines) * instructions:
            return False
        _, each = np.unique(window[own], return_counts=True)
        if not in_loop and each.max() > instructions:
            return False
    return True


def _windows_and_lines(group: CandidateGroup, outcomes: MergeOutcome, place: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return the window of each request and, as bits, the lines whose accesses it may contain."""
    windows, found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size, requests in outcomes.requests.items():
        window = group.windows(requests)
        whole = hash_rows(_first_addresses(group, requests, size), window)
        lines = np.zeros(len(whole), np.int64)
        for line, requests_of_site in zip(place, group.requests, strict=True):
            parts = _cut_to(requests_of_site, size)
            lines[np.isin(whole, hash_rows(_first_addresses(group, parts, size), group.windows(parts)))] |= 1 << line
        windows.append(window)
        found.append(lines)
    return np.concatenate(windows), np.concatenate(found)


def _first_addresses(group: CandidateGroup, requests: Requests, size: int) -> Numbers:
    """Return the addresses of instructions of some size that contain these accesses."""
    active = requests.address < NO_ADDRESS
    relative = np.where(active, requests.address - group.origin, NO_ADDRESS)
    offset = relative.min(axis=1, initial=NO_ADDRESS) % size
    begins: Numbers = np.where(active, relative - offset[:, None], NO_ADDRESS)
    return begins


def _cut_to(requests: Requests, size: int) -> Requests:
    """Cut requests where they are wider than instructions of a size."""
    return cut(requests, size) if size < requests.size and requests.size % size == 0 else requests
