"""Register reuse: reads of elements that the same thread has accessed before, which a compiler may leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.requests import accesses_of
from kernels.sass.merging import hash_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.trace import Trace


def repeated_reads(trace: Trace, sites: Iterable[int]) -> list[int]:
    """Return the reads whose elements their thread has always accessed before, since the last barrier."""
    reads = [number for number in sites if trace.sites[number].access == "read"]
    first = {array: _first_access_sites(trace, array) for array in {trace.sites[number].array for number in reads}}
    return [number for number in reads if number not in first[trace.sites[number].array]]


def _first_access_sites(trace: Trace, array: int) -> set[int]:
    """Return the sites at which any thread accesses an element for the first time since a barrier."""
    sites = [n for n, site in enumerate(trace.sites) if site.array == array and site.access != "atomic"]
    group, lane, index = accesses_of(trace, np.flatnonzero(np.isin(trace.group_site, sites)))
    site = trace.group_site[group]
    width = np.array([site.width for site in trace.sites])[site]
    begin = np.repeat(np.cumsum(width) - width, width)
    element = np.repeat(index, width) + np.arange(len(begin)) - begin
    epoch = trace.step_epoch[trace.group_step[group]].astype(np.int64)
    key = hash_columns(np.repeat(lane.astype(np.int64), width), element, np.repeat(epoch, width))
    return set(np.repeat(site, width)[np.unique(key, return_index=True)[1]].tolist())
