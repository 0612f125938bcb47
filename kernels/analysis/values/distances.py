"""Distances between objects and centres that a thread holds in registers and local arrays.

The trace says from which elements a value was computed. A value that has its causes in every coordinate of one object
and of one centre, and in no other object or centre, is a distance between these two; what its variable is called does
not matter, nor whether the coordinates were read through shared memory. No distance is computed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kernels.analysis.values.value_history import REGISTER, Location
from kernels.trace import element_name
from kernels.trace.sorted_columns import count_below, count_up_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.values.causes import Causes
    from kernels.analysis.values.value_history import Definition

MOST_VALUES: Final = 240
"""Latest values of a thread whose causes are searched: about 0.1 ms each."""


class Comparison(NamedTuple):
    """An object and a centre whose coordinates one thread has combined."""

    object: int
    centre: int
    distance: float | None
    """The value that the thread has computed from all coordinates; None if it has not used all of them yet."""
    name: str
    """Variable or element of a local array that holds it; "" without one."""
    step: int
    """Step of the latest value."""


class _Origin(NamedTuple):
    """Elements from which a value was computed."""

    objects: frozenset[int]
    """Flat indices of elements of the objects."""
    centres: frozenset[int]


_NOTHING: Final = _Origin(frozenset(), frozenset())


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances in a trace, looked up for one thread and step at a time."""

    causes: Causes
    objects: int
    """Position of the array in the trace."""
    object_axis: int
    """Its axis that counts objects."""
    centres: int
    """Position of the array [centre, coordinate] in the trace."""

    @property
    def coordinates(self) -> int:
        """Coordinates of an object."""
        return int(self.causes.order.trace.arrays[self.centres].shape[1])

    @property
    def few_enough(self) -> bool:
        """Whether the values of one object's comparisons can be searched: two for each coordinate of each centre."""
        return 2 * math.prod(self.causes.order.trace.arrays[self.centres].shape) <= MOST_VALUES

    def object_of(self, index: int) -> int:
        """Return the object of an element of the objects."""
        shape = self.causes.order.trace.arrays[self.objects].shape
        return index % shape[1] if self.object_axis == 1 else index // shape[1]

    def of_thread(self, lane: int, step: int) -> tuple[tuple[Comparison, ...], bool]:
        """Return the comparisons of a thread up to a step, by object and centre, and whether earlier ones are left out.

        Only the latest `MOST_VALUES` values are searched, and none where one object's comparisons have more.
        """
        if not self.few_enough:
            return (), True
        values = self._values(lane, step)
        found: dict[tuple[int, int], Comparison] = {}
        for definition in values[-MOST_VALUES:]:
            origin = self._origin(definition)
            objects = {self.object_of(index) for index in origin.objects}
            centres = {index // self.coordinates for index in origin.centres}
            if len(objects) == 1 and len(centres) == 1:
                pair = objects.pop(), centres.pop()
                whole = len(origin.centres) == len(origin.objects) == self.coordinates
                # A value of fewer coordinates follows where the thread begins again, as in the next iteration.
                if not whole:
                    found[pair] = Comparison(*pair, None, "", definition.step)
                elif (
                    self.coordinates == 1 or pair not in found or found[pair].distance is None
                ):  # later ones are copies
                    value, name = float(definition.value or 0), self._name(definition.location)
                    found[pair] = Comparison(*pair, value, name, definition.step)
        return tuple(found[pair] for pair in sorted(found)), len(values) > MOST_VALUES

    def _name(self, location: Location) -> str:
        trace = self.causes.order.trace
        if location.array == REGISTER:
            return trace.registers[location.number].title
        return element_name(trace.arrays[location.array], location.number)

    def _values(self, lane: int, step: int) -> list[Definition]:
        """Return the floats that a thread has assigned to its registers and local arrays, in execution order."""
        trace, history = self.causes.order.trace, self.causes.history
        last = count_up_to(trace.set_step, step)
        rows = self._float_sets[: count_below(self._float_sets, last)]
        taken = [row for row in rows[::-1].tolist() if history.takes_part(lane, int(trace.set_mask[row]))]
        found = [
            history.definition(Location(REGISTER, int(trace.set_register[row]), lane), row)
            for row in taken[: MOST_VALUES + 1]
        ]
        for number, array in enumerate(trace.arrays):
            if array.space == "local" and array.dtype.kind == "f":
                writes = trace.writes(number)
                first, end = int(writes.first[lane]), int(writes.first[lane + 1])
                end = first + count_up_to(writes.step[first:end], step)
                found += [
                    history.definition(Location(number, int(writes.index[row]), lane), row)
                    for row in range(max(first, end - MOST_VALUES - 1), end)
                ]
        return sorted(found, key=lambda definition: definition.order)

    @cached_property
    def _float_sets(self) -> NDArray[np.int64]:
        """Rows of the trace's `set_` columns that assign a float."""
        floats = np.array([register.dtype.kind == "f" for register in self.causes.order.trace.registers], bool)
        rows: NDArray[np.int64] = np.flatnonzero(floats[self.causes.order.trace.set_register])
        return rows

    @cached_property
    def _known(self) -> dict[Definition, _Origin]:
        return {}

    def _origin(self, definition: Definition) -> _Origin:
        """Return the elements of objects and centres that a value comes from."""
        waiting = [definition]
        while waiting:
            top = waiting[-1]
            if top in self._known:
                waiting.pop()
                continue
            array, number, _ = top.location
            if array in (self.objects, self.centres):
                own = frozenset((number,))
                self._known[top] = _Origin(own, frozenset()) if array == self.objects else _Origin(frozenset(), own)
                continue
            sources = [cause.definition for cause in self.causes.follow(top, 1).sources]
            missing = [source for source in sources if source not in self._known]
            if missing:
                waiting += missing
                continue
            origins = [self._known[source] for source in sources]
            self._known[top] = _Origin(
                _NOTHING.objects.union(*(origin.objects for origin in origins)),
                _NOTHING.centres.union(*(origin.centres for origin in origins)),
            )
        return self._known[definition]
