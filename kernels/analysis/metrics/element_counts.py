"""Accesses to each element of an array, and the distinct elements that are accessed in all of its copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from kernels.trace.records import widen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.metrics.request_classes import Repeated
    from kernels.launch import Launch
    from kernels.trace import ArrayInfo
    from kernels.trace.records import Space

    Table = NDArray[np.int64]

_MOST_FLAGS: Final = 1 << 26
"""Bytes of the longest table of flags, one for each element of an array."""

_FEW: Final = 8
"""A count of elements one by one takes as long as a pass over so many times their number."""

_MOST_RANGE: Final = 1 << 22
"""Longest range of numbers that is searched for distinct ones by a table instead of sorting."""


class IntegerSet:
    """A set of integers: a table of flags for those below `size` if that is short enough, and a sorted array."""

    def __init__(self, size: int) -> None:
        self.flags = np.zeros(size if size <= _MOST_FLAGS else 0, np.bool_)
        self.others = np.zeros(0, np.int64)

    def add(self, numbers: Table) -> None:
        """Add numbers to the set."""
        # Accesses outside of the array are few: they go into the sorted array.
        in_table = (numbers >= 0) & (numbers < len(self.flags))
        if in_table.all():
            self.flags[numbers] = True
        else:
            self.flags[numbers[in_table]] = True
            self.others = np.union1d(self.others, numbers[~in_table])

    def add_sums(self, numbers: Table, shifts: Table) -> None:
        """Add the sum of each pair of a number and a shift; all are below `size`."""
        shifts = np.sort(shifts)
        if not len(self.flags):
            for shift in shifts.tolist():
                self.add(numbers + shift)
            return
        for run, starts in ((numbers, shifts), (shifts, numbers)):
            block = _block(self.flags, run, starts)
            if block is not None:
                block[:] = True
                return
        if len(numbers) < len(shifts):
            numbers, shifts = shifts, numbers
        for shift in shifts.tolist():
            self.flags[numbers + shift] = True

    def __len__(self) -> int:
        return int(np.count_nonzero(self.flags)) + len(self.others)


def lanes_per_copy(launch: Launch, space: Space) -> int:
    """Return the number of threads that have one copy of an array."""
    return {"shared": launch.block.count, "local": 1}.get(space, launch.thread_count)


class ElementCounts:
    """Accesses of one kind to the elements of an array."""

    def __init__(self, launch: Launch, array: ArrayInfo) -> None:
        self._size = array.size
        self._lanes_each = lanes_per_copy(launch, array.space)
        copies = -(-launch.thread_count // self._lanes_each)
        self.accesses = 0
        """Accesses of single threads to single elements."""
        self.by_element = np.zeros(array.size, np.int64)
        """Accesses to each element that exists, over all copies."""
        # An array with one copy needs no flags: its elements with an access are in `by_element`.
        self._distinct = IntegerSet(copies * array.size if copies > 1 else 0)
        self._copies = copies

    @property
    def elements(self) -> int:
        """Distinct elements over all copies, those outside of the array included."""
        return len(self._distinct) + (int(np.count_nonzero(self.by_element)) if self._copies == 1 else 0)

    def add(self, access: Repeated, width: int) -> None:
        """Add accesses to `width` elements at once."""
        index = widen(access.index.astype(np.int64, copy=False), width)
        self.accesses += access.times * len(index)
        shifts = np.fromiter(access.shifts.keys(), np.int64, len(access.shifts))
        times = np.fromiter(access.shifts.values(), np.int64, len(access.shifts))
        if len(shifts) == 1:
            index = index + shifts[0] if shifts[0] else index
            outside = (index < 0) | (index >= self._size)
            inside = index[~outside] if outside.any() else index
            if len(inside) * _FEW < self._size:  # not worth a pass over all elements
                np.add.at(self.by_element, inside, times[0])
            else:
                self.by_element += times[0] * np.bincount(inside, minlength=self._size)
            if self._copies > 1:
                self._distinct.add(self._keys(access, index, width))
            elif len(inside) < len(index):
                self._distinct.add(index[outside])
            return
        # A distance other than 0 is that of a pattern, whose elements are all in the array.
        add_sums(self.by_element, *_distinct(index), shifts, times)
        if self._copies > 1:
            keys, _ = _distinct(self._keys(access, index, width))
            self._distinct.add_sums(keys, shifts)

    def _keys(self, access: Repeated, index: Table, width: int) -> Table:
        """Return the number of each element among those of all copies."""
        keys: Table = np.repeat(access.lanes // np.int64(self._lanes_each), width) * self._size + index
        return keys


def add_sums(table: Table, numbers: Table, count: Table, shifts: Table, times: Table) -> None:
    """Add `count * times` to the element `number + shift` of a table, for each pair of a number and a shift.

    The numbers, and likewise the shifts, are distinct.
    """
    order = np.argsort(shifts)
    shifts, times = shifts[order], times[order]
    block = _block(table, numbers, shifts)
    if block is not None:
        block += np.multiply.outer(times, count)
        return
    block = _block(table, shifts, numbers)
    if block is not None:
        block += np.multiply.outer(count, times)
        return
    if len(numbers) < len(shifts):
        numbers, count, shifts, times = shifts, times, numbers, count
    for shift, weight in zip(shifts.tolist(), times.tolist(), strict=True):
        table[numbers + shift] += count * weight


def _block(table: NDArray[Any], run: Table, starts: Table) -> NDArray[Any] | None:
    """Return the sums of numbers and shifts as a rectangular view of a table; None if they are no rectangle.

    They are one if the numbers of `run` are consecutive, and those of `starts` as far apart as the run is long, or
    farther: the columns `run` of some rows of a matrix.
    """
    length, apart = len(run), int(starts[1] - starts[0]) if len(starts) > 1 else len(run)
    if int(run[-1] - run[0]) != length - 1 or apart < length or (np.diff(starts) != apart).any():
        return None
    first, item = int(run[0] + starts[0]), table.strides[0]
    return as_strided(table[first:], (len(starts), length), (apart * item, item))


def _distinct(numbers: Table) -> tuple[Table, Table]:
    """Return the distinct numbers, ascending, and how often each occurs."""
    low = int(numbers.min())
    if int(numbers.max()) - low < _MOST_RANGE:
        count = np.bincount(numbers - low)
        found = np.flatnonzero(count)
        return found + low, count[found]
    return np.unique(numbers, return_counts=True)
