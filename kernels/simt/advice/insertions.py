"""Insertions of barriers and other calls: their places, edits of the source, and existing barriers.

Example: a call at the end of the body of `for (…) s[t] += s[t + d];`, a single statement, becomes two edits: `{ `
before the statement, and ` __syncthreads(); }` after it. No edit adds or removes a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.simt.advice.positions import Gap, is_loop, shared_levels
from kernels.simt.advice.uniformity import Scope
from kernels.trace.cures import Edit, Insertion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Span, Statement
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.positions import Level, Path, Source

BLOCK: Final = "__syncthreads()"
WARP: Final = "__syncwarp()"
_GRID: Final = "cooperative_groups::this_grid().sync()"

Placed = tuple[Insertion, tuple[Edit, ...]]
"""An insertion, as it is reported, and its edits."""


def call_of(scope: Scope, source: Source) -> str:
    """Return the call of a barrier for a group of threads; for the grid, of the variable that the kernel declares."""
    if scope != Scope.GRID:
        return WARP if scope == Scope.WARP else BLOCK
    for node in below(source.kernel.body):
        match node:
            case ast.Variable(name=name, value=ast.Call(function=callee)) if callee.endswith("this_grid"):
                return f"{name}.sync()"
    return _GRID


def insertion_at(gap: Gap, call: str, *, repeats: int = 0, outside: int = 0) -> Placed | None:
    """Return the insertion of a call in a gap, with its edits; `repeats` is the line that runs again afterwards."""
    level, before, after = gap.level, gap.before, gap.after
    anchor = before or after
    if anchor is None:
        return None
    at = anchor.span.source_span
    insertion = Insertion(
        call,
        before.span.source_span.end_line if before else 0,
        repeats or (after.span.source_span.line if after else 0),
        repeats=bool(repeats),
        braces_line=0 if level.braces else owner_line(level),
        outside_line=outside,
        file=at.file,
    )
    if level.braces:
        return insertion, (insert_after(at, f" {call};") if before else insert_before(at, f"{call}; "),)
    first, last = (f"{{ {call}; ", " }") if before is None else ("{ ", f" {call}; }}")
    return insertion, (insert_before(at, first), insert_after(at, last))


def insert_before(at: Span, text: str) -> Edit:
    """Return the insertion of a text in front of a span."""
    at = at.source_span
    return Edit(at.line, at.column, at.line, at.column, text, at.file)


def insert_after(at: Span, text: str) -> Edit:
    """Return the insertion of a text after a span."""
    at = at.source_span
    return Edit(at.end_line, at.end_column, at.end_line, at.end_column, text, at.file)


def replacement_of(at: Span, text: str) -> Edit:
    """Return the replacement of a span, with the same number of lines."""
    at = at.source_span
    # Equal line numbers before and after an edit let hazards of both runs be compared by place.
    text += "\n" * max(0, at.end_line - at.line - text.count("\n"))
    return Edit(at.line, at.column, at.end_line, at.end_column, text, at.file)


def owner_line(level: Level) -> int:
    """Return the line of the function, branch or loop of which a list is a body."""
    owner = level.owner
    return (owner.header if isinstance(owner, ast.If | ast.For | ast.While) else owner.span).source_span.line


def loop_ends(facts: Facts, one: Path, two: Path, scope: Scope) -> Iterator[Gap]:
    """Yield the ends of the bodies of the loops around both accesses, the innermost first."""
    for number in reversed(range(shared_levels(one, two))):
        level = one[number]
        if not is_loop(level.owner):
            continue
        gap = Gap(one[: number + 1], len(level.statements))
        if not is_barrier(gap.before, scope) and facts.uniformity.is_reached(gap, scope):
            yield gap


def is_barrier(statement: Statement | None, scope: Scope) -> bool:
    """Return whether a statement is a barrier for this group of threads."""
    if not isinstance(statement, ast.Do) or not isinstance(statement.expression, ast.Call):
        return False
    name = statement.expression.function
    return name == "__syncthreads" if scope == Scope.BLOCK else name == "__syncwarp" and scope == Scope.WARP
