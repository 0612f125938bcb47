"""Causes of a value: the assignments from which it was computed, back to the inputs; and who reads it next.

The causes form a tree: `C[0][1]` comes from the register `sum` of one thread, that from an earlier `sum` and from
elements of shared memory, and those from elements of A and B that other threads have copied. A definition that has
several uses is one node, so the tree may be wide without being large. Its size is limited: the latest definitions are
followed first, and a node that was not followed says so (`Cause.cut`).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, overload

import numpy as np

from kernels.analysis.values.operands import Computation, operands_of
from kernels.analysis.values.value_history import REGISTER, Definition, Location, ValueHistory
from kernels.trace.sorted_columns import rows_between

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kernels.analysis.order.play_order import PlayOrder

MOST_CAUSES: Final = 2000
"""Definitions in one tree: more than the causes of an element of a product of 64×64 matrices, or of one of 34×34
matrices that tensor cores have computed from parts of the factors."""

_KEPT_TREES: Final = 64
_KEPT_COMPUTATIONS: Final = 20_000
"""Results kept for the next pictures."""

_NEXT_READS: Final = 8
"""Reads that are listed; all are counted."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cause:
    """A value, the assignment that gave it, and the values that were combined in it."""

    definition: Definition
    computation: Computation | None
    """None if the sources were not followed, because the tree has reached its limit or its last level."""
    sources: tuple[Cause, ...]
    """In the order of the source; none for inputs, uninitialised values, and numbers in the source."""

    @property
    def arithmetic(self) -> str:
        """`3 + 1 · 4`; "" without a `Computation.arithmetic`."""
        return "" if self.computation is None else str(self.computation.arithmetic or "")

    @property
    def unknown(self) -> tuple[str, ...]:
        """Functions that took values from other threads, which the trace does not record."""
        return () if self.computation is None else self.computation.unknown

    @property
    def cut(self) -> bool:
        """True if the sources were not followed."""
        return self.computation is None

    @property
    def is_input(self) -> bool:
        """True for an element that has its value from before the launch."""
        return self.definition.row < 0 and self.definition.value is not None

    def walk(self) -> Iterator[Cause]:
        """Yield every node once, this one first."""
        seen, waiting = {id(self)}, [self]
        while waiting:
            node = waiting.pop()
            yield node
            for source in reversed(node.sources):
                if id(source) not in seen:
                    seen.add(id(source))
                    waiting.append(source)

    @property
    def is_cut(self) -> bool:
        """True if the tree has reached its limit."""
        return any(node.cut for node in self.walk())

    @property
    def inputs(self) -> tuple[Location, ...]:
        """Elements whose values from before the launch are in this one."""
        return tuple(sorted(node.definition.location for node in self.walk() if node.is_input))


@dataclass(frozen=True, slots=True)
class Use:
    """An access to an element, or an assignment of it."""

    block: int
    step: int
    lane: int
    line: int


@dataclass(frozen=True, slots=True)
class Uses:
    """Accesses to an element after a moment."""

    reads: tuple[Use, ...]
    """The next ones before the value is overwritten, in the order played."""
    count: int
    """Their number."""
    overwritten: Use | None
    """The next assignment; None if the value stays to the end."""
    accesses: int
    """Accesses in the whole run."""


