"""Plane of a run: the arrays of its objects and centres, the threads of the objects, and the range of the coordinates.

All of it is the same for every step of a trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.values.distances import Distances
from kernels.trace.accesses import accesses_in_order
from kernels.trace.sorted_columns import count_up_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.values.causes import Causes
    from kernels.trace import Trace
    from kernels.workload.picture import Points

    Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plane:
    """Objects and centres of one trace."""

    trace: Trace
    picture: Points
    causes: Causes

    def array(self, name: str) -> int | None:
        """Return the position of an array in the trace; None for one that the trace has not."""
        names = [array.name for array in self.trace.arrays]
        return names.index(name) if name in names else None

    @cached_property
    def objects(self) -> int | None:
        """Array of the objects, by its position in the trace."""
        return self.array(self.picture.objects)

    @cached_property
    def labels(self) -> int | None:
        """Array of the labels, by its position in the trace."""
        return self.array(self.picture.labels)

    @property
    def object_count(self) -> int:
        """Number of objects; 0 if the trace has none."""
        return 0 if self.objects is None else self.trace.arrays[self.objects].shape[self.picture.object_axis]

    @cached_property
    def coordinates(self) -> int:
        """Number of coordinates."""
        if self.objects is not None:
            return self.trace.arrays[self.objects].shape[1 - self.picture.object_axis]
        found = [self.array(name) for name in (self.picture.centres, self.picture.sums)]
        return next((self.trace.arrays[array].shape[1] for array in found if array is not None), 0)

    @cached_property
    def centre_count(self) -> int:
        """Number of centres."""
        picture = self.picture
        named = (picture.centres, picture.earlier_centres, picture.sums, picture.counts)
        found = [self.array(name) for name in named]
        return next((self.trace.arrays[array].shape[0] for array in found if array is not None), 0)

    @cached_property
    def distances(self) -> Distances | None:
        """Distances that threads hold; None in a run without objects or without centres."""
        centres = self.array(self.picture.centres)
        if self.objects is None or centres is None:
            return None
        return Distances(self.causes, self.objects, self.picture.object_axis, centres)

    def objects_at(self, array: int, index: Numbers) -> Numbers:
        """Return the object of each element of the objects or labels."""
        if array == self.labels:
            return index
        length = self.trace.arrays[array].shape[1]
        return index % length if self.picture.object_axis == 1 else index // length

    def elements_of(self, index: int) -> int:
        """Return the flat index of an object's first coordinate."""
        return index if self.picture.object_axis == 1 else index * self.coordinates

    @cached_property
    def threads(self) -> Numbers:
        """Thread of each object, by its linear number in the grid: the one that stores its label, or that reads it.

        -1 where no thread does, or several read it.
        """
        found = np.full(self.object_count, -1, np.int64)
        for array, stores in ((self.objects, False), (self.labels, False), (self.labels, True)):
            if array is not None:
                _, lane, index, writes = accesses_in_order(self.trace, array)
                taken = writes == stores
                mine, lanes = self.objects_at(array, index[taken].astype(np.int64)), lane[taken].astype(np.int64)
                found[mine] = lanes
                found[mine[found[mine] != lanes]] = -1
        return found

    @cached_property
    def _accesses(self) -> tuple[Numbers, Numbers, Numbers]:
        """Step, thread and object of each access to a coordinate or label, by thread, in execution order."""
        parts = [np.zeros((3, 0), np.int64)]
        for array in (self.objects, self.labels):
            if array is not None:
                step, lane, index, _ = accesses_in_order(self.trace, array)
                parts.append(np.stack([step, lane, self.objects_at(array, index.astype(np.int64))]).astype(np.int64))
        step, lane, item = np.concatenate(parts, axis=1)
        order = np.lexsort((step, lane))
        return step[order], lane[order], item[order]

    def current(self, lanes: Numbers, step: int) -> Numbers:
        """Return the objects that threads have accessed last when a step is over, without those of none."""
        steps, threads, items = self._accesses
        found: list[int] = []
        for lane in np.unique(lanes).tolist():
            first, end = (int(n) for n in np.searchsorted(threads, [lane, lane + 1]))
            end = first + count_up_to(steps[first:end], step)
            found += items[end - 1 : end].tolist() if end > first else []
        known = np.array(found, np.int64)
        return known[(known >= 0) & (known < self.object_count)]

    @cached_property
    def label_stores(self) -> tuple[Numbers, Numbers, Numbers]:
        """Step, thread and object of each store of a label, in execution order."""
        if self.labels is None:
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, nothing
        step, lane, index, writes = accesses_in_order(self.trace, self.labels)
        return step[writes].astype(np.int64), lane[writes].astype(np.int64), index[writes].astype(np.int64)

    def places(self, values: NDArray[np.generic], *, by_object: bool) -> NDArray[np.float64]:
        """Return the first two coordinates of objects or centres, [number, 2]; 0 for a second one that is missing."""
        rows = values.T if by_object and self.picture.object_axis == 1 else values
        found = np.zeros((len(rows), 2))
        found[:, : min(2, rows.shape[1])] = rows[:, :2]
        return found

    @cached_property
    def range(self) -> NDArray[np.float64]:
        """Least and largest coordinates in the whole run: [[x, y], [x, y]]."""
        found = [np.zeros((0, 2))]
        for name, by_object in (
            (self.picture.objects, True),
            (self.picture.centres, False),
            (self.picture.earlier_centres, False),
        ):
            array = self.array(name)
            if array is not None:
                for step in (-1, self.trace.steps):
                    values, written = self.trace.contents(array, step)
                    places = self.places(values, by_object=by_object)
                    found.append(places[self.places(written, by_object=by_object).any(axis=1)])
        places = np.concatenate(found)
        places = places[np.isfinite(places).all(axis=1)]
        if not len(places):
            return np.array([[0.0, 0.0], [1.0, 1.0]])
        low, high = places.min(axis=0), places.max(axis=0)
        return np.stack([low, np.where(high > low, high, low + 1)])
