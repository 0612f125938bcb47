"""Overlapping arrays in dynamic shared memory: two pointers into one `extern __shared__` array, too close together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import Array, Pointer, Scalar, Struct
from kernels.simt.advice.insertions import replacement_of
from kernels.trace.cures import Cure, CureKind, Replacement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.frontend.ast import Expr, Variable
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.positions import Source
    from kernels.simt.checkers.racecheck.reports import RaceReport


@dataclass(frozen=True, slots=True)
class _PointerRange:
    """A pointer into the array, and the elements that are accessed through it."""

    pointer: Variable
    first: int
    last: int


def overlap_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that moves the second of two overlapping arrays past the end of the first."""
    dynamic = _dynamic_arrays(facts.source)
    if race.blocks or race.info.space != "shared" or race.info.name not in dynamic:
        return
    pointers = _pointers(facts.source, dynamic)
    through = [_root(facts.source, side.span, pointers) for side in race.sides]
    if None in through or through[0] is through[1]:
        return
    ranges = facts.ranges()
    ranges_touched = [_range_of(facts, pointer, pointers, ranges) for pointer in through if pointer is not None]
    if len(ranges_touched) != 2 or ranges_touched[0] is None or ranges_touched[1] is None:
        return
    low, high = sorted(
        (ranges_touched[0], ranges_touched[1]), key=lambda one: (one.first, one.pointer.span.source_span.line)
    )
    if not isinstance(high.pointer.type, Pointer) or high.pointer.value is None:
        return
    overlap = low.last - high.first + 1
    size = _bytes(high.pointer.type.to)
    item = race.info.dtype.itemsize
    # Without an overlap the race has another cause.
    if overlap <= 0 or not size or isinstance(high.pointer.value, tuple):
        return
    # In elements of the second pointer's type, rounded up.
    steps = -(-overlap * item // size)
    value = facts.source.text(high.pointer.value.span)
    new = f"({value}) + {steps}"
    at = high.pointer.value.span.source_span
    yield Cure(
        CureKind.CARVING,
        replacements=(Replacement(at.line, value, new, at.file),),
        edits=(replacement_of(high.pointer.value.span, new),),
        lines=tuple(side.line for side in race.sides),
        pointers=(race.info.name, low.pointer.name, high.pointer.name),
        elements=overlap,
        first_element=high.first + steps * size // item,
        bytes=overlap * item,
        dynamic_shared_bytes=max(facts.launch.dynamic_shared_bytes, (high.last + 1) * item + steps * size),
    )


def _dynamic_arrays(source: Source) -> set[str]:
    variables = [*source.program.variables]
    for function in source.functions:
        variables += [node for node in below(function.body) if isinstance(node, ast.Variable)]
    return {variable.name for variable in variables if variable.dynamic}


def _pointers(source: Source, dynamic: set[str]) -> dict[str, Variable]:
    """Return the pointers that are declared as positions in the array, by name."""
    found: dict[str, Variable] = {}
    for node in below(source.kernel.body):
        if isinstance(node, ast.Variable) and isinstance(node.type, Pointer) and node.value is not None:
            values = node.value if isinstance(node.value, tuple) else (node.value,)
            names = {part.id for value in values for part in below(value) if isinstance(part, ast.Name)}
            if names & (dynamic | set(found)):
                found[node.name] = node
    return found


def _root(source: Source, span: ast.Span, pointers: Mapping[str, Variable]) -> Variable | None:
    """Return the pointer through which an expression accesses the array."""
    function = source.function_of(span)
    if function is None:
        return None
    for node in below(function.body):
        if isinstance(node, ast.Index | ast.Unary) and node.span == span:
            base: Expr = node.base if isinstance(node, ast.Index) else node.operand
            while isinstance(base, ast.Index | ast.Binary):
                base = base.base if isinstance(base, ast.Index) else base.left
            return pointers.get(base.id) if isinstance(base, ast.Name) else None
    return None


def _range_of(
    facts: Facts, pointer: Variable, pointers: Mapping[str, Variable], ranges: Mapping[int, tuple[int, int]]
) -> _PointerRange | None:
    touched = [
        ranges[number]
        for number, site in enumerate(facts.sites)
        if number in ranges and _root(facts.source, site.span, pointers) is pointer
    ]
    if not touched:
        return None
    return _PointerRange(pointer, min(first for first, _ in touched), max(last for _, last in touched))


def _bytes(kind: object) -> int:
    return kind.size_bytes if isinstance(kind, Scalar | Struct | Array) else 0
