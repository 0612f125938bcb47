"""Cures of a test that is followed by its setting: one atomicCAS, so that one thread alone sees the old value.

Examples: `if (visited[n] == 0) { visited[n] = 1; … }` becomes `if (atomicCAS(&visited[n], 0, 1) == 0) { ; … }`, and the
lock `while (*lock != 0) ; *lock = 1;` becomes `while (atomicCAS(lock, 0, 1) != 0) ; ;`. A barrier or two separate
atomics would order the accesses, but several threads could still see the old value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend import ast
from kernels.simt.advice.accesses import address, atomic_access
from kernels.simt.advice.insertions import replacement_of
from kernels.simt.advice.positions import bodies
from kernels.trace.cures import Cure, CureKind, Edit, Replacement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Statement
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.positions import Path
    from kernels.simt.checkers.racecheck.reports import RaceReport

_TYPES: Final = ("i4", "u4", "u8")
"""Types of atomicCAS (CUDA C++ Programming Guide, "Atomic Functions")."""


@dataclass(frozen=True, slots=True)
class TestAndSet:
    """A test of an element, and the assignment to it by each thread whose test succeeds."""

    tested: Expr
    """The element, as the condition reads it."""
    old: str
    """The value for which the test succeeds."""
    write: ast.Assign
    statement: Statement
    waits: bool
    """True if the test is a loop's: the element is a lock."""


def tests_and_sets(facts: Facts, race: RaceReport) -> list[TestAndSet]:
    """Return the tests that race with their own setting; for a waiting loop, also with the release of the lock."""
    found: dict[object, TestAndSet] = {}
    for side in race.sides:
        for path in facts.source.paths(side.span):
            for test in _around(facts, path):
                inside = [s.span in (test.tested.span, test.write.target.span) for s in race.sides]
                if all(inside) or (test.waits and any(inside)):
                    found[test.write.span] = test
    return list(found.values())


def compare_and_swap_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that replaces a test and its setting by atomicCAS, and the release of a lock by an atomic."""
    if np.dtype(race.info.dtype).str[1:] not in _TYPES:
        return
    text = facts.source.text
    for found in tests_and_sets(facts, race):
        at = found.tested.span.source_span
        place = address(facts, found.tested, race.array)
        new = f"atomicCAS({place}, {found.old}, {text(found.write.value.span)})"
        replacements = [Replacement(at.line, text(found.tested.span), new, at.file)]
        edits: dict[object, Edit] = {
            found.tested.span: replacement_of(found.tested.span, new),
            found.write.target.span: replacement_of(found.statement.span, ";"),
        }
        # The release of a lock is a plain write elsewhere.
        others = (side for other in facts.races if other.array == race.array for side in other.sides)
        for side in others if found.waits else ():
            if side.access == "atomic" or side.span in edits:
                continue
            atomic = atomic_access(facts, side)
            if atomic is None:
                return
            replacements.append(atomic[0])
            edits[side.span] = atomic[1]
        yield Cure(
            CureKind.COMPARE_AND_SWAP,
            replacements=tuple(replacements),
            edits=tuple(edits.values()),
            lines=tuple(side.line for side in race.sides),
            expression=text(found.statement.span),
        )


def _around(facts: Facts, path: Path) -> Iterator[TestAndSet]:
    """Yield the tests that contain a statement of a path, or directly precede it."""
    for level in path:
        for index in (level.index, level.index - 1):
            statement = level.statements[index] if index >= 0 else None
            if isinstance(statement, ast.If):
                then = next(bodies(statement))[1]
                following, equal = then[0] if then else None, True
            elif isinstance(statement, ast.While) and not statement.first and index + 1 < len(level.statements):
                following, equal = level.statements[index + 1], False
            else:
                continue
            test = _equality(facts, statement.condition, equal=equal)
            if test is None or not isinstance(following, ast.Do) or not isinstance(following.expression, ast.Assign):
                continue
            write, text = following.expression, facts.source.text
            if write.op == "=" and text(write.target.span) == text(test[0].span):
                yield TestAndSet(test[0], test[1], write, following, waits=not equal)


def _equality(facts: Facts, condition: Expr, *, equal: bool) -> tuple[Expr, str] | None:
    """Return the element that a condition compares, and with what: `x == a` or `!x`; or else `x != a` or `x`."""
    match condition:
        case ast.Binary(op=op, left=left, right=ast.Number() | ast.Name() as right) if op == ("==" if equal else "!="):
            return left, facts.source.text(right.span)
        case ast.Unary(op="!", operand=operand) if equal:
            return operand, "0"
        case ast.Index() | ast.Name() | ast.Unary(op="*") if not equal:
            return condition, "0"
    return None
