"""Accesses of a trace by element: the accesses to one element, and all written elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from kernels.trace.records import Writes

if TYPE_CHECKING:
    from kernels.trace.model import Trace
    from kernels.trace.records import ArrayInfo, Site, Space

ElementTypes = tuple[tuple[np.dtype[np.generic], NDArray[np.bool_]], ...]
"""Types, and for each the mask of its elements."""

AT_ONCE: Final = 1 << 20
"""Number of accesses that are processed at once."""


def accesses_of_element(trace: Trace, array: int, index: int, owner: int | None) -> tuple[tuple[int, int, Site], ...]:
    """See `Trace.accesses_to`."""
    width = _widths(trace)
    # An access of width w covers index … index + w - 1: search with the largest width, then filter by that of the site.
    rows = np.flatnonzero((trace.index <= index) & (trace.index > index - width.max(initial=1)))
    groups = np.searchsorted(trace.group_first, rows, side="right") - 1
    site = trace.group_site[groups]
    here = _accesses_array(trace, array)[site] & (trace.index[rows] + width[site] > index)
    rows, groups = rows[here], groups[here]
    lanes = _lanes_of(trace, rows, groups)
    if owner is not None:
        own = _owners(trace, trace.arrays[array].space, lanes) == owner
        groups, lanes = groups[own], lanes[own]
    steps, sites = trace.group_step[groups].tolist(), trace.group_site[groups].tolist()
    return tuple(zip(steps, lanes.tolist(), (trace.sites[site] for site in sites), strict=True))


def collect_writes(trace: Trace, array: int) -> Writes:
    """See `Trace.writes`."""
    info = trace.arrays[array]
    groups = np.flatnonzero(_accesses_array(trace, array)[trace.group_site] & (trace.group_value >= 0))
    parts = [_written_elements(trace, info, part) for part in in_parts(trace, groups)] or [
        _written_elements(trace, info, groups)
    ]
    owner, step, lane, index, values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    del parts
    values = as_accessed(values, index, trace.element_types(array))
    owners = _owner_count(trace, info.space)
    if owners == 1:
        return Writes(np.array([0, len(step)]), step, lane, index, values)
    # A stable sort by owner keeps the execution order of each copy.
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], np.arange(owners + 1)).astype(np.int64)
    return Writes(first, step[order], lane[order], index[order], values[order])


def accesses_in_order(
    trace: Trace, array: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return step, lane, flat index, and whether it writes, of every access to elements of an array that exist."""
    groups = np.flatnonzero(_accesses_array(trace, array)[trace.group_site])
    groups, within, element = _elements_of(trace, groups)
    rows = trace.group_first[groups] + within
    index = (trace.index[rows] + element).astype(np.int64)
    inside = np.flatnonzero((index >= 0) & (index < trace.arrays[array].size))
    groups, rows, index = groups[inside], rows[inside], index[inside]
    writes = np.array([site.access != "read" for site in trace.sites], bool)[trace.group_site[groups]]
    return trace.group_step[groups], _lanes_of(trace, rows, groups), index, writes


def types_of_elements(trace: Trace, array: int) -> ElementTypes:
    """Return the elements of a shared array that are accessed as numbers of one other type only, by type.

    A block has one piece of dynamic shared memory, of which a kernel uses parts as arrays of other types. With

        extern __shared__ float sums[];
        int *counts = (int *)(sums + k);

    `counts[0]` is `sums[k]`, whose bits are those of an int. Where a kernel accesses one element as several types,
    as `atomicCAS` on the bits of a float, the array's type remains.
    """
    info, sites = trace.arrays[array], trace.sites
    others = {site.dtype for site in sites if site.array == array and site.dtype is not None}
    if info.space != "shared" or info.struct is not None or not others:
        return ()
    accessed = {dtype: np.zeros(info.size, bool) for dtype in (None, *others)}
    for dtype, elements in accessed.items():
        of_type = np.array([site.array == array and site.dtype == dtype for site in sites], bool)
        for groups in in_parts(trace, np.flatnonzero(of_type[trace.group_site])):
            groups, within, element = _elements_of(trace, groups)
            index = trace.index[trace.group_first[groups] + within] + element
            elements[index[(index >= 0) & (index < info.size)]] = True
    once = np.sum(list(accessed.values()), axis=0) == 1
    return tuple((dtype, elements & once) for dtype, elements in accessed.items() if dtype is not None)


def as_accessed(values: NDArray[Any], index: NDArray[np.int64], types: ElementTypes) -> NDArray[Any]:
    """Return the values of elements, those of other types as what they are, in a type that can hold all of them."""
    if not types:
        return values
    found = values.astype(np.result_type(values.dtype, *(dtype for dtype, _ in types)))
    for dtype, elements in types:
        here = elements[np.clip(index, 0, len(elements) - 1)] & (index >= 0) & (index < len(elements))
        found[here] = values[here].view(dtype)
    return found


def in_parts(trace: Trace, groups: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Split groups into parts of about a million accesses, which bounds the memory of tables made for a part."""
    lengths = trace.group_first[groups + 1] - trace.group_first[groups]
    place = (np.cumsum(lengths) - lengths) // AT_ONCE
    return np.split(groups, np.flatnonzero(np.diff(place)) + 1) if len(groups) else []


def _written_elements(trace: Trace, info: ArrayInfo, groups: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """Return owner, step, lane, index and value of each element of an array written by the groups."""
    groups, within, element = _elements_of(trace, groups)
    rows = trace.group_first[groups] + within
    index = trace.index[rows] + element
    inside = np.flatnonzero((index >= 0) & (index < info.size))
    groups, rows, within, index = groups[inside], rows[inside], within[inside], index[inside]
    lane = _lanes_of(trace, rows, groups)
    place = within * _widths(trace)[trace.group_site[groups]] + element[inside]
    size = info.dtype.itemsize
    offset = trace.group_value[groups] + place * size
    values = trace.value_bytes[offset[:, None] + np.arange(size)].reshape(-1).view(info.dtype)
    return _owners(trace, info.space, lane), trace.group_step[groups], lane, index.astype(np.int64), values


def _elements_of(
    trace: Trace, groups: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for every accessed element its group, the lane's position in it, and its position in the lane's access."""
    width = _widths(trace)[trace.group_site[groups]]
    counts = np.diff(trace.group_first)[groups] * width
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    within, element = np.divmod(place, np.repeat(width, counts))
    return np.repeat(groups, counts), within, element


def _lanes_of(trace: Trace, rows: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the lane of each access."""
    at = trace.mask_first[trace.group_mask[groups]] + rows - trace.group_first[groups]
    lanes: NDArray[np.int32] = trace.mask_lanes[at]
    return lanes


def _accesses_array(trace: Trace, array: int) -> NDArray[np.bool_]:
    """Return for each site whether it accesses the array."""
    return np.array([site.array == array for site in trace.sites], bool)


def _owners(trace: Trace, space: Space, lanes: NDArray[np.int32]) -> NDArray[np.int32]:
    if space == "shared":
        return lanes // np.int32(trace.launch.block.count)
    return lanes if space == "local" else np.zeros_like(lanes)


def _owner_count(trace: Trace, space: Space) -> int:
    return {"shared": trace.launch.grid.count, "local": trace.launch.thread_count}.get(space, 1)


def _widths(trace: Trace) -> NDArray[np.int64]:
    return np.array([site.width for site in trace.sites], np.int64)
