"""Cures of races on data that an atomic publishes: fences, scopes, memory orders, and barriers around the atomic.

The writer stores its data and then changes an atomic (a flag, a counter, a lock); the reader sees the change and then
loads the data. The two are ordered only if there is a fence that reaches both threads before the writer's atomic and
after the reader's; if other threads of the block wrote the data, a barrier is needed as well (CUDA C++ Programming
Guide, "Memory Fence Functions").

Example: `sums[b] = s; if (t == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;`, and then the last block reads all
elements of `sums`. It needs a `__threadfence()` before the atomicAdd.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.simt.advice.insertions import BLOCK, insertion_at
from kernels.simt.advice.positions import Gap, Level, bodies, is_around, is_loop, shared_levels, text_order
from kernels.simt.advice.uniformity import Scope
from kernels.trace.cures import Cure, CureKind, Edit, Replacement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.frontend.ast import Span, Statement
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.insertions import Placed
    from kernels.simt.advice.positions import Path
    from kernels.simt.checkers.racecheck.reports import RaceReport

_NEAREST: Final = 2
"""Atomics on each side of an access that are tried as the one that publishes it."""

_FENCES: Final = ("__threadfence", "__threadfence_block", "__threadfence_system")

_BLOCK_SCOPE: Final = {
    r"\b(atomic\w+)_block\b": r"\1",
    r"\b__threadfence_block\b": "__threadfence",
    r"\bthread_scope_block\b": "thread_scope_device",
    r"\.cta\b": ".gpu",
}
_RELAXED: Final = "memory_order_relaxed"
_ORDERS: Final = {"load": "memory_order_acquire", "store": "memory_order_release"}


@dataclass(frozen=True, slots=True)
class _Atomic:
    """An atomic that may publish data: its expression, and the path to its statement."""

    span: Span
    path: Path


def scope_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that widens every atomic and fence from block to device scope."""
    if not race.blocks:
        return
    statements = {facts.sites[site].statement for site in facts.block_atomics} | set(facts.block_fences)
    spans = [facts.statements[number].span for number in sorted(statements)]
    # A declaration `atomic_ref<int, thread_scope_block>` states the scope, but is not itself an atomic.
    declares = [
        node.span
        for function in facts.source.functions
        for node in below(function.body)
        if isinstance(node, ast.Declare) and "thread_scope_block" in facts.source.text(node.span)
    ]
    replacements, edits = _replace_in(facts, dict.fromkeys([*spans, *declares]), _BLOCK_SCOPE)
    if edits:
        yield Cure(CureKind.SCOPE, replacements=replacements, edits=edits, lines=tuple(s.line for s in race.sides))


def _replace_in(
    facts: Facts, spans: Iterable[Span], patterns: dict[str, str]
) -> tuple[tuple[Replacement, ...], tuple[Edit, ...]]:
    """Return the replacements of patterns in the lines of some spans, and their edits."""
    replacements, edits, done = [], [], set()
    # Character by character in the text, since the call to change may be a part of a longer statement.
    for span in spans:
        at = span.source_span
        text = dict(facts.source.program.included).get(at.file, "") if at.file else facts.source.program.text
        lines = text.split("\n")
        for line in range(at.line, at.end_line + 1):
            begin = at.column - 1 if line == at.line else 0
            end = at.end_column - 1 if line == at.end_line else len(lines[line - 1])
            for pattern, new in patterns.items():
                for found in re.finditer(pattern, lines[line - 1][:end]):
                    place = line, found.start(), at.file
                    if found.start() < begin or place in done:
                        continue
                    done.add(place)
                    code = found.expand(new)
                    replacements.append(Replacement(line, found[0], code, at.file))
                    edits.append(Edit(line, found.start() + 1, line, found.end() + 1, code, at.file))
    return tuple(replacements), tuple(edits)