@dataclass(frozen=True, eq=False)
class Causes:
    """Causes and uses of values, at moments of the order played."""

    order: PlayOrder

    @cached_property
    def history(self) -> ValueHistory:
        """Lookups in the trace."""
        return ValueHistory(self.order.trace)

    def of_element(self, array: int, index: int, block: int, step: int, lane: int = -1) -> Cause:
        """Return the causes of an element when a step of a block is over, of a local array in the lane's copy."""
        return self.follow(self._present(self._location(array, index, block, lane), block, step))

    def definition(self, array: int, index: int, block: int, step: int, lane: int = -1) -> Definition:
        """Return the assignment that gave an element its value when a step of a block is over."""
        return self._present(self._location(array, index, block, lane), block, step)

    def of_register(self, register: int, lane: int, step: int) -> Cause:
        """Return the causes of a thread's register after a step; `register` is a row of `Trace.registers`."""
        return self.follow(self.history.before(Location(REGISTER, register, lane), step + 1))

    def prepare(self, array: int, index: int, block: int, step: int, lane: int, enough: Callable[[], bool]) -> bool:
        """Compute some of the causes of an element, until `enough`; return whether `of_element` has them all now."""
        if not 0 <= index < self.order.trace.arrays[array].size:
            return True
        definition = self._present(self._location(array, index, block, lane), block, step)
        return (definition, MOST_CAUSES) in self._trees or self._search(definition, MOST_CAUSES, enough) is not None

    def follow(self, definition: Definition, levels: int = MOST_CAUSES) -> Cause:
        """Return the causes of a definition: with 1 level only the values that it combined, with 2 also theirs."""
        if (definition, levels) in self._trees:
            return self._trees[definition, levels]
        found = self._search(definition, levels)
        made: dict[Definition, Cause] = {}
        for latest in reversed(found):
            computation = found[latest]
            operands = computation.operands if computation is not None else ()
            made[latest] = Cause(latest, computation, tuple(made[operand] for operand in operands if operand in made))
        if len(self._trees) >= _KEPT_TREES:
            self._trees.clear()
        self._trees[definition, levels] = made[definition]
        return made[definition]

    def still_holds(self, definition: Definition, block: int, step: int) -> bool:
        """Return whether an element has the value of a definition when a step of a block is over."""
        return self._present(definition.location, block, step) == definition

    def of_step(self, step: int, lane: int, levels: int = MOST_CAUSES) -> tuple[Cause, ...]:
        """Return the causes of all values that a thread assigns in a step: registers first, then elements."""
        history, trace = self.history, self.order.trace
        rows = rows_between(trace.set_step, step, step + 1)
        made = [
            history.definition(Location(REGISTER, int(trace.set_register[row]), lane), row)
            for row in range(rows.start, rows.stop)
            if history.takes_part(lane, int(trace.set_mask[row]))
        ]
        for access in history.accesses(lane, step):
            if access.site.access != "read":
                for index in access.elements:
                    if 0 <= index < trace.arrays[access.array].size:
                        own = history.own(history.element(access.array, index, lane), (step,), lane)
                        made += [own] if own is not None else []
        return tuple(self.follow(definition, levels) for definition in dict.fromkeys(made))

    def uses(self, array: int, index: int, block: int, step: int, lane: int = -1) -> Uses:
        """Return the accesses to an element after a step of a block."""
        trace = self.order.trace
        found = self.history.accesses_of(self._location(array, index, block, lane))
        blocks = found.lane.astype(np.int64) // trace.launch.block.count
        moments = self.order.moments(blocks, found.step.astype(np.int64))
        now = int(self.order.moments(np.array([block]), np.array([step]))[0])
        played = np.argsort(moments, kind="stable")
        later = played[moments[played] > now]
        writes = later[found.writes[later]]
        end = moments[writes[0]] if len(writes) else np.iinfo(np.int64).max
        reads = later[~found.writes[later] & (moments[later] <= end)]

        def use(row: int) -> Use:
            at = int(found.step[row])
            return Use(int(blocks[row]), at, int(found.lane[row]), trace.statement(at).span.line)

        return Uses(
            tuple(use(row) for row in reads[:_NEXT_READS].tolist()),
            len(reads),
            use(int(writes[0])) if len(writes) else None,
            len(found.step),
        )

    # --- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _trees(self) -> dict[tuple[Definition, int], Cause]:
        return {}

    @cached_property
    def _computations(self) -> dict[Definition, Computation]:
        return {}

    @overload
    def _search(self, definition: Definition, levels: int) -> dict[Definition, Computation | None]: ...

    @overload
    def _search(
        self, definition: Definition, levels: int, enough: Callable[[], bool]
    ) -> dict[Definition, Computation | None] | None: ...

    def _search(
        self, definition: Definition, levels: int, enough: Callable[[], bool] | None = None
    ) -> dict[Definition, Computation | None] | None:
        """Return the definitions of a tree, the latest first, with what was combined in them; None if that is `enough`.

        What has been computed until then is kept for the next search.
        """
        found: dict[Definition, Computation | None] = {}
        waiting = [(_latest_first(definition), definition)]
        level = {definition: 1}
        begun = False  # each part of a search computes something
        while waiting:
            _, latest = heapq.heappop(waiting)
            # A definition comes before its uses in the run, so all uses of this one have been followed by now.
            followed = latest.row < 0 or (len(found) < MOST_CAUSES and level[latest] <= levels)
            new = followed and latest not in self._computations
            if enough is not None and new and begun and enough():
                return None
            begun |= new
            computation = self._computation(latest) if followed else None
            found[latest] = computation
            for operand in computation.operands if computation is not None else ():
                if operand not in level:
                    heapq.heappush(waiting, (_latest_first(operand), operand))
                level[operand] = min(level.get(operand, levels + 1), level[latest] + 1)
        return found

    def _computation(self, definition: Definition) -> Computation:
        if definition not in self._computations:
            if len(self._computations) >= _KEPT_COMPUTATIONS:
                self._computations.clear()
            found = operands_of(self.history, definition)
            earlier = tuple(operand for operand in found.operands if operand.order < definition.order)
            self._computations[definition] = Computation(earlier, found.arithmetic, found.unknown)
        return self._computations[definition]

    def _location(self, array: int, index: int, block: int, lane: int) -> Location:
        first = block * self.order.trace.launch.block.count
        return self.history.element(array, index, lane if lane >= 0 else first)

    def _present(self, location: Location, block: int, step: int) -> Definition:
        """Return the last definition of an element that has been played when a step of a block is over."""
        rows: NDArray[np.int64] = self.history.rows(location)
        writes = self.order.trace.writes(location.array)
        blocks = writes.lane[rows].astype(np.int64) // self.order.trace.launch.block.count
        # As for the contents, the last in the run of those that have been played.
        rows = rows[self.order.happened(blocks, writes.step[rows].astype(np.int64), block, step)]
        return self.history.definition(location, int(rows[-1]) if len(rows) else -1)


def _latest_first(definition: Definition) -> tuple[int, bool, int, Location]:
    step, register, row = definition.order
    return -step, not register, -row, definition.location
