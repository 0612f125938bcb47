"""One step as one block sees it: what captions are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kernels.analysis.elements import array_of, coordinate_expressions
from kernels.analysis.evaluate import simplified
from kernels.analysis.layouts import Layout, layout
from kernels.analysis.registers import Names
from kernels.analysis.roles import LaneRoles, lane_roles
from kernels.analysis.syntax import Place, place_of
from kernels.analysis.walk import has_barrier, loop_variable, rebuilt
from kernels.frontend import render
from kernels.frontend.ast import Expr, Index, Member, Name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernels.analysis.syntax import Reference
    from kernels.trace import AccessGroup, Trace


@dataclass(frozen=True, eq=False)
class Moment:
    """A step of a trace for one block (linear number), with its place in the source."""

    trace: Trace
    step: int
    block: int
    place: Place

    @classmethod
    def of(cls, trace: Trace, step: int, block: int) -> Moment | None:
        """Return the moment; None where the tree does not tell the statement."""
        place = place_of(trace, step)
        return None if place is None else cls(trace, step, block, place)

    @cached_property
    def lanes(self) -> NDArray[np.int32]:
        """Lanes of the block that take part."""
        return self.trace.lanes(self.step, self.block)

    @cached_property
    def groups(self) -> tuple[AccessGroup, ...]:
        """What the block accesses in this step."""
        return self.trace.accesses(self.step, self.block)

    @cached_property
    def roles(self) -> LaneRoles:
        """What each thread does."""
        return lane_roles(self.trace, self.step, self.block)

    @cached_property
    def before(self) -> Names:
        """Names as the lanes know them before the step."""
        return Names.at(self.trace, self.step - 1, self.lanes, self.place)

    @cached_property
    def after(self) -> Names:
        """Names as the lanes know them after the step."""
        return Names.at(self.trace, self.step, self.lanes, self.place)

    @property
    def phase(self) -> int:
        """Phase of the step, -1 outside the loop over phases."""
        return int(self.trace.step_phase[self.step])

    @cached_property
    def counters(self) -> dict[str, int]:
        """Variables of all loops around, where they have the same value in all lanes."""
        found = {}
        for loop in self.place.loops:
            values = self.before.get(loop_variable(loop))
            if values is not None and values.dtype.kind in "iu" and (values == values[0]).all():
                found[loop_variable(loop)] = int(values[0])
        return found

    @property
    def inner_counters(self) -> dict[str, int]:
        """The same without the loop that counts the phases."""
        loops = self.place.loops
        counted = self.phase >= 0 and loops and has_barrier(loops[0])
        skip = loop_variable(loops[0]) if counted else ""
        return {name: value for name, value in self.counters.items() if name != skip}

    def spoken(self, node: Expr) -> str:
        """Write an expression for reading aloud: elements as A[row][1], loop variables as numbers, · for *."""
        return render(rebuilt(node, self._shown)).replace(" * ", " · ")

    def _shown(self, node: Expr) -> Expr | None:
        for reference in self.place.references:
            if reference.node is node:
                return self._element(reference)
        if isinstance(node, Name) and node.id in self.counters:
            return simplified(node, self.counters)
        return None

    def _element(self, reference: Reference) -> Expr | None:
        """Return the element with one index a dimension; None where the array is reached another way."""
        array = array_of(self.trace, reference)
        if array is None or array.name != reference.base:
            return None
        steps = layout(self.trace, self.place, reference, array)
        plain = steps is None or steps == Layout(1, 0)
        parts = coordinate_expressions(self.trace, self.place, reference, array) if plain else ()
        element: Expr = Name(reference.node.span, array.name)
        for part in parts or reference.indices:
            element = Index(reference.node.span, element, simplified(part, self.counters))
        for name in reference.fields:
            element = Member(reference.node.span, element, name)
        return element
