"""One step of one block, with the facts and the names that captions need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kernels.analysis.syntax.evaluate import simplify
from kernels.analysis.syntax.inline_ptx import instruction_names
from kernels.analysis.syntax.layouts import Layout, layout
from kernels.analysis.syntax.source import Place, place_of
from kernels.analysis.syntax.walk import has_barrier, loop_variable, rewrite
from kernels.analysis.values.elements import array_of, coordinate_expressions
from kernels.analysis.values.registers import Names
from kernels.analysis.values.roles import LaneRoles, lane_roles
from kernels.frontend import render
from kernels.frontend.ast import Assembly, Binary, Expr, Index, Member, Name
from kernels.frontend.ast.traversal import all_nodes
from kernels.narration.words import ON_GPU, each_thread, statement_text, thread_name, threads_named
from kernels.words import join

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Reference
    from kernels.narration.words import Vocabulary
    from kernels.trace import AccessGroup, Trace


@dataclass(frozen=True, eq=False)
class StepView:
    """A step of a trace for one block."""

    trace: Trace
    step: int
    block: int
    """Linear number."""
    place: Place
    """The statement in the source."""
    vocabulary: Vocabulary = ON_GPU

    @classmethod
    def of(cls, trace: Trace, step: int, block: int, vocabulary: Vocabulary = ON_GPU) -> StepView | None:
        """Return the view; None where no statement of the tree has the step's place, as in some macros."""
        place = place_of(trace, step)
        return None if place is None else cls(trace, step, block, place, vocabulary)

    @cached_property
    def lanes(self) -> NDArray[np.int32]:
        """Lanes of the block that execute the step."""
        return self.trace.lanes(self.step, self.block)

    @cached_property
    def groups(self) -> tuple[AccessGroup, ...]:
        """Accesses of the block in this step."""
        return self.trace.accesses(self.step, self.block)

    @cached_property
    def roles(self) -> LaneRoles:
        """Role of each thread of the block."""
        return lane_roles(self.trace, self.step, self.block)

    @cached_property
    def before(self) -> Names:
        """Values of names before the step."""
        return Names.at(self.trace, self.step - 1, self.lanes, self.place)

    @cached_property
    def after(self) -> Names:
        """Values of names after the step."""
        return Names.at(self.trace, self.step, self.lanes, self.place)

    @property
    def phase(self) -> int:
        """Phase of the step, -1 outside the loop over phases."""
        return int(self.trace.step_phase[self.step])

    @cached_property
    def counters(self) -> dict[str, int]:
        """Variables of the loops around the statement that have one value in all lanes."""
        found = {}
        for loop in self.place.loops:
            values = self.before.get(loop_variable(loop))
            if values is not None and values.dtype.kind in "iu" and (values == values[0]).all():
                found[loop_variable(loop)] = int(values[0])
        return found

    @property
    def inner_counters(self) -> dict[str, int]:
        """The same without the variable of the outermost loop with a barrier, which counts the phases."""
        loops = self.place.loops
        counted = self.phase >= 0 and loops and has_barrier(loops[0])
        skip = loop_variable(loops[0]) if counted else ""
        return {name: value for name, value in self.counters.items() if name != skip}

    # --- names of threads ------------------------------------------------------------------------------

    def thread(self, lane: int) -> str:
        """Return "thread (1,0)", by its threadIdx."""
        return thread_name(self.trace, lane, self.vocabulary)

    def first_thread(self) -> str:
        """Return the name of the first thread in the step."""
        return self.thread(int(self.lanes[0]))

    def threads(self, lanes: NDArray[np.int32]) -> str:
        """Name up to two threads and count the rest: "threads (0,0), (1,0) and 3 more"."""
        return threads_named(self.trace, lanes, self.vocabulary)

    def count(self, lanes: NDArray[np.int32]) -> str:
        """Return "3 threads", or the only one's name."""
        return self.thread(int(lanes[0])) if len(lanes) == 1 else f"{len(lanes)} {self.vocabulary.threads}"

    def group(self, lanes: NDArray[np.int32]) -> str:
        """Return "all 4 threads" or "both threads" of the block, "3 threads", or the only one's name."""
        if len(lanes) == 1 or len(lanes) != self.trace.launch.block.count:
            return self.count(lanes)
        return f"{'both' if len(lanes) == 2 else f'all {len(lanes)}'} {self.vocabulary.threads}"

    def each_thread(self) -> str:
        """Return "each thread" for the whole block, "each of 3 threads", or the only one's name."""
        return each_thread(self.trace, self.lanes, self.vocabulary)

    def executes(self) -> str:
        """Return "executes", and the statement as written; of inline PTX the names of its instructions."""
        if isinstance(node := self.place.node, Assembly) and (names := instruction_names(node.template)):
            return f"executes {join(names)} (inline PTX)"
        return f"executes {statement_text(self.trace, self.step)}"

    # --- expressions -----------------------------------------------------------------------------------

    def expression(self, node: Expr) -> str:
        """Write an expression as text: elements as A[row][1], loop variables as numbers, · for *."""
        return render(rewrite(node, self._replacement)).replace(" * ", " · ")

    def _replacement(self, node: Expr) -> Expr | None:
        for reference in self.place.references:
            if reference.node is node:
                return self._element(reference)
        if isinstance(node, Name | Binary) and not self._has_reference(node):
            return simplify(node, self.counters)
        return None

    def _has_reference(self, node: Expr) -> bool:
        """Return whether an expression accesses an array."""
        nodes = {id(reference.node) for reference in self.place.references}
        return any(id(part) in nodes for part in all_nodes(node))

    def _element(self, reference: Reference) -> Expr | None:
        """Return the element with one index per dimension; None where a pointer leads to it."""
        array = array_of(self.trace, reference)
        if array is None or array.name != reference.base:
            return None
        steps = layout(self.trace, self.place, reference, array)
        plain = steps is None or steps == Layout(1, 0)
        parts = coordinate_expressions(self.trace, self.place, reference, array) if plain else ()
        element: Expr = Name(reference.node.span, array.name)
        for part in parts or reference.indices:
            element = Index(reference.node.span, element, simplify(part, self.counters))
        for name in reference.fields:
            element = Member(reference.node.span, element, name)
        return element
