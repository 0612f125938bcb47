"""Missing values: uses of uninitialised registers, and stores of them, which leave an array element uninitialised.

Example: `float v; if (t < 16) v = x[t]; s[t] = v;` with a shared array s. The store is no use of v: in lanes 16-31 it
marks s[16..31] as uninitialised, and a report follows only if one of these elements is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.types import Pointer, Scalar
from kernels.simt.compiler.expressions.addresses import split_by_array
from kernels.simt.compiler.expressions.load_store import advance
from kernels.simt.compiler.structs.layout import leaves
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.compiled_values import Copy, Element, Variable
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.expressions.load_store import Save
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory
    from kernels.simt.machine.steps import Run

_UNSET_SPACES: Final = ("shared", "local")
"""Memory that a store of a register without a value leaves uninitialised; a store to other memory uses the register."""


def missing_value(c: Context, variable: Variable, span: Span, whose: str = "") -> Callable[[Group, Active], None]:
    """Return a function that reports lanes, if there are any, that use a variable without a value."""
    hazards, recorder, place = c.machine.hazards, c.machine.recorder, Place(span, "register", variable.name)

    def report(group: Group, bad: Active) -> None:
        if bad is EMPTY:
            return
        lane = int(group.lanes[0 if bad is None else bad.where[0]])
        hazards.report(
            "uninitialised-read",
            place,
            recorder.current,
            group.active(bad),
            ((lane, span, "read"),),
            lambda: f"{hazards.name(lane)} uses {variable.name}{whose}, {_reason(c, variable, 'has')}",
        )

    return report


def _reason(c: Context, variable: Variable, has: str) -> str:
    """Return the clause with the reason why a variable has, or had, no value, and the variable to initialise."""
    name, sources = variable.name, " or ".join(variable.sources)
    if not sources:
        return f"which {has} no value yet: give it one where it is declared"
    if variable.key in c.machine.assumptions.possibly_unset:
        return f"a copy of {sources}, which had no value yet: initialise {sources}"
    return f"which {has} no value yet, or a copy of {sources} without one: initialise {name} and {sources}"


def stores_copies(element: Element) -> bool:
    """Return whether a store to an element can leave it uninitialised; not so for pointers."""
    in_reach = element.memory is None or element.memory.info.space in _UNSET_SPACES
    return in_reach and not isinstance(element.kind, Pointer)


def store_copy(c: Context, element: Element, copy: Copy, offset: Run, save: Save, span: Span) -> Run:
    """Compile a store of registers that may be uninitialised; the run yields the stored value.

    In shared and local memory the elements of lanes without a value become uninitialised, leaf by leaf of a struct: as
    with Compute Sanitizer's initcheck, the report comes when such an element is read. In other memory the store is
    reported as a use of the value at `span`. `offset` and `save` are those of the element.
    """
    compute, mark = copy.run, _marker(c, element, copy, span)
    # An address among the leaves of a struct has been checked when it was read.
    followed = [
        (number, variable.value_lanes)
        for number, variable in enumerate(copy.variables)
        if variable.value_lanes >= 0 and isinstance(variable.type, Scalar)
    ]

    def run(group: Group, mask: Active) -> Value:
        new = compute(group, mask)
        missing = []
        for number, value_lanes in followed:
            # True, False or a bit for each lane; only active lanes without a value matter.
            known = group.values[value_lanes]
            if known is not True and (mask if known is False else group.narrow(mask, ~known)) is not EMPTY:
                missing.append((number, known))
        # After the lanes are known: the store itself marks all of its elements as written.
        at = offset(group, mask)
        save(group, mask, at, new)
        if missing:
            mark(group, mask, at, missing)
        return new

    return run


def _marker(
    c: Context, element: Element, copy: Copy, span: Span
) -> Callable[[Group, Active, Value, list[tuple[int, Value]]], None]:
    """Compile the marking after a store; `missing` are leaves by number, each with the lanes that have its value."""
    parts, stored = leaves(element.kind), element.memory
    reports = [missing_value(c, variable, span) for variable in copy.variables]
    causes = [_cause(c, variable, span) for variable in copy.variables]

    def mark_in(memory: Memory, group: Group, mask: Active, at: Value, missing: list[tuple[int, Value]]) -> None:
        size = memory.kind.size_bytes
        for number, known in missing:
            if memory.info.space in _UNSET_SPACES:
                first, width = parts[number].offset // size, parts[number].scalar.size_bytes // size
                memory.mark_unwritten(group, mask, advance(at, first), known, causes[number], width)
            else:
                reports[number](group, mask if known is False else group.narrow(mask, ~known))

    def mark(group: Group, mask: Active, at: Value, missing: list[tuple[int, Value]]) -> None:
        if stored is not None:
            mark_in(stored, group, mask, at, missing)
            return
        for number, lanes, offset in split_by_array(group, mask, at):
            if 0 <= number < len(c.machine.memories):  # the store has reported the others
                memory = c.machine.memories[number]
                mark_in(memory, group, lanes, offset // memory.kind.size_bytes, missing)

    return mark


def _cause(c: Context, variable: Variable, span: Span) -> Callable[[], str]:
    line = span.source_span.line
    return lambda: f"line {line} stored {variable.name}, {_reason(c, variable, 'had')}"