def fence_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield cures by memory orders, fences and barriers around the atomics that publish the data."""
    lines = tuple(side.line for side in race.sides)
    fence = "__threadfence()" if race.blocks else "__threadfence_block()"
    for one, two in facts.path_pairs(race):
        # One side of the race publishes with an atomic after its access, the other one observes with an atomic before
        # its access.
        releasing = list(islice(_nearby_atomics(facts, race, one, later=True), _NEAREST))
        acquiring = list(islice(_nearby_atomics(facts, race, two, later=False), _NEAREST))
        yield from _order_cures(facts, releasing[:1], acquiring[:1], lines)
        before = [_at(_before(facts, one, atomic.path, fence), atomic) for atomic in releasing]
        after = [_at(_after(two, atomic, fence), atomic, acquires=True) for atomic in acquiring]
        first, last = next(iter(before), None), next(iter(after), None)
        # The smallest change first: one fence, then both, then the second nearest atomics.
        for placed in ([first], [last], [first, last], before[1:], after[1:]):
            if placed and all(part is not None for part in placed):
                yield _fence(placed, lines)
        for atomic in releasing[:1]:
            wait = _at(_barrier_before(facts, one, atomic.path), atomic)
            if wait is not None:
                yield Cure(CureKind.BARRIER, (wait[0],), edits=wait[1], lines=lines)
                if first is not None:
                    both = _at(_before(facts, one, atomic.path, f"{BLOCK}; {fence}", at_barrier=True), atomic)
                    if both is not None:
                        yield Cure(CureKind.FENCE, (both[0],), edits=both[1], lines=lines)


def _at(placement: Placed | None, atomic: _Atomic, *, acquires: bool = False) -> Placed | None:
    """Add the line of the atomic to an insertion."""
    if placement is None:
        return None
    return replace(placement[0], atomic_line=atomic.span.source_span.line, acquires=acquires), placement[1]


def _fence(placements: Iterable[Placed | None], lines: tuple[int, ...]) -> Cure:
    parts = [part for part in placements if part is not None]
    return Cure(
        CureKind.FENCE,
        tuple(insertion for insertion, _ in parts),
        edits=tuple(e for _, edits in parts for e in edits),
        lines=lines,
    )


def _nearby_atomics(facts: Facts, race: RaceReport, path: Path, *, later: bool) -> Iterator[_Atomic]:
    """Yield atomics on other arrays after an access in the text (`later`) or before it, the nearest first."""
    found: list[_Atomic] = []
    seen: set[Span] = set()
    for site in facts.sites:
        if site.access != "atomic" or site.array == race.array or site.span in seen:
            continue
        seen.add(site.span)
        for way in facts.source.paths(site.span):
            around = not later and is_around(way, path)
            if around or text_order(path, way) == (-1 if later else 1):
                found.append(_Atomic(site.span, way))
                break
    found.sort(key=lambda atomic: (atomic.span.line, atomic.span.column), reverse=not later)
    yield from found


def _statement_gap(path: Path) -> Gap:
    """Return the place before a statement, or before the branch of which it is the single statement without braces."""
    while not path[-1].braces and len(path) > 1:
        path = path[:-1]
    return Gap(path, path[-1].index)


def _before(facts: Facts, access: Path, atomic: Path, call: str, *, at_barrier: bool = False) -> Placed | None:
    """Insert a call before the atomic that publishes an access, in the lists below the one that contains both."""
    shared = shared_levels(access, atomic)
    gap = _statement_gap(atomic)
    if at_barrier:
        reached = next(
            (
                g
                for n in range(len(atomic), shared - 1, -1)
                if facts.uniformity.is_reached(g := _statement_gap(atomic[:n]), Scope.BLOCK)
            ),
            None,
        )
        if reached is None:
            return None
        gap = reached
    if _is_fence(gap.before):
        return None
    return insertion_at(gap, call)


def _after(access: Path, atomic: _Atomic, call: str) -> Placed | None:
    """Insert a call after the atomic that an access depends on: after the waiting loop, if it is in one."""
    path, shared = atomic.path, shared_levels(access, atomic.path)
    for number in range(len(path) - 1, shared - 1, -1):
        if is_loop(path[number].owner):  # the access is outside of this loop
            path = path[:number]
    child = path[-1].child
    if isinstance(child, ast.If | ast.For | ast.While) and is_around(path, access):
        part, body, braces = next(bodies(child))
        gap = Gap((*path, Level(child, part, body, braces, 0)), 0)
        return None if _is_fence(gap.after) else insertion_at(gap, call)
    while not path[-1].braces and len(path) > 1:
        path = path[:-1]
    gap = Gap(path, path[-1].index + 1)
    return None if _is_fence(gap.after) else insertion_at(gap, call)


def _barrier_before(facts: Facts, access: Path, atomic: Path) -> Placed | None:
    """Insert a barrier of the block between an access and the atomic that publishes it."""
    shared = shared_levels(access, atomic)
    gap = Gap(atomic[:shared], atomic[shared - 1].index)
    if _is_block_barrier(gap.before) or not facts.uniformity.is_reached(gap, Scope.BLOCK):
        return None
    return insertion_at(gap, BLOCK)


def _order_cures(
    facts: Facts, releasing: Iterable[_Atomic], acquiring: Iterable[_Atomic], lines: tuple[int, ...]
) -> Iterator[Cure]:
    """Yield stronger memory orders for relaxed atomics: for each alone, then for all."""
    found = {atomic.span: atomic for atomic in (*releasing, *acquiring)}
    changes = []
    for atomic in found.values():
        text = facts.source.text(atomic.path[-1].child.span)
        if _RELAXED not in text:
            continue
        member = re.search(r"\.(\w+)\s*\(", facts.source.text(atomic.span))
        new = _ORDERS.get(member[1] if member else "", "memory_order_acq_rel")
        changes.append(_replace_in(facts, [atomic.span], {rf"\b{_RELAXED}\b": new}))
    alone = [*changes] if len(changes) > 1 else []
    for parts in (*([change] for change in alone), changes):
        if parts:
            yield Cure(
                CureKind.MEMORY_ORDER,
                replacements=tuple(r for rs, _ in parts for r in rs),
                edits=tuple(e for _, edits in parts for e in edits),
                lines=lines,
            )


def _is_call(statement: Statement | None, names: Iterable[str]) -> bool:
    return (
        isinstance(statement, ast.Do)
        and isinstance(statement.expression, ast.Call)
        and statement.expression.function in names
    )


def _is_fence(statement: Statement | None) -> bool:
    return _is_call(statement, _FENCES)


def _is_block_barrier(statement: Statement | None) -> bool:
    return _is_call(statement, ("__syncthreads",))
