"""Cures that split a construct around a barrier: a branch that some threads do not take, a return, one statement.

Example: `if (t < 48) { s[t] = A[t]; B[t] = s[47 - t]; }` in a block of 64. Not all threads would reach a barrier in the
branch, so it is split: `if (t < 48) { s[t] = A[t]; } __syncthreads(); if (t < 48) { B[t] = s[47 - t]; }`. The condition
is evaluated twice, which is only allowed if the first part does not change it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import Scalar
from kernels.simt.advice.insertions import call_of, insert_after, insert_before, loop_ends, owner_line, replacement_of
from kernels.simt.advice.positions import Gap, holds, is_loop, shared_levels, text_order
from kernels.trace.cures import Cure, CureKind, Edit, Insertion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Expr, Statement
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.positions import Path, Source
    from kernels.simt.advice.uniformity import Scope
    from kernels.simt.checkers.racecheck.reports import RaceReport

_VARIABLE: Final = "kept"
"""The variable that a split statement reads into."""

_STEPS: Final = 3
"""Minimum number of consecutive statements that are split together."""


def split_cures(facts: Facts, race: RaceReport, one: Path, two: Path, scope: Scope) -> Iterator[Cure]:
    """Yield the split of the construct that excludes a barrier: a statement, a branch, its bodies, an early return."""
    order = text_order(one, two)
    first, second = (two, one) if order > 0 else (one, two)
    shared = shared_levels(first, second)
    if not shared:
        return
    if order:
        yield from _split_branch(facts, race, first[:shared], second[shared - 1].index, scope)
    elif len(first) > shared and len(second) > shared and first[shared].owner is second[shared].owner:
        yield from _split_bodies(facts, race, first, second, scope)
    elif len(first) == len(second) == shared:
        yield from _read_first(facts, race, first, scope)


def _split_branch(facts: Facts, race: RaceReport, levels: Path, end: int, scope: Scope) -> Iterator[Cure]:
    """Split a branch, or the statements after an early return, between two of its statements.

    The first part contains the earlier access, the second one begins directly before the later one.
    """
    level, call = levels[-1], call_of(scope, facts.source)
    found = facts.uniformity.obstacle(levels, end, scope)
    if found is None or found[0] != len(levels) - 1 or not isinstance(found[1], ast.If):
        return
    branch = found[1]
    returns = branch is not level.owner
    if returns and (branch not in level.statements or branch.otherwise is not None):
        return
    if returns and not _is_return(branch):
        return
    begin = level.statements.index(branch) + 1 if returns else 0
    if begin > level.index or (not returns and (branch.otherwise is not None or level.part != "then")):
        return
    outer = levels if returns else levels[:-1]
    at = level.statements.index(branch) if returns else outer[-1].index
    if not outer or not facts.uniformity.is_reached(Gap(outer, at), scope):
        return
    # Variables that the first part declares are used by the second: their declarations move before the branch.
    parts = level.statements[begin:end], level.statements[end:]
    hoisted = _hoist_declarations(facts.source, parts[0])
    if hoisted is None or not _keeps_value(branch.condition, parts[0]):
        return
    declared, edits = hoisted
    condition_text = facts.source.text(branch.condition.span)
    condition = f"!({condition_text})" if returns else condition_text
    again = f" }} {call}; if ({condition}) {{"
    last = parts[0][-1]
    # A branch that is the single statement of a loop or another branch needs braces around the parts.
    wrap = outer[-1].braces
    if returns:
        edits += [
            replacement_of(branch.span, declared),
            insert_before(parts[0][0].span, f"if ({condition}) {{ "),
            insert_after(level.statements[-1].span, " }"),
        ]
    else:
        edits += [insert_before(branch.span, declared if wrap else f"{{ {declared}")]
        edits += [] if wrap else [insert_after(branch.span, " }")]
    edits.append(insert_after(last.span, again))
    yield Cure(
        CureKind.SPLIT_RETURN if returns else CureKind.SPLIT_BRANCH,
        (Insertion(call, last.span.source_span.end_line, parts[1][0].span.source_span.line),),
        edits=tuple(edits),
        branch_line=branch.header.source_span.line,
        condition=condition,
        declared=declared.strip(),
        lines=tuple(side.line for side in race.sides),
    )


def _split_bodies(facts: Facts, race: RaceReport, first: Path, second: Path, scope: Scope) -> Iterator[Cure]:
    """Put a barrier between the two bodies of a branch: the second one becomes a separate branch."""
    shared = shared_levels(first, second)
    branch = first[shared].owner
    parts = {first[shared].part, second[shared].part}
    if not isinstance(branch, ast.If) or branch.otherwise is None or parts != {"then", "otherwise"}:
        return
    outer = first[:shared]
    if not facts.uniformity.is_reached(Gap(outer, outer[-1].index), scope):
        return
    if not _keeps_value(branch.condition, (branch.then,)):
        return
    call = call_of(scope, facts.source)
    condition = f"!({facts.source.text(branch.condition.span)})"
    then, otherwise = branch.then.span.source_span, branch.otherwise.span.source_span
    lines = "\n" * (otherwise.line - then.end_line)
    edits = [
        Edit(
            then.end_line,
            then.end_column,
            otherwise.line,
            otherwise.column,
            f" {call}; if ({condition}){lines} ",
            then.file,
        )
    ]
    if not outer[-1].braces:
        edits += [insert_before(branch.span, "{ "), insert_after(branch.span, " }")]
    yield Cure(
        CureKind.SPLIT_ELSE,
        (Insertion(call, then.end_line, otherwise.line),),
        edits=tuple(edits),
        branch_line=branch.header.source_span.line,
        condition=condition,
        lines=tuple(side.line for side in race.sides),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """An assignment that can be split: a read into a variable, and a write of that."""

    path: Path
    depth: int
    """Levels of the path down to the list that all threads reach."""
    assigned: ast.Assign
    condition: str
    """The condition of the branches below that list; may be empty."""

    @property
    def whole(self) -> Statement:
        """The statement of that list: the branches around the assignment are part of it."""
        return self.path[self.depth - 1].child

    def text(self, source: Source, call: str, after: str = "") -> str:
        """Return the statement as a read, a barrier and a write."""
        target, value = source.text(self.assigned.target.span), source.text(self.assigned.value.span)
        read = f"({self.condition}) ? {value} : 0" if self.condition else value
        write = f"{target} {self.assigned.op} {_VARIABLE};"
        guarded = f"if ({self.condition}) {write}" if self.condition else write
        return f"{{ auto {_VARIABLE} = {read}; {call}; {guarded}{after} }}"


def _parts_of(facts: Facts, path: Path, scope: Scope) -> _Parts | None:
    """Return the split of an assignment around a barrier; None if it is not alone in its branches."""
    statement = path[-1].child
    if not isinstance(statement, ast.Do) or not isinstance(statement.expression, ast.Assign):
        return None
    depth, conditions = len(path), list[str]()
    # Outwards to the first list that all threads reach; the conditions passed on the way guard the read and the write.
    while not facts.uniformity.is_reached(Gap(path[:depth], path[depth - 1].index), scope):
        level = path[depth - 1]
        owner = level.owner
        if not isinstance(owner, ast.If) or owner.otherwise is not None or len(level.statements) != 1:
            return None
        conditions.insert(0, facts.source.text(owner.condition.span))
        depth -= 1
    condition = " && ".join(f"({text})" if len(conditions) > 1 else text for text in conditions)
    return _Parts(path, depth, statement.expression, condition)


def _read_first(facts: Facts, race: RaceReport, path: Path, scope: Scope) -> Iterator[Cure]:
    """Split a statement that reads and writes, with the branches around it that not all threads take."""
    parts = _parts_of(facts, path, scope)
    read = next((side for side in race.sides if side.access == "read"), None)
    if parts is None or read is None or not holds(parts.assigned.value.span, read.span):
        return
    call = call_of(scope, facts.source)
    at, first = parts.whole.span.source_span, Insertion(call, 0, 0)
    branch_line = at.line if parts.condition else 0
    lines = tuple(side.line for side in race.sides)
    # In a loop the write also races with the read of the next round: a second barrier at the end.
    for again in (False, True):
        if again and not (is_loop(path[parts.depth - 1].owner) and next(loop_ends(facts, path, path, scope), None)):
            return
        level = path[parts.depth - 1]
        braces_line = 0 if level.braces else owner_line(level)
        end = Insertion(call, at.end_line, read.line, True, braces_line, file=at.file)
        yield Cure(
            CureKind.READ_FIRST,
            (replace(first, outside_line=branch_line, file=at.file), *([end] if again else [])),
            edits=(replacement_of(parts.whole.span, parts.text(facts.source, call, f" {call};" if again else "")),),
            branch_line=branch_line,
            condition=parts.condition,
            expression=read.text,
            lines=lines,
        )


def step_cures(facts: Facts, race: RaceReport, scope: Scope) -> Iterator[Cure]:
    """Yield the split of each of several consecutive statements that race with themselves and with each other.

    Example: the last steps of a reduction, as they were written before independent thread scheduling, when the lanes of
    a warp ran in lockstep: `s[t] += s[t + 16]; s[t] += s[t + 8]; …`.
    """
    call, found, alone = call_of(scope, facts.source), dict[int, _Parts](), set[int]()
    for other in facts.races:
        for side in other.sides if other.array == race.array and not other.blocks else ():
            for path in facts.source.paths(side.span)[:1]:
                parts = _parts_of(facts, path, scope)
                if parts is not None:
                    found[id(parts.whole)] = parts
                    if other.kinds == {"read", "write"} and len({s.statement for s in other.sides}) == 1:
                        alone.add(id(parts.whole))
    for one, _ in facts.path_pairs(race)[:1]:
        same = [parts for parts in found.values() if _is_same_list(parts, one)]
        lines = sorted(parts.whole.span.source_span.line for parts in same)
        places = {id(parts.whole) for parts in same}
        if len(places & alone) < _STEPS or id(one[same[0].depth - 1].child) not in places:
            return
        edits = (replacement_of(parts.whole.span, parts.text(facts.source, call, f" {call};")) for parts in same)
        yield Cure(
            CureKind.READ_FIRST,
            (Insertion(call, 0, 0, file=same[0].whole.span.source_span.file),),
            edits=tuple(edits),
            lines=tuple(side.line for side in race.sides),
            steps=tuple(lines),
        )


def _is_same_list(parts: _Parts, path: Path) -> bool:
    return len(path) >= parts.depth and path[parts.depth - 1].is_same_list(parts.path[parts.depth - 1])


def _is_return(branch: ast.If) -> bool:
    body = branch.then.body if isinstance(branch.then, ast.Block) else (branch.then,)
    return len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is None


def _hoist_declarations(source: Source, statements: Sequence[Statement]) -> tuple[str, list[Edit]] | None:
    """Return declarations of the variables that some statements declare, and the edits that leave assignments.

    None if one is not a scalar, is const, or has a type that its declaration does not spell out.
    """
    declared, edits = "", []
    for statement in statements:
        if not isinstance(statement, ast.Declare):
            continue
        first = statement.variables[0]
        if any(v.space != "auto" or v.const or not isinstance(v.type, Scalar) for v in statement.variables):
            return None
        begin, name = statement.span, first.span
        kind = source.text(ast.Span(begin.line, begin.column, name.line, name.column))
        words = {"auto", "const", "static"} & set(kind.split())
        # Only a plain type name can be repeated before the branch; `auto` needs its value, and a macro has no place in
        # the text.
        if begin.inside is not None or not kind or words or set(kind) & set("&*[<("):
            return None
        declared += f"{kind} {', '.join(v.name for v in statement.variables)}; "
        edits.append(Edit(begin.line, begin.column, name.line, name.column, ""))
    return declared, edits


def _keeps_value(condition: Expr, statements: Sequence[Statement]) -> bool:
    """Return whether a condition has the same value after some statements: they change nothing in it."""
    parts = below(condition)
    if any(isinstance(node, ast.Call | ast.Assign | ast.Update) for node in parts):
        return False
    names = {node.id for node in parts if isinstance(node, ast.Name)}
    changed = {
        node.target.id
        for statement in statements
        for node in below(statement)
        if isinstance(node, ast.Assign | ast.Update) and isinstance(node.target, ast.Name)
    }
    return not names & changed and not any(isinstance(node, ast.Index) for node in parts)
